//! What has not been seen is not known: limits and boundaries.

use crate::roads::{Roads, Search, refutes, stateright_refutes};
use aftercalm::check::{Decision, Limits, Outcome, Stop, check};
use aftercalm::model::Fault;
use aftercalm::property::{
    Draft, ModelExt, System, Verdict, always, eventually, leads_to, reachable, recoverable, recurs,
    stabilizes,
};
use stateright::Model;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn run(system: &System<Roads>, limits: &Limits) -> Outcome<Roads> {
    check(system, limits).expect("the system is well formed")
}

/// The single decision, which is inconclusive, says why, and shows nothing.
fn inconclusive(outcome: &Outcome<Roads>) -> &Decision<Roads> {
    let [decision] = outcome.decisions.as_slice() else { panic!("one decision") };
    assert_eq!(decision.verdict, Verdict::Inconclusive);
    assert!(decision.detail.is_some() && decision.kind.is_none() && decision.witness.is_none());
    assert!(!outcome.stops.is_empty());
    decision
}

/// 0 -> 2 -> 4 -> .. -> 20, an end.
fn chain() -> Roads {
    let roads: Vec<_> = (0..20).step_by(2).map(|s| (s, s + 2)).collect();
    Roads::new(&roads)
}

#[test]
fn a_depth_limit_never_verifies() {
    let stateright = chain().checker().target_max_depth(5).spawn_bfs();
    assert!(!refutes(stateright), "stateright has learnt not to pass a truncated run");
    let outcome = run(&chain().system(), &Limits { depth_max: Some(5), ..Limits::default() });
    let detail = inconclusive(&outcome).detail.clone().unwrap_or_default();
    assert_eq!(outcome.stops, [Stop::Depth(5)]);
    assert!(detail.contains("depth limit of 5"), "{detail}");
    assert_eq!((outcome.states, outcome.depth), (6, 5));
}

#[test]
fn a_limit_of_states_never_verifies() {
    let outcome = run(&chain().system(), &Limits { states_max: 4, ..Limits::default() });
    let detail = inconclusive(&outcome).detail.clone().unwrap_or_default();
    assert!(matches!(outcome.stops.as_slice(), [Stop::States(4)]), "{:?}", outcome.stops);
    assert!(detail.contains("limit of 4 states"), "{detail}");
    assert_eq!(outcome.states, 4);
}

#[test]
fn a_limit_that_is_just_enough_limits_nothing() {
    let limits = Limits { states_max: 11, depth_max: Some(11), ..Limits::default() };
    let outcome = run(&chain().system(), &limits);
    assert_eq!((outcome.states, outcome.stops.as_slice()), (11, [].as_slice()));
    assert_eq!(outcome.decisions[0].verdict, Verdict::Violated);
}

#[test]
fn a_time_limit_and_an_interrupt_never_verify() {
    let time = run(&chain().system(), &Limits { time_max: Some(Duration::ZERO), ..Limits::default() });
    inconclusive(&time);
    assert_eq!(time.stops, [Stop::Time(Duration::ZERO)]);
    let limits = Limits { interrupt: Arc::new(AtomicBool::new(true)), ..Limits::default() };
    let interrupted = run(&chain().system(), &limits);
    inconclusive(&interrupted);
    assert_eq!(interrupted.stops, [Stop::Interrupted]);
}

#[test]
fn a_memory_limit_never_verifies() {
    let used = |used: fn() -> Option<u64>| {
        let limits =
            Limits { memory_bytes_max: Some(1 << 30), memory_bytes_used: Some(used), ..Limits::default() };
        run(&chain().system(), &limits)
    };
    let over = used(|| Some(1 << 31));
    inconclusive(&over);
    assert_eq!(over.stops, [Stop::Memory(1 << 30)]);
    assert_eq!(used(|| Some(1 << 29)).decisions[0].verdict, Verdict::Violated);
}

