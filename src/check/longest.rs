//! Longest paths: the exact worst case of a recovery, in ticks.
//!
//! The region is the set of states in which recovery is still outstanding. If no path can stay in it for ever, the region
//! is acyclic, and the most steps that a path spends in it follow from those of its successors, in the reverse
//! topological order in which Tarjan's algorithm emits components. If some path can, there is no worst case: fairness may
//! end such a stay, but gives no bound in ticks.
//!
//! Cost: one component pass over the region, and 12 bytes for each of its states.

use super::bits::Bits;
use super::fair::FairSets;
use super::graph::StateGraph;
use super::scc::Sccs;
use std::collections::HashMap;

/// The most steps until a path that starts in one of the seeds has left a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Longest {
    /// So many steps.
    Steps {
        /// The number of steps; 0 if no seed is in the region.
        ticks: u64,
        /// The seed from which it takes so long, and the edges taken; the last one leaves the region.
        walk: Option<(u32, Vec<usize>)>,
    },
    /// A path can stay in the region for ever; a state in which it can.
    Unbounded(u32),
}

/// The most steps in `region` from any of its states that are in `seeds`.
pub fn longest(graph: &StateGraph, fair: FairSets, region: &Bits, seeds: &Bits) -> Longest {
    let reached = graph.reach(seeds.and(region).iter(), |s| region.get(s));
    let states: Vec<u32> = reached.iter().collect();
    // For each state: the most steps until the region is left, and the first edge of such a path.
    let mut most: HashMap<u32, (u64, usize), foldhash::fast::FixedState> = HashMap::default();
    let mut stay = None;
    Sccs::new(graph).components(&states, |component| {
        let state = component[0];
        let cycle = component.len() > 1 || graph.successors(state).contains(&state);
        if cycle || fair.may_stay(graph, state) {
            stay = Some(stay.map_or(state, |s: u32| s.min(state)));
            return;
        }
        let steps = graph.edges(state).map(|position| {
            let after = most.get(&graph.targets[position]).map_or(0, |(ticks, _)| *ticks);
            (after + 1, position)
        });
        // Of equally long paths, the one whose action comes first.
        if let Some(best) = steps.max_by_key(|(ticks, position)| (*ticks, std::cmp::Reverse(*position))) {
            most.insert(state, best);
        }
    });
    if let Some(state) = stay {
        return Longest::Unbounded(state);
    }
    let ticks = |s: &u32| most.get(s).map_or(0, |(ticks, _)| *ticks);
    let worst = seeds.iter().filter(|s| reached.get(*s)).max_by_key(|s| (ticks(s), std::cmp::Reverse(*s)));
    let Some(seed) = worst else { return Longest::Steps { ticks: 0, walk: None } };
    let mut walk = Vec::new();
    let mut at = seed;
    while let Some((_, position)) = most.get(&at) {
        walk.push(*position);
        at = graph.targets[*position];
    }
    Longest::Steps { ticks: ticks(&seed), walk: Some((seed, walk)) }
}
