//! Facebook: "Fail at Scale" (Maurer, ACM Queue 2015), folly's CoDel, and "Scaling Memcache at Facebook" (NSDI 2013).

use super::{millis, seconds};
use crate::policy::{Lease, Order, PolicyError, Queue, QueueTimeout};
use std::time::Duration;

/// folly's CoDel (`folly/executors/Codel.cpp`, stored in 2024): an interval of 100 ms, a target of 5 ms.
///
/// # Errors
/// Where 5 ms is no whole number of ticks.
pub fn codel(tick: Duration) -> Result<QueueTimeout, PolicyError> {
    Ok(QueueTimeout::Codel { interval: millis(100, tick)?, target: millis(5, tick)? })
}

/// Controlled delay with N = 100 ms and M = 5 ms, which the article calls good for a wide set of workloads (as quoted by
/// others; the article itself was not read).
///
/// # Errors
/// Where 5 ms is no whole number of ticks.
pub fn controlled_delay(tick: Duration) -> Result<QueueTimeout, PolicyError> {
    Ok(QueueTimeout::Controlled { interval: millis(100, tick)?, target: millis(5, tick)? })
}

/// Adaptive LIFO with [`controlled_delay`]: first come first served, and last come first served while a queue is building.
/// "Building" is taken as controlled delay has it: not empty at any moment of the last 100 ms.
///
/// # Errors
/// Where 5 ms is no whole number of ticks.
pub fn adaptive_lifo<T>(tick: Duration) -> Result<Queue<T>, PolicyError> {
    Ok(Queue {
        order: Order::AdaptiveLifo(millis(100, tick)?),
        timeout: controlled_delay(tick)?,
        ..Queue::fifo()
    })
}

/// Leases: a token at most once every 10 s for a key (NSDI 2013, section 3.2.1, as others quote it; the paper was not read for this).
///
/// # Errors
/// Where 10 s is no whole number of ticks.
pub fn lease(tick: Duration) -> Result<Lease, PolicyError> {
    Ok(Lease { period: seconds(10, tick)? })
}
