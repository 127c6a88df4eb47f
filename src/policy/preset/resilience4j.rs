//! resilience4j (`CircuitBreakerConfig.java`, `CircuitBreakerStateMachine.java`, `IntervalFunction.java`, main branch as stored
//! in 2025). It has no retry budget (resilience4j/resilience4j#172 is open).

use super::seconds;
use crate::policy::{Backoff, CircuitBreaker, Growth, Jitter, Outcomes, PolicyError, Ratio, Retry, Trip};
use std::time::Duration;

/// The time limiter's timeout: 1 s (`TimeLimiterConfig.java`).
pub const TIMEOUT: Duration = Duration::from_secs(1);

/// The most concurrent calls of a bulkhead: 25, and no waiting (`BulkheadConfig.java`).
pub const BULKHEAD: u32 = 25;

/// The default retry: 3 attempts, always 500 ms apart, whatever failed. A breaker's refusal is an exception too and so is
/// retried, where the retry is around the breaker (the default order of aspects).
#[must_use]
pub const fn retry() -> Retry {
    Retry {
        attempts: 3,
        on: Outcomes::FAILURES.and(crate::policy::Outcome::Invalid).and(crate::policy::Outcome::Refused),
        backoff: Backoff::fixed(Duration::from_millis(500)),
        throttled_backoff: None,
    }
}

/// `IntervalFunction.ofExponentialRandomBackoff()`: 500 ms times 1.5 from retry to retry, give or take half of it, uncapped.
#[must_use]
pub const fn exponential_random_backoff() -> Backoff {
    let growth = Growth::Exponential {
        base: Duration::from_millis(500),
        factor: Ratio::new(3, 2),
        cap: Duration::MAX,
    };
    Backoff { growth, jitter: Jitter::Factor { lo: Ratio::new(1, 2), hi: Ratio::new(3, 2) } }
}

/// The default breaker: opens when half of the last 100 calls failed (all 100 must have been made), for 60 s; then 10 probes,
/// and with half of them failed it opens again.
///
/// The real one also opens when all calls took longer than 60 s, which timeouts below that make moot: not modelled. It records
/// every exception as a failure.
///
/// # Errors
/// Where 60 s is no whole number of ticks.
pub fn breaker(tick: Duration) -> Result<CircuitBreaker, PolicyError> {
    Ok(CircuitBreaker {
        trip: Trip::LastCalls { size: 100, calls_min: 100, rate: Ratio::percent(50) },
        success_may_open: true,
        failures: Outcomes::FAILURES.and(crate::policy::Outcome::Invalid),
        open: seconds(60, tick)?,
        probes: 10,
        probes_decide: 10,
        probe_rate: Ratio::percent(50),
        probe_wait: None,
    })
}
