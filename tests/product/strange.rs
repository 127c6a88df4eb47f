//! Atoms that no one would write: they read on another thread, run a search within the search, look at another system's state, at
//! a kept copy, at the whole, at one thing or another.

use crate::random::random_setup;
use crate::same::same_space;
use crate::setup::{Act, Setup, range};
use aftercalm::actor::{Handle, TimedState, TimedSystem};
use aftercalm::check::{Limits, state_space};
use aftercalm::property::{ModelExt, System};
use stateright::Model;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

type State = TimedState<char>;

/// Counts its ticks up to `n` and stays there.
fn clock(n: usize) -> Act {
    Act::new(|out| {
        out.set_timer('t', range(1, 1));
        String::new()
    })
    .on_timer(move |state, _, out| {
        state.push('.');
        if state.len() < n {
            out.set_timer('t', range(1, 1));
        }
    })
}

/// Switches after one to three ticks, again and again.
fn dice() -> Act {
    Act::new(|out| {
        out.set_timer('t', range(1, 4));
        "0".into()
    })
    .on_timer(|state, _, out| {
        *state = if state == "0" { "1".into() } else { "0".into() };
        out.set_timer('t', range(1, 4));
    })
}

/// Whether the text of this actor is even, found out on another thread.
fn elsewhere(state: &State, handle: Handle<Act>) -> bool {
    std::thread::scope(|scope| scope.spawn(|| state[handle].len().is_multiple_of(2)).join()).unwrap()
}

fn asked(setup: Setup<Act>) -> System<TimedSystem<char>> {
    let (system, handles) = setup.build();
    let (other, others) = Setup::new("other", vec![dice(), dice(), dice(), dice(), clock(3)]).build();
    let (first, last) = (handles[0], handles[handles.len() - 1]);
    let kept = system.init_states().remove(0);
    let foreign = other.init_states().remove(0);
    let (kept_too, foreign_too) = (kept.clone(), foreign.clone());
    let beyond = others[4];
    system
        .system()
        .atom("elsewhere", move |_, s| elsewhere(s, first))
        .atom("here and elsewhere", move |_, s| s[first].len() < 2 && elsewhere(s, last))
        .atom("a search within", move |_, s| {
            let long = s[first].len() > 3;
            let within = Setup::new("within", vec![clock(2), clock(3)]).build();
            let (system, handle) = (within.0.system(), within.1[1]);
            let system = system.atom("over", move |_, s| s[handle].len() == 3);
            let limits = Limits { threads: Some(1), ..Limits::default() };
            let size = state_space(&system, &limits).graph().size() as usize;
            // What is read after the search counts, too.
            long != (s[last].len() == size)
        })
        .atom("as at first", move |_, s| *s == kept)
        .atom("one as at first", move |_, s| s[last] == kept_too[last] || kept_too[first] == s[first])
        .atom("another system's", move |_, s| foreign[beyond].is_empty() && s[first].len() == 1)
        .atom("another system's whole", move |_, s| foreign_too == *s)
        .atom("copied and changed", move |_, s| {
            let mut copy = s.clone();
            copy.update(first, |text| text.push('x'));
            copy[first].len() == 2 && copy[last].len() != 1
        })
        .atom("hashed", |_, s| BuildHasherDefault::<DefaultHasher>::default().hash_one(s).is_multiple_of(2))
        .atom("caught", move |_, s| {
            let panics = || assert!(s[first].len() < 2);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_ok() && s[last].len() < 2
        })
        .atom("lives on", |model, s| {
            let mut actions = Vec::new();
            model.actions(s, &mut actions);
            actions.into_iter().any(|a| model.next_state(s, a).is_some_and(|next| next != *s))
        })
        .atom("nothing", |_, _| true)
        .measure("elsewhere", "", move |_, s| i64::from(elsewhere(s, last)) + i64::from(elsewhere(s, first)))
        .measure("shown", "characters", |_, s| format!("{s:?}").len() as i64)
        .measure("largest", "", move |_, s| if s[first].len() > 1 { i64::MAX } else { i64::MIN })
}

#[test]
fn atoms_that_read_in_strange_ways_are_computed_where_they_change() {
    // More states than the search asks about again.
    let (states, _) =
        same_space("late", &asked(Setup::new("late", vec![clock(60), dice()])), &Limits::default());
    assert!(states > 250, "{states}");
    let limits = Limits { states_max: 150, ..Limits::default() };
    for seed in 500..504 {
        same_space(&format!("seed {seed}"), &asked(random_setup(seed)), &limits);
    }
}

#[test]
fn a_system_without_actors_has_one_state() {
    let system = || TimedSystem::<char>::new(crate::setup::TICK).system().atom("nothing", |_, _| true);
    assert_eq!(same_space("nobody", &system(), &Limits::default()), (1, 1));
}
