//! A population of n clients is the quotient of n single clients: for every reachable state of the system of single clients, what
//! its successors look like when nobody tells the clients apart is exactly what the population's successors look like.

use crate::setup::TICK;
use aftercalm::actor::{Handle, Link, TimedState, TimedSystem};
use aftercalm::component::{Assemble, Memo, Msg, Path, Population, Request, Server, system};
use aftercalm::policy::{Backoff, Jitter, Retry};
use stateright::Model;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// `populations` of `clients` each, and one server.
struct Built {
    sys: TimedSystem<Msg>,
    server: Handle<Server>,
    clients: Vec<Handle<Population>>,
}

fn built(
    populations: u32,
    clients: u32,
    server: Server,
    latency: u32,
    shape: impl Fn(Population) -> Population,
) -> Built {
    let mut sys = system(TICK);
    let server = sys.install("server", server);
    let clients = (0..populations)
        .map(|i| sys.install(&format!("clients{i}"), shape(Population::closed(server, clients, 0..=1))))
        .collect();
    sys.default_link(Link::latency(1..=latency));
    Built { sys, server, clients }
}

/// A request without its way back: what is left when clients are not told apart.
fn bare(request: &Request) -> String {
    let Memo { deadline, kind, waited, .. } = request.memo;
    let bare = Request { path: Path::default(), ..*request };
    format!("{bare:?} {} {deadline} {kind:?} {waited}", request.left)
}

/// What a state looks like when nobody tells clients apart.
fn look(built: &Built, state: &TimedState<Msg>) -> String {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut add = |text: String, n: u32| *counts.entry(text).or_default() += n;
    for clients in &built.clients {
        let clients = &state[*clients];
        clients.waiting.iter().for_each(|(r, n)| add(format!("waits {}", bare(r)), n));
        clients.resting.iter().for_each(|(r, n)| add(format!("rests {} {:?}", bare(&r.next), r.wait), n));
        clients.idle.iter().for_each(|(wait, n)| add(format!("idle {wait:?}"), n));
    }
    for (at, batch) in state[built.server].queue.batches.iter().enumerate() {
        batch.iter().for_each(|(r, n)| add(format!("queue {at} {}", bare(r)), n));
    }
    for ((r, left), n) in state[built.server].in_service.iter() {
        add(format!("in service {} {left}", bare(r)), n);
    }
    for m in state.in_flight() {
        let what = match m.msg {
            Msg::Request(r) => bare(r),
            Msg::Response(r) => format!("{:?} {}", r.answer, bare(&r.request)),
            other => format!("{other:?}"),
        };
        add(format!("under way {what} {}..={}", m.ticks_min, m.ticks_max), m.count);
    }
    format!("{counts:?}")
}

/// Every reachable look, with the looks of its successors. Panics if two states that look alike have successors that do not.
fn quotient(built: &Built) -> (usize, BTreeMap<String, BTreeSet<String>>) {
    let mut seen: HashMap<TimedState<Msg>, ()> = HashMap::new();
    let mut looks: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut open = built.sys.init_states();
    while let Some(state) = open.pop() {
        if seen.insert(state.clone(), ()).is_some() {
            continue;
        }
        let next = built.sys.next_states(&state);
        let of_next: BTreeSet<String> = next.iter().map(|s| look(built, s)).collect();
        let of_this = looks.entry(look(built, &state)).or_insert_with(|| of_next.clone());
        assert_eq!(*of_this, of_next, "two states that look alike differ in what can follow");
        open.extend(next);
    }
    (seen.len(), looks)
}

fn same(n: u32, server: impl Fn() -> Server, latency: u32, shape: impl Fn(Population) -> Population + Copy) {
    let (singles, of_singles) = quotient(&built(n, 1, server(), latency, shape));
    let (states, of_population) = quotient(&built(1, n, server(), latency, shape));
    assert!(of_singles == of_population, "{} looks against {}", of_singles.len(), of_population.len());
    assert_eq!(states, of_population.len(), "a population has one state for each look");
    assert!(singles > states, "{singles} states of single clients, {states} of the population");
}

#[test]
fn timeouts_and_retries() {
    same(3, || Server::new(1).queue(1), 1, |p| p.timeout(3).retries(1));
    same(2, || Server::new(1).queue(1).service(1), 1, |p| p.timeout(3).retries(2));
}

#[test]
fn jittered_backoff_deadlines_and_late_answers() {
    let jitter = Retry::times(2, Backoff::fixed(TICK * 2).with(Jitter::Full));
    let jitter = &jitter;
    same(2, || Server::new(1).queue(0), 1, |p| p.timeout(2).deadline(5).retry(jitter.clone(), TICK));
}

#[test]
fn links_with_a_range_of_latencies() {
    same(2, || Server::new(1).queue(1), 2, |p| p.timeout(3).retries(1));
}
