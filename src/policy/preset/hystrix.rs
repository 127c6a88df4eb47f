//! Netflix's Hystrix 1.5 (`HystrixCircuitBreaker.java`, `HystrixCommandProperties.java`; no longer developed since 2018).

use super::seconds;
use crate::policy::{CircuitBreaker, Outcome, Outcomes, PolicyError, Ratio, Trip, Window};
use std::time::Duration;

/// A command's timeout: 1 s.
pub const TIMEOUT: Duration = Duration::from_secs(1);

/// The default breaker: opens when half of the calls of the last 10 s failed (at least 20 of them), for 5 s; then one probe
/// decides. The window has 10 slices.
///
/// The real one looks at the calls every 500 ms, whether or not one has ended: it may open up to that much later, and also because
/// old successes are forgotten, where this one waits for the next call to end. A fault of the caller
/// (`HystrixBadRequestException`) does not count as a failure.
///
/// # Errors
/// Where 1 s is no whole number of ticks.
pub fn breaker(tick: Duration) -> Result<CircuitBreaker, PolicyError> {
    Ok(CircuitBreaker {
        trip: Trip::LastTicks {
            window: Window { slice: seconds(1, tick)?, slices: 10 },
            calls_min: 20,
            rate: Ratio::percent(50),
        },
        success_may_open: true,
        failures: Outcomes::FAILURES.without(Outcome::Invalid),
        open: seconds(5, tick)?,
        probes: 1,
        probes_decide: 1,
        probe_rate: Ratio::ONE,
        probe_wait: None,
    })
}
