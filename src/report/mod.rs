//! What people and programs read: results as plain data ([`CaseResult`]), and their forms as text.
//!
//! [`case_result`] is the only way from the model's types to plain data; every output format is made from the latter.

mod case;
mod changes;
mod debug_text;
mod json;
mod layout;
mod plot;
mod result;
#[cfg(test)]
mod samples;
mod sentence;
mod story;
mod text;

pub use case::case_result;
pub use changes::{changes, parts};
pub use json::json;
pub use layout::TextOptions;
pub use result::{
    AmplificationText, CaseResult, Change, ClaimResult, LoopAmplification, PeakText, RemedyText, StepText,
    TippingText, WitnessText,
};
pub use text::text;
