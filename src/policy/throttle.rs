//! Client-side adaptive throttling (SRE book, chapter 21): a client rejects its own requests while its server does.
//!
//! Over a window of time a client counts its requests and those that were accepted. It rejects a new request itself with
//! probability `max(0, (requests - K * accepts) / (requests + 1))`. Here that probability is a share: of n requests at once
//! n times the probability are rejected, rounded down or up, and both are explored.

use super::window::{Counts, Window};
use super::{Policy, PolicyError, Ratio};
use std::ops::RangeInclusive;

/// A client that rejects its own requests while its server does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AdaptiveThrottle {
    /// How long requests and accepts are remembered.
    pub window: Window,
    /// How many requests are let pass for each that was accepted (K); at least 1.
    pub k: Ratio,
}

/// Requests (rejected ones included) and accepts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ThrottleState(Counts<2>);

impl AdaptiveThrottle {
    /// `n` requests are to be made at once: how many of them may pass, as a range to be explored. Then tell with
    /// [`request`](AdaptiveThrottle::request) that there were n.
    #[must_use]
    pub fn may_pass(&self, state: &ThrottleState, n: u32) -> RangeInclusive<u32> {
        let (requests, accepts) = (u64::from(state.0.sum(0)), u64::from(state.0.sum(1)));
        let (num, den) = (u64::from(self.k.num), u64::from(self.k.den.max(1)));
        // rejected = n * (requests - k * accepts) / (requests + 1)
        let over = (requests * den).saturating_sub(num * accepts) * u64::from(n);
        let all = (requests + 1) * den;
        let (least, most) = (over / all, over.div_ceil(all));
        n - u32::try_from(most).unwrap_or(n).min(n)..=n - u32::try_from(least).unwrap_or(n).min(n)
    }

    /// `n` requests were made, those that it rejected included.
    pub fn request(&self, state: &mut ThrottleState, n: u32) {
        state.0.add(0, n);
    }

    /// `n` requests were accepted: answered, with whatever answer but that the server has too much to do.
    pub fn accept(&self, state: &mut ThrottleState, n: u32) {
        state.0.add(1, n);
    }
}

impl Policy for AdaptiveThrottle {
    type State = ThrottleState;

    fn validate(&self) -> Result<(), PolicyError> {
        self.window.validate("adaptive throttling: window")?;
        let good = self.k.is_sound() && self.k.num >= self.k.den;
        PolicyError::unless(good, "adaptive throttling: k", self.k, "at least 1")
    }

    fn initial(&self) -> ThrottleState {
        ThrottleState(self.window.empty())
    }

    fn tick(&self, state: &mut ThrottleState) {
        self.window.tick(&mut state.0);
    }
}
