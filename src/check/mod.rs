//! Search and decision: from a [`System`] to an [`Outcome`].
//!
//! A search explores the model into a [`StateGraph`]; every claim is decided on that graph by code
//! written once (`decide`, on top of `scc`, `fair` and `lasso`); every witness is then replayed by
//! [`witness`](crate::witness), which knows none of this.

pub mod bits;
mod buchi;
mod certify;
mod decide;
mod fair;
pub mod graph;
mod lasso;
mod limits;
mod longest;
mod ltl;
mod outcome;
mod quantity;
mod scc;
mod search;
mod states;

pub use limits::{Limits, Stop};
pub use outcome::{Decision, Note, Outcome, Peak};

use crate::certificate::Certificate;
use crate::model::{Checkable, Fault, Measure, guard};
use crate::property::{Claim, Strength, System, SystemError, Verdict};
use crate::witness::{Finding as Shown, ReplayError, Step, Trace, replay};
use certify::Certifier;
use decide::{Decider, Finding};
use fair::FairSets;
use graph::StateGraph;
use lasso::{EdgeStep, Walk};
use search::{Explored, explore, follow, show};
use std::time::Instant;

/// Why a check has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The system cannot be checked as it is written.
    #[error(transparent)]
    System(#[from] SystemError),
    /// A witness failed its replay. This is a fault of Aftercalm, never of the model.
    #[error(
        "internal error: the witness of claim `{claim}` fails its replay: {error}. This is a fault of aftercalm; please report it with the model"
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

/// The same, and for each claim its certificate: None where the claim does not hold, or its form has no certificates (`bounded`,
/// `isolated`, `ltl` with more than [`OPERATORS_MAX`](crate::certificate::OPERATORS_MAX) temporal operators).
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
    let mut explored = explore(system, limits);
    let decider = Decider {
        graph: &explored.graph,
        atoms: system.atoms.iter().map(|a| a.name.as_str()).collect(),
        measures: system.measures.iter().map(|m| m.name.as_str()).collect(),
        fair: fair_sets(system),
        complete: explored.stops.is_empty() && explored.graph.complete(),
    };
    let fairness = system.fairness.iter().map(|set| set.name.as_str()).collect();
    let certifier = certified.then_some(Certifier { decider: &decider, fairness });
    let mut certificates: Vec<Option<Certificate>> = vec![None; system.claims.len()];
    let mut decisions = Vec::with_capacity(system.claims.len());
    for claim in &system.claims {
        let finding = decider.decide(claim);
        certificates[decisions.len()] = certifier.as_ref().and_then(|c| c.certificate(claim, &finding));
        match decision(system, &explored, claim, finding) {
            Ok(decision) => decisions.push(decision),
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
    let outcome = Outcome {
        states: u64::from(graph.size()),
        transitions: graph.targets.len() as u64,
        depth: graph.depth(),
        end_states: (0..graph.expanded()).filter(|s| graph.is_end(*s)).count() as u64,
        peaks: peaks(system, &explored),
        elapsed: started.elapsed(),
        notes: notes(&explored),
        stops: explored.stops,
        fault: explored.fault,
        decisions,
    };
    Ok((outcome, certificates))
}

fn fair_sets<M: Checkable>(system: &System<M>) -> FairSets {
    let sets = |strength: Strength| {
        let sets = system.fairness.iter().enumerate().filter(|(_, set)| set.strength == strength);
        sets.fold(0, |mask, (i, _)| mask | 1 << i)
    };
    FairSets { weak: sets(Strength::Weak), strong: sets(Strength::Strong), stutters: system.stutters }
}

fn notes<M: Checkable>(explored: &Explored<M>) -> Vec<Note> {
    let coarse = explored.states.coarse_hash();
    let note = coarse.map(|(pairs, a, b)| Note::CoarseHash { pairs, first: show(a), second: show(b) });
    note.into_iter().collect()
}

/// The largest value of each measure, and a shortest path to it: the first state found is never farther than a later one.
fn peaks<M: Checkable>(system: &System<M>, explored: &Explored<M>) -> Vec<Peak<M>> {
    let graph = &explored.graph;
    let peak = |(measure, values): (&Measure<M>, &Vec<i64>)| {
        let (state, value) = values.iter().enumerate().max_by_key(|(s, v)| (**v, std::cmp::Reverse(*s)))?;
        let path = guard("`Clone` or `==` of its states", || {
            trace(system, explored, &ancestry(graph, state as u32), &[])
        });
        let (measure, unit) = (measure.name.clone(), measure.unit.clone());
        Some(Peak { measure, unit, value: *value, path: path.flatten().ok()? })
    };
    system.measures.iter().zip(&graph.measures).filter_map(peak).collect()
}

/// The path along which the search first came to `state`.
fn ancestry(graph: &StateGraph, state: u32) -> Walk {
    let mut steps = Vec::new();
    let mut at = state;
    while graph.parents[at as usize] != graph::NONE {
        let parent = graph.parents[at as usize];
        steps.push(graph.edges(parent).find(|p| graph.targets[*p] == at));
        at = parent;
    }
    steps.reverse();
    Walk { start: at, steps }
}

/// Why a finding cannot be told.
enum Untold {
    Replay(ReplayError),
    Fault(Fault),
}

/// Turns walks through the graph into paths of the model, and has them replayed.
fn decision<M: Checkable>(
    system: &System<M>,
    explored: &Explored<M>,
    claim: &Claim,
    finding: Finding,
) -> Result<Decision<M>, Untold> {
    let witness = match &finding.witness {
        None => None,
        Some((stem, cycle)) => {
            let told = guard("`Clone` or `==` of its states", || trace(system, explored, stem, cycle));
            let trace = told.flatten().map_err(Untold::Fault)?;
            let shown = Shown { claim, verdict: finding.verdict, kind: finding.kind };
            replay(system, &shown, &trace).map_err(Untold::Replay)?;
            Some(trace)
        }
    };
    let worst = match &finding.worst {
        None => None,
        Some(walk) => {
            let told = guard("`Clone` or `==` of its states", || trace(system, explored, walk, &[]));
            Some(told.flatten().map_err(Untold::Fault)?)
        }
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
        worst,
        detail: match finding.detail {
            None if inconclusive => Some(limits_hit(&explored.stops)),
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
            worst: None,
            detail: Some(limits_hit(stops)),
            witness: None,
        }
    }
}

fn limits_hit(stops: &[Stop]) -> String {
    stops.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn trace<M: Checkable>(
    system: &System<M>,
    explored: &Explored<M>,
    stem: &Walk,
    cycle: &[EdgeStep],
) -> Result<Trace<M>, Fault> {
    let mut at = stem.start;
    let mut steps = |walk: &[EdgeStep]| {
        walk.iter().map(|step| told(system, explored, &mut at, *step)).collect::<Result<Vec<_>, _>>()
    };
    let mut told_stem = vec![Step { action: None, state: explored.states.get(stem.start).clone() }];
    told_stem.extend(steps(&stem.steps)?);
    Ok(Trace { stem: told_stem, cycle: steps(cycle)? })
}

/// One step of a walk, which leads from the state `at` to a new one.
fn told<M: Checkable>(
    system: &System<M>,
    explored: &Explored<M>,
    at: &mut u32,
    step: EdgeStep,
) -> Result<Step<M>, Fault> {
    let from = explored.states.get(*at);
    let Some(position) = step else {
        return Ok(Step { action: None, state: from.clone() });
    };
    let nth = position - explored.graph.edges(*at).start;
    *at = explored.graph.targets[position];
    let expected = explored.states.get(*at);
    match follow(system, from, nth)? {
        Some((action, state)) if state == *expected => Ok(Step { action: Some(action), state }),
        other => Err(Fault::NotDeterministic {
            function: "next_state".to_owned(),
            state: Some(show(from)),
            first: show(expected),
            second: other.map_or_else(|| "no state".to_owned(), |(_, state)| show(&state)),
        }),
    }
}
