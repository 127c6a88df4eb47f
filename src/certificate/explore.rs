//! Runs the model again: every state, breadth first, told apart by `==`.
//!
//! Nothing is remembered but the states and the edges, and nothing is looked for. A certificate says how many states there are,
//! so an exploration that finds more ends there: it ends even where the model has no end.

use super::CertificateError;
use super::graph::Graph;
use crate::model::Checkable;
use crate::property::System;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// States by number, found again by their hash and told apart by `==`.
struct Numbered<S> {
    states: Vec<S>,
    buckets: HashMap<u64, Vec<u32>>,
}

impl<S: Hash + PartialEq> Numbered<S> {
    fn number(&mut self, state: S) -> u32 {
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        let bucket = self.buckets.entry(hasher.finish()).or_default();
        if let Some(known) = bucket.iter().find(|n| self.states[**n as usize] == state) {
            return *known;
        }
        let number = self.states.len() as u32;
        bucket.push(number);
        self.states.push(state);
        number
    }
}

/// A whole model: its graph, and its states by number.
pub(super) struct Whole<S> {
    pub(super) graph: Graph,
    pub(super) states: Vec<S>,
}

/// The whole model of `system` as a graph, with its states; None if it has more than `states_max`.
pub(super) fn explore<M: Checkable>(
    system: &System<M>,
    states_max: u64,
) -> Result<Option<Whole<M::State>>, CertificateError> {
    let mut found = Numbered { states: Vec::new(), buckets: HashMap::new() };
    for state in system.model.init_states() {
        inside(system, &state)?;
        found.number(state);
    }
    let mut graph = Graph::new();
    graph.initial = found.states.len() as u32;
    let fair = !system.fairness.is_empty();
    let mut at = 0;
    while at < found.states.len() {
        if found.states.len() as u64 > states_max.min(u64::from(u32::MAX - 1)) {
            return Ok(None);
        }
        let mut edges = Vec::new();
        for (sets, next) in steps(system, &found.states[at]) {
            inside(system, &next)?;
            let next = found.number(next);
            // A step that leads back to the same state neither takes nor enables anything.
            edges.push((next, if next as usize == at { 0 } else { sets }));
        }
        let enabled = edges.iter().fold(0, |all, (_, sets)| all | sets);
        let stays = system.stutters || edges.is_empty();
        graph.push(edges, enabled, stays, fair);
        at += 1;
    }
    Ok(Some(Whole { graph, states: found.states }))
}

fn inside<M: Checkable>(system: &System<M>, state: &M::State) -> Result<(), CertificateError> {
    if system.model.within_boundary(state) { Ok(()) } else { Err(CertificateError::Boundary) }
}

/// Where the actions that the model offers lead, in their order, with the fairness sets that each belongs to. Those of an
/// operator are none, since no claim counts on them.
fn steps<M: Checkable>(system: &System<M>, state: &M::State) -> Vec<(u128, M::State)> {
    let model = &system.model;
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    actions.retain(|action| system.operator_acts(state, action) == 0);
    let mut steps = Vec::with_capacity(actions.len());
    for action in actions {
        let mut sets = 0;
        for (i, set) in system.fairness.iter().enumerate() {
            if set.contains(model, state, &action) {
                sets |= 1 << i;
            }
        }
        if let Some(next) = model.next_state(state, action) {
            steps.push((sets, next));
        }
    }
    steps
}

/// The states on a path of the model within its boundary; None if there is no such path.
pub(super) fn walk<M: Checkable>(system: &System<M>, start: u32, steps: &[u32]) -> Option<Vec<M::State>> {
    let within = |state: &M::State| system.model.within_boundary(state);
    let mut initial: Vec<M::State> = Vec::new();
    for state in system.model.init_states() {
        if within(&state) && !initial.contains(&state) {
            initial.push(state);
        }
    }
    if start as usize >= initial.len() {
        return None;
    }
    let mut path = vec![initial.swap_remove(start as usize)];
    for step in steps {
        let next = self::steps(system, path.last()?);
        let mut next = next.into_iter().map(|(_, state)| state).filter(|state| within(state));
        let next = next.nth(*step as usize)?;
        path.push(next);
    }
    Some(path)
}
