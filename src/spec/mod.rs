//! Suites: what is expected of a model, case by case, as TOML files that a team keeps beside its models.
//!
//! ```toml
//! model = "../models/fb-config.rs"      # relative to this file
//!
//! [[case]]
//! name = "as it happened"
//! set = { clients = 6, capacity = 2 }   # parameters; the others keep their defaults
//! peaks = { queries = 6 }               # exact peaks of measures
//!
//! [case.expect]                         # every claim of the model, by its name
//! "stays valid" = "violated"
//! "can become valid again" = { verdict = "violated", kind = "trap" }
//!
//! [[case]]
//! name = "one query at a time"
//! set = { lease = true }
//! expect = { "stays valid" = "holds", "can become valid again" = "holds" }
//! ```
//!
//! # Keys of a suite
//!
//! | key | meaning |
//! | --- | --- |
//! | `model` | the model file, relative to the suite's own folder |
//! | `note` | what the suite is about |
//! | `set` | parameters for all cases; a case's own `set` comes on top |
//! | `case` | the cases, each with the keys below |
//!
//! # Keys of a case
//!
//! | key | meaning |
//! | --- | --- |
//! | `name` | how the case is called in reports; no two of a suite alike |
//! | `note` | what the case shows, printed where it drifts |
//! | `set` | parameters, as with `--set` |
//! | `max_states`, `max_depth` | limits of the search, for cases that never end |
//! | `states` | the exact number of states |
//! | `peaks` | the exact peak of each measure named |
//! | `amplification` | for an offered load, its largest ratio to the fresh load, as `"25/10"` |
//! | `expect` | what is expected of each claim: a verdict, or a table with the keys below |
//!
//! # Keys of an expectation
//!
//! | key | meaning |
//! | --- | --- |
//! | `verdict` | `holds`, `violated`, `inconclusive` or `vacuous` |
//! | `kind` | of a violation: `safety`, `lasso`, `trap` or `growth` |
//! | `loop` | of a lasso: `flaps` or `stalls` |
//! | `worst_ticks` | the exact worst case, in ticks |
//! | `peak` | the exact peak of the measure that the claim is about |
//! | `tipping` | the smallest trigger that tips the system, as the list of its weights |
//! | `survived` | the largest trigger that the system survives, likewise |
//! | `remedy` | the operator actions of the cheapest intervention, in order; `"none"` where none is enough |
//!
//! What is not given is not compared, but every claim of the model needs its verdict: a claim without one is drift, so that a
//! claim added to a model cannot go unchecked.
//!
//! No I/O happens here: texts and results come in, suites, drift and texts go out.

mod bless;
mod compare;
mod complaint;
mod moved;
mod read;
mod suite;

pub use bless::bless;
pub use compare::compare;
pub use complaint::{Complaint, did_you_mean, line_of, rendered};
pub use moved::{Move, moves};
pub use read::read;
pub use suite::{Case, Expected, Named, Remedy, Setting, Suite};

/// A result to compare with, for tests.
#[cfg(test)]
fn sample(
    claims: &[(&str, crate::property::Verdict, Option<crate::property::Kind>)],
) -> crate::report::CaseResult {
    use crate::report::{AmplificationText, CaseResult, ClaimResult, PeakText};
    let claim = |name: &str, verdict, kind| ClaimResult {
        name: name.to_owned(),
        claim: format!("stabilizes {name}"),
        verdict,
        kind,
        lasso: None,
        states_covered: Some(9),
        worst_ticks: None,
        peak: None,
        detail: None,
        witness: None,
        tipping: None,
        remedy: None,
    };
    CaseResult {
        model: "a.rs".to_owned(),
        case: None,
        parameters: serde_json::Map::new(),
        actors: Vec::new(),
        tick: None,
        states: 9,
        transitions: 12,
        seconds: 0.25,
        claims: claims.iter().map(|(name, verdict, kind)| claim(name, *verdict, *kind)).collect(),
        peaks: vec![PeakText { measure: "queue".into(), unit: String::new(), value: 8, path: Vec::new() }],
        amplifications: vec![AmplificationText {
            offered: "offered".into(),
            fresh: "fresh".into(),
            peak: [5, 2],
            loops: Vec::new(),
        }],
        stops: Vec::new(),
        fault: None,
        notes: Vec::new(),
        drift: None,
    }
}
