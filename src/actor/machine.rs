//! A whole system, without the type of its messages: seats with actors in them, the links between them, and the tick.

use super::ageing::Aged;
use super::behaviour::Behaviour;
use super::link::Link;
use super::moment::{Moment, Stage};
use super::outcome::{Links, Outcome, Part, outcomes, starts};
use super::pipeline::{Envelope, Pipeline};
use crate::model::refuse;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The place of one actor.
pub(crate) struct Seat {
    pub(crate) behaviour: Option<Box<dyn Behaviour>>,
    pub(crate) order_free: bool,
    /// Whether the actor is a [`Trigger`](super::Trigger).
    pub(crate) trigger: bool,
}

type Known = HashMap<(Part, Box<[usize]>), Arc<[Arc<Outcome>]>>;

/// The most successors of one state.
pub(crate) const SUCCESSORS_MAX: usize = 1 << 24;

/// The most (local state, pipeline) pairs whose outcomes are remembered, for each actor; then all are forgotten.
const REMEMBERED_MAX: usize = 1 << 15;

pub(crate) struct Machine {
    pub(crate) tick: Duration,
    pub(crate) seats: Vec<Seat>,
    pub(crate) names: Arc<[Arc<str>]>,
    pub(crate) links: BTreeMap<(usize, usize), Link>,
    pub(crate) default_link: Link,
    pub(crate) ageing: Option<Box<Aged>>,
    pub(crate) errors: Vec<String>,
    /// Outcomes by actor. An actor's callbacks are functions of what is passed to them, so this changes nothing but time.
    pub(crate) known: Vec<Mutex<Known>>,
}

impl Machine {
    pub(crate) fn new(tick: Duration) -> Self {
        let mut errors = Vec::new();
        if tick.is_zero() {
            errors.push("the tick must be longer than zero".to_owned());
        }
        Self {
            tick,
            seats: Vec::new(),
            names: Arc::new([]),
            links: BTreeMap::new(),
            default_link: Link::default(),
            ageing: None,
            errors,
            known: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, name: &str, behaviour: Option<Box<dyn Behaviour>>) -> usize {
        if self.names.iter().any(|n| **n == *name) {
            self.errors.push(format!("two actors are named `{name}`; names must differ"));
        }
        if ["in_flight", "timers", "saved"].contains(&name) {
            self.errors.push(format!("an actor cannot be named `{name}`, which is another part of a state"));
        }
        // Names are fields of a state's `Debug` text, which is taken apart to show what a tick changed.
        if name.is_empty() || name.contains(|c: char| !c.is_alphanumeric() && c != '_') {
            self.errors.push(format!(
                "an actor cannot be named `{name}`: a name is made of letters, digits and `_`"
            ));
        }
        self.names = self.names.iter().cloned().chain([name.into()]).collect();
        self.seats.push(Seat { behaviour, order_free: false, trigger: false });
        self.known.push(Mutex::default());
        self.seats.len() - 1
    }

    /// Whether the system can be run as it is written.
    pub(crate) fn validate(&self) -> Result<(), String> {
        if let Some(error) = self.errors.first() {
            return Err(error.clone());
        }
        if let Some(at) = self.seats.iter().position(|seat| seat.behaviour.is_none()) {
            return Err(format!("`{}` was reserved, but never given an actor with `fill`", self.names[at]));
        }
        let links = self.links.iter().map(|((src, dst), link)| (Some((*src, *dst)), link));
        for (ends, link) in links.chain([(None, &self.default_link)]) {
            self.validate_link(ends, link)?;
        }
        Ok(())
    }

    fn validate_link(&self, ends: Option<(usize, usize)>, link: &Link) -> Result<(), String> {
        let name = |id: usize| self.names.get(id).map_or_else(|| format!("Id({id})"), ToString::to_string);
        let which = ends
            .map_or("the default link".to_owned(), |(s, d)| format!("the link {} -> {}", name(s), name(d)));
        let (lo, hi) = (link.latency.lo, link.latency.hi);
        if lo == 0 {
            return Err(format!("{which} has a latency of {lo} ticks; a message takes at least one tick"));
        }
        if lo > hi || hi == u32::MAX {
            return Err(format!("{which} has a latency of {lo} to {hi} ticks, which is no range"));
        }
        let actors = ends.iter().flat_map(|(s, d)| [*s, *d]).chain(link.cuts.iter().map(|cut| cut.actor));
        for id in actors {
            if id >= self.seats.len() {
                return Err(format!("{which} refers to {}, but there is no such actor", name(id)));
            }
        }
        Ok(())
    }

    fn stage(&self, id: usize) -> Stage<'_> {
        let Some(behaviour) = self.seats[id].behaviour.as_deref() else {
            refuse(format!("`{}` was reserved, but never given an actor with `fill`", self.names[id]))
        };
        Stage { id, behaviour, names: &self.names, tick: self.tick, ageing: self.ageing.as_deref() }
    }

    fn link(&self, src: usize, dst: usize) -> &Link {
        self.links.get(&(src, dst)).unwrap_or(&self.default_link)
    }

