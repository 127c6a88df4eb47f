//! The generic search: every state of any model, breadth first, exact.
//!
//! States are numbered in the order in which a breadth-first search meets them, so the graph gives shortest paths and the
//! same numbers in every run. The model is somebody else's code: a panic, an answer that changes from call to call, or a
//! hash at odds with `==` ends the search with a [`Fault`] that names the state, and what was found before it stays.
//!
//! A hash that two equal states do not share would split states, and such a search may never end. It is looked for in copies,
//! in answers given twice, and among the first [`COMPARED_FIRST`] states, each of which is compared with all before it.
//!
//! Determinism of the model is tested by asking again: always for the first [`ASK_AGAIN_FIRST`] states, then for one
//! state in [`ASK_AGAIN_EACH`], both of the same value and of an equal one that was built along another path (which is
//! where a `HashMap` in the state gives itself away).
//!
//! Cost: states and edges once each; memory as [`StateGraph`] and [`States`] say.

use super::graph::{NONE, StateGraph};
use super::growth::{Growth, Pump};
use super::limits::{Limits, Stop};
use super::product::Packed;
use super::states::{Place, States};
use crate::actor::outcome::Part;
use crate::model::{Checkable, Fault, Measure, guard, guard_quietly};
use crate::property::{Fairness, System, Temporal};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::{BuildHasher, Hash};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The model is asked again about each of the first so many states.
pub const ASK_AGAIN_FIRST: u32 = 1024;
/// After those, the model is asked again about one state in so many.
pub const ASK_AGAIN_EACH: u32 = 64;
/// Each of the first so many states is compared by `==` with all before it, whatever their hashes.
pub const COMPARED_FIRST: u32 = 512;
/// Memory is looked at once in so many states.
const LOOK_EACH: u32 = 256;

/// What a search found.
pub struct Explored<M: Checkable> {
    /// The graph.
    pub graph: StateGraph,
    /// The states, by id, unless they are packed.
    pub states: States<M::State>,
    /// The states of a product search.
    pub packed: Option<PackedStates<M>>,
    /// What ended the search early.
    pub stops: Vec<Stop>,
    /// The fault that ended it, if one did.
    pub fault: Option<Fault>,
    /// For each claim of the system, a loop that shows growth.
    pub pumps: Vec<Option<Pump>>,
}

/// A number of pairs of states, and one such pair.
pub type Alike<'a, S> = (u64, Cow<'a, S>, Cow<'a, S>);

/// Packed states, and how one is made of its parts.
pub struct PackedStates<M: Checkable> {
    /// The states.
    pub packed: Packed,
    /// Makes a state.
    pub state: fn(&M, Box<[Part]>) -> M::State,
}

impl<M: Checkable> Explored<M> {
    /// The state with this id.
    pub fn state(&self, model: &M, id: u32) -> Cow<'_, M::State> {
        match &self.packed {
            Some(PackedStates { packed, state }) => Cow::Owned(state(model, packed.parts(id))),
            None => Cow::Borrowed(self.states.get(id)),
        }
    }

    /// How many states differ from an earlier one that `Hash` does not tell from them, with the first such pair.
    pub fn coarse_hash(&self, model: &M) -> Option<Alike<'_, M::State>> {
        if let Some(PackedStates { packed, .. }) = &self.packed {
            let (pairs, a, b) = packed.coarse_hash()?;
            return Some((pairs, self.state(model, a), self.state(model, b)));
        }
        let (pairs, a, b) = self.states.coarse_hash()?;
        Some((pairs, Cow::Borrowed(a), Cow::Borrowed(b)))
    }
}

/// What one state leads to.
pub struct Expansion<S> {
    /// Each successor within the boundary, with the fairness sets of the action, in the order of the actions.
    pub edges: Vec<(u128, S)>,
    /// The number of successors that the boundary kept out, and the fairness sets that they enable.
    outside: u64,
    outside_enables: u128,
    /// The action classes taken, among those that were asked about.
    classes: u128,
}

/// Whether the operator's actions are explored. Where they are, the edge masks have their bits after those of the fairness
/// sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// There is no operator: all claims are decided so.
    Absent,
    /// The operator may act.
    Acts,
}

