//! A trigger: what starts the trouble, at any moment, and ends it again.

use super::duration::{exactly, later};
use super::system::Message;
use stateright::actor::{Actor, Id, Out};
use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

/// Starts once, within declared bounds (by default: in any tick, or never), lasts a while, and is over for good.
///
/// At its start and at its end it sends messages, which take their link's latency. Links can be cut while it is active:
/// `Link::latency(1..=1).cut_while(trigger, |phase| *phase == Phase::Active)`.
///
/// While it waits for a start without an upper bound it is one state, not one for each tick.
#[derive(Clone, Debug)]
pub struct Trigger<Msg> {
    starts: Range<Duration>,
    lasts: Range<Duration>,
    at_start: Vec<(Id, Msg)>,
    at_end: Vec<(Id, Msg)>,
}

/// Where a trigger stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// It has not started.
    Waiting,
    /// It has started and not ended.
    Active,
    /// It has ended.
    Over,
}

/// The timers of a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TriggerTimer {
    /// It starts.
    Start,
    /// It ends.
    End,
}

impl<Msg: Message> Trigger<Msg> {
    /// A trigger that lasts as long as `range` says (see [`exactly`] and [`between`](super::between)).
    #[must_use]
    pub fn lasting(range: Range<Duration>) -> Self {
        Self { starts: later(), lasts: range, at_start: Vec::new(), at_end: Vec::new() }
    }

    /// A trigger that starts and never ends.
    #[must_use]
    pub fn for_good() -> Self {
        Self::lasting(exactly(Duration::MAX))
    }

    /// When it starts, counted from time 0.
    #[must_use]
    pub fn starting(mut self, range: Range<Duration>) -> Self {
        self.starts = range;
        self
    }

    /// Sends `msg` to `dst` when it starts.
    #[must_use]
    pub fn at_start(mut self, dst: impl Into<Id>, msg: Msg) -> Self {
        self.at_start.push((dst.into(), msg));
        self
    }

    /// Sends `msg` to `dst` when it ends.
    #[must_use]
    pub fn at_end(mut self, dst: impl Into<Id>, msg: Msg) -> Self {
        self.at_end.push((dst.into(), msg));
        self
    }
}

impl<Msg: Message> Actor for Trigger<Msg> {
    type Msg = Msg;
    type State = Phase;
    type Timer = TriggerTimer;
    type Random = ();
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> Phase {
        out.set_timer(TriggerTimer::Start, self.starts.clone());
        Phase::Waiting
    }

    fn on_timeout(&self, _: Id, state: &mut Cow<'_, Phase>, timer: &TriggerTimer, out: &mut Out<Self>) {
        let messages = match timer {
            TriggerTimer::Start => {
                *state.to_mut() = Phase::Active;
                if self.lasts.start != Duration::MAX {
                    out.set_timer(TriggerTimer::End, self.lasts.clone());
                }
                &self.at_start
            }
            TriggerTimer::End => {
                *state.to_mut() = Phase::Over;
                &self.at_end
            }
        };
        for (dst, msg) in messages {
            out.send(*dst, msg.clone());
        }
    }
}
