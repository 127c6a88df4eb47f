//! The cheapest intervention: from the worst state that the system can come to by itself, the fewest operator actions, and
//! their order, after which recovery is certain whatever else happens.
//!
//! It is a game on the graph with the operator's actions in it. In each state the operator either acts, in one of the ways
//! the model offers, or lets a step pass; then everything else that the model leaves open is decided against the operator.
//! States are ranked by the fewest actions that are enough:
//!
//! - rank 0: without any further action, every fair behaviour recovers for good. The complement of what leads, without the
//!   operator, to a fair cycle with an unhealthy state.
//! - rank k: some action leads into ranks below k whatever happens; or, letting steps pass, every path leads in a bounded
//!   number of steps into states of rank k (an attractor, as in the solution of reachability games; Zermelo 1913, Büchi and
//!   Landweber 1969).
//!
//! A state without rank cannot be helped by any number of actions. Waiting is worth something only where it ends for
//! certain within a bounded number of steps: fairness alone is not relied upon.
//!
//! Cost: O((states + edges) × the highest rank), on the graph with the operator's actions.

use super::bits::Bits;
use super::enabled::Enabled;
use super::fair::{FairGraph, FairSets, Region, fair_components};
use super::graph::StateGraph;
use super::lasso::{EdgeStep, Stage, Walk, stem};

/// What the operator does in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    Wait,
    /// Acts, in all the ways that these bits name at once.
    Act(u128),
}

/// The cheapest intervention from the worst state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intervention {
    /// The fewest actions; None: no number of them is enough.
    pub actions: Option<u64>,
    /// The way to the worst state, without the operator.
    pub lead: Walk,
    /// One way on from there, in which everything else goes as badly as it can: each step, and the actions taken in it.
    pub plan: Vec<(EdgeStep, u128)>,
}

/// The question: when is which system healthy, and how does the operator act in it?
pub struct Question<'a> {
    /// The graph with the operator's actions; complete.
    pub graph: &'a StateGraph,
    /// Fairness.
    pub fair: FairSets,
    /// The bits of the edge masks that are operator actions.
    pub operators: u128,
    /// The states in which the goal is not met.
    pub unhealthy: &'a Bits,
    /// The antecedent of the claim.
    pub antecedent: Option<&'a Bits>,
}

/// Answers the question.
pub fn intervention(question: &Question<'_>) -> Option<Intervention> {
    let Question { graph, fair, operators, unhealthy, antecedent } = *question;
    let idle = graph.without(operators);
    let anywhere = |_: u32| true;
    let by_itself = idle.reach(0..graph.initial, anywhere);
    let covered = match antecedent {
        None => by_itself,
        Some(a) => idle.reach(by_itself.and(a).iter(), anywhere),
    };
    let ranks = Ranks::new(graph, &idle, fair, operators, unhealthy);
    // The worst state: without a rank, or with the highest; of these, one found first.
    let badness = |s: &u32| ranks.rank[*s as usize].map_or(u64::MAX, u64::from);
    let worst = covered.iter().max_by_key(|s| (badness(s), std::cmp::Reverse(*s)))?;
    let mut goal = Bits::new(graph.size() as usize);
    goal.insert(worst);
    let mut stages: Vec<Stage<'_>> = Vec::new();
    if let Some(a) = antecedent {
        stages.push(Stage { enter: Box::new(|_| true), inside: Box::new(move |s| !a.get(s)) });
        stages.push(Stage { enter: Box::new(move |s| a.get(s)), inside: Box::new(|_| true) });
    } else {
        stages.push(Stage { enter: Box::new(|_| true), inside: Box::new(|_| true) });
    }
    let (mut lead, _) = stem(&idle, &stages, &goal)?;
    let mut at = lead.start;
    for step in &mut lead.steps {
        let Some(position) = *step else { continue };
        let to = idle.targets[position];
        *step = graph.edges(at).find(|p| graph.targets[*p] == to && graph.mask(*p) & operators == 0);
        at = to;
    }
    Some(Intervention {
        actions: ranks.rank[worst as usize].map(u64::from),
        plan: ranks.plan(graph, operators, worst),
        lead,
    })
}

struct Ranks {
    rank: Vec<Option<u32>>,
    moves: Vec<Move>,
}

