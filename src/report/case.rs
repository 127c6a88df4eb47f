//! From an [`Outcome`], which is in the model's own types, to a [`CaseResult`], which is plain data.
//!
//! Only what must call into the model is generic: it turns every step of a trace into text and numbers. A model that
//! panics while it is asked for these loses that value and gains a note, never the result.

use super::changes::{changes, parts};
use super::result::{
    ActorText, AmplificationText, CaseResult, ClaimResult, LoopAmplification, PeakText, RemedyText, StepText,
    TippingText, WitnessText,
};
use crate::actor::TickEvent;
use crate::check::{Decision, Outcome};
use crate::model::{Checkable, Fault, guard, guard_quietly};
use crate::property::System;
use crate::witness::{Step, Trace};
use serde_json::{Map, Value};

/// What a step is called that leads nowhere because nothing else is possible.
pub(super) const ENDS: &str = "(stays for ever: nothing more can happen)";
/// What a step is called that leads nowhere although the system could go on.
pub(super) const STAYS: &str = "(stays for ever)";
/// What the first step of a witness is called.
pub(super) const INITIAL: &str = "(initial state)";

/// The result of a check as plain data, with every witness told as text. The case has no name yet.
///
/// `model` is the model file as the user named it, `parameters` all parameters with the values used.
pub fn case_result<M: Checkable>(
    system: &System<M>,
    outcome: &Outcome<M>,
    model: &str,
    parameters: Map<String, Value>,
) -> CaseResult {
    let mut lost = Vec::new();
    let claims: Vec<ClaimResult> = outcome
        .decisions
        .iter()
        .map(|decision| {
            let witness = decision.witness.as_ref().map(|trace| Told::new(system, trace, &mut lost));
            let mut path = |trace: &Trace<M>| Told::new(system, trace, &mut lost).witness().stem;
            let tipping = decision.tipping.as_ref().map(|t| TippingText {
                measures: t.measures.clone(),
                least: t.least.clone(),
                survived: t.survived.clone(),
                path: path(&t.path),
            });
            let remedy = decision.remedy.as_ref().map(|r| RemedyText {
                actions: r.actions,
                order: r.order.clone(),
                worst: r.worst,
                path: path(&r.path),
            });
            ClaimResult { tipping, remedy, ..claim_result(decision, witness.map(Told::witness)) }
        })
        .collect();
    let amplifications = outcome
        .amplifications
        .iter()
        .map(|a| AmplificationText {
            offered: a.offered.clone(),
            fresh: a.fresh.clone(),
            peak: [a.peak.0, a.peak.1],
            loops: loops(&claims, &a.offered, &a.fresh),
        })
        .collect();
    let peaks = outcome
        .peaks
        .iter()
        .map(|peak| PeakText {
            measure: peak.measure.clone(),
            unit: peak.unit.clone(),
            value: peak.value,
            path: Told::new(system, &peak.path, &mut lost).witness().stem,
        })
        .collect();
    let mut notes: Vec<String> = outcome.notes.iter().map(ToString::to_string).collect();
    notes.extend(end_states(outcome.end_states));
    notes.extend(lost);
    CaseResult {
        model: model.to_owned(),
        case: None,
        parameters,
        actors: actors(system),
        tick: system.factored.map(|f| format!("{:?}", (f.machine)(&system.model).tick)),
        states: outcome.states,
        transitions: outcome.transitions,
        seconds: outcome.elapsed.as_secs_f64(),
        claims,
        peaks,
        amplifications,
        stops: outcome.stops.iter().map(ToString::to_string).collect(),
        fault: outcome.fault.as_ref().map(ToString::to_string),
        notes,
        drift: None,
    }
}

/// The actors of a timed system.
fn actors<M: Checkable>(system: &System<M>) -> Vec<ActorText> {
    let Some(factored) = system.factored else { return Vec::new() };
    let machine = (factored.machine)(&system.model);
    let actors = machine.names.iter().zip(&machine.seats);
    actors.map(|(name, seat)| ActorText { name: name.to_string(), trigger: seat.trigger }).collect()
}

fn claim_result<M: Checkable>(decision: &Decision<M>, witness: Option<WitnessText>) -> ClaimResult {
    ClaimResult {
        name: decision.claim.name.clone(),
        claim: decision.claim.text(),
        verdict: decision.verdict,
        kind: decision.kind,
        lasso: decision.lasso,
        states_covered: decision.states_covered,
        worst_ticks: decision.worst_ticks,
        peak: decision.peak,
        detail: decision.detail.clone(),
        witness,
        tipping: None,
        remedy: None,
    }
}

