//! What fairness costs on top of the bare search: forty strong constraints on a graph of 200,000 states and a million edges.
//!
//! Two graphs of forty blocks of 5,000 states each, side by side with an `always` claim over the same model, which needs the
//! search and next to no decision:
//!
//! - *nested*: each state of a block has a way down into the block below, and strong fairness asks for it to be taken. From the
//!   lowest block the way down leads home, so no path away from home takes it for ever: that block is given up, then the one
//!   above, whose way down is thereby lost, and so on. Forty rounds of refinement, each over all that is left; the claim holds.
//! - *winding*: the same without the way home, so that the whole graph is one fair component. That a behaviour stays out of the
//!   highest block is violated, by a loop that goes up there and has to take all forty ways down. So many duties are more
//!   than the search for a shortest loop can bear; the loop is put together from shortest walks.

#[path = "../tests/peers/cache.rs"]
#[allow(dead_code)]
mod cache;
#[allow(dead_code)]
#[path = "../tests/peers/peer.rs"]
mod peer;
#[path = "../tests/peers/retry.rs"]
mod retry;

use aftercalm::check::{Limits, Outcome, check};
use aftercalm::property::{Draft, ModelExt, System, Verdict, always, recurs, stabilizes};
use cache::Cache;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use peer::Peer;
use retry::Retry;
use std::hint::black_box;

const BLOCKS: u16 = 40;
const STATES: u16 = 5_000;

/// Blocks above each other; the state below the lowest is home.
#[derive(Clone, Copy, Debug)]
struct Blocks {
    /// Whether the lowest block has a way home.
    home: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    In { block: u16, place: u16 },
    Home,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Next,
    Jump,
    Across,
    Up,
    Down,
}

impl stateright::Model for Blocks {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::In { block: 0, place: 0 }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if *state != State::Home {
            actions.extend([Action::Next, Action::Jump, Action::Across, Action::Up, Action::Down]);
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let State::In { block, place } = *state else { return None };
        let at = |place: u32| Some(State::In { block, place: (place % u32::from(STATES)) as u16 });
        match action {
            Action::Next => at(u32::from(place) + 1),
            Action::Jump => at(u32::from(place) * 7 + 3),
            Action::Across => at(u32::from(place + STATES / 2)),
            Action::Up => Some(State::In { block: (block + 1).min(BLOCKS - 1), place }),
            Action::Down if block > 0 => Some(State::In { block: block - 1, place }),
            Action::Down if self.home => Some(State::Home),
            // Another place of the lowest block, so that its way down can be taken.
            Action::Down => at(u32::from(place) + 11),
        }
    }
}

/// The system with forty strong constraints.
fn system(home: bool) -> System<Blocks> {
    let system = Blocks { home }
        .system()
        .atom("home", |_, s| *s == State::Home)
        .atom("top", |_, s| matches!(s, State::In { block, .. } if *block == BLOCKS - 1))
        .atom("beyond", |_, s| matches!(s, State::In { block, .. } if *block >= BLOCKS));
    (0..BLOCKS).fold(system, |system, i| {
        system.strongly_fair(&format!("down from {i}"), move |_, state, action| {
            *action == Action::Down && matches!(state, State::In { block, .. } if *block == i)
        })
    })
}

fn run(system: &System<Blocks>, expected: Verdict) -> Outcome<Blocks> {
    let outcome = check(system, &Limits::default()).expect("the system is well formed");
    assert_eq!(outcome.decisions[0].verdict, expected);
    assert!((200_000..=200_001).contains(&outcome.states) && outcome.transitions == 1_000_000);
    outcome
}

fn fairness(c: &mut Criterion) {
    let mut group = c.benchmark_group("forty strong constraints");
    group.sample_size(10);
    let rows = [
        ("nested", true, recurs("home"), Verdict::Holds),
        ("winding", false, stabilizes("not top"), Verdict::Violated),
    ];
    for (name, home, claim, verdict) in rows {
        let bare = system(home).claim(always("not beyond"));
        group.bench_function(BenchmarkId::new("search alone", name), |b| {
            b.iter(|| black_box(run(&bare, Verdict::Holds)));
        });
        let fair = system(home).claim(claim);
        let outcome = run(&fair, verdict);
        let witness = outcome.decisions[0].witness.as_ref();
        println!("{name}: {verdict}, loop of {} steps", witness.map_or(0, |trace| trace.cycle.len()));
        group.bench_function(BenchmarkId::new("search and fair liveness", name), |b| {
            b.iter(|| black_box(run(&fair, verdict)));
        });
    }
    group.finish();
}

/// Weak fairness of each process, on the two largest systems whose counts and verdicts other checkers agree on.
fn peers(c: &mut Criterion) {
    let mut group = c.benchmark_group("weak fairness of each process");
    group.sample_size(10);
    let retry = || Retry { clients: 6, attempts: 2, room: 7, patience: 7 }.fair();
    side_by_side(&mut group, "Retry 6 2 7 7", retry, stabilizes("healthy"), (2_919_633, Verdict::Holds));
    let cache = || Cache { clients: 12, capacity: 6 }.fair();
    side_by_side(&mut group, "Cache 12 6", cache, recurs("valid"), (2_269_768, Verdict::Violated));
    group.finish();
}

fn side_by_side<M: Peer + 'static>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    system: impl Fn() -> System<M>,
    claim: Draft,
    (states, verdict): (u64, Verdict),
) {
    let run = |system: &System<M>, expected: Verdict| {
        let outcome = check(system, &Limits::default()).expect("the system is well formed");
        assert_eq!((outcome.states, outcome.decisions[0].verdict), (states, expected));
        outcome.elapsed
    };
    let rows = [
        ("search alone", system().claim(always("true")), Verdict::Holds),
        ("search and fair liveness", system().claim(claim), verdict),
    ];
    for (row, system, verdict) in &rows {
        group.bench_function(BenchmarkId::new(*row, name), |b| b.iter(|| black_box(run(system, *verdict))));
    }
}

criterion_group!(benches, fairness, peers);
criterion_main!(benches);
