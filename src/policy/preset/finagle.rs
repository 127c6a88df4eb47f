//! Twitter's Finagle (`finagle-core/.../service/RetryBudget.scala`, and `WindowedAdder.scala` for the window; stored before
//! 2018, unchanged in this as far as known).

use super::seconds;
use crate::policy::{PolicyError, RetryBudget, WindowBudget};
use std::time::Duration;

/// The default retry budget: 20 % of the requests of the last 10 s, and 10 retries a second more.
///
/// A window of 10 slices of which the current one is one: 9 are remembered besides it. (After a pause that is no whole number
/// of slices Finagle forgets one slice less than this and tower do.)
///
/// # Errors
/// Where 1 s is no whole number of ticks.
pub fn retry_budget(tick: Duration) -> Result<RetryBudget, PolicyError> {
    // deposit 1000, withdrawal 1000 / 0.2, reserve 10 a second * 10 s * 5000: all divided by 1000.
    Ok(RetryBudget::Window(WindowBudget {
        slice: seconds(1, tick)?,
        slices: 9,
        deposit: 1,
        withdraw: 5,
        reserve: 10 * 10 * 5,
    }))
}
