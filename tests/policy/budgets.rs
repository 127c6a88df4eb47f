//! Retry budgets: known answers, and what none of them ever exceeds.

use super::laws::budgets;
use aftercalm::policy::{
    Attempt, ConcurrentBudget, Outcome, Outcomes, Policy, QuotaBudget, Ratio, RetryBudget, ThrottlingBudget,
    Ticks, WindowBudget, preset,
};

const ERROR: Outcome = Outcome::Error;

#[test]
fn grpc_throttles_at_half_of_its_tokens() {
    // 10 tokens: after four failures 6 are left, more than 5; the fifth leaves 5, which is not.
    let budget = preset::grpc::retry_throttling();
    let mut state = budget.start();
    assert_eq!(budget.try_retry(&mut state, Attempt::First, ERROR, 3), 3);
    assert_eq!(budget.try_retry(&mut state, Attempt::First, ERROR, 3), 1);
    // 4 tokens are left. Eleven successes of 0.1 make 5.1, but the next failure takes one of its own: 20 are too few.
    budget.success(&mut state, Attempt::First, 20);
    assert_eq!(budget.try_retry(&mut state, Attempt::First, ERROR, 1), 0);
    budget.success(&mut state, Attempt::First, 11);
    assert_eq!(budget.try_retry(&mut state, Attempt::First, ERROR, 1), 1);
    // What is the caller's fault takes nothing, and is no reason not to retry.
    let before = state.clone();
    budget.failure(&mut state, Attempt::First, Outcome::Invalid, 5);
    assert_eq!(state, before);
    // But nothing is retried while there are too few tokens, whatever failed.
    let timeouts = |state: &mut _, n| budget.try_retry(state, Attempt::First, Outcome::Timeout, n);
    assert_eq!(timeouts(&mut state, 7), 7, "a timeout takes nothing here");
    budget.failure(&mut state, Attempt::First, ERROR, 5);
    assert_eq!(timeouts(&mut state, 7), 0);
}

#[test]
fn grpc_grants_at_most_half_of_its_tokens_while_nothing_succeeds() {
    for tokens_max in 1..40 {
        let failures = Outcomes::FAILURES;
        let budget =
            RetryBudget::Throttling(ThrottlingBudget { tokens_max, token_ratio_milli: 100, failures });
        let mut state = budget.start();
        let granted: u32 = (0..200).map(|_| budget.try_retry(&mut state, Attempt::First, ERROR, 1)).sum();
        assert_eq!(granted, tokens_max.div_ceil(2) - 1, "the j-th is granted while max - j > max / 2");
    }
}

#[test]
fn an_aws_quota_grants_what_its_bucket_pays_and_successes_pay_back() {
    let budget = preset::aws::standard_quota();
    let mut state = budget.start();
    assert_eq!(budget.try_retry(&mut state, Attempt::First, ERROR, 1000), 100);
    assert_eq!(budget.try_retry(&mut state, Attempt::First, ERROR, 1), 0);
    // Four first successes are not enough, a fifth is.
    budget.success(&mut state, Attempt::First, 4);
    assert_eq!(budget.available(&state, ERROR), Some(0));
    budget.success(&mut state, Attempt::First, 1);
    assert_eq!(budget.available(&state, ERROR), Some(1));
    // A retry that succeeds gives back what it cost; one that fails gives nothing.
    assert_eq!(budget.try_retry(&mut state, Attempt::First, Outcome::Timeout, 1), 0, "a timeout costs 10");
    budget.success(&mut state, Attempt::Retry { after: Outcome::Timeout }, 1);
    assert_eq!(budget.try_retry(&mut state, Attempt::First, Outcome::Timeout, 2), 1);
}