    /// The actors to which `src` cannot send in this tick, by the state of each actor at its beginning.
    pub(crate) fn cut(&self, src: usize, state: &impl Fn(usize) -> super::value::Value) -> Box<[usize]> {
        (0..self.seats.len())
            .filter(|dst| self.link(src, *dst).cuts.iter().any(|cut| (cut.while_true)(&state(cut.actor))))
            .collect()
    }

    /// Each actor's possible starts.
    pub(crate) fn starts(&self) -> Vec<Vec<Arc<Outcome>>> {
        if let Err(error) = self.validate() {
            refuse(error);
        }
        let starts_: Vec<Moment> = (0..self.seats.len()).map(|id| self.stage(id).start()).collect();
        (0..self.seats.len())
            .map(|id| {
                let cut = self.cut(id, &|other| starts_[other].core.local.state.clone());
                let links = Links { to: &|dst| self.link(id, dst), cut: &cut };
                starts(&self.stage(id), &starts_[id], &links)
            })
            .collect()
    }

    /// What can come of the next tick of actor `id`, whose part of the state is `part`, with links to `cut` cut.
    pub(crate) fn outcomes(&self, id: usize, part: &Part, cut: Box<[usize]>) -> Arc<[Arc<Outcome>]> {
        let lock = || self.known[id].lock().unwrap_or_else(PoisonError::into_inner);
        let key = (part.clone(), cut);
        if let Some(found) = lock().get(&key) {
            return Arc::clone(found);
        }
        // The lock is not held while the actor runs: it may panic or refuse.
        let found: Arc<[Arc<Outcome>]> = self.run(id, part, &key.1, cfg!(debug_assertions)).into();
        let mut known = lock();
        if known.len() >= REMEMBERED_MAX {
            known.clear();
        }
        known.insert(key, Arc::clone(&found));
        found
    }

    /// The same, run and not remembered; `twice`: run once more, and refused if that comes to something else.
    pub(crate) fn run(&self, id: usize, part: &Part, cut: &[usize], twice: bool) -> Vec<Arc<Outcome>> {
        let links = Links { to: &|dst| self.link(id, dst), cut };
        let run = || outcomes(&self.stage(id), part, self.seats[id].order_free, &links);
        let found = run();
        if twice && run() != found {
            refuse(format!(
                "`{}` is not deterministic: run twice from {:?} with the same messages, it did two different things. \
                 A usual cause is iterating over a `HashMap` or `HashSet`, a clock, or a random number",
                self.names[id], part.local.state
            ));
        }
        found
    }

    /// The actors by whose states it is decided which links that lead away from `src` are cut, ascending.
    pub(crate) fn cutters(&self, src: usize) -> Vec<usize> {
        let cuts = (0..self.seats.len()).flat_map(|dst| &self.link(src, dst).cuts);
        cuts.map(|cut| cut.actor).collect::<std::collections::BTreeSet<usize>>().into_iter().collect()
    }

    /// The state that these outcomes, one for each actor, add up to.
    pub(crate) fn combine(&self, chosen: &[Arc<Outcome>]) -> Box<[Part]> {
        let mut parts: Vec<Part> = chosen
            .iter()
            .map(|outcome| Part { local: Arc::clone(&outcome.local), pipeline: Arc::clone(&outcome.remains) })
            .collect();
        for (src, outcome) in chosen.iter().enumerate() {
            for sent in &outcome.sent {
                let pipeline: &mut Pipeline = Arc::make_mut(&mut parts[sent.dst].pipeline);
                pipeline.add(Envelope { src, msg: sent.msg.clone(), left: sent.left, count: sent.count });
            }
        }
        parts.into()
    }
}

/// Refuses a state that has more successors than could be listed.
pub(crate) fn refuse_too_many(names: &[Arc<str>], outcomes: &[impl AsRef<[Arc<Outcome>]>]) {
    let numbers = || outcomes.iter().map(|list| list.as_ref().len());
    let all = numbers().fold(1, usize::saturating_mul);
    if all > SUCCESSORS_MAX {
        let each: Vec<String> = names
            .iter()
            .zip(numbers())
            .filter(|(_, n)| *n > 1)
            .map(|(name, n)| format!("{n} of {name}"))
            .collect();
        refuse(format!(
            "a state has too many successors: every combination of what may come of each actor ({}); the limit is {SUCCESSORS_MAX}",
            each.join(", ")
        ));
    }
}

/// Every combination of one item from each list, the last list varying fastest; none if a list is empty.
pub(crate) fn combinations<T>(lists: &[impl AsRef<[Arc<T>]>], mut each: impl FnMut(Box<[Arc<T>]>)) {
    let mut at = vec![0; lists.len()];
    if lists.iter().any(|list| list.as_ref().is_empty()) {
        return;
    }
    loop {
        each(lists.iter().zip(&at).map(|(list, i)| Arc::clone(&list.as_ref()[*i])).collect());
        let Some(turn) = (0..lists.len()).rev().find(|i| at[*i] + 1 < lists[*i].as_ref().len()) else {
            return;
        };
        at[turn] += 1;
        at[turn + 1..].fill(0);
    }
}
