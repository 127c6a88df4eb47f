//! What can be wrong with a policy's parameters.

use std::time::Duration;

/// A parameter that makes no sense, or a duration that is no whole number of ticks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A duration that is no whole number of ticks.
    #[error("{duration:?} is no whole number of ticks of {tick:?}")]
    Fraction {
        /// The duration.
        duration: Duration,
        /// The length of a tick.
        tick: Duration,
    },
    /// A duration that is more ticks than are counted.
    #[error("{duration:?} is more ticks of {tick:?} than can be counted")]
    TooLong {
        /// The duration.
        duration: Duration,
        /// The length of a tick.
        tick: Duration,
    },
    /// A tick that takes no time.
    #[error("a tick of zero length: time would not pass")]
    ZeroTick,
    /// A parameter out of its range.
    #[error("{parameter} is {value}, but must be {wanted}")]
    OutOfRange {
        /// The policy and its parameter, for example `retry budget: ttl`.
        parameter: &'static str,
        /// What it is.
        value: String,
        /// What it may be.
        wanted: &'static str,
    },
}

impl PolicyError {
    /// Fine if `good`, else an error about `parameter`.
    pub(crate) fn unless(
        good: bool,
        parameter: &'static str,
        value: impl std::fmt::Debug,
        wanted: &'static str,
    ) -> Result<(), Self> {
        if good { Ok(()) } else { Err(Self::OutOfRange { parameter, value: format!("{value:?}"), wanted }) }
    }
}