impl Ranks {
    fn new(graph: &StateGraph, idle: &StateGraph, fair: FairSets, operators: u128, unhealthy: &Bits) -> Self {
        let n = graph.size() as usize;
        let into = Reverse::of(idle);
        let all: Vec<u32> = (0..graph.size()).collect();
        let enabled = Enabled::of(idle);
        let place = FairGraph { graph: idle, fair, enabled: &enabled, staying_is_an_edge: false };
        let cycles = fair_components(place, &[unhealthy], Region::States(all));
        let doomed = into.reach(cycles.states().iter().copied());
        let mut ranks = Self { rank: vec![None; n], moves: vec![Move::Wait; n] };
        let mut reached: Vec<u32> = (0..graph.size()).filter(|s| !doomed.get(*s)).collect();
        // How many ways of letting a step pass lead to states that have no rank yet. Where one may stay, that never ends.
        let mut open: Vec<u64> = (0..graph.size())
            .map(|s| if fair.may_stay(idle, s) { u64::MAX } else { idle.edges(s).len() as u64 })
            .collect();
        let mut level = 0;
        while !reached.is_empty() {
            for s in &reached {
                ranks.rank[*s as usize] = Some(level);
            }
            let mut queue = std::mem::take(&mut reached);
            while let Some(state) = queue.pop() {
                for &before in into.states(state) {
                    let b = before as usize;
                    open[b] = open[b].saturating_sub(u64::from(open[b] != u64::MAX));
                    if open[b] == 0 && ranks.rank[b].is_none() {
                        ranks.rank[b] = Some(level);
                        queue.push(before);
                    }
                }
            }
            level += 1;
            for s in (0..graph.size()).filter(|s| ranks.rank[*s as usize].is_none()) {
                if let Some(act) = ranks.winning_act(graph, operators, s) {
                    ranks.moves[s as usize] = Move::Act(act);
                    reached.push(s);
                }
            }
        }
        ranks
    }

    /// An action that leads to states that have a rank, whatever happens.
    fn winning_act(&self, graph: &StateGraph, operators: u128, state: u32) -> Option<u128> {
        let act = |p: usize| graph.mask(p) & operators;
        let mut acts: Vec<u128> = graph.edges(state).map(act).filter(|act| *act != 0).collect();
        acts.sort_unstable();
        acts.dedup();
        let ranked = |p: &usize| self.rank[graph.targets[*p] as usize].is_some();
        acts.into_iter().find(|a| graph.edges(state).filter(|p| act(*p) == *a).all(|p| ranked(&p)))
    }

    /// The steps from `state` until no action is needed any more, each to the worst state that it can lead to.
    fn plan(&self, graph: &StateGraph, operators: u128, state: u32) -> Vec<(EdgeStep, u128)> {
        let mut plan = Vec::new();
        let mut at = state;
        while self.rank[at as usize].is_some_and(|rank| rank > 0) && plan.len() <= graph.size() as usize {
            let act = match self.moves[at as usize] {
                Move::Wait => 0,
                Move::Act(act) => act,
            };
            let steps = graph.edges(at).filter(|p| graph.mask(*p) & operators == act);
            let worst = steps.max_by_key(|p| (self.rank[graph.targets[*p] as usize], std::cmp::Reverse(*p)));
            let Some(position) = worst else { break };
            plan.push((Some(position), act));
            at = graph.targets[position];
        }
        plan
    }
}

/// The edges of a graph, backwards.
struct Reverse {
    rows: Vec<usize>,
    sources: Vec<u32>,
}

impl Reverse {
    fn of(graph: &StateGraph) -> Self {
        let n = graph.size() as usize;
        let mut rows = vec![0; n + 1];
        for &to in &graph.targets {
            rows[to as usize + 1] += 1;
        }
        for i in 0..n {
            rows[i + 1] += rows[i];
        }
        let mut next = rows.clone();
        let mut sources = vec![0; graph.targets.len()];
        for from in 0..graph.size() {
            for &to in graph.successors(from) {
                sources[next[to as usize]] = from;
                next[to as usize] += 1;
            }
        }
        Self { rows, sources }
    }

    fn states(&self, to: u32) -> &[u32] {
        &self.sources[self.rows[to as usize]..self.rows[to as usize + 1]]
    }

