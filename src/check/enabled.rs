//! Which fairness sets are enabled in each state, looked up once for all that asks.
//!
//! A decision asks again and again: each round of refinement, each component, each step of a loop. Few of the possible
//! combinations of sets occur, so a state costs 4 bytes: the number of its combination.
//!
//! Invariant: the same as [`StateGraph::enabled`] says. It is a snapshot, so the graph must be finished. Cost: one pass over the
//! edges, and nothing where the graph has no fairness.

use super::graph::StateGraph;
use std::collections::HashMap;

/// The enabled sets of the states of one finished graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Enabled {
    /// The combinations that occur.
    combinations: Vec<u128>,
    /// For each state the number of its combination. Empty where nothing is ever enabled.
    of: Vec<u32>,
}

impl Enabled {
    /// Looks at every edge of the graph.
    pub fn of(graph: &StateGraph) -> Self {
        if graph.labels.is_empty() && graph.cut.is_empty() {
            return Self::default();
        }
        let mut numbers: HashMap<u128, u32, foldhash::fast::FixedState> = HashMap::default();
        let mut index = Self { combinations: Vec::new(), of: Vec::with_capacity(graph.size() as usize) };
        // Neighbours are often alike.
        let mut last = (0, u32::MAX);
        for state in 0..graph.size() {
            let enabled = graph.enabled(state);
            if enabled != last.0 || last.1 == u32::MAX {
                let number = *numbers.entry(enabled).or_insert_with(|| {
                    index.combinations.push(enabled);
                    index.combinations.len() as u32 - 1
                });
                last = (enabled, number);
            }
            index.of.push(last.1);
        }
        index
    }

    /// The index of a graph each of whose states enables what one of this graph's states does.
    #[must_use]
    pub fn along(&self, states: impl Iterator<Item = u32>) -> Self {
        if self.of.is_empty() {
            return Self::default();
        }
        let of = states.map(|s| self.of[s as usize]).collect();
        Self { combinations: self.combinations.clone(), of }
    }

    /// The combinations that occur; none where nothing is ever enabled.
    pub fn combinations(&self) -> &[u128] {
        &self.combinations
    }

    /// The number of the combination that is enabled in `state`, where there are any.
    pub fn number(&self, state: u32) -> Option<usize> {
        self.of.get(state as usize).map(|number| *number as usize)
    }

    /// The sets that are enabled in `state`.
    pub fn get(&self, state: u32) -> u128 {
        self.of.get(state as usize).map_or(0, |number| self.combinations[*number as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_says_what_the_edges_say() {
        let mut random = fastrand::Rng::with_seed(11);
        for _ in 0..200 {
            let n = random.u32(1..9);
            let mut graph = StateGraph::new(0, 0);
            graph.masks.extend([1, 2, 1 << 127]);
            graph.parents = vec![super::super::graph::NONE; n as usize];
            for s in 0..n {
                for _ in 0..random.u32(..4) {
                    graph.targets.push(random.u32(..n));
                    graph.labels.push(random.u32(..4));
                }
                graph.rows.push(graph.targets.len() as u64);
                if random.u8(..5) == 0 {
                    graph.cut.insert(s, 4);
                }
            }
            let index = Enabled::of(&graph);
            assert!((0..n).all(|s| index.get(s) == graph.enabled(s)));
            let backwards = index.along((0..n).rev());
            assert!((0..n).all(|s| backwards.get(s) == graph.enabled(n - 1 - s)));
        }
    }
}
