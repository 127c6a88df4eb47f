//! The presets: sound, in whole ticks or refused, and with the numbers of the systems that they are named after.

use aftercalm::policy::{Policy, PolicyError, QueueTimeout, RetryBudget, Ticks, preset};
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

/// Validates everything that takes ticks of this length; the first error.
fn all(tick: Duration) -> Result<(), PolicyError> {
    preset::finagle::retry_budget(tick)?.validate()?;
    preset::tower::retry_budget(tick)?.validate()?;
    preset::linkerd::retry_budget(tick)?.validate()?;
    preset::aws::adaptive_rate(tick)?.validate()?;
    preset::envoy::outlier_detection(tick, 10)?.validate()?;
    preset::envoy::admission_control(tick)?.validate()?;
    preset::resilience4j::breaker(tick)?.validate()?;
    preset::polly::breaker(tick)?.validate()?;
    preset::polly::hedging(tick)?.validate()?;
    preset::hystrix::breaker(tick)?.validate()?;
    preset::sre::adaptive_throttle(tick)?.validate()?;
    preset::netflix::aimd(tick)?.validate()?;
    preset::netflix::vegas().validate()?;
    preset::facebook::lease(tick)?.validate()?;
    preset::facebook::adaptive_lifo::<()>(tick)?.validate()?;
    preset::dns::resolution_failures(tick)?.validate()
}

#[test]
fn every_preset_is_sound_in_ticks_that_divide_its_durations() {
    for tick in [MS, MS * 5] {
        all(tick).unwrap();
    }
    for budget in [
        preset::grpc::retry_throttling(),
        preset::envoy::max_retries(),
        preset::envoy::retry_budget(),
        preset::istio::max_retries(),
        preset::aws::standard_quota(),
        preset::aws::standard_quota_2026(),
    ] {
        budget.validate().unwrap();
    }
    for retry in [
        preset::grpc::retry(),
        preset::grpc::retry_with_full_jitter(),
        preset::envoy::retry(preset::envoy::ON_5XX),
        preset::istio::retry(),
        preset::aws::standard(),
        preset::aws::standard_2026(),
        preset::aws::dynamodb_2026(),
        preset::resilience4j::retry(),
        preset::polly::retry(),
    ] {
        retry.validate().unwrap();
    }
    preset::resilience4j::exponential_random_backoff().validate().unwrap();
    preset::envoy::panic_threshold().validate().unwrap();
}

#[test]
fn a_duration_that_is_no_whole_number_of_ticks_is_refused_by_name() {
    let error = preset::facebook::codel(MS * 10).unwrap_err();
    assert_eq!(error.to_string(), "5ms is no whole number of ticks of 10ms");
    let error = preset::envoy::outlier_detection(MS * 7000, 3).unwrap_err();
    assert_eq!(error.to_string(), "10s is no whole number of ticks of 7s");
    assert!(all(MS * 300).is_err());
}

#[test]
fn the_numbers_are_those_of_the_systems() {
    let QueueTimeout::Codel { interval, target } = preset::facebook::codel(MS * 5).unwrap() else {
        panic!("CoDel")
    };
    assert_eq!((interval, target), (Ticks(20), Ticks(1)));
    let RetryBudget::Quota(quota) = preset::aws::standard_quota_2026() else { panic!("a quota") };
    assert_eq!((quota.capacity, quota.cost, quota.cost_throttled), (500, 14, 5));
    assert_eq!(preset::istio::retry().attempts, 3);
    assert_eq!(preset::envoy::retry(preset::envoy::ON_5XX).attempts, 2);
    assert_eq!(preset::polly::retry().attempts, 4);
    assert_eq!(preset::resilience4j::retry().attempts, 3);
}
