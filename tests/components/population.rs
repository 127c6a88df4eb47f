//! Populations: arrivals, timeouts, retries, backoff, budgets, breakers.

use crate::setup::{TICK, after};
use aftercalm::actor::{Handle, TimedSystem};
use aftercalm::component::{Answer, Assemble, Control, Keys, Msg, Population, Server, Tally, store, system};
use aftercalm::policy::{
    Backoff, CircuitBreaker, Jitter, Outcome, Retry, RetryBudget, ThrottlingBudget, Ticks,
};
use std::collections::BTreeSet;

/// Clients of a server.
fn asking(
    server: Server,
    clients: impl FnOnce(Handle<Server>) -> Population,
) -> (TimedSystem<Msg>, Handle<Population>) {
    let mut sys = system(TICK);
    let server = sys.install("server", server);
    let clients = sys.install("clients", clients(server));
    (sys, clients)
}

/// The tallies of ticks 1 to n of a system in which nothing is left open.
fn tallies(sys: &TimedSystem<Msg>, clients: Handle<Population>, n: usize) -> Vec<(u32, u32, Tally)> {
    let of = |tick| {
        let states = after(sys, tick);
        assert_eq!(states.len(), 1, "nothing is left open in tick {tick}");
        let clients = &states[0][clients];
        (clients.sent.fresh, clients.sent.retries, clients.tally.unwrap())
    };
    (1..=n).map(of).collect()
}

fn sent(sys: &TimedSystem<Msg>, clients: Handle<Population>, n: usize) -> Vec<(u32, u32)> {
    tallies(sys, clients, n).iter().map(|(fresh, retries, _)| (*fresh, *retries)).collect()
}

/// A server that answers nobody.
fn silent() -> Server {
    Server::new(0).queue(0).rejecting(None)
}

#[test]
fn open_arrivals_are_every_number_of_their_range() {
    let (sys, clients) = asking(silent(), |s| Population::open(s, 1..=3));
    let seen: BTreeSet<u32> = after(&sys, 1).iter().map(|s| s[clients].sent.fresh).collect();
    assert_eq!(seen, [1, 2, 3].into());
    assert_eq!(after(&sys, 0).len(), 1, "the first requests come in tick 1");
}

#[test]
fn an_answer_in_the_tick_of_the_timeout_is_in_time_and_one_tick_later_it_is_not() {
    // The round trip is two ticks and the service time.
    for (service, timeout, in_time) in [(0, 2, true), (0, 1, false), (2, 4, true), (2, 3, false)] {
        let (sys, clients) = asking(Server::new(9).service(service), |s| {
            Population::open(s, 1..=1).timeout(timeout).tallied()
        });
        let tallies = tallies(&sys, clients, 8);
        let (ok, late): (u32, u32) =
            (tallies.iter().map(|t| t.2.ok).sum(), tallies.iter().map(|t| t.2.timed_out).sum());
        assert_eq!((ok > 0, late > 0), (in_time, !in_time), "service {service}, timeout {timeout}");
    }
}

#[test]
fn a_late_answer_is_an_orphan_and_answers_nobody_else() {
    // Answers take three ticks, clients wait for two, and each tick has a cohort of its own: no answer may count.
    let (sys, clients) =
        asking(Server::new(9).service(1), |s| Population::open(s, 1..=1).timeout(2).retries(1).tallied());
    assert!(tallies(&sys, clients, 12).iter().all(|(.., t)| t.ok == 0));
}

#[test]
fn each_retry_comes_when_the_attempt_before_it_times_out() {
    let (sys, clients) =
        asking(silent(), |s| Population::closed(s, 1, 0..=0).timeout(2).retries(2).tallied());
    // Sent in tick 1, again in 3 and 5, given up in 7, when the client asks anew.
    assert_eq!(sent(&sys, clients, 8), [(1, 0), (0, 0), (0, 1), (0, 0), (0, 1), (0, 0), (1, 0), (0, 0)]);
    assert_eq!(tallies(&sys, clients, 7)[6].2.abandoned, 1);
}

