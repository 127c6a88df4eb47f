//! The smallest trigger that tips the system, and the largest that it survives whatever happens.
//!
//! A trigger is weighed by the sums of declared measures over the states of a path (ticks of an outage, requests of a spike),
//! compared in the declared order: first the first measure, and the second only among equals. The smallest trigger that
//! tips is the least weight of a path from an initial state to a cycle that violates the claim: Dijkstra's algorithm (1959)
//! with weights compared lexicographically, which is sound because no measure is negative and the order is preserved by
//! addition. All lighter triggers are survived; the largest of them is found by following every path that is lighter, with
//! its weight, up to the first state with the antecedent.
//!
//! Cost: O(edges × log states) for the least; for the largest survived, at most [`PAIRS_MAX`] pairs of state and weight.

use super::bits::Bits;
use super::graph::StateGraph;
use super::lasso::{EdgeStep, Walk};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A weight: the sums of up to four measures.
pub type Weight = [i64; crate::property::TRIGGER_COST_MAX];

/// Beyond so many pairs of state and weight, the largest trigger survived is not looked for.
pub const PAIRS_MAX: usize = 2_000_000;

/// What was found about triggers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tipping {
    /// The weight of the smallest trigger that tips the system.
    pub least: Weight,
    /// A path with it, up to a state of the cycle.
    pub path: Walk,
    /// The weight of the largest trigger that is survived whatever happens; None where there is none, or it is unknown.
    pub survived: Option<Weight>,
}

/// A path is before the antecedent (0) or after it (1).
type Place = (u32, usize);

/// For each place, the least weight known, and the place and edge that it comes by.
type Best = HashMap<Place, (Weight, Option<(Place, usize)>), foldhash::fast::FixedState>;

/// The weights in question.
pub struct Weighed<'a> {
    /// The graph.
    pub graph: &'a StateGraph,
    /// The values of the measures, in order; none negative.
    pub measures: Vec<&'a [i64]>,
    /// The antecedent of the claim.
    pub antecedent: Option<&'a Bits>,
}

impl Weighed<'_> {
    fn add(&self, weight: Weight, state: u32) -> Weight {
        let mut sum = weight;
        for (sum, values) in sum.iter_mut().zip(&self.measures) {
            *sum = sum.saturating_add(values[state as usize]);
        }
        sum
    }

    fn stage(&self, before: usize, state: u32) -> usize {
        if before == 1 || self.antecedent.is_none_or(|a| a.get(state)) { 1 } else { 0 }
    }

    /// The smallest trigger that leads to a state in `cycles`, after the antecedent.
    pub fn tipping(&self, cycles: &Bits) -> Option<Tipping> {
        let mut best = Best::default();
        let mut queue: BinaryHeap<Reverse<(Weight, u64, Place)>> = BinaryHeap::new();
        for state in 0..self.graph.initial {
            let (place, weight) = ((state, self.stage(0, state)), self.add(Weight::default(), state));
            best.entry(place).or_insert((weight, None));
            queue.push(Reverse((weight, 0, place)));
        }
        let mut done: HashMap<Place, (), foldhash::fast::FixedState> = HashMap::default();
        while let Some(Reverse((weight, steps, place))) = queue.pop() {
            if done.insert(place, ()).is_some() {
                continue;
            }
            let (state, stage) = place;
            if stage == 1 && cycles.get(state) {
                let path = self.path(&best, place);
                return Some(Tipping { least: weight, path, survived: self.survived(weight) });
            }
            for position in self.graph.edges(state) {
                let to = self.graph.targets[position];
                let next = (to, self.stage(stage, to));
                let sum = self.add(weight, to);
                if best.get(&next).is_none_or(|(known, _)| sum < *known) {
                    best.insert(next, (sum, Some((place, position))));
                    queue.push(Reverse((sum, steps + 1, next)));
                }
            }
        }
        None
    }

    fn path(&self, best: &Best, end: Place) -> Walk {
        let mut steps: Vec<EdgeStep> = Vec::new();
        let mut at = end;
        while let Some((_, Some((before, position)))) = best.get(&at) {
            steps.push(Some(*position));
            at = *before;
        }
        steps.reverse();
        Walk { start: at.0, steps }
    }

    /// The largest weight below `least` with which a path comes to its first state with the antecedent.
    fn survived(&self, least: Weight) -> Option<Weight> {
        self.antecedent?;
        let mut seen: HashMap<(u32, Weight), (), foldhash::fast::FixedState> = HashMap::default();
        let mut queue: Vec<(u32, Weight)> = Vec::new();
        let mut largest = None;
        let mut come = |state: u32, weight: Weight, queue: &mut Vec<(u32, Weight)>| {
            if weight >= least || seen.insert((state, weight), ()).is_some() {
                return seen.len();
            }
            if self.stage(0, state) == 1 {
                largest = largest.max(Some(weight));
            } else {
                queue.push((state, weight));
            }
            seen.len()
        };
        for state in 0..self.graph.initial {
            come(state, self.add(Weight::default(), state), &mut queue);
        }
        while let Some((state, weight)) = queue.pop() {
            for &to in self.graph.successors(state) {
                if come(to, self.add(weight, to), &mut queue) > PAIRS_MAX {
                    return None;
                }
            }
        }
        largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States 0..=9: an outage of so many ticks, over (10) at any moment; after five ticks or more it is tipped (11).
    fn outage() -> (StateGraph, Vec<i64>, Bits, Bits) {
        let mut graph = StateGraph::new(0, 0);
        graph.initial = 1;
        let mut edges: Vec<(u32, u32)> = vec![(0, 0), (10, 10), (11, 11)];
        edges.extend((0..9).map(|s| (s, s + 1)));
        edges.extend((1..=9).map(|s| (s, 10)));
        edges.extend((5..=9).map(|s| (s, 11)));
        for s in 0..12 {
            graph.parents.push(super::super::graph::NONE);
            graph.targets.extend(edges.iter().filter(|(from, _)| *from == s).map(|(_, to)| *to));
            graph.rows.push(graph.targets.len() as u64);
        }
        let ticks = (0..12).map(|s| i64::from((1..=9).contains(&s))).collect();
        let set = |ids: &[u32]| {
            let mut bits = Bits::new(12);
            ids.iter().for_each(|s| {
                bits.insert(*s);
            });
            bits
        };
        (graph, ticks, set(&[10, 11]), set(&[11]))
    }

    #[test]
    fn the_least_that_tips_and_the_largest_survived_are_next_to_each_other() {
        let (graph, ticks, over, tipped) = outage();
        let weighed = Weighed { graph: &graph, measures: vec![&ticks], antecedent: Some(&over) };
        let found = weighed.tipping(&tipped).unwrap();
        assert_eq!((found.least[0], found.survived.unwrap()[0]), (5, 4));
        assert_eq!(found.path.steps.len(), 6);
        assert!(weighed.tipping(&Bits::new(12)).is_none());
    }

    #[test]
    fn the_first_measure_counts_before_the_second() {
        let (graph, ticks, over, tipped) = outage();
        // The second measure makes late ticks cheap, and is asked only among equals.
        let size: Vec<i64> = (0..12).map(|s| 9 - s).map(|s: i64| s.max(0)).collect();
        let weighed = Weighed { graph: &graph, measures: vec![&ticks, &size], antecedent: Some(&over) };
        assert_eq!(weighed.tipping(&tipped).unwrap().least[..2], [5, 39]);
    }
}
