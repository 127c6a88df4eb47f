//! The replay refuses every trace that does not show what it is said to show.

use aftercalm::check::{Limits, check};
use aftercalm::property::{Kind, ModelExt, System, Verdict, eventually, recoverable, recurs, stabilizes};
use aftercalm::witness::{Finding, ReplayError, Step, Trace, replay};
use stateright::Model;

/// 0 -> 1 -> 2 -> 1, and 2 -> 3 -> 4 -> 3, where 3 and 4 cannot get back.
#[derive(Clone)]
struct Road;

impl Model for Road {
    type State = u8;
    type Action = (u8, u8);
    fn init_states(&self) -> Vec<u8> {
        vec![0]
    }
    fn actions(&self, state: &u8, actions: &mut Vec<(u8, u8)>) {
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3), (3, 4), (4, 3), (4, 9)];
        actions.extend(edges.iter().filter(|(from, _)| from == state));
    }
    fn next_state(&self, _: &u8, (_, to): (u8, u8)) -> Option<u8> {
        (to != 9).then_some(to)
    }
    fn within_boundary(&self, state: &u8) -> bool {
        *state < 8
    }
}

fn road() -> System<Road> {
    Road.system()
        .atom("home", |_, s| *s <= 1)
        .atom("far", |_, s| *s >= 3)
        .weakly_fair("out", |_, _, a| *a == (2, 3))
        .claim(stabilizes("home").named("stays home"))
        .claim(recoverable("home").named("can come home"))
        .claim(recurs("home").named("comes home"))
        .claim(eventually("far").named("goes far"))
}

fn finding<'a>(system: &'a System<Road>, claim: usize, kind: Kind) -> Finding<'a> {
    Finding { claim: &system.claims[claim], verdict: Verdict::Violated, kind: Some(kind) }
}

/// A trace over these states; the actions are the pairs.
fn trace(stem: &[u8], cycle: &[u8]) -> Trace<Road> {
    let step = |from: u8, to: u8| Step { action: Some((from, to)), state: to };
    let mut told = vec![Step { action: None, state: stem[0] }];
    told.extend(stem.windows(2).map(|w| step(w[0], w[1])));
    let mut at = stem[stem.len() - 1];
    let cycle = cycle.iter().map(|&to| {
        let told = step(at, to);
        at = to;
        told
    });
    Trace { cycle: cycle.collect(), stem: told }
}

#[test]
fn the_checker_s_own_witnesses_pass() {
    let system = road();
    let outcome = check(&system, &Limits::default()).unwrap();
    assert_eq!((outcome.states, outcome.transitions), (5, 6));
    let verdicts: Vec<_> = outcome.decisions.iter().map(|d| (d.verdict, d.kind)).collect();
    let trap = (Verdict::Violated, Some(Kind::Trap));
    assert_eq!(verdicts, [trap, trap, trap, (Verdict::Violated, Some(Kind::Lasso))]);
    for decision in &outcome.decisions {
        let shown = Finding { claim: &decision.claim, verdict: decision.verdict, kind: decision.kind };
        replay(&system, &shown, decision.witness.as_ref().unwrap()).unwrap();
    }
}

#[test]
fn the_loop_1_2_is_fair_because_a_set_that_is_disabled_again_and_again_may_be_passed_over() {
    let system = road();
    replay(&system, &finding(&system, 3, Kind::Lasso), &trace(&[0, 1], &[2, 1])).unwrap();
}

#[test]
fn a_trace_that_shows_nothing_is_refused_for_what_is_wrong_with_it() {
    let system = road();
    let stays_home = finding(&system, 0, Kind::Trap);
    let refused = |finding: &Finding<'_>, t: &Trace<Road>| replay(&system, finding, t).unwrap_err();
    assert_eq!(refused(&stays_home, &trace(&[1, 2, 3], &[4, 3])), ReplayError::NotInitial);
    assert_eq!(refused(&stays_home, &trace(&[0, 2, 3], &[4, 3])), ReplayError::NotOffered(1));
    assert_eq!(refused(&stays_home, &trace(&[0, 1, 2, 3], &[4])), ReplayError::NotClosed);
    assert_eq!(refused(&stays_home, &trace(&[0, 1, 2, 3], &[])), ReplayError::WrongForm(false));
    assert_eq!(refused(&stays_home, &trace(&[0, 1], &[2, 1])), ReplayError::NoTrap);
    let mut empty = trace(&[0], &[]);
    empty.stem.clear();
    assert_eq!(refused(&stays_home, &empty), ReplayError::Empty);
    let mut stays = trace(&[0, 1, 2, 3], &[]);
    stays.cycle.push(Step { action: None, state: 3 });
    assert_eq!(refused(&stays_home, &stays), ReplayError::MayNotStay(4));
    let mut ignored = trace(&[0, 1, 2, 3, 4], &[3, 4]);
    ignored.cycle[0] = Step { action: Some((4, 9)), state: 3 };
    assert_eq!(refused(&stays_home, &ignored), ReplayError::NotOffered(5));
    // The loop 1 2 comes home again and again; only the trap does not.
    assert_eq!(
        refused(&finding(&system, 2, Kind::Lasso), &trace(&[0, 1], &[2, 1])),
        ReplayError::ShowsNothing(Verdict::Violated)
    );
    assert_eq!(
        refused(&finding(&system, 1, Kind::Lasso), &trace(&[0, 1, 2, 3], &[4, 3])),
        ReplayError::ShowsNothing(Verdict::Violated)
    );
}

#[test]
fn a_loop_that_breaks_a_constraint_is_refused() {
    let strict = road().strongly_fair("out for sure", |_, _, a| *a == (2, 3));
    let error = replay(&strict, &finding(&strict, 3, Kind::Lasso), &trace(&[0, 1], &[2, 1])).unwrap_err();
    assert_eq!(error, ReplayError::Unfair("out for sure".to_owned()));
}
