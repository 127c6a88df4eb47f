//! A population of clients that hedge: another attempt of the same call while the first has not been answered.
//!
//! # What is kept, and why that is exact
//!
//! A call is given up after its timeout, all its attempts together. An attempt carries two countdowns: that of its call, and its own
//! (as [`Memo::deadline`]),
//! which tells when it was sent. Calls are counts by their countdown, the attempts that they have open, and what else the policy
//! remembers of a call (attempts sent, ticks until the next).
//!
//! Attempts with the same two countdowns were sent in the same tick by calls that began in the same tick. Nobody can tell them apart,
//! so which of these calls an answer belongs to is not kept: every call that has such an attempt open is possible, and so is
//! every such attempt whose call is over already (a count by label); each possibility is explored when the answer comes. Fixing
//! beforehand whose they are, or leaving it open until one is answered, leads to the same behaviours. (For `recoverable` it means
//! that a state has not yet decided whose attempt is where.)
//!
//! An answered call cancels its other attempts for its client, not for the servers: they do their work, and nobody hears of it.

use super::bag::Bag;
use super::msg::{Class, Control, Memo, Msg, NEVER, Request, Response, less_one};
use super::turn::{Ask, Component, Inbox, Turn};
use crate::component_actor;
use crate::model::refuse;
use crate::policy::{HedgeState, Hedged, Hedging, Outcome, Policy, Ticks};
use stateright::actor::Id;
use std::fmt;
use std::ops::RangeInclusive;

/// Clients that hedge, with open arrivals.
#[derive(Clone, Debug)]
pub struct HedgedPopulation {
    class: Class,
    target: Id,
    arrivals: RangeInclusive<u32>,
    timeout: u16,
    hedging: Hedging,
}

/// Calls that are alike.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call {
    /// Ticks, this one included, until it is given up.
    pub left: u16,
    /// Attempts sent,
    pub sent: u32,
    /// the ticks until the next,
    pub until_next: u32,
    /// whether no more are sent, because a server said so,
    pub stopped: bool,
    /// and the attempts that are open, each by its own countdown.
    pub open: Bag<u16>,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = self.open.total();
        write!(f, "Call({} sent, {open} open, {} left)", self.sent, self.left.saturating_sub(1))
    }
}

impl Call {
    fn memory(&self) -> HedgeState {
        let Self { sent, until_next, stopped, .. } = *self;
        HedgeState { sent, open: self.open.total(), left: Ticks(until_next), stopped }
    }

    /// With what the policy remembers now; `new` attempts have been sent in this tick.
    fn remember(&mut self, memory: HedgeState, new: u32, countdown: u16) {
        (self.sent, self.until_next, self.stopped) = (memory.sent, memory.left.0, memory.stopped);
        self.open.add(countdown, new);
    }
}

/// The state of a population that hedges.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Calls {
    /// Calls that are not answered yet.
    pub waiting: Bag<Call>,
    /// Attempts that are open though their call is over, by the countdown of the call and their own.
    pub cancelled: Bag<(u16, u16)>,
    /// Attempts sent in the last tick: the first of their calls, and others.
    pub sent: (u32, u32),
    /// Fresh calls a tick, where a trigger or an operator has changed them.
    pub arrivals: Option<u32>,
}

impl Calls {
    /// Whether no call that waits has sent more than its first attempt.
    #[must_use]
    pub fn calm(&self) -> bool {
        self.sent.1 == 0 && self.waiting.iter().all(|(call, _)| call.sent == 1)
    }
}

impl HedgedPopulation {
    /// So many fresh calls a tick, each given up after `timeout` ticks.
    ///
    /// The hedging delay is in ticks from one attempt to the next; a failure that is not fatal sends the next at once.
    #[must_use]
    pub fn open(target: impl Into<Id>, calls: RangeInclusive<u32>, timeout: u16, hedging: Hedging) -> Self {
        Self { class: Class::default(), target: target.into(), arrivals: calls, timeout, hedging }
    }

    /// What kind of requests these are. Default: the unnamed class.
    #[must_use]
    pub fn class(mut self, class: impl Into<Class>) -> Self {
        self.class = class.into();
        self
    }

