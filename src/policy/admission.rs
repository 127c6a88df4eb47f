//! Admission control by success rate, as Envoy's filter has it: a proxy rejects requests while too many of them fail.
//!
//! Over a window of time it counts requests that ended, and those that succeeded. A new one is rejected with probability
//! `min(max_rejection, ((n - s / threshold) / (n + 1)) ^ (1 / aggression))` for n requests and s successes, and none is while
//! there were fewer than `rate_min` requests a tick. A rejected request is not counted. It differs from
//! [`AdaptiveThrottle`](super::AdaptiveThrottle) in that: what is not sent is not counted, so the rejection fades as the window
//! forgets.
//!
//! Source: Envoy, `source/extensions/filters/http/admission_control/admission_control.cc` and the filter's documentation.
//!
//! # Rounding
//!
//! The probability becomes a share, as in adaptive throttling: less than one request from the expected number.

use super::share::around_float;
use super::window::{Counts, Window};
use super::{Outcome, Outcomes, Policy, PolicyError, Ratio};
use std::ops::RangeInclusive;

/// A proxy that rejects requests while too many of them fail.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AdmissionControl {
    /// How long requests are remembered.
    pub window: Window,
    /// Which outcomes are failures.
    pub failures: Outcomes,
    /// The lowest success rate at which nothing is rejected (`sr_threshold`); above 0.
    pub threshold: Ratio,
    /// 1: the rejection rises linearly as the success rate falls; more: it rises sooner (`aggression`). At least 1.
    pub aggression: Ratio,
    /// No more than this share is ever rejected (`max_rejection_probability`).
    pub rejection_max: Ratio,
    /// Nothing is rejected while there are fewer requests than this, on average over the window (`rps_threshold`). In
    /// requests per tick.
    pub rate_min: Ratio,
}

/// Requests and successes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AdmissionState(Counts<2>);

impl AdmissionControl {
    /// `n` requests come at once: how many of them may pass, as a range to be explored.
    #[must_use]
    pub fn may_pass(&self, state: &AdmissionState, n: u32) -> RangeInclusive<u32> {
        let (requests, successes) = state.counts();
        let average = u64::from(requests) * u64::from(self.rate_min.den);
        if average < u64::from(self.rate_min.num) * u64::from(self.window.length().0) {
            return n..=n;
        }
        around_float(self.rejection(requests, successes) * f64::from(n), n)
    }

    /// The probability of a rejection, with so many requests and successes.
    #[must_use]
    pub fn rejection(&self, requests: u32, successes: u32) -> f64 {
        let real = |ratio: Ratio| f64::from(ratio.num) / f64::from(ratio.den.max(1));
        let (n, s) = (f64::from(requests), f64::from(successes));
        let linear = (n - s / real(self.threshold)) / (n + 1.0);
        let aggression = real(self.aggression);
        let curved = if aggression == 1.0 { linear.max(0.0) } else { linear.max(0.0).powf(1.0 / aggression) };
        curved.min(real(self.rejection_max))
    }

    /// `n` requests that had passed ended with `outcome`.
    pub fn record(&self, state: &mut AdmissionState, outcome: Outcome, n: u32) {
        if outcome == Outcome::Refused {
            return;
        }
        self.window.add(&mut state.0, 0, n);
        if !self.failures.contains(outcome) {
            self.window.add(&mut state.0, 1, n);
        }
    }
}

impl AdmissionState {
    /// Requests and successes that are remembered.
    #[must_use]
    pub fn counts(&self) -> (u32, u32) {
        (self.0.sum(0), self.0.sum(1))
    }
}

impl Policy for AdmissionControl {
    type State = AdmissionState;

    fn validate(&self) -> Result<(), PolicyError> {
        self.window.validate("admission control: window")?;
        let good = self.threshold.is_share() && self.threshold.num > 0;
        PolicyError::unless(good, "admission control: threshold", self.threshold, "above 0, at most 1")?;
        let good = self.aggression.is_sound() && self.aggression.num >= self.aggression.den;
        PolicyError::unless(good, "admission control: aggression", self.aggression, "at least 1")?;
        let share = self.rejection_max;
        PolicyError::unless(share.is_share(), "admission control: rejection_max", share, "from 0 to 1")?;
        let rate = self.rate_min;
        PolicyError::unless(rate.is_sound(), "admission control: rate_min", rate, "requests per tick")
    }

    fn initial(&self) -> AdmissionState {
        AdmissionState(self.window.empty())
    }

    fn tick(&self, state: &mut AdmissionState) {
        self.window.tick(&mut state.0);
    }
}
