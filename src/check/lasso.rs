//! Paths through the graph that show a verdict: shortest stems, and loops that are real cycles.
//!
//! A stem is a shortest path, found breadth first, over states paired with the stage that the claim has reached: before
//! the antecedent, after it, and (for `leads_to`) since the unanswered request. A loop is a shortest closed walk through the
//! stem's last state that is fair and shows what the claim needs: found breadth first over states paired with the
//! obligations met so far. The number of such pairs can be exponential in the number of constraints, so beyond
//! [`PAIRS_MAX`] pairs the loop is put together greedily: always on to the nearest step that meets any open obligation, and
//! home once there is none; it is then a real, fair cycle, but maybe not the shortest one. A strong set becomes an obligation
//! when the walk first sees it enabled, so the walk home may open one more round.
//!
//! Cost: stems O(states + edges) times at most 3 stages, 8 bytes a state and stage; loops O(edges of the component) times the
//! obligation sets met, at most [`PAIRS_MAX`]; greedily O(edges of the component × constraints), and 4 bytes a state.

use super::bits::Bits;
use super::fair::FairGraph;
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
    if goal.is_empty() {
        return None;
    }
    let last = stages.len() - 1;
    let mut seen: Vec<Bits> = stages.iter().map(|_| Bits::new(graph.size() as usize)).collect();
    let mut before: Vec<Before> = stages.iter().map(|_| Before::new(graph.size())).collect();
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
    while let Some((stage_before, state_before, position)) = before[stage].get(graph, state) {
        if position != usize::MAX {
            steps.push(Some(position));
        }
        (stage, state) = (stage_before, state_before);
    }
    steps.reverse();
    Some((Walk { start: state, steps }, end))
}

/// How a search came to the states of one stage.
struct Before {
    /// For each state: zero, if it was not come to along anything; otherwise one more than the position of the edge, shifted, and
    /// the stage before. All ones above the stage: the stage alone changed.
    links: Vec<u64>,
}

const STAGE_BITS: u32 = 3;
const SAME_STATE: u64 = u64::MAX >> STAGE_BITS;

impl Before {
    fn new(states: u32) -> Self {
        Self { links: vec![0; states as usize] }
    }

    fn insert(&mut self, state: u32, (stage, _, position): (usize, u32, usize)) {
        debug_assert!(stage < 1 << STAGE_BITS);
        let edge = if position == usize::MAX { SAME_STATE } else { position as u64 + 1 };
        self.links[state as usize] = edge << STAGE_BITS | stage as u64;
    }

    /// The stage and state before, and the edge (`usize::MAX`: the stage alone changed).
    fn get(&self, graph: &StateGraph, state: u32) -> Option<(usize, u32, usize)> {
        let link = self.links[state as usize];
        let (edge, stage) = (link >> STAGE_BITS, (link & ((1 << STAGE_BITS) - 1)) as usize);
        match edge {
            0 => None,
            SAME_STATE => Some((stage, state, usize::MAX)),
            _ => {
                let position = edge - 1;
                let from = graph.rows.partition_point(|row| *row <= position) - 1;
                Some((stage, from as u32, position as usize))
            }
        }
    }
}

/// What a loop must show besides being fair: it visits a state of each of these sets (for `stabilizes`: an unhealthy one).
pub type Visits<'a> = &'a [&'a Bits];

/// A closed walk from `joint` within `component` (one of [`fair_components`](super::fair::fair_components)) that is fair and
/// makes the visit: a shortest one, unless there are too many obligations.
///
/// `pairs_max` bounds the exact search; see [`PAIRS_MAX`].
pub fn fair_loop(
    place: FairGraph<'_>,
    component: &[u32],
    joint: u32,
    visits: Visits<'_>,
    pairs_max: usize,
) -> Option<Walk> {
    let members = Members::of(place, component);
    let enabled = place.enabled.get(joint) & (place.fair.weak | place.fair.strong);
    if place.may_stay(joint) && enabled == 0 && visits.iter().all(|set| set.get(joint)) {
        return Some(Walk { start: joint, steps: vec![None] });
    }
    let duties = Duties::of(&members, visits);
    let steps = duties.and_then(|duties| shortest(&members, &duties, joint, pairs_max));
    let steps = steps.or_else(|| greedy(&members, visits, joint))?;
    Some(Walk { start: joint, steps })
}

/// A component, as a set with its edges.
struct Members<'a> {
    place: FairGraph<'a>,
    component: &'a [u32],
    states: Bits,
}

impl<'a> Members<'a> {
    fn of(place: FairGraph<'a>, component: &'a [u32]) -> Self {
        let mut states = Bits::new(place.graph.size() as usize);
        component.iter().for_each(|s| {
            states.insert(*s);
        });
        Self { place, component, states }
    }