#[test]
fn a_rejection_is_retried_in_the_tick_in_which_it_arrives() {
    let (sys, clients) = asking(store(0), |s| Population::closed(s, 2, 0..=0).retries(1).tallied());
    assert_eq!(sent(&sys, clients, 5), [(2, 0), (0, 0), (0, 2), (0, 0), (2, 0)]);
}

#[test]
fn backoff_waits_its_ticks_and_jitter_is_every_tick_of_its_range() {
    let retry = |backoff: Backoff| Retry::times(2, backoff);
    let doubling = Backoff::doubling(TICK * 2, TICK * 100);
    let (sys, clients) =
        asking(store(0), |s| Population::closed(s, 1, 0..=0).retry(retry(doubling.clone()), TICK).tallied());
    // Failed in 3, again in 5; failed in 7, again in 11; failed in 13.
    let sent = sent(&sys, clients, 13);
    let at: Vec<usize> = (1..=13).filter(|t| sent[t - 1].0 + sent[t - 1].1 > 0).collect();
    assert_eq!(at, [1, 5, 11, 13]);

    let full = Backoff::fixed(TICK * 2).with(Jitter::Full);
    let (sys, clients) = asking(store(0), |s| Population::closed(s, 3, 0..=0).retry(retry(full), TICK));
    // Three fail in tick 3: any number of them asks again in tick 3.
    let seen: BTreeSet<u32> = after(&sys, 3).iter().map(|s| s[clients].sent.retries).collect();
    assert_eq!(seen, (0..=3).collect());
    // All have asked again by tick 5.
    assert!(after(&sys, 5).iter().all(|s| s[clients].resting.iter().all(|(r, _)| r.next.attempt > 2)));
}

#[test]
fn a_deadline_ends_an_operation_with_all_its_attempts() {
    let (sys, clients) =
        asking(silent(), |s| Population::closed(s, 1, 0..=0).timeout(2).deadline(5).retries(9).tallied());
    // Sent in 1, again in 3 and in 5 (with one tick left), given up in 6.
    assert_eq!(sent(&sys, clients, 6), [(1, 0), (0, 0), (0, 1), (0, 0), (0, 1), (1, 0)]);
    assert_eq!(tallies(&sys, clients, 6)[5].2.abandoned, 1);
}

#[test]
fn a_spent_budget_grants_no_retry() {
    let budget = RetryBudget::Throttling(ThrottlingBudget {
        tokens_max: 4,
        token_ratio_milli: 100,
        failures: aftercalm::policy::Outcomes::FAILURES,
    });
    let (sys, clients) = asking(store(0), |s| Population::open(s, 2..=2).retries(5).budget(budget).tallied());
    let tallies = tallies(&sys, clients, 9);
    let retries: u32 = tallies.iter().map(|t| t.1).sum();
    assert!(retries < 4, "{tallies:?}");
    assert!(tallies[8].2.abandoned == 2, "{tallies:?}");
}

