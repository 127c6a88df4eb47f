//! Judges a counterexample or an example: is it a path of the graph, does it show what it is said to show, is it short?

use super::claim::{Claim, Form, Stage};
use super::fair::{Recurrent, is_fair};
use super::graph::{Graph, Set, contains, members};
use super::{Oracle, doomed, is_trap, refutes, stem_lengths, violating_sets};
use aftercalm::property::{Kind, Lasso};

/// A path: an initial state, the edges of the stem, the edges of the loop (None: staying without an action).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub start: usize,
    pub stem: Vec<usize>,
    pub cycle: Vec<Option<usize>>,
}

/// What was measured of a path that is right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Steps of the stem beyond the shortest possible.
    pub stem_excess: usize,
    /// Steps of the loop beyond the shortest possible through the same state.
    pub loop_excess: usize,
    /// Whether there is a loop.
    pub has_loop: bool,
}

/// Judges the witness of a verdict: of a violation of the given kind, or (None) of a `reachable` that holds.
pub fn judge_lasso(
    oracle: &Oracle,
    claim: &Claim,
    kind: Option<Kind>,
    shape: Option<Lasso>,
    path: &Path,
) -> Result<Measured, String> {
    let graph = &oracle.graph;
    let stem = states_of_stem(graph, path)?;
    let joint = stem[stem.len() - 1];
    let visited = states_of_loop(graph, path, joint)?;
    if !last_stages(graph, claim, &stem).contains(&claim.last_stage()) {
        return Err(format!("the stem {stem:?} is not about the claim, or already satisfies it"));
    }
    let ends = match (claim.form, kind) {
        (Form::Always, Some(Kind::Safety)) => graph.all() & !claim.p.states(graph),
        (Form::Reachable, None) => claim.p.states(graph),
        (Form::Recoverable, Some(Kind::Trap)) => doomed(graph, claim.p.states(graph)),
        (_, Some(kind @ (Kind::Lasso | Kind::Trap))) => {
            judge_loop(graph, claim, kind, shape, path, visited)?;
            joints(oracle, claim, kind)
        }
        _ => return Err(format!("{} has no witness of kind {kind:?}", claim)),
    };
    if !contains(ends, joint) {
        return Err(format!("the stem ends in {joint}, which shows nothing"));
    }
    let shortest = members(ends).filter_map(|s| stem_lengths(graph, claim)[s]).min();
    let shortest = shortest.ok_or("the oracle knows no stem at all")?;
    let stem_excess = path.stem.len().checked_sub(shortest).ok_or("shorter than the shortest stem")?;
    let has_loop = !path.cycle.is_empty() && claim.form != Form::Recoverable;
    let loop_excess = match kind {
        Some(kind) if has_loop => {
            let shortest = shortest_loop(oracle, claim, kind, joint).ok_or("the oracle knows no loop")?;
            path.cycle.len().checked_sub(shortest).ok_or("shorter than the shortest loop")?
        }
        _ => 0,
    };
    Ok(Measured { stem_excess, loop_excess, has_loop })
}

fn states_of_stem(graph: &Graph, path: &Path) -> Result<Vec<usize>, String> {
    if !graph.initial.contains(&path.start) {
        return Err(format!("the stem starts in {}, which is no initial state", path.start));
    }
    let mut states = vec![path.start];
    for edge in &path.stem {
        states.push(follow(graph, states[states.len() - 1], *edge)?);
    }
    Ok(states)
}

fn follow(graph: &Graph, from: usize, edge: usize) -> Result<usize, String> {
    let edge = graph.edges.get(edge).ok_or(format!("there is no edge {edge}"))?;
    match edge.to {
        Some(to) if edge.from == from => Ok(to),
        _ => Err(format!("edge {edge:?} cannot be taken in {from}")),
    }
}

/// The states of the loop, the joint included; only the joint where there is no loop.
fn states_of_loop(graph: &Graph, path: &Path, joint: usize) -> Result<Set, String> {
    let mut visited = 1 << joint;
    let mut state = joint;
    for edge in &path.cycle {
        match edge {
            Some(edge) => state = follow(graph, state, *edge)?,
            None if graph.can_stutter(state) && path.cycle.len() == 1 => {}
            None => return Err(format!("the path stays in {state}, which it may not")),
        }
        visited |= 1 << state;
    }
    if state == joint { Ok(visited) } else { Err(format!("the loop from {joint} ends in {state}")) }
}

/// The stages in which a path can be at the end of the stem.
fn last_stages(graph: &Graph, claim: &Claim, stem: &[usize]) -> Vec<Stage> {
    let mut stages = claim.stages(graph, None, stem[0]);
    for state in &stem[1..] {
        stages = stages.iter().flat_map(|s| claim.stages(graph, Some(*s), *state)).collect();
    }
    stages
}

fn judge_loop(
    graph: &Graph,
    claim: &Claim,
    kind: Kind,
    shape: Option<Lasso>,
    path: &Path,
    visited: Set,
) -> Result<(), String> {
    if path.cycle.is_empty() {
        return Err("there is no loop".into());
    }
    let moves: Vec<usize> = graph.moves().map(|m| m.0).collect();
    let taken = path.cycle.iter().flatten().filter(|e| moves.contains(e)).fold(0, |set, e| set | 1 << e);
    let forever = Recurrent { taken, states: visited };
    if !is_fair(graph, &forever) {
        return Err("the loop is not fair".into());
    }
    if !refutes(graph, claim, visited) {
        return Err("the loop does not refute the claim".into());
    }
    if is_trap(graph, claim, &forever) != (kind == Kind::Trap) {
        return Err(format!("the loop is not of kind {kind:?}"));
    }
    let healthy = visited & claim.goal().states(graph) != 0;
    let expected = if healthy { Lasso::Flaps } else { Lasso::Stalls };
    match shape {
        Some(shape) if shape == expected => Ok(()),
        None if kind == Kind::Trap => Ok(()),
        _ => Err(format!("the loop is said to be {shape:?} and is {expected:?}")),
    }
}

/// The states through which a violating loop of the kind goes.
fn joints(oracle: &Oracle, claim: &Claim, kind: Kind) -> Set {
    let sets = violating_sets(oracle, claim);
    let of_kind = sets.iter().filter(|r| is_trap(&oracle.graph, claim, r) == (kind == Kind::Trap));
    of_kind.fold(0, |set, r| set | r.states)
}

/// The length of the shortest violating loop of the kind through `joint`: breadth first over states and transitions taken.
fn shortest_loop(oracle: &Oracle, claim: &Claim, kind: Kind, joint: usize) -> Option<usize> {
    let graph = &oracle.graph;
    let good: Vec<u64> = violating_sets(oracle, claim)
        .into_iter()
        .filter(|r| contains(r.states, joint) && is_trap(graph, claim, r) == (kind == Kind::Trap))
        .map(|r| r.taken)
        .collect();
    if good.contains(&0) {
        return Some(1);
    }
    let mut seen = std::collections::HashSet::new();
    let mut layer = vec![(joint, 0_u64)];
    for length in 1.. {
        let mut next = Vec::new();
        for (state, taken) in layer {
            for (edge, _, to) in graph.moves().filter(|m| m.1 == state) {
                let taken = taken | 1 << edge;
                if to == joint && good.contains(&taken) {
                    return Some(length);
                }
                if seen.insert((to, taken)) {
                    next.push((to, taken));
                }
            }
        }
        if next.is_empty() {
            return None;
        }
        layer = next;
    }
    None
}
