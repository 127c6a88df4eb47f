//! Hedging: more attempts of one call while the first has not answered (gRPC proposal A6).
//!
//! An attempt is sent, and another after each delay, until so many have been sent or one has succeeded, which cancels the
//! others. A non-fatal failure sends the next at once, any other ends the call.

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
    /// Ticks until the next is sent.
    pub left: Ticks,
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
    /// How many attempts are to be sent now: at the start of the call, and after each tick.
    #[must_use]
    pub fn due(&self, call: &mut HedgeState) -> u32 {
        if call.sent == 0 || (call.left.is_zero() && call.sent < self.attempts) {
            let all = self.delay.is_zero();
            self.send(call, if all { self.attempts - call.sent } else { 1 })
        } else {
            0
        }
    }

    /// An attempt of the call ended with `outcome`. `allowed`: whether more may be sent (no throttling, no pushback that
    /// forbids it).
    #[must_use]
    pub fn ended(&self, call: &mut HedgeState, outcome: Outcome, allowed: bool) -> Hedged {
        call.open = call.open.saturating_sub(1);
        if outcome.is_success() || !self.non_fatal.contains(outcome) {
            return Hedged::Ended(outcome);
        }
        let send = if allowed && call.sent < self.attempts { self.send(call, 1) } else { 0 };
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
        HedgeState { sent: 0, open: 0, left: Ticks::ZERO }
    }

    fn tick(&self, call: &mut HedgeState) {
        call.left = call.left.less_one();
    }
}
