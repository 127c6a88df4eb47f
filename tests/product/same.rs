//! What it means that two searches give the same.

use aftercalm::check::{Engine, Limits, StateSpace, check, state_space};
use aftercalm::model::Checkable;
use aftercalm::property::System;

/// The ways in which the product search can be run.
pub fn ways(limits: &Limits) -> Vec<(String, Limits)> {
    let way = |threads| {
        (
            format!("{threads} threads"),
            Limits { engine: Engine::Product, threads: Some(threads), block_edges: 64, ..limits.clone() },
        )
    };
    [1, 2, 4].map(way).into()
}

/// The same limits for the generic search.
pub fn generic(limits: &Limits) -> Limits {
    Limits { engine: Engine::Generic, ..limits.clone() }
}

/// Checks that both searches find the same, and gives the number of states and of edges.
pub fn same_space<M: Checkable>(name: &str, system: &System<M>, limits: &Limits) -> (u32, usize) {
    let expected = state_space(system, &generic(limits));
    for (way, limits) in ways(limits) {
        compare(&format!("{name}, {way}"), &expected, &state_space(system, &limits));
    }
    (expected.graph().size(), expected.graph().targets.len())
}

fn compare<M: Checkable>(name: &str, a: &StateSpace<'_, M>, b: &StateSpace<'_, M>) {
    assert_eq!(a.fault().map(ToString::to_string), b.fault().map(ToString::to_string), "{name}: faults");
    assert_eq!(a.stops(), b.stops(), "{name}: stops");
    let (x, y) = (a.graph(), b.graph());
    assert_eq!((x.size(), x.initial, x.expanded()), (y.size(), y.initial, y.expanded()), "{name}: sizes");
    for id in 0..x.size() {
        assert_eq!(a.state(id), b.state(id), "{name}: state {id}");
    }
    assert!(x.parents == y.parents, "{name}: parents");
    assert!(x.rows == y.rows, "{name}: rows");
    assert!(x.targets == y.targets, "{name}: edges");
    assert!((&x.labels, &x.masks) == (&y.labels, &y.masks), "{name}: labels");
    assert!(x.measures == y.measures, "{name}: measures");
    assert_eq!(x.cut, y.cut, "{name}: boundary");
    for (i, (x_, y_)) in x.atoms.iter().zip(&y.atoms).enumerate() {
        assert_eq!(x_.complement(x.size()), y_.complement(x.size()), "{name}: atom {i}");
    }
    if x.complete() {
        assert_eq!(x.classes, y.classes, "{name}: classes");
    }
}

/// Checks that both searches decide the same, with the same counterexamples.
pub fn same_verdicts<M: Checkable + std::fmt::Debug>(
    name: &str,
    system: &System<M>,
    limits: &Limits,
) -> String {
    let told = |limits: &Limits| {
        let o = check(system, limits).unwrap_or_else(|error| panic!("{name}: {error}"));
        let counts = (o.states, o.transitions, o.depth, o.end_states);
        format!(
            "{counts:?} {:?} {:?} {:?} {:?} {:?}\n{:#?}",
            o.stops, o.fault, o.notes, o.peaks, o.amplifications, o.decisions
        )
    };
    let expected = told(&generic(limits));
    for (way, limits) in ways(limits) {
        assert_eq!(expected, told(&limits), "{name}, {way}");
    }
    expected
}

/// Checks that both searches tell of the same fault, and gives it with the number of states that the product search found before
/// it. They may name different states: the generic search asks about some states ahead of their turn.
pub fn same_fault<M: Checkable>(name: &str, system: &System<M>) -> (String, u32) {
    let told = |limits: &Limits| {
        let space = state_space(system, limits);
        let fault = space.fault().map(ToString::to_string).unwrap_or_default();
        (fault, space.graph().size(), space.stops().to_vec())
    };
    let what = |fault: &str| fault.split("\n  state: ").next().unwrap_or_default().to_owned();
    let (expected, states, stops) = told(&generic(&Limits::default()));
    let mut found = (String::new(), 0);
    for (way, limits) in ways(&Limits::default()) {
        let (fault, size, stopped) = told(&limits);
        assert_eq!((what(&expected), &stops), (what(&fault), &stopped), "{name}, {way}");
        assert_eq!(expected.contains("state: "), fault.contains("state: "), "{name}, {way}");
        assert!(size >= states, "{name}, {way}: {size} states of {states}");
        found = (fault, size);
    }
    found
}
