//! Growth on the fly: whether a counter grows without bound in a model that may be infinite.
//!
//! Looks for self-covering paths along the branches of the search tree: for a state of the newest level, an ancestor with the
//! same control part, no counter larger, and the one in question smaller. A branch of an infinite search tree (there is one,
//! by König's lemma, as every state has finitely many successors) with finitely many control parts has such a pair, since
//! vectors of natural numbers are well-quasi-ordered (Dickson 1913). Every pair found is only a candidate: `witness::growth`
//! takes its loop again many times before it is believed, and says what that proves.
//!
//! Looked for each time the number of states has doubled, and when the search ends, at most [`TIPS_MAX`] states each time.
//! Boundedness is undecidable for programs in general: without a candidate that stands, the search goes on to its end or limit.
//!
//! Cost: a clone and a hash for each state; for each look, [`TIPS_MAX`] × depth, and the replay of at most
//! [`CANDIDATES_MAX`] candidates.

use super::bits::Bits;
use super::decide::Finding;
use super::lasso::{EdgeStep, Walk};
use super::search::{Explored, Operator};
use super::tell::{Told, ancestry};
use crate::model::{Checkable, guard};
use crate::property::{Claim, Kind, System, Temporal, Verdict};
use crate::witness::{control, counters, covers, pumps, round};
use std::hash::BuildHasher;

/// The first look is taken at so many states.
pub const FIRST_LOOK: u32 = 256;
/// So many states of the newest level are looked at each time.
pub const TIPS_MAX: usize = 256;
/// So many candidates are replayed each time.
pub const CANDIDATES_MAX: usize = 32;

/// A loop that adds to a counter, as it lies in the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pump {
    /// From an initial state to the start of the loop.
    pub stem: Walk,
    /// The steps of the loop.
    pub cycle: Vec<EdgeStep>,
    /// What a loop adds to the measure.
    pub gain: i64,
    /// How often it was taken again.
    pub rounds: u32,
}

/// What is known about growth while a search goes on.
#[derive(Debug, Default)]
pub struct Growth {
    /// The hash of the control part of each state looked at.
    controls: Vec<u64>,
    /// For each claim of the system, the loop that refutes it.
    pub pumps: Vec<Option<Pump>>,
    next_look: u32,
}

impl Growth {
    /// Whether any claim asks.
    pub fn is_asked<M: Checkable>(system: &System<M>) -> bool {
        system.claims.iter().any(|c| matches!(c.temporal, Temporal::Bounded(_)))
    }

    /// Looks again if it is time to; true once every `bounded` claim is refuted, so that there is nothing left to find.
    pub fn look<M: Checkable>(&mut self, system: &System<M>, explored: &Explored<M>, at_end: bool) -> bool {
        let size = explored.graph.size();
        if !at_end && size < self.next_look.max(FIRST_LOOK) {
            return false;
        }
        self.next_look = size.saturating_mul(2);
        self.pumps.resize(system.claims.len(), None);
        // A counter that fails to be erased is a fault of the model; it shows as growth not found.
        let _ = guard("a counter", || self.find(system, explored));
        let asked = |c: &Claim| matches!(c.temporal, Temporal::Bounded(_));
        system.claims.iter().zip(&self.pumps).all(|(claim, pump)| !asked(claim) || pump.is_some())
    }

    fn find<M: Checkable>(&mut self, system: &System<M>, explored: &Explored<M>) {
        let hasher = foldhash::quality::FixedState::with_seed(3);
        for id in self.controls.len() as u32..explored.graph.size() {
            self.controls.push(hasher.hash_one(control(system, &explored.state(&system.model, id))));
        }
        let size = explored.graph.size();
        let tips: Vec<u32> =
            (0..size).rev().step_by((size as usize / 4 / TIPS_MAX).max(1)).take(TIPS_MAX).collect();
        for (i, claim) in system.claims.iter().enumerate() {
            let Temporal::Bounded(name) = &claim.temporal else { continue };
            let Some(measure) = system.measure_index(name).filter(|_| self.pumps[i].is_none()) else {
                continue;
            };
            let pairs = tips.iter().flat_map(|tip| {
                let ancestors = self.ancestors(system, explored, *tip, measure);
                ancestors.into_iter().take(2).map(|from| (from, *tip)).collect::<Vec<_>>()
            });
            // Short loops first: they tell more.
            let depth = |id: u32| ancestry(&explored.graph, id).steps.len();
            let mut pairs: Vec<(usize, u32, u32)> =
                pairs.map(|(from, tip)| (depth(tip) - depth(from), from, tip)).collect();
            pairs.sort_unstable();
            pairs.truncate(CANDIDATES_MAX);
            self.pumps[i] = pairs
                .into_iter()
                .find_map(|(_, from, tip)| candidate(system, explored, claim, measure, from, tip));
        }
    }

