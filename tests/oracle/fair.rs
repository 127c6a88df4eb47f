//! What a fair path can do for ever: tried set by set.

use super::graph::{Graph, Set, Strength, contains, members};

/// What some fair path takes and visits infinitely often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrent {
    /// The transitions taken, as a mask over the graph's edges; steps that stay in a state are left out, since they
    /// neither take nor enable anything.
    pub taken: u64,
    /// The states visited.
    pub states: Set,
}

/// The most transitions of which every set is tried.
pub const MOVES_MAX: usize = 12;

/// Every set of transitions and states that some fair path takes and visits infinitely often.
pub fn recurrent_sets(graph: &Graph) -> Vec<Recurrent> {
    let moves: Vec<_> = graph.moves().collect();
    assert!(moves.len() <= MOVES_MAX, "{} transitions are too many to try every set", moves.len());
    let staying = members(graph.all()).filter(|s| graph.can_stay(*s));
    let mut candidates: Vec<Recurrent> = staying.map(|s| Recurrent { taken: 0, states: 1 << s }).collect();
    for choice in 1_u64..1 << moves.len() {
        let chosen = || moves.iter().enumerate().filter(move |(i, _)| choice >> i & 1 == 1).map(|(_, m)| *m);
        if is_strongly_connected(chosen) {
            candidates.push(Recurrent {
                taken: chosen().fold(0, |set, m| set | 1 << m.0),
                states: chosen().fold(0, |set, m| set | 1 << m.1 | 1 << m.2),
            });
        }
    }
    candidates.retain(|r| is_fair(graph, r));
    candidates
}

/// Whether every state of these transitions can be reached from every other by them alone.
fn is_strongly_connected<I: Iterator<Item = (usize, usize, usize)>>(moves: impl Fn() -> I) -> bool {
    let sources = moves().fold(0, |set: Set, m| set | 1 << m.1);
    let targets = moves().fold(0, |set: Set, m| set | 1 << m.2);
    sources == targets && members(sources).all(|start| reached_by(start, &moves) == sources)
}

fn reached_by<I: Iterator<Item = (usize, usize, usize)>>(start: usize, moves: &impl Fn() -> I) -> Set {
    let mut reached: Set = 1 << start;
    loop {
        let larger = moves().filter(|m| contains(reached, m.1)).fold(reached, |set, m| set | 1 << m.2);
        if larger == reached {
            return reached;
        }
        reached = larger;
    }
}

/// Whether a path that does exactly this for ever meets every fairness constraint.
pub fn is_fair(graph: &Graph, forever: &Recurrent) -> bool {
    graph.fairness.iter().enumerate().all(|(set, strength)| {
        let taken = graph.moves().any(|(edge, ..)| forever.taken >> edge & 1 == 1 && graph.in_set(set, edge));
        let mut states = members(forever.states);
        let demanded = match strength {
            Strength::Weak => states.all(|s| graph.enabled(set, s)),
            Strength::Strong => states.any(|s| graph.enabled(set, s)),
        };
        taken || !demanded
    })
}
