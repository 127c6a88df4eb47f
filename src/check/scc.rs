//! Strongly connected components, by Tarjan's algorithm (1972) with an explicit stack.
//!
//! Components come out in reverse topological order: when one is emitted, all components that its edges lead to have been
//! emitted before it. So what depends on the successors of a component alone (what leads to a goal, the longest path) takes
//! one sweep over [`Components`], without another search.
//!
//! Cost: one pass over the states and edges given, with one look-up of 4 bytes for each edge; 8 bytes a state of the graph, kept
//! for reuse, so that the repeated passes of the fair-cycle search cost only what they look at.

use super::graph::StateGraph;

/// A state that a pass is to visit, and has not yet.
const UNSEEN: u32 = u32::MAX;
/// A state that no pass is to visit, or whose component has been emitted: an edge to it says nothing.
const DONE: u32 = u32::MAX - 1;

/// Working memory of the component search over one graph.
pub struct Sccs<'g> {
    graph: &'g StateGraph,
    /// The place of each state in the depth-first order of the pass under way. All are [`DONE`] between passes.
    number: Vec<u32>,
    stack: Vec<u32>,
    /// For each state that the pass has gone on from: the next edge, and the least number seen.
    calls: Vec<Visit>,
    /// Which tagged subset a state belongs to at the moment.
    subset: Vec<u32>,
    subsets: u32,
}

/// A state whose edges are being looked at.
#[derive(Clone, Copy)]
struct Visit {
    state: u32,
    low: u32,
    position: usize,
}

/// A subset of the states, all of whose members carry the same tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(u32);

/// Disjoint sets of states, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    states: Vec<u32>,
    /// Where each one ends.
    ends: Vec<u32>,
}

impl Components {
    /// The components of the whole graph, in reverse topological order.
    pub fn of(graph: &StateGraph) -> Self {
        let all: Vec<u32> = (0..graph.size()).collect();
        let mut found = Self { states: Vec::with_capacity(all.len()), ends: Vec::new() };
        Sccs::new(graph).components(&all, |component| found.push(component));
        found
    }

    /// Adds a component after the others.
    pub fn push(&mut self, component: &[u32]) {
        self.states.extend_from_slice(component);
        self.ends.push(self.states.len() as u32);
    }

    /// The components in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.states[start as usize..*end as usize])
    }

    /// The states of all components.
    pub fn states(&self) -> &[u32] {
        &self.states
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The same components, each in ascending order, in ascending order of their first states.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        let mut start = 0;
        for end in &self.ends {
            self.states[start..*end as usize].sort_unstable();
            start = *end as usize;
        }
        let mut all: Vec<&[u32]> = self.iter().collect();
        all.sort_unstable_by_key(|c| c.first());
        let mut sorted = Self { states: Vec::with_capacity(self.states.len()), ends: Vec::new() };
        all.into_iter().for_each(|c| sorted.push(c));
        sorted
    }
}

impl<'g> Sccs<'g> {
    /// Working memory for `graph`.
    pub fn new(graph: &'g StateGraph) -> Self {
        let number = vec![DONE; graph.size() as usize];
        Self { graph, number, stack: Vec::new(), calls: Vec::new(), subset: Vec::new(), subsets: 0 }
    }

    /// Makes `states` a subset of its own and takes them out of the subsets that they were in.
    pub fn tag(&mut self, states: &[u32]) -> Tag {
        self.subset.resize(self.number.len(), 0);
        self.subsets += 1;
        for &s in states {
            self.subset[s as usize] = self.subsets;
        }
        Tag(self.subsets)
    }

    /// Whether `state` is in the subset `tag`.
    pub fn is_in(&self, state: u32, tag: Tag) -> bool {
        self.subset[state as usize] == tag.0
    }

