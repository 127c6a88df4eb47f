//! One actor in the middle of a tick, and the single steps that it takes.

use super::ageing::Aged;
use super::behaviour::{Behaviour, Effect, Reaction};
use super::duration::{self, BadRange};
use super::local::Local;
use super::value::Value;
use crate::model::refuse;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

/// An actor with its surroundings: who it is, and what it may ask for.
pub(crate) struct Stage<'a> {
    pub(crate) id: usize,
    pub(crate) behaviour: &'a dyn Behaviour,
    pub(crate) names: &'a [Arc<str>],
    pub(crate) tick: Duration,
    /// How a message under way ages, if it does.
    pub(crate) ageing: Option<&'a Aged>,
}

/// What the actor's next steps depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Core {
    pub(crate) local: Local,
    /// Random choices not yet resolved, sorted by key.
    pub(crate) choices: Vec<(String, Vec<Value>)>,
}

/// One actor between two of its steps. What it has been through (`trail`) tells moments apart for a reader, not for the
/// search: two ways to the same core and the same sends are one.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    pub(crate) core: Core,
    /// What has been sent in this tick: (to, message, count), sorted, each message once.
    pub(crate) sends: Vec<(usize, Value, u32)>,
    pub(crate) trail: Trail,
}

/// Something that happened to an actor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Message { src: usize, msg: Value },
    Timer(Value),
    Choice { key: String, choice: Value },
}

/// The events of a tick, latest first; tails are shared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail(Option<Arc<(Event, Trail)>>);

impl Trail {
    fn then(&self, event: Event) -> Self {
        Self(Some(Arc::new((event, self.clone()))))
    }

    /// The events in the order in which they happened.
    pub(crate) fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        let mut trail = self;
        while let Some(link) = &trail.0 {
            events.push(link.0.clone());
            trail = &link.1;
        }
        events.reverse();
        events
    }
}

impl Drop for Trail {
    /// One link after the other: ten thousand messages in a tick must not be as many calls deep.
    fn drop(&mut self) {
        let mut link = self.0.take();
        while let Some((_, mut rest)) = link.and_then(Arc::into_inner) {
            link = rest.0.take();
        }
    }
}

impl PartialEq for Moment {
    fn eq(&self, other: &Self) -> bool {
        self.core == other.core && self.sends == other.sends
    }
}

impl Eq for Moment {}

impl Hash for Moment {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.core.hash(state);
        self.sends.hash(state);
    }
}

impl Moment {
    /// The beginning of a tick.
    pub(crate) fn new(local: Local) -> Self {
        Self { core: Core { local, choices: Vec::new() }, sends: Vec::new(), trail: Trail::default() }
    }

    fn send(&mut self, to: usize, msg: Value, count: u32) {
        match self.sends.binary_search_by(|(d, m, _)| d.cmp(&to).then_with(|| m.cmp(&msg))) {
            Ok(at) => self.sends[at].2 += count,
            Err(at) => self.sends.insert(at, (to, msg, count)),
        }
    }
}

