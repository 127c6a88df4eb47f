//! "Site Reliability Engineering" (O'Reilly, 2016), chapter 21 "Handling Overload". The book is quoted here after others (Envoy's
//! documentation among them), who agree on the formula, the window and the factors.

use super::seconds;
use crate::policy::{AdaptiveThrottle, Backoff, PolicyError, Ratio, Retry, Window};
use std::time::Duration;

/// Client-side throttling: over two minutes, K = 2. The book names 1.1 as an aggressive choice. It does not say how the
/// window is kept: slices of 10 s are taken.
///
/// # Errors
/// Where 10 s is no whole number of ticks.
pub fn adaptive_throttle(tick: Duration) -> Result<AdaptiveThrottle, PolicyError> {
    Ok(AdaptiveThrottle { window: Window { slice: seconds(10, tick)?, slices: 12 }, k: Ratio::whole(2) })
}

/// The budget of a request: up to 3 attempts.
#[must_use]
pub const fn retry(backoff: Backoff) -> Retry {
    Retry::times(2, backoff)
}
