//! The state of a timed system between two ticks.
//!
//! `Debug` shows it with the names of its actors, so that it reads well and so that two states can be compared field
//! by field: `State { clients: .., database: .., timers: {clients Retry: in 2 ticks}, in_flight: {clients -> database: {6 Query
//! in 1 tick}} }`.

use super::behaviour::TimedActor;
use super::outcome::Part;
use super::pipeline::{Envelope, Pipeline};
use super::reads::{Read, Watch};
use super::span::FOREVER;
use super::system::{Handle, Message};
use super::value::Value;
use stateright::actor::{Actor, Id};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Index;
use std::sync::Arc;

/// Every actor's state, timers and stored value, and the messages under way. Never the time of day.
pub struct TimedState<Msg> {
    pub(crate) parts: Box<[Part]>,
    pub(crate) names: Arc<[Arc<str>]>,
    /// Where it is noted what is looked at, if somebody wants to know.
    pub(crate) watch: Option<Watch>,
    pub(crate) of: PhantomData<fn() -> Msg>,
}

/// Identical messages under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InFlight<'a, Msg> {
    /// The sender.
    pub src: Id,
    /// The receiver.
    pub dst: Id,
    /// The message.
    pub msg: &'a Msg,
    /// How many of it; at least one.
    pub count: u32,
    /// The fewest ticks until it arrives; at least one.
    pub ticks_min: u32,
    /// The most ticks until it arrives.
    pub ticks_max: u32,
}

/// A running timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running<'a, Timer> {
    /// The timer.
    pub timer: &'a Timer,
    /// The fewest ticks until it fires; at least one.
    pub ticks_min: u32,
    /// The most ticks until it fires; none, if it may never do.
    pub ticks_max: Option<u32>,
}

impl<Msg> TimedState<Msg> {
    /// Notes that something is looked at.
    pub(crate) fn note(&self, read: Read) {
        if let Some(watch) = &self.watch {
            watch.note(read);
        }
    }

    /// The part of the actor at this place, of which `half` is looked at.
    fn part(&self, index: usize, half: fn(usize) -> Read) -> Option<&Part> {
        let part = self.parts.get(index)?;
        self.note(half(index));
        Some(part)
    }

    /// All parts.
    fn all(&self) -> &[Part] {
        self.note(Read::All);
        &self.parts
    }
}

impl<Msg: Message> TimedState<Msg> {
    /// The state of this actor.
    ///
    /// # Panics
    /// If the handle is of another system.
    pub fn get<A: Actor<State: 'static>>(&self, actor: Handle<A>) -> &A::State {
        let state = self.part(actor.index(), Read::Local).and_then(|part| part.local.state.get());
        state.unwrap_or_else(|| panic!("{actor:?} is a handle of another system"))
    }

    /// Replaces the state of this actor; its timers and the messages under way stay as they are.
    ///
    /// This is for what looks at a state apart from the system, above all the erasure of a
    /// [counter](crate::property::System::counter): nothing says that the system can come to the state that results.
    ///
    /// # Panics
    /// If the handle is of another system.
    pub fn set<A: TimedActor>(&mut self, actor: Handle<A>, state: A::State) {
        // A handle of another system may be within range, for an actor of another type.
        let part = self.parts.get_mut(actor.index());
        match part.filter(|part| part.local.state.get::<A::State>().is_some()) {
            Some(part) => Arc::make_mut(&mut part.local).state = Value::new(state),
            None => panic!("{actor:?} is a handle of another system"),
        }
    }

    /// Changes the state of this actor; its timers and the messages under way stay as they are. See [`TimedState::set`].
    ///
    /// ```
    /// use aftercalm::actor::{Handle, TimedState};
    /// # use stateright::actor::{Actor, Id, Out};
    /// # struct Clients;
    /// # #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    /// # struct Population { waiting: u32 }
    /// # impl Actor for Clients {
    /// #     type Msg = (); type Timer = (); type State = Population; type Storage = (); type Random = ();
    /// #     fn on_start(&self, _: Id, _: &Option<()>, _: &mut Out<Self>) -> Population { Population { waiting: 0 } }
    /// # }
    /// // What `counter` needs of a measure that may grow: how to leave it out of a state.
    /// fn erase(clients: Handle<Clients>, state: &mut TimedState<()>) {
    ///     state.update(clients, |population| population.waiting = 0);
    /// }
    /// ```
    ///
    /// # Panics
    /// If the handle is of another system.
    pub fn update<A: TimedActor>(&mut self, actor: Handle<A>, change: impl FnOnce(&mut A::State)) {
        let mut state = self.get(actor).clone();
        change(&mut state);
        self.set(actor, state);
    }

    /// Changes the messages under way: each message, and how many of it there are (none, if zero). What becomes equal is one with
    /// a count. See [`TimedState::set`]; a counter that counts what is under way is left out with `|_, count| *count = 1`, and
    /// one that messages carry with a change of the messages.
    pub fn update_in_flight(&mut self, mut change: impl FnMut(&mut Msg, &mut u32)) {
        for part in &mut self.parts {
            let mut changed = Pipeline::default();
            for envelope in part.pipeline.envelopes() {
                let Some(mut msg) = envelope.msg.get::<Msg>().cloned() else { continue };
                let mut count = envelope.count;
                change(&mut msg, &mut count);
                changed.add(Envelope { msg: Value::new(msg), count, ..envelope.clone() });
            }
            part.pipeline = Arc::new(changed);
        }
    }

    /// What this actor has saved with `Out::save`.
    pub fn saved<A: Actor<Storage: 'static>>(&self, actor: Handle<A>) -> Option<&A::Storage> {
        self.part(actor.index(), Read::Local)?.local.saved.as_ref()?.get()
    }

    /// The running timers of this actor.
    pub fn timers<A: TimedActor>(&self, actor: Handle<A>) -> impl Iterator<Item = Running<'_, A::Timer>> {
        let timers = self.part(actor.index(), Read::Local).map_or(&[][..], |part| &part.local.timers);
        timers.iter().filter_map(|t| {
            let ticks_max = (t.left.hi != FOREVER).then_some(t.left.hi);
            Some(Running { timer: t.timer.get()?, ticks_min: t.left.lo, ticks_max })
        })
    }

    /// All messages under way.
    pub fn in_flight(&self) -> impl Iterator<Item = InFlight<'_, Msg>> {
        (0..self.parts.len()).flat_map(|dst| self.in_flight_to(Id::from(dst)))
    }

    /// The messages under way to this actor.
    pub fn in_flight_to(&self, dst: impl Into<Id>) -> impl Iterator<Item = InFlight<'_, Msg>> {
        let dst = dst.into();
        let envelopes = self.part(usize::from(dst), Read::Pipeline);
        let envelopes = envelopes.map_or(&[][..], |part| part.pipeline.envelopes());
        envelopes.iter().filter_map(move |e| {
            Some(InFlight {
                src: e.src.into(),
                dst,
                msg: e.msg.get()?,
                count: e.count,
                ticks_min: e.left.lo,
                ticks_max: e.left.hi,
            })
        })
    }

    /// How many messages under way satisfy `which`, each counted.
    pub fn count_in_flight(&self, which: impl Fn(&InFlight<'_, Msg>) -> bool) -> u32 {
        self.in_flight().filter(which).map(|m| m.count).sum()
    }
}

