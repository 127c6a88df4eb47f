//! Paths through the graph that show a verdict: shortest stems, and loops that are real cycles.
//!
//! A stem is a shortest path, found breadth first, over states paired with the stage that the claim has reached: before
//! the antecedent, after it, and (for `leads_to`) since the unanswered request. A loop is a shortest closed walk through the
//! stem's last state that is fair and shows what the claim needs: found breadth first over states paired with the
//! obligations met so far. The number of such pairs can be exponential in the number of constraints, so beyond
//! [`PAIRS_MAX`] pairs the loop is put together greedily, from shortest walks to the nearest step that meets each
//! obligation; it is then a real, fair cycle, but maybe not the shortest one.
//!
//! Cost: stems O(states + edges) times at most 3 stages; loops O(edges of the component) times the obligation sets met,
//! at most [`PAIRS_MAX`]; greedily O(edges of the component × constraints).

use super::bits::Bits;
use super::fair::FairSets;
use super::graph::{NONE, StateGraph};
use std::collections::VecDeque;
use std::collections::hash_map::Entry;

type Map<K, V> = std::collections::HashMap<K, V, foldhash::fast::FixedState>;

/// Beyond so many pairs of state and obligations met, a loop is put together greedily.
pub const PAIRS_MAX: usize = 200_000;

/// A step along the edge at a position in the graph; None: a stutter step.
pub type EdgeStep = Option<usize>;

/// A path by edge positions: where it starts, and its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The first state.
    pub start: u32,
    /// The position of each edge taken (see [`StateGraph::edges`]).
    pub steps: Vec<EdgeStep>,
}

/// How a path passes from one stage of a claim to the next.
///
/// A path is in the first stage at first, and in each state it may pass to the next stage while that stage's `enter`
/// holds there. In a stage it may only visit states for which `inside` holds.
pub struct Stage<'a> {
    /// Whether a path that has come to this state passes into this stage (not asked of the first stage).
    pub enter: Box<dyn Fn(u32) -> bool + 'a>,
    /// Whether a path in this stage may be in this state.
    pub inside: Box<dyn Fn(u32) -> bool + 'a>,
}

/// A shortest path from an initial state through all stages to a state in `goal`, in the last stage.
pub fn stem(graph: &StateGraph, stages: &[Stage<'_>], goal: &Bits) -> Option<(Walk, u32)> {
    let last = stages.len() - 1;
    let mut seen: Vec<Bits> = stages.iter().map(|_| Bits::new(graph.size() as usize)).collect();
    // For each stage and state seen: the stage and state before, and the edge (usize::MAX: the stage alone changed).
    let mut before: Vec<Map<u32, (usize, u32, usize)>> = stages.iter().map(|_| Map::default()).collect();
    let mut queue: VecDeque<(usize, u32)> = VecDeque::new();
    // States are met in order of distance; passing to the next stage costs no step, so it is done on arrival.
    let mut arrive =
        |stage: usize, state: u32, from: Option<(usize, u32, usize)>, queue: &mut VecDeque<(usize, u32)>| {
            let (mut stage, mut from) = (stage, from);
            loop {
                if (stages[stage].inside)(state) && seen[stage].insert(state) {
                    if let Some(from) = from {
                        before[stage].insert(state, from);
                    }
                    queue.push_back((stage, state));
                    if stage == last && goal.get(state) {
                        return true;
                    }
                }
                if stage == last || !(stages[stage + 1].enter)(state) {
                    return false;
                }
                // A path that skips a stage's inside (it enters the next one in the same state) keeps its predecessor.
                from = if seen[stage].get(state) { Some((stage, state, usize::MAX)) } else { from };
                stage += 1;
            }
        };
    let mut found = None;
    'search: {
        for state in 0..graph.initial {
            if arrive(0, state, None, &mut queue) {
                found = Some(state);
                break 'search;
            }
        }
        while let Some((stage, state)) = queue.pop_front() {
            for position in graph.edges(state) {
                let next = graph.targets[position];
                if arrive(stage, next, Some((stage, state, position)), &mut queue) {
                    found = Some(next);
                    break 'search;
                }
            }
        }
    }
    let end = found?;
    let (mut stage, mut state) = (last, end);
    let mut steps = Vec::new();
    while let Some(&(stage_before, state_before, position)) = before[stage].get(&state) {
        if position != usize::MAX {
            steps.push(Some(position));
        }
        (stage, state) = (stage_before, state_before);
    }
    steps.reverse();
    Some((Walk { start: state, steps }, end))
}

