//! Polly v8 (`src/Polly.Core`: `CircuitBreakerConstants.cs`, `CircuitStateController.cs`, `RollingHealthMetrics.cs`,
//! `RetryConstants.cs`; stored in 2023 and later). It has no retry budget.

use super::seconds;
use crate::policy::{
    Backoff, CircuitBreaker, Hedging, Jitter, Outcome, Outcomes, PolicyError, Ratio, Retry, Trip, Window,
};
use std::time::Duration;

/// The timeout strategy's timeout: 30 s (`TimeoutStrategyOptions.cs`).
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// The default retry: 3 retries, always 2 s apart, whatever failed; no jitter unless asked for ([`JITTER`]).
#[must_use]
pub const fn retry() -> Retry {
    Retry {
        attempts: 4,
        on: Outcomes::FAILURES.and(Outcome::Invalid).and(Outcome::Refused),
        backoff: Backoff::fixed(Duration::from_secs(2)),
        throttled_backoff: None,
    }
}

/// `UseJitter` with a constant or linear backoff: give or take a quarter. (As documented for 8.x; a version of 2023 had up to
/// half more. With exponential backoff Polly uses a formula of its own, which is not modelled.)
pub const JITTER: Jitter = Jitter::Factor { lo: Ratio::new(3, 4), hi: Ratio::new(5, 4) };

/// The default breaker: opens when a tenth of the calls of the last 30 s failed (at least 100 of them), for 5 s; then one
/// probe decides. Only a failure opens it. The window has 10 slices.
///
/// A probe that never ends leaves it half-open for ever.
///
/// # Errors
/// Where 1 s is no whole number of ticks.
pub fn breaker(tick: Duration) -> Result<CircuitBreaker, PolicyError> {
    Ok(CircuitBreaker {
        trip: Trip::LastTicks {
            window: Window { slice: seconds(3, tick)?, slices: 10 },
            calls_min: 100,
            rate: Ratio::percent(10),
        },
        success_may_open: false,
        failures: Outcomes::FAILURES.and(Outcome::Invalid),
        open: seconds(5, tick)?,
        probes: 1,
        probes_decide: 1,
        probe_rate: Ratio::ONE,
        probe_wait: None,
    })
}

/// The default hedging: two attempts, the second after 2 s (`HedgingStrategyOptions`, stored in 2023).
///
/// # Errors
/// Where 2 s is no whole number of ticks.
pub fn hedging(tick: Duration) -> Result<Hedging, PolicyError> {
    Ok(Hedging { attempts: 2, delay: seconds(2, tick)?, non_fatal: Outcomes::FAILURES })
}