/// The sums of offered and fresh load over the loop of each counterexample that has one with fresh load.
fn loops(claims: &[ClaimResult], offered: &str, fresh: &str) -> Vec<LoopAmplification> {
    let sum = |steps: &[StepText], name: &str| -> i64 {
        steps.iter().filter_map(|s| s.measures.get(name).and_then(Value::as_i64)).sum()
    };
    let told = claims.iter().filter_map(|claim| {
        let cycle = &claim.witness.as_ref()?.cycle;
        let ratio = [sum(cycle, offered), sum(cycle, fresh)];
        (ratio[1] > 0).then(|| LoopAmplification { claim: claim.name.clone(), ratio })
    });
    told.collect()
}

fn end_states(count: u64) -> Option<String> {
    let states = match count {
        0 => return None,
        1 => "one state is an end state: nothing more can happen in it".to_owned(),
        n => format!("{n} states are end states: nothing more can happen in them"),
    };
    Some(format!("{states}, which counts as staying there for ever"))
}

/// A trace whose states are `Debug` texts.
struct Told {
    stem: Vec<ToldStep>,
    cycle: Vec<ToldStep>,
}

struct ToldStep {
    action: String,
    state: String,
    atoms: Map<String, Value>,
    measures: Map<String, Value>,
    events: Vec<TickEvent>,
}

impl Told {
    fn new<M: Checkable>(system: &System<M>, trace: &Trace<M>, lost: &mut Vec<String>) -> Self {
        let mut step = |number: usize, step: &Step<M>| ToldStep {
            action: match &step.action {
                Some(action) => guard_quietly("format_action", || system.model.format_action(action)),
                None if number == 0 => INITIAL.to_owned(),
                None if is_end_state(system, &step.state) => ENDS.to_owned(),
                None => STAYS.to_owned(),
            },
            state: guard_quietly("Debug", || format!("{:?}", step.state)),
            atoms: atoms(system, &step.state, lost),
            measures: measures(system, &step.state, lost),
            events: match (&step.action, system.factored) {
                (Some(action), Some(factored)) => (factored.tick)(action).events(),
                _ => Vec::new(),
            },
        };
        let stem: Vec<ToldStep> = trace.stem.iter().enumerate().map(|(i, s)| step(i, s)).collect();
        let cycle = trace.cycle.iter().enumerate().map(|(i, s)| step(stem.len() + i, s)).collect();
        Self { stem, cycle }
    }

    /// The steps, each with what it changed.
    fn witness(self) -> WitnessText {
        let mut before: Option<String> = None;
        let mut step = |told: ToldStep| {
            let changes = match &before {
                None => parts(&told.state),
                Some(before) => changes(before, &told.state),
            };
            before = Some(told.state.clone());
            let ToldStep { action, atoms, measures, events, .. } = told;
            StepText { action, changes, atoms, measures, events }
        };
        let stem = self.stem.into_iter().map(&mut step).collect();
        let cycle = self.cycle.into_iter().map(&mut step).collect();
        WitnessText { stem, cycle }
    }
}

fn atoms<M: Checkable>(system: &System<M>, state: &M::State, lost: &mut Vec<String>) -> Map<String, Value> {
    let value = |atom: &crate::model::Atom<M>, lost: &mut Vec<String>| {
        let value = guard(&format!("atom `{}`", atom.name), || atom.holds(&system.model, state));
        (atom.name.clone(), kept(value, lost))
    };
    system.atoms.iter().map(|atom| value(atom, lost)).collect()
}

fn measures<M: Checkable>(
    system: &System<M>,
    state: &M::State,
    lost: &mut Vec<String>,
) -> Map<String, Value> {
    let value = |measure: &crate::model::Measure<M>, lost: &mut Vec<String>| {
        let value = guard(&format!("measure `{}`", measure.name), || measure.value(&system.model, state));
        (measure.name.clone(), kept(value, lost))
    };
    system.measures.iter().map(|measure| value(measure, lost)).collect()
}

/// The value; where there is none, null, and a note that says why (once).
fn kept<T: Into<Value>>(value: Result<T, Fault>, lost: &mut Vec<String>) -> Value {
    value.map_or_else(
        |fault| {
            let note = format!("a value is missing from a witness: {fault}");
            if !lost.contains(&note) {
                lost.push(note);
            }
            Value::Null
        },
        Into::into,
    )
}

