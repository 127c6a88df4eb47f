//! Hedging: more attempts of one call while the first has not answered (gRPC proposal A6).
//!
//! An attempt is sent, and another after each delay, until so many have been sent or one has succeeded, which cancels the
//! others. A non-fatal failure sends the next at once, any other ends the call. Where throttling or a server's pushback forbids
//! a further attempt, no more are sent for this call, and those under way decide. (The proposal says so of pushback; of throttling
//! only that the attempt is not sent.)

use super::{Outcome, Outcomes, Policy, PolicyError, Ticks};

/// When more attempts of a call are sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hedging {
    /// Attempts of one call at most, the first included.
    pub attempts: u32,
    /// Time from one attempt to the next. Zero: all at once.
    pub delay: Ticks,
    /// Failures that do not end the call.
    pub non_fatal: Outcomes,
}

/// One call that is hedged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HedgeState {
    /// Attempts sent.
    pub sent: u32,
    /// Attempts sent that have not ended.
    pub open: u32,
    /// Ticks until the next is sent; zero once no more are.
    pub left: Ticks,
    /// Whether no more are sent, because one was forbidden.
    pub stopped: bool,
}

/// What an attempt's end means for its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hedged {
    /// The call has ended with this outcome; the attempts still open are cancelled.
    Ended(Outcome),
    /// The call goes on, and this many attempts are to be sent now.
    Goes {
        /// Attempts to be sent in this tick.
        send: u32,
    },
}

impl Hedging {
    /// How many attempts are to be sent now: at the start of the call, and after each tick. `allowed`: whether more than the
    /// first may be sent (no throttling).
    #[must_use]
    pub fn due(&self, call: &mut HedgeState, allowed: bool) -> u32 {
        let first = if call.sent == 0 { self.send(call, 1) } else { 0 };
        // With a delay the first has just begun it.
        let more = if !call.left.is_zero() {
            0
        } else if self.delay.is_zero() {
            self.attempts
        } else {
            1
        };
        first + self.hedge(call, more, allowed)
    }

    /// Sends so many more, if any are left and it is allowed.
    fn hedge(&self, call: &mut HedgeState, more: u32, allowed: bool) -> u32 {
        let more = more.min(self.attempts - call.sent);
        if more == 0 || call.stopped {
            return 0;
        }
        if !allowed {
            (call.stopped, call.left) = (true, Ticks::ZERO);
            return 0;
        }
        self.send(call, more)
    }

    /// An attempt of the call ended with `outcome`. `allowed`: whether more may be sent (no throttling, no pushback that
    /// forbids it).
    #[must_use]
    pub fn ended(&self, call: &mut HedgeState, outcome: Outcome, allowed: bool) -> Hedged {
        call.open = call.open.saturating_sub(1);
        if outcome.is_success() || !self.non_fatal.contains(outcome) {
            return Hedged::Ended(outcome);
        }
        let send = self.hedge(call, 1, allowed);
        if call.open == 0 { Hedged::Ended(outcome) } else { Hedged::Goes { send } }
    }

    fn send(&self, call: &mut HedgeState, n: u32) -> u32 {
        call.sent += n;
        call.open += n;
        call.left = if call.sent < self.attempts { self.delay } else { Ticks::ZERO };
        n
    }
}

impl Policy for Hedging {
    type State = HedgeState;

    fn validate(&self) -> Result<(), PolicyError> {
        PolicyError::unless(self.attempts >= 1, "hedging: attempts", self.attempts, "at least 1, the first")
    }

    fn initial(&self) -> HedgeState {
        HedgeState { sent: 0, open: 0, left: Ticks::ZERO, stopped: false }
    }

    fn tick(&self, call: &mut HedgeState) {
        call.left = call.left.less_one();
    }
}
