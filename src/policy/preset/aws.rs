//! The AWS SDKs' retry modes, in two generations.
//!
//! Old: aws-sdk-go-v2 `standard.go`, botocore, and `aws-smithy-runtime` 1.16.2 (`RetrySpec` 2.0). New: opt-in since 2026 by
//! `AWS_NEW_RETRIES_2026=true`, read in aws-sdk-php `src/Retry/V3/RetryMiddleware.php` and `aws-smithy-runtime` 1.16.2
//! (`RetrySpec` 2.1), whose token bucket a test drives beside this one.

use crate::policy::{Backoff, CubicRate, Jitter, Outcomes, PolicyError, QuotaBudget, Retry, RetryBudget};
use std::time::Duration;

/// The longest delay before jitter.
pub const BACKOFF_MAX: Duration = Duration::from_secs(20);

/// Standard mode, old: 3 attempts, full jitter below 1 s, 2 s, 4 s ... 20 s, whatever failed.
#[must_use]
pub const fn standard() -> Retry {
    Retry {
        attempts: 3,
        on: Outcomes::TRANSIENT,
        backoff: Backoff::doubling(Duration::from_secs(1), BACKOFF_MAX).with(Jitter::Full),
        throttled_backoff: None,
    }
}

/// The retry quota of standard mode, old: 500 tokens, 5 for a retry and 10 after a timeout. A success gives back what its last
/// retry had cost, or 1.
///
/// "After a timeout" is Go's and Python's reading; the Rust SDK takes 10 after every transient error.
#[must_use]
pub const fn standard_quota() -> RetryBudget {
    RetryBudget::Quota(QuotaBudget {
        capacity: 500,
        cost: 5,
        cost_timeout: 10,
        cost_throttled: 5,
        no_retry_gain: 1,
    })
}

/// Standard mode, 2026: 3 attempts, full jitter below 50 ms, 100 ms ... 20 s, and below 1 s, 2 s ... 20 s after throttling.
///
/// A server may ask for a delay (`x-amz-retry-after`), which then counts where it lies between the computed delay and 5 s more:
/// not modelled.
#[must_use]
pub const fn standard_2026() -> Retry {
    Retry {
        attempts: 3,
        on: Outcomes::TRANSIENT,
        backoff: Backoff::doubling(Duration::from_millis(50), BACKOFF_MAX).with(Jitter::Full),
        throttled_backoff: Some(Backoff::doubling(Duration::from_secs(1), BACKOFF_MAX).with(Jitter::Full)),
    }
}

/// Standard mode for DynamoDB, 2026: 4 attempts, and 25 ms in place of 50 ms. (From aws-sdk-go-v2 `retry2026_test.go` as noted
/// in 2026; not read again.)
#[must_use]
pub const fn dynamodb_2026() -> Retry {
    Retry {
        attempts: 4,
        backoff: Backoff::doubling(Duration::from_millis(25), BACKOFF_MAX).with(Jitter::Full),
        ..standard_2026()
    }
}

/// The retry quota of standard mode, 2026: 500 tokens, 14 for a retry and 5 after throttling.
#[must_use]
pub const fn standard_quota_2026() -> RetryBudget {
    RetryBudget::Quota(QuotaBudget {
        capacity: 500,
        cost: 14,
        cost_timeout: 14,
        cost_throttled: 5,
        no_retry_gain: 1,
    })
}

/// Adaptive mode: standard mode's retries and quota, and this limit of the rate at which attempts are sent. Rates are kept in
/// tenths of a request a second, up to 100.
///
/// # Errors
/// Where half a second is no whole number of ticks, nor a tick a whole number of half seconds.
pub fn adaptive_rate(tick: Duration) -> Result<CubicRate, PolicyError> {
    CubicRate::new(tick)
}
