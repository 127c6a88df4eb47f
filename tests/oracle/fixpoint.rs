//! What a fair path can do for ever, on graphs that are too large to try every set of transitions: a second method, by
//! fixpoints (Emerson and Lei 1986). On small graphs both are used and must agree.
//!
//! For every choice of the strongly fair sets that the path takes again and again: the others must not be enabled any
//! more, which confines the path; the rest is "again and again" alone. The states that can go on so for ever are what is
//! left when those are removed, until nothing changes, that cannot get to one of the things that must happen again.

use super::graph::{Graph, Set, Strength, contains, members};

/// A step within a region: source, target, the fairness sets taken.
type StepOf = (usize, usize, u32);

/// States of `region` in which a fair path can be that stays in `region` for ever, and visits `visit` again and again. Not
/// every such state, but some of each such path: those from where on no set is enabled any more that it does not take.
pub fn fair_states(graph: &Graph, region: Set, visit: Set) -> Set {
    let sets = graph.fairness.len();
    let weak = (0..sets).filter(|i| graph.fairness[*i] == Strength::Weak).fold(0, |all, i| all | 1 << i);
    let choices = (0_u32..1 << sets).filter(|taken| taken & weak == 0);
    choices.fold(0, |found, taken| {
        let forbidden = (0..sets).filter(|i| (taken | weak) >> i & 1 == 0);
        let confined = forbidden.fold(region, |states, i| states & !enabling(graph, i));
        found | again_and_again(graph, confined, visit, taken, weak)
    })
}

/// The states that enable a fairness set.
fn enabling(graph: &Graph, set: usize) -> Set {
    members(graph.all()).filter(|s| graph.enabled(set, *s)).fold(0, |all, s| all | 1 << s)
}

fn again_and_again(graph: &Graph, region: Set, visit: Set, strong: u32, weak: u32) -> Set {
    // Each of these must happen again and again: a visit; a step of each strong set; for each weak set a step of it, or
    // a state that does not enable it.
    let mut duties: Vec<Box<dyn Fn(StepOf) -> bool>> =
        vec![Box::new(move |(from, ..)| contains(visit, from))];
    for set in 0..graph.fairness.len() {
        let enabling = enabling(graph, set);
        if strong >> set & 1 == 1 {
            duties.push(Box::new(move |(_, _, taken)| taken >> set & 1 == 1));
        } else if weak >> set & 1 == 1 {
            duties.push(Box::new(move |(from, _, taken)| taken >> set & 1 == 1 || !contains(enabling, from)));
        }
    }
    let moves = graph.moves().map(|(edge, from, to)| (from, to, graph.edges[edge].sets));
    let stays = members(graph.all()).filter(|s| graph.can_stay(*s)).map(|s| (s, s, 0));
    let steps: Vec<StepOf> = moves.chain(stays).collect();
    let mut left = region;
    loop {
        let before = left;
        for duty in &duties {
            let within = |s: &&StepOf| contains(left, s.0) && contains(left, s.1);
            let done = steps.iter().filter(within).filter(|s| duty(**s)).fold(0, |all, s| all | 1 << s.0);
            left = getting_to(&steps, done, left);
        }
        if left == before {
            return left;
        }
    }
}

/// The states of `within` from which steps within it lead to `goal`.
fn getting_to(steps: &[StepOf], goal: Set, within: Set) -> Set {
    let mut found = goal & within;
    loop {
        let larger = steps
            .iter()
            .filter(|s| contains(found, s.1) && contains(within, s.0))
            .fold(found, |all, s| all | 1 << s.0);
        if larger == found {
            return found;
        }
        found = larger;
    }
}
