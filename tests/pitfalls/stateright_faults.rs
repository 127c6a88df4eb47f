//! `eventually` as stateright decides it, and as it is.

use crate::roads::{Roads, Search, decide, path, stateright_refutes, verdict};
use aftercalm::property::{Kind, ModelExt, Verdict, eventually};

/// "Eventually odd" is violated, with this stem and loop, and stateright's search does not find that.
fn is_missed_by(search: Search, roads: &[(u8, u8)], stem: &[u8], cycle: &[u8]) {
    let roads = Roads::new(roads);
    assert!(!stateright_refutes(&roads, search), "stateright has learnt to see this");
    let decision = decide(&roads.system());
    assert_eq!((decision.claim.name.as_str(), decision.verdict), ("odd", Verdict::Violated));
    assert_eq!(path(&decision), (stem.to_vec(), cycle.to_vec()));
}

#[test]
fn a_cycle_that_never_meets_the_goal_violates_eventually() {
    is_missed_by(Search::Bfs, &[(0, 2), (2, 4), (4, 2)], &[0, 2], &[4, 2]);
    is_missed_by(Search::Dfs, &[(0, 2), (2, 4), (4, 2)], &[0, 2], &[4, 2]);
}

#[test]
fn a_self_loop_that_never_meets_the_goal_violates_eventually() {
    is_missed_by(Search::Bfs, &[(0, 2), (2, 2)], &[0, 2], &[2]);
    is_missed_by(Search::Dfs, &[(0, 2), (2, 2)], &[0, 2], &[2]);
}

#[test]
fn a_state_shared_with_a_path_that_met_the_goal_does_not_hide_one_that_did_not() {
    is_missed_by(Search::Bfs, &[(0, 1), (0, 2), (1, 4), (2, 4)], &[0, 2, 4], &[4]);
    is_missed_by(Search::Dfs, &[(0, 2), (0, 1), (1, 4), (2, 4)], &[0, 2, 4], &[4]);
}

#[test]
fn a_violation_that_stateright_does_find_is_found_as_well() {
    let roads = Roads::new(&[(0, 1), (0, 2), (2, 4)]);
    assert!(stateright_refutes(&roads, Search::Bfs) && stateright_refutes(&roads, Search::Dfs));
    let decision = decide(&roads.system());
    assert_eq!((decision.verdict, decision.kind), (Verdict::Violated, Some(Kind::Trap)));
    assert_eq!(path(&decision), (vec![0, 2, 4], vec![4]));
}

#[test]
fn a_path_that_met_the_goal_once_satisfies_eventually_whatever_comes_after() {
    assert_eq!(verdict(&Roads::new(&[(0, 1), (1, 2), (2, 2)]).system()), Verdict::Holds);
    assert_eq!(verdict(&Roads::new(&[]).starting_in(&[1]).system()), Verdict::Holds);
}

#[test]
fn a_claim_violated_in_the_initial_state_has_a_stem_of_that_state_alone() {
    use aftercalm::property::{always, recoverable, recurs, stabilizes};
    let system = || Roads::new(&[(0, 0), (0, 2)]).bare().atom("started", |_, s| *s > 0);
    let safety = decide(&system().claim(always("started")));
    assert_eq!((safety.verdict, safety.kind), (Verdict::Violated, Some(Kind::Safety)));
    assert_eq!(path(&safety), (vec![0], vec![]));
    for claim in [eventually("started"), recurs("started"), stabilizes("started")] {
        let decision = decide(&system().claim(claim));
        assert_eq!((decision.verdict, decision.kind), (Verdict::Violated, Some(Kind::Lasso)));
        assert_eq!(path(&decision), (vec![0], vec![0]));
    }
    let trap = decide(&system().claim(recoverable("odd")));
    assert_eq!((trap.verdict, trap.kind), (Verdict::Violated, Some(Kind::Trap)));
    assert_eq!(path(&trap), (vec![0], vec![0]));
}

#[test]
fn every_initial_state_starts_behaviours() {
    let decision = decide(&Roads::new(&[(0, 1), (2, 1), (4, 4)]).starting_in(&[0, 2, 4]).system());
    assert_eq!(decision.verdict, Verdict::Violated);
    assert_eq!((path(&decision), decision.states_covered), ((vec![4], vec![4]), Some(4)));
}
