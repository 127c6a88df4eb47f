//! What is wrong with a model is told in the same words, and what was found before it is kept.

use crate::same::same_fault;
use crate::setup::{Act, LinkSpec, Setup, range};
use aftercalm::actor::{TimedState, send_n};
use aftercalm::check::{Limits, state_space};
use aftercalm::property::ModelExt;
use stateright::actor::Id;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts its ticks up to `n` and then goes wrong.
fn clock(n: usize, wrong: impl Fn(&mut stateright::actor::Out<Act>) + Send + Sync + 'static) -> Act {
    Act::new(|out| {
        out.set_timer('t', range(1, 1));
        String::new()
    })
    .on_timer(move |state, _, out| {
        state.push('.');
        out.set_timer('t', range(1, 1));
        if state.len() == n {
            wrong(out);
        }
    })
}

/// Something else that goes on meanwhile.
fn dice() -> Act {
    Act::new(|out| {
        out.set_timer('t', range(1, 4));
        "0".into()
    })
    .on_timer(|state, _, out| {
        *state = if state == "0" { "1".into() } else { "0".into() };
        out.set_timer('t', range(1, 3));
    })
}

#[test]
fn a_panic_and_every_refusal_name_the_same_state() {
    let cases: Vec<(&'static str, Act, &str)> = vec![
        ("panic", clock(5, |_| panic!("the clock broke")), "the clock broke"),
        ("nobody", clock(4, |out| out.send(Id::from(9), 'x')), "Id(9)"),
        (
            "no whole tick",
            clock(3, |out| out.set_timer('u', range(1, 1).start / 3..range(1, 1).end / 3)),
            "whole",
        ),
        ("many orders", clock(4, |out| send_n(out, Id::from(1), 'x', 300_000)), "too many orders"),
    ];
    for (name, act, expected) in cases {
        let mut setup = Setup::new(name, vec![dice(), act]);
        if name == "many orders" {
            setup.default_link = LinkSpec::latency(1, 2);
        }
        let (fault, states) = same_fault(name, &setup.system().system());
        assert!(fault.contains(expected) && fault.contains("state: State {"), "{name}: {fault}");
        assert!(states > 4, "{name}: {states}");
    }
}

#[test]
fn a_state_with_too_many_successors_is_refused_alike() {
    let chooser = || {
        Act::new(|out| {
            out.set_timer('t', range(3, 3));
            String::new()
        })
        .on_timer(|_, _, out| {
            for key in ["a", "b", "c", "d"] {
                out.choose_random(key, ('a'..='h').collect());
            }
        })
        .on_random(|state, random, _| {
            state.push(random);
            let mut all: Vec<char> = state.chars().collect();
            all.sort_unstable();
            *state = all.into_iter().collect();
        })
    };
    let system = Setup::new("many", vec![chooser(), chooser(), chooser()]).system().system();
    let (fault, states) = same_fault("many", &system);
    assert!(fault.contains("too many successors") && states == 3, "{fault}");
}

#[test]
fn an_atom_that_panics_is_named_and_so_is_a_measure() {
    for (name, at) in [("atom", 1), ("atom", 4), ("measure", 1), ("measure", 6)] {
        let (system, handles) = Setup::new("panics", vec![dice(), clock(100, |_| {})]).build();
        let clock = handles[1];
        let late = move |s: &TimedState<char>| s[clock].len() == at;
        let system = system.system().atom("fine", move |_, s| s[clock].is_empty());
        let system = match name {
            "atom" => system.atom("odd", move |_, s| !late(s) || panic!("cannot say")),
            _ => system.measure("odd", "", move |_, s| if late(s) { panic!("cannot say") } else { 7 }),
        };
        let (fault, _) = same_fault(name, &system);
        assert!(fault.contains(&format!("{name} `odd`")) && fault.contains("cannot say"), "{fault}");
    }
}

#[test]
fn a_fairness_set_that_panics_is_named() {
    let (system, handles) = Setup::new("panics", vec![dice(), clock(100, |_| {})]).build();
    let clock = handles[1];
    let system = system.system().weakly_fair("bad set", move |_, s, _| s[clock].len() < 3 || panic!("no"));
    let (fault, _) = same_fault("fairness", &system);
    assert!(fault.contains("fairness set `bad set`") && fault.contains("action: "), "{fault}");
}

#[test]
fn an_atom_that_changes_its_mind_is_found() {
    let (system, handles) = Setup::new("fickle", vec![dice(), dice()]).build();
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let dice = handles[0];
    let system = system.system().atom("fickle", move |_, s| {
        let _ = &s[dice];
        ASKED.fetch_add(1, Ordering::Relaxed).is_multiple_of(3)
    });
    let space = state_space(&system, &Limits::default());
    let fault = space.fault().map(ToString::to_string).unwrap_or_default();
    assert!(fault.contains("the atom `fickle`") && fault.contains("two different answers"), "{fault}");
}

#[test]
fn an_actor_that_changes_its_mind_is_found() {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let fickle = clock(3, |out| {
        if ASKED.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            out.send(Id::from(0), 'x');
        }
    });
    let system = Setup::new("fickle", vec![dice(), fickle]).system().system();
    let space = state_space(&system, &Limits::default());
    let fault = space.fault().map(ToString::to_string).unwrap_or_default();
    assert!(fault.contains("`a1` is not deterministic"), "{fault}");
}

#[test]
fn a_system_that_cannot_be_run_says_so() {
    let mut setup = Setup::new("bad", vec![dice()]);
    setup.default_link = LinkSpec::latency(0, 1);
    let (fault, states) = same_fault("bad", &setup.system().system());
    assert!(fault.contains("latency of 0 ticks") && states == 0, "{fault}");
}
