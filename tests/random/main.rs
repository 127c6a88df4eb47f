//! Random graphs with random fairness and random claims, decided by the checker and by the oracle.
//!
//! `AFTERCALM_RANDOM_MODELS` sets how many graphs are tried, `AFTERCALM_RANDOM_SEED` where to begin. A disagreement is made
//! as small as possible before it is shown, with the seed that reproduces it.

mod case;
#[path = "../common/graph.rs"]
mod graph;
mod judge;
#[path = "../oracle/mod.rs"]
mod oracle;
mod shrink;

use case::{Case, Cut};
use judge::{Tally, judge};
use oracle::Form;
use shrink::shrink;

/// The graphs tried in a normal run.
const MODELS: u64 = 1_500;

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")),
        Err(_) => default,
    }
}

fn models() -> u64 {
    setting("AFTERCALM_RANDOM_MODELS", MODELS)
}

/// Whether every answer must have occurred: not where a few seeds are run again.
fn is_whole_run() -> bool {
    models() >= MODELS
}

/// Judges random cases; stops at the first wrong answer, with the smallest case that still gets one.
fn run(draw: impl Fn(&mut fastrand::Rng) -> Case) -> Tally {
    let first = setting("AFTERCALM_RANDOM_SEED", 0);
    let mut tally = Tally::default();
    for seed in first..first + models() {
        let case = draw(&mut fastrand::Rng::with_seed(seed));
        if let Err(error) = judge(&case, &mut tally) {
            let (small, small_error) = shrink(&case, |case| judge(case, &mut Tally::default()).err());
            panic!(
                "AFTERCALM_RANDOM_SEED={seed}: {error}\nThe smallest case found: {small_error}\n{small:#?}\nclaims:{}",
                small.claims.iter().map(|c| format!("\n  {c}")).collect::<String>()
            );
        }
    }
    tally
}

#[test]
fn random_models_are_decided_as_the_definitions_say() {
    let tally = run(|rng| Case::random(rng, Cut::Nothing));
    println!("{tally}");
    assert_eq!(tally.long_loops, 0, "a loop was longer than need be");
    if !is_whole_run() {
        return;
    }
    for form in Form::ALL {
        let answers: &[&str] = match form {
            Form::Always | Form::Reachable => &["holds", "violated safety", "vacuous"],
            Form::Eventually | Form::LeadsTo | Form::Recurs => {
                &["holds", "violated lasso stalls", "violated trap", "vacuous"]
            }
            Form::Stabilizes => {
                &["holds", "violated lasso stalls", "violated lasso flaps", "violated trap", "vacuous"]
            }
            Form::Recoverable => &["holds", "violated trap", "vacuous"],
        };
        for answer in answers {
            assert!(tally.count(form, answer) >= 3, "too few {form:?} that are {answer}");
        }
    }
}

#[test]
fn random_models_of_many_components_are_decided_as_fixpoints_say() {
    let tally = run(Case::random_long);
    println!("{tally}");
    if !is_whole_run() {
        return;
    }
    for form in [Form::Eventually, Form::LeadsTo, Form::Recurs, Form::Stabilizes] {
        for answer in ["holds", "violated lasso stalls", "violated trap"] {
            assert!(tally.count(form, answer) >= 3, "too few {form:?} that are {answer}");
        }
    }
}

#[test]
fn a_truncated_search_of_a_random_model_says_nothing_that_the_whole_model_refutes() {
    let tally = run(|rng| {
        let cut = match rng.u8(..3) {
            0 => Cut::States(rng.u64(1..6)),
            1 => Cut::Depth(rng.u64(0..4)),
            _ => Cut::Boundary(rng.u32(1..64)),
        };
        Case::random(rng, cut)
    });
    println!("{tally}");
    if !is_whole_run() {
        return;
    }
    for form in Form::ALL {
        assert!(tally.count(form, "inconclusive") >= 3, "too few {form:?} that are inconclusive");
    }
    assert!(tally.count(Form::Always, "violated safety") >= 3, "nothing was found out before the limit");
    assert!(tally.count(Form::Reachable, "holds") >= 3, "nothing was found out before the limit");
}
