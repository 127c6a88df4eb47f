//! Paths of an explicit graph, tried out one by one.

use crate::oracle::{Claim, Expr, Form, Graph, Set, Strength, contains, members};
use aftercalm::property::Ltl;

/// The states in which a path can be when the claim begins to be about it.
pub fn first(graph: &Graph, after: Option<&Expr>) -> Set {
    let Some(after) = after else { return graph.initial() };
    let met = after.states(graph);
    let before = graph.reach(graph.initial(), graph.all() & !met);
    let steps = graph.moves().filter(|m| contains(before, m.1)).fold(0, |set, m| set | 1 << m.2);
    (graph.initial() | steps) & met
}

/// The states in which recovery is outstanding: without p (`leads_to`: q), or for `stabilizes` with a state without p ahead.
pub fn outstanding(graph: &Graph, claim: &Claim) -> Set {
    let unhealthy = graph.all() & !claim.goal().states(graph);
    if claim.form != Form::Stabilizes {
        return unhealthy;
    }
    let ahead = |s: &usize| graph.reach(1 << s, graph.all()) & unhealthy != 0;
    members(graph.all()).filter(ahead).fold(0, |set, s| set | 1 << s)
}

/// The most steps until recovery; None where a path can go on without it for ever.
pub fn worst(graph: &Graph, claim: &Claim) -> Option<u64> {
    let region = outstanding(graph, claim);
    let seeds = match claim.form {
        Form::LeadsTo => crate::oracle::covered(graph, claim) & claim.p.states(graph),
        _ => first(graph, claim.after.as_ref()),
    };
    let mut most = vec![None; graph.states];
    members(seeds)
        .map(|s| steps_left(graph, region, s, graph.states as u64, &mut most))
        .try_fold(0, |most, steps| Some(most.max(steps?)))
}

/// The most steps from `state` until the region is left, or None if that takes more than `limit`.
fn steps_left(
    graph: &Graph,
    region: Set,
    state: usize,
    limit: u64,
    known: &mut [Option<u64>],
) -> Option<u64> {
    if !contains(region, state) {
        return Some(0);
    }
    if limit == 0 || graph.can_stay(state) {
        return None;
    }
    if let Some(steps) = known[state] {
        return Some(steps);
    }
    let mut most = 0;
    for (_, _, to) in graph.moves().filter(|m| m.1 == state) {
        most = most.max(1 + steps_left(graph, region, to, limit - 1, known)?);
    }
    known[state] = Some(most);
    Some(most)
}

/// A fair lasso with at most `length` steps in all whose word, from the antecedent on, refutes the formula.
pub fn refuting_lasso(
    graph: &Graph,
    after: Option<&Expr>,
    formula: &Ltl,
    length: usize,
) -> Option<Vec<usize>> {
    let met = after.map(|a| a.states(graph));
    let mut walks: Vec<Walk> =
        members(graph.initial()).map(|s| Walk { states: vec![s], edges: Vec::new() }).collect();
    while let Some(walk) = walks.pop() {
        let last = walk.states[walk.states.len() - 1];
        for joint in (0..walk.states.len() - 1).filter(|i| walk.states[*i] == last) {
            if walk.refutes(graph, joint, met, formula) {
                return Some(walk.states);
            }
        }
        if walk.edges.len() < length {
            let edges = graph.edges.iter().enumerate().filter(|(_, e)| e.from == last);
            let steps = edges.filter_map(|(i, e)| Some((Some(i), e.to?)));
            let stay = graph.can_stutter(last).then_some((None, last));
            walks.extend(steps.chain(stay).map(|(edge, to)| {
                let mut next = walk.clone();
                next.states.push(to);
                next.edges.push(edge);
                next
            }));
        }
    }
    None
}

/// States, and the edge between each and the next (None: staying).
#[derive(Clone)]
struct Walk {
    states: Vec<usize>,
    edges: Vec<Option<usize>>,
}

impl Walk {
    /// Whether the walk, with a loop from its end back to its state number `joint`, is fair and refutes the formula.
    fn refutes(&self, graph: &Graph, joint: usize, met: Option<Set>, formula: &Ltl) -> bool {
        let cycle = self.edges.len() - joint;
        // Two turns, so that the antecedent may come in the first one.
        let turn = &self.states[joint + 1..];
        let word: Vec<usize> = self.states.iter().chain(turn).copied().collect();
        let start = met.map_or(Some(0), |met| word.iter().position(|s| contains(met, *s)));
        let Some(start) = start else { return false };
        let suffix = &word[start..];
        let atom = |name: &str, i: usize| {
            let number: usize = name[1..].parse().expect("atoms are named a0, a1, ..");
            contains(graph.atoms[number], suffix[i])
        };
        self.is_fair(graph, joint) && !formula.holds_on(suffix.len() - cycle, cycle, &atom)
    }

    fn is_fair(&self, graph: &Graph, joint: usize) -> bool {
        let steps = || (joint..self.edges.len()).map(|i| (self.states[i], self.edges[i], self.states[i + 1]));
        graph.fairness.iter().enumerate().all(|(set, strength)| {
            let taken =
                steps().any(|(from, edge, to)| from != to && edge.is_some_and(|e| graph.in_set(set, e)));
            let mut enabled = steps().map(|(from, ..)| graph.enabled(set, from));
            taken
                || match strength {
                    Strength::Weak => enabled.any(|e| !e),
                    Strength::Strong => !enabled.any(|e| e),
                }
        })
    }
}
