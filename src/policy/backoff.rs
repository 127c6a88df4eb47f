//! How long to wait before a retry: growth, cap, jitter.
//!
//! The rule itself is in durations, exactly as the systems compute it ([`Backoff::delay`]); the result is then rounded up to
//! whole ticks ([`Delay::ticks`]). Jitter is not drawn: it is the range of what may be drawn, and each whole tick in it is
//! explored. The ticks of a range are exactly the real delays in it, each rounded up.

use super::{PolicyError, Ratio, TickRange, Ticks};
use std::time::Duration;

/// How the delay grows from retry to retry, before jitter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Growth {
    /// No delay.
    None,
    /// The same delay each time.
    Fixed(Duration),
    /// Before retry n (1 for the first): `min(cap, base * factor^(n-1))`.
    Exponential {
        /// The delay before the first retry.
        base: Duration,
        /// What it is multiplied by, from each retry to the next.
        factor: Ratio,
        /// The most that it grows to.
        cap: Duration,
    },
}

/// What randomness makes of the grown delay `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Jitter {
    /// Nothing: `d`.
    None,
    /// Anything from 0 to `d`.
    Full,
    /// Anything from `d / 2` to `d`.
    Equal,
    /// Anything from the base to three times the previous delay, but no more than the cap: the growth of `d` is not used,
    /// only its base and its cap. Before the first retry the previous delay is the base.
    Decorrelated,
    /// `d` times anything from `lo` to `hi`. Applied after the cap, so that it may exceed it.
    Factor {
        /// The least factor.
        lo: Ratio,
        /// The greatest factor.
        hi: Ratio,
    },
}

/// How long to wait before a retry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Backoff {
    /// How it grows.
    pub growth: Growth,
    /// What randomness makes of it.
    pub jitter: Jitter,
}

/// A delay that lies anywhere from `lo` to `hi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Delay {
    /// The shortest.
    pub lo: Duration,
    /// The longest.
    pub hi: Duration,
}

impl Delay {
    /// The same in whole ticks, each end rounded up.
    #[must_use]
    pub fn ticks(self, tick: Duration) -> TickRange {
        TickRange { lo: Ticks::up(self.lo, tick), hi: Ticks::up(self.hi, tick) }
    }
}

impl Backoff {
    /// No delay: a retry is sent in the tick of the failure.
    #[must_use]
    pub const fn none() -> Self {
        Self { growth: Growth::None, jitter: Jitter::None }
    }

    /// Always `delay`.
    #[must_use]
    pub const fn fixed(delay: Duration) -> Self {
        Self { growth: Growth::Fixed(delay), jitter: Jitter::None }
    }

    /// Doubled from `base` up to `cap`.
    #[must_use]
    pub const fn doubling(base: Duration, cap: Duration) -> Self {
        Self { growth: Growth::Exponential { base, factor: Ratio::whole(2), cap }, jitter: Jitter::None }
    }

    /// The same, with `jitter`.
    #[must_use]
    pub const fn with(self, jitter: Jitter) -> Self {
        Self { growth: self.growth, jitter }
    }

    /// The delay before retry number `retry` (1 for the first). `previous` is the delay before the retry before it, which
    /// decorrelated jitter alone asks for (see [`Backoff::needs_previous`]).
    #[must_use]
    pub fn delay(&self, retry: u32, previous: Duration) -> Delay {
        let grown = self.grown(retry);
        match self.jitter {
            Jitter::None => Delay { lo: grown, hi: grown },
            Jitter::Full => Delay { lo: Duration::ZERO, hi: grown },
            Jitter::Equal => Delay { lo: grown / 2, hi: grown },
            Jitter::Decorrelated => {
                let (base, cap) = self.base_and_cap();
                let previous = if retry <= 1 { base } else { previous.max(base) };
                Delay { lo: base.min(cap), hi: previous.saturating_mul(3).min(cap) }
            }
            Jitter::Factor { lo, hi } => Delay { lo: scale(grown, lo), hi: scale(grown, hi) },
        }
    }

    /// The same in whole ticks, rounded up: never earlier than the real one, and less than one tick later.
    #[must_use]
    pub fn ticks(&self, retry: u32, previous: Ticks, tick: Duration) -> TickRange {
        self.delay(retry, previous.duration(tick)).ticks(tick)
    }

    /// Whether the delay before a retry depends on the one before it, so that a model must remember it.
    #[must_use]
    pub fn needs_previous(&self) -> bool {
        self.jitter == Jitter::Decorrelated
    }

    /// Whether its parameters make sense.
    ///
    /// # Errors
    /// The first parameter that does not.
    pub fn validate(&self) -> Result<(), PolicyError> {
        if let Growth::Exponential { factor, .. } = &self.growth {
            let good = factor.is_sound() && factor.num >= factor.den;
            PolicyError::unless(good, "backoff: factor", factor, "at least 1")?;
        }
        if let Jitter::Factor { lo, hi } = self.jitter {
            let good = lo.is_sound()
                && hi.is_sound()
                && u64::from(lo.num) * u64::from(hi.den) <= u64::from(hi.num) * u64::from(lo.den);
            PolicyError::unless(good, "backoff: jitter factors", (lo, hi), "two numbers, the lesser first")?;
        }
        Ok(())
    }

    fn base_and_cap(&self) -> (Duration, Duration) {
        match self.growth {
            Growth::None => (Duration::ZERO, Duration::ZERO),
            Growth::Fixed(delay) => (delay, delay),
            Growth::Exponential { base, cap, .. } => (base, cap),
        }
    }

    fn grown(&self, retry: u32) -> Duration {
        let steps = retry.saturating_sub(1);
        match &self.growth {
            Growth::None => Duration::ZERO,
            Growth::Fixed(delay) => *delay,
            Growth::Exponential { base, factor, cap } => {
                let mut delay = *base;
                for _ in 0..steps {
                    if delay >= *cap || factor.num <= factor.den {
                        break;
                    }
                    delay = scale(delay, *factor);
                }
                delay.min(*cap)
            }
        }
    }
}

/// `duration * ratio`, rounded down to the nanosecond.
fn scale(duration: Duration, ratio: Ratio) -> Duration {
    let nanos = duration.as_nanos().saturating_mul(u128::from(ratio.num)) / u128::from(ratio.den.max(1));
    u64::try_from(nanos).map_or(Duration::MAX, Duration::from_nanos)
}
