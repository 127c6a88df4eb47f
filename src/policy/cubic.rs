//! The client-side rate limit of the AWS SDKs' adaptive retry mode: CUBIC congestion control of a sending rate.
//!
//! Nothing is limited until the first throttling answer. From then on each attempt, first or retry, takes a token from a bucket
//! that is filled at a rate; who finds none waits. Every answer sets the rate anew. A throttling one multiplies it by
//! 0.7; any other lets it grow along a cubic, which is flat near the rate at which throttling came last:
//! `0.4 * (t - k)^3 + w` after t seconds, with `k = cbrt(w * 0.3 / 0.4)`. The rate is never more than twice the measured one, an
//! average of answers per second over half-second buckets, and never less than half a request a second.
//!
//! Source: `aws-smithy-runtime` 1.16.2, `client_rate_limiter.rs`, in the form of retry behaviour 2.1 (one token for an attempt, and
//! tokens that are taken only when they are there); botocore's `adaptive.py` has the same constants.
//!
//! # Rounding
//!
//! Rates are real numbers there and whole numbers of `1 / quanta` requests a second here, rounded to the nearest after each
//! step. Beside the real limiter, with tenths of a request a second, the rate stays within 0.6 requests a second and 92 % of
//! all sends are judged alike (a test holds it to that). Half seconds are counted from the start of the model. Rates above
//! `rate_max` are not told apart. The bucket is full when limiting begins, as it is there after a second or two of traffic.
//!
//! # States
//!
//! Many: a measured rate, a rate, tokens, and the time since the last throttling. Choose few quanta.

use super::{Policy, PolicyError};
use std::time::Duration;

const BETA: f64 = 0.7;
const SCALE: f64 = 0.4;
const SMOOTH: f64 = 0.8;
const BUCKET_MS: u64 = 500;

/// The parameters of the limit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CubicRate {
    /// The length of a tick, in milliseconds: a divisor or a multiple of 500.
    pub tick_ms: u32,
    /// How many steps a rate of one request a second is divided into.
    pub quanta: u32,
    /// The highest rate that matters, in requests a second.
    pub rate_max: u32,
}

/// What is known of the rate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CubicState {
    /// The measured rate of answers, in quanta.
    measured: u32,
    /// Answers since the bucket began.
    answers: u32,
    /// Ticks since the bucket began that the measure was last taken at.
    bucket: u32,
    limit: Option<Limit>,
}

/// The bucket of tokens, once there has been throttling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Limit {
    /// The rate at which tokens come, in quanta.
    rate: u32,
    /// Tokens, in parts of `quanta * 1000` to one.
    tokens: u64,
    /// The rate at which throttling came last (w), in quanta.
    throttled_at: u32,
    /// Ticks since then.
    since: u32,
}

impl CubicRate {
    /// For ticks of this length; rates in tenths of a request a second, up to 100.
    ///
    /// # Errors
    /// Where half a second is no whole number of ticks, nor a tick a whole number of half seconds.
    pub fn new(tick: Duration) -> Result<Self, PolicyError> {
        let tick_ms = u32::try_from(tick.as_millis()).unwrap_or(0);
        if tick_ms == 0 || Duration::from_millis(tick_ms.into()) != tick {
            return Err(PolicyError::Fraction { duration: Duration::from_millis(BUCKET_MS), tick });
        }
        let rate = Self { tick_ms, quanta: 10, rate_max: 100 };
        rate.validate().map(|()| rate)
    }

    /// `n` attempts are to be sent: how many may be sent now. The others wait and ask again.
    #[must_use]
    pub fn send(&self, state: &mut CubicState, n: u32) -> u32 {
        let Some(limit) = &mut state.limit else { return n };
        let sent = n.min(u32::try_from(limit.tokens / self.token()).unwrap_or(u32::MAX));
        limit.tokens -= u64::from(sent) * self.token();
        sent
    }

    /// `n` attempts were answered, one after the other, with throttling or with anything else.
    pub fn answered(&self, state: &mut CubicState, throttled: bool, n: u32) {
        (0..n).for_each(|_| self.answered_one(state, throttled));
    }

    fn answered_one(&self, state: &mut CubicState, throttled: bool) {
        self.measure(state);
        let measured = state.measured;
        match (&mut state.limit, throttled) {
            (None, false) => {}
            (None, true) => {
                // As full as its first rate lets it be.
                let mut limit = Limit { rate: 0, tokens: u64::MAX, throttled_at: measured, since: 0 };
                self.set_rate(&mut limit, f64::from(measured) * BETA, measured);
                state.limit = Some(limit);
            }
            (Some(limit), true) => {
                limit.throttled_at = limit.rate.min(measured);
                limit.since = 0;
                let rate = f64::from(limit.throttled_at) * BETA;
                self.set_rate(limit, rate, measured);
            }
            (Some(limit), false) => {
                let rate = self.cubic(limit, limit.since);
                self.set_rate(limit, rate, measured);
            }
        }
    }

