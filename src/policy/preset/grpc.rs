//! gRPC, proposal A6 "gRPC Retry Design" (text as amended in August 2024 by grpc/proposal#452).
//!
//! gRPC retries, hedges and throttles nothing unless the service config says so (but for requests that never reached a
//! server's application). The values here are the examples of the proposal. A pushback that forbids a retry is
//! [`Outcome::DoNotRetry`]; one that asks for a delay is not modelled.

use crate::policy::{Backoff, Growth, Hedging, Jitter, Outcome, Outcomes, Ratio, Retry, RetryBudget};
use crate::policy::{ThrottlingBudget, Ticks};
use std::time::Duration;

/// Service configs may ask for more attempts, and get this many ("Limits on Retries and Hedges").
pub const ATTEMPTS_MAX: u32 = 5;

/// `retryableStatusCodes` and `nonFatalStatusCodes` of `UNAVAILABLE` alone.
pub const UNAVAILABLE: Outcomes = Outcomes::of(&[Outcome::Error, Outcome::Unreachable]);

/// The jitter of retries since August 2024: the delay times anything from 0.8 to 1.2, after the cap.
pub const JITTER: Jitter = Jitter::Factor { lo: Ratio::new(4, 5), hi: Ratio::new(6, 5) };

/// `retryPolicy` with the values of A6's example: 4 attempts, 100 ms doubled up to 1 s, `UNAVAILABLE` retried.
#[must_use]
pub const fn retry() -> Retry {
    retry_policy(4, Duration::from_millis(100), Duration::from_secs(1), Ratio::whole(2), UNAVAILABLE)
}

/// `retryPolicy` with these `maxAttempts` (at most [`ATTEMPTS_MAX`] count), `initialBackoff`, `maxBackoff`,
/// `backoffMultiplier` and `retryableStatusCodes`.
#[must_use]
pub const fn retry_policy(
    attempts: u32,
    base: Duration,
    cap: Duration,
    factor: Ratio,
    on: Outcomes,
) -> Retry {
    let growth = Growth::Exponential { base, factor, cap };
    Retry {
        attempts: if attempts < ATTEMPTS_MAX { attempts } else { ATTEMPTS_MAX },
        on,
        backoff: Backoff { growth, jitter: JITTER },
        throttled_backoff: None,
    }
}

/// [`retry`] as A6 had it until August 2024, and clients that have not followed it still do: full jitter.
#[must_use]
pub const fn retry_with_full_jitter() -> Retry {
    let mut retry = retry();
    retry.backoff.jitter = Jitter::Full;
    retry
}

/// `retryThrottling` with the values of A6's example: `maxTokens` 10, `tokenRatio` 0.1. What counts as a failure are the
/// outcomes that are retried, and a pushback that forbids it.
#[must_use]
pub const fn retry_throttling() -> RetryBudget {
    RetryBudget::Throttling(ThrottlingBudget {
        tokens_max: 10,
        token_ratio_milli: 100,
        failures: UNAVAILABLE.and(Outcome::DoNotRetry),
    })
}

/// `hedgingPolicy` with these `maxAttempts` (at most [`ATTEMPTS_MAX`] count) and `hedgingDelay`, and `UNAVAILABLE` non-fatal.
/// A6's example: 4 attempts, 500 ms.
#[must_use]
pub const fn hedging(attempts: u32, delay: Ticks) -> Hedging {
    let attempts = if attempts < ATTEMPTS_MAX { attempts } else { ATTEMPTS_MAX };
    Hedging { attempts, delay, non_fatal: UNAVAILABLE }
}
