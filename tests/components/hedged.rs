//! Clients that hedge.

use crate::setup::{TICK, after};
use aftercalm::actor::{Handle, TimedSystem};
use aftercalm::component::{Assemble, HedgedPopulation, Msg, Server, store, system};
use aftercalm::policy::{Hedging, Outcomes, Ticks};
use stateright::Model;
use std::collections::{BTreeMap, BTreeSet, HashSet};

fn hedging(attempts: u32, delay: u32) -> Hedging {
    Hedging { attempts, delay: Ticks(delay), non_fatal: Outcomes::FAILURES }
}

fn calling(server: Server, timeout: u16, hedging: Hedging) -> (TimedSystem<Msg>, Handle<HedgedPopulation>) {
    let mut sys = system(TICK);
    let server = sys.install("server", server);
    let calls = sys.install("calls", HedgedPopulation::open(server, 1..=1, timeout, hedging));
    (sys, calls)
}

/// (first attempts, hedges) sent in each tick, of a system in which nothing that matters is left open.
fn sent(sys: &TimedSystem<Msg>, calls: Handle<HedgedPopulation>, n: usize) -> Vec<(u32, u32)> {
    let of = |tick| {
        let sent: BTreeSet<(u32, u32)> = after(sys, tick).iter().map(|s| s[calls].sent).collect();
        assert_eq!(sent.len(), 1, "tick {tick}: {sent:?}");
        *sent.first().unwrap()
    };
    (1..=n).map(of).collect()
}

#[test]
fn an_answer_before_the_delay_is_over_sends_no_hedge() {
    let (sys, calls) = calling(Server::new(9), 9, hedging(3, 3));
    assert!(sent(&sys, calls, 8).iter().all(|sent| *sent == (1, 0)));
}

#[test]
fn one_more_attempt_is_sent_after_each_delay() {
    let silent = Server::new(0).queue(0).rejecting(None);
    let (sys, calls) = calling(silent, 9, hedging(3, 2));
    // Of the call of tick t, hedges are sent in t + 2 and t + 4.
    assert_eq!(sent(&sys, calls, 7), [(1, 0), (1, 0), (1, 1), (1, 1), (1, 2), (1, 2), (1, 2)]);
}

#[test]
fn a_failure_that_is_not_fatal_sends_the_next_at_once() {
    let (sys, calls) = calling(store(0), 9, hedging(2, 5));
    // Refused in t + 2, three ticks before its hedge would be due.
    let sent = sent(&sys, calls, 6);
    assert_eq!((sent[0], sent[1]), ((1, 0), (1, 0)));
    assert_eq!(sent[2..], [(1, 1); 4]);
}

#[test]
fn a_late_answer_ends_the_call_and_cancels_the_hedge_for_the_client_alone() {
    // Answers take three ticks; a hedge is sent after two: each call has one, and the server serves both.
    let (sys, calls) = calling(Server::new(9).service(1), 9, hedging(2, 2));
    assert_eq!(sent(&sys, calls, 8)[2..], [(1, 1); 6]);
    let states = after(&sys, 8);
    // Of the calls of ticks 6, 7 and 8 all wait; the hedges of earlier ones are open, cancelled.
    for state in &states {
        assert_eq!(state[calls].waiting.total(), 3);
        assert_eq!(state[calls].cancelled.total(), 2, "{:?}", state[calls]);
    }
}

/// What a state looks like when nobody tells the callers apart.
fn look(
    calls: &[Handle<HedgedPopulation>],
    server: Handle<Server>,
    state: &aftercalm::actor::TimedState<Msg>,
) -> String {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut add = |text: String, n: u32| *counts.entry(text).or_default() += n;
    for calls in calls {
        state[*calls]
            .waiting
            .iter()
            .for_each(|(call, n)| add(format!("{call:?} {} {:?}", call.until_next, call.open), n));
        state[*calls].cancelled.iter().for_each(|(left, n)| add(format!("cancelled {left:?}"), n));
    }
    for (at, batch) in state[server].queue.batches.iter().enumerate() {
        batch.iter().for_each(|(r, n)| add(format!("queue {at} {} {}", r.left, r.memo.deadline), n));
    }
    for m in state.in_flight() {
        let what = match m.msg {
            Msg::Request(r) => format!("request {} {}", r.left, r.memo.deadline),
            Msg::Response(r) => format!("{:?} {} {}", r.answer, r.request.left, r.request.memo.deadline),
            other => format!("{other:?}"),
        };
        add(format!("under way {what} {}", m.ticks_min), m.count);
    }
    format!("{counts:?}")
}

/// Every reachable look, with the looks of all that may follow.
fn looks(
    populations: u32,
    each: u32,
    server: Server,
    hedging: &Hedging,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut sys = system(TICK);
    let server = sys.install("server", server);
    let calls: Vec<_> = (0..populations)
        .map(|i| {
            let calls = HedgedPopulation::open(server, 0..=each, 4, hedging.clone());
            sys.install(&format!("calls{i}"), calls)
        })
        .collect();
    let (mut seen, mut looks) = (HashSet::new(), BTreeMap::<String, BTreeSet<String>>::new());
    let mut open = sys.init_states();
    while let Some(state) = open.pop() {
        if seen.insert(state.clone()) {
            let next = sys.next_states(&state);
            let of = looks.entry(look(&calls, server, &state)).or_default();
            of.extend(next.iter().map(|s| look(&calls, server, s)));
            open.extend(next);
        }
    }
    looks
}

#[test]
fn two_calls_of_one_population_can_do_what_two_callers_can_and_nothing_else() {
    // A caller with at most one call a tick has only one call of each countdown, so that whose attempt an answer is for is never in
    // doubt: the system of such callers is what the population stands for.
    for server in [Server::new(1).queue(1), Server::new(1).queue(1).rejecting(None)] {
        let hedging = hedging(2, 1);
        let population = looks(1, 2, server.clone(), &hedging);
        let callers = looks(2, 1, server, &hedging);
        assert!(population.len() > 50, "{}", population.len());
        assert!(population == callers, "{} looks against {}", population.len(), callers.len());
    }
}
