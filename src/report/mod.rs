//! What people and programs read: results as plain data ([`CaseResult`]), and their forms as text.

mod result;

pub use result::{CaseResult, Change, ClaimResult, StepText, WitnessText};
