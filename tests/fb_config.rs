//! The Facebook incident: as it happened, as it was prevented, and where the boundary lies.

#[allow(dead_code)]
#[path = "../models/fb-config.rs"]
mod fb_config;

use aftercalm::actor::TimedSystem;
use aftercalm::check::{Decision, Limits, Outcome, check};
use aftercalm::component::Msg;
use aftercalm::model::assign;
use aftercalm::property::{Kind, Verdict};
use fb_config::{Parameters, system};
use stateright::{Checker, Model};

fn checked(assignments: &str) -> Outcome<TimedSystem<Msg>> {
    let assignments: Vec<String> = assignments.split_whitespace().map(str::to_owned).collect();
    let parameters: Parameters = assign(&assignments).unwrap();
    let outcome = check(&system(&parameters).unwrap(), &Limits::default()).unwrap();
    assert_eq!(outcome.fault, None, "{assignments:?}");
    outcome
}

fn text(decision: &Decision<TimedSystem<Msg>>) -> &'static str {
    match (decision.verdict, decision.kind) {
        (Verdict::Holds, None) => "holds",
        (Verdict::Violated, Some(Kind::Lasso)) => "lasso",
        (Verdict::Violated, Some(Kind::Trap)) => "trap",
        _ => "other",
    }
}

/// The verdicts of `stabilizes` and `recoverable`.
fn verdicts(assignments: &str) -> [&'static str; 2] {
    let outcome = checked(assignments);
    [text(&outcome.decisions[0]), text(&outcome.decisions[1])]
}

#[test]
fn as_it_happened_it_is_a_trap() {
    assert_eq!(verdicts(""), ["trap", "trap"]);
}

#[test]
fn stateright_counts_the_same_states() {
    let parameters = Parameters { clients: 4, ..Parameters::default() };
    let mut model = system(&parameters).unwrap().model;
    model.add_property(stateright::Expectation::Always, "true", |_, _| true);
    let states = model.checker().spawn_bfs().join().unique_state_count() as u64;
    assert_eq!(checked("clients=4").states, states);
}

#[test]
fn what_prevented_it_prevents_it() {
    for case in ["fixing=false", "on_error=keep-key", "lease=true"] {
        assert_eq!(verdicts(case), ["holds", "holds"], "{case}");
    }
}

#[test]
fn it_holds_up_to_the_capacity_flaps_up_to_twice_and_traps_from_there() {
    for c in 1..=3 {
        for n in 1..=6 {
            let expected = match n {
                n if n <= c => ["holds", "holds"],
                n if n < 2 * c => ["lasso", "holds"],
                _ => ["trap", "trap"],
            };
            assert_eq!(verdicts(&format!("capacity={c} clients={n}")), expected, "C = {c}, n = {n}");
        }
    }
}

#[test]
fn a_database_that_keeps_serving_its_capacity_may_flap_but_never_traps() {
    for n in 1..=6 {
        let expected = if n <= 2 { ["holds", "holds"] } else { ["lasso", "holds"] };
        assert_eq!(verdicts(&format!("overload=serve-capacity clients={n}")), expected, "n = {n}");
    }
}

#[test]
fn the_result_rests_on_what_the_header_says_it_rests_on() {
    assert_eq!(verdicts("invalid_answer=write on_error=keep-key"), ["trap", "trap"]);
    assert_eq!(verdicts("invalid_answer=write lease=true"), ["holds", "holds"]);
    assert_eq!(verdicts("latency_max=2 clients=4"), ["lasso", "holds"]);
}

#[test]
fn the_trap_needs_an_error_that_lands_after_the_repair() {
    let outcome = checked("");
    let trace = outcome.decisions[1].witness.as_ref().unwrap();
    let model = TimedSystem::<Msg>::new(std::time::Duration::from_millis(100));
    let steps: Vec<String> = trace
        .stem
        .iter()
        .chain(&trace.cycle)
        .filter_map(|step| step.action.as_ref())
        .map(|action| model.format_action(action))
        .collect();
    let first = |text: &str| steps.iter().position(|step| step.contains(text)).unwrap();
    assert!(first("SetValue(Invalid) from events") < first("from key"), "{steps:#?}");
    let repaired = first("key <- SetValue(Ok) from events");
    let late = steps.iter().rposition(|step| step.contains("Error(#1) from database")).unwrap();
    assert!(repaired < late, "{steps:#?}");
}

#[test]
fn stopping_all_traffic_mends_it_if_the_ramp_stays_within_the_capacity() {
    for (n, admit) in [(4, 1), (4, 2), (6, 2)] {
        let outcome = checked(&format!("mend=stop-and-admit clients={n} admit={admit}"));
        let verdicts: Vec<_> = outcome.decisions.iter().map(text).collect();
        assert_eq!(verdicts, ["lasso", "holds", "holds"], "n = {n}, admit = {admit}");
    }
    for (n, admit) in [(4, 4), (6, 3)] {
        let outcome = checked(&format!("mend=stop-and-admit clients={n} admit={admit}"));
        let verdicts: Vec<_> = outcome.decisions.iter().map(text).collect();
        assert_eq!(verdicts, ["trap", "trap", "trap"], "n = {n}, admit = {admit}");
    }
    // The last of four comes alone, is served, and ends the loop of the three before it.
    let outcome = checked("mend=stop-and-admit clients=4 admit=3");
    assert_eq!(outcome.decisions.iter().map(text).collect::<Vec<_>>(), ["lasso", "holds", "holds"]);
}
