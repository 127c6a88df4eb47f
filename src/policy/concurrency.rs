//! Limits of concurrent requests: fixed (a bulkhead), or found from what becomes of the requests.
//!
//! The adaptive ones are those of Netflix's concurrency-limits (`AIMDLimit.java`, `VegasLimit.java`, stored in 2023 and later). Both
//! compute with whole numbers there too (Vegas with its default smoothing of 1), so nothing is rounded but the times, which
//! are in ticks here. Gradient2 keeps averages of real numbers and is left out.
//!
//! Whoever is limited counts what is in flight, and tells of each request that ends how long it took and how many were in flight
//! when it began, itself included.
//!
//! # Probing
//!
//! Vegas forgets its shortest time now and then, at a random moment between half of `probe * limit` samples and all of them.
//! Here each moment is explored: [`ConcurrencyLimit::may_probe`] and [`ConcurrencyLimit::must_probe`] tell the range. The count
//! of samples is part of the state: scale `probe` down, or set it to 0, which never probes.

use super::{Policy, PolicyError, Ratio, Ticks};

/// How many requests may be in flight at the same time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConcurrencyLimit {
    /// So many, always.
    Fixed(u32),
    /// One more with each good request while at least half of the limit is used, a share of it after a bad one.
    Aimd {
        /// The limit at the start.
        initial: u32,
        /// It is never less,
        min: u32,
        /// and never more.
        max: u32,
        /// What is left of it, rounded down, after a request that was dropped
        backoff: Ratio,
        /// or took longer than this.
        timeout: Ticks,
    },
    /// By the queue that the shortest time seen lets one infer (TCP Vegas).
    Vegas {
        /// The limit at the start.
        initial: u32,
        /// It is never more (and never less than 1).
        max: u32,
        /// The shortest time is forgotten after so many samples times the limit, or half of it; 0: never.
        probe: u32,
    },
}

/// The limit, and what it is found from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LimitState {
    /// How many requests may be in flight.
    pub limit: u32,
    /// Vegas: the shortest time seen; zero: none yet.
    shortest: Ticks,
    /// Vegas: samples since it was forgotten.
    samples: u32,
}

/// A request that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sample {
    /// How long it took; at least one tick.
    pub time: Ticks,
    /// How many were in flight when it began, itself included.
    pub in_flight: u32,
    /// Whether it was dropped: timed out, or rejected for overload.
    pub dropped: bool,
}

impl ConcurrencyLimit {
    /// `n` requests come while `in_flight` are in flight: how many may begin.
    #[must_use]
    pub fn admit(&self, state: &LimitState, in_flight: u32, n: u32) -> u32 {
        n.min(state.limit.saturating_sub(in_flight))
    }

    /// Whether the next sample may be one that forgets the shortest time.
    #[must_use]
    pub fn may_probe(&self, state: &LimitState) -> bool {
        self.probes_at(state).is_some_and(|at| 2 * u64::from(state.samples + 1) >= at)
    }

    /// Whether it must be.
    #[must_use]
    pub fn must_probe(&self, state: &LimitState) -> bool {
        self.probes_at(state).is_some_and(|at| u64::from(state.samples + 1) >= at)
    }

    fn probes_at(&self, state: &LimitState) -> Option<u64> {
        match self {
            Self::Vegas { probe, .. } if *probe > 0 => Some(u64::from(*probe) * u64::from(state.limit)),
            _ => None,
        }
    }

    /// A request has ended. `probe`: this sample forgets the shortest time (see [`ConcurrencyLimit::may_probe`]).
    pub fn sample(&self, state: &mut LimitState, sample: Sample, probe: bool) {
        match self {
            Self::Fixed(_) => {}
            Self::Aimd { min, max, backoff, timeout, .. } => {
                let limit = if sample.dropped || sample.time > *timeout {
                    backoff.of(state.limit)
                } else if sample.in_flight.saturating_mul(2) >= state.limit {
                    state.limit + 1
                } else {
                    state.limit
                };
                state.limit = limit.max(*min).min(*max);
            }
            Self::Vegas { max, probe: every, .. } => {
                let time = sample.time.max(Ticks(1));
                state.samples += u32::from(*every > 0);
                if probe {
                    *state = LimitState { shortest: time, samples: 0, ..*state };
                } else if state.shortest.is_zero() || time < state.shortest {
                    state.shortest = time;
                } else {
                    state.limit =
                        vegas(state.limit, state.shortest, Sample { time, ..sample }).min(*max).max(1);
                }
            }
        }
    }
}

/// The limit that follows `limit`.
fn vegas(limit: u32, shortest: Ticks, sample: Sample) -> u32 {
    let step = log10(limit);
    if sample.dropped {
        return limit.saturating_sub(step);
    }
    if sample.in_flight.saturating_mul(2) < limit {
        return limit;
    }
    // The part of the limit that stands in a queue: limit * (1 - shortest / time), rounded up.
    let waiting = u64::from(limit) * u64::from(sample.time.0 - shortest.0);
    let queue = waiting.div_ceil(u64::from(sample.time.0));
    let (alpha, beta) = (3 * step, 6 * step);
    if queue <= u64::from(step) {
        limit + beta
    } else if queue < u64::from(alpha) {
        limit + step
    } else if queue > u64::from(beta) {
        limit.saturating_sub(step)
    } else {
        limit
    }
}

/// Netflix's `Log10RootFunction`: the logarithm rounded down, at least 1; from 1000 on the square root.
fn log10(limit: u32) -> u32 {
    if limit < 1000 { limit.max(10).ilog10() } else { limit.isqrt() }
}

impl Policy for ConcurrencyLimit {
    type State = LimitState;

    fn validate(&self) -> Result<(), PolicyError> {
        match self {
            Self::Fixed(limit) => PolicyError::unless(*limit >= 1, "concurrency limit", limit, "at least 1"),
            Self::Aimd { initial, min, max, backoff, timeout } => {
                let good = *min >= 1 && min <= initial && initial <= max;
                PolicyError::unless(
                    good,
                    "concurrency limit: initial",
                    initial,
                    "from `min`, at least 1, to `max`",
                )?;
                PolicyError::unless(
                    backoff.is_share(),
                    "concurrency limit: backoff",
                    backoff,
                    "from 0 to 1",
                )?;
                PolicyError::unless(
                    !timeout.is_zero(),
                    "concurrency limit: timeout",
                    timeout,
                    "at least 1 tick",
                )
            }
            Self::Vegas { initial, max, .. } => {
                let good = *initial >= 1 && initial <= max;
                PolicyError::unless(good, "concurrency limit: initial", initial, "from 1 to `max`")
            }
        }
    }

    fn initial(&self) -> LimitState {
        let (Self::Fixed(limit) | Self::Aimd { initial: limit, .. } | Self::Vegas { initial: limit, .. }) =
            self;
        LimitState { limit: *limit, shortest: Ticks::ZERO, samples: 0 }
    }

    /// Nothing: only requests that end change a limit.
    fn tick(&self, _: &mut LimitState) {}
}
