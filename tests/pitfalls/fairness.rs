//! Fairness: what it forbids, what it does not, and on which graph it is judged.

use crate::roads::{Roads, decide, path, verdict};
use aftercalm::property::{Kind, Lasso, Strength, System, Verdict, eventually, leads_to, recurs, stabilizes};

/// Adds fairness of the given roads.
fn fair(system: System<Roads>, name: &str, strength: Strength, roads: &[(u8, u8)]) -> System<Roads> {
    let roads = roads.to_vec();
    system.fair(name, strength, move |_, _, road| roads.contains(road))
}

/// The system in which place 9 is home.
fn towards_home(roads: &[(u8, u8)]) -> System<Roads> {
    Roads::new(roads).bare().atom("home", |_, s| *s == 9)
}

#[test]
fn a_fair_cycle_through_the_initial_state_is_found() {
    let system = towards_home(&[(0, 1), (1, 0), (1, 9)]).claim(eventually("home"));
    let system = fair(system, "there and back", Strength::Strong, &[(0, 1), (1, 0)]);
    let decision = decide(&system);
    assert_eq!((decision.verdict, decision.kind), (Verdict::Violated, Some(Kind::Lasso)));
    assert_eq!(path(&decision), (vec![0], vec![1, 0]));
}

#[test]
fn two_constraints_that_no_cycle_meets_together_leave_no_fair_cycle() {
    // In 0 <-> 1 the way to 2 is always open, in 2 <-> 3 the way home: each cycle is fair to one set and not to the other.
    let roads = [(0, 1), (1, 0), (0, 2), (1, 2), (2, 3), (3, 2), (2, 9), (3, 9)];
    let system = |sets: &[(&str, &[(u8, u8)])]| {
        let system = towards_home(&roads).claim(eventually("home"));
        sets.iter().fold(system, |system, (name, roads)| fair(system, name, Strength::Weak, roads))
    };
    let (on, home): (&[_], &[_]) = (&[(0, 2), (1, 2), (2, 3)], &[(0, 1), (2, 9), (3, 9)]);
    assert_eq!(verdict(&system(&[("on", on)])), Verdict::Violated);
    assert_eq!(verdict(&system(&[("home", home)])), Verdict::Violated);
    assert_eq!(verdict(&system(&[("on", on), ("home", home)])), Verdict::Holds);
}

#[test]
fn two_constraints_that_take_turns_are_met_by_a_longer_cycle() {
    let system = towards_home(&[(0, 1), (1, 0), (0, 2), (2, 0), (0, 9)]).claim(eventually("home"));
    let system = fair(system, "left", Strength::Strong, &[(0, 1)]);
    let system = fair(system, "right", Strength::Strong, &[(0, 2)]);
    let decision = decide(&system);
    assert_eq!(decision.verdict, Verdict::Violated);
    let (stem, cycle) = path(&decision);
    assert_eq!((stem, cycle.len()), (vec![0], 4));
    assert!(cycle.contains(&1) && cycle.contains(&2));
}

#[test]
fn what_is_enabled_is_judged_on_all_transitions_not_only_on_those_that_avoid_the_goal() {
    // The way home is no part of any path that avoids home; a search among those alone would never see it enabled.
    let roads = [(0, 1), (1, 0), (0, 9)];
    let with = |strength| {
        verdict(&fair(towards_home(&roads).claim(eventually("home")), "go home", strength, &[(0, 9)]))
    };
    assert_eq!(with(Strength::Strong), Verdict::Holds);
    assert_eq!(with(Strength::Weak), Verdict::Violated);
    let everywhere = [(0, 1), (1, 0), (0, 9), (1, 9)];
    let system = towards_home(&everywhere).claim(eventually("home"));
    assert_eq!(verdict(&fair(system, "go home", Strength::Weak, &[(0, 9), (1, 9)])), Verdict::Holds);
}

#[test]
fn a_step_that_changes_nothing_neither_takes_nor_enables_an_action() {
    // Taken: spinning in 0 is not going home.
    let spin = towards_home(&[(0, 0), (0, 9)]).claim(eventually("home"));
    let both = fair(spin, "leave or spin", Strength::Weak, &[(0, 0), (0, 9)]);
    assert_eq!(verdict(&both), Verdict::Holds);
    // Enabled: in 1, spinning is all that the set has to offer, so that it asks for nothing there.
    let stay = towards_home(&[(0, 1), (1, 1), (1, 0), (0, 9)]).claim(eventually("home"));
    let stay = fair(stay, "spin", Strength::Strong, &[(1, 1)]);
    let decision = decide(&fair(stay, "home", Strength::Strong, &[(0, 9)]));
    assert_eq!((decision.verdict, path(&decision)), (Verdict::Violated, (vec![0, 1], vec![1])));
}