/// Explores the model of `system` within the limits, state by state.
pub fn explore<M: Checkable>(system: &System<M>, limits: &Limits, operator: Operator) -> Explored<M> {
    let mut search = Search {
        system,
        limits,
        started: Instant::now(),
        found: Explored {
            graph: StateGraph::new(system.atoms.len(), system.measures.len()),
            states: States::new(),
            packed: None,
            stops: Vec::new(),
            fault: None,
            pumps: Vec::new(),
        },
        labels: HashMap::from([(0, 0)]),
        outside: 0,
        operator,
        growth: Growth::is_asked(system).then(Growth::default),
    };
    // The calls into the model are guarded one by one, so that a fault names what failed; this catches the rest, such as a
    // panic in the `Clone` or `Debug` of a state.
    let ended = guard("`Clone` or another function of its states", || search.run())
        .unwrap_or_else(|fault| Err(End::Fault(fault)));
    if let Err(end) = ended {
        let complete = search.found.graph.rows.last().copied().unwrap_or(0) as usize;
        search.found.graph.targets.truncate(complete);
        search.found.graph.labels.truncate(complete);
        // Masks are numbered as they come: those after the last one in use were of edges that are gone.
        let used = search.found.graph.labels.iter().max().map_or(1, |label| *label as usize + 1);
        search.found.graph.masks.truncate(used);
        match end {
            End::Stop(stop) => search.found.stops.push(stop),
            End::Fault(fault) => {
                search.found.stops.push(Stop::Fault);
                search.found.fault = Some(fault);
            }
        }
    }
    if search.outside > 0 {
        search.found.stops.push(Stop::Boundary(search.outside));
    }
    if let Some(growth) = &mut search.growth {
        if !search.found.stops.is_empty() && search.found.fault.is_none() {
            growth.look(system, &search.found, true);
        }
        search.found.pumps = std::mem::take(&mut growth.pumps);
    }
    search.found
}

struct Search<'a, M: Checkable> {
    system: &'a System<M>,
    limits: &'a Limits,
    started: Instant,
    found: Explored<M>,
    /// The index of each distinct edge mask.
    labels: HashMap<u128, u32>,
    outside: u64,
    operator: Operator,
    growth: Option<Growth>,
}

/// What ends a search early.
pub enum End {
    /// A limit.
    Stop(Stop),
    /// A fault of the model.
    Fault(Fault),
}

impl From<Fault> for End {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl<M: Checkable> Search<'_, M> {
    fn run(&mut self) -> Result<(), End> {
        self.start()?;
        let mut level_end = self.found.states.len();
        let mut depth = 0;
        let mut id = 0;
        while id < self.found.states.len() {
            if id == level_end {
                level_end = self.found.states.len();
                depth += 1;
            }
            if let Some(depth_max) = self.limits.depth_max.filter(|max| depth >= *max) {
                return Err(End::Stop(Stop::Depth(depth_max)));
            }
            self.look(id)?;
            self.expand(id)?;
            if let Some(growth) = &mut self.growth
                && growth.look(self.system, &self.found, false)
            {
                return Err(End::Stop(Stop::Growth(grown(self.system))));
            }
            id += 1;
        }
        Ok(())
    }

    /// Finds the initial states.
    fn start(&mut self) -> Result<(), End> {
        let model = &self.system.model;
        let states = initial_states(self.system)?;
        let mut outside = 0;
        for state in states {
            if guard("within_boundary", || model.within_boundary(&state)).map_err(|f| at(f, &state))? {
                self.insert(state, NONE)?;
            } else {
                outside += 1;
            }
        }
        self.found.graph.initial = self.found.states.len();
        self.outside += outside as u64;
        if self.found.states.len() == 0 {
            return Err(End::Fault(Fault::NoInitialState { outside }));
        }
        Ok(())
    }

    /// Whether to go on.
    fn look(&self, id: u32) -> Result<(), End> {
        if self.limits.interrupt.load(Ordering::Relaxed) {
            return Err(End::Stop(Stop::Interrupted));
        }
        if let Some(time_max) = self.limits.time_max.filter(|max| self.started.elapsed() >= *max) {
            return Err(End::Stop(Stop::Time(time_max)));
        }
        if !id.is_multiple_of(LOOK_EACH) {
            return Ok(());
        }
        if let Some(bytes_max) = self.limits.memory_bytes_max
            && let Some(used) = self.limits.memory_bytes_used.and_then(|probe| probe())
            && used >= bytes_max
        {
            return Err(End::Stop(Stop::Memory(bytes_max)));
        }
        Ok(())
    }

