//! A model that fails, or gives another answer each time it is asked, ends as a fault that says where.

use crate::roads::run;
use aftercalm::check::{Outcome, Stop};
use aftercalm::model::{Fault, refuse};
use aftercalm::property::{ModelExt, Verdict, always, reachable};
use stateright::Model;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where the model misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Spot {
    Nowhere,
    InitStates,
    Actions,
    NextState,
    Boundary,
    Atom,
    Fairness,
    Eq,
    Hash,
    Debug,
    ActionDebug,
    Clone,
    Refusal,
}

/// Counts from 0 to 9; in 3, on the way to 4, it panics in the given spot.
struct Counter(Spot);

struct Count(u8, Spot);

struct Increment(Spot);

impl Spot {
    fn fail(self, spot: Self, fails: bool) {
        assert!(!fails || self != spot, "bad {spot:?}");
    }
}

impl Clone for Count {
    fn clone(&self) -> Self {
        self.1.fail(Spot::Clone, self.0 == 4);
        Self(self.0, self.1)
    }
}

impl std::fmt::Debug for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.1.fail(Spot::Debug, true);
        write!(f, "count {}", self.0)
    }
}

impl PartialEq for Count {
    fn eq(&self, other: &Self) -> bool {
        self.1.fail(Spot::Eq, self.0 == 4 && other.0 == 4);
        self.0 == other.0
    }
}

impl Hash for Count {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.1.fail(Spot::Hash, self.0 == 4);
        self.0.hash(hasher);
    }
}

impl Clone for Increment {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl std::fmt::Debug for Increment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fail(Spot::ActionDebug, true);
        f.write_str("increment")
    }
}

impl Model for Counter {
    type State = Count;
    type Action = Increment;

    fn init_states(&self) -> Vec<Count> {
        self.0.fail(Spot::InitStates, true);
        vec![Count(0, self.0)]
    }

    fn actions(&self, state: &Count, actions: &mut Vec<Increment>) {
        self.0.fail(Spot::Actions, state.0 == 3);
        if state.0 < 9 {
            actions.push(Increment(self.0));
        }
    }

    fn next_state(&self, state: &Count, _: Increment) -> Option<Count> {
        self.0.fail(Spot::NextState, state.0 == 3);
        if self.0 == Spot::Refusal && state.0 == 3 {
            refuse("four is not supported; use at most three");
        }
        Some(Count(state.0 + 1, self.0))
    }

    fn within_boundary(&self, state: &Count) -> bool {
        self.0.fail(Spot::Boundary, state.0 == 4);
        true
    }
}

fn count(spot: Spot) -> Outcome<Counter> {
    let system = Counter(spot)
        .system()
        .atom("small", move |_, s: &Count| {
            spot.fail(Spot::Atom, s.0 == 4);
            s.0 < 10
        })
        .weakly_fair("increments", move |_, s, _| {
            spot.fail(Spot::Fairness, s.0 == 3);
            true
        })
        .claim(always("small"));
    run(&system)
}

/// The fault's text, which must have each of the words.
fn says<M: aftercalm::model::Checkable>(outcome: &Outcome<M>, words: &[&str]) {
    let text = outcome.fault.as_ref().expect("a fault").to_string();
    for word in words {
        assert!(text.contains(word), "no `{word}` in: {text}");
    }
    assert_eq!(outcome.stops, [Stop::Fault]);
    assert_eq!(outcome.decisions[0].verdict, Verdict::Inconclusive);
}

fn panics_in(spot: Spot, function: &str, state: Option<&str>, action: Option<&str>) {
    let outcome = count(spot);
    let message = format!("bad {spot:?}");
    says(&outcome, &[&message, "faults.rs:"]);
    let Some(Fault::Panic { during, state: at, action: taken, .. }) = &outcome.fault else {
        panic!("{:?}", outcome.fault);
    };
    assert_eq!((during.as_str(), at.as_deref(), taken.as_deref()), (function, state, action));
}

#[test]
fn a_model_that_does_not_panic_has_no_fault() {
    let outcome = count(Spot::Nowhere);
    assert_eq!((outcome.fault, outcome.decisions[0].verdict), (None, Verdict::Holds));
}

#[test]
fn a_panic_in_init_states_is_a_fault() {
    panics_in(Spot::InitStates, "init_states", None, None);
}

#[test]
fn a_panic_in_actions_names_the_state() {
    panics_in(Spot::Actions, "actions", Some("count 3"), None);
}

