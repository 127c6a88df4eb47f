//! Whole ticks: from durations and back, with the rounding said aloud.
//!
//! Policies count in ticks, the systems that they come from in milliseconds. A duration that a user writes for a model must
//! be a whole number of ticks ([`Ticks::of`]): anything else would be a different policy under the same name. A duration
//! that a formula gives (the third backoff of 25 ms doubled, with jitter) is rounded up ([`Ticks::up`]): what happens within
//! a tick is seen at its end, so a delay in ticks is never shorter than the real one and less than one tick longer.

use super::PolicyError;
use std::fmt;
use std::ops::{Add, Mul};
use std::time::Duration;

/// A number of ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticks(pub u32);

impl Ticks {
    /// No time at all: within the same tick.
    pub const ZERO: Self = Self(0);
    /// As long as can be counted; countdowns from it never end in practice.
    pub const MAX: Self = Self(u32::MAX);

    /// The ticks that `duration` is.
    ///
    /// # Errors
    /// Where it is no whole number of them, or more than are counted, or the tick is zero; the error names the duration.
    pub fn of(duration: Duration, tick: Duration) -> Result<Self, PolicyError> {
        if tick.is_zero() {
            return Err(PolicyError::ZeroTick);
        }
        if !duration.as_nanos().is_multiple_of(tick.as_nanos()) {
            return Err(PolicyError::Fraction { duration, tick });
        }
        let ticks = duration.as_nanos() / tick.as_nanos();
        u32::try_from(ticks).map(Self).map_err(|_| PolicyError::TooLong { duration, tick })
    }

    /// The least number of ticks that is no shorter than `duration`: at most one tick more than it, never less. What is
    /// more than can be counted becomes [`Ticks::MAX`]. A tick of zero counts as one nanosecond.
    #[must_use]
    pub fn up(duration: Duration, tick: Duration) -> Self {
        let ticks = duration.as_nanos().div_ceil(tick.as_nanos().max(1));
        Self(u32::try_from(ticks).unwrap_or(u32::MAX))
    }

    /// How long this is.
    #[must_use]
    pub fn duration(self, tick: Duration) -> Duration {
        tick.saturating_mul(self.0)
    }

    /// One tick less, or zero.
    #[must_use]
    pub fn less_one(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Add for Ticks {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Mul<u32> for Ticks {
    type Output = Self;
    fn mul(self, times: u32) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl fmt::Display for Ticks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tick{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// Every whole number of ticks from `lo` to `hi`, both included: a delay that is not known, so that each is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TickRange {
    /// The shortest.
    pub lo: Ticks,
    /// The longest.
    pub hi: Ticks,
}

impl TickRange {
    /// Exactly `ticks`.
    #[must_use]
    pub fn exactly(ticks: Ticks) -> Self {
        Self { lo: ticks, hi: ticks }
    }

    /// Each of them, the shortest first.
    pub fn iter(self) -> impl Iterator<Item = Ticks> {
        (self.lo.0..=self.hi.0).map(Ticks)
    }

    /// Whether `ticks` is one of them.
    #[must_use]
    pub fn contains(self, ticks: Ticks) -> bool {
        self.lo <= ticks && ticks <= self.hi
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_millis(100);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_duration_that_is_no_whole_number_of_ticks_is_an_error_that_names_it() {
        assert_eq!(Ticks::of(ms(300), TICK), Ok(Ticks(3)));
        assert_eq!(Ticks::of(ms(0), TICK), Ok(Ticks::ZERO));
        let error = Ticks::of(ms(250), TICK).unwrap_err().to_string();
        assert!(error.contains("250ms") && error.contains("100ms"), "{error}");
        assert!(Ticks::of(ms(1), Duration::ZERO).is_err());
        assert!(matches!(
            Ticks::of(Duration::MAX, Duration::from_nanos(1)),
            Err(PolicyError::TooLong { .. })
        ));
    }

    #[test]
    fn rounding_up_is_never_shorter_and_less_than_a_tick_longer() {
        for tick in [1, 7, 100].map(Duration::from_millis) {
            for duration in (0..5000).map(|n| Duration::from_micros(n * 137)) {
                let rounded = Ticks::up(duration, tick).duration(tick);
                assert!(rounded >= duration && rounded - duration < tick, "{duration:?} in {tick:?}");
            }
        }
    }
}
