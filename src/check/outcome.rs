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
    /// The largest value of each measure among the states found, in the system's order.
    pub peaks: Vec<Peak<M>>,
    /// The amplification of each pair of measures that the system declares.
    pub amplifications: Vec<Amplification<M>>,
    /// What else a user should know.
    pub notes: Vec<Note>,
    /// One decision for each claim of the system, in order.
    pub decisions: Vec<Decision<M>>,
}

/// The largest value of a measure.
#[derive(Debug)]
pub struct Peak<M: Checkable> {
    /// The measure's name.
    pub measure: String,
    /// Its unit.
    pub unit: String,
    /// The value; exact if the search was complete.
    pub value: i64,
    /// A shortest path to a state with this value.
    pub path: Trace<M>,
}

/// The largest ratio of offered to fresh load.
#[derive(Debug)]
pub struct Amplification<M: Checkable> {
    /// The measure of the offered load.
    pub offered: String,
    /// The measure of the fresh load.
    pub fresh: String,
    /// Offered and fresh load where their ratio is largest; exact if the search was complete.
    pub peak: (i64, i64),
    /// A shortest path to a state with this ratio.
    pub path: Trace<M>,
}

/// The smallest trigger that tips the system.
#[derive(Debug)]
pub struct TippingPoint<M: Checkable> {
    /// The measures by whose sums triggers are weighed, in order.
    pub measures: Vec<String>,
    /// The least weight of a path into what violates the claim.
    pub least: Vec<i64>,
    /// The largest weight of a trigger that is survived whatever happens; none where there is none or it is not known.
    pub survived: Option<Vec<i64>>,
    /// A path with the least weight.
    pub path: Trace<M>,
}

/// The cheapest intervention from the worst state that the system can come to by itself.
#[derive(Debug)]
pub struct Remedy<M: Checkable> {
    /// The fewest operator actions after which recovery is certain, whatever else happens; none: no number is enough.
    pub actions: Option<u64>,
    /// The actions, in order, on the path below.
    pub order: Vec<String>,
    /// After how many steps of the path the worst state is reached.
    pub worst: usize,
    /// To the worst state, and on along the intervention, everything else going as badly as it can.
    pub path: Trace<M>,
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
    /// The exact worst case in ticks, where the claim has one and it is finite: see `check::quantity`.
    pub worst_ticks: Option<u64>,
    /// The largest value of the claim's measure; exact if the search was complete.
    pub peak: Option<i64>,
    /// The smallest trigger that tips the system, where the system says how triggers are weighed and the claim is violated.
    pub tipping: Option<TippingPoint<M>>,
    /// The cheapest intervention, where the system has an operator and the claim is violated.
    pub remedy: Option<Remedy<M>>,
    /// A path that shows the worst case, where the claim holds and has one.
    pub worst: Option<Trace<M>>,
    /// A sentence that adds to the verdict: the limit of an inconclusive one, why a vacuous one tested nothing.
    pub detail: Option<String>,
    /// What shows the verdict: a counterexample, or an example where `reachable` holds. Already replayed.
    pub witness: Option<Trace<M>>,
}
