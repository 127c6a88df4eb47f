//! The smallest complete example: each row of the table in its header.

#[allow(dead_code)]
#[path = "../models/retry-storm.rs"]
mod retry_storm;

use aftercalm::check::{Limits, check};
use aftercalm::model::assign;
use aftercalm::property::{Kind, Verdict};
use retry_storm::{Parameters, system};

fn verdicts(assignments: &str) -> [&'static str; 2] {
    let assignments: Vec<String> = assignments.split_whitespace().map(str::to_owned).collect();
    let parameters: Parameters = assign(&assignments).unwrap();
    let outcome = check(&system(&parameters).unwrap(), &Limits::default()).unwrap();
    assert_eq!((&outcome.fault, outcome.stops.len()), (&None, 0), "{assignments:?}");
    [0, 1].map(|claim| match (outcome.decisions[claim].verdict, outcome.decisions[claim].kind) {
        (Verdict::Holds, None) => "holds",
        (Verdict::Violated, Some(Kind::Lasso)) => "lasso",
        (Verdict::Violated, Some(Kind::Trap)) => "trap",
        _ => "other",
    })
}

#[test]
fn as_it_is_it_traps() {
    assert_eq!(verdicts(""), ["trap", "trap"]);
}

#[test]
fn each_mitigation_does_what_the_table_says() {
    for mitigation in ["drop_expired=true", "order=lifo", "budget=true", "breaker=true", "retries=0"] {
        assert_eq!(verdicts(mitigation), ["holds", "holds"], "{mitigation}");
    }
    assert_eq!(verdicts("backoff=2"), ["trap", "trap"]);
}

#[test]
fn the_boundaries_are_where_the_table_says() {
    assert_eq!(verdicts("capacity=4"), ["holds", "holds"]);
    assert_eq!(verdicts("capacity=3"), ["lasso", "holds"]);
    assert_eq!(verdicts("queue=2"), ["holds", "holds"]);
    assert_eq!(verdicts("queue=3"), ["lasso", "holds"]);
}
