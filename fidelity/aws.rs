//! `QuotaBudget` and the backoffs beside the AWS SDK for Rust: its retry strategy with its token bucket.

use aftercalm::policy::{Attempt, Outcome, Policy, QuotaBudget, Retry, RetryBudget, Ticks, preset};
use aws_smithy_runtime::client::retries::TokenBucket;
use aws_smithy_runtime::client::retries::strategy::StandardRetryStrategy;
use aws_smithy_runtime_api::client::interceptors::context::{Input, InterceptorContext, Output};
use aws_smithy_runtime_api::client::orchestrator::OrchestratorError;
use aws_smithy_runtime_api::client::retries::classifiers::SharedRetryClassifier;
use aws_smithy_runtime_api::client::retries::{AlwaysRetry, RequestAttempts, RetryStrategy, ShouldAttempt};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use aws_smithy_types::config_bag::{ConfigBag, Layer};
use aws_smithy_types::retry::{ErrorKind, RetryConfig, RetrySpec};
use std::time::Duration;

const TICK: Duration = Duration::from_millis(10);

/// What the real strategy says of attempt number `attempt`.
fn real(
    strategy: &StandardRetryStrategy,
    bucket: &TokenBucket,
    config: &RetryConfig,
    attempt: u32,
    outcome: Outcome,
) -> ShouldAttempt {
    let mut layer = Layer::new("test");
    layer.store_put(config.clone());
    layer.store_put(bucket.clone());
    answer(strategy, RuntimeComponentsBuilder::for_tests(), layer, attempt, outcome)
}

/// Tells the strategy how an attempt ended. `layer` holds the retry configuration and the token bucket.
pub fn answer(
    strategy: &StandardRetryStrategy,
    mut components: RuntimeComponentsBuilder,
    mut layer: Layer,
    attempt: u32,
    outcome: Outcome,
) -> ShouldAttempt {
    let kind = match outcome {
        Outcome::Throttled => ErrorKind::ThrottlingError,
        Outcome::Timeout => ErrorKind::TransientError,
        _ => ErrorKind::ServerError,
    };
    let mut context = InterceptorContext::new(Input::doesnt_matter());
    context.set_output_or_error(if outcome.is_success() {
        Ok(Output::doesnt_matter())
    } else {
        Err(OrchestratorError::other("failed"))
    });
    if !outcome.is_success() {
        components = components.with_retry_classifier(SharedRetryClassifier::new(AlwaysRetry(kind)));
    }
    layer.store_put(RequestAttempts::new(attempt));
    let config = ConfigBag::of_layers(vec![layer]);
    strategy.should_attempt_retry(&context, &components.build().unwrap(), &config).unwrap()
}

/// A request under way: its attempt's number and kind, and the real strategy, which holds what its last retry cost.
struct Request {
    attempt: u32,
    kind: Attempt,
    held: u32,
    strategy: StandardRetryStrategy,
}

impl Request {
    fn new() -> Self {
        Self { attempt: 1, kind: Attempt::First, held: 0, strategy: StandardRetryStrategy::new() }
    }
}

/// Ends attempts of a handful of requests at random, on both sides. How many retries were granted and refused.
fn compare(quota: &QuotaBudget, bucket: &TokenBucket, attempts: u32, seed: u64) -> (u32, u32) {
    let mut random = fastrand::Rng::with_seed(seed);
    let budget = RetryBudget::Quota(quota.clone());
    let mut state = budget.start();
    let config = RetryConfig::standard().with_max_attempts(attempts);
    let mut requests: Vec<Request> = (0..4).map(|_| Request::new()).collect();
    let (mut granted_all, mut refused_all) = (0, 0);
    for step in 0..2000 {
        let i = random.usize(0..requests.len());
        let held: u32 = requests.iter().map(|r| r.held).sum();
        let tokens = match &state {
            aftercalm::policy::BudgetState::Quota(state) => state.tokens,
            _ => unreachable!(),
        };
        let request = &mut requests[i];
        let outcome = random
            .choice([
                Outcome::Success,
                Outcome::Success,
                Outcome::Error,
                Outcome::Timeout,
                Outcome::Throttled,
            ])
            .unwrap();
        if outcome.is_success() && request.held == 0 && tokens + held + quota.no_retry_gain > quota.capacity {
            continue; // see `the_real_bucket_may_overfill`
        }
        let answer = real(&request.strategy, bucket, &config, request.attempt, outcome);
        if outcome.is_success() {
            assert_eq!(answer, ShouldAttempt::No);
            budget.success(&mut state, request.kind, 1);
            *request = Request::new();
        } else if request.attempt >= attempts {
            assert_eq!(answer, ShouldAttempt::No);
            budget.failure(&mut state, request.kind, outcome, 1);
            // The strategy lives as long as the client; dropped here, it would give its permit back.
            std::mem::forget(std::mem::replace(request, Request::new()));
        } else {
            let granted = budget.try_retry(&mut state, request.kind, outcome, 1);
            let really = matches!(answer, ShouldAttempt::YesAfterDelay(_));
            assert_eq!(granted == 1, really, "step {step}, seed {seed}: {state:?}, {bucket:?}");
            if granted == 1 {
                request.attempt += 1;
                request.kind = Retry::again(outcome);
                request.held = quota.cost_after(outcome);
                granted_all += 1;
            } else {
                std::mem::forget(std::mem::replace(request, Request::new()));
                refused_all += 1;
            }
        }
        assert_eq!(
            bucket.is_empty(),
            budget.available(&state, Outcome::Throttled) == Some(0) && {
                matches!(&state, aftercalm::policy::BudgetState::Quota(s) if s.tokens == 0)
            }
        );
    }
    (granted_all, refused_all)
}