    /// Calls `emit` with each strongly connected component of the subgraph on `states`, trivial ones included, in
    /// reverse topological order.
    pub fn components(&mut self, states: &[u32], mut emit: impl FnMut(&[u32])) {
        for &s in states {
            self.number[s as usize] = UNSEEN;
        }
        let mut count = 0;
        for &root in states {
            if self.number[root as usize] == UNSEEN {
                self.visit(root, &mut count, &mut emit);
            }
        }
    }

    fn visit(&mut self, root: u32, count: &mut u32, emit: &mut impl FnMut(&[u32])) {
        let graph = self.graph;
        let mut at = self.open(root, count);
        loop {
            let end = graph.edges(at.state).end;
            let mut unseen = None;
            while at.position < end {
                let next = graph.targets[at.position];
                at.position += 1;
                match self.number[next as usize] {
                    UNSEEN => {
                        unseen = Some(next);
                        break;
                    }
                    // DONE is larger than every number, so it is never the least.
                    number => at.low = at.low.min(number),
                }
            }
            if let Some(next) = unseen {
                self.calls.push(at);
                at = self.open(next, count);
                continue;
            }
            if at.low == self.number[at.state as usize] {
                self.close(at.state, emit);
            }
            let Some(caller) = self.calls.pop() else { return };
            // What was emitted is a component of its own, and its number says nothing to the caller.
            at = Visit { low: caller.low.min(self.lowest(at)), ..caller };
        }
    }

    /// The least number that a visit has seen; that of no state once its component was emitted.
    fn lowest(&self, visit: Visit) -> u32 {
        if self.number[visit.state as usize] == DONE { DONE } else { visit.low }
    }

    fn open(&mut self, state: u32, count: &mut u32) -> Visit {
        let number = *count;
        self.number[state as usize] = number;
        *count += 1;
        self.stack.push(state);
        Visit { state, low: number, position: self.graph.edges(state).start }
    }

    fn close(&mut self, root: u32, emit: &mut impl FnMut(&[u32])) {
        let start = self.stack.iter().rposition(|s| *s == root).unwrap_or(0);
        for &s in &self.stack[start..] {
            self.number[s as usize] = DONE;
        }
        emit(&self.stack[start..]);
        self.stack.truncate(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(n: u32, edges: &[(u32, u32)]) -> StateGraph {
        let mut graph = StateGraph::new(0, 0);
        graph.parents = vec![0; n as usize];
        for s in 0..n {
            graph.targets.extend(edges.iter().filter(|(from, _)| *from == s).map(|(_, to)| *to));
            graph.rows.push(graph.targets.len() as u64);
        }
        graph
    }

    fn components(graph: &StateGraph, states: &[u32]) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        Sccs::new(graph).components(states, |c| {
            let mut c = c.to_vec();
            c.sort_unstable();
            found.push(c);
        });
        found
    }

    #[test]
    fn components_come_out_in_reverse_topological_order() {
        let g = graph(6, &[(0, 1), (1, 2), (2, 1), (2, 3), (3, 4), (4, 3), (5, 5), (0, 5)]);
        assert_eq!(components(&g, &[0, 1, 2, 3, 4, 5]), [vec![3, 4], vec![1, 2], vec![5], vec![0]]);
    }

    #[test]
    fn edges_that_leave_the_subset_do_not_count() {
        let g = graph(3, &[(0, 1), (1, 2), (2, 0)]);
        assert_eq!(components(&g, &[0, 1, 2]).len(), 1);
        assert_eq!(components(&g, &[0, 1]), [vec![1], vec![0]]);
    }

    #[test]
    fn a_path_of_a_million_states_needs_no_call_stack() {
        let n = 1_000_000;
        let edges: Vec<u64> = (0..n).collect();
        let mut g = StateGraph::new(0, 0);
        g.parents = vec![0; n as usize];
        g.targets = edges.iter().map(|s| (*s as u32 + 1) % n as u32).collect();
        g.rows = (0..=n).collect();
        let states: Vec<u32> = (0..n as u32).collect();
        assert_eq!(components(&g, &states).len(), 1);
    }
}
