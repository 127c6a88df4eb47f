//! Search and decision: from a [`System`] to an [`Outcome`].
//!
//! A search explores the model into a [`StateGraph`](graph::StateGraph); every claim is decided on that graph by code
//! written once (`decide`, on top of `scc`, `fair` and `lasso`); every witness is then replayed by
//! [`witness`](crate::witness), which knows none of this.

pub mod bits;
mod buchi;
mod certify;
mod coverage;
mod decide;
mod enabled;
mod engine;
mod fair;
pub mod graph;
mod growth;
mod intervention;
mod isolation;
mod lasso;
mod limits;
mod longest;
mod ltl;
mod outcome;
mod product;
mod quantity;
mod review;
mod scc;
mod search;
mod states;
mod tell;
mod tipping;

pub use engine::{Engine, StateSpace, state_space};
pub use limits::{Limits, Stop};
pub use outcome::{Amplification, Decision, Note, Outcome, Peak, Remedy, TippingPoint};

use crate::certificate::Certificate;
use crate::model::{Checkable, Fault};
use crate::property::{Claim, Kind, Strength, System, SystemError, Temporal, Verdict};
use crate::witness::{Finding as Shown, ReplayError, replay};
use certify::Certifier;
use coverage::unexercised;
use decide::{Decider, Finding};
use engine::explore;
use fair::FairSets;
use isolation::{Comparison, Observed, compare};
use review::{WithOperator, amplifications, peaks, tipping_point};
use search::{Explored, Operator, show};
use std::time::Instant;
use tell::Told;

/// Why a check has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The system cannot be checked as it is written.
    #[error(transparent)]
    System(#[from] SystemError),
    /// A witness failed its replay. This is a fault of Aftercalm, never of the model.
    #[error(
        "internal error: the witness of claim `{claim}` fails its replay: {error}. Unless the model gives other answers from call to call (a clock, a random number, the order of a `HashMap`), this is a fault of aftercalm; please report it with the model"
    )]
    Replay {
        /// The claim's name.
        claim: String,
        /// What the replay found.
        error: Box<ReplayError>,
    },
}

/// Explores every behaviour of the system within the limits and decides its claims.
///
/// # Errors
/// Where the system cannot be checked as it is written, or a witness fails its replay. A model that fails while it is
/// run is no error of this function: the fault is part of the outcome, together with what was found before it.
pub fn check<M: Checkable>(system: &System<M>, limits: &Limits) -> Result<Outcome<M>, CheckError> {
    run(system, limits, false).map(|(outcome, _)| outcome)
}

/// The same, and for each claim its certificate: None where the claim does not hold, or its form has no certificates (`ltl` with more than [`OPERATORS_MAX`](crate::certificate::OPERATORS_MAX) temporal operators).
///
/// The certificates are not verified yet: that is what [`certificate::verify`](crate::certificate::verify) is for. Each costs
/// about as much time as the decision of its claim, and its own size in memory.
///
/// # Errors
/// As [`check`].
pub fn check_certified<M: Checkable>(
    system: &System<M>,
    limits: &Limits,
) -> Result<(Outcome<M>, Vec<Option<Certificate>>), CheckError> {
    run(system, limits, true)
}

fn run<M: Checkable>(
    system: &System<M>,
    limits: &Limits,
    certified: bool,
) -> Result<(Outcome<M>, Vec<Option<Certificate>>), CheckError> {
    system.validate()?;
    let started = Instant::now();
    let mut explored = explore(system, limits, Operator::Absent);
    let atoms = system.atoms.iter().map(|a| a.name.as_str()).collect();
    let measures = system.measures.iter().map(|m| m.name.as_str()).collect();
    let complete = explored.stops.is_empty() && explored.graph.complete();
    let decider = Decider::new(&explored.graph, (atoms, measures), fair_sets(system), complete);
    let fairness = system.fairness.iter().map(|set| set.name.as_str()).collect();
    let certifier = certified.then_some(Certifier { decider: &decider, fairness });
    let mut certificates: Vec<Option<Certificate>> = vec![None; system.claims.len()];
    let mut decisions = Vec::with_capacity(system.claims.len());
    // Explored with its operator once something is violated: interventions alone ask for it.
    let mut acting: Option<Option<WithOperator<M>>> = None;
    for (i, claim) in system.claims.iter().enumerate() {
        let finding = match &claim.temporal {
            Temporal::Bounded(measure) => {
                let mut finding = decider.decide(claim);
                if finding.verdict != Verdict::Vacuous {
                    let pump = explored.pumps.get(i).and_then(Option::as_ref);
                    let covered =
                        decider.covered(claim.after.as_ref().map(|a| decider.states_with(a)).as_ref());
                    growth::bounded(system, &explored, pump, measure, &covered, &mut finding);
                }
                finding
            }
            Temporal::Isolated { measure, from } => compare_isolated(system, limits, &decider, measure, from),
            _ => decider.decide(claim),
        };
        certificates[decisions.len()] = certifier.as_ref().and_then(|c| c.certificate(claim, &finding));
        let told = Told { system, explored: &explored, operator: Operator::Absent };
        let tipping = tipping_point(&told, &decider, claim, &finding);
        if finding.verdict == Verdict::Violated && acting.is_none() {
            acting = Some(WithOperator::explore(system, limits));
        }
        let remedy = acting
            .as_ref()
            .and_then(Option::as_ref)
            .and_then(|o| o.remedy(system, &decider, claim, &finding));
        match decision(&told, claim, finding) {
            Ok(decision) => decisions.push(Decision { tipping, remedy, ..decision }),
            Err(Untold::Replay(error)) => {
                return Err(CheckError::Replay { claim: claim.name.clone(), error: Box::new(error) });
            }
            Err(Untold::Fault(fault)) => {
                // The model gave other answers than during the search: nothing that the graph says can be trusted.
                explored.stops.push(Stop::Fault);
                explored.fault = Some(fault);
                certificates.fill(None);
                decisions = system.claims.iter().map(|c| Decision::undecided(c, &explored.stops)).collect();
                break;
            }
        }
    }
    let graph = &explored.graph;
    let told = Told { system, explored: &explored, operator: Operator::Absent };
    let outcome = Outcome {
        states: u64::from(graph.size()),
        transitions: graph.targets.len() as u64,
        depth: graph.depth(),
        end_states: (0..graph.expanded()).filter(|s| graph.is_end(*s)).count() as u64,
        peaks: peaks(&told),
        amplifications: amplifications(&told),
        elapsed: started.elapsed(),
        notes: notes(system, &explored, &decisions),
        stops: explored.stops,
        fault: explored.fault,
        decisions,
    };
    Ok((outcome, certificates))
}