impl<Msg: Message, A: Actor<State: 'static>> Index<Handle<A>> for TimedState<Msg> {
    type Output = A::State;

    fn index(&self, actor: Handle<A>) -> &A::State {
        self.get(actor)
    }
}

impl<Msg> Clone for TimedState<Msg> {
    fn clone(&self) -> Self {
        Self {
            parts: self.all().into(),
            names: Arc::clone(&self.names),
            watch: self.watch.clone(),
            of: PhantomData,
        }
    }
}

impl<Msg> PartialEq for TimedState<Msg> {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all()
    }
}

impl<Msg> Eq for TimedState<Msg> {}

impl<Msg> Hash for TimedState<Msg> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.all().hash(state);
    }
}

impl<Msg> fmt::Debug for TimedState<Msg> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.all();
        let parts = || self.names.iter().zip(all);
        let mut shown = f.debug_struct("State");
        for (name, part) in parts() {
            shown.field(name, &part.local.state);
        }
        let timers = parts().flat_map(|(name, part)| {
            part.local.timers.iter().filter(|t| !t.timer.text().is_empty()).map(move |t| {
                let timer = if t.timer.text() == "()" { "" } else { t.timer.text() };
                (format!("{name} {timer}").trim_end().to_owned(), t.left.to_string())
            })
        });
        shown.field("timers", &Table(timers.collect()));
        let saved: Vec<_> = parts()
            .filter_map(|(name, part)| Some((name.to_string(), part.local.saved.as_ref()?.text().to_owned())))
            .collect();
        if !saved.is_empty() {
            shown.field("saved", &Table(saved));
        }
        let mut ways: Vec<(String, String)> = Vec::new();
        for (dst, part) in parts() {
            for e in part.pipeline.envelopes() {
                let way = format!("{} -> {dst}", self.names[e.src]);
                let what = format!("{} {} {}", e.count, e.msg.text(), e.left);
                match ways.iter_mut().find(|(w, _)| *w == way) {
                    Some((_, all)) => all.push_str(&format!(", {what}")),
                    None => ways.push((way, what)),
                }
            }
        }
        // A set on each way, so that a difference names the messages that came or went.
        ways.iter_mut().for_each(|(_, all)| *all = format!("{{{all}}}"));
        shown.field("in_flight", &Table(ways)).finish()
    }
}

/// A map of plain texts.
struct Table(Vec<(String, String)>);

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(|(k, v)| (Plain(k), Plain(v)))).finish()
    }
}

struct Plain<'a>(&'a str);

impl fmt::Debug for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
