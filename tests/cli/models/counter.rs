//! A counter that goes round: `always below` is violated once `limit` is too small.

use aftercalm::property::{ModelExt, System, always};
use serde::{Deserialize, Serialize};
use stateright::Model;
use std::process::ExitCode;

/// The parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Parameters {
    size: u8,
    limit: u8,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { size: 5, limit: 5 }
    }
}

impl aftercalm::model::Parameters for Parameters {
    fn docs() -> Vec<(&'static str, &'static str)> {
        vec![("size", "Values of the counter."), ("limit", "What it is to stay below.")]
    }
}

#[derive(Clone, Debug)]
struct Counter(u8);

impl Model for Counter {
    type State = u8;
    type Action = &'static str;

    fn init_states(&self) -> Vec<u8> {
        vec![0]
    }

    fn actions(&self, _: &u8, actions: &mut Vec<&'static str>) {
        actions.push("count");
    }

    fn next_state(&self, n: &u8, _: &'static str) -> Option<u8> {
        Some((n + 1) % self.0)
    }
}

fn system(p: &Parameters) -> Result<System<Counter>, String> {
    if p.size == 0 {
        return Err("size: a counter needs at least one value".to_owned());
    }
    if p.size == 99 {
        panic!("nobody counts to 99");
    }
    let limit = p.limit;
    println!("printed by the model");
    Ok(Counter(p.size).system().atom("below", move |_, n| *n < limit).claim(always("below")))
}

fn main() -> ExitCode {
    aftercalm::run(system)
}
