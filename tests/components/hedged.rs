//! Clients that hedge.

use crate::setup::{TICK, after};
use aftercalm::actor::{Handle, TimedSystem};
use aftercalm::component::{Assemble, HedgedPopulation, Msg, Server, store, system};
use aftercalm::policy::{Hedging, Outcomes, Ticks};
use std::collections::BTreeSet;

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