    /// Adds the edges of state `id` to the graph. On an error its row is not complete, and is dropped when the search ends.
    fn expand(&mut self, id: u32) -> Result<(), End> {
        let state = self.found.states.get(id);
        let ask_again = id < ASK_AGAIN_FIRST || id.is_multiple_of(ASK_AGAIN_EACH);
        let unseen = first_sets(self.system.classes.len()) & !self.found.graph.classes;
        let expansion = successors(self.system, state, Ask { operator: self.operator, unseen })?;
        self.found.graph.classes |= expansion.classes;
        if ask_again {
            same_again(self.system, state, state, &expansion, self.operator)?;
        }
        self.add_edges(id, expansion.edges, ask_again)?;
        if ask_again {
            self.same_values(id)?;
        }
        self.found.graph.rows.push(self.found.graph.targets.len() as u64);
        if expansion.outside > 0 {
            self.outside += expansion.outside;
            self.found.graph.cut.insert(id, expansion.outside_enables);
        }
        Ok(())
    }

    /// Checks that the atoms and measures of state `id` still have the values that they had when it was found; others were
    /// asked about in the meantime.
    fn same_values(&self, id: u32) -> Result<(), Fault> {
        let (system, graph, state) = (self.system, &self.found.graph, self.found.states.get(id));
        let differs = |what: String, first: String, second: String| Fault::NotDeterministic {
            function: what,
            state: Some(show(state)),
            first,
            second,
        };
        for (atom, bits) in system.atoms.iter().zip(&graph.atoms) {
            let again = guard(&format!("atom `{}`", atom.name), || atom.holds(&system.model, state))?;
            if again != bits.get(id) {
                let what = format!("the atom `{}`", atom.name);
                return Err(differs(what, bits.get(id).to_string(), again.to_string()));
            }
        }
        for (measure, values) in system.measures.iter().zip(&graph.measures) {
            let again =
                guard(&format!("measure `{}`", measure.name), || measure.value(&system.model, state))?;
            let first = values[id as usize];
            if again != first {
                return Err(differs(
                    format!("the measure `{}`", measure.name),
                    first.to_string(),
                    again.to_string(),
                ));
            }
        }
        Ok(())
    }

    fn add_edges(&mut self, from: u32, edges: Vec<(u128, M::State)>, ask_again: bool) -> Result<(), End> {
        let mut asked = !ask_again;
        for (mask, state) in edges {
            // An equal state that came along another path must have the same successors.
            let copy = (!asked).then(|| state.clone());
            let place = self.insert(state, from)?;
            if let (Place::Known(known), Some(copy)) = (place, copy) {
                asked = true;
                let known = self.found.states.get(known);
                let expansion = successors(self.system, known, Ask { operator: self.operator, unseen: 0 })?;
                same_again(self.system, known, &copy, &expansion, self.operator)?;
            }
            let graph = &mut self.found.graph;
            graph.targets.push(place.id());
            if labelled(self.system, self.operator) {
                let label = *self.labels.entry(mask).or_insert_with(|| {
                    graph.masks.push(mask);
                    (graph.masks.len() - 1) as u32
                });
                graph.labels.push(label);
            }
        }
        Ok(())
    }