/// With nothing but failures, retries end: the budgets that are paid by successes or by requests run dry.
#[test]
fn without_successes_a_quota_grants_its_capacity_once() {
    for capacity in [1, 5, 14, 99, 500] {
        for (cost, cost_throttled) in [(5, 5), (14, 5), (1, 1)] {
            let quota = QuotaBudget { capacity, cost, cost_timeout: cost, cost_throttled, no_retry_gain: 1 };
            let budget = RetryBudget::Quota(quota);
            let mut state = budget.start();
            let mut spent = 0;
            let mut random = fastrand::Rng::with_seed(u64::from(capacity));
            for _ in 0..1000 {
                let outcome = random.choice([ERROR, Outcome::Throttled]).unwrap();
                let cost = if outcome == ERROR { cost } else { cost_throttled };
                spent += cost * budget.try_retry(&mut state, Attempt::First, outcome, 1);
                budget.tick(&mut state);
            }
            assert!(
                spent <= capacity && spent + cost.min(cost_throttled) > capacity,
                "{spent} of {capacity}"
            );
        }
    }
}

/// Whatever comes, retries that fail are paid for by what the bucket held and what first successes gave.
#[test]
fn retries_that_fail_never_cost_more_than_the_capacity_and_what_was_given() {
    let quota = QuotaBudget { capacity: 60, cost: 5, cost_timeout: 10, cost_throttled: 3, no_retry_gain: 1 };
    let budget = RetryBudget::Quota(quota.clone());
    let mut lost_at_most = 0;
    for seed in 0..50 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut state = budget.start();
        let (mut given, mut lost) = (0, 0);
        for _ in 0..500 {
            if random.u8(0..4) == 0 {
                budget.success(&mut state, Attempt::First, 1);
                given += 1;
            }
            let outcome = random.choice([ERROR, Outcome::Timeout, Outcome::Throttled]).unwrap();
            if budget.try_retry(&mut state, Attempt::First, outcome, 1) == 1 {
                let retry = Attempt::Retry { after: outcome };
                if random.bool() {
                    budget.success(&mut state, retry, 1);
                } else {
                    budget.failure(&mut state, retry, ERROR, 1);
                    lost += quota.cost_after(outcome);
                }
            }
            assert!(lost <= quota.capacity + given, "{lost} lost, {given} given");
        }
        lost_at_most = lost_at_most.max(lost);
    }
    assert!(lost_at_most > quota.capacity, "more than the bucket was lost, so that what was given counts");
}

/// Over any stretch of time, a windowed budget grants no more than its share of the requests of the stretch and of the window
/// before it, and its reserve for each window that the stretch touches.
#[test]
fn a_windowed_budget_never_exceeds_its_share_and_its_reserve() {
    for (slice, slices, deposit, withdraw, reserve) in
        [(1, 10, 1, 5, 0), (2, 3, 1, 5, 10), (1, 4, 2, 3, 3), (3, 1, 1, 1, 2)]
    {
        let window = WindowBudget { slice: Ticks(slice), slices, deposit, withdraw, reserve };
        let budget = RetryBudget::Window(window);
        let length = (slice * (slices + 1)) as usize;
        for seed in 0..10 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut state = budget.start();
            let (mut requests, mut granted) = (Vec::new(), Vec::new());
            for _ in 0..150 {
                let n = random.u32(0..4);
                budget.request(&mut state, n);
                requests.push(n);
                granted.push(budget.try_retry(&mut state, Attempt::First, ERROR, random.u32(0..6)));
                budget.tick(&mut state);
            }
            for from in 0..150 {
                for to in from + 1..=150 {
                    let paid: u32 = granted[from..to].iter().sum::<u32>() * withdraw;
                    let earned: u32 = requests[from.saturating_sub(length)..to].iter().sum::<u32>() * deposit;
                    let windows = (to - from).div_ceil(length - slice as usize + 1) as u32 + 1;
                    assert!(paid <= earned + windows * reserve, "{from}..{to} of seed {seed}: {budget:?}");
                }
            }
        }
    }
}

