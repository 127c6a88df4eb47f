//! Rust's tower (`tower::retry::budget::TpsBudget`, version 0.5.3). A test drives the real one beside this.

use super::seconds;
use crate::policy::{PolicyError, RetryBudget, WindowBudget};
use std::time::Duration;

/// `TpsBudget::default()`: 20 % of the requests of the last 10 s, and 10 retries a second more.
///
/// Ten slices of 1 s are remembered besides the current one. Who deposits is up to the retry policy: a deposit for each
/// request is what this does; the policy of tower's documentation deposits for each success.
///
/// # Errors
/// Where 1 s is no whole number of ticks.
pub fn retry_budget(tick: Duration) -> Result<RetryBudget, PolicyError> {
    Ok(RetryBudget::Window(WindowBudget {
        slice: seconds(1, tick)?,
        slices: 10,
        deposit: 1,
        withdraw: 5,
        reserve: 10 * 10 * 5,
    }))
}