    /// Finds or adds a state, with its parent and its atoms.
    fn insert(&mut self, state: M::State, parent: u32) -> Result<Place, End> {
        let states = &mut self.found.states;
        let full = u64::from(states.len()) >= self.limits.states_max.min(u64::from(NONE - 1));
        if full {
            // Only a known state may still be met.
            return match guard("`Hash` or `==` of its states", || states.find(&state))? {
                Some(id) => Ok(Place::Known(id)),
                None => Err(End::Stop(Stop::States(u64::from(states.len())))),
            };
        }
        let place = guard("`Hash` or `==` of its states", || states.insert(state))?;
        let Place::New(id) = place else { return Ok(place) };
        self.found.graph.parents.push(parent);
        let state = self.found.states.get(id);
        let atoms = &mut self.found.graph.atoms;
        let measures = &mut self.found.graph.measures;
        guard("an atom or a measure", || {
            for (atom, bits) in self.system.atoms.iter().zip(atoms) {
                if atom.holds(&self.system.model, state) {
                    bits.insert(id);
                }
            }
            for (measure, values) in self.system.measures.iter().zip(measures) {
                values.push(measure.value(&self.system.model, state));
            }
        })
        .map_err(|fault| at(name_atom(self.system, state).unwrap_or(fault), state))?;
        reflexive(state)?;
        if id < ASK_AGAIN_FIRST || id.is_multiple_of(ASK_AGAIN_EACH) {
            let copy = guard("`Clone` of its states", || state.clone()).map_err(|f| at(f, state))?;
            if !equal(state, &copy)? {
                return Err(End::Fault(Fault::EqNotReflexive { state: show(state) }));
            }
            if hash_of(state)? != hash_of(&copy)? {
                return Err(End::Fault(Fault::HashFinerThanEq { state: show(state) }));
            }
        }
        if id < COMPARED_FIRST {
            for earlier in 0..id {
                if equal(self.found.states.get(earlier), state)? {
                    return Err(End::Fault(Fault::HashFinerThanEq { state: show(state) }));
                }
            }
        }
        Ok(place)
    }
}

/// The measures of all `bounded` claims, with the verb that goes with them.
fn grown<M: Checkable>(system: &System<M>) -> String {
    let names = system.claims.iter().filter_map(|c| match &c.temporal {
        Temporal::Bounded(name) => Some(format!("`{name}`")),
        _ => None,
    });
    let names: Vec<String> = names.collect();
    format!("{} grow{}", names.join(" and "), if names.len() == 1 { "s" } else { "" })
}

/// `==`, guarded.
fn equal<S: PartialEq>(a: &S, b: &S) -> Result<bool, Fault> {
    guard("`==` of its states", || a == b)
}

/// The initial states, asked for twice.
///
/// # Errors
/// Where the model fails, or gives two answers.
pub fn initial_states<M: Checkable>(system: &System<M>) -> Result<Vec<M::State>, Fault> {
    let states = guard("init_states", || system.model.init_states())?;
    let again = guard("init_states", || system.model.init_states())?;
    for state in &states {
        reflexive(state)?;
    }
    if guard("`==` of its states", || states != again)? {
        return Err(Fault::NotDeterministic {
            function: "init_states".to_owned(),
            state: None,
            first: format!("{states:?}"),
            second: format!("{again:?}"),
        });
    }
    Ok(states)
}

/// Checks that a state is equal to itself.
fn reflexive<S: PartialEq + Debug>(state: &S) -> Result<(), Fault> {
    if equal(state, state).map_err(|f| at(f, state))? {
        Ok(())
    } else {
        Err(Fault::EqNotReflexive { state: show(state) })
    }
}

fn hash_of<S: Hash>(state: &S) -> Result<u64, Fault> {
    guard("`Hash` of its states", || foldhash::quality::FixedState::with_seed(2).hash_one(state))
}

/// The value as `Debug` shows it; if that panics, a text that says so.
pub fn show<T: Debug>(value: &T) -> String {
    guard_quietly("Debug", || format!("{value:?}"))
}

/// The fault, with the state in which it happened.
pub fn at<S: Debug>(fault: Fault, state: &S) -> Fault {
    fault.at(Some(show(state)), None)
}

/// What to look for among the actions of a state.
#[derive(Clone, Copy)]
pub struct Ask {
    /// Whether the operator acts.
    pub operator: Operator,
    /// The action classes that were not seen yet.
    pub unseen: u128,
}

/// The successors of `state`. The action's position among them is the edge's position in its row.
///
/// # Errors
/// What fails, by name.
pub fn successors<M: Checkable>(
    system: &System<M>,
    state: &M::State,
    ask: Ask,
) -> Result<Expansion<M::State>, Fault> {
    guard("", || expansion(system, state, ask)).map_err(|_| blame(system, state, ask.unseen))
}