#[test]
fn finagles_budget_lets_a_fifth_and_a_hundred_be_retried() {
    let tick = std::time::Duration::from_secs(1);
    let budget = preset::finagle::retry_budget(tick).unwrap();
    let mut state = budget.start();
    budget.request(&mut state, 50);
    assert_eq!(budget.try_retry(&mut state, Attempt::First, ERROR, 1000), 110);
    // What was withdrawn counts as long as what was deposited: nothing for 9 s, all in the tenth.
    for _ in 0..9 {
        budget.tick(&mut state);
        assert_eq!(budget.available(&state, ERROR), Some(0));
    }
    budget.tick(&mut state);
    assert_eq!(budget.available(&state, ERROR), Some(100));
    assert_eq!(preset::linkerd::retry_budget(tick), preset::tower::retry_budget(tick));
}

#[test]
fn envoy_never_has_more_retries_under_way_than_its_limit() {
    for (retries_min, share) in [(3, Ratio::ZERO), (3, Ratio::percent(20)), (0, Ratio::percent(50))] {
        let concurrent = ConcurrentBudget { retries_min, share };
        let budget = RetryBudget::Concurrent(concurrent.clone());
        let mut state = concurrent.start();
        let mut outer = budget.start();
        for active in 0..60 {
            // `active` first attempts are under way and one fails: it may be retried if the others leave room.
            let mut granted = 0;
            (state, outer) = (concurrent.start(), budget.start());
            budget.request(&mut outer, active + 40);
            state.active = active + 40;
            for _ in 0..40 {
                state.active -= 1;
                let limit = concurrent.limit(&state);
                let one = budget.try_retry(&mut outer, Attempt::First, ERROR, 1);
                assert_eq!(one == 1, granted < limit, "{granted} of {limit}");
                granted += one;
            }
            assert!(granted <= retries_min.max(share.of(active + 39)));
        }
        drop((state, outer));
    }
    let RetryBudget::Concurrent(preset) = preset::envoy::retry_budget() else { panic!("concurrent") };
    let mut state = preset.start();
    for (active, limit) in [(0, 3), (15, 3), (19, 3), (20, 4), (100, 20)] {
        state.active = active;
        assert_eq!(preset.limit(&state), limit);
    }
}

#[test]
fn attempts_that_never_began_are_refused_by_name() {
    let budget = preset::envoy::max_retries();
    let mut state = budget.start();
    let fault =
        aftercalm::model::guard("test", || budget.success(&mut state, Attempt::First, 1)).unwrap_err();
    assert!(fault.to_string().contains("tell it of each attempt"), "{fault}");
    let bad =
        RetryBudget::Window(WindowBudget { slice: Ticks(0), slices: 1, deposit: 1, withdraw: 1, reserve: 0 });
    let fault = aftercalm::model::guard("test", || drop(bad.start())).unwrap_err();
    assert_eq!(fault.to_string(), "retry budget: slice is Ticks(0), but must be at least one tick");
}

/// Attempts that a budget treats alike are told apart no further.
#[test]
fn kinds_of_attempts_are_as_few_as_the_budget_allows() {
    let all: Vec<Attempt> =
        Outcome::ALL.into_iter().map(|after| Attempt::Retry { after }).chain([Attempt::First]).collect();
    let kinds = |budget: &RetryBudget| {
        let mut kinds: Vec<Attempt> = all.iter().map(|a| budget.kind(*a)).collect();
        kinds.sort();
        kinds.dedup();
        kinds.len()
    };
    assert_eq!(kinds(&preset::grpc::retry_throttling()), 1);
    assert_eq!(kinds(&preset::envoy::max_retries()), 2);
    assert_eq!(kinds(&preset::aws::standard_quota()), 3);
    assert_eq!(kinds(&preset::aws::standard_quota_2026()), 3);
    // And they are treated alike: ending one or the other leaves the same state.
    for budget in budgets() {
        for attempt in &all {
            let (mut a, mut b) = (budget.start(), budget.start());
            for state in [&mut a, &mut b] {
                budget.request(state, 3);
                let granted = budget.try_retry(state, Attempt::First, ERROR, 1);
                budget.retry_sent(state, granted);
            }
            let ends = |state: &mut _, attempt| budget.success(state, attempt, 1);
            ends(&mut a, *attempt);
            ends(&mut b, budget.kind(*attempt));
            assert_eq!(a, b, "{attempt:?} of {budget:?}");
        }
    }
}