    fn reach(&self, seeds: impl Iterator<Item = u32>) -> Bits {
        let mut found = Bits::new(self.rows.len());
        let mut queue: Vec<u32> = seeds.filter(|s| found.insert(*s)).collect();
        while let Some(state) = queue.pop() {
            for &before in self.states(state) {
                if found.insert(before) {
                    queue.push(before);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operators are bits 1 and 2. Edges: from, to, mask.
    fn graph(n: u32, edges: &[(u32, u32, u128)]) -> StateGraph {
        let mut graph = StateGraph::new(0, 0);
        graph.initial = 1;
        graph.parents = vec![super::super::graph::NONE; n as usize];
        graph.masks = vec![0, 1, 2, 3];
        for s in 0..n {
            for (_, to, mask) in edges.iter().filter(|(from, ..)| *from == s) {
                graph.targets.push(*to);
                graph.labels.push(*mask as u32);
            }
            graph.rows.push(graph.targets.len() as u64);
        }
        graph
    }

    fn solve(n: u32, edges: &[(u32, u32, u128)], unhealthy: &[u32]) -> (Option<u64>, Vec<u128>) {
        let graph = graph(n, edges);
        let mut states = Bits::new(n as usize);
        unhealthy.iter().for_each(|s| {
            states.insert(*s);
        });
        let fair = FairSets::default();
        let question = Question { graph: &graph, fair, operators: 3, unhealthy: &states, antecedent: None };
        let answer = intervention(&question).unwrap();
        (answer.actions, answer.plan.iter().map(|(_, act)| *act).filter(|act| *act != 0).collect())
    }

    #[test]
    fn a_system_that_recovers_by_itself_needs_nothing() {
        assert_eq!(solve(3, &[(0, 1, 0), (1, 2, 0), (2, 2, 0)], &[1]), (Some(0), vec![]));
    }

    #[test]
    fn the_order_of_actions_is_found() {
        // 1 is the trap; action 1 then action 2 help, action 2 first leads into a worse one that nothing helps.
        let edges = [(0, 1, 0), (1, 1, 0), (1, 2, 1), (2, 2, 0), (2, 3, 2), (3, 3, 0), (1, 4, 2), (4, 4, 0)];
        assert_eq!(solve(5, &edges, &[1, 2, 4]), (Some(2), vec![1, 2]));
    }

    #[test]
    fn what_can_go_wrong_in_the_tick_of_the_action_goes_wrong() {
        // The action leads home or back into the trap: it is never certain.
        let edges = [(0, 1, 0), (1, 1, 0), (1, 2, 1), (1, 1, 1), (2, 2, 0)];
        assert_eq!(solve(3, &edges, &[1]), (None, vec![]));
    }

    #[test]
    fn the_operator_may_wait_for_the_right_moment_if_it_comes_for_certain() {
        // 1 -> 2 -> 1 for ever; acting in 2 helps, acting in 1 does not.
        let edges = [(0, 1, 0), (1, 2, 0), (2, 1, 0), (1, 1, 1), (2, 3, 1), (3, 3, 0)];
        assert_eq!(solve(4, &edges, &[1, 2]), (Some(1), vec![1]));
        // If the moment can be put off for ever, it is not certain.
        let edges = [(0, 1, 0), (1, 2, 0), (1, 1, 0), (2, 1, 0), (1, 1, 1), (2, 3, 1), (3, 3, 0)];
        assert_eq!(solve(4, &edges, &[1, 2]), (None, vec![]));
    }

    #[test]
    fn ranks_are_the_least_solution_of_their_defining_equation() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut helped = 0;
        for _ in 0..3000 {
            let n = random.u32(2..8);
            let edges: Vec<(u32, u32, u128)> = (0..random.u32(n..4 * n))
                .map(|_| (random.u32(0..n), random.u32(0..n), u128::from(random.u32(0..5).saturating_sub(1))))
                .collect();
            let mut unhealthy = Bits::new(n as usize);
            (0..n).filter(|_| random.bool()).for_each(|s| {
                unhealthy.insert(s);
            });
            let graph = graph(n, &edges);
            let idle = graph.without(3);
            let fair = FairSets::default();
            let ranks = Ranks::new(&graph, &idle, fair, 3, &unhealthy);
            let expected = naive(n, &edges, &unhealthy);
            let found: Vec<u64> = ranks.rank.iter().map(|r| r.map_or(u64::MAX, u64::from)).collect();
            assert_eq!(found, expected, "{edges:?} {unhealthy:?}");
            helped += expected.iter().filter(|r| **r > 0 && **r < u64::MAX).count();
        }
        assert!(helped > 500, "{helped}");
    }

    /// Starts from "nothing helps" and applies the equation until nothing changes.
    fn naive(n: u32, edges: &[(u32, u32, u128)], unhealthy: &Bits) -> Vec<u64> {
        let after = |s: u32, mask: u128| {
            let out = edges.iter().filter(move |e| e.0 == s && e.2 == mask);
            let targets: Vec<u32> = out.map(|e| e.1).collect();
            targets
        };
        let idle = |s: u32| after(s, 0);
        let reach = |from: u32| {
            let mut seen = vec![from];
            let mut i = 0;
            while i < seen.len() {
                let next = idle(seen[i]);
                seen.extend(
                    next.into_iter().filter(|t| !seen.contains(t)).collect::<std::collections::BTreeSet<_>>(),
                );
                i += 1;
            }
            seen
        };
        // Unhealthy again and again: an unhealthy state that ends, or is on a cycle.
        let bad = |s: u32| {
            unhealthy.get(s) && (idle(s).is_empty() || idle(s).iter().any(|t| reach(*t).contains(&s)))
        };
        let mut rank: Vec<u64> =
            (0..n).map(|s| if reach(s).into_iter().any(bad) { u64::MAX } else { 0 }).collect();
        loop {
            let before = rank.clone();
            for s in 0..n {
                let worst = |targets: Vec<u32>| targets.iter().map(|t| before[*t as usize]).max();
                let acts = (1..4).filter_map(|mask| worst(after(s, mask))).min();
                let best =
                    acts.map_or(u64::MAX, |r| r.saturating_add(1)).min(worst(idle(s)).unwrap_or(u64::MAX));
                rank[s as usize] = rank[s as usize].min(best);
            }
            if rank == before {
                return rank;
            }
        }
    }
}