    /// The edges of `state` that stay in the component.
    fn edges(&self, state: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        let graph = self.place.graph;
        graph.edges(state).map(|p| (p, graph.targets[p])).filter(|(_, to)| self.states.get(*to))
    }
}

/// The obligations of a loop, as bits of one word: one bit for each visit, one for each weak set that is enabled in the
/// component ("taken or seen disabled"), and two for each strong one ("seen enabled", "taken").
struct Duties<'a> {
    visits: Visits<'a>,
    weak: Vec<u128>,
    strong: Vec<u128>,
    /// What is met by a step with each label of the graph, and in a state with each combination of enabled sets.
    by_label: Vec<Met>,
    by_combination: Vec<Met>,
}

type Met = u128;

impl<'a> Duties<'a> {
    /// None where there are more duties than bits.
    fn of(members: &Members<'_>, visits: Visits<'a>) -> Option<Self> {
        let FairGraph { graph, fair, enabled, .. } = members.place;
        let ever = members.component.iter().fold(0, |mask, s| mask | enabled.get(*s));
        let single = |sets: u128| (0..128).map(|i| 1 << i).filter(|bit| sets & bit != 0).collect();
        let (weak, strong) = (single(fair.weak & ever), single(fair.strong & ever));
        let (by_label, by_combination) = (Vec::new(), Vec::new());
        let mut duties = Self { visits, weak, strong, by_label, by_combination };
        if duties.visits.len() + duties.weak.len() + 2 * duties.strong.len() > Met::BITS as usize {
            return None;
        }
        duties.by_label = graph.masks.iter().map(|taken| duties.spread(*taken, *taken, 1)).collect();
        let combinations = enabled.combinations().iter();
        duties.by_combination = combinations.map(|enabled| duties.spread(!enabled, *enabled, 0)).collect();
        Some(duties)
    }

    /// The bits of these weak sets, and one of the two bits of these strong sets.
    fn spread(&self, weak: u128, strong: u128, which: usize) -> Met {
        let mut met = 0;
        for (i, set) in self.weak.iter().enumerate() {
            met |= Met::from(weak & set != 0) << (self.visits.len() + i);
        }
        for (i, set) in self.strong.iter().enumerate() {
            met |= Met::from(strong & set != 0) << (self.visits.len() + self.weak.len() + 2 * i + which);
        }
        met
    }

    fn on_state(&self, place: FairGraph<'_>, state: u32) -> Met {
        let mut met = place.enabled.number(state).map_or(0, |number| self.by_combination[number]);
        for (i, set) in self.visits.iter().enumerate() {
            met |= Met::from(set.get(state)) << i;
        }
        met
    }

