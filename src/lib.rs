//! Aftercalm: a model checker for retry and failover protocols.
//!
//! After the trigger has gone, does the system recover by itself, and if not, what keeps it down? See the README for the
//! command line and `ARCHITECTURE.md` for the map of this crate.

extern crate self as aftercalm;

pub mod actor;
pub mod certificate;
pub mod check;
pub mod cli;
pub mod component;
pub mod harness;
pub mod model;
pub mod policy;
pub mod property;
pub mod report;
pub mod spec;
pub mod witness;

pub use harness::run;
pub use im;
pub use serde;
pub use stateright;