    /// An answer, to a call that has such an attempt open or to nobody: what becomes of it. Attempts sent in this tick have their
    /// full countdown, so none of them can be meant.
    fn answered(&self, state: &mut Calls, response: &Response, turn: &mut Turn) -> Result<u32, Ask> {
        let (left, own) = (response.request.left, response.request.memo.deadline);
        let open = |call: &Call| call.left == left && call.open.count(&own) > 0;
        let mut whose: Vec<Option<Call>> =
            state.waiting.iter().filter(|(call, _)| open(call)).map(|(call, _)| Some(call.clone())).collect();
        if state.cancelled.count(&(left, own)) > 0 {
            whose.push(None);
        }
        if whose.is_empty() {
            return Ok(0);
        }
        let Some(mut call) = turn.choose("answers", &whose)? else {
            state.cancelled.remove(&(left, own), 1);
            return Ok(0);
        };
        state.waiting.remove(&call, 1);
        let mut memory = call.memory();
        call.open.remove(&own, 1);
        let outcome = response.answer.outcome();
        match self.hedging.ended(&mut memory, outcome, outcome != Outcome::DoNotRetry) {
            Hedged::Ended(_) => {
                call.open.iter().for_each(|(own, n)| state.cancelled.add((left, *own), n));
                Ok(0)
            }
            Hedged::Goes { send } => {
                call.remember(memory, send, self.countdown());
                state.waiting.add(call, 1);
                self.send(left, send, turn);
                Ok(send)
            }
        }
    }

    /// An attempt's own countdown in the tick in which it is sent; it cannot outlast its call.
    fn countdown(&self) -> u16 {
        self.timeout + 1
    }

    /// Sends `n` attempts.
    fn send(&self, left: u16, n: u32, turn: &mut Turn) {
        let memo = Memo { deadline: self.countdown(), ..Memo::default() };
        let request = Request { left, memo, ..Request::new(turn.id(), self.class, 0) };
        turn.send(self.target, Msg::Request(request), n);
    }
}

impl Component for HedgedPopulation {
    type Memory = Calls;

    fn start(&self) -> Calls {
        if self.timeout == 0 || self.timeout == NEVER {
            refuse("a hedged call must be given up after one tick at least, and some time".to_owned());
        }
        if let Err(error) = self.hedging.validate() {
            refuse(error.to_string());
        }
        Calls { waiting: Bag::new(), cancelled: Bag::new(), sent: (0, 0), arrivals: None }
    }

    fn control(&self, state: &mut Calls, control: Control) {
        match control {
            Control::Surge(n) => state.arrivals = Some(n),
            Control::Stop => state.arrivals = Some(0),
            Control::Calm => state.arrivals = None,
            _ => {}
        }
    }

    fn act(&self, state: &mut Calls, arrived: &Inbox, turn: &mut Turn) -> Result<(), Ask> {
        state.waiting = state.waiting.map(|call| {
            let mut memory = call.memory();
            self.hedging.tick(&mut memory);
            let open = call.open.map(|own| less_one(*own));
            let (sent, until_next, stopped) = (memory.sent, memory.left.0, memory.stopped);
            Call { left: less_one(call.left), sent, until_next, stopped, open }
        });
        let older = |(left, own): &(u16, u16)| (less_one(*left), less_one(*own));
        state.cancelled = state.cancelled.map(older).split(|(left, _)| *left == 0).1;
        let mut hedges = 0;
        for ((_, response), n) in arrived.responses.iter() {
            for _ in 0..n {
                hedges += self.answered(state, response, turn)?;
            }
        }
        state.waiting = state.waiting.split(|call| call.left <= 1).1;
        for (call, n) in state.waiting.clone().iter() {
            let mut memory = call.memory();
            let due = self.hedging.due(&mut memory, true);
            if due > 0 {
                state.waiting.remove(call, n);
                let mut hedged = call.clone();
                hedged.remember(memory, due, self.countdown());
                state.waiting.add(hedged, n);
                self.send(call.left, due * n, turn);
                hedges += due * n;
            }
        }
        let fresh = match state.arrivals {
            Some(n) => n,
            None => turn.number("arrivals", self.arrivals.clone())?,
        };
        let mut memory = self.hedging.start();
        let first = self.hedging.due(&mut memory, true);
        let left = self.timeout + 1;
        let mut call = Call { left, sent: 0, until_next: 0, stopped: false, open: Bag::new() };
        call.remember(memory, first, self.countdown());
        state.waiting.add(call, fresh);
        self.send(left, first * fresh, turn);
        state.sent = (fresh, hedges + (first - 1) * fresh);
        Ok(())
    }
}

component_actor!(HedgedPopulation);