impl Stage<'_> {
    pub(crate) fn name(&self) -> &str {
        &self.names[self.id]
    }

    /// The actor's start, at time 0.
    pub(crate) fn start(&self) -> Moment {
        let mut reaction = self.behaviour.start(self.id);
        let Some(state) = reaction.state.take() else { unreachable!("a start has a state") };
        let mut moment = Moment::new(Local::new(state));
        self.apply(&mut moment, reaction);
        moment
    }

    pub(crate) fn deliver(&self, moment: &Moment, src: usize, msg: &Value) -> Moment {
        let mut next = moment.clone();
        next.trail = moment.trail.then(Event::Message { src, msg: msg.clone() });
        let reaction = self.behaviour.message(self.id, &moment.core.local.state, src, msg);
        self.apply(&mut next, reaction);
        next
    }

    /// Delivers all messages of a tick at once to an actor that only collects them.
    pub(crate) fn collect(&self, moment: &Moment, messages: &[(usize, &Value, u32)]) -> Moment {
        let mut next = moment.clone();
        next.core.local.state = self.behaviour.collect(&moment.core.local.state, messages);
        for (src, msg, n) in messages {
            for _ in 0..*n {
                next.trail = next.trail.then(Event::Message { src: *src, msg: (*msg).clone() });
            }
        }
        next
    }

    /// Fires the timer at this index, which is over by that.
    pub(crate) fn fire(&self, moment: &Moment, index: usize) -> Moment {
        let mut next = moment.clone();
        let timer = next.core.local.timers.remove(index).timer;
        let reaction = self.behaviour.timeout(self.id, &moment.core.local.state, &timer);
        next.trail = moment.trail.then(Event::Timer(timer));
        self.apply(&mut next, reaction);
        next
    }

    /// Resolves the choice at this index, which is over by that.
    pub(crate) fn choose(&self, moment: &Moment, index: usize, choice: &Value) -> Moment {
        let mut next = moment.clone();
        let (key, _) = next.core.choices.remove(index);
        let reaction = self.behaviour.random(self.id, &moment.core.local.state, choice);
        next.trail = moment.trail.then(Event::Choice { key, choice: choice.clone() });
        self.apply(&mut next, reaction);
        next
    }

    fn apply(&self, moment: &mut Moment, reaction: Reaction) {
        if let Some(state) = reaction.state {
            moment.core.local.state = state;
        }
        for effect in reaction.effects {
            match effect {
                Effect::Send { dst, msg, count } => {
                    if dst >= self.names.len() {
                        self.refuse_unknown(dst, &msg);
                    }
                    moment.send(dst, msg, count);
                }
                Effect::SetTimer(timer, range) => {
                    let left = duration::ticks(&range, self.tick)
                        .unwrap_or_else(|bad| self.refuse_duration(&timer, &range, &bad));
                    moment.core.local.set_timer(timer, left);
                }
                Effect::CancelTimer(timer) => moment.core.local.cancel_timer(&timer),
                Effect::Save(storage) => moment.core.local.saved = Some(storage),
                Effect::Choose(key, choices) => {
                    let place = moment.core.choices.binary_search_by(|(k, _)| k.cmp(&key));
                    match (place, choices.is_empty()) {
                        (Ok(at), false) => moment.core.choices[at].1 = choices,
                        (Ok(at), true) => drop(moment.core.choices.remove(at)),
                        (Err(at), false) => moment.core.choices.insert(at, (key, choices)),
                        (Err(_), true) => {}
                    }
                }
            }
        }
    }

    fn refuse_unknown(&self, dst: usize, msg: &Value) -> ! {
        let known: Vec<String> = self.names.iter().enumerate().map(|(id, n)| format!("{id} {n}")).collect();
        refuse(format!(
            "`{}` sends {} to Id({dst}), but there is no such actor; there are: {}",
            self.name(),
            msg.text(),
            known.join(", ")
        ))
    }

    fn refuse_duration(&self, timer: &Value, range: &std::ops::Range<Duration>, bad: &BadRange) -> ! {
        let (name, timer, tick) = (self.name(), timer.text(), self.tick);
        refuse(match bad {
            BadRange::Fraction(bound) => format!(
                "`{name}` sets timer {timer} to {bound:?}, which is no whole number of ticks of {tick:?}; \
                 choose a duration or a tick so that it is"
            ),
            BadRange::TooLong(bound) => {
                format!(
                    "`{name}` sets timer {timer} to {bound:?}, which is too many ticks of {tick:?} to count"
                )
            }
            BadRange::Empty => {
                format!(
                    "`{name}` sets timer {timer} to {range:?}, in which there is no whole tick of {tick:?}"
                )
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_of_a_million_events_can_be_dropped_and_a_shared_tail_stays() {
        let mut trail = Trail::default();
        let mut tail = Trail::default();
        for n in 0..1_000_000 {
            trail = trail.then(Event::Timer(Value::new(())));
            if n == 2 {
                tail = trail.clone();
            }
        }
        drop(trail);
        assert_eq!(tail.events().len(), 3);
    }
}