/// What a loop must show besides being fair: it visits a state of each of these sets (for `stabilizes`: an unhealthy one).
pub type Visits<'a> = &'a [&'a Bits];

/// A closed walk from `joint` within `component` (one of [`fair_components`](super::fair::fair_components)) that is fair and
/// makes the visit: a shortest one, unless there are too many obligations.
///
/// `pairs_max` bounds the exact search; see [`PAIRS_MAX`].
pub fn fair_loop(
    graph: &StateGraph,
    fair: FairSets,
    component: &[u32],
    joint: u32,
    visits: Visits<'_>,
    pairs_max: usize,
) -> Option<Walk> {
    let members = Members { graph, component };
    let duties = Duties::of(&members, fair, visits);
    let enabled = graph.enabled(joint) & (fair.weak | fair.strong);
    if fair.may_stay(graph, joint) && enabled == 0 && visits.iter().all(|set| set.get(joint)) {
        return Some(Walk { start: joint, steps: vec![None] });
    }
    let steps = shortest(&members, &duties, joint, pairs_max).or_else(|| greedy(&members, &duties, joint))?;
    Some(Walk { start: joint, steps })
}

/// A component, as a set with its edges.
struct Members<'a> {
    graph: &'a StateGraph,
    /// Ascending.
    component: &'a [u32],
}

impl Members<'_> {
    fn contains(&self, state: u32) -> bool {
        self.component.binary_search(&state).is_ok()
    }

    /// The edges of `state` that stay in the component.
    fn edges(&self, state: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.graph.edges(state).map(|p| (p, self.graph.targets[p])).filter(|(_, to)| self.contains(*to))
    }
}

/// The obligations of a loop, as bits of one word: one bit for each visit, one for each weak set that is enabled in the
/// component ("taken or seen disabled"), and two for each strong one ("seen enabled", "taken").
struct Duties<'a> {
    visits: Visits<'a>,
    weak: Vec<u128>,
    strong: Vec<u128>,
}

type Met = u128;

impl<'a> Duties<'a> {
    fn of(members: &Members<'_>, fair: FairSets, visits: Visits<'a>) -> Self {
        let enabled = members.component.iter().fold(0, |mask, s| mask | members.graph.enabled(*s));
        let single = |sets: u128| (0..128).map(|i| 1 << i).filter(|bit| sets & bit != 0).collect();
        Self { visits, weak: single(fair.weak & enabled), strong: single(fair.strong & enabled) }
    }

    fn bits(&self) -> usize {
        self.visits.len() + self.weak.len() + 2 * self.strong.len()
    }

    fn on_state(&self, graph: &StateGraph, state: u32) -> Met {
        let enabled = graph.enabled(state);
        let mut met = 0;
        for (i, set) in self.visits.iter().enumerate() {
            met |= Met::from(set.get(state)) << i;
        }
        for (i, set) in self.weak.iter().enumerate() {
            met |= Met::from(enabled & set == 0) << (self.visits.len() + i);
        }
        for (i, set) in self.strong.iter().enumerate() {
            met |= Met::from(enabled & set != 0) << (self.visits.len() + self.weak.len() + 2 * i);
        }
        met
    }

    fn on_edge(&self, graph: &StateGraph, from: u32, position: usize) -> Met {
        let taken = graph.taken(from, position);
        let mut met = 0;
        for (i, set) in self.weak.iter().enumerate() {
            met |= Met::from(taken & set != 0) << (self.visits.len() + i);
        }
        for (i, set) in self.strong.iter().enumerate() {
            met |= Met::from(taken & set != 0) << (self.visits.len() + self.weak.len() + 2 * i + 1);
        }
        met
    }

    fn met(&self, met: Met) -> bool {
        let plain = self.visits.len() + self.weak.len();
        let all = (0..plain).all(|i| met >> i & 1 == 1);
        all && (0..self.strong.len()).all(|i| met >> (plain + 2 * i) & 0b11 != 0b01)
    }
}

/// A shortest closed walk from `joint` that meets all duties, or None where that takes too many pairs.
fn shortest(
    members: &Members<'_>,
    duties: &Duties<'_>,
    joint: u32,
    pairs_max: usize,
) -> Option<Vec<EdgeStep>> {
    if duties.bits() > Met::BITS as usize {
        return None;
    }
    let graph = members.graph;
    let first = (joint, duties.on_state(graph, joint));
    let mut before: Map<(u32, Met), (u32, Met, usize)> = Map::default();
    before.insert(first, (NONE, 0, 0));
    let mut queue = VecDeque::from([first]);
    while let Some((state, met)) = queue.pop_front() {
        for (position, next) in members.edges(state) {
            let pair = (next, met | duties.on_edge(graph, state, position) | duties.on_state(graph, next));
            if next == joint && duties.met(pair.1) {
                let mut steps = vec![Some(position)];
                let mut pair = (state, met);
                while let Some(&(s, m, p)) = before.get(&pair).filter(|b| b.0 != NONE) {
                    steps.push(Some(p));
                    pair = (s, m);
                }
                steps.reverse();
                return Some(steps);
            }
            if let Entry::Vacant(entry) = before.entry(pair) {
                entry.insert((state, met, position));
                queue.push_back(pair);
            }
        }
        if before.len() > pairs_max {
            return None;
        }
    }
    None
}

