//! What holds for every policy: a count is so many single ones, idleness leads back to the start, and states are few.

use aftercalm::policy::{
    AdaptiveThrottle, AdmissionControl, Attempt, BreakerState, CircuitBreaker, ConcurrentBudget, CubicRate,
    CubicState, Freshness, HealthCheck, Hysteresis, Lease, LeaseState, NegativeCaching, Outcome, Outcomes,
    OutlierDetection, Policy, QuotaBudget, Ratio, Record, RetryBudget, ThrottlingBudget, Ticks, TokenBucket,
    Trip, Window, WindowBudget,
};
use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;

/// One budget of each kind, small.
pub fn budgets() -> Vec<RetryBudget> {
    let failures = Outcomes::FAILURES;
    vec![
        RetryBudget::Unlimited,
        RetryBudget::Window(WindowBudget { slice: Ticks(1), slices: 3, deposit: 1, withdraw: 2, reserve: 2 }),
        RetryBudget::Window(WindowBudget { slice: Ticks(3), slices: 2, deposit: 2, withdraw: 3, reserve: 0 }),
        RetryBudget::Throttling(ThrottlingBudget { tokens_max: 4, token_ratio_milli: 500, failures }),
        RetryBudget::Throttling(ThrottlingBudget { tokens_max: 3, token_ratio_milli: 700, failures }),
        RetryBudget::Quota(QuotaBudget {
            capacity: 20,
            cost: 5,
            cost_timeout: 7,
            cost_throttled: 3,
            no_retry_gain: 1,
        }),
        RetryBudget::Concurrent(ConcurrentBudget { retries_min: 2, share: Ratio::ZERO }),
        RetryBudget::Concurrent(ConcurrentBudget { retries_min: 1, share: Ratio::percent(40) }),
    ]
}

/// One breaker of each kind, small.
pub fn breakers() -> Vec<CircuitBreaker> {
    let breaker = CircuitBreaker::consecutive(2, Ticks(3));
    let rate = Ratio::percent(50);
    vec![
        breaker.clone(),
        CircuitBreaker {
            trip: Trip::LastCalls { size: 4, calls_min: 3, rate },
            success_may_open: true,
            probes: 3,
            probes_decide: 2,
            probe_rate: rate,
            probe_wait: Some(Ticks(4)),
            ..breaker.clone()
        },
        CircuitBreaker {
            trip: Trip::LastTicks { window: Window { slice: Ticks(2), slices: 2 }, calls_min: 3, rate },
            ..breaker
        },
    ]
}

pub const OUTCOMES: [Outcome; 5] =
    [Outcome::Success, Outcome::Error, Outcome::Timeout, Outcome::Throttled, Outcome::Invalid];

/// Attempts that are under way, as a client that uses a budget knows them.
#[derive(Default)]
struct UnderWay(Vec<Attempt>);

#[test]
fn a_budget_does_for_n_at_once_what_it_does_for_n_one_after_the_other() {
    for budget in budgets() {
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (mut at_once, mut singly) = (budget.start(), budget.start());
            let mut under_way = UnderWay::default();
            for _ in 0..300 {
                let n = random.u32(0..5);
                budget.request(&mut at_once, n);
                (0..n).for_each(|_| budget.request(&mut singly, 1));
                under_way.0.extend((0..n).map(|_| Attempt::First));
                // Some that are alike end together.
                random.shuffle(&mut under_way.0);
                let Some(kind) = under_way.0.first().copied() else { continue };
                let alike = under_way.0.iter().filter(|a| **a == kind).count() as u32;
                let n = random.u32(1..=alike);
                let mut left = n;
                under_way.0.retain(|a| {
                    let ends = *a == kind && left > 0;
                    left -= u32::from(ends);
                    !ends
                });
                let outcome = random.choice(OUTCOMES).unwrap();
                if outcome == Outcome::Success {
                    budget.success(&mut at_once, kind, n);
                    (0..n).for_each(|_| budget.success(&mut singly, kind, 1));
                } else if random.bool() {
                    budget.failure(&mut at_once, kind, outcome, n);
                    (0..n).for_each(|_| budget.failure(&mut singly, kind, outcome, 1));
                } else {
                    let granted = budget.try_retry(&mut at_once, kind, outcome, n);
                    let one = |_: u32| budget.try_retry(&mut singly, kind, outcome, 1);
                    let grants: Vec<u32> = (0..n).map(one).collect();
                    assert_eq!(granted, grants.iter().sum::<u32>(), "{budget:?} {at_once:?}");
                    budget.retry_sent(&mut at_once, granted);
                    (0..granted).for_each(|_| budget.retry_sent(&mut singly, 1));
                    let again = budget.kind(Attempt::Retry { after: outcome });
                    under_way.0.extend((0..granted).map(|_| again));
                }
                assert_eq!(at_once, singly, "{budget:?}");
                budget.tick(&mut at_once);
                budget.tick(&mut singly);
            }
        }
    }
}