fn expansion<M: Checkable>(system: &System<M>, state: &M::State, ask: Ask) -> Expansion<M::State> {
    let Ask { operator, mut unseen } = ask;
    let model = &system.model;
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    let mut result =
        Expansion { edges: Vec::with_capacity(actions.len()), outside: 0, outside_enables: 0, classes: 0 };
    for action in actions {
        let acts = system.operator_acts(state, &action);
        if acts != 0 && operator == Operator::Absent {
            continue;
        }
        let operators = acts.checked_shl(system.fairness.len() as u32).unwrap_or(0);
        let mask = membership(&system.fairness, model, state, &action, u128::MAX) | operators;
        let classes = membership(&system.classes, model, state, &action, unseen);
        let Some(next) = model.next_state(state, action) else { continue };
        if classes != 0 && next != *state {
            result.classes |= classes;
            unseen &= !classes;
        }
        if model.within_boundary(&next) {
            result.edges.push((mask, next));
        } else {
            result.outside += 1;
            if next != *state {
                result.outside_enables |= mask;
            }
        }
    }
    result
}

/// Whether each edge has its mask.
pub fn labelled<M: Checkable>(system: &System<M>, operator: Operator) -> bool {
    !system.fairness.is_empty() || operator == Operator::Acts
}

/// What is to be said about each action of `state`, in their order, without taking them.
///
/// # Errors
/// What fails, by name.
pub fn marks<M: Checkable>(system: &System<M>, state: &M::State, ask: Ask) -> Result<Vec<Mark>, Fault> {
    let mark = |action: &M::Action| {
        let acts = system.operator_acts(state, action);
        if acts != 0 && ask.operator == Operator::Absent {
            return Mark { explored: false, mask: 0, classes: 0 };
        }
        let operators = acts.checked_shl(system.fairness.len() as u32).unwrap_or(0);
        Mark {
            explored: true,
            mask: membership(&system.fairness, &system.model, state, action, u128::MAX) | operators,
            classes: membership(&system.classes, &system.model, state, action, ask.unseen),
        }
    };
    let marked = guard("", || {
        let mut actions = Vec::new();
        system.model.actions(state, &mut actions);
        actions.iter().map(mark).collect()
    });
    marked.map_err(|_| blame(system, state, ask.unseen))
}

/// What is to be said about an action.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// Whether it is explored: the operator's actions may not be.
    pub explored: bool,
    /// The fairness sets and the operator actions that it belongs to.
    pub mask: u128,
    /// The action classes that it belongs to, among those asked about.
    pub classes: u128,
}

/// Those of the `asked` sets to which the action belongs.
fn membership<M: Checkable>(
    sets: &[Fairness<M>],
    model: &M,
    state: &M::State,
    action: &M::Action,
    asked: u128,
) -> u128 {
    if asked == 0 {
        return 0;
    }
    let sets = sets.iter().enumerate().filter(|(i, _)| asked >> i & 1 == 1);
    sets.fold(0, |mask, (i, set)| mask | u128::from(set.contains(model, state, action)) << i)
}

/// The first so many sets, as bits.
fn first_sets(count: usize) -> u128 {
    u128::MAX.checked_shr(u128::BITS - count as u32).unwrap_or(0)
}

/// Runs a failed expansion again step by step, to name the function and the action that fail.
fn blame<M: Checkable>(system: &System<M>, state: &M::State, unseen: u128) -> Fault {
    let model = &system.model;
    let fault = (|| {
        let mut actions = Vec::new();
        guard("actions", || model.actions(state, &mut actions))?;
        for action in actions {
            let named = |fault: Fault| fault.at(None, Some(show(&action)));
            let fair = system.fairness.iter().map(|set| ("fairness set", set));
            let operators = system.operators.iter().map(|set| ("operator action", set));
            for (sort, set) in fair.chain(operators) {
                guard(&format!("{sort} `{}`", set.name), || set.contains(model, state, &action))
                    .map_err(named)?;
            }
            for (_, class) in system.classes.iter().enumerate().filter(|(i, _)| unseen >> i & 1 == 1) {
                guard(&format!("action class `{}`", class.name), || class.contains(model, state, &action))
                    .map_err(named)?;
            }
            let next = guard("next_state", || model.next_state(state, action.clone())).map_err(named)?;
            if let Some(next) = next {
                guard("within_boundary", || model.within_boundary(&next)).map_err(|f| at(f, &next))?;
                guard("`==` of its states", || next != *state).map_err(named)?;
            }
        }
        Ok(())
    })();
    match fault {
        Err(fault) => at(fault, state),
        Ok(()) => Fault::NotDeterministic {
            function: "actions or next_state".to_owned(),
            state: Some(show(state)),
            first: "a panic".to_owned(),
            second: "no panic".to_owned(),
        },
    }
}

