//! Netflix's concurrency-limits (`concurrency-limits-core/.../limit/AIMDLimit.java` and `VegasLimit.java`, stored in 2023 and
//! later; AIMD's bounds as of August 2026).

use super::seconds;
use crate::policy::{ConcurrencyLimit, PolicyError, Ratio};
use std::time::Duration;

/// `AIMDLimit` with its defaults: from 20, within 20 to 200, down to nine tenths after a drop or 5 s.
///
/// # Errors
/// Where 5 s is no whole number of ticks.
pub fn aimd(tick: Duration) -> Result<ConcurrencyLimit, PolicyError> {
    let timeout = seconds(5, tick)?;
    Ok(ConcurrencyLimit::Aimd { initial: 20, min: 20, max: 200, backoff: Ratio::new(9, 10), timeout })
}

/// `VegasLimit` with its defaults: from 20, up to 1000, probing after 15 to 30 times the limit.
#[must_use]
pub const fn vegas() -> ConcurrencyLimit {
    ConcurrencyLimit::Vegas { initial: 20, max: 1000, probe: 30 }
}