    /// The ancestors of `tip` with the same control part, no counter larger and the measure smaller, nearest first.
    fn ancestors<M: Checkable>(
        &self,
        system: &System<M>,
        explored: &Explored<M>,
        tip: u32,
        measure: usize,
    ) -> Vec<u32> {
        let state = explored.state(&system.model, tip);
        let (own, own_counters) = (control(system, &state), counters(system, &state));
        let values = &explored.graph.measures[measure];
        let mut found = Vec::new();
        let mut at = explored.graph.parents[tip as usize];
        while at != super::graph::NONE {
            let alike = self.controls[at as usize] == self.controls[tip as usize]
                && values[at as usize] < values[tip as usize];
            if alike {
                let before = explored.state(&system.model, at);
                if covers(&own_counters, &counters(system, &before)) && control(system, &before) == own {
                    found.push(at);
                }
            }
            at = explored.graph.parents[at as usize];
        }
        found
    }
}

/// The loop from `from` to `tip` along the search tree, if it lies after the antecedent and stands its replay.
fn candidate<M: Checkable>(
    system: &System<M>,
    explored: &Explored<M>,
    claim: &Claim,
    measure: usize,
    from: u32,
    tip: u32,
) -> Option<Pump> {
    let stem = ancestry(&explored.graph, from);
    let mut cycle = ancestry(&explored.graph, tip).steps;
    cycle.drain(..stem.steps.len());
    let told = Told { system, explored, operator: Operator::Absent };
    let trace = told.trace(&stem, &cycle).ok()?;
    let covered = claim.after.as_ref().is_none_or(|a| trace.stem.iter().any(|s| system.holds(a, &s.state)));
    let (gain, rounds) = covered.then(|| pumps(system, measure, &trace).ok()).flatten()?;
    Some(Pump { stem, cycle, gain, rounds })
}

/// Decides `bounded name` by what the search found.
pub fn bounded<M: Checkable>(
    system: &System<M>,
    explored: &Explored<M>,
    pump: Option<&Pump>,
    name: &str,
    covered: &Bits,
    finding: &mut Finding,
) {
    let Some(measure) = system.measure_index(name) else { return };
    if let Some(pump) = pump {
        (finding.verdict, finding.kind) = (Verdict::Violated, Some(Kind::Growth));
        let rounds = pump.rounds;
        finding.detail = Some(format!(
            "+{} a loop; the loop was taken {rounds} times more, each with the same gain",
            pump.gain
        ));
        finding.witness = Some((pump.stem.clone(), pump.cycle.clone()));
        return;
    }
    if !explored.stops.is_empty() {
        return;
    }
    finding.verdict = Verdict::Holds;
    let values = &explored.graph.measures[measure];
    finding.peak = covered.iter().map(|s| values[s as usize]).max();
    let tops: Vec<u32> = covered.iter().filter(|s| Some(values[*s as usize]) == finding.peak).collect();
    let saturated = guard("a counter", || saturation(system, explored, measure, &tops));
    finding.detail = saturated.ok().flatten();
}

/// Whether the measure stops at its peak, in the states `tops`, only because it is capped: a loop adds to it up to the peak, and
/// can be taken there without adding. The loop is known by its actions' texts, so where those carry the counter (a message that says
/// how large it is) nothing is said of saturation.
fn saturation<M: Checkable>(
    system: &System<M>,
    explored: &Explored<M>,
    measure: usize,
    tops: &[u32],
) -> Option<String> {
    let graph = &explored.graph;
    let peak = graph.measures[measure][*tops.first()? as usize];
    let mut growth = Growth { pumps: vec![None; system.claims.len()], ..Growth::default() };
    let hasher = foldhash::quality::FixedState::with_seed(3);
    growth.controls = (0..graph.size())
        .map(|id| hasher.hash_one(control(system, &explored.state(&system.model, id))))
        .collect();
    let told = Told { system, explored, operator: Operator::Absent };
    for &top in tops.iter().take(TIPS_MAX) {
        for from in growth.ancestors(system, explored, top, measure).into_iter().take(CANDIDATES_MAX) {
            let stem = ancestry(graph, from);
            let mut cycle = ancestry(graph, top).steps;
            cycle.drain(..stem.steps.len());
            let trace = told.trace(&stem, &cycle).ok()?;
            let state = explored.state(&system.model, top);
            let value = |s: &M::State| system.measures[measure].value(&system.model, s);
            if round(system, &trace.cycle, &state, false).iter().any(|s| value(s) == peak) {
                let gain = peak - graph.measures[measure][from as usize];
                return Some(format!(
                    "it saturates at {peak}: a loop that adds {gain} below is taken at {peak} without adding"
                ));
            }
        }
    }
    None
}
