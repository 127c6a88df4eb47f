//! What people and programs read: results as plain data ([`CaseResult`]), and their forms as text.
//!
//! [`case_result`] is the only way from the model's types to plain data; every output format is made from the latter.

mod case;
mod changes;
mod debug_text;
mod github;
mod html;
mod itf;
mod json;
mod junit;
mod layout;
mod mermaid;
mod plot;
mod result;
mod run;
#[cfg(test)]
mod samples;
mod sarif;
mod sentence;
mod sequence;
mod shiviz;
mod story;
mod svg;
mod table;
mod text;

pub use case::case_result;
pub use changes::{changes, parts};
pub use github::github;
pub use html::html;
pub use itf::itf;
pub use json::json;
pub use junit::junit;
pub use layout::TextOptions;
pub use mermaid::mermaid;
pub use result::{
    ActorText, AmplificationText, CaseResult, Change, ClaimResult, Drift, LoopAmplification, PeakText,
    RemedyText, StepText, TippingText, WitnessText,
};
pub use run::{Checked, Ended, Finding, Level};
pub use sarif::sarif;
pub use shiviz::shiviz;
pub use table::{table, total};
pub use text::text;
