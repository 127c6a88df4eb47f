//! gRPC, proposal A6 "gRPC Retry Design".

use crate::policy::budget::ThrottlingBudget;
use crate::policy::{Outcomes, RetryBudget};

/// `retryThrottling` with A6's example values: `maxTokens` 10, `tokenRatio` 0.1. There is no default: without the setting
/// nothing is throttled.
#[must_use]
pub fn retry_throttling() -> RetryBudget {
    RetryBudget::Throttling(ThrottlingBudget {
        tokens_max: 10,
        token_ratio_milli: 100,
        failures: Outcomes::FAILURES,
    })
}
