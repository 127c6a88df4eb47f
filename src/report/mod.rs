//! What people and programs read: results as plain data ([`CaseResult`]), and their forms as text.
//!
//! [`case_result`] is the only way from the model's types to plain data; every output format is made from the latter.

mod case;
mod changes;
mod debug_text;
mod github;
mod json;
mod junit;
mod layout;
mod plot;
mod result;
mod run;
#[cfg(test)]
mod samples;
mod sarif;
mod sentence;
mod story;
mod table;
mod text;

pub use case::case_result;
pub use changes::{changes, parts};
pub use github::github;
pub use json::json;
pub use junit::junit;
pub use layout::TextOptions;
pub use result::{
    AmplificationText, CaseResult, Change, ClaimResult, Drift, LoopAmplification, PeakText, RemedyText,
    StepText, TippingText, WitnessText,
};
pub use run::{Checked, Ended, Finding, Level};
pub use sarif::sarif;
pub use table::{table, total};
pub use text::text;
