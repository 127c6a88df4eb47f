//! Witnesses: what shows a verdict, and the replay that checks it against the model alone.
//!
//! Nothing here knows the search or its graph. A trace that fails its replay is an internal error and is never printed
//! as a finding.

mod replay;
mod trace;

pub use replay::{Finding, ReplayError, replay, retrace};
pub use trace::{Step, Trace};
