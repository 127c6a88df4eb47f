//! A suite as it was read, with the place of everything that can turn out to be wrong later.

use crate::property::{Kind, Lasso, Verdict};
use std::ops::Range;

/// Something with its place in the suite's text, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named<T> {
    /// What it is.
    pub value: T,
    /// Where it stands.
    pub span: Range<usize>,
}

/// The cases of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// The model file, relative to the suite's folder.
    pub model: Named<String>,
    /// The cases, in order; at least one.
    pub cases: Vec<Case>,
}

/// Parameters, and what is expected with them.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// How it is called.
    pub name: Named<String>,
    /// What it shows.
    pub note: Option<String>,
    /// The parameters that are set.
    pub sets: Vec<Setting>,
    /// The most states to be searched.
    pub states_max: Option<u64>,
    /// The most steps from an initial state.
    pub depth_max: Option<u64>,
    /// The exact number of states.
    pub states: Option<Named<u64>>,
    /// For measures, their exact peaks.
    pub peaks: Vec<(Named<String>, i64)>,
    /// For measures of offered load, the largest ratio to the fresh load: two whole numbers, the second one positive.
    pub amplifications: Vec<(Named<String>, [i64; 2])>,
    /// What is expected of claims.
    pub expected: Vec<Expected>,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: Named<String>,
    /// Its value, as `--set` takes it.
    pub value: Named<String>,
}

/// What is expected of one claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The claim's name.
    pub claim: Named<String>,
    /// The verdict.
    pub verdict: Named<Verdict>,
    /// How it is violated.
    pub kind: Option<Named<Kind>>,
    /// What the loop does.
    pub lasso: Option<Named<Lasso>>,
    /// The exact worst case, in ticks.
    pub worst_ticks: Option<Named<u64>>,
    /// The exact peak of the claim's measure.
    pub peak: Option<Named<i64>>,
    /// The smallest trigger that tips the system.
    pub tipping: Option<Named<Vec<i64>>>,
    /// The largest trigger that is survived.
    pub survived: Option<Named<Vec<i64>>>,
    /// The cheapest intervention.
    pub remedy: Option<Named<Remedy>>,
}

/// The cheapest intervention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// No number of actions is enough.
    None,
    /// These actions, in this order.
    Actions(Vec<String>),
}

impl Case {
    /// The parameters as `--set` takes them.
    pub fn assignments(&self) -> Vec<String> {
        self.sets.iter().map(|set| format!("{}={}", set.name.value, set.value.value)).collect()
    }
}
