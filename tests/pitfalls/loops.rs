//! What is printed as a loop is one, and no longer than it must be.

use crate::roads::{Roads, decide, path};
use aftercalm::property::{Verdict, eventually, leads_to, recurs, stabilizes};

/// A ring of `size` places from 2 on, entered from 0, with a road to the next place and to the one before.
fn ring(size: u8) -> Roads {
    let place = |i: u8| 2 + i % size;
    let mut roads = vec![(0, 2)];
    for i in 0..size {
        roads.extend([(place(i), place(i + 1)), (place(i + 1), place(i))]);
    }
    Roads::new(&roads)
}

#[test]
fn a_whole_component_is_not_printed_as_the_loop() {
    let decision = decide(&ring(100).bare().atom("home", |_, s| *s == 1).claim(eventually("home")));
    assert_eq!((decision.verdict, decision.states_covered), (Verdict::Violated, Some(101)));
    let (stem, cycle) = path(&decision);
    assert_eq!((stem.len(), cycle.len()), (1 + 1, 2));
}

#[test]
fn a_loop_makes_the_detour_that_fairness_demands_and_no_other() {
    // The set is enabled everywhere, since each place has a road home; a path that avoids home must take the other one.
    let mut roads = ring(40);
    (2..42).for_each(|place| roads.add((place, 1)));
    let system = roads.bare().atom("home", |_, s| *s == 1).claim(recurs("home"));
    let system = system.weakly_fair("home or on", |_, _, road| road.1 == 1 || *road == (21, 22));
    let (stem, cycle) = path(&decide(&system));
    assert_eq!((stem, cycle.len()), (vec![0, 2], 40));
    assert!(cycle.windows(2).any(|pair| pair == [21, 22]));
}

#[test]
fn a_loop_passes_the_unhealthy_state_that_refutes_stability() {
    let system = ring(40).bare().atom("near", |_, s| *s != 12).claim(stabilizes("near"));
    let (stem, cycle) = path(&decide(&system));
    assert!(stem.contains(&12) || cycle.contains(&12));
    // A shortest stem; from there to 12 and back, or less if the stem leads to 12.
    assert_eq!((stem.len(), cycle.len()), (2, 20));
}

#[test]
fn the_states_of_a_loop_follow_each_other_and_close_it() {
    let system = ring(9).bare().atom("home", |_, s| *s == 1).claim(recurs("home"));
    let system = system.weakly_fair("on", |_, _, road| road.1 == road.0 + 1);
    let decision = decide(&system);
    let trace = decision.witness.expect("a witness");
    let mut at = *trace.joint();
    for step in &trace.cycle {
        assert_eq!(step.action, Some((at, step.state)));
        at = step.state;
    }
    assert_eq!(at, *trace.joint());
}

#[test]
fn the_stem_of_leads_to_passes_an_unanswered_request() {
    // The request in 1 is answered in 2; the one in 5 is not.
    let roads = Roads::new(&[(0, 1), (1, 2), (2, 4), (4, 5), (5, 6), (6, 8), (8, 6)]);
    let system = roads.bare().atom("asked", |_, s| *s == 1 || *s == 5).atom("answered", |_, s| *s == 2);
    let decision = decide(&system.claim(leads_to("asked", "answered")));
    assert_eq!(path(&decision), (vec![0, 1, 2, 4, 5, 6], vec![8, 6]));
}

#[test]
fn the_stem_is_a_shortest_one() {
    let roads = Roads::new(&[(0, 1), (1, 2), (2, 3), (3, 6), (0, 4), (4, 6), (6, 6)]);
    let system = roads.bare().atom("home", |_, s| *s == 9).claim(eventually("home"));
    assert_eq!(path(&decide(&system)), (vec![0, 4, 6], vec![6]));
}
