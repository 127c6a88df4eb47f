//! What an incident review asks: peaks, amplification, the smallest trigger that tips the system, the cheapest intervention.
//! One small storm with answers worked out by hand.

use aftercalm::check::{Limits, Outcome, check};
use aftercalm::property::{
    Kind, ModelExt, System, SystemError, Verdict, always, at_most, recoverable, recovers, stabilizes,
};
use aftercalm::report::{TextOptions, case_result, json, text};
use stateright::Model;

/// A backlog that grows by two in each tick of an outage. Afterwards two units are worked off and one comes in each tick,
/// unless the backlog is at or over the brink, from where retries keep it as it is. The operator can shed the backlog, which
/// helps only while traffic is stopped.
#[derive(Clone, Debug)]
struct Storm {
    brink: u8,
    longest: u8,
    can_stop: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Before,
    Outage(u8),
    After,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct State {
    phase: Phase,
    backlog: u8,
    stopped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Tick,
    Fail,
    Mend,
    Stop,
    Shed,
}

impl Model for Storm {
    type State = State;
    type Action = Action;
    fn init_states(&self) -> Vec<State> {
        vec![State { phase: Phase::Before, backlog: 0, stopped: false }]
    }
    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.push(Action::Tick);
        match state.phase {
            Phase::Before => actions.push(Action::Fail),
            Phase::Outage(_) => actions.push(Action::Mend),
            Phase::After => actions.extend([Action::Stop, Action::Shed]),
        }
    }
    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = *state;
        match (action, state.phase) {
            (Action::Fail, _) => (next.phase, next.backlog) = (Phase::Outage(1), 2),
            (Action::Mend, _) => next.phase = Phase::After,
            (Action::Tick, Phase::Outage(n)) if n < self.longest => {
                (next.phase, next.backlog) = (Phase::Outage(n + 1), state.backlog + 2);
            }
            (Action::Tick, Phase::Outage(_)) => next.phase = Phase::After,
            (Action::Tick, _) if state.stopped => {}
            (Action::Tick, _) if state.backlog < self.brink => next.backlog = state.backlog.saturating_sub(1),
            (Action::Tick, _) => {}
            (Action::Stop, _) => next.stopped = self.can_stop,
            // Shed with the traffic on, the backlog is back at once.
            (Action::Shed, _) if state.stopped => (next.backlog, next.stopped) = (0, false),
            (Action::Shed, _) => {}
        }
        Some(next)
    }
}

fn storm(brink: u8, longest: u8) -> System<Storm> {
    Storm { brink, longest, can_stop: true }
        .system()
        .atom("over", |_, s| s.phase == Phase::After)
        .atom("calm", |_, s| s.backlog == 0)
        .measure("outage", "ticks", |_, s| i64::from(matches!(s.phase, Phase::Outage(_))))
        .measure("backlog", "requests", |_, s| i64::from(s.backlog))
        .measure("offered", "requests per tick", |m, s| if s.backlog >= m.brink { 3 } else { 1 })
        .measure("fresh", "requests per tick", |_, _| 1)
        .operator("stop traffic", |_, _, a| *a == Action::Stop)
        .operator("shed the backlog", |_, _, a| *a == Action::Shed)
        .trigger_cost(&["outage"])
        .amplification("offered", "fresh")
}

fn run(system: &System<Storm>) -> Outcome<Storm> {
    let outcome = check(system, &Limits::default()).unwrap();
    assert_eq!((outcome.stops.len(), &outcome.fault), (0, &None));
    outcome
}

#[test]
fn an_operator_is_never_counted_on() {
    let system = storm(6, 8).claim(stabilizes("calm").after("over")).claim(recoverable("calm").after("over"));
    let outcome = run(&system);
    for decision in &outcome.decisions {
        assert_eq!((decision.verdict, decision.kind), (Verdict::Violated, Some(Kind::Trap)));
    }
    // Before, eight ticks of outage, and after it each backlog that an outage of whole ticks leaves, down to zero.
    assert_eq!(outcome.states, 1 + 8 + (0..=4).count() as u64 + [6, 8, 10, 12, 14, 16].len() as u64);
}

#[test]
fn the_smallest_trigger_that_tips_is_where_the_backlog_reaches_the_brink() {
    for brink in 1..=10 {
        let system = storm(brink, 8).claim(stabilizes("calm").after("over"));
        let decision = run(&system).decisions.remove(0);
        let tipping = decision.tipping.unwrap();
        let ticks = i64::from(brink.div_ceil(2));
        assert_eq!(tipping.least, [ticks]);
        assert_eq!(tipping.survived, (ticks > 1).then(|| vec![ticks - 1]));
        assert_eq!(tipping.path.stem.last().unwrap().state.phase, Phase::After);
    }
    let safe = storm(20, 8).claim(stabilizes("calm").after("over"));
    assert!(run(&safe).decisions[0].tipping.is_none());
}