#[test]
fn stuttering_is_a_behaviour_where_the_system_says_so_and_fairness_ends_it() {
    let system = || towards_home(&[(0, 1), (1, 9)]).claim(eventually("home"));
    assert_eq!(verdict(&system()), Verdict::Holds);
    let decision = decide(&system().stuttering());
    assert_eq!((decision.verdict, path(&decision)), (Verdict::Violated, (vec![0], vec![0])));
    assert!(decision.witness.as_ref().is_some_and(|w| w.stays()), "a stutter step, no action");
    let half = fair(system().stuttering(), "first", Strength::Weak, &[(0, 1)]);
    assert_eq!(path(&decide(&half)), (vec![0, 1], vec![1]));
    let whole = fair(half, "second", Strength::Weak, &[(1, 9)]);
    assert_eq!(verdict(&whole), Verdict::Holds);
}

#[test]
fn stuttering_adds_nothing_to_what_is_enabled_or_taken() {
    let system = towards_home(&[(0, 9)]).claim(eventually("home")).stuttering();
    assert_eq!(verdict(&fair(system, "everything", Strength::Weak, &[(0, 9), (0, 0)])), Verdict::Holds);
}

#[test]
fn an_end_state_stays_for_ever_whatever_fairness_asks() {
    for strength in [Strength::Weak, Strength::Strong] {
        let system = towards_home(&[(0, 9), (0, 1)]).claim(eventually("home"));
        let decision = decide(&fair(system, "all", strength, &[(0, 9), (0, 1)]));
        assert_eq!((decision.verdict, decision.kind), (Verdict::Violated, Some(Kind::Trap)));
        assert_eq!(path(&decision), (vec![0, 1], vec![1]));
    }
}

#[test]
fn an_end_state_with_the_goal_satisfies_every_liveness_claim() {
    for claim in [eventually("home"), recurs("home"), stabilizes("home"), leads_to("not home", "home")] {
        assert_eq!(verdict(&towards_home(&[(0, 1), (1, 9)]).claim(claim)), Verdict::Holds);
    }
}

#[test]
fn can_fail_to_recover_is_told_apart_from_cannot_recover() {
    let lasso = decide(&towards_home(&[(0, 1), (1, 0), (1, 9)]).claim(stabilizes("home")));
    assert_eq!((lasso.kind, lasso.lasso), (Some(Kind::Lasso), Some(Lasso::Stalls)));
    let flaps = decide(&towards_home(&[(0, 9), (9, 0)]).claim(stabilizes("home")));
    assert_eq!((flaps.kind, flaps.lasso), (Some(Kind::Lasso), Some(Lasso::Flaps)));
    // The trap is worse than the lasso next to it, even if it is farther away.
    let trap =
        decide(&towards_home(&[(0, 1), (1, 0), (1, 9), (1, 2), (2, 3), (3, 2)]).claim(stabilizes("home")));
    assert_eq!((trap.kind, path(&trap).0), (Some(Kind::Trap), vec![0, 1, 2]));
}

#[test]
fn only_what_follows_the_antecedent_counts() {
    // Before the repair (3), 1 is visited; after it, never.
    let system = || Roads::new(&[(0, 1), (1, 3), (3, 2), (2, 3)]).bare().atom("three", |_, s| *s == 3);
    let after = system().claim(stabilizes("three or not odd").after("three"));
    let decision = decide(&after);
    assert_eq!((decision.verdict, decision.states_covered), (Verdict::Holds, Some(2)));
    let missed = decide(&system().atom("four", |_, s| *s == 4).claim(eventually("odd").after("four")));
    assert_eq!((missed.verdict, missed.witness.is_none()), (Verdict::Vacuous, true));
}

#[test]
fn a_behaviour_that_avoids_the_antecedent_for_ever_says_nothing() {
    let system = || towards_home(&[(0, 0), (0, 1), (1, 9)]).atom("begun", |_, s| *s >= 1);
    assert_eq!(verdict(&system().claim(eventually("home"))), Verdict::Violated);
    assert_eq!(verdict(&system().claim(eventually("home").after("begun"))), Verdict::Holds);
}
