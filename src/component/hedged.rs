//! A population of clients that hedge: another attempt of the same call while the first has not been answered.
//!
//! # What is kept, and why that is exact
//!
//! A call is given up after its timeout, all its attempts together, so all of them carry the same countdown, and calls are counts by
//! that countdown and what the policy remembers of a call (attempts sent, attempts open, ticks until the next). Attempts of calls
//! with the same countdown cannot be told apart by anybody, so which of these calls an answer belongs to is not kept either: every
//! call that has an attempt open is possible, and so is every attempt whose call has been answered already and is over (a count for
//! each countdown); each possibility is explored when the answer comes. This is exact: attempts that look alike and are in the
//! same place have the same future, so that fixing beforehand whose they are, or leaving it open until one is answered, leads to the
//! same behaviours.
//!
//! An answered call cancels its other attempts for its client, not for the servers: they do their work, and nobody hears of it.

use super::bag::Bag;
use super::msg::{Answer, Class, Control, Msg, NEVER, Request, less_one};
use super::turn::{Ask, Component, Inbox, Turn};
use crate::component_actor;
use crate::model::refuse;
use crate::policy::{HedgeState, Hedged, Hedging, Policy};
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call {
    /// Ticks, this one included, until it is given up.
    pub left: u16,
    /// Attempts sent,
    pub sent: u32,
    /// those of them that are open,
    pub open: u32,
    /// and the ticks until the next.
    pub until_next: u32,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({} sent, {} open, {} left)", self.sent, self.open, self.left.saturating_sub(1))
    }
}

impl Call {
    fn new(left: u16, state: HedgeState) -> Self {
        Self { left, sent: state.sent, open: state.open, until_next: state.left.0 }
    }

    fn state(self) -> HedgeState {
        HedgeState { sent: self.sent, open: self.open, left: crate::policy::Ticks(self.until_next) }
    }
}

/// The state of a population that hedges.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Calls {
    /// Calls that are not answered yet.
    pub waiting: Bag<Call>,
    /// Attempts that are open though their call is over, by the ticks that their label has left.
    pub cancelled: Bag<u16>,
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

    /// An answer, to a call that may have an attempt open or to nobody: what becomes of it.
    fn answered(&self, state: &mut Calls, left: u16, answer: Answer, turn: &mut Turn) -> Result<u32, Ask> {
        let mut whose: Vec<Option<Call>> = state
            .waiting
            .iter()
            .filter(|(c, _)| c.left == left && c.open > 0)
            .map(|(c, _)| Some(*c))
            .collect();
        if state.cancelled.count(&left) > 0 {
            whose.push(None);
        }
        if whose.is_empty() {
            return Ok(0);
        }
        let Some(call) = turn.choose("answers", &whose)? else {
            state.cancelled.remove(&left, 1);
            return Ok(0);
        };
        state.waiting.remove(&call, 1);
        let mut memory = call.state();
        match self.hedging.ended(&mut memory, answer.outcome(), true) {
            Hedged::Ended(_) => {
                state.cancelled.add(left, memory.open);
                Ok(0)
            }
            Hedged::Goes { send } => {
                state.waiting.add(Call::new(left, memory), 1);
                self.send(left, send, turn);
                Ok(send)
            }
        }
    }

    /// Sends `n` attempts. Which attempt of its call one is makes no difference to anybody, so all look alike.
    fn send(&self, left: u16, n: u32, turn: &mut Turn) {
        let request = Request { left, ..Request::new(turn.id(), self.class, 0) };
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
            let mut memory = call.state();
            self.hedging.tick(&mut memory);
            Call::new(less_one(call.left), memory)
        });
        state.cancelled = state.cancelled.map(|left| less_one(*left)).split(|left| *left == 0).1;
        let mut hedges = 0;
        for ((_, response), n) in arrived.responses.iter() {
            for _ in 0..n {
                hedges += self.answered(state, response.request.left, response.answer, turn)?;
            }
        }
        state.waiting = state.waiting.split(|call| call.left <= 1).1;
        for (call, n) in state.waiting.clone().iter() {
            let mut memory = call.state();
            let due = self.hedging.due(&mut memory);
            if due > 0 {
                state.waiting.remove(call, n);
                state.waiting.add(Call::new(call.left, memory), n);
                self.send(call.left, due * n, turn);
                hedges += due * n;
            }
        }
        let fresh = match state.arrivals {
            Some(n) => n,
            None => turn.number("arrivals", self.arrivals.clone())?,
        };
        let mut memory = self.hedging.start();
        let first = self.hedging.due(&mut memory);
        let left = self.timeout + 1;
        state.waiting.add(Call::new(left, memory), fresh);
        self.send(left, first * fresh, turn);
        state.sent = (fresh, hedges + (first - 1) * fresh);
        Ok(())
    }
}

component_actor!(HedgedPopulation);
