//! The decision procedures: what each claim asks of the state graph.
//!
//! Every violation of a liveness claim is a fair cycle in some region of the graph, reached by a path of some shape:
//!
//! | claim | stages of the stem | the cycle |
//! | --- | --- | --- |
//! | `eventually p` | without p | without p |
//! | `p leads_to q` | anywhere; then from a p without q | without q |
//! | `recurs p` | anywhere | without p |
//! | `stabilizes p` | anywhere | with a state without p |
//! | `recoverable p` | anywhere | in the trap: where no path leads to p |
//! | `recovers p within n ticks` | as `stabilizes p`; then a finite path that takes longer (`quantity.rs`) | |
//! | `ltl f` | of the product with an automaton (`ltl.rs`) | accepting |
//!
//! `after a` puts a stage in front: up to the first state with a. An end state counts as a cycle: it is stayed in.
//!
//! A violation is a *trap* if its cycle can be chosen among the states from which no path at all, fair or not, leads to a
//! state that meets the claim's goal; otherwise it is a *lasso*. Fair behaviours exist from every state, whatever the
//! fairness (every finite path extends to a fair one), so a trap needs no fairness to be one.
//!
//! Soundness on a truncated graph: cycles and paths that the graph has are real. The absence of a path is concluded only
//! where no open state is reachable. `holds` and `vacuous` are said of complete graphs alone.
//!
//! Cost: O((states + edges) × strong sets) for each claim, and the search for a short loop (`lasso.rs`).

use super::bits::Bits;
use super::enabled::Enabled;
use super::fair::{FairGraph, FairSets, Region, fair_components};
use super::graph::StateGraph;
use super::isolation::Pairs;
use super::lasso::{EdgeStep, PAIRS_MAX, Stage, Walk, fair_loop, stem};
use super::scc::Components;
use crate::property::{Claim, Kind, Lasso, StateExpr, Temporal, Verdict};
use std::cell::OnceCell;

type Set<T> = std::collections::HashSet<T, foldhash::fast::FixedState>;

/// A verdict, with its witness as a walk through the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The verdict; [`Verdict::Inconclusive`] where the graph is truncated and does not show a violation.
    pub verdict: Verdict,
    /// How the claim is violated.
    pub kind: Option<Kind>,
    /// What the loop does.
    pub lasso: Option<Lasso>,
    /// The states reachable once the antecedent was met.
    pub states_covered: u64,
    /// The exact worst case in ticks, where there is one.
    pub worst_ticks: Option<u64>,
    /// The largest value of the claim's measure among the states covered.
    pub peak: Option<i64>,
    /// The states of the cycles that violate the claim, where any path after the antecedent that comes to one violates it.
    pub cycles: Option<Bits>,
    /// What the comparison looked at by which an isolation holds.
    pub compared: Option<Pairs>,
    /// A path that shows the worst case of a claim that holds.
    pub worst: Option<Walk>,
    /// What adds to the verdict: why a claim is vacuous, what the worst case is.
    pub detail: Option<String>,
    /// The stem, and the steps of the loop (none for a finite path).
    pub witness: Option<(Walk, Vec<EdgeStep>)>,
}

/// A graph with what is needed to decide claims on it.
pub struct Decider<'a> {
    /// The graph.
    pub graph: &'a StateGraph,
    /// The names of its atoms.
    pub atoms: Vec<&'a str>,
    /// The names of its measures.
    pub measures: Vec<&'a str>,
    /// The fairness of its behaviours.
    pub fair: FairSets,
    /// Whether the graph is the whole of the model.
    pub complete: bool,
    /// The components of the whole graph, found once for all claims that ask.
    components: OnceCell<Components>,
    /// What is enabled in each state, likewise.
    enabled: OnceCell<Enabled>,
}

impl<'a> Decider<'a> {
    /// A graph, the names of its atoms and measures, its fairness, and whether it is the whole of the model.
    pub fn new(
        graph: &'a StateGraph,
        (atoms, measures): (Vec<&'a str>, Vec<&'a str>),
        fair: FairSets,
        complete: bool,
    ) -> Self {
        let (components, enabled) = (OnceCell::new(), OnceCell::new());
        Self { graph, atoms, measures, fair, complete, components, enabled }
    }

