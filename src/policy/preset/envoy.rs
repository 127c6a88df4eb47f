//! Envoy, read in its sources (main branch, stored between 2020 and 2026; the file is named at each item).

use super::{millis, seconds};
use crate::policy::{
    AdmissionControl, Backoff, ConcurrentBudget, FailureRate, Jitter, Outcome, Outcomes, OutlierDetection,
    PanicThreshold, PolicyError, Ratio, Retry, RetryBudget, SuccessRate, Window,
};
use std::time::Duration;

/// `retry_on: 5xx`: any 5xx answer, and no answer (reset, connection failure, `per_try_timeout`). A route's own timeout ends
/// the request and is not retried.
pub const ON_5XX: Outcomes = Outcomes::of(&[Outcome::Error, Outcome::Timeout, Outcome::Unreachable]);

/// The timeout of a route, over all attempts (`RouteAction.timeout`): 15 s, as the documentation of Envoy Gateway says.
pub const ROUTE_TIMEOUT: Duration = Duration::from_secs(15);

/// The limits of concurrent connections, pending requests and requests (`CircuitBreakers.Thresholds`): 1024 each.
pub const CONCURRENT_MAX: u32 = 1024;

/// A retry policy with its defaults: 1 retry (`num_retries`), [`backoff`]. Envoy retries nothing unless `retry_on` is set.
#[must_use]
pub const fn retry(on: Outcomes) -> Retry {
    Retry { attempts: 2, on, backoff: backoff(), throttled_backoff: None }
}

/// The default backoff: full jitter below 25 ms, 50 ms, 100 ms, 200 ms, 250 ms.
///
/// `source/common/common/backoff_strategy.cc`, `JitteredExponentialBackOffStrategy`: doubled, up to ten times the base. (The
/// documentation, and the code until 2020, have `(2^n - 1) * 25 ms`: 25, 75, 175, 250.) Envoy draws whole milliseconds below the
/// bound, so the bound itself is never drawn; here it is included.
#[must_use]
pub const fn backoff() -> Backoff {
    Backoff::doubling(Duration::from_millis(25), Duration::from_millis(250)).with(Jitter::Full)
}

/// `max_retries` of the circuit breakers: 3 concurrent retries for a cluster.
#[must_use]
pub const fn max_retries() -> RetryBudget {
    RetryBudget::Concurrent(ConcurrentBudget { retries_min: 3, share: Ratio::ZERO })
}

/// `retry_budget` with its defaults: 20 % of the active and pending requests, at least 3. Where it is set it replaces
/// [`max_retries`]. (`source/common/upstream/resource_manager_impl.h`.)
#[must_use]
pub const fn retry_budget() -> RetryBudget {
    RetryBudget::Concurrent(ConcurrentBudget { retries_min: 3, share: Ratio::percent(20) })
}

/// `outlier_detection` with its defaults, for so many hosts: 5 failures in a row, or a success rate 1.9 standard deviations
/// below the mean (5 hosts with 100 requests each in an interval); looked at every 10 s; ejected for 30 s times the number of
/// ejections, up to 300 s; at most 10 % of the hosts.
///
/// With fewer than 10 hosts nothing is ejected at all, since one would be more than 10 %, unless `always_eject_one_host` is set
/// (`always_one`; since Envoy 1.31). Documentation before that says that one host is ejected in any case. Ejection by failure
/// rate is not enforced by default ([`failure_rate`] is what it would be). (`api/envoy/config/cluster/v3/outlier_detection.proto`,
/// `source/common/upstream/outlier_detection_impl.cc`.)
///
/// # Errors
/// Where 10 s is no whole number of ticks.
pub fn outlier_detection(tick: Duration, hosts: u32) -> Result<OutlierDetection, PolicyError> {
    Ok(OutlierDetection {
        hosts,
        consecutive: 5,
        failures: ON_5XX,
        interval: seconds(10, tick)?,
        base: seconds(30, tick)?,
        max: seconds(300, tick)?,
        share_max: Ratio::percent(10),
        always_one: false,
        success_rate: Some(SuccessRate { hosts_min: 5, requests_min: 100, factor: Ratio::new(1900, 1000) }),
        failure_rate: None,
    })
}

/// Ejection by failure rate with its defaults: 85 % of at least 50 requests, with at least 5 such hosts. Not enforced unless
/// `enforcing_failure_percentage` is set.
#[must_use]
pub const fn failure_rate() -> FailureRate {
    FailureRate { hosts_min: 5, requests_min: 50, share: Ratio::percent(85) }
}

/// `healthy_panic_threshold`: 50 %.
#[must_use]
pub const fn panic_threshold() -> PanicThreshold {
    PanicThreshold { threshold: Ratio::percent(50), fail_traffic: false }
}

/// The admission control filter with its defaults: over 30 s in slices of 1 s, a success rate of 95 %, aggression 1, at most
/// 80 % rejected, at any rate of requests. What is a success is for the filter's configuration to say; here, all but
/// [`ON_5XX`] and throttling. (`source/extensions/filters/http/admission_control/`, as of 2021 and later.)
///
/// # Errors
/// Where 1 s is no whole number of ticks.
pub fn admission_control(tick: Duration) -> Result<AdmissionControl, PolicyError> {
    Ok(AdmissionControl {
        window: Window { slice: millis(1000, tick)?, slices: 30 },
        failures: ON_5XX.and(Outcome::Throttled),
        threshold: Ratio::percent(95),
        aggression: Ratio::ONE,
        rejection_max: Ratio::percent(80),
        rate_min: Ratio::ZERO,
    })
}