    /// A step that leaves the state unchanged takes nothing.
    fn on_edge(&self, place: FairGraph<'_>, from: u32, position: usize) -> Met {
        if place.graph.targets[position] == from {
            return 0;
        }
        place.graph.labels.get(position).map_or(0, |label| self.by_label[*label as usize])
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
    let place = members.place;
    let first = (joint, duties.on_state(place, joint));
    let mut before: Map<(u32, Met), (u32, Met, usize)> = Map::default();
    before.insert(first, (NONE, 0, 0));
    let mut queue = VecDeque::from([first]);
    while let Some((state, met)) = queue.pop_front() {
        for (position, next) in members.edges(state) {
            let pair = (next, met | duties.on_edge(place, state, position) | duties.on_state(place, next));
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

/// A closed walk from `joint` that goes on to the nearest step that meets an open duty until none is open at home.
fn greedy(members: &Members<'_>, visits: Visits<'_>, joint: u32) -> Option<Vec<EdgeStep>> {
    let place = members.place;
    let mut open = Open::at(place, joint, visits);
    let mut route = Route::from(members, joint);
    loop {
        // Each round meets a duty or ends at home, and duties never come back: there is an end.
        while !open.is_met() {
            route.go(&|from, p, to| open.is_met_by(place.graph.taken(from, p), place.enabled.get(to), to))?;
            open = route.pass(open);
        }
        if route.at == joint && !route.steps.is_empty() {
            return Some(route.steps);
        }
        route.go(&|_, _, to| to == joint)?;
        open = route.pass(open);
    }
}

/// The duties of a walk that are still open. A strong set is one once it was seen enabled.
#[derive(Clone, Debug)]
struct Open<'a> {
    visits: Vec<&'a Bits>,
    /// Weak sets neither taken nor seen disabled so far.
    weak: u128,
    /// Strong sets seen enabled, and those taken.
    strong: u128,
    seen: u128,
    taken: u128,
}

impl<'a> Open<'a> {
    fn at(place: FairGraph<'_>, joint: u32, visits: Visits<'a>) -> Self {
        let FairGraph { fair, enabled, .. } = place;
        let enabled = enabled.get(joint);
        let visits = visits.iter().copied().filter(|set| !set.get(joint)).collect();
        Self { visits, weak: fair.weak & enabled, strong: fair.strong, seen: fair.strong & enabled, taken: 0 }
    }

    fn is_met(&self) -> bool {
        self.visits.is_empty() && self.weak == 0 && self.seen & !self.taken == 0
    }

    /// Whether a step that takes these sets, to a state that enables those, meets one.
    fn is_met_by(&self, taken: u128, enabled: u128, to: u32) -> bool {
        let fair = self.weak & (taken | !enabled) | self.seen & !self.taken & taken;
        fair != 0 || self.visits.iter().any(|set| set.get(to))
    }

    fn step(&mut self, taken: u128, enabled: u128, to: u32) {
        self.visits.retain(|set| !set.get(to));
        self.weak &= enabled & !taken;
        self.taken |= taken;
        self.seen |= self.strong & enabled;
    }
}

/// A walk within a component, as far as it has come.
struct Route<'a> {
    members: &'a Members<'a>,
    at: u32,
    steps: Vec<EdgeStep>,
    /// How many of the steps have been counted against the duties, and where they lead.
    passed: usize,
    passed_to: u32,
    /// For each state that a search has seen, one more than the state before; zero between searches.
    before: Vec<u32>,
}

impl<'a> Route<'a> {
    fn from(members: &'a Members<'a>, joint: u32) -> Self {
        let before = vec![0; members.place.graph.size() as usize];
        Self { members, at: joint, steps: Vec::new(), passed: 0, passed_to: joint, before }
    }

    /// Goes on to the end of the nearest step that is a `target`.
    fn go(&mut self, target: &dyn Fn(u32, usize, u32) -> bool) -> Option<()> {
        let graph = self.members.place.graph;
        let mut seen = vec![self.at];
        self.before[self.at as usize] = self.at + 1;
        let found = self.nearest(&mut seen, target);
        if let Some((state, position)) = found {
            let mut walk = vec![Some(position)];
            let mut to = state;
            while to != self.at {
                let from = self.before[to as usize] - 1;
                walk.push(graph.edges(from).find(|p| graph.targets[*p] == to));
                to = from;
            }
            self.steps.extend(walk.into_iter().rev());
            self.at = graph.targets[position];
        }
        seen.iter().for_each(|s| self.before[*s as usize] = 0);
        found.map(|_| ())
    }

    /// The nearest step that is a target, breadth first. `seen` holds the start, and takes all that is come to.
    fn nearest(
        &mut self,
        seen: &mut Vec<u32>,
        target: &dyn Fn(u32, usize, u32) -> bool,
    ) -> Option<(u32, usize)> {
        let mut at = 0;
        while let Some(&state) = seen.get(at) {
            for (position, next) in self.members.edges(state) {
                if target(state, position, next) {
                    return Some((state, position));
                }
                if self.before[next as usize] == 0 {
                    self.before[next as usize] = state + 1;
                    seen.push(next);
                }
            }
            at += 1;
        }
        None
    }

    /// What is open after the steps that were not counted yet.
    fn pass<'b>(&mut self, mut open: Open<'b>) -> Open<'b> {
        let FairGraph { graph, enabled, .. } = self.members.place;
        for position in self.steps[self.passed..].iter().flatten() {
            let to = graph.targets[*position];
            open.step(graph.taken(self.passed_to, *position), enabled.get(to), to);
            self.passed_to = to;
        }
        self.passed = self.steps.len();
        open
    }
}

#[cfg(test)]
mod tests {
    use super::super::enabled::Enabled;
    use super::super::fair::{FairSets, Region, fair_components};
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
            let enabled = Enabled::of(&graph);
            let place = FairGraph { graph: &graph, fair, enabled: &enabled, staying_is_an_edge: false };
            for component in fair_components(place, &[], Region::States(all)).iter() {
                let mut visit = Bits::new(n as usize);
                visit.insert(component[random(component.len() as u64) as usize]);
                for &joint in component {
                    let exact = fair_loop(place, component, joint, &[&visit], PAIRS_MAX).unwrap();
                    let greedy = fair_loop(place, component, joint, &[&visit], 0).unwrap();
                    check_loop(&graph, fair, component, &exact, &visit);
                    check_loop(&graph, fair, component, &greedy, &visit);
                    assert!(exact.steps.len() <= greedy.steps.len());
                    loops += 1;
                    longer += usize::from(exact.steps.len() < greedy.steps.len());
                }
            }
        }
        assert!(loops > 1000 && longer > 10, "{loops} loops, {longer} of them longer when greedy");
    }
}
