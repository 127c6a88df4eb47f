//! Isolation: whether what one party gets depends on what another one does.
//!
//! `isolated m from b` compares two systems: the one as it is, in which b may do anything that the model lets it, and the
//! variant in which b behaves. It holds if every sequence of values that m can take in the first, step by step from an
//! initial state, can also be taken in the second: whatever the others do and whatever chance decides, m shows nothing of
//! b's misbehaviour. That is inclusion of the finite traces of m; as both graphs are finite, it includes the infinite ones.
//! What it does *not* say: that m is good, that a behaviour is equally likely in both, or that anything but m is untouched.
//! Fairness plays no part: every finite path extends to a fair one.
//!
//! Algorithm: breadth first over pairs of a state of the system and the set of states of the variant in which the same values
//! can have been seen (the subset construction of Rabin and Scott 1959, of the variant alone and only as far as needed). A
//! pair whose set is empty refutes the claim, and the path to it is a shortest one.
//!
//! Invariant: a set holds exactly the variant's states that can be reached with the values seen on some path to the pair's
//! state. Cost: at worst states × 2^(states of the variant); more than [`PAIRS_MAX`] pairs end as inconclusive.

use super::fair::FairSets;
use super::graph::StateGraph;
use super::lasso::{EdgeStep, Walk};
use std::collections::{BTreeSet, HashMap};

/// More pairs than this are not looked at.
pub const PAIRS_MAX: usize = 5_000_000;

/// A graph with the values of the measure in its states.
#[derive(Clone, Copy)]
pub struct Observed<'a> {
    /// The graph; complete.
    pub graph: &'a StateGraph,
    /// The value in each state.
    pub values: &'a [i64],
    /// Whether its states may be stayed in.
    pub fair: FairSets,
}

/// What the comparison found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Every sequence of values occurs in the variant too: the pairs that were looked at, and the sets that they name.
    Included(Pairs),
    /// A shortest path whose values no path of the variant shows.
    Differs(Walk),
    /// More than [`PAIRS_MAX`] pairs.
    TooLarge,
}

/// What a comparison looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// The states and edges of the variant.
    pub variant: (u64, u64),
    /// Sets of its states, ascending.
    pub sets: Vec<Vec<u32>>,
    /// A state of the system, and the place of the set that it was seen with.
    pub pairs: Vec<(u32, u32)>,
}

impl Observed<'_> {
    fn value(&self, state: u32) -> i64 {
        self.values[state as usize]
    }

    /// The steps from `state`, staying included where that is possible.
    fn steps(&self, state: u32) -> impl Iterator<Item = (EdgeStep, u32)> + '_ {
        let edges = self.graph.edges(state).map(|p| (Some(p), self.graph.targets[p]));
        edges.chain(self.fair.may_stay(self.graph, state).then_some((None, state)))
    }
}

/// Sets of the variant's states, each known by a number.
#[derive(Default)]
struct Sets {
    sets: Vec<Vec<u32>>,
    numbers: HashMap<Vec<u32>, u32, foldhash::fast::FixedState>,
    /// The set that follows a set when a value is seen next.
    next: HashMap<(u32, i64), u32, foldhash::fast::FixedState>,
}

impl Sets {
    fn number(&mut self, set: BTreeSet<u32>) -> u32 {
        let set: Vec<u32> = set.into_iter().collect();
        let new = self.sets.len() as u32;
        let number = *self.numbers.entry(set.clone()).or_insert(new);
        if number == new {
            self.sets.push(set);
        }
        number
    }

    fn follow(&mut self, variant: Observed<'_>, set: u32, value: i64) -> u32 {
        if let Some(next) = self.next.get(&(set, value)) {
            return *next;
        }
        let states = self.sets[set as usize].iter();
        let steps = states.flat_map(|s| variant.steps(*s)).map(|(_, to)| to);
        let next = steps.filter(|to| variant.value(*to) == value).collect();
        let next = self.number(next);
        self.next.insert((set, value), next);
        next
    }
}

/// Compares the values of the measure in the system with those in the variant.
pub fn compare(system: Observed<'_>, variant: Observed<'_>) -> Comparison {
    let mut sets = Sets::default();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut from: Vec<Option<(usize, EdgeStep)>> = Vec::new();
    let mut seen: HashMap<(u32, u32), (), foldhash::fast::FixedState> = HashMap::default();
    let begin: Vec<(u32, u32)> = (0..system.graph.initial)
        .map(|state| {
            let same = (0..variant.graph.initial).filter(|q| variant.value(*q) == system.value(state));
            (state, sets.number(same.collect()))
        })
        .collect();
    for pair in begin {
        if seen.insert(pair, ()).is_none() {
            pairs.push(pair);
            from.push(None);
        }
    }
    let mut at = 0;
    while at < pairs.len() {
        let (state, set) = pairs[at];
        if sets.sets[set as usize].is_empty() {
            return Comparison::Differs(path(&pairs, &from, at));
        }
        if pairs.len() > PAIRS_MAX {
            return Comparison::TooLarge;
        }
        for (step, to) in system.steps(state) {
            let pair = (to, sets.follow(variant, set, system.value(to)));
            if seen.insert(pair, ()).is_none() {
                pairs.push(pair);
                from.push(Some((at, step)));
            }
        }
        at += 1;
    }
    let size = (u64::from(variant.graph.size()), variant.graph.targets.len() as u64);
    Comparison::Included(Pairs { variant: size, sets: sets.sets, pairs })
}

fn path(pairs: &[(u32, u32)], from: &[Option<(usize, EdgeStep)>], end: usize) -> Walk {
    let mut at = end;
    let mut steps = Vec::new();
    while let Some((before, step)) = from[at] {
        steps.push(step);
        at = before;
    }
    steps.reverse();
    Walk { start: pairs[at].0, steps }
}
