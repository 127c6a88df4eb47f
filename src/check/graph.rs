//! The state graph: what a search leaves behind, and all that the decision procedures see.
//!
//! States are numbered in the order of discovery, breadth first, so a smaller id is never farther from an initial state
//! than a larger one. Edges are kept in compressed sparse rows: 4 bytes an edge and 8 a state, and 4 more an edge where
//! there is fairness. Initial states come first; every other state has a parent.
//!
//! Invariant: exactly the states below `expanded` have all their edges within the boundary in the graph. A state is
//! *open* if something may follow it that the graph does not have: it was not expanded, or the boundary cut one of its
//! edges. Nothing may be concluded from the absence of an edge at an open state.

use super::bits::Bits;
use std::collections::BTreeMap;
use std::ops::Range;

/// No state: the parent of an initial state.
pub const NONE: u32 = u32::MAX;

/// The explored part of a model as a graph.
#[derive(Clone, Debug, Default)]
pub struct StateGraph {
    /// States `0..initial` are the initial ones.
    pub initial: u32,
    /// For each state, the state from which it was first reached.
    pub parents: Vec<u32>,
    /// Edge positions of state `s` are `rows[s]..rows[s + 1]`; there are as many rows as expanded states, plus one.
    pub rows: Vec<u64>,
    /// For each edge, the state that it leads to.
    pub targets: Vec<u32>,
    /// For each edge, an index into `masks`. Empty where the system has no fairness.
    pub labels: Vec<u32>,
    /// Sets of fairness constraints, as bits: which action sets an edge belongs to. `masks[0]` is the empty set.
    pub masks: Vec<u128>,
    /// For each state with an edge that the boundary cut: the fairness sets which those edges enable.
    pub cut: BTreeMap<u32, u128>,
    /// For each measure of the system, its value in each state.
    pub measures: Vec<Vec<i64>>,
    /// The action classes that were taken somewhere, as bits.
    pub classes: u128,
    /// For each atom of the system, the states in which it holds.
    pub atoms: Vec<Bits>,
}

impl StateGraph {
    /// An empty graph for a system with so many atoms and measures.
    pub fn new(atoms: usize, measures: usize) -> Self {
        Self {
            rows: vec![0],
            masks: vec![0],
            atoms: vec![Bits::default(); atoms],
            measures: vec![Vec::new(); measures],
            ..Self::default()
        }
    }

    /// The number of states.
    pub fn size(&self) -> u32 {
        self.parents.len() as u32
    }

    /// The number of expanded states; these are the states with the smallest ids.
    pub fn expanded(&self) -> u32 {
        (self.rows.len() - 1) as u32
    }

    /// The positions of the edges of `state` (none for one that was not expanded).
    pub fn edges(&self, state: u32) -> Range<usize> {
        let s = state as usize;
        if s + 1 < self.rows.len() { self.rows[s] as usize..self.rows[s + 1] as usize } else { 0..0 }
    }

    /// The states that the edges of `state` lead to, in the order of its actions.
    pub fn successors(&self, state: u32) -> &[u32] {
        &self.targets[self.edges(state)]
    }

    /// The fairness sets to which the edge at `position`, which leaves `from`, belongs. A step that leaves the state
    /// unchanged takes nothing.
    pub fn taken(&self, from: u32, position: usize) -> u128 {
        if self.labels.is_empty() || self.targets[position] == from {
            0
        } else {
            self.masks[self.labels[position] as usize]
        }
    }

    /// All sets to which the edge at `position` belongs, whether or not it changes the state.
    pub fn mask(&self, position: usize) -> u128 {
        if self.labels.is_empty() { 0 } else { self.masks[self.labels[position] as usize] }
    }

    /// The same graph without the edges that belong to any of `sets`. Positions of edges change, states do not; parents are
    /// those of the whole graph.
    #[must_use]
    pub fn without(&self, sets: u128) -> Self {
        let mut rest = Self { targets: Vec::new(), labels: Vec::new(), rows: vec![0], ..self.clone() };
        for state in 0..self.expanded() {
            for position in self.edges(state).filter(|p| self.mask(*p) & sets == 0) {
                rest.targets.push(self.targets[position]);
                rest.labels.extend(self.labels.get(position));
            }
            rest.rows.push(rest.targets.len() as u64);
        }
        rest
    }

    /// The fairness sets that are enabled in `state`: those with an action that leads to a different state, whether or
    /// not that state lies within the boundary.
    pub fn enabled(&self, state: u32) -> u128 {
        if self.labels.is_empty() && self.cut.is_empty() {
            return 0;
        }
        let cut = self.cut.get(&state).copied().unwrap_or(0);
        self.edges(state).fold(cut, |mask, position| mask | self.taken(state, position))
    }

    /// Whether something may follow `state` that the graph does not have.
    pub fn open(&self, state: u32) -> bool {
        state >= self.expanded() || self.cut.contains_key(&state)
    }

    /// Whether the edge by which `state` was found is in the graph: not so for what the last, unfinished row led to.
    pub fn is_linked(&self, state: u32) -> bool {
        let parent = self.parents[state as usize];
        parent == NONE || parent < self.expanded()
    }

    /// Whether the graph is the whole of the model.
    pub fn complete(&self) -> bool {
        self.expanded() == self.size() && self.cut.is_empty()
    }

    /// Whether `state` is known to have no successor.
    pub fn is_end(&self, state: u32) -> bool {
        self.edges(state).is_empty() && !self.open(state)
    }

    /// The most steps from an initial state to any state.
    pub fn depth(&self) -> u64 {
        // Parents come before their children, so one pass suffices; along the chain of the last state it is enough.
        let mut depth = 0;
        let mut state = self.size().wrapping_sub(1);
        while self.size() > 0 && self.parents[state as usize] != NONE {
            state = self.parents[state as usize];
            depth += 1;
        }
        depth
    }

    /// The states reachable from `seeds` through states for which `inside` is true; seeds must be inside themselves.
    pub fn reach(&self, seeds: impl IntoIterator<Item = u32>, inside: impl Fn(u32) -> bool) -> Bits {
        let mut found = Bits::new(self.size() as usize);
        let mut queue: Vec<u32> = seeds.into_iter().filter(|s| inside(*s) && found.insert(*s)).collect();
        while let Some(state) = queue.pop() {
            for &next in self.successors(state) {
                if inside(next) && found.insert(next) {
                    queue.push(next);
                }
            }
        }
        found
    }
}