/// Decides `isolated measure from from`, by exploring the variant in which `from` behaves as well.
fn compare_isolated<M: Checkable>(
    system: &System<M>,
    limits: &Limits,
    decider: &Decider<'_>,
    measure: &str,
    from: &str,
) -> Finding {
    let mut finding = decider.undecided();
    let variant = system.measure_index(measure).zip(system.variant(from, measure));
    let Some((place, (variant, variant_place))) = variant.filter(|_| decider.complete) else {
        return finding;
    };
    let behaving = explore(variant, limits, Operator::Absent);
    if !behaving.stops.is_empty() {
        let fault = behaving.fault.map(|fault| format!(": {fault}")).unwrap_or_default();
        let why = limits_hit(&behaving.stops);
        finding.detail = Some(format!("in the variant in which `{from}` behaves, {why}{fault}"));
        return finding;
    }
    let observe = |graph, place: usize, fair| Observed { graph, values: &graph.measures[place], fair };
    let comparison = compare(
        observe(decider.graph, place, decider.fair),
        observe(&behaving.graph, variant_place, fair_sets(variant)),
    );
    match comparison {
        Comparison::Included(pairs) => (finding.verdict, finding.compared) = (Verdict::Holds, Some(pairs)),
        Comparison::Differs(walk) => {
            (finding.verdict, finding.kind) = (Verdict::Violated, Some(Kind::Safety));
            finding.witness = Some((walk, Vec::new()));
            finding.detail = Some(format!(
                "where `{from}` behaves, no path shows the values of `{measure}` that this one does"
            ));
        }
        Comparison::TooLarge => {
            finding.detail =
                Some(format!("more than {} pairs would have to be compared", isolation::PAIRS_MAX));
        }
    }
    finding
}

fn fair_sets<M: Checkable>(system: &System<M>) -> FairSets {
    let sets = |strength: Strength| {
        let sets = system.fairness.iter().enumerate().filter(|(_, set)| set.strength == strength);
        sets.fold(0, |mask, (i, _)| mask | 1 << i)
    };
    FairSets { weak: sets(Strength::Weak), strong: sets(Strength::Strong), stutters: system.stutters }
}

fn notes<M: Checkable>(system: &System<M>, explored: &Explored<M>, decisions: &[Decision<M>]) -> Vec<Note> {
    let coarse = explored.coarse_hash(&system.model);
    let note = coarse.map(|(pairs, a, b)| Note::CoarseHash { pairs, first: show(&*a), second: show(&*b) });
    let mut notes: Vec<Note> = note.into_iter().collect();
    if explored.stops.is_empty() && explored.graph.complete() {
        notes.extend(unexercised(system, &explored.graph, decisions));
    }
    notes
}

/// Why a finding cannot be told.
enum Untold {
    Replay(ReplayError),
    Fault(Fault),
}

/// Turns walks through the graph into paths of the model, and has them replayed.
fn decision<M: Checkable>(
    told: &Told<'_, M>,
    claim: &Claim,
    finding: Finding,
) -> Result<Decision<M>, Untold> {
    let witness = match &finding.witness {
        None => None,
        Some((stem, cycle)) => {
            let trace = told.trace(stem, cycle).map_err(Untold::Fault)?;
            let shown = Shown { claim, verdict: finding.verdict, kind: finding.kind };
            replay(told.system, &shown, &trace).map_err(Untold::Replay)?;
            Some(trace)
        }
    };
    let worst = match &finding.worst {
        None => None,
        Some(walk) => Some(told.trace(walk, &[]).map_err(Untold::Fault)?),
    };
    let inconclusive = finding.verdict == Verdict::Inconclusive;
    Ok(Decision {
        claim: claim.clone(),
        verdict: finding.verdict,
        kind: finding.kind,
        lasso: finding.lasso,
        states_covered: (!inconclusive).then_some(finding.states_covered),
        worst_ticks: finding.worst_ticks,
        peak: finding.peak,
        tipping: None,
        remedy: None,
        worst,
        detail: match finding.detail {
            None if inconclusive => Some(limits_hit(&told.explored.stops)),
            detail => detail,
        },
        witness,
    })
}

impl<M: Checkable> Decision<M> {
    fn undecided(claim: &Claim, stops: &[Stop]) -> Self {
        Self {
            claim: claim.clone(),
            verdict: Verdict::Inconclusive,
            kind: None,
            lasso: None,
            states_covered: None,
            worst_ticks: None,
            peak: None,
            tipping: None,
            remedy: None,
            worst: None,
            detail: Some(limits_hit(stops)),
            witness: None,
        }
    }
}

fn limits_hit(stops: &[Stop]) -> String {
    stops.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