    fn measure(&self, state: &mut CubicState) {
        state.answers = state.answers.saturating_add(1);
        let elapsed = self.whole_buckets(state.bucket);
        if elapsed > 0 {
            let now = f64::from(state.answers) * f64::from(self.quanta) * 1000.0 / self.ms(elapsed);
            let smooth = now * SMOOTH + f64::from(state.measured) * (1.0 - SMOOTH);
            state.measured = (smooth.round() as u32).min(self.rate_max * self.quanta);
            state.answers = 0;
            state.bucket -= elapsed;
        }
    }

    fn set_rate(&self, limit: &mut Limit, rate: f64, measured: u32) {
        let rate = rate.min(2.0 * f64::from(measured)).max(0.0).round() as u32;
        limit.rate = rate.max(self.quanta.div_ceil(2));
        let most = u64::from(rate.max(self.quanta)) * 1000;
        limit.tokens = limit.tokens.min(most);
    }

    /// The rate that the cubic gives so many ticks after throttling, in quanta.
    fn cubic(&self, limit: &Limit, since: u32) -> f64 {
        let w = f64::from(limit.throttled_at) / f64::from(self.quanta);
        let k = cube_root(w * (1.0 - BETA) / SCALE);
        let t = self.ms(since) / 1000.0 - k;
        (SCALE * t * t * t + w) * f64::from(self.quanta)
    }

    /// Ticks in the whole buckets among so many ticks.
    fn whole_buckets(&self, ticks: u32) -> u32 {
        ticks - ticks % self.bucket_ticks()
    }

    fn bucket_ticks(&self) -> u32 {
        (BUCKET_MS as u32 / self.tick_ms).max(1)
    }

    fn ms(&self, ticks: u32) -> f64 {
        f64::from(ticks) * f64::from(self.tick_ms)
    }

    /// Parts of one token: a rate in quanta, for a millisecond, gives as many parts.
    fn token(&self) -> u64 {
        u64::from(self.quanta) * 1000
    }
}

impl CubicState {
    /// Whether sending is limited: there has been throttling.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// The rate at which attempts may be sent, in quanta, where it is limited.
    #[must_use]
    pub fn rate(&self) -> Option<u32> {
        self.limit.map(|limit| limit.rate)
    }

    /// The measured rate of answers, in quanta.
    #[must_use]
    pub fn measured(&self) -> u32 {
        self.measured
    }
}

/// By Newton's method, with additions, multiplications and divisions alone, so that every machine gives the same.
fn cube_root(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let mut root = x.max(1.0);
    for _ in 0..200 {
        let next = (2.0 * root + x / (root * root)) / 3.0;
        if next >= root {
            break;
        }
        root = next;
    }
    root
}

impl Policy for CubicRate {
    type State = CubicState;

    fn validate(&self) -> Result<(), PolicyError> {
        let tick = u64::from(self.tick_ms);
        let good = tick > 0 && (BUCKET_MS.is_multiple_of(tick) || tick.is_multiple_of(BUCKET_MS));
        PolicyError::unless(good, "cubic rate: tick_ms", self.tick_ms, "a divisor or a multiple of 500")?;
        PolicyError::unless(self.quanta >= 1, "cubic rate: quanta", self.quanta, "at least 1")?;
        let good =
            self.rate_max >= 1 && u64::from(self.rate_max) * u64::from(self.quanta) < u64::from(u32::MAX / 4);
        PolicyError::unless(
            good,
            "cubic rate: rate_max",
            self.rate_max,
            "at least 1, and not beyond counting",
        )
    }

    fn initial(&self) -> CubicState {
        CubicState { measured: self.quanta.div_ceil(2), answers: 0, bucket: 0, limit: None }
    }

    fn tick(&self, state: &mut CubicState) {
        state.bucket += 1;
        // A measure over so long that it comes out as nothing is not told from one over longer; the place within the half
        // second is.
        let elapsed = self.whole_buckets(state.bucket);
        let rate = |ticks| f64::from(state.answers + 1) * f64::from(self.quanta) * 1000.0 / self.ms(ticks);
        if elapsed > self.bucket_ticks() && rate(elapsed - self.bucket_ticks()) * SMOOTH < 0.05 {
            state.bucket -= self.bucket_ticks();
        }
        if let Some(limit) = &mut state.limit {
            let most = u64::from(limit.rate.max(self.quanta)) * 1000;
            limit.tokens = (limit.tokens + u64::from(limit.rate) * u64::from(self.tick_ms)).min(most);
            // Beyond this the measured rate alone is the bound.
            if self.cubic(limit, limit.since) < 2.0 * f64::from(self.rate_max * self.quanta) {
                limit.since += 1;
            }
        }
    }
}
