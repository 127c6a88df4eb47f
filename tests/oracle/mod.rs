//! A naive checker that decides claims by their definition, on graphs of a few states.
//!
//! It shares nothing with the search and the decision procedures that it is to judge: no graph, no expressions, no
//! component algorithm. What a fair path can do for ever is found by trying every set of transitions that it might take
//! infinitely often; there are at most 2^12 of them. Nothing here is clever, so that it can be checked by reading. Graphs
//! with more transitions, up to 32 states, are decided by fixpoints, which small graphs show to be right.
//!
//! The words: a path is infinite and starts in an initial state; a state that can *stay* (it has no successor, or the
//! system stutters) may be repeated for ever; a claim `after a` is about the rest of the path from its first a-state.

mod claim;
mod fair;
mod fixpoint;
mod graph;
mod lasso;

pub use claim::{Claim, Expr, Form};
pub use graph::{Edge, Graph, Set, Strength, contains, members};
pub use lasso::{Path, judge_lasso};

use aftercalm::property::{Kind, Verdict};
use claim::Stage;
use fair::{MOVES_MAX, Recurrent, recurrent_sets};

/// What the oracle says about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub verdict: Verdict,
    pub kind: Option<Kind>,
    /// The number of states reachable from the first states in which the antecedent holds, these included.
    pub covered: u32,
}

/// A graph, and what its fair paths can do for ever.
pub struct Oracle {
    pub graph: Graph,
    /// None: there is too much to try.
    recurrent: Option<Vec<Recurrent>>,
}

impl Oracle {
    /// Tries everything that a path can do for ever, if the graph is small.
    pub fn new(graph: Graph) -> Self {
        let small = graph.moves().count() <= MOVES_MAX;
        Self { recurrent: small.then(|| recurrent_sets(&graph)), graph }
    }
}

/// Decides the claim by its definition.
pub fn decide(oracle: &Oracle, claim: &Claim) -> Answer {
    let graph = &oracle.graph;
    let covered = covered(graph, claim);
    let p = claim.p.states(graph);
    let (verdict, kind) = if covered == 0 || claim.form == Form::LeadsTo && covered & p == 0 {
        (Verdict::Vacuous, None)
    } else {
        match violation(oracle, claim, covered) {
            None => (Verdict::Holds, None),
            Some(kind) => (Verdict::Violated, Some(kind)),
        }
    };
    Answer { verdict, kind, covered: covered.count_ones() }
}

/// How the claim is violated, if it is.
fn violation(oracle: &Oracle, claim: &Claim, covered: Set) -> Option<Kind> {
    let graph = &oracle.graph;
    let p = claim.p.states(graph);
    match claim.form {
        Form::Always => (covered & !p != 0).then_some(Kind::Safety),
        Form::Reachable => (covered & p == 0).then_some(Kind::Safety),
        Form::Recoverable => (covered & doomed(graph, p) != 0).then_some(Kind::Trap),
        Form::Eventually | Form::LeadsTo | Form::Recurs | Form::Stabilizes => {
            let by_fixpoint = kind_by_fixpoint(graph, claim);
            if let Some(recurrent) = &oracle.recurrent {
                let violating = violating_sets(graph, recurrent, claim);
                let trap = violating.iter().any(|r| is_trap(graph, claim, r));
                let by_trying = worst(!violating.is_empty(), trap);
                assert_eq!(by_trying, by_fixpoint, "the oracle disagrees with itself: {claim}\n{graph:#?}");
            }
            by_fixpoint
        }
    }
}

fn worst(violated: bool, trap: bool) -> Option<Kind> {
    violated.then_some(if trap { Kind::Trap } else { Kind::Lasso })
}

/// How a liveness claim is violated, if it is.
fn kind_by_fixpoint(graph: &Graph, claim: &Claim) -> Option<Kind> {
    let goal = claim.goal().states(graph);
    let lengths = stem_lengths(graph, claim);
    let stem = members(graph.all()).filter(|s| lengths[*s].is_some()).fold(0, |all, s| all | 1 << s);
    let (region, visit) = match claim.form {
        Form::Stabilizes => (graph.all(), graph.all() & !goal),
        _ => (graph.all() & !goal, graph.all()),
    };
    let violates = |region: Set| stem & fixpoint::fair_states(graph, region, visit) != 0;
    worst(violates(region), violates(region & doomed(graph, goal)))
}

/// The states that the claim is about.
pub fn covered(graph: &Graph, claim: &Claim) -> Set {
    let everything = graph.reach(graph.initial(), graph.all());
    let Some(after) = &claim.after else { return everything };
    // Every a-state is reachable from the first a-state of the path that led to it, so that "first" needs no care here.
    graph.reach(everything & after.states(graph), graph.all())
}

/// The states from which no goal state can be reached, whatever path is taken.
pub fn doomed(graph: &Graph, goal: Set) -> Set {
    let hopeless = |s: &usize| graph.reach(1 << s, graph.all()) & goal == 0;
    members(graph.all()).filter(hopeless).map(|s| 1 << s).sum()
}

/// What fair paths that violate the claim can do for ever.
fn violating_sets<'a>(graph: &Graph, recurrent: &'a [Recurrent], claim: &Claim) -> Vec<&'a Recurrent> {
    let stems = stem_lengths(graph, claim);
    let refuting = recurrent.iter().filter(|r| refutes(graph, claim, r.states));
    refuting.filter(|r| members(r.states).any(|s| stems[s].is_some())).collect()
}

/// Whether a path refutes the claim by visiting exactly these states infinitely often (given the right way there).
pub fn refutes(graph: &Graph, claim: &Claim, forever: Set) -> bool {
    let goal = claim.goal().states(graph);
    match claim.form {
        Form::Stabilizes => forever & !goal != 0,
        Form::Recoverable => forever & doomed(graph, goal) != 0,
        _ => forever & goal == 0,
    }
}

/// Whether a path that visits these states for ever has lost every way to the goal.
pub fn is_trap(graph: &Graph, claim: &Claim, forever: &Recurrent) -> bool {
    forever.states & doomed(graph, claim.goal().states(graph)) != 0
}

/// For each state, the fewest steps from an initial state to it on a path that is on its way to refute the claim.
pub fn stem_lengths(graph: &Graph, claim: &Claim) -> Vec<Option<usize>> {
    let mut lengths = vec![None; graph.states];
    let mut seen: Vec<(Stage, usize)> = Vec::new();
    let mut layer: Vec<(Option<Stage>, usize)> = graph.initial.iter().map(|s| (None, *s)).collect();
    for length in 0.. {
        let mut next = Vec::new();
        for (before, state) in layer {
            for stage in claim.stages(graph, before, state) {
                if seen.contains(&(stage, state)) {
                    continue;
                }
                seen.push((stage, state));
                if stage == claim.last_stage() {
                    lengths[state] = lengths[state].or(Some(length));
                }
                next.extend(graph.moves().filter(|m| m.1 == state).map(|m| (Some(stage), m.2)));
            }
        }
        if next.is_empty() {
            break;
        }
        layer = next;
    }
    lengths
}
