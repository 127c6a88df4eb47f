//! General laws of retries, shown by the checker over grids of parameters. Stated in the docs of `component`, with what bounds them.

use crate::setup::{TICK, verdicts};
use aftercalm::actor::{Phase, TimedSystem, Trigger, between, later};
use aftercalm::component::{
    Assemble, Control, HedgedPopulation, Msg, Order, Population, QueueTimeout, Server, system,
};
use aftercalm::policy::{
    Backoff, CircuitBreaker, ConcurrentBudget, Hedging, Outcomes, Ratio, Retry, RetryBudget,
    ThrottlingBudget, Ticks,
};
use aftercalm::property::{ModelExt, System, always, recoverable, stabilizes};

/// Open arrivals, one server, and an outage of up to `outage` ticks at any moment.
#[derive(Clone, Copy, Debug)]
struct Storm {
    arrivals: u32,
    retries: u8,
    timeout: u16,
    capacity: u32,
    service: u16,
    queue: u32,
    outage: u32,
}

const STORM: Storm =
    Storm { arrivals: 1, retries: 1, timeout: 3, capacity: 2, service: 0, queue: 4, outage: 6 };

impl Storm {
    /// The system, with clients and a server as changed.
    fn with(
        self,
        client: impl FnOnce(Population) -> Population,
        server: impl FnOnce(Server) -> Server,
    ) -> System<TimedSystem<Msg>> {
        let mut sys = system(TICK);
        let server =
            sys.install("server", server(Server::new(self.capacity).service(self.service).queue(self.queue)));
        let clients = Population::open(server, self.arrivals..=self.arrivals)
            .timeout(self.timeout)
            .retries(self.retries);
        let clients = sys.install("clients", client(clients));
        let outage = Trigger::lasting(between(TICK, TICK * self.outage)).starting(later());
        let outage = outage
            .at_start(server, Control::SetCapacity(0).into())
            .at_end(server, Control::ResetCapacity.into());
        let outage = sys.add("outage", outage);
        sys.system()
            .atoms(Population::atoms(clients, "clients"))
            .measures(Population::measures(clients, "clients"))
            .atom("over", move |_, s| s[outage] == Phase::Over)
            .claim(stabilizes("clients_calm").after("over"))
            .claim(recoverable("clients_calm").after("over"))
    }

    fn plain(self) -> System<TimedSystem<Msg>> {
        self.with(|c| c, |s| s)
    }
}

/// With links of one tick: an answer comes this many ticks after its request was sent, if nothing waits.
fn round_trip(storm: Storm) -> u16 {
    2 + storm.service
}

/// The shortest queue that can keep a storm going: C (τ - round trip + 1) - λ.
fn storming_queue(storm: Storm) -> u32 {
    storm.capacity * u32::from(storm.timeout + 1 - round_trip(storm)) - storm.arrivals
}

const HOLD: [&str; 2] = ["holds", "holds"];

#[test]
fn capacity_for_every_retry_is_immune_and_just_that_much_is_not() {
    for (arrivals, retries) in [(1, 1), (1, 2), (2, 1)] {
        let all = arrivals * (u32::from(retries) + 1);
        for queue in [1, 4, 7] {
            let storm = Storm { arrivals, retries, timeout: 2, queue, capacity: all + 1, ..STORM };
            assert_eq!(verdicts(&storm.plain()), HOLD, "{storm:?}");
        }
        // With a capacity of exactly λ (1 + k) a full queue stays full: nothing is left over to work it off.
        let storm = Storm { arrivals, retries, timeout: 2, queue: 7, capacity: all, ..STORM };
        assert_ne!(verdicts(&storm.plain())[0], "holds", "{storm:?}");
    }
}

#[test]
fn a_fifo_queue_keeps_a_storm_going_exactly_from_a_length_on_and_traps_from_a_longer_one() {
    // Arrivals, retries, capacity, timeout, service; each with λ < C < λ (1 + k).
    let cases = [
        (1, 2, 2, 2, 0),
        (1, 2, 2, 3, 0),
        (1, 2, 2, 3, 1),
        (1, 3, 3, 2, 0),
        (2, 1, 3, 2, 0),
        (2, 1, 3, 3, 1),
    ];
    for (arrivals, retries, capacity, timeout, service) in cases {
        let storm = Storm { arrivals, retries, capacity, timeout, service, ..STORM };
        let shortest = storming_queue(storm);
        for queue in [shortest.saturating_sub(2), shortest - 1] {
            let storm = Storm { queue, ..storm };
            assert_eq!(verdicts(&storm.plain()), HOLD, "{storm:?}");
        }
        let storm = Storm { queue: shortest, ..storm };
        assert_eq!(verdicts(&storm.plain())[0], "lasso", "{storm:?}");
        let storm = Storm { queue: shortest + arrivals + 1, ..storm };
        assert_eq!(verdicts(&storm.plain()), ["trap", "trap"], "{storm:?}");
    }
}

/// A storm that traps: a queue far too long for the timeout, and no capacity for the retries.
const TRAP: Storm = Storm { retries: 2, capacity: 2, timeout: 2, queue: 6, ..STORM };