#[test]
fn the_cheapest_intervention_stops_and_then_sheds() {
    let system = storm(6, 8).claim(stabilizes("calm").after("over"));
    let remedy = run(&system).decisions.remove(0).remedy.unwrap();
    assert_eq!(remedy.actions, Some(2));
    assert_eq!(remedy.order, ["stop traffic", "shed the backlog"]);
    assert_eq!(remedy.path.stem.len() - 1, remedy.worst + 2);
}

#[test]
fn where_traffic_cannot_be_stopped_no_number_of_actions_helps() {
    let mut system = storm(6, 8).claim(stabilizes("calm").after("over"));
    system.model.can_stop = false;
    let remedy = run(&system).decisions.remove(0).remedy.unwrap();
    assert_eq!((remedy.actions, remedy.order.len()), (None, 0));
}

#[test]
fn peaks_amplification_and_the_worst_case_are_exact() {
    let system =
        storm(6, 8).claim(at_most("backlog", 16)).claim(at_most("backlog", 15)).claim(always("not false"));
    let outcome = run(&system);
    let backlog = &outcome.peaks[1];
    assert_eq!((backlog.measure.as_str(), backlog.value, backlog.path.stem.len() - 1), ("backlog", 16, 8));
    assert_eq!((outcome.decisions[0].verdict, outcome.decisions[0].peak), (Verdict::Holds, Some(16)));
    assert_eq!(
        (outcome.decisions[1].verdict, outcome.decisions[1].kind),
        (Verdict::Violated, Some(Kind::Safety))
    );
    let amplification = &outcome.amplifications[0];
    assert_eq!((amplification.peak, amplification.path.stem.len() - 1), ((3, 1), 3));
    // An outage of two ticks leaves four, worked off one a tick.
    let calm = storm(20, 2).claim(recovers("calm", 4).after("over")).claim(recovers("calm", 3).after("over"));
    let outcome = run(&calm);
    assert_eq!((outcome.decisions[0].verdict, outcome.decisions[0].worst_ticks), (Verdict::Holds, Some(4)));
    assert_eq!(
        (outcome.decisions[1].verdict, outcome.decisions[1].worst_ticks),
        (Verdict::Violated, Some(4))
    );
}

#[test]
fn the_report_answers_in_words_and_in_json() {
    let system = storm(6, 8).claim(stabilizes("calm").after("over").named("calms down"));
    let case = case_result(&system, &run(&system), "storm.rs", serde_json::Map::new());
    let report = text(&case, &TextOptions::default());
    for words in [
        "trigger: outage 3 is the least that tips it; every one up to outage 2 is survived, whatever else happens",
        "operator: from the worst state, 2 actions bring it back for certain, whatever else happens: stop traffic, then",
        "backlog 16 requests (after 8 steps)",
        "amplification offered/fresh 3.00 at its peak, 3.00 in the loop of `calms down`",
    ] {
        let flat = report.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{words}\n{report}");
    }
    let object: serde_json::Value = serde_json::from_str(&json(&case)).unwrap();
    assert_eq!(object["claims"][0]["tipping"]["least"], serde_json::json!([3]));
    assert_eq!(object["claims"][0]["remedy"]["order"][1], "shed the backlog");
    assert_eq!(object["peaks"][1]["value"], 16);
}

#[test]
fn a_quantity_of_a_measure_that_is_not_there_is_an_error() {
    let system = storm(6, 8).trigger_cost(&["size"]).claim(always("calm"));
    assert!(matches!(
        check(&system, &Limits::default()),
        Err(aftercalm::check::CheckError::System(SystemError::UnknownQuantity { .. }))
    ));
    let five = ["outage", "backlog", "offered", "fresh", "outage"];
    assert!(check(&storm(6, 8).trigger_cost(&five).claim(always("calm")), &Limits::default()).is_err());
}

#[test]
fn a_peak_of_a_search_that_was_cut_short_has_a_real_path() {
    for states_max in 2..14 {
        let system = storm(6, 8).claim(always("not false"));
        let outcome = check(&system, &Limits { states_max, ..Limits::default() }).unwrap();
        for peak in &outcome.peaks {
            aftercalm::witness::retrace(&system, &peak.path).unwrap();
            assert!(
                peak.path.stem.iter().skip(1).all(|step| step.action.is_some()),
                "{states_max}: {peak:?}"
            );
        }
    }
}