/// Whether nothing can follow. Where the model fails to say, it is not claimed.
fn is_end_state<M: Checkable>(system: &System<M>, state: &M::State) -> bool {
    let ends = guard("next_state", || {
        let mut actions = Vec::new();
        system.model.actions(state, &mut actions);
        actions.into_iter().all(|action| system.model.next_state(state, action).is_none())
    });
    ends.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::property::{Kind, Lasso, ModelExt, Verdict, eventually, reachable};
    use std::time::Duration;

    /// A retry counter that ends at `end`, if it has one.
    struct Counter {
        end: Option<u8>,
    }

    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Retries {
        made: u8,
        left: u8,
    }

    impl stateright::Model for Counter {
        type State = Retries;
        type Action = &'static str;
        fn init_states(&self) -> Vec<Retries> {
            vec![Retries { made: 0, left: 2 }]
        }
        fn actions(&self, _: &Retries, actions: &mut Vec<&'static str>) {
            actions.push("retry");
        }
        fn next_state(&self, state: &Retries, _: &'static str) -> Option<Retries> {
            let next = Retries { made: state.made + 1, left: state.left.saturating_sub(1) };
            (self.end != Some(state.made)).then_some(next)
        }
        fn format_action(&self, action: &&'static str) -> String {
            assert!(self.end.is_some(), "no words");
            format!("clients {action}")
        }
    }

    fn trace(stays: bool) -> Trace<Counter> {
        let state = |made, left| Retries { made, left };
        let stem = vec![
            Step { action: None, state: state(0, 2) },
            Step { action: Some("retry"), state: state(1, 1) },
        ];
        let cycle = if stays { vec![Step { action: None, state: state(1, 1) }] } else { Vec::new() };
        Trace { stem, cycle }
    }

    fn outcome(system: &System<Counter>, witness: Trace<Counter>) -> CaseResult {
        let decision = Decision {
            claim: system.claims[0].clone(),
            verdict: Verdict::Violated,
            kind: Some(Kind::Lasso),
            lasso: Some(Lasso::Stalls),
            states_covered: Some(2),
            worst_ticks: None,
            peak: None,
            tipping: None,
            remedy: None,
            worst: None,
            detail: None,
            witness: Some(witness),
        };
        let outcome = Outcome {
            states: 2,
            transitions: 1,
            depth: 1,
            end_states: 1,
            peaks: Vec::new(),
            amplifications: Vec::new(),
            elapsed: Duration::from_millis(20),
            stops: Vec::new(),
            fault: None,
            notes: Vec::new(),
            decisions: vec![decision],
        };
        case_result(system, &outcome, "models/counter.rs", Map::new())
    }

    #[test]
    fn a_trace_is_told_by_actions_changes_atoms_and_measures() {
        let system = Counter { end: Some(1) }
            .system()
            .atom("served", |_, _| false)
            .measure("retries", "requests", |_, s| i64::from(s.made))
            .claim(eventually("served"));
        let result = outcome(&system, trace(true));
        let witness = result.claims[0].witness.clone().unwrap();
        let paths = |step: &StepText| step.changes.iter().map(|c| c.path.clone()).collect::<Vec<_>>();
        assert_eq!(witness.stem[0].action, INITIAL);
        assert_eq!(paths(&witness.stem[0]), ["made", "left"]);
        assert!(witness.stem[0].changes.iter().all(|c| c.from.is_none()));
        assert_eq!(witness.stem[1].action, "clients retry");
        assert_eq!(witness.stem[1].changes[0].to.as_deref(), Some("1"));
        assert_eq!(witness.stem[1].atoms["served"], Value::Bool(false));
        assert_eq!(witness.stem[1].measures["retries"], Value::from(1));
        assert_eq!((witness.cycle[0].action.as_str(), witness.cycle[0].changes.len()), (ENDS, 0));
        assert_eq!(result.notes.len(), 1);
    }

    #[test]
    fn staying_where_something_could_happen_is_told_apart_from_an_end() {
        let system = Counter { end: Some(9) }.system().atom("a", |_, _| true).claim(eventually("a"));
        assert_eq!(outcome(&system, trace(true)).claims[0].witness.clone().unwrap().cycle[0].action, STAYS);
    }

    #[test]
    fn a_panic_while_a_witness_is_told_costs_one_value_and_is_noted_once() {
        let system = Counter { end: None }
            .system()
            .atom("a", |_, _| panic!("no such atom"))
            .measure("m", "", |_, s| 1 / i64::from(s.left - 1))
            .claim(reachable("a"));
        let result = outcome(&system, trace(false));
        let witness = result.claims[0].witness.clone().unwrap();
        assert_eq!(witness.stem[1].action, "<format_action panicked: no words>");
        assert_eq!(witness.stem[0].atoms["a"], Value::Null);
        assert_eq!(witness.stem[0].measures["m"], Value::from(1));
        assert_eq!(witness.stem[1].measures["m"], Value::Null);
        let about = |word: &str| result.notes.iter().filter(|n| n.contains(word)).count();
        assert_eq!((about("no such atom"), about("divide by zero")), (1, 1), "{:?}", result.notes);
    }
}