#[test]
fn what_a_budget_says_is_available_is_what_it_grants() {
    for budget in budgets() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut state = budget.start();
        let mut under_way = 0;
        for _ in 0..2000 {
            let n = random.u32(1..5);
            budget.request(&mut state, n);
            under_way += n;
            let outcome = random.choice([Outcome::Error, Outcome::Timeout, Outcome::Throttled]).unwrap();
            // One that ends makes room (concurrent retries) or takes some (throttling): ask after the failure.
            let mut asked = state.clone();
            if let RetryBudget::Concurrent(_) = budget {
                budget.failure(&mut asked, Attempt::First, outcome, 1);
            }
            let available = budget.available(&asked, outcome);
            let granted = budget.try_retry(&mut state, Attempt::First, outcome, 1);
            assert_eq!(granted == 1, available.is_none_or(|n| n >= 1), "{budget:?} {state:?}");
            under_way -= 1;
            if let RetryBudget::Concurrent(_) = budget {
                budget.retry_sent(&mut state, granted);
                (0..granted).for_each(|_| budget.success(&mut state, Attempt::Retry { after: outcome }, 1));
            } else if random.bool() {
                budget.success(&mut state, Attempt::First, under_way);
                under_way = 0;
            }
            budget.tick(&mut state);
        }
    }
}

#[test]
fn a_breaker_does_for_n_at_once_what_it_does_for_n_one_after_the_other() {
    for breaker in breakers() {
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (mut at_once, mut singly) = (breaker.start(), breaker.start());
            for _ in 0..300 {
                let n = random.u32(0..4);
                let admitted = breaker.admit(&mut at_once, n);
                assert_eq!(admitted, (0..n).map(|_| breaker.admit(&mut singly, 1)).sum::<u32>());
                let (outcome, n) = (random.choice(OUTCOMES).unwrap(), random.u32(0..4));
                breaker.record(&mut at_once, outcome, n);
                (0..n).for_each(|_| breaker.record(&mut singly, outcome, 1));
                assert_eq!(at_once, singly, "{breaker:?}");
                breaker.tick(&mut at_once);
                breaker.tick(&mut singly);
            }
        }
    }
}

/// Something that happens to a policy.
type Input<'a, P> = &'a dyn Fn(&mut <P as Policy>::State);

