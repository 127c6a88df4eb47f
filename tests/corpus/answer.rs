//! What an engine answers, compared with what a case expects.

use crate::engine::Engine;
use crate::format::{Case, ClaimCase};
use aftercalm::check::{Decision, Limits, Outcome};
use aftercalm::model::Checkable;
use aftercalm::property::{Claim, System, Temporal};
use std::fmt::Debug;

/// Adds the claims of the case to the system.
pub fn with_claims<M: Checkable>(mut system: System<M>, case: &Case) -> Result<System<M>, String> {
    for claim in &case.claim {
        let parsed = Claim::parse(&claim.claim).map_err(|error| error.to_string())?;
        system.claims.push(parsed);
    }
    Ok(system)
}

/// Has the engine decide the case; says what is wrong with its answers. `exact` where what the case does not mention must be
/// absent from the answer.
pub fn answer<M: Checkable>(
    system: &System<M>,
    case: &Case,
    engine: Engine,
    exact: bool,
) -> Result<(Outcome<M>, Vec<String>), String> {
    let mut limits = Limits { depth_max: case.limits.depth, ..Limits::default() };
    limits.states_max = case.limits.states.unwrap_or(limits.states_max);
    let outcome = engine.check(system, &limits).map_err(|error| error.to_string())?;
    let mut wrong = Vec::new();
    if let Some(fault) = &outcome.fault {
        wrong.push(format!("a fault: {fault}"));
    }
    let stops: Vec<String> = outcome.stops.iter().map(ToString::to_string).collect();
    differs("what ended the search", &case.stops, &stops, &mut wrong);
    known("states", case.states, outcome.states, &mut wrong);
    known("transitions", case.transitions, outcome.transitions, &mut wrong);
    known("end states", case.end_states, outcome.end_states, &mut wrong);
    differs("the number of decisions", &case.claim.len(), &outcome.decisions.len(), &mut wrong);
    for (claim, decision) in case.claim.iter().zip(&outcome.decisions) {
        let mut of_claim = Vec::new();
        compare(claim, decision, exact, &mut of_claim);
        wrong.extend(of_claim.into_iter().map(|fault| format!("`{}`: {fault}", claim.claim)));
    }
    Ok((outcome, wrong))
}

fn compare<M: Checkable>(claim: &ClaimCase, decision: &Decision<M>, exact: bool, wrong: &mut Vec<String>) {
    differs("verdict", &claim.verdict, &decision.verdict, wrong);
    differs("kind", &claim.kind, &decision.kind, wrong);
    let stem = decision.witness.as_ref().map(|trace| trace.stem.len() - 1);
    let cycle = decision.witness.as_ref().map(|trace| trace.cycle.len()).filter(|steps| *steps > 0);
    let all = |is_known: bool| exact || is_known;
    if all(claim.lasso.is_some()) {
        differs("lasso", &claim.lasso, &decision.lasso, wrong);
    }
    if all(claim.worst_ticks.is_some()) {
        differs("worst ticks", &claim.worst_ticks, &decision.worst_ticks, wrong);
    }
    if all(claim.peak.is_some()) {
        differs("peak", &claim.peak, &decision.peak, wrong);
    }
    let shown = format!("{:?}", decision.detail);
    // How long the witness of a formula is depends on its automaton.
    let is_formula = matches!(decision.claim.temporal, Temporal::Ltl(_));
    if claim.stem.is_some() || exact && !is_formula {
        differs("steps of the stem", &claim.stem, &stem, wrong);
    }
    if claim.cycle.is_some() || exact && !is_formula {
        differs("steps of the loop", &claim.cycle, &cycle, wrong);
    }
    if let Some(detail) = &claim.detail {
        let begins = decision.detail.as_ref().is_some_and(|text| text.starts_with(detail));
        differs("how the detail begins", detail, if begins { detail } else { &shown }, wrong);
    }
    if claim.covered.is_some() {
        differs("states covered", &claim.covered, &decision.states_covered, wrong);
    }
}

fn known<T: PartialEq + Debug>(what: &str, expected: Option<T>, answer: T, wrong: &mut Vec<String>) {
    if let Some(expected) = expected {
        differs(what, &expected, &answer, wrong);
    }
}

fn differs<T: PartialEq + Debug>(what: &str, expected: &T, answer: &T, wrong: &mut Vec<String>) {
    if expected != answer {
        wrong.push(format!("{what}: expected {expected:?}, and it is {answer:?}"));
    }
}