#[test]
fn a_panic_in_next_state_names_the_state_and_the_action() {
    panics_in(Spot::NextState, "next_state", Some("count 3"), Some("increment"));
}

#[test]
fn a_panic_in_within_boundary_names_the_state_that_it_was_asked_about() {
    panics_in(Spot::Boundary, "within_boundary", Some("count 4"), None);
}

#[test]
fn a_panic_in_an_atom_names_the_atom_and_the_state() {
    panics_in(Spot::Atom, "atom `small`", Some("count 4"), None);
}

#[test]
fn a_panic_in_a_fairness_set_names_the_set_the_state_and_the_action() {
    panics_in(Spot::Fairness, "fairness set `increments`", Some("count 3"), Some("increment"));
}

#[test]
fn a_panic_in_eq_or_hash_of_the_state_is_a_fault() {
    says(&count(Spot::Eq), &["bad Eq"]);
    says(&count(Spot::Hash), &["bad Hash"]);
}

#[test]
fn a_panic_in_clone_of_the_state_is_a_fault() {
    says(&count(Spot::Clone), &["bad Clone"]);
}

#[test]
fn a_panic_in_debug_does_not_hide_the_verdict_or_the_fault() {
    for spot in [Spot::Debug, Spot::ActionDebug] {
        let outcome = count(spot);
        assert_eq!((outcome.fault, outcome.decisions[0].verdict), (None, Verdict::Holds));
    }
}

#[test]
fn a_refusal_is_told_in_the_model_s_own_words() {
    says(&count(Spot::Refusal), &["four is not supported; use at most three", "count 3", "increment"]);
}

#[test]
fn what_was_found_before_a_fault_counts() {
    let system = Counter(Spot::NextState)
        .system()
        .atom("two", |_, s: &Count| s.0 == 2)
        .atom("nine", |_, s: &Count| s.0 == 9)
        .claim(reachable("two"))
        .claim(always("not two"))
        .claim(reachable("nine"));
    let outcome = run(&system);
    let verdicts: Vec<_> = outcome.decisions.iter().map(|d| d.verdict).collect();
    assert_eq!(verdicts, [Verdict::Holds, Verdict::Violated, Verdict::Inconclusive]);
}

/// What changes from call to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    InitStates,
    OrderOfActions,
    SetOfActions,
    RandomSet,
    NextState,
    Ignored,
    Fairness,
}

/// 0, 1, 2 .. 9 and back; in 5 it answers as it likes.
struct Moody {
    mood: Mood,
    calls: AtomicUsize,
}

impl Moody {
    fn flips(&self, mood: Mood, here: bool) -> bool {
        here && self.mood == mood && self.calls.fetch_add(1, Ordering::Relaxed) % 3 == 1
    }
}

impl Model for Moody {
    type State = u8;
    type Action = u8;

    fn init_states(&self) -> Vec<u8> {
        vec![u8::from(self.flips(Mood::InitStates, true))]
    }

    fn actions(&self, state: &u8, actions: &mut Vec<u8>) {
        if self.mood == Mood::RandomSet && *state == 5 {
            // A new random seed for each set.
            actions.extend((0..20).collect::<HashSet<u8>>());
            return;
        }
        actions.extend([1, 2]);
        if self.flips(Mood::OrderOfActions, *state == 5) {
            actions.reverse();
        }
        if self.flips(Mood::SetOfActions, *state == 5) {
            actions.pop();
        }
    }

    fn next_state(&self, state: &u8, by: u8) -> Option<u8> {
        if self.flips(Mood::Ignored, *state == 5) {
            return None;
        }
        Some((state + by + u8::from(self.flips(Mood::NextState, *state == 5))) % 10)
    }
}

fn is_not_deterministic(mood: Mood, function: &str, state: Option<&str>) {
    let system = Moody { mood, calls: AtomicUsize::new(0) }
        .system()
        .atom("small", |_, s| *s < 100)
        .weakly_fair("sometimes", |m: &Moody, s, _| m.flips(Mood::Fairness, *s == 5))
        .claim(always("small"));
    let outcome = run(&system);
    let Some(Fault::NotDeterministic { function: at, state: s, first, second }) = &outcome.fault else {
        panic!("{:?}", outcome.fault);
    };
    assert_eq!((at.as_str(), s.as_deref()), (function, state));
    assert_ne!(first, second);
    assert_eq!(outcome.decisions[0].verdict, Verdict::Inconclusive);
    assert_eq!(outcome.stops, [Stop::Fault]);
}

