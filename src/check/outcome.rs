//! What a check found out, in the model's own types. `report` turns it into text.

use super::limits::Stop;
use crate::model::{Checkable, Fault};
use crate::property::{Claim, Kind, Lasso, Verdict};
use crate::witness::Trace;
use std::time::Duration;

/// The result of checking one system.
#[derive(Debug)]
pub struct Outcome<M: Checkable> {
    /// Distinct states found.
    pub states: u64,
    /// Transitions generated: every successor of every explored state, repeats and self-loops included, initial states
    /// not counted.
    pub transitions: u64,
    /// The most steps from an initial state to any state found (ticks, in a timed system).
    pub depth: u64,
    /// End states: explored states without a successor.
    pub end_states: u64,
    /// The time taken by search and decision.
    pub elapsed: Duration,
    /// What ended the search early, in the order in which it was met; empty for a complete search.
    pub stops: Vec<Stop>,
    /// The fault that ended the search, if one did.
    pub fault: Option<Fault>,
    /// What else a user should know.
    pub notes: Vec<Note>,
    /// One decision for each claim of the system, in order.
    pub decisions: Vec<Decision<M>>,
}

/// A remark about the model that is no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Note {
    /// The states' `Hash` is coarser than their `==`.
    #[error(
        "`Hash` of the model's state is coarser than `==` ({pairs} pairs seen): these two states differ but hash alike, so a checker that goes by hash takes them for one. Aftercalm told them apart\n  {first}\n  {second}"
    )]
    CoarseHash {
        /// How many pairs were met.
        pairs: u64,
        /// One state, as `Debug` shows it.
        first: String,
        /// Another.
        second: String,
    },
}

/// What was decided about one claim.
#[derive(Debug)]
pub struct Decision<M: Checkable> {
    /// The claim.
    pub claim: Claim,
    /// The verdict.
    pub verdict: Verdict,
    /// How it is violated (only for violated claims).
    pub kind: Option<Kind>,
    /// What the loop does (only for claims violated by a lasso).
    pub lasso: Option<Lasso>,
    /// The states that the verdict covers: those reachable once the antecedent was met (all, if there is none).
    pub states_covered: Option<u64>,
    /// A sentence that adds to the verdict: the limit of an inconclusive one, why a vacuous one tested nothing.
    pub detail: Option<String>,
    /// What shows the verdict: a counterexample, or an example where `reachable` holds. Already replayed.
    pub witness: Option<Trace<M>>,
}
