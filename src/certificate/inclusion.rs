//! Verifies isolation: that whatever values a measure takes along a path of the system, it can take along a path of a variant.
//!
//! The certificate pairs each state of the system with sets of states of the variant. What is verified is that
//!
//! - each initial state is paired with a set of initial states of the variant;
//! - in each pair, all states of the set show the value that the state shows, and there is one;
//! - for each pair and each step of the system (staying included, where a path may stay), the state that it leads to is paired
//!   with a set each of whose states can be reached by one step from some state of the pair's set.
//!
//! Then, step by step along any path of the system, each state of the last set ends a path of the variant with the same values;
//! the sets need not be all there are. This is a forward simulation by sets of states (Lynch and Vaandrager, "Forward and
//! backward simulations", 1995, call its pairs a forward-backward simulation), and nothing is searched for.
//!
//! Cost: for each pair and edge a comparison with the sets paired with its target, each pair of sets compared once; the
//! successors of each set.

use super::CertificateError;
use super::graph::Graph;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// Which states of a variant show, step by step, what the system shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inclusion {
    /// The number of reachable states of the variant in which the other party behaves, and of edges between them.
    pub variant_states: u64,
    /// See `variant_states`.
    pub variant_edges: u64,
    /// Sets of the variant's states, each in ascending order.
    pub sets: Vec<Vec<u32>>,
    /// For each state of the system the places in `sets` of those that it is paired with.
    pub pairs: Vec<Vec<u32>>,
}

/// A graph with the value of the measure in each of its states.
pub(super) struct Valued {
    pub(super) graph: Graph,
    pub(super) values: Vec<i64>,
}

impl Valued {
    /// Where the steps from `state` lead, staying included where a path may stay.
    fn next(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        let stay = self.graph.stays(state).then_some(state);
        self.graph.edges(state).map(|(next, _)| next).chain(stay)
    }
}

/// Whether the pairs show that every sequence of values of `system` is one of `variant`.
pub(super) fn included(
    system: &Valued,
    variant: &Valued,
    inclusion: &Inclusion,
) -> Result<(), CertificateError> {
    let Inclusion { sets, pairs, .. } = inclusion;
    let (found, expected) = (pairs.len(), system.graph.size() as usize);
    if found != expected {
        return Err(CertificateError::Length { ranking: 0, found, expected });
    }
    for (number, set) in sets.iter().enumerate() {
        let known = set.last().is_some_and(|last| *last < variant.graph.size());
        if !known || !set.is_sorted_by(|a, b| a < b) {
            return Err(CertificateError::Set(number as u32));
        }
    }
    let mut steps = Steps { variant, sets, next: vec![None; sets.len()], within: HashMap::new() };
    for state in 0..system.graph.size() {
        let own = &pairs[state as usize];
        for set in own {
            let members = sets.get(*set as usize).ok_or(CertificateError::Set(*set))?;
            let shows = |s: &u32| variant.values[*s as usize] == system.values[state as usize];
            if !members.iter().all(shows) {
                return Err(CertificateError::Pair { state, set: *set });
            }
        }
        let starts = |set: &u32| sets[*set as usize].iter().all(|s| *s < variant.graph.initial);
        if state < system.graph.initial && !own.iter().any(starts) {
            return Err(CertificateError::Unpaired(state));
        }
    }
    for state in 0..system.graph.size() {
        for set in &pairs[state as usize] {
            for next in system.next(state) {
                if !pairs[next as usize].iter().any(|after| steps.lead(*set, *after)) {
                    return Err(CertificateError::Pair { state, set: *set });
                }
            }
        }
    }
    Ok(())
}

/// The steps between sets of the variant's states.
struct Steps<'a> {
    variant: &'a Valued,
    sets: &'a [Vec<u32>],
    /// The states that one step from each set can lead to, once they were asked for.
    next: Vec<Option<HashSet<u32>>>,
    /// Whether each state of the second set can follow some state of the first.
    within: HashMap<(u32, u32), bool>,
}

impl Steps<'_> {
    fn lead(&mut self, from: u32, to: u32) -> bool {
        if let Some(known) = self.within.get(&(from, to)) {
            return *known;
        }
        let (variant, sets) = (self.variant, self.sets);
        let next = self.next[from as usize].get_or_insert_with(|| {
            sets[from as usize].iter().flat_map(|state| variant.next(*state)).collect()
        });
        let leads = sets[to as usize].iter().all(|state| next.contains(state));
        self.within.insert((from, to), leads);
        leads
    }
}
