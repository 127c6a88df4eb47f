//! A result as one line of JSON, as scripts read it.
//!
//! The keys and their order are fixed (DESIGN, section 9): these structures are that list, so that a change of
//! [`CaseResult`] cannot move them by accident. What users need beyond them follows after the fixed keys. Nothing is left
//! out: what is absent is null.

use super::result::{
    ActorText, AmplificationText, CaseResult, Change, ClaimResult, Drift, PeakText, RemedyText, StepText,
    TippingText, WitnessText,
};
use crate::actor::TickEvent;
use crate::property::{Kind, Lasso, Verdict};
use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Serialize)]
struct Case<'a> {
    model: &'a str,
    case: Option<&'a str>,
    parameters: &'a Map<String, Value>,
    states: u64,
    transitions: u64,
    seconds: Option<f64>,
    claims: Vec<Claim<'a>>,
    // Not fixed.
    peaks: Vec<Peak<'a>>,
    amplifications: &'a [AmplificationText],
    stops: &'a [String],
    fault: Option<&'a str>,
    notes: &'a [String],
    drift: Option<&'a [Drift]>,
    actors: &'a [ActorText],
    tick: Option<&'a str>,
}

#[derive(Serialize)]
struct Peak<'a> {
    measure: &'a str,
    unit: &'a str,
    value: i64,
    path: Vec<Step<'a>>,
}

#[derive(Serialize)]
struct Claim<'a> {
    name: &'a str,
    claim: &'a str,
    verdict: Verdict,
    kind: Option<Kind>,
    states_covered: Option<u64>,
    worst_ticks: Option<u64>,
    peak: Option<i64>,
    witness: Option<Witness<'a>>,
    // Not fixed.
    lasso: Option<Lasso>,
    detail: Option<&'a str>,
    tipping: Option<&'a TippingText>,
    remedy: Option<&'a RemedyText>,
}

#[derive(Serialize)]
struct Witness<'a> {
    stem: Vec<Step<'a>>,
    #[serde(rename = "loop")]
    cycle: Vec<Step<'a>>,
}

#[derive(Serialize)]
struct Step<'a> {
    action: &'a str,
    changes: &'a [Change],
    atoms: &'a Map<String, Value>,
    measures: &'a Map<String, Value>,
    // Not fixed.
    events: &'a [TickEvent],
}

/// The result as one line of JSON, without a line end.
pub fn json(result: &CaseResult) -> String {
    let case = Case {
        model: &result.model,
        case: result.case.as_deref(),
        parameters: &result.parameters,
        states: result.states,
        transitions: result.transitions,
        seconds: Some(result.seconds).filter(|s| s.is_finite()),
        claims: result.claims.iter().map(claim).collect(),
        peaks: result.peaks.iter().map(peak).collect(),
        amplifications: &result.amplifications,
        stops: &result.stops,
        fault: result.fault.as_deref(),
        notes: &result.notes,
        drift: result.drift.as_deref(),
        actors: &result.actors,
        tick: result.tick.as_deref(),
    };
    let line = serde_json::to_string(&case).expect("texts, numbers and maps with text keys are always JSON");
    one_line(line)
}

fn claim(claim: &ClaimResult) -> Claim<'_> {
    Claim {
        name: &claim.name,
        claim: &claim.claim,
        verdict: claim.verdict,
        kind: claim.kind,
        states_covered: claim.states_covered,
        worst_ticks: claim.worst_ticks,
        peak: claim.peak,
        witness: claim.witness.as_ref().map(witness),
        lasso: claim.lasso,
        detail: claim.detail.as_deref(),
        tipping: claim.tipping.as_ref(),
        remedy: claim.remedy.as_ref(),
    }
}

fn peak(peak: &PeakText) -> Peak<'_> {
    let path = peak.path.iter().map(step).collect();
    Peak { measure: &peak.measure, unit: &peak.unit, value: peak.value, path }
}

fn witness(witness: &WitnessText) -> Witness<'_> {
    Witness { stem: witness.stem.iter().map(step).collect(), cycle: witness.cycle.iter().map(step).collect() }
}

fn step(step: &StepText) -> Step<'_> {
    Step {
        action: &step.action,
        changes: &step.changes,
        atoms: &step.atoms,
        measures: &step.measures,
        events: &step.events,
    }
}

/// JSON allows a few characters inside of strings that some readers take for the end of a line.
fn one_line(line: String) -> String {
    let breaks = ['\u{85}', '\u{2028}', '\u{2029}'];
    if !line.contains(breaks) {
        return line;
    }
    breaks.into_iter().fold(line, |line, c| line.replace(c, &format!("\\u{:04x}", u32::from(c))))
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    fn keys(value: &Value) -> Vec<&str> {
        value.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn the_keys_are_the_fixed_ones_in_the_fixed_order_and_others_come_after_them() {
        let line = json(&samples::trap());
        assert!(!line.contains('\n'));
        let case: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            keys(&case),
            [
                "model",
                "case",
                "parameters",
                "states",
                "transitions",
                "seconds",
                "claims",
                "peaks",
                "amplifications",
                "stops",
                "fault",
                "notes",
                "drift",
                "actors",
                "tick"
            ]
        );
        for claim in case["claims"].as_array().unwrap() {
            assert_eq!(
                keys(claim),
                [
                    "name",
                    "claim",
                    "verdict",
                    "kind",
                    "states_covered",
                    "worst_ticks",
                    "peak",
                    "witness",
                    "lasso",
                    "detail",
                    "tipping",
                    "remedy"
                ]
            );
        }
        let violated = &case["claims"][0];
        assert_eq!(
            (&violated["verdict"], &violated["kind"]),
            (&Value::from("violated"), &Value::from("trap"))
        );
        assert_eq!(keys(&violated["witness"]), ["stem", "loop"]);
        let step = &violated["witness"]["loop"][0];
        assert_eq!(keys(step), ["action", "changes", "atoms", "measures", "events"]);
        assert_eq!(keys(&step["changes"][0]), ["path", "from", "to"]);
        assert!(step["atoms"]["valid"].is_boolean());
        let holds = case["claims"].as_array().unwrap().iter().find(|c| c["verdict"] == "holds").unwrap();
        assert!(holds["kind"].is_null() && holds["lasso"].is_null() && holds["worst_ticks"].is_null());
    }

    #[test]
    fn a_result_reads_back_as_it_was() {
        for (name, result) in samples::all() {
            assert_eq!(serde_json::from_str::<CaseResult>(&json(&result)).unwrap(), result, "{name}");
        }
    }

    #[test]
    fn no_value_breaks_the_line_or_the_json() {
        let mut result = samples::trap();
        result.seconds = f64::NAN;
        result.notes.push("a\u{2028}b\u{85}c\nd".to_owned());
        let line = json(&result);
        assert!(!line.contains(['\u{2028}', '\u{85}', '\n']));
        let value: Value = serde_json::from_str(&line).unwrap();
        assert!(value["seconds"].is_null());
        assert_eq!(value["notes"].as_array().unwrap().last().unwrap(), "a\u{2028}b\u{85}c\nd");
    }
}