/// A closed walk from `joint` that meets the duties one after the other, each at the nearest place.
fn greedy(members: &Members<'_>, duties: &Duties<'_>, joint: u32) -> Option<Vec<EdgeStep>> {
    let graph = members.graph;
    let mut route = Route { members, at: joint, steps: Vec::new() };
    for set in duties.visits.iter().filter(|set| !set.get(joint)) {
        route.go(&|_, _, to| set.get(to))?;
    }
    for set in duties.weak.iter().filter(|set| graph.enabled(joint) & **set != 0) {
        route.go(&|from, p, to| graph.taken(from, p) & set != 0 || graph.enabled(to) & set == 0)?;
    }
    // Every strong set that is enabled somewhere in a fair component is also taken in it.
    for set in &duties.strong {
        route.go(&|from, p, _| graph.taken(from, p) & set != 0)?;
    }
    if route.at != joint || route.steps.is_empty() {
        route.go(&|_, _, to| to == joint)?;
    }
    Some(route.steps)
}

/// A walk within a component, as far as it has come.
struct Route<'a> {
    members: &'a Members<'a>,
    at: u32,
    steps: Vec<EdgeStep>,
}

impl Route<'_> {
    /// Goes on to the end of the nearest step that is a `target`.
    fn go(&mut self, target: &dyn Fn(u32, usize, u32) -> bool) -> Option<()> {
        let (walk, end) = nearest(self.members, self.at, target)?;
        self.steps.extend(walk.into_iter().map(Some));
        self.at = end;
        Some(())
    }
}

/// A shortest non-empty walk within the component whose last step is a `target`, and the state that it leads to.
fn nearest(
    members: &Members<'_>,
    start: u32,
    target: &dyn Fn(u32, usize, u32) -> bool,
) -> Option<(Vec<usize>, u32)> {
    let mut before: Map<u32, (u32, usize)> = Map::from_iter([(start, (NONE, 0))]);
    let mut queue = VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        for (position, next) in members.edges(state) {
            if target(state, position, next) {
                let mut walk = vec![position];
                let mut at = state;
                while let Some(&(s, p)) = before.get(&at).filter(|b| b.0 != NONE) {
                    walk.push(p);
                    at = s;
                }
                walk.reverse();
                return Some((walk, next));
            }
            if let Entry::Vacant(entry) = before.entry(next) {
                entry.insert((state, position));
                queue.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::fair::fair_components;
    use super::*;

    /// A graph on `n` states with the given edges (from, to, sets).
    fn graph(n: u32, edges: &[(u32, u32, u128)]) -> StateGraph {
        let mut graph = StateGraph::new(0, 0);
        graph.initial = 1;
        graph.parents = vec![NONE; n as usize];
        for s in 0..n {
            for (_, to, mask) in edges.iter().filter(|(from, ..)| *from == s) {
                graph.targets.push(*to);
                graph.labels.push(graph.masks.len() as u32);
                graph.masks.push(*mask);
            }
            graph.rows.push(graph.targets.len() as u64);
        }
        graph
    }

    fn check_loop(graph: &StateGraph, fair: FairSets, component: &[u32], walk: &Walk, visit: &Bits) {
        let (mut at, mut taken, mut always, mut ever, mut visited) = (walk.start, 0, u128::MAX, 0, false);
        for step in &walk.steps {
            let enabled = graph.enabled(at);
            (always, ever, visited) = (always & enabled, ever | enabled, visited || visit.get(at));
            let position = step.expect("these graphs have no stutter steps");
            assert!(graph.edges(at).contains(&position), "step {position} does not leave state {at}");
            taken |= graph.taken(at, position);
            at = graph.targets[position];
            assert!(component.contains(&at));
        }
        assert_eq!(at, walk.start, "the loop is closed");
        assert!(!walk.steps.is_empty() && visited);
        assert_eq!((fair.weak & always & !taken, fair.strong & ever & !taken), (0, 0), "the loop is fair");
    }

    #[test]
    fn greedy_loops_are_fair_cycles_and_exact_ones_are_never_longer() {
        let mut seed = 7_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let (mut loops, mut longer) = (0, 0);
        for _ in 0..2000 {
            let n = 2 + random(6) as u32;
            let edges: Vec<(u32, u32, u128)> = (0..3 * n)
                .map(|_| (random(u64::from(n)) as u32, random(u64::from(n)) as u32, u128::from(random(16))))
                .collect();
            let graph = graph(n, &edges);
            let fair = FairSets { weak: 0b0011, strong: 0b1100, stutters: false };
            let all: Vec<u32> = (0..n).filter(|s| !graph.is_end(*s)).collect();
            for component in fair_components(&graph, fair, &[], all) {
                let mut visit = Bits::new(n as usize);
                visit.insert(component[random(component.len() as u64) as usize]);
                for &joint in &component {
                    let exact = fair_loop(&graph, fair, &component, joint, &[&visit], PAIRS_MAX).unwrap();
                    let greedy = fair_loop(&graph, fair, &component, joint, &[&visit], 0).unwrap();
                    check_loop(&graph, fair, &component, &exact, &visit);
                    check_loop(&graph, fair, &component, &greedy, &visit);
                    assert!(exact.steps.len() <= greedy.steps.len());
                    loops += 1;
                    longer += usize::from(exact.steps.len() < greedy.steps.len());
                }
            }
        }
        assert!(loops > 1000 && longer > 10, "{loops} loops, {longer} of them longer when greedy");
    }
}
