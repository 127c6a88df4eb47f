//! Istio: what it configures in Envoy where nobody says otherwise (`pilot/pkg/networking/core/route/retry/retry.go`, stored
//! in 2024).

use super::envoy;
use crate::policy::{Outcome, Outcomes, Retry, RetryBudget};

/// The default retry policy of every HTTP route: 2 retries of connection failures, refused streams, `unavailable` and 503, with
/// Envoy's backoff. A 503 is an [`Outcome::Error`]; other 5xx are not retried, and neither are timeouts.
#[must_use]
pub const fn retry() -> Retry {
    Retry {
        attempts: 3,
        on: Outcomes::of(&[Outcome::Unreachable, Outcome::Error]),
        ..envoy::retry(Outcomes::NONE)
    }
}

/// No limit of concurrent retries: Istio sets Envoy's `max_retries` to 2^32 - 1 as its code says so that rolling updates do
/// not trip it (istio/istio#42065).
#[must_use]
pub const fn max_retries() -> RetryBudget {
    RetryBudget::Unlimited
}