#[test]
fn a_quota_grants_what_the_sdk_grants_at_every_step() {
    // The costs of the two generations of the SDK, with buckets that run dry.
    for (cost, cost_timeout, cost_throttled) in [(5, 10, 5), (14, 14, 5)] {
        for capacity in [30, 70] {
            let quota = QuotaBudget { capacity, cost, cost_timeout, cost_throttled, no_retry_gain: 1 };
            let mut all = (0, 0);
            for seed in 0..20 {
                let bucket = TokenBucket::builder()
                    .capacity(capacity as usize)
                    .retry_cost(cost)
                    .timeout_retry_cost(cost_timeout)
                    .throttling_retry_cost(cost_throttled)
                    .build();
                let (granted, refused) = compare(&quota, &bucket, 3, seed);
                all = (all.0 + granted, all.1 + refused);
            }
            assert!(all.0 > 100 && all.1 > 100, "both answers are seen: {all:?}");
        }
    }
}

#[test]
fn the_presets_are_the_sdks_defaults() {
    let RetryBudget::Quota(old) = preset::aws::standard_quota() else { panic!("a quota") };
    let config = RetryConfig::standard();
    // As many as the full bucket pays for.
    for outcome in [Outcome::Error, Outcome::Timeout, Outcome::Throttled] {
        let bucket = TokenBucket::default();
        let budget = preset::aws::standard_quota();
        let mut state = budget.start();
        let ours = budget.try_retry(&mut state, Attempt::First, outcome, 1000);
        let mut theirs = 0;
        loop {
            let strategy = StandardRetryStrategy::new();
            if real(&strategy, &bucket, &config, 1, outcome) == ShouldAttempt::No {
                break;
            }
            std::mem::forget(strategy);
            theirs += 1;
        }
        assert_eq!(ours, theirs, "{outcome:?} of {old:?}");
    }
    assert_eq!(preset::aws::standard().attempts, config.max_attempts());
}

#[test]
fn delays_are_those_of_the_sdk_before_jitter_and_zero_at_the_least() {
    let bounds = |retry: &Retry, config: &RetryConfig, outcome: Outcome| {
        for attempt in 1..8 {
            // With the random factor held at its bound of 1.
            let config = config.clone().with_max_attempts(10).with_use_static_exponential_base(true);
            let answer =
                real(&StandardRetryStrategy::new(), &TokenBucket::unlimited(), &config, attempt, outcome);
            let ours = retry.delay(attempt, outcome, Ticks::ZERO, TICK);
            assert_eq!(answer, ShouldAttempt::YesAfterDelay(ours.hi.duration(TICK)), "attempt {attempt}");
            assert_eq!(ours.lo, Ticks::ZERO);
        }
    };
    for outcome in [Outcome::Error, Outcome::Timeout, Outcome::Throttled] {
        bounds(&preset::aws::standard(), &RetryConfig::standard(), outcome);
        let new = RetryConfig::standard().with_retry_spec(RetrySpec::v2_1());
        bounds(&preset::aws::standard_2026(), &new, outcome);
        // And drawn at random, they stay within.
        for attempt in (1..6).cycle().take(300) {
            let config = new.clone().with_max_attempts(10);
            let answer =
                real(&StandardRetryStrategy::new(), &TokenBucket::unlimited(), &config, attempt, outcome);
            let ShouldAttempt::YesAfterDelay(delay) = answer else { panic!("{answer:?}") };
            let ours = preset::aws::standard_2026().delay(attempt, outcome, Ticks::ZERO, TICK);
            assert!(ours.contains(Ticks::up(delay, TICK)), "{delay:?} in {ours:?}");
        }
    }
}

/// The one difference: the Rust SDK gives permits back without looking at its capacity, so retries that end well while others
/// fill the bucket may overfill it. Ours stays within its capacity, as the SDKs for Go and Python do.
#[test]
fn the_real_bucket_may_overfill() {
    let bucket = TokenBucket::builder().capacity(10).retry_cost(5).build();
    let config = RetryConfig::standard();
    let retried = StandardRetryStrategy::new();
    assert!(real(&retried, &bucket, &config, 1, Outcome::Error) != ShouldAttempt::No);
    for _ in 0..5 {
        real(&StandardRetryStrategy::new(), &bucket, &config, 1, Outcome::Success);
    }
    real(&retried, &bucket, &config, 2, Outcome::Success);
    let mut granted = 0;
    while granted < 10 {
        let strategy = StandardRetryStrategy::new();
        if real(&strategy, &bucket, &config, 1, Outcome::Error) == ShouldAttempt::No {
            break;
        }
        std::mem::forget(strategy);
        granted += 1;
    }
    assert_eq!(granted, 3, "15 tokens of 10");
}