/// The atom or measure that fails in `state`.
pub fn name_atom<M: Checkable>(system: &System<M>, state: &M::State) -> Option<Fault> {
    system
        .atoms
        .iter()
        .find_map(|atom| guard(&format!("atom `{}`", atom.name), || atom.holds(&system.model, state)).err())
        .or_else(|| {
            let measures = system.measures.iter();
            let value =
                |m: &Measure<M>| guard(&format!("measure `{}`", m.name), || m.value(&system.model, state));
            measures.filter_map(|m| value(m).err()).next()
        })
}

/// Checks that `twin`, which is equal to `state`, has the successors that `first` says `state` has.
fn same_again<M: Checkable>(
    system: &System<M>,
    state: &M::State,
    twin: &M::State,
    first: &Expansion<M::State>,
    operator: Operator,
) -> Result<(), Fault> {
    let model = &system.model;
    let list = |state: &M::State| {
        guard("actions", || {
            let mut actions = Vec::new();
            model.actions(state, &mut actions);
            actions.iter().map(show).collect::<Vec<String>>()
        })
        .map_err(|fault| at(fault, state))
    };
    let different = |function: &str, first: String, second: String| {
        Err(Fault::NotDeterministic {
            function: function.to_owned(),
            state: Some(show(state)),
            first,
            second,
        })
    };
    let (actions, again) = (list(state)?, list(twin)?);
    let second = successors(system, twin, Ask { operator, unseen: 0 })?;
    let same = first.edges.len() == second.edges.len() && first.outside == second.outside;
    let alike = same
        && first.edges.iter().zip(&second.edges).all(|((_, next), (_, again))| {
            // A state that is not equal to itself is told below as what it is.
            equal(next, again).unwrap_or(true) || !equal(next, next).unwrap_or(true)
        });
    // Texts that differ prove nothing by themselves, since equal actions may show differently; the same texts in another order do.
    let sorted = |texts: &[String]| {
        let mut texts = texts.to_vec();
        texts.sort_unstable();
        texts
    };
    let reordered = actions != again && sorted(&actions) == sorted(&again);
    if actions.len() != again.len() || reordered || (!alike && actions != again) {
        return different("actions", format!("[{}]", actions.join(", ")), format!("[{}]", again.join(", ")));
    }
    if !same {
        let count = |e: &Expansion<M::State>| format!("{} successors", e.edges.len() as u64 + e.outside);
        return different("next_state", count(first), count(&second));
    }
    for ((mask, next), (mask_again, next_again)) in first.edges.iter().zip(&second.edges) {
        reflexive(next)?;
        reflexive(next_again)?;
        if !equal(next, next_again)? {
            return different("next_state", show(next), show(next_again));
        }
        if hash_of(next)? != hash_of(next_again)? {
            return Err(Fault::HashFinerThanEq { state: show(next) });
        }
        if mask != mask_again {
            let function = "the membership of a fairness set";
            return different(function, format!("{mask:#b}"), format!("{mask_again:#b}"));
        }
    }
    Ok(())
}

/// An action and the state that it led to.
pub type Followed<M> = (<M as stateright::Model>::Action, <M as stateright::Model>::State);

/// The action and the state at the end of the edge in place `nth` of the row of `state`, for witnesses.
///
/// # Errors
/// Where the model no longer gives the same answer, or fails.
pub fn follow<M: Checkable>(
    system: &System<M>,
    state: &M::State,
    nth: usize,
    operator: Operator,
) -> Result<Option<Followed<M>>, Fault> {
    let model = &system.model;
    guard("next_state", || {
        let mut actions = Vec::new();
        model.actions(state, &mut actions);
        let edges = actions.into_iter().filter_map(|action| {
            if operator == Operator::Absent && system.operator_acts(state, &action) != 0 {
                return None;
            }
            let next = model.next_state(state, action.clone())?;
            model.within_boundary(&next).then_some((action, next))
        });
        edges.into_iter().nth(nth)
    })
    .map_err(|fault| at(fault, state))
}