/// All states that can be reached from the start by these inputs, each followed or not by a tick.
fn reachable<P: Policy>(policy: &P, inputs: &[Input<'_, P>]) -> HashSet<P::State> {
    let mut seen = HashSet::from([policy.start()]);
    let mut open: Vec<P::State> = seen.iter().cloned().collect();
    while let Some(state) = open.pop() {
        assert!(seen.len() < 300_000, "states without end");
        let tick = |next: &mut P::State| policy.tick(next);
        for input in inputs.iter().copied().chain([&tick as Input<'_, P>]) {
            let mut next = state.clone();
            input(&mut next);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    seen
}

/// After so many ticks without input, every state is `idle`.
fn settles<S: Clone + Debug + Eq + Hash, P: Policy<State = S>>(policy: &P, states: &HashSet<S>, ticks: u32) {
    for state in states {
        let mut now = state.clone();
        (0..ticks).for_each(|_| policy.tick(&mut now));
        assert_eq!(now, policy.start(), "from {state:?}");
    }
}

#[test]
fn states_are_finitely_many_and_idleness_leads_back_to_the_start() {
    let bucket = TokenBucket { burst: 3, rate: Ratio::new(2, 3) };
    let states = reachable(&bucket, &[&|s| _ = bucket.take(s, 1)]);
    assert_eq!(states.len(), 10, "thirds of a token, from none to three");
    settles(&bucket, &states, 5);

    let lease = Lease { period: Ticks(3) };
    // Who holds a token fills the key or gives up some day: three hold one at most.
    let miss = |s: &mut LeaseState| _ = if s.held().len() < 3 { lease.miss(s) } else { None };
    let fill = |s: &mut LeaseState| {
        if let Some(token) = s.held().first().copied() {
            _ = lease.fill(s, token);
        }
    };
    let abandon = |s: &mut LeaseState| {
        if let Some(token) = s.held().last().copied() {
            lease.abandon(s, token);
        }
    };
    let states = reachable(&lease, &[&miss, &fill, &abandon, &|s| lease.delete(s)]);
    assert!(states.len() > 10);
    let given_back = states.into_iter().filter(|s| s.held().is_empty()).collect();
    settles(&lease, &given_back, 3);

    let negative = NegativeCaching { first: Ticks(1), factor: 2, most: Ticks(5) };
    let states = reachable(&negative, &[&|s| negative.failure(s), &|s| negative.success(s)]);
    assert_eq!(states.len(), 1 + 2 + 3 + 5 + 6, "each time that is remembered, and what is left of it");

    let freshness = Freshness { ttl: Ticks(2), while_revalidate: Ticks(1), if_error: Ticks(4) };
    assert_eq!(reachable(&freshness, &[]).len(), 7, "ages from 0 to 6");

    let health = HealthCheck { interval: Ticks(1), timeout: Ticks(1), unhealthy: 3, healthy: 2 };
    let states = reachable(&health, &[&|s| _ = health.checked(s, true), &|s| _ = health.checked(s, false)]);
    assert_eq!(states.len(), 5);

    let switch = Hysteresis { on_level: 5, on_after: Ticks(2), off_level: 2, off_after: Ticks(3) };
    let observe = |level| move |s: &mut _| _ = switch_of().observe(s, level);
    fn switch_of() -> Hysteresis {
        Hysteresis { on_level: 5, on_after: Ticks(2), off_level: 2, off_after: Ticks(3) }
    }
    assert_eq!(reachable(&switch, &[&observe(0), &observe(3), &observe(9)]).len(), 5);
}

#[test]
fn an_idle_budget_comes_to_rest() {
    for budget in budgets() {
        for seed in 0..30 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut state = budget.start();
            for _ in 0..50 {
                budget.request(&mut state, 3);
                let granted = budget.try_retry(&mut state, Attempt::First, Outcome::Error, random.u32(0..3));
                budget.retry_sent(&mut state, granted);
                budget.tick(&mut state);
            }
            (0..50).for_each(|_| budget.tick(&mut state));
            let mut later = state.clone();
            budget.tick(&mut later);
            assert_eq!(state, later, "{budget:?}");
            // A windowed one has forgotten all: what it grants is its reserve.
            if let RetryBudget::Window(window) = &budget {
                assert_eq!(budget.available(&state, Outcome::Error), Some(window.reserve / window.withdraw));
            }
        }
    }
}

#[test]
fn an_adaptive_rate_has_finitely_many_states_and_keeps_its_bounds() {
    let rate = CubicRate { tick_ms: 500, quanta: 2, rate_max: 3 };
    // In each tick so many answers, with throttling or without, and some sends.
    let tick = |good: u32, throttled: u32| {
        let rate = rate.clone();
        move |s: &mut CubicState| {
            _ = rate.send(s, 1);
            rate.answered(s, false, good);
            rate.answered(s, true, throttled);
            rate.tick(s);
        }
    };
    let states = reachable(&rate, &[&tick(0, 0), &tick(1, 0), &tick(2, 0), &tick(0, 1), &tick(1, 1)]);
    assert!(states.len() > 100, "{}", states.len());
    for state in &states {
        assert!(state.measured() <= 6);
        assert!(state.rate().is_none_or(|rate| (1..=12).contains(&rate)), "half a request to twice the most");
    }
}

#[test]
fn an_idle_breaker_is_closed_and_new_or_waits_for_a_call() {
    for breaker in breakers() {
        // Counts in a window of time have no bound of their own: a few calls at most are remembered here.
        let few = |s: &BreakerState| match s {
            BreakerState::Closed(Record::LastTicks(counts)) => counts.sum(0) + counts.sum(1) < 5,
            _ => true,
        };
        let calls = |s: &mut BreakerState, outcome| {
            if few(s) {
                breaker.record(s, outcome, 1);
            }
        };
        let admit = |s: &mut BreakerState| _ = breaker.admit(s, 1);
        let states =
            reachable(&breaker, &[&admit, &|s| calls(s, Outcome::Success), &|s| calls(s, Outcome::Error)]);
        for state in states {
            let mut now = state.clone();
            (0..20).for_each(|_| breaker.tick(&mut now));
            let mut later = now.clone();
            breaker.tick(&mut later);
            assert_eq!(now, later, "nothing counts for ever: {state:?}");
        }
    }
}

#[test]
fn idleness_makes_windows_forget() {
    let window = Window { slice: Ticks(2), slices: 3 };
    let throttle = AdaptiveThrottle { window, k: Ratio::whole(2) };
    let mut state = throttle.start();
    throttle.request(&mut state, 5);
    throttle.accept(&mut state, 1);
    settles(&throttle, &HashSet::from([state]), 6);

    let admission = AdmissionControl {
        window,
        failures: Outcomes::FAILURES,
        threshold: Ratio::percent(95),
        aggression: Ratio::ONE,
        rejection_max: Ratio::percent(80),
        rate_min: Ratio::ZERO,
    };
    let mut state = admission.start();
    admission.record(&mut state, Outcome::Error, 5);
    settles(&admission, &HashSet::from([state]), 6);
}

#[test]
fn ejected_hosts_come_back_and_their_past_is_forgotten() {
    let detection = OutlierDetection {
        hosts: 2,
        consecutive: 2,
        failures: Outcomes::FAILURES,
        interval: Ticks(2),
        base: Ticks(3),
        max: Ticks(7),
        share_max: Ratio::percent(50),
        always_one: false,
        success_rate: None,
        failure_rate: None,
    };
    let record = |host, outcome| move |s: &mut _, d: &OutlierDetection| d.record(s, host, outcome, 1);
    let (a, b) = (record(0, Outcome::Error), record(1, Outcome::Error));
    let good = record(0, Outcome::Success);
    let states =
        reachable(&detection, &[&|s| a(s, &detection), &|s| b(s, &detection), &|s| good(s, &detection)]);
    for state in states {
        let mut now = state.clone();
        (0..40).for_each(|_| detection.tick(&mut now));
        assert_eq!(now.ejected(), 0, "from {state:?}");
        // Failures in a row are remembered without end; a success clears them. Then only the interval's phase is left.
        (0..2).for_each(|host| detection.record(&mut now, host, Outcome::Success, 1));
        let mut fresh = detection.start();
        assert!((0..2).any(|_| {
            detection.tick(&mut fresh);
            fresh == now
        }));
    }
}
