//! Linkerd 2.x service profiles.

use super::tower;
use crate::policy::{PolicyError, RetryBudget};
use std::time::Duration;

/// The default `retryBudget`: `retryRatio` 0.2, `minRetriesPerSecond` 10, `ttl` 10 s, with no limit of attempts but the budget.
///
/// The values are those that Gateway API's GEP-3388 quotes; the proxy builds on tower's budget, so tower's window is taken
/// (the proxy's own sources were not read).
///
/// # Errors
/// Where 1 s is no whole number of ticks.
pub fn retry_budget(tick: Duration) -> Result<RetryBudget, PolicyError> {
    tower::retry_budget(tick)
}
