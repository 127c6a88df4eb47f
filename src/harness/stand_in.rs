//! Stands in for the report's own rendering until that is there.

use crate::check::Outcome;
use crate::model::Checkable;
use crate::property::System;
use crate::report::{CaseResult, ClaimResult};
use serde_json::{Map, Value};

/// How text is laid out.
#[derive(Clone, Copy, Debug)]
pub struct TextOptions {
    /// Columns.
    pub width: usize,
    /// Colours.
    pub color: bool,
    /// Unicode.
    pub unicode: bool,
}

/// Plain data of an outcome.
pub fn case_result<M: Checkable>(
    _: &System<M>,
    outcome: &Outcome<M>,
    model: &str,
    parameters: Map<String, Value>,
) -> CaseResult {
    let claims = outcome.decisions.iter().map(|d| ClaimResult {
        name: d.claim.name.clone(),
        claim: d.claim.text(),
        verdict: d.verdict,
        kind: d.kind,
        lasso: d.lasso,
        states_covered: d.states_covered,
        worst_ticks: None,
        peak: None,
        detail: d.detail.clone(),
        witness: None,
    });
    CaseResult {
        model: model.to_owned(),
        case: None,
        parameters,
        states: outcome.states,
        transitions: outcome.transitions,
        seconds: outcome.elapsed.as_secs_f64(),
        claims: claims.collect(),
        stops: outcome.stops.iter().map(ToString::to_string).collect(),
        fault: outcome.fault.as_ref().map(ToString::to_string),
        notes: outcome.notes.iter().map(ToString::to_string).collect(),
    }
}

/// Text.
pub fn text(case: &CaseResult, options: &TextOptions) -> String {
    let _ = (options.width, options.color, options.unicode);
    let mut text = format!("{}: {} states, {} transitions\n", case.model, case.states, case.transitions);
    for claim in &case.claims {
        let detail = claim.detail.as_deref().unwrap_or_default();
        text.push_str(&format!("  {:<13} {} {detail}\n", claim.verdict, claim.name));
    }
    text
}

/// JSON.
pub fn json(case: &CaseResult) -> String {
    serde_json::to_string(case).unwrap_or_default()
}
