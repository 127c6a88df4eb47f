//! The defaults of the systems that people run, one file for each system.
//!
//! Counts are those of the real systems. A model scales them down: shares and ratios decide, not sizes, so change the fields
//! that must be small (`CircuitBreaker { open: Ticks(5), ..polly::breaker(tick)? }`).
//!
//! Durations become ticks. Where a default is no whole number of them that is an error that names it: choose a tick that
//! divides it, or set the field. Backoffs keep their durations and are rounded up where they are used.
//!
//! Each item says where its default was read and as of when; "not verified" marks what was not read at the source.

pub mod aws;
pub mod dns;
pub mod envoy;
pub mod facebook;
pub mod finagle;
pub mod grpc;
pub mod hystrix;
pub mod istio;
pub mod linkerd;
pub mod netflix;
pub mod polly;
pub mod resilience4j;
pub mod sre;
pub mod tower;

use super::{PolicyError, Ticks};
use std::time::Duration;

/// Whole seconds in ticks.
fn seconds(seconds: u64, tick: Duration) -> Result<Ticks, PolicyError> {
    Ticks::of(Duration::from_secs(seconds), tick)
}

/// Milliseconds in ticks.
fn millis(millis: u64, tick: Duration) -> Result<Ticks, PolicyError> {
    Ticks::of(Duration::from_millis(millis), tick)
}
