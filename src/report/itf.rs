//! A witness in the Informal Trace Format of Apalache and Quint (ADR 15 of Apalache), which other trace viewers read.
//!
//! Variables: `action` (text), `state` (the parts of the state by their paths, as texts), and one for each atom and measure.
//! `loop` is the index of the state to which the last one returns.

use super::result::{CaseResult, ClaimResult, StepText};
use serde_json::{Map, Value, json};

/// The trace of one claim's witness as one JSON object, with a line end. None: it has none.
pub fn itf(case: &CaseResult, claim: &ClaimResult) -> Option<String> {
    let witness = claim.witness.as_ref()?;
    let steps: Vec<&StepText> = witness.stem.iter().chain(&witness.cycle).collect();
    let first = steps.first()?;
    let atoms: Vec<&String> = first.atoms.keys().collect();
    let measures: Vec<&String> = first.measures.keys().collect();
    let vars = ["action".to_owned(), "state".to_owned()].into_iter();
    let vars: Vec<String> = vars
        .chain(atoms.iter().map(|a| format!("atom: {a}")))
        .chain(measures.iter().map(|m| format!("measure: {m}")))
        .collect();
    let mut parts: Map<String, Value> = Map::new();
    let mut states = Vec::with_capacity(steps.len());
    for (number, step) in steps.iter().enumerate() {
        for change in &step.changes {
            match &change.to {
                Some(to) => parts.insert(change.path.clone(), to.clone().into()),
                None => parts.remove(&change.path),
            };
        }
        let pairs: Vec<Value> = parts.iter().map(|(path, value)| json!([path, value])).collect();
        let mut state = Map::from_iter([
            ("#meta".to_owned(), json!({ "index": number })),
            ("action".to_owned(), step.action.clone().into()),
            ("state".to_owned(), json!({ "#map": pairs })),
        ]);
        for (name, value) in &step.atoms {
            state.insert(format!("atom: {name}"), value.clone());
        }
        for (name, value) in &step.measures {
            state.insert(format!("measure: {name}"), integer(value));
        }
        states.push(Value::Object(state));
    }
    let mut trace = json!({
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": case.model,
            "description": format!("{} ({}): {}", claim.name, claim.claim, claim.verdict),
            "parameters": case.parameters,
        },
        "vars": vars,
        "states": states,
    });
    if !witness.cycle.is_empty() {
        trace["loop"] = json!(witness.stem.len().saturating_sub(1));
    }
    Some(format!("{trace}\n"))
}

/// Numbers are written so that readers with floating-point numbers do not round them.
fn integer(value: &Value) -> Value {
    match value.as_i64() {
        Some(n) if n.unsigned_abs() > 1 << 53 => json!({ "#bigint": n.to_string() }),
        _ => value.clone(),
    }
}