#[test]
fn a_boundary_never_verifies() {
    let roads = Roads::new(&[(0, 1), (1, 2)]).within(1);
    assert!(!stateright_refutes(&roads, Search::Bfs));
    let outcome = run(&roads.bare().atom("small", |_, s| *s < 2).claim(always("small")), &Limits::default());
    let detail = inconclusive(&outcome).detail.clone().unwrap_or_default();
    assert_eq!(outcome.stops, [Stop::Boundary(1)]);
    assert!(detail.contains("within_boundary"), "{detail}");
}

#[test]
fn a_boundary_is_not_an_end() {
    let roads = Roads::new(&[(0, 2), (2, 4), (4, 5)]).within(4);
    assert!(stateright_refutes(&roads, Search::Bfs), "stateright has learnt that a boundary is no end");
    assert!(stateright_refutes(&roads, Search::Dfs), "stateright has learnt that a boundary is no end");
    let outcome = run(&roads.system(), &Limits::default());
    inconclusive(&outcome);
    assert_eq!(outcome.end_states, 0);
}

#[test]
fn a_limit_is_not_an_end() {
    let limits = Limits { depth_max: Some(2), ..Limits::default() };
    let outcome = run(&Roads::new(&[(0, 2), (2, 4), (4, 5)]).system(), &limits);
    inconclusive(&outcome);
    assert_eq!(outcome.end_states, 0);
}

#[test]
fn a_way_out_of_the_boundary_may_be_the_way_back() {
    for claim in [recoverable("home"), recurs("home"), stabilizes("home"), eventually("home")] {
        // 1 <-> 2 is a loop away from home, which 3, outside, might leave.
        let roads = Roads::new(&[(0, 1), (1, 2), (2, 1), (2, 3), (3, 9)]);
        let system = roads.within(2).bare().atom("home", |_, s| *s == 9);
        // Strongly fair, so that the loop cannot go past the way out for ever.
        let system = system.strongly_fair("out", |_, _, road| *road == (2, 3)).claim(claim);
        inconclusive(&run(&system, &Limits::default()));
    }
}

#[test]
fn an_initial_state_outside_the_boundary_is_not_known_either() {
    let system = Roads::new(&[(0, 1)]).starting_in(&[0, 8]).within(4).system();
    let outcome = run(&system, &Limits::default());
    inconclusive(&outcome);
    assert_eq!(outcome.states, 2);
}

#[test]
fn a_truncated_search_calls_nothing_unreachable_or_vacuous() {
    let limits = Limits { depth_max: Some(3), ..Limits::default() };
    for claim in [reachable("late"), leads_to("late", "odd"), always("odd").after("late")] {
        inconclusive(&run(&chain().bare().atom("late", |_, s| *s > 10).claim(claim), &limits));
    }
}

#[test]
fn what_was_found_before_the_limit_counts() {
    let limits = Limits { depth_max: Some(3), ..Limits::default() };
    let decided = |draft: Draft, verdict: Verdict| {
        let roads = Roads::new(&[(0, 1), (1, 0), (1, 2), (2, 4), (4, 6), (6, 8)]);
        let system = roads.bare().atom("two", |_, s| *s == 2).claim(draft);
        let outcome = run(&system, &limits);
        let decision = &outcome.decisions[0];
        assert_eq!(decision.verdict, verdict, "{}", decision.claim.text());
        assert!(decision.witness.is_some() && !outcome.stops.is_empty());
    };
    decided(always("not two"), Verdict::Violated);
    decided(reachable("two"), Verdict::Holds);
    decided(eventually("two"), Verdict::Violated);
    decided(recurs("two"), Verdict::Violated);
    decided(stabilizes("odd"), Verdict::Violated);
    decided(leads_to("odd", "two"), Verdict::Violated);
}

#[test]
fn a_model_without_an_initial_state_is_a_fault() {
    let none = run(&Roads::new(&[]).starting_in(&[]).system(), &Limits::default());
    assert_eq!(none.fault, Some(Fault::NoInitialState { outside: 0 }));
    inconclusive(&none);
    let outside = run(&Roads::new(&[]).starting_in(&[7, 8]).within(4).system(), &Limits::default());
    assert_eq!(outside.fault, Some(Fault::NoInitialState { outside: 2 }));
    inconclusive(&outside);
}