#[test]
fn an_open_breaker_refuses_at_once_and_lets_a_probe_pass_when_its_time_is_over() {
    let breaker = CircuitBreaker::consecutive(2, Ticks(3));
    let (sys, clients) = asking(store(0), |s| Population::open(s, 2..=2).breaker(breaker).tallied());
    // The failures of tick 3 open it; a probe passes in tick 6, and its failure in tick 8 opens it again.
    let sent: Vec<u32> = sent(&sys, clients, 9).iter().map(|(fresh, _)| *fresh).collect();
    assert_eq!(sent, [2, 2, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(tallies(&sys, clients, 9)[3].2.failed, 2 + 2, "two of tick 2, two refused");
}

#[test]
fn keys_are_spread_in_turn_or_in_every_way() {
    let keys = |keys: Keys| {
        let (sys, clients) = asking(silent(), move |s| Population::open(s, 3..=3).keys(keys));
        let of = |s: &aftercalm::actor::TimedState<Msg>| {
            let mut keys: Vec<(u8, u32)> = s[clients].waiting.iter().map(|(r, n)| (r.key, n)).collect();
            keys.sort_unstable();
            keys
        };
        after(&sys, 1).iter().map(of).collect::<BTreeSet<_>>()
    };
    assert_eq!(keys(Keys::One(4)), [vec![(4, 3)]].into());
    assert_eq!(keys(Keys::Spread(2)), [vec![(0, 2), (1, 1)]].into());
    assert_eq!(keys(Keys::Any(2)).len(), 4);
}

#[test]
fn clients_are_turned_away_and_let_back() {
    use crate::setup::Script;
    let mut sys = system(TICK);
    let server = sys.install("server", silent());
    let clients = sys.install("clients", Population::closed(server, 3, 0..=0).timeout(9).retries(1));
    let controls = [(1, Control::Stop), (3, Control::Admit(2)), (4, Control::Admit(2))];
    sys.add("script", Script(controls.map(|(at, c)| (at, clients.id(), c.into(), 1)).into()));
    let of = |n| {
        let states = after(&sys, n);
        assert_eq!(states.len(), 1);
        (states[0][clients].away, states[0][clients].waiting.total(), states[0][clients].sent.fresh)
    };
    assert_eq!((1..6).map(of).collect::<Vec<_>>(), [(0, 3, 3), (3, 0, 0), (3, 0, 0), (1, 2, 2), (0, 3, 1)]);
}

#[test]
fn a_surge_replaces_the_arrivals_until_it_is_calm() {
    use crate::setup::Script;
    let mut sys = system(TICK);
    let server = sys.install("server", Server::new(9));
    let clients = sys.install("clients", Population::open(server, 1..=1));
    let controls = [(1, Control::Surge(5)), (3, Control::Calm)];
    sys.add("script", Script(controls.map(|(at, c)| (at, clients.id(), c.into(), 1)).into()));
    let fresh: Vec<u32> = (1..6).map(|n| after(&sys, n)[0][clients].sent.fresh).collect();
    assert_eq!(fresh, [1, 5, 5, 1, 1]);
}

#[test]
fn a_challenge_is_retried_unless_clients_take_it_for_something_else() {
    let refusing = || Server::new(0).queue(0).rejecting(Some(Answer::Challenge));
    let (sys, clients) = asking(refusing(), |s| Population::closed(s, 1, 0..=0).retries(1).tallied());
    assert_eq!(sent(&sys, clients, 3)[2], (0, 1));
    let taking: fn(Answer) -> Outcome = |answer| match answer {
        Answer::Challenge => Outcome::DoNotRetry,
        other => other.outcome(),
    };
    let (sys, clients) =
        asking(refusing(), move |s| Population::closed(s, 1, 0..=0).retries(1).taking(taking).tallied());
    assert_eq!(sent(&sys, clients, 3)[2], (1, 0));
}

#[test]
fn retries_without_end_are_counted_only_as_far_as_their_backoff_depends_on_it() {
    let attempts = |backoff: Backoff, n: usize| {
        let (sys, clients) =
            asking(store(0), move |s| Population::closed(s, 1, 0..=0).retrying_for_ever(backoff, TICK));
        let state = &after(&sys, n)[0];
        let clients = &state[clients];
        let waiting = clients.waiting.iter().map(|(r, _)| r.attempt);
        waiting.chain(clients.resting.iter().map(|(r, _)| r.next.attempt)).collect::<Vec<u8>>()
    };
    assert_eq!(attempts(Backoff::none(), 30), [2]);
    // Delays of 1, 2, 4, 4, ...: from the third attempt on they do not change.
    assert_eq!(attempts(Backoff::doubling(TICK, TICK * 4), 60), [3]);
}

#[test]
fn an_answer_to_a_client_that_was_turned_away_is_nobody_elses() {
    use crate::setup::Script;
    let mut sys = system(TICK);
    let server = sys.install("server", Server::new(9).service(3));
    let clients = sys.install("clients", Population::closed(server, 1, 0..=0).tallied());
    let controls = [(1, Control::Stop), (2, Control::Admit(1))];
    sys.add("script", Script(controls.map(|(at, c)| (at, clients.id(), c.into(), 1)).into()));
    // Asked in tick 1 and, after it was let back, in tick 3; the answers come in ticks 6 and 8, and only the second is its own.
    let ok: Vec<u32> = (1..9).map(|n| after(&sys, n)[0][clients].tally.unwrap().ok).collect();
    assert_eq!(ok, [0, 0, 0, 0, 0, 0, 0, 1]);
}