#[test]
fn serving_the_newest_first_or_dropping_the_expired_ends_any_storm() {
    assert_eq!(verdicts(&TRAP.plain()), ["trap", "trap"]);
    for storm in [TRAP, Storm { retries: 1, timeout: 3, queue: 9, ..TRAP }] {
        assert_eq!(verdicts(&storm.with(|c| c, |s| s.order(Order::Lifo))), HOLD, "{storm:?}");
        assert_eq!(verdicts(&storm.with(|c| c, Server::dropping_expired)), HOLD, "{storm:?}");
        // The same without looking at deadlines: nobody waits for longer than leaves time for the answer.
        let longest = Ticks(u32::from(storm.timeout - round_trip(storm)));
        let timely = |s: Server| s.queue_timeout(QueueTimeout::After(longest));
        assert_eq!(verdicts(&storm.with(|c| c, timely)), HOLD, "{storm:?}");
    }
}

#[test]
fn a_timeout_of_the_round_trip_never_fails_and_one_below_it_always_does() {
    for service in 0..3 {
        for timeout in 1..6 {
            let storm = Storm { timeout, service, queue: 0, ..STORM };
            let mut sys = system(TICK);
            let server = sys.install("server", Server::new(1).service(service).queue(0));
            let clients = Population::open(server, 0..=1).timeout(timeout).retries(1).tallied();
            let clients = sys.install("clients", clients);
            let system = sys
                .system()
                .atom("failing", move |_, s| s[clients].tally.is_some_and(|t| t.timed_out > 0))
                .atom("served", move |_, s| s[clients].tally.is_some_and(|t| t.ok > 0))
                .claim(always("not failing"))
                .claim(always("not served"));
            let healthy = timeout >= round_trip(storm);
            let expected = if healthy { ["holds", "violated"] } else { ["violated", "holds"] };
            assert_eq!(verdicts(&system), expected, "service {service}, timeout {timeout}");
        }
    }
}

#[test]
fn backoff_alone_moves_the_retries_and_does_not_end_the_storm() {
    for backoff in [Backoff::fixed(TICK * 2), Backoff::doubling(TICK, TICK * 4)] {
        let retry = Retry::times(u32::from(TRAP.retries), backoff.clone());
        let system = TRAP.with(|c| c.retry(retry, TICK), |s| s);
        assert_eq!(verdicts(&system)[1], "trap", "{backoff:?}");
    }
}

#[test]
fn a_budget_that_grants_nothing_while_all_fails_ends_the_storm() {
    let throttling = RetryBudget::Throttling(ThrottlingBudget {
        tokens_max: 4,
        token_ratio_milli: 500,
        failures: Outcomes::FAILURES,
    });
    assert_eq!(verdicts(&TRAP.with(|c| c.budget(throttling), |s| s)), HOLD);
}

#[test]
fn a_breaker_that_lets_one_probe_pass_at_a_time_ends_the_storm() {
    for ticks in [1, 2, 5] {
        let breaker = CircuitBreaker::consecutive(2, Ticks(ticks));
        assert_eq!(verdicts(&TRAP.with(|c| c.breaker(breaker), |s| s)), HOLD, "open for {ticks}");
    }
}

#[test]
fn so_many_retries_at_a_time_are_immune_exactly_below_the_timeout_times_the_spare_capacity() {
    for timeout in [2, 3] {
        let storm = Storm { timeout, ..TRAP };
        let least = (storm.capacity - storm.arrivals) * u32::from(timeout);
        let with = |retries_min: u32| {
            let budget = RetryBudget::Concurrent(ConcurrentBudget { retries_min, share: Ratio::ZERO });
            verdicts(&storm.with(|c| c.budget(budget), |s| s))
        };
        assert_eq!(with(least - 1), HOLD, "{storm:?}");
        assert_eq!(with(least)[0], "lasso", "{storm:?}");
        assert_eq!(with(least + 1), ["trap", "trap"], "{storm:?}");
    }
}

/// One call a tick, hedged twice after three ticks each.
fn hedged(capacity: u32, queue: u32) -> System<TimedSystem<Msg>> {
    let mut sys = system(TICK);
    let server = sys.install("server", Server::new(capacity).queue(queue));
    let hedging = Hedging { attempts: 3, delay: Ticks(3), non_fatal: Outcomes::FAILURES };
    let calls = sys.install("calls", HedgedPopulation::open(server, 1..=1, 9, hedging));
    let outage = Trigger::lasting(between(TICK, TICK * 6)).starting(later());
    let outage =
        outage.at_start(server, Control::SetCapacity(0).into()).at_end(server, Control::ResetCapacity.into());
    let outage = sys.add("outage", outage);
    sys.system()
        .atom("calm", move |_, s| s[calls].calm())
        .atom("over", move |_, s| s[outage] == Phase::Over)
        .claim(stabilizes("calm").after("over"))
        .claim(recoverable("calm").after("over"))
}

#[test]
fn hedges_need_capacity_like_retries() {
    assert_eq!(verdicts(&hedged(4, 6)), HOLD);
    assert_eq!(verdicts(&hedged(4, 9)), HOLD);
    assert_eq!(
        verdicts(&hedged(2, 1)),
        HOLD,
        "a queue so short that no hedge is ever due once the outage is over"
    );
    assert_eq!(verdicts(&hedged(2, 4)), ["trap", "trap"]);
}
