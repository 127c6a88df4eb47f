//! The runtime against the naive semantics, and the searches against each other.

use crate::naive::{Naive, Whole, text_of_naive, text_of_runtime};
use crate::random::random_setup;
use crate::setup::{Act, Setup};
use crate::systems::systems;
use aftercalm::actor::TimedState;
use aftercalm::check::{Limits, check};
use aftercalm::property::ModelExt;
use stateright::{Checker, Model};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Plain breadth-first search by `==`: (states, transitions).
fn bfs<M: Model<State: Clone + Eq + std::hash::Hash>>(model: &M) -> (u64, u64) {
    let mut seen: HashSet<M::State> = model.init_states().into_iter().collect();
    let mut queue: Vec<M::State> = seen.iter().cloned().collect();
    let mut transitions = 0;
    while let Some(state) = queue.pop() {
        for next in model.next_states(&state) {
            transitions += 1;
            if seen.insert(next.clone()) {
                queue.push(next);
            }
        }
    }
    (seen.len() as u64, transitions)
}

#[test]
fn all_searches_count_the_same_states_and_transitions() {
    let mut counts = Vec::new();
    for (i, setup) in systems().into_iter().enumerate() {
        let (name, system) = (setup.name, setup.system());
        let (states, transitions) = bfs(&system);
        let outcome = check(&system.system(), &Limits::default()).unwrap();
        assert_eq!(outcome.fault, None, "{name}");
        assert_eq!((outcome.states, outcome.transitions), (states, transitions), "{name}");
        let stateright = systems().swap_remove(i).system().checker().spawn_bfs().join();
        assert_eq!(stateright.unique_state_count() as u64, states, "{name}");
        counts.push((name, states, transitions));
    }
    println!("{counts:#?}");
    assert!(counts.iter().all(|(_, states, _)| *states > 1));
}

/// Walks both semantics side by side and compares the successors of each state: of at most `pairs_max` states, none of which has
/// more than `units_max` messages under way.
fn compare(setup: Setup<Act>, again: Setup<Act>, units_max: usize, pairs_max: usize) -> usize {
    let name = setup.name;
    let naive = Naive { setup: &again, eager: false };
    let (system, handles) = setup.build();
    let text = |state: &TimedState<char>| text_of_runtime(&handles, state);
    let mut queue = paired(name, "start", &text, system.init_states(), naive.starts());
    let mut seen: BTreeSet<String> = queue.iter().map(|(state, _)| text(state)).collect();
    let mut compared = 0;
    while let Some((state, whole)) = queue.pop() {
        if whole.flight.len() > units_max || compared >= pairs_max {
            continue;
        }
        compared += 1;
        let here = text(&state);
        for (next, whole) in paired(name, &here, &text, system.next_states(&state), naive.successors(&whole))
        {
            if seen.insert(text(&next)) {
                queue.insert(0, (next, whole));
            }
        }
    }
    compared
}

/// The two lists of states, which must be the same set, side by side.
fn paired(
    name: &str,
    here: &str,
    text: &impl Fn(&TimedState<char>) -> String,
    states: Vec<TimedState<char>>,
    wholes: Vec<Whole<Act>>,
) -> Vec<(TimedState<char>, Whole<Act>)> {
    let count = states.len();
    let states: BTreeMap<String, TimedState<char>> = states.into_iter().map(|s| (text(&s), s)).collect();
    let mut wholes: BTreeMap<String, Whole<Act>> =
        wholes.into_iter().map(|w| (text_of_naive(&w), w)).collect();
    let (ours, theirs): (Vec<&String>, Vec<&String>) = (states.keys().collect(), wholes.keys().collect());
    assert_eq!(ours, theirs, "{name}: successors differ from\n{here}");
    assert_eq!(count, states.len(), "{name}: a successor comes twice from\n{here}");
    states.into_iter().map(|(t, state)| (state, wholes.remove(&t).unwrap())).collect()
}

#[test]
fn small_systems_have_the_successors_of_the_naive_semantics() {
    for (i, setup) in systems().into_iter().enumerate() {
        let name = setup.name;
        let compared = compare(setup, systems().swap_remove(i), 6, 300);
        assert!(compared > 0, "{name}");
    }
}

/// All sequences of the actors' states over `n` ticks.
fn traces<S>(
    starts: Vec<S>,
    next: impl Fn(&S) -> Vec<S>,
    key: impl Fn(&S) -> String,
    shown: impl Fn(&S) -> String,
    n: usize,
) -> BTreeSet<Vec<String>> {
    let begin = |s: S| ((key(&s), vec![shown(&s)]), s);
    let mut layer: BTreeMap<(String, Vec<String>), S> = starts.into_iter().map(begin).collect();
    for _ in 0..n {
        let mut further = BTreeMap::new();
        for ((_, trace), state) in &layer {
            for state in next(state) {
                let trace = [trace.as_slice(), &[shown(&state)]].concat();
                further.insert((key(&state), trace), state);
            }
        }
        layer = further;
    }
    layer.into_keys().map(|(_, trace)| trace).collect()
}

#[test]
fn what_is_resolved_late_behaves_as_what_is_sampled_at_once() {
    let ranged =
        ["latency ranges", "timer ranges", "cut link", "several initial states", "several timers at once"];
    for (i, setup) in systems().into_iter().enumerate().filter(|(_, s)| ranged.contains(&s.name)) {
        let again = systems().swap_remove(i);
        let naive = Naive { setup: &again, eager: true };
        let name = setup.name;
        let (system, handles) = setup.build();
        let shown = |s: &TimedState<char>| handles.iter().map(|h| format!("{} ", s[*h])).collect::<String>();
        let ours = traces(
            system.init_states(),
            |s| system.next_states(s),
            |s| text_of_runtime(&handles, s),
            shown,
            4,
        );
        let theirs = traces(
            naive.starts(),
            |w| naive.successors(w),
            text_of_naive,
            |w| w.actors.iter().map(|a| format!("{} ", a.state)).collect(),
            4,
        );
        assert!(ours.len() > 1, "{name}");
        assert_eq!(ours, theirs, "{name}");
    }
}

#[test]
fn random_systems_have_the_successors_of_the_naive_semantics() {
    let mut compared = 0;
    for seed in 0..250 {
        compared += compare(random_setup(seed), random_setup(seed), 5, 25);
    }
    println!("compared the successors of {compared} states");
    assert!(compared > 2000, "{compared}");
}
