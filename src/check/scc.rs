//! Strongly connected components, by Tarjan's algorithm (1972) with an explicit stack.
//!
//! Components come out in reverse topological order: when one is emitted, all components that its edges lead to have been
//! emitted before it. Cost: one pass over the states and edges given; 12 bytes a state of the graph, kept for reuse, so
//! that the repeated passes of the fair-cycle search cost only what they look at.

use super::graph::StateGraph;

const UNSEEN: u32 = u32::MAX;

/// Working memory of the component search over one graph.
pub struct Sccs<'g> {
    graph: &'g StateGraph,
    /// Which subset a state belongs to at the moment; only edges within one subset are followed.
    subset: Vec<u32>,
    subsets: u32,
    number: Vec<u32>,
    low: Vec<u32>,
    stack: Vec<u32>,
    calls: Vec<(u32, usize)>,
}

/// A subset of the states, all of whose members carry the same tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(u32);

impl<'g> Sccs<'g> {
    /// Working memory for `graph`.
    pub fn new(graph: &'g StateGraph) -> Self {
        let n = graph.size() as usize;
        Self {
            graph,
            subset: vec![0; n],
            subsets: 0,
            number: vec![UNSEEN; n],
            low: vec![0; n],
            stack: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// Makes `states` a subset of its own and takes them out of the subsets that they were in.
    pub fn tag(&mut self, states: &[u32]) -> Tag {
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
        let tag = self.tag(states);
        for &s in states {
            self.number[s as usize] = UNSEEN;
        }
        let mut count = 0;
        for &root in states {
            if self.number[root as usize] == UNSEEN {
                self.visit(root, tag, &mut count, &mut emit);
            }
        }
    }

    fn visit(&mut self, root: u32, tag: Tag, count: &mut u32, emit: &mut impl FnMut(&[u32])) {
        self.open(root, count);
        while let Some((state, position)) = self.calls.last_mut() {
            let state = *state;
            if *position < self.graph.edges(state).end {
                let next = self.graph.targets[*position];
                *position += 1;
                if self.subset[next as usize] != tag.0 {
                    continue;
                }
                if self.number[next as usize] == UNSEEN {
                    self.open(next, count);
                } else {
                    // An emitted component has low = UNSEEN, which is never the minimum.
                    let low = self.low[next as usize].min(self.low[state as usize]);
                    self.low[state as usize] = low;
                }
                continue;
            }
            self.calls.pop();
            let low = self.low[state as usize];
            if let Some((caller, _)) = self.calls.last() {
                let caller = *caller as usize;
                self.low[caller] = self.low[caller].min(low);
            }
            if low == self.number[state as usize] {
                self.close(state, emit);
            }
        }
    }

    fn open(&mut self, state: u32, count: &mut u32) {
        self.number[state as usize] = *count;
        self.low[state as usize] = *count;
        *count += 1;
        self.stack.push(state);
        self.calls.push((state, self.graph.edges(state).start));
    }

    fn close(&mut self, root: u32, emit: &mut impl FnMut(&[u32])) {
        let start = self.stack.iter().rposition(|s| *s == root).unwrap_or(0);
        for &s in &self.stack[start..] {
            self.low[s as usize] = UNSEEN;
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
