//! Makes certificates: what the decision procedures know about a claim that holds, written down.
//!
//! The rankings are the components of the fair-cycle search (`fair.rs`), in the order in which Tarjan's algorithm emits them:
//! a component comes after all that its edges lead to, so no edge leads to a larger number. Each component with a cycle gets the
//! reason for which the search rejected it; what is left of it where strongly fair sets are kept away from is ranked in turn.
//! Nothing here is to be believed: [`certificate::verify`](crate::certificate::verify) finds out whether it is right.
//!
//! Cost: as much as the decision of the claim, once more.

use super::bits::Bits;
use super::decide::{Decider, Finding, Shape};
use super::enabled::Enabled;
use super::fair::{FairGraph, Judgement, judge};
use super::graph::StateGraph;
use super::isolation::Pairs;
use super::lasso::Walk;
use super::scc::Sccs;
use crate::certificate::{Certificate, Graph, Inclusion, Proof, Ranking, Reason, Why, product};
use crate::property::{Claim, Ltl, StateExpr, Temporal, Verdict};
use std::collections::{HashMap, VecDeque};

/// Makes the certificates of one system.
pub struct Certifier<'a> {
    /// Its graph.
    pub decider: &'a Decider<'a>,
    /// The names of its fairness sets.
    pub fairness: Vec<&'a str>,
}

impl Certifier<'_> {
    /// The certificate of a claim that holds; None where the claim does not hold, or has no certificates.
    pub fn certificate(&self, claim: &Claim, finding: &Finding) -> Option<Certificate> {
        if finding.verdict != Verdict::Holds {
            return None;
        }
        let graph = self.decider.graph;
        let mut size = (u64::from(graph.size()), graph.targets.len() as u64);
        let antecedent = claim.after.as_ref().map(|a| self.decider.states_with(a));
        let covered = self.decider.covered(antecedent.as_ref());
        let shape = Shape { antecedent: antecedent.as_ref(), covered: &covered };
        let proof = match &claim.temporal {
            Temporal::Always(_) | Temporal::AtMost { .. } => Proof::Invariant,
            Temporal::Reachable(_) => {
                let (stem, _) = finding.witness.as_ref()?;
                size = (stem.steps.len() as u64 + 1, stem.steps.len() as u64);
                path(graph, stem)?
            }
            Temporal::Bounded(_) => Proof::Peak(finding.peak?),
            Temporal::Isolated { .. } => inclusion(graph.size(), finding.compared.as_ref()?),
            Temporal::Recoverable(p) => self.distances(&covered, &self.decider.states_with(p)),
            Temporal::Recovers { goal, .. } => self.countdown(&covered, goal)?,
            Temporal::Ltl(formula) => self.of_formula(&shape, formula)?,
            temporal => {
                let goal = self.decider.states_with(temporal.goal()?);
                let outstanding = self.decider.outstanding(&shape, temporal, &goal);
                let visits = if outstanding.flaps { vec![goal.complement(graph.size())] } else { Vec::new() };
                let visits: Vec<&Bits> = visits.iter().collect();
                let region = outstanding.region.iter().collect();
                Proof::Rankings(self.rankings(self.decider.place(), &visits, region)?)
            }
        };
        Some(Certificate { claim: claim.text(), states: size.0, edges: size.1, proof })
    }

    /// The components of `region`, and why none of them can be stayed in; None if one can.
    fn rankings(&self, place: FairGraph<'_>, visits: &[&Bits], region: Vec<u32>) -> Option<Vec<Ranking>> {
        let graph = place.graph;
        let mut ranks = vec![0_u32; graph.size() as usize];
        let mut sccs = Sccs::new(graph);
        let mut rankings = Vec::new();
        let mut pending = VecDeque::from([region]);
        while let Some(states) = pending.pop_front() {
            let mut cycles = Vec::new();
            let mut rank = 0;
            sccs.components(&states, |component| {
                component.iter().for_each(|s| ranks[*s as usize] = rank);
                if place.is_cycle(component) {
                    cycles.push((rank, component.to_vec()));
                }
                rank += 1;
            });
            let mut reasons = Vec::new();
            for (rank, mut component) in cycles {
                component.sort_unstable();
                let unvisited = visits.iter().position(|set| component.iter().all(|s| !set.get(*s)));
                let why = match unvisited {
                    Some(set) => Why::Unvisited(set),
                    None => match judge(place, &mut sccs, &component) {
                        Judgement::Fair => return None,
                        Judgement::Never(sets) => Why::Weak(self.names(sets).into_iter().next()?),
                        Judgement::Without(sets) => {
                            component.retain(|s| place.enabled.get(*s) & sets == 0);
                            pending.push_back(component);
                            let rest = rankings.len() + pending.len();
                            Why::Strong { sets: self.names(sets), rest }
                        }
                    },
                };
                reasons.push(Reason { rank, why });
            }
            rankings.push(Ranking { order: states.iter().map(|s| ranks[*s as usize]).collect(), reasons });
        }
        Some(rankings)
    }

    fn names(&self, sets: u128) -> Vec<String> {
        let names = self.fairness.iter().enumerate();
        names.filter(|(i, _)| sets >> i & 1 == 1).map(|(_, name)| (*name).to_owned()).collect()
    }

    /// For each covered state the fewest steps to the goal.
    fn distances(&self, covered: &Bits, goal: &Bits) -> Proof {
        let graph = self.decider.graph;
        let n = graph.size() as usize;
        // The edges of covered states, by target.
        let mut starts = vec![0_usize; n + 1];
        let edges = || covered.iter().flat_map(|s| graph.successors(s).iter().map(move |next| (s, *next)));
        edges().for_each(|(_, next)| starts[next as usize + 1] += 1);
        (0..n).for_each(|i| starts[i + 1] += starts[i]);
        let (mut sources, mut filled) = (vec![0_u32; starts[n]], starts.clone());
        for (state, next) in edges() {
            sources[filled[next as usize]] = state;
            filled[next as usize] += 1;
        }
        let mut distance = vec![u32::MAX; n];
        let mut queue: VecDeque<u32> = covered.and(goal).iter().collect();
        queue.iter().for_each(|s| distance[*s as usize] = 0);
        while let Some(state) = queue.pop_front() {
            for source in &sources[starts[state as usize]..starts[state as usize + 1]] {
                if distance[*source as usize] == u32::MAX {
                    distance[*source as usize] = distance[state as usize] + 1;
                    queue.push_back(*source);
                }
            }
        }
        Proof::Distances(covered.iter().map(|s| distance[s as usize]).collect())
    }

    /// For each covered state the most ticks until the goal is met for good; None if there is no such number.
    fn countdown(&self, covered: &Bits, goal: &StateExpr) -> Option<Proof> {
        let graph = self.decider.graph;
        let goal = self.decider.states_with(goal);
        let late = self.decider.before_good(&goal.complement(graph.size())).and(covered);
        let mut left = vec![0_u64; graph.size() as usize];
        for component in self.decider.components().iter().filter(|c| late.get(c[0])) {
            if self.decider.place().is_cycle(component) {
                return None;
            }
            let next = graph.successors(component[0]).iter();
            left[component[0] as usize] = 1 + next.map(|s| left[*s as usize]).max().unwrap_or(0);
        }
        Some(Proof::Countdown(covered.iter().map(|s| left[s as usize]).collect()))
    }

    /// The rankings of the product that the verification builds too; None where the formula is too large for it.
    fn of_formula(&self, shape: &Shape<'_>, formula: &Ltl) -> Option<Proof> {
        let base = self.decider.graph;
        let fair = !self.fairness.is_empty();
        let mut graph = Graph::new();
        graph.initial = base.initial;
        for state in 0..base.size() {
            let edges = base.edges(state).map(|p| (base.targets[p], base.taken(state, p)));
            graph.push(
                edges,
                self.decider.place().enabled.get(state),
                self.decider.fair.may_stay(base, state),
                fair,
            );
        }
        let listed = |set: &Bits| -> Vec<bool> { (0..base.size()).map(|s| set.get(s)).collect() };
        let holds = |name: &str| listed(&self.decider.states_with(&StateExpr::atom(name)));
        let product = product(&graph, &listed(&self.decider.first(shape)), formula, &holds).ok()?;
        let visits: Vec<Bits> = product.visits.iter().map(|set| bits(set)).collect();
        let graph = rows(&product.graph);
        let enabled = Enabled::of(&graph);
        let place =
            FairGraph { graph: &graph, fair: self.decider.fair, enabled: &enabled, staying_is_an_edge: true };
        let all = (0..graph.size()).collect();
        self.rankings(place, &visits.iter().collect::<Vec<_>>(), all).map(Proof::Rankings)
    }
}

