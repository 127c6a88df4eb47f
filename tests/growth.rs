//! `bounded m`: what grows for ever, and what only looks like it.

use aftercalm::check::{Decision, Limits, Outcome, Stop, check};
use aftercalm::property::{Kind, ModelExt, System, Verdict, always, bounded, reachable};
use aftercalm::report::{TextOptions, case_result, text};
use stateright::Model;

/// A control state and two counters, with rules: from, to, changes of the counters, and a guard on the first counter.
#[derive(Clone, Debug)]
struct Machine {
    rules: Vec<Rule>,
    cap: i64,
}

#[derive(Clone, Copy, Debug)]
struct Rule {
    from: u8,
    to: u8,
    add: (i64, i64),
    /// Taken only where the first counter lies between these.
    within: (i64, i64),
    resets: bool,
}

const ANY: (i64, i64) = (i64::MIN, i64::MAX);

fn rule(from: u8, to: u8, add: (i64, i64)) -> Rule {
    Rule { from, to, add, within: ANY, resets: false }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct State {
    at: u8,
    x: i64,
    y: i64,
}

impl Model for Machine {
    type State = State;
    type Action = usize;
    fn init_states(&self) -> Vec<State> {
        vec![State { at: 0, x: 0, y: 0 }]
    }
    fn actions(&self, state: &State, actions: &mut Vec<usize>) {
        let rules = self.rules.iter().enumerate();
        actions.extend(
            rules
                .filter(|(_, r)| r.from == state.at && (r.within.0..=r.within.1).contains(&state.x))
                .map(|(i, _)| i),
        );
    }
    fn next_state(&self, state: &State, i: usize) -> Option<State> {
        let rule = self.rules[i];
        let x = if rule.resets { 0 } else { (state.x + rule.add.0).min(self.cap) };
        let y = state.y + rule.add.1;
        (x >= 0 && y >= 0).then_some(State { at: rule.to, x, y })
    }
}

fn machine(rules: &[Rule]) -> System<Machine> {
    capped(rules, i64::MAX)
}

fn capped(rules: &[Rule], cap: i64) -> System<Machine> {
    Machine { rules: rules.to_vec(), cap }
        .system()
        .counter("x", "requests", |_, s| s.x, |_, s| s.x = 0)
        .counter("y", "requests", |_, s| s.y, |_, s| s.y = 0)
        .atom("over", |_, s| s.at > 0)
        .atom("far", |_, s| s.x > 1_000_000)
}

fn run(system: &System<Machine>) -> Outcome<Machine> {
    check(system, &Limits { states_max: 4_000, ..Limits::default() }).unwrap()
}

fn x(rules: &[Rule]) -> Decision<Machine> {
    run(&machine(rules).claim(bounded("x"))).decisions.remove(0)
}

fn grows(decision: &Decision<Machine>, gain: i64, length: usize) {
    assert_eq!(
        (decision.verdict, decision.kind),
        (Verdict::Violated, Some(Kind::Growth)),
        "{:?}",
        decision.detail
    );
    let trace = decision.witness.as_ref().unwrap();
    let last = trace.cycle.last().unwrap();
    assert_eq!((last.state.x - trace.joint().x, trace.cycle.len()), (gain, length));
    assert!(decision.detail.as_ref().unwrap().starts_with(&format!("+{gain} a loop")));
}

#[test]
fn a_counter_that_nothing_stops_grows() {
    grows(&x(&[rule(0, 0, (5, 0))]), 5, 1);
    grows(&x(&[rule(0, 1, (3, 0)), rule(1, 2, (0, 0)), rule(2, 0, (-1, 0))]), 2, 3);
}

#[test]
fn growth_is_found_far_from_the_start() {
    let mut rules: Vec<Rule> = (0..200).map(|at| rule(at, at + 1, (0, 0))).collect();
    rules.push(rule(200, 200, (1, 0)));
    grows(&x(&rules), 1, 1);
}

#[test]
fn a_search_that_finds_growth_ends_and_says_why() {
    let system = machine(&[rule(0, 0, (5, 0))])
        .claim(bounded("x"))
        .claim(always("not far"))
        .claim(reachable("not far"));
    let outcome = run(&system);
    assert_eq!(outcome.stops, [Stop::Growth("`x` grows".to_owned())]);
    let verdicts: Vec<Verdict> = outcome.decisions.iter().map(|d| d.verdict).collect();
    assert_eq!(verdicts, [Verdict::Violated, Verdict::Inconclusive, Verdict::Holds]);
    let case = case_result(&system, &outcome, "machine.rs", serde_json::Map::new());
    let report = text(&case, &TextOptions::default());
    assert!(report.contains("The system can get into a loop in which `x` grows each time."), "{report}");
    assert!(
        report.contains("as in step 0, but for larger counters")
            || report.contains("but for larger counters"),
        "{report}"
    );
}

#[test]
fn a_reset_is_no_growth() {
    let reset = Rule { from: 0, to: 0, add: (0, 0), within: (30, 30), resets: true };
    let up = Rule { within: (0, 29), ..rule(0, 0, (1, 0)) };
    let decision = x(&[up, reset]);
    assert_eq!((decision.verdict, decision.peak), (Verdict::Holds, Some(30)));
}

#[test]
fn a_test_for_zero_is_no_growth() {
    // The loop adds two, and can be taken at zero alone; from two on there is nothing but one step back.
    let up = Rule { within: (0, 0), ..rule(0, 0, (2, 0)) };
    let down = Rule { within: (1, 2), ..rule(0, 0, (-1, 0)) };
    let decision = x(&[up, down]);
    assert_eq!((decision.verdict, decision.peak), (Verdict::Holds, Some(2)));
}

#[test]
fn a_threshold_that_flips_after_fifty_rounds_is_no_growth() {
    let up = Rule { within: (0, 49), ..rule(0, 0, (1, 0)) };
    // Beyond it the other counter grows for ever, so that the search cannot end.
    let decision = x(&[up, Rule { within: (50, i64::MAX), ..rule(0, 0, (0, 1)) }]);
    assert_eq!((decision.verdict, decision.kind), (Verdict::Inconclusive, None));
    assert!(decision.detail.unwrap().contains("4000 states"));
}

#[test]
fn what_one_counter_gains_from_the_other_is_no_growth() {
    let system = machine(&[rule(0, 0, (1, -1)), rule(0, 0, (-1, 1))]).claim(bounded("x"));
    let mut started = system;
    started.model.rules.push(Rule { within: (0, 0), ..rule(0, 1, (0, 40)) });
    started.model.rules.extend([rule(1, 1, (1, -1)), rule(1, 1, (-1, 1))]);
    let decision = run(&started).decisions.remove(0);
    assert_eq!((decision.verdict, decision.peak), (Verdict::Holds, Some(40)));
}

#[test]
fn a_counter_that_saturates_is_told_so() {
    let decision = run(&capped(&[rule(0, 0, (5, 0))], 20).claim(bounded("x"))).decisions.remove(0);
    assert_eq!((decision.verdict, decision.peak), (Verdict::Holds, Some(20)));
    assert!(decision.detail.unwrap().starts_with("it saturates at 20"));
    // A queue that is full because nothing more is sent does not saturate.
    let full = Rule { within: (0, 19), ..rule(0, 0, (1, 0)) };
    let decision = x(&[full, rule(0, 0, (-1, 0))]);
    assert_eq!((decision.verdict, decision.peak, decision.detail), (Verdict::Holds, Some(20), None));
}

#[test]
fn a_cap_far_out_is_no_growth_either() {
    let decision = run(&capped(&[rule(0, 0, (1, 0))], 3000).claim(bounded("x"))).decisions.remove(0);
    assert_eq!((decision.verdict, decision.peak), (Verdict::Holds, Some(3000)));
}

#[test]
fn growth_is_asked_for_after_the_antecedent_alone() {
    let before = machine(&[rule(0, 0, (1, 0))]).claim(bounded("x").after("over"));
    assert_eq!(run(&before).decisions[0].verdict, Verdict::Inconclusive);
    let after = machine(&[rule(0, 1, (0, 0)), rule(1, 1, (2, 0))]).claim(bounded("x").after("over"));
    grows(&run(&after).decisions[0], 2, 1);
}

#[test]
fn two_counters_are_judged_each_by_itself() {
    let system = machine(&[rule(0, 0, (1, 0)), rule(0, 0, (0, 3))]).claim(bounded("x")).claim(bounded("y"));
    let outcome = run(&system);
    grows(&outcome.decisions[0], 1, 1);
    let y = outcome.decisions[1].witness.as_ref().unwrap();
    assert_eq!(y.cycle.last().unwrap().state.y - y.joint().y, 3);
}

#[test]
fn a_control_part_without_end_is_inconclusive() {
    // Each step has a control part of its own (y is no counter here).
    let system = Machine { rules: vec![rule(0, 0, (1, 1))], cap: i64::MAX }
        .system()
        .counter("x", "requests", |_, s: &State| s.x, |_, s| s.x = 0)
        .claim(bounded("x"));
    let decision = run(&system).decisions.remove(0);
    assert_eq!(decision.verdict, Verdict::Inconclusive);
}
