//! The result of one checked case as plain data, free of the model's types. Every output format is made from it, and a
//! model program hands it to the command line as JSON.

use crate::actor::TickEvent;
use crate::property::{Kind, Lasso, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One checked case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The model file, as the user named it.
    pub model: String,
    /// The case's name in its spec; none outside of specs.
    pub case: Option<String>,
    /// All parameters with the values used.
    pub parameters: Map<String, Value>,
    /// The actors, where the model is a timed system, in its order.
    #[serde(default)]
    pub actors: Vec<ActorText>,
    /// The tick of a timed system, in words (`100ms`).
    #[serde(default)]
    pub tick: Option<String>,
    /// Distinct states found.
    pub states: u64,
    /// Transitions generated.
    pub transitions: u64,
    /// Seconds taken by search and decision.
    pub seconds: f64,
    /// One result for each claim, in the model's order.
    pub claims: Vec<ClaimResult>,
    /// The largest value of each measure, in the model's order.
    #[serde(default)]
    pub peaks: Vec<PeakText>,
    /// The amplification of each pair of measures that the model declares.
    #[serde(default)]
    pub amplifications: Vec<AmplificationText>,
    /// What ended the search early, a sentence each; empty for a complete search.
    pub stops: Vec<String>,
    /// The fault of the model that ended the search, if one did.
    pub fault: Option<String>,
    /// What else a user should know, a paragraph each.
    pub notes: Vec<String>,
    /// How the result differs from what its suite expects; none outside of suites.
    #[serde(default)]
    pub drift: Option<Vec<Drift>>,
}

/// An actor of a timed system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActorText {
    /// Its name.
    pub name: String,
    /// Whether it is a trigger, which is `Waiting`, `Active` or `Over`.
    pub trigger: bool,
}

/// Something that is other than its suite expects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    /// What it is about: a claim, a measure, the number of states.
    pub about: String,
    /// The claim's name, where it is about one.
    pub claim: Option<String>,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
    /// The line of the suite that expects it, counted from 1.
    pub line: Option<usize>,
}

/// The largest value of a measure among the states found; exact where the search was complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeakText {
    /// The measure's name.
    pub measure: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// The value.
    pub value: i64,
    /// A shortest path to a state with this value.
    pub path: Vec<StepText>,
}

/// What was decided about one claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimResult {
    /// The claim's name.
    pub name: String,
    /// The claim in the fixed claim words.
    pub claim: String,
    /// The verdict.
    pub verdict: Verdict,
    /// How it is violated.
    pub kind: Option<Kind>,
    /// What the loop does.
    pub lasso: Option<Lasso>,
    /// The states that the verdict covers.
    pub states_covered: Option<u64>,
    /// The exact worst case, in ticks, where it was computed.
    pub worst_ticks: Option<u64>,
    /// The exact peak of the measure, where the claim is about one.
    pub peak: Option<i64>,
    /// A sentence that adds to the verdict.
    pub detail: Option<String>,
    /// What shows the verdict.
    pub witness: Option<WitnessText>,
    /// The smallest trigger that tips the system.
    #[serde(default)]
    pub tipping: Option<TippingText>,
    /// The cheapest intervention.
    #[serde(default)]
    pub remedy: Option<RemedyText>,
}

/// The ratio of offered to fresh load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AmplificationText {
    /// The measure of the offered load.
    pub offered: String,
    /// The measure of the fresh load.
    pub fresh: String,
    /// Offered and fresh load where their ratio is largest.
    pub peak: [i64; 2],
    /// The same over the loops of counterexamples.
    pub loops: Vec<LoopAmplification>,
}

/// The amplification in the loop of a counterexample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopAmplification {
    /// The claim that the counterexample refutes.
    pub claim: String,
    /// The sums of offered and fresh load over one turn.
    pub ratio: [i64; 2],
}

/// The smallest trigger that tips the system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TippingText {
    /// The measures by whose sums triggers are weighed, in order.
    pub measures: Vec<String>,
    /// The smallest trigger that tips the system.
    pub least: Vec<i64>,
    /// The largest that is survived whatever happens; none where there is none or it is not known.
    pub survived: Option<Vec<i64>>,
    /// A path with the smallest trigger.
    pub path: Vec<StepText>,
}

/// The cheapest intervention from the worst state that the system can come to by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemedyText {
    /// The fewest operator actions after which recovery is certain; none: no number is enough.
    pub actions: Option<u64>,
    /// The actions, in order.
    pub order: Vec<String>,
    /// After how many steps of the path the worst state is reached.
    pub worst: usize,
    /// To the worst state, and on along the intervention.
    pub path: Vec<StepText>,
}

/// A stem and a loop, as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WitnessText {
    /// The initial state and the steps up to the start of the loop.
    pub stem: Vec<StepText>,
    /// The steps of the loop; empty for a finite path.
    #[serde(rename = "loop")]
    pub cycle: Vec<StepText>,
}

/// One step, as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepText {
    /// What was done, in the model's words (`format_action`).
    pub action: String,
    /// What it changed; for the initial state, every part of it.
    pub changes: Vec<Change>,
    /// The values of all atoms in the state reached.
    pub atoms: Map<String, Value>,
    /// The values of all measures in the state reached.
    pub measures: Map<String, Value>,
    /// What happened, actor by actor, where the model is a timed system.
    #[serde(default)]
    pub events: Vec<TickEvent>,
}

/// A part of the state that a step changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Which part, as a path of field names and indices, for example `clients.waiting`.
    pub path: String,
    /// Its value before; none where the part is new.
    pub from: Option<String>,
    /// Its value after; none where the part is gone.
    pub to: Option<String>,
}