    /// The graph with its fairness.
    pub(super) fn place(&self) -> FairGraph<'_> {
        let enabled = self.enabled.get_or_init(|| Enabled::of(self.graph));
        FairGraph { graph: self.graph, fair: self.fair, enabled, staying_is_an_edge: false }
    }

    /// The components of the whole graph, in reverse topological order.
    pub(super) fn components(&self) -> &Components {
        self.components.get_or_init(|| Components::of(self.graph))
    }

    /// Decides one claim.
    pub fn decide(&self, claim: &Claim) -> Finding {
        let antecedent = claim.after.as_ref().map(|a| self.states_with(a));
        let covered = self.covered(antecedent.as_ref());
        let mut finding = Finding { states_covered: covered.count(), ..self.undecided() };
        if let Some(reason) = self.vacuous(claim, &covered) {
            if self.complete {
                (finding.verdict, finding.detail) = (Verdict::Vacuous, Some(reason));
            }
            return finding;
        }
        let shape = Shape { antecedent: antecedent.as_ref(), covered: &covered };
        match &claim.temporal {
            Temporal::Always(p) => {
                self.safety(&shape, &self.states_with(p).complement(self.graph.size()), &mut finding)
            }
            Temporal::Reachable(p) => self.possibility(&shape, &self.states_with(p), &mut finding),
            Temporal::AtMost { measure, max } => self.at_most(&shape, measure, *max, &mut finding),
            Temporal::Ltl(formula) => self.ltl(&shape, formula, &mut finding),
            temporal => {
                if let Some(goal) = temporal.goal() {
                    self.liveness(&shape, temporal, goal, &mut finding);
                    self.quantify(&shape, temporal, goal, &mut finding);
                }
            }
        }
        finding
    }

    /// A finding that says nothing yet, over all states.
    pub fn undecided(&self) -> Finding {
        Finding {
            verdict: Verdict::Inconclusive,
            kind: None,
            lasso: None,
            states_covered: u64::from(self.graph.size()),
            worst_ticks: None,
            peak: None,
            cycles: None,
            compared: None,
            worst: None,
            detail: None,
            witness: None,
        }
    }

    /// The states in which `expr` holds.
    pub(super) fn states_with(&self, expr: &StateExpr) -> Bits {
        let all = self.graph.size();
        match expr {
            StateExpr::Const(true) => Bits::default().complement(all),
            StateExpr::Const(false) => Bits::new(all as usize),
            StateExpr::Atom(name) => {
                let index = self.atoms.iter().position(|a| a == name);
                index.map_or_else(Bits::default, |i| self.graph.atoms[i].clone())
            }
            StateExpr::Not(p) => self.states_with(p).complement(all),
            StateExpr::And(p, q) => self.states_with(p).and(&self.states_with(q)),
            StateExpr::Or(p, q) => self.states_with(p).or(&self.states_with(q)),
        }
    }

    /// The states reachable once the antecedent was met; all states if there is none.
    pub(super) fn covered(&self, antecedent: Option<&Bits>) -> Bits {
        match antecedent {
            None => Bits::default().complement(self.graph.size()),
            Some(a) => self.graph.reach(a.iter(), |_| true),
        }
    }

    /// Why nothing is tested by the claim, if that is so as far as the graph goes.
    fn vacuous(&self, claim: &Claim, covered: &Bits) -> Option<String> {
        if let Some(after) = claim.after.as_ref().filter(|_| covered.is_empty()) {
            return Some(format!("`{after}` is never reached, so nothing was tested"));
        }
        match &claim.temporal {
            Temporal::LeadsTo(p, _) if covered.and(&self.states_with(p)).is_empty() => {
                let after = claim.after.as_ref().map(|a| format!(" after `{a}`")).unwrap_or_default();
                Some(format!("`{p}` is never reached{after}, so nothing was tested"))
            }
            _ => None,
        }
    }

    pub(super) fn held(&self) -> Verdict {
        if self.complete { Verdict::Holds } else { Verdict::Inconclusive }
    }

    pub(super) fn safety(&self, shape: &Shape<'_>, bad: &Bits, finding: &mut Finding) {
        match stem(self.graph, &shape.stages(Vec::new(), None), bad) {
            Some((walk, _)) => {
                (finding.verdict, finding.kind) = (Verdict::Violated, Some(Kind::Safety));
                finding.witness = Some((walk, Vec::new()));
            }
            None => finding.verdict = self.held(),
        }
    }

    fn possibility(&self, shape: &Shape<'_>, good: &Bits, finding: &mut Finding) {
        match stem(self.graph, &shape.stages(Vec::new(), None), good) {
            Some((walk, _)) => {
                finding.verdict = Verdict::Holds;
                finding.witness = Some((walk, Vec::new()));
            }
            None if self.complete => {
                (finding.verdict, finding.kind) = (Verdict::Violated, Some(Kind::Safety));
                finding.detail = Some("no behaviour reaches it, so there is no path to show".to_owned());
            }
            None => {}
        }
    }

    fn liveness(&self, shape: &Shape<'_>, temporal: &Temporal, goal: &StateExpr, finding: &mut Finding) {
        let graph = self.graph;
        let goal = self.states_with(goal);
        let unhealthy = goal.complement(graph.size());
        let Outstanding { region, start, avoids, flaps } = self.outstanding(shape, temporal, &goal);
        let visits: &[&Bits] = if flaps { &[&unhealthy] } else { &[] };
        let components = if matches!(temporal, Temporal::Recoverable(_)) {
            let trap = region.and(&self.trapped(&goal));
            fair_components(self.place(), visits, Region::Closed(self.components(), &trap))
        } else {
            fair_components(self.place(), visits, self.region(&region, flaps))
        };
        if components.is_empty() {
            finding.verdict = self.held();
            return;
        }
        let trapped = self.trapped_ones(&components, &goal);
        let is_trap = trapped.contains(&true);
        let mut targets = Bits::new(graph.size() as usize);
        let chosen = components.iter().zip(&trapped).filter(|(_, trapped)| !is_trap || **trapped);
        chosen.flat_map(|(c, _)| c).for_each(|s| {
            targets.insert(*s);
        });
        let stages = shape.stages(start.into_iter().collect(), avoids.then_some(&unhealthy));
        let Some((walk, joint)) = stem(graph, &stages, &targets) else { return };
        let component = components.iter().find(|c| c.binary_search(&joint).is_ok());
        let cycle = component.and_then(|c| fair_loop(self.place(), c, joint, visits, PAIRS_MAX));
        let Some(cycle) = cycle else { return };
        let heals = self.visits(joint, &cycle.steps).any(|s| goal.get(s));
        finding.verdict = Verdict::Violated;
        finding.kind = Some(if is_trap { Kind::Trap } else { Kind::Lasso });
        finding.lasso = Some(if heals { Lasso::Flaps } else { Lasso::Stalls });
        finding.witness = Some((walk, cycle.steps));
        finding.cycles = (!avoids).then_some(targets);
    }

    /// The states of `set` as a place to look for cycles; `closed` where no edge leaves it.
    pub(super) fn region<'b>(&'b self, set: &'b Bits, closed: bool) -> Region<'b> {
        if closed { Region::Closed(self.components(), set) } else { Region::States(set.iter().collect()) }
    }

    /// Where a cycle that refutes a liveness claim may be.
    pub(super) fn outstanding(&self, shape: &Shape<'_>, temporal: &Temporal, goal: &Bits) -> Outstanding {
        let graph = self.graph;
        let unhealthy = goal.complement(graph.size());
        let flaps = matches!(temporal, Temporal::Stabilizes(_) | Temporal::Recovers { .. });
        let (region, start): (Bits, Option<Bits>) = match temporal {
            Temporal::Eventually(_) => (self.first(shape).and(&unhealthy), None),
            Temporal::LeadsTo(p, _) => {
                let start = shape.covered.and(&self.states_with(p)).and(&unhealthy);
                (start.clone(), Some(start))
            }
            _ if flaps => (shape.covered.clone(), None),
            _ => (shape.covered.and(&unhealthy), None),
        };
        let avoids = matches!(temporal, Temporal::Eventually(_) | Temporal::LeadsTo(..));
        let region = if avoids { graph.reach(region.iter(), |s| unhealthy.get(s)) } else { region };
        Outstanding { region, start, avoids, flaps }
    }

    /// The states in which a path can be when it first meets the antecedent.
    pub(super) fn first(&self, shape: &Shape<'_>) -> Bits {
        let initial = 0..self.graph.initial;
        let Some(antecedent) = shape.antecedent else {
            let mut states = Bits::new(self.graph.size() as usize);
            initial.for_each(|s| {
                states.insert(s);
            });
            return states;
        };
        let before = self.graph.reach(initial.clone(), |s| !antecedent.get(s));
        let mut first = Bits::new(self.graph.size() as usize);
        let after = before.iter().flat_map(|s| self.graph.successors(s).iter().copied());
        initial.chain(after).filter(|s| antecedent.get(*s)).for_each(|s| {
            first.insert(s);
        });
        first
    }

    /// The states from which no path leads to a state in `goal`, nor to an open state.
    fn trapped(&self, goal: &Bits) -> Bits {
        let graph = self.graph;
        self.leading_to(|s| goal.get(s) || graph.open(s)).complement(graph.size())
    }

    /// Which of these components no path leaves for `goal` or an open state. A component is strongly connected, so it is trapped as
    /// a whole or not at all.
    ///
    /// Most that are not are near the goal, so each is followed until it is met; only where that takes more than one look at
    /// every edge, or the components of the graph are known, it is decided for all states at once.
    fn trapped_ones(&self, components: &Components, goal: &Bits) -> Vec<bool> {
        let graph = self.graph;
        let out = |s: u32| goal.get(s) || graph.open(s);
        let mut trap = Bits::new(graph.size() as usize);
        let mut looked_at = 0;
        let mut trapped = Vec::new();
        for component in components.iter() {
            if self.components.get().is_some() || looked_at > graph.targets.len() {
                let all = self.trapped(goal);
                return components.iter().map(|c| all.get(c[0])).collect();
            }
            let mut seen: Set<u32> = Set::from_iter([component[0]]);
            let mut pending = vec![component[0]];
            let mut escapes = false;
            while let Some(state) = pending.pop().filter(|_| !escapes) {
                looked_at += graph.successors(state).len();
                escapes = out(state) || graph.successors(state).iter().any(|next| out(*next));
                let next = graph.successors(state).iter().copied();
                pending.extend(next.filter(|s| !trap.get(*s) && seen.insert(*s)));
            }
            if !escapes {
                seen.iter().for_each(|s| {
                    trap.insert(*s);
                });
            }
            trapped.push(!escapes);
        }
        trapped
    }

    /// The states for which `goal` is true, and those from which a path leads to one.
    pub(super) fn leading_to(&self, goal: impl Fn(u32) -> bool) -> Bits {
        let graph = self.graph;
        let mut leading = Bits::new(graph.size() as usize);
        for component in self.components().iter() {
            let leads = |s: &u32| goal(*s) || graph.successors(*s).iter().any(|next| leading.get(*next));
            if component.iter().any(leads) {
                component.iter().for_each(|s| {
                    leading.insert(*s);
                });
            }
        }
        leading
    }

    /// The states that a loop visits.
    fn visits<'b>(&'b self, joint: u32, steps: &'b [EdgeStep]) -> impl Iterator<Item = u32> + 'b {
        let ends = steps.iter().map(move |step| step.map_or(joint, |position| self.graph.targets[position]));
        std::iter::once(joint).chain(ends)
    }
}

