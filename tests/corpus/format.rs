//! The files of the corpus.

use aftercalm::property::{Kind, Lasso, Verdict};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub case: Vec<Case>,
}

/// A system, what is claimed of it, and what is known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    /// What a checker gets wrong that fails this case.
    pub why: String,
    /// A system of `tests/peers`: `Retry 3 2 4 3`, `Cache 5 4 with strong answers`.
    pub system: Option<String>,
    pub graph: Option<GraphCase>,
    pub machine: Option<MachineCase>,
    #[serde(default)]
    pub limits: LimitsCase,
    /// Reachable states, or those found before a limit.
    pub states: Option<u64>,
    /// Every successor of every expanded state, repeats and self-loops included; initial states are not counted.
    pub transitions: Option<u64>,
    pub end_states: Option<u64>,
    /// What ended the search early.
    #[serde(default)]
    pub stops: Vec<String>,
    #[serde(default)]
    pub claim: Vec<ClaimCase>,
}

/// An explicit graph; its states are numbers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphCase {
    pub states: usize,
    pub initial: Vec<usize>,
    /// `0 -> 1 label`; the label may be absent. `0 -> - label` is an action that the model ignores.
    pub edges: Vec<String>,
    /// For each atom the states in which it holds.
    #[serde(default)]
    pub atoms: BTreeMap<String, Vec<usize>>,
    /// For each measure its value in each state.
    #[serde(default)]
    pub measures: BTreeMap<String, Vec<i64>>,
    #[serde(default)]
    pub fairness: Vec<FairnessCase>,
    #[serde(default)]
    pub stuttering: bool,
    /// The states within the model's boundary; all, where absent.
    pub boundary: Option<Vec<usize>>,
    /// For each party that may misbehave, the graph in which it behaves; it needs the measures that claims are about.
    #[serde(default)]
    pub behaving: BTreeMap<String, GraphCase>,
}

/// A counter machine; its control states are numbers, and it starts in 0.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineCase {
    /// Each counter with its first value.
    pub counters: BTreeMap<String, i64>,
    pub rules: Vec<RuleCase>,
    /// The values above which counters do not rise, whatever is added.
    #[serde(default)]
    pub caps: BTreeMap<String, i64>,
    /// Counters that the system does not declare, so that they belong to the control part.
    #[serde(default)]
    pub undeclared: Vec<String>,
    /// For each atom the control states in which it holds.
    #[serde(default)]
    pub atoms: BTreeMap<String, Vec<usize>>,
}

/// A rule, which can be taken where no counter falls below zero.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleCase {
    pub from: usize,
    pub to: usize,
    #[serde(default)]
    pub add: BTreeMap<String, i64>,
    /// The least and the largest value with which it can be taken.
    #[serde(default)]
    pub within: BTreeMap<String, [i64; 2]>,
    /// Set after what is added.
    #[serde(default)]
    pub set: BTreeMap<String, i64>,
}

/// A fairness constraint over the edges with these labels.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FairnessCase {
    pub strength: StrengthCase,
    pub labels: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum StrengthCase {
    Weak,
    Strong,
}

/// Limits of the search.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsCase {
    pub states: Option<u64>,
    pub depth: Option<u64>,
}

/// A claim and its answer. Of a graph everything is known, so that what is absent must be absent from the answer (but the
/// detail, and stems and loops of formulas); of other systems, what is absent is not known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimCase {
    pub claim: String,
    pub verdict: Verdict,
    pub kind: Option<Kind>,
    pub lasso: Option<Lasso>,
    pub covered: Option<u64>,
    pub worst_ticks: Option<u64>,
    pub peak: Option<i64>,
    /// The steps of the witness before its loop.
    pub stem: Option<usize>,
    /// The steps of its loop.
    #[serde(rename = "loop")]
    pub cycle: Option<usize>,
    /// How the detail begins: the gain of a loop, where a counter saturates.
    pub detail: Option<String>,
}

impl File {
    /// Reads a file.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }
}