#[test]
fn initial_states_that_change_from_call_to_call_are_a_fault() {
    is_not_deterministic(Mood::InitStates, "init_states", None);
}

#[test]
fn actions_that_change_from_call_to_call_are_a_fault() {
    is_not_deterministic(Mood::OrderOfActions, "actions", Some("5"));
    is_not_deterministic(Mood::SetOfActions, "actions", Some("5"));
}

#[test]
fn actions_in_the_order_of_a_hash_set_are_a_fault() {
    is_not_deterministic(Mood::RandomSet, "actions", Some("5"));
}

#[test]
fn a_successor_that_changes_from_call_to_call_is_a_fault() {
    is_not_deterministic(Mood::NextState, "next_state", Some("5"));
    is_not_deterministic(Mood::Ignored, "next_state", Some("5"));
}

#[test]
fn a_fairness_set_that_changes_from_call_to_call_is_a_fault() {
    is_not_deterministic(Mood::Fairness, "the membership of a fairness set", Some("5"));
}

/// A bag that remembers the order in which it was filled, though equality does not see it.
#[derive(Clone, Debug)]
struct Bag(Vec<u8>);

impl Bag {
    fn sorted(&self) -> Vec<u8> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted
    }
}

impl PartialEq for Bag {
    fn eq(&self, other: &Self) -> bool {
        self.sorted() == other.sorted()
    }
}

impl Hash for Bag {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.sorted().hash(hasher);
    }
}

/// Puts two things into the bag, and takes out the one that was put in last.
struct Bags;

impl Model for Bags {
    type State = Bag;
    type Action = u8;

    fn init_states(&self) -> Vec<Bag> {
        vec![Bag(Vec::new())]
    }

    fn actions(&self, bag: &Bag, actions: &mut Vec<u8>) {
        match bag.0.len() {
            0 | 1 => actions.extend([1, 2].iter().filter(|thing| !bag.0.contains(thing))),
            _ => actions.push(0),
        }
    }

    fn next_state(&self, bag: &Bag, thing: u8) -> Option<Bag> {
        let mut next = bag.clone();
        if thing == 0 {
            next.0.pop();
        } else {
            next.0.push(thing);
        }
        Some(next)
    }
}

#[test]
fn equal_states_with_different_successors_are_a_fault() {
    let outcome = run(&Bags.system().atom("full", |_, bag| bag.0.len() == 2).claim(reachable("full")));
    let Some(Fault::NotDeterministic { function, state: Some(state), .. }) = &outcome.fault else {
        panic!("{:?}", outcome.fault);
    };
    assert_eq!((function.as_str(), state.as_str()), ("next_state", "Bag([1, 2])"));
}

/// 0, 1, 2, 3, 4, and back to 0.
#[derive(Debug)]
struct Round;

impl Model for Round {
    type State = u8;
    type Action = ();

    fn init_states(&self) -> Vec<u8> {
        vec![0]
    }

    fn actions(&self, _: &u8, actions: &mut Vec<()>) {
        actions.push(());
    }

    fn next_state(&self, state: &u8, (): ()) -> Option<u8> {
        Some((state + 1) % 5)
    }
}

#[test]
fn an_atom_or_a_measure_that_remembers_is_a_fault() {
    let before = std::sync::atomic::AtomicU8::new(0);
    let rises = move |s: &u8| *s >= before.swap(*s, Ordering::Relaxed);
    let outcome =
        run(&Round.system().atom("never_falls", move |_, s: &u8| rises(s)).claim(always("never_falls")));
    says(&outcome, &["the atom `never_falls`", "two different answers"]);
    let calls = AtomicUsize::new(0);
    let count = move || calls.fetch_add(1, Ordering::Relaxed) as i64;
    let outcome = run(&Round
        .system()
        .atom("t", |_, _| true)
        .measure("calls", "", move |_, _| count())
        .claim(always("t")));
    says(&outcome, &["the measure `calls`", "two different answers"]);
}

#[test]
fn an_atom_that_no_claim_can_name_is_refused() {
    for name in ["true", "false", "a \"b\""] {
        let system = Round.system().atom(name, |_, _| false).atom("t", |_, _| true).claim(always("t"));
        let error = aftercalm::check::check(&system, &Default::default()).unwrap_err().to_string();
        assert!(error.contains("cannot stand in a claim"), "{error}");
    }
}