/// The pairs that the comparison looked at, by state.
fn inclusion(states: u32, compared: &Pairs) -> Proof {
    let mut pairs = vec![Vec::new(); states as usize];
    for (state, set) in &compared.pairs {
        pairs[*state as usize].push(*set);
    }
    let (variant_states, variant_edges) = compared.variant;
    // The empty set is known to the comparison only where it refutes.
    Proof::Inclusion(Inclusion { variant_states, variant_edges, sets: compared.sets.clone(), pairs })
}

/// A path by places: which initial state, which edge of each row.
fn path(graph: &StateGraph, stem: &Walk) -> Option<Proof> {
    let mut at = stem.start;
    let mut steps = Vec::with_capacity(stem.steps.len());
    for step in &stem.steps {
        let position = (*step)?;
        steps.push((position - graph.edges(at).start) as u32);
        at = graph.targets[position];
    }
    Some(Proof::Path { start: stem.start, steps })
}

fn bits(set: &[bool]) -> Bits {
    let mut bits = Bits::new(set.len());
    (0_u32..).zip(set).filter(|(_, in_it)| **in_it).for_each(|(s, _)| {
        bits.insert(s);
    });
    bits
}

/// The product as a graph that the component search can work on.
fn rows(product: &Graph) -> StateGraph {
    let mut graph = StateGraph::new(0, 0);
    let mut labels: HashMap<u128, u32> = HashMap::from([(0, 0)]);
    graph.initial = product.initial;
    for state in 0..product.size() {
        for (target, taken) in product.edges(state) {
            graph.targets.push(target);
            if product.is_fair() {
                graph.labels.push(*labels.entry(taken).or_insert_with(|| {
                    graph.masks.push(taken);
                    graph.masks.len() as u32 - 1
                }));
            }
        }
        graph.rows.push(graph.targets.len() as u64);
        graph.parents.push(super::graph::NONE);
        // Enabled as the model says, and never an end state: see `ltl.rs`.
        graph.cut.insert(state, product.enabled(state));
    }
    graph
}