/// Where a cycle that refutes a liveness claim may be, and what it needs.
pub(super) struct Outstanding {
    /// The states it may visit.
    pub(super) region: Bits,
    /// For `p leads_to q`: where the path without q starts.
    start: Option<Bits>,
    /// Whether the path that leads to it must avoid the goal as well.
    avoids: bool,
    /// Whether it must visit a state without the goal, and may visit others.
    pub(super) flaps: bool,
}

/// What all claims have in common: the antecedent, and what it covers.
pub(super) struct Shape<'a> {
    pub(super) antecedent: Option<&'a Bits>,
    pub(super) covered: &'a Bits,
}

impl<'a> Shape<'a> {
    /// The stages of a stem: up to the first state with the antecedent; anywhere, up to a state of each set in `starts`;
    /// then within `last` (anywhere, if None).
    pub(super) fn stages(&self, starts: Vec<Bits>, last: Option<&'a Bits>) -> Vec<Stage<'a>> {
        let mut stages: Vec<Stage<'a>> = Vec::new();
        let mut enter: Box<dyn Fn(u32) -> bool + 'a> = Box::new(|_| true);
        if let Some(a) = self.antecedent {
            stages.push(Stage { enter, inside: Box::new(move |s| !a.get(s)) });
            enter = Box::new(move |s| a.get(s));
        }
        for start in starts {
            stages.push(Stage { enter, inside: Box::new(|_| true) });
            enter = Box::new(move |s| start.get(s));
        }
        stages.push(Stage { enter, inside: Box::new(move |s| last.is_none_or(|set| set.get(s))) });
        stages
    }
}
