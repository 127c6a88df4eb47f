//! Longest paths: the exact worst case of a recovery, in ticks.
//!
//! The region is the set of states in which recovery is still outstanding. If no path can stay in it for ever, the region
//! is acyclic, and the most steps that a path spends in it follow from those of its successors, in the reverse
//! topological order in which Tarjan's algorithm emits components. If some path can, there is no worst case: fairness may
//! end such a stay, but gives no bound in ticks.
//!
//! Cost: one component pass over the region, or one sweep over the components of the graph where the region is made of them;
//! 4 bytes for each state of the graph.

use super::bits::Bits;
use super::fair::FairGraph;
use super::graph::StateGraph;
use super::scc::{Components, Sccs};

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

/// The most steps in `region` from any of its states that are in `seeds`. With `whole`, the components of the graph: the region
/// is made of some of them, all of whose states are reachable from a seed within the region.
pub fn longest(place: FairGraph<'_>, whole: Option<&Components>, region: &Bits, seeds: &Bits) -> Longest {
    let graph = place.graph;
    let mut search = Search { place, left: vec![0; graph.size() as usize], stay: None };
    match whole {
        Some(components) => {
            components.iter().filter(|c| region.get(c[0])).for_each(|c| search.component(c));
        }
        None => {
            let reached = graph.reach(seeds.and(region).iter(), |s| region.get(s));
            let states: Vec<u32> = reached.iter().collect();
            Sccs::new(graph).components(&states, |c| search.component(c));
        }
    }
    if let Some(state) = search.stay {
        return Longest::Unbounded(state);
    }
    let left = search.left;
    let ticks = |s: u32| u64::from(left[s as usize]);
    let worst = seeds.iter().filter(|s| region.get(*s)).max_by_key(|s| (ticks(*s), std::cmp::Reverse(*s)));
    let Some(seed) = worst else { return Longest::Steps { ticks: 0, walk: None } };
    let mut walk = Vec::new();
    let mut at = seed;
    while left[at as usize] > 0 {
        // Of equally long paths, the one whose action comes first.
        let after = left[at as usize] - 1;
        let Some(position) = graph.edges(at).find(|p| left[graph.targets[*p] as usize] == after) else {
            break;
        };
        walk.push(position);
        at = graph.targets[position];
    }
    Longest::Steps { ticks: ticks(seed), walk: Some((seed, walk)) }
}

/// A sweep over components in reverse topological order.
struct Search<'a> {
    place: FairGraph<'a>,
    /// For each state seen, the most steps until the region is left; zero outside of it.
    left: Vec<u32>,
    /// The first state found that lies on a cycle of the region.
    stay: Option<u32>,
}

impl Search<'_> {
    fn component(&mut self, component: &[u32]) {
        let state = component[0];
        if self.place.is_cycle(component) {
            let first = component.iter().copied().min().unwrap_or(state);
            self.stay = Some(self.stay.map_or(first, |s| s.min(first)));
        } else if self.stay.is_none() {
            let graph: &StateGraph = self.place.graph;
            let next = graph.successors(state).iter().map(|s| self.left[*s as usize] + 1);
            self.left[state as usize] = next.max().unwrap_or(0);
        }
    }
}
