//! Judges a counterexample or an example: is it a path of the graph, does it show what it is said to show, is it short?

use super::claim::{Claim, Form, Stage};
use super::fair::{Recurrent, is_fair};
use super::graph::{Graph, Set, contains, members};
use super::{Oracle, is_trap, refutes, stem_lengths, violating_sets};
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
///
/// `exact`: what is called a lasso is no trap. A search that was cut short cannot know, but what it calls a trap is one.
pub fn judge_lasso(
    oracle: &Oracle,
    claim: &Claim,
    kind: Option<Kind>,
    shape: Option<Lasso>,
    exact: bool,
    path: &Path,
) -> Result<Measured, String> {
    let graph = &oracle.graph;
    let stem = states_of_stem(graph, path)?;
    let joint = stem[stem.len() - 1];
    let visited = states_of_loop(graph, path, joint)?;
    if !last_stages(graph, claim, &stem).contains(&claim.last_stage()) {
        return Err(format!("the stem {stem:?} is not about the claim, or already satisfies it"));
    }
    // Where the witness may end, and the loops and the kind of them of which it shows one.
    let (ends, loops) = match (claim.form, kind) {
        (Form::Always, Some(Kind::Safety)) => (graph.all() & !claim.p.states(graph), None),
        (Form::Reachable, None) => (claim.p.states(graph), None),
        (Form::Always | Form::Reachable, _) => {
            return Err(format!("{claim} has no witness of kind {kind:?}"));
        }
        (_, said) => {
            let found = judge_loop(graph, claim, shape, path, visited)?;
            if said != Some(found) && (exact || said != Some(Kind::Lasso)) {
                return Err(format!("the loop is said to be of kind {said:?} and is a {found}"));
            }
            // Where no loops are known, this one is as good as another.
            let known = oracle.recurrent.as_ref().map(|all| violating_sets(graph, all, claim));
            match known {
                Some(known) => (joints(graph, claim, &known, found), Some((known, found))),
                None => return Ok(Measured { has_loop: true, ..Measured::default() }),
            }
        }
    };
    if !contains(ends, joint) {
        return Err(format!("the stem ends in {joint}, which shows nothing"));
    }
    let shortest = members(ends).filter_map(|s| stem_lengths(graph, claim)[s]).min();
    let shortest = shortest.ok_or("the oracle knows no stem at all")?;
    let stem_excess = path.stem.len().checked_sub(shortest).ok_or("shorter than the shortest stem")?;
    let loop_excess = match &loops {
        Some((known, kind)) => {
            let shortest =
                shortest_loop(graph, claim, known, *kind, joint).ok_or("the oracle knows no loop")?;
            path.cycle.len().checked_sub(shortest).ok_or("shorter than the shortest loop")?
        }
        None => 0,
    };
    Ok(Measured { stem_excess, loop_excess, has_loop: loops.is_some() })
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

/// The kind of violation that the loop shows.
fn judge_loop(
    graph: &Graph,
    claim: &Claim,
    shape: Option<Lasso>,
    path: &Path,
    visited: Set,
) -> Result<Kind, String> {
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
    let kind = if is_trap(graph, claim, &forever) { Kind::Trap } else { Kind::Lasso };
    let healthy = visited & claim.goal().states(graph) != 0;
    let expected = if healthy { Lasso::Flaps } else { Lasso::Stalls };
    if shape == Some(expected) || shape.is_none() && kind == Kind::Trap {
        Ok(kind)
    } else {
        Err(format!("the loop is said to be {shape:?} and is {expected:?}"))
    }
}

/// The states through which a violating loop of the kind goes.
fn joints(graph: &Graph, claim: &Claim, known: &[&Recurrent], kind: Kind) -> Set {
    let of_kind = known.iter().filter(|r| is_trap(graph, claim, r) == (kind == Kind::Trap));
    of_kind.fold(0, |set, r| set | r.states)
}

/// The length of the shortest loop of the kind through `joint`: breadth first over states and transitions taken.
fn shortest_loop(
    graph: &Graph,
    claim: &Claim,
    known: &[&Recurrent],
    kind: Kind,
    joint: usize,
) -> Option<usize> {
    let good: Vec<u64> = known
        .iter()
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
