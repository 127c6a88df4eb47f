//! What an incident review asks beyond verdicts: peaks, amplification, the smallest trigger that tips the system, and the
//! cheapest intervention that brings it back. The questions to the graph are in `tipping` and `intervention`; here they are put,
//! and their answers are told as paths of the model.

use super::bits::Bits;
use super::decide::{Decider, Finding};
use super::engine::explore;
use super::graph::StateGraph;
use super::intervention::{Question, intervention};
use super::limits::Limits;
use super::outcome::{Amplification, Peak, Remedy, TippingPoint};
use super::search::Operator;
use super::tell::{Told, ancestry};
use super::tipping::Weighed;
use crate::model::Checkable;
use crate::property::{Claim, System, Temporal, Verdict};
use crate::witness::retrace;

/// The largest value of each measure, and a shortest path to it: the first state found is never farther than a later one.
pub fn peaks<M: Checkable>(told: &Told<'_, M>) -> Vec<Peak<M>> {
    let graph = &told.explored.graph;
    let measures = told.system.measures.iter().zip(&graph.measures);
    let peak = measures.filter_map(|(measure, values)| {
        let (state, value) = values
            .iter()
            .enumerate()
            .filter(|(s, _)| graph.is_linked(*s as u32))
            .max_by_key(|(s, v)| (**v, std::cmp::Reverse(*s)))?;
        let path = told.trace(&ancestry(graph, state as u32), &[]).ok()?;
        Some(Peak { measure: measure.name.clone(), unit: measure.unit.clone(), value: *value, path })
    });
    peak.collect()
}

/// The largest ratio of offered to fresh load over all states with fresh load, for each pair that the system declares.
pub fn amplifications<M: Checkable>(told: &Told<'_, M>) -> Vec<Amplification<M>> {
    let graph = &told.explored.graph;
    let values = |name: &str| told.system.measure_index(name).map(|i| &graph.measures[i]);
    let pairs = told.system.amplifications.iter();
    let largest = pairs.filter_map(|(offered, fresh)| {
        let ratios = values(offered)?
            .iter()
            .zip(values(fresh)?)
            .enumerate()
            .filter(|(s, _)| graph.is_linked(*s as u32));
        let positive = ratios.filter(|(_, (offered, fresh))| **fresh > 0 && **offered >= 0);
        // Compared as fractions, exactly: a/b > c/d where a*d > c*b.
        let best = positive.reduce(|best, next| {
            let larger =
                i128::from(*next.1.0) * i128::from(*best.1.1) > i128::from(*best.1.0) * i128::from(*next.1.1);
            if larger { next } else { best }
        })?;
        let (state, (offered_peak, fresh_there)) = best;
        Some(Amplification {
            offered: offered.clone(),
            fresh: fresh.clone(),
            peak: (*offered_peak, *fresh_there),
            path: told.trace(&ancestry(graph, state as u32), &[]).ok()?,
        })
    });
    largest.collect()
}

/// The smallest trigger that tips the system into what the finding shows, if the system says how triggers are weighed.
pub fn tipping_point<M: Checkable>(
    told: &Told<'_, M>,
    decider: &Decider<'_>,
    claim: &Claim,
    finding: &Finding,
) -> Option<TippingPoint<M>> {
    let cycles = finding.cycles.as_ref().filter(|_| decider.complete)?;
    let graph = &told.explored.graph;
    let names = &told.system.trigger_cost;
    let measures: Vec<&[i64]> = names
        .iter()
        .filter_map(|n| told.system.measure_index(n))
        .map(|i| graph.measures[i].as_slice())
        .collect();
    // Sums of negative numbers have no least: such a cost says nothing.
    if measures.is_empty() || measures.iter().any(|values| values.iter().any(|v| *v < 0)) {
        return None;
    }
    let antecedent = claim.after.as_ref().map(|a| decider.states_with(a));
    let count = measures.len();
    let found = Weighed { graph, measures, antecedent: antecedent.as_ref() }.tipping(cycles)?;
    let path = told.trace(&found.path, &[]).ok()?;
    retrace(told.system, &path).ok()?;
    Some(TippingPoint {
        measures: names.clone(),
        least: found.least[..count].to_vec(),
        survived: found.survived.map(|weight| weight[..count].to_vec()),
        path,
    })
}

/// The graph with the operator's actions, explored once for all claims, if the system has an operator and it was complete.
pub struct WithOperator<M: Checkable> {
    explored: super::search::Explored<M>,
}

impl<M: Checkable> WithOperator<M> {
    /// Explores the system with its operator.
    pub fn explore(system: &System<M>, limits: &Limits) -> Option<Self> {
        let explored = (!system.operators.is_empty()).then(|| explore(system, limits, Operator::Acts))?;
        (explored.stops.is_empty() && explored.graph.complete()).then_some(Self { explored })
    }

    /// The cheapest intervention against what the claim's finding shows.
    pub fn remedy(
        &self,
        system: &System<M>,
        decider: &Decider<'_>,
        claim: &Claim,
        finding: &Finding,
    ) -> Option<Remedy<M>> {
        let violated = finding.verdict == Verdict::Violated;
        let asked = matches!(claim.temporal, Temporal::Stabilizes(_) | Temporal::Recoverable(_));
        let goal = claim.temporal.goal().filter(|_| violated && asked && decider.complete)?;
        let graph: &StateGraph = &self.explored.graph;
        let names = (decider.atoms.clone(), decider.measures.clone());
        let here = Decider::new(graph, names, decider.fair, decider.complete);
        let unhealthy: Bits = here.states_with(goal).complement(graph.size());
        let antecedent = claim.after.as_ref().map(|a| here.states_with(a));
        let shift = system.fairness.len() as u32;
        let operators = (0..system.operators.len() as u32).fold(0, |bits, i| bits | 1_u128 << (shift + i));
        let question = Question {
            graph,
            fair: decider.fair,
            operators,
            unhealthy: &unhealthy,
            antecedent: antecedent.as_ref(),
        };
        let answer = intervention(&question)?;
        let names = |acts: u128| {
            let set =
                system.operators.iter().enumerate().filter(|(i, _)| acts >> (shift as usize + i) & 1 == 1);
            set.map(|(_, o)| o.name.clone()).collect::<Vec<_>>().join(" and ")
        };
        let order = answer.plan.iter().filter(|(_, acts)| *acts != 0).map(|(_, acts)| names(*acts)).collect();
        let worst = answer.lead.steps.len();
        let mut walk = answer.lead;
        walk.steps.extend(answer.plan.iter().map(|(step, _)| *step));
        let told = Told { system, explored: &self.explored, operator: Operator::Acts };
        let path = told.trace(&walk, &[]).ok()?;
        // As every witness: what does not replay is not shown.
        retrace(system, &path).ok()?;
        Some(Remedy { actions: answer.actions, order, worst, path })
    }
}
