//! Client-side adaptive throttling (SRE book, chapter 21, "Handling Overload", equation 21-1).
//!
//! Over a window of time a client counts its requests, and those that were accepted. It rejects a new request itself with
//! probability `max(0, (requests - K * accepts) / (requests + 1))`, and counts it as a request all the same.
//!
//! # Rounding
//!
//! The probability becomes a share: of n requests at once, n times the probability are rejected, rounded down or up to a whole
//! number, and both are explored. So what is rejected here differs from the expected number by less than one request. (Rarer
//! draws, such as all n passing by luck, are not explored.) All n see the counts from before any of them, as concurrent
//! requests do.

use super::share::around;
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
        let (requests, accepts) = (u128::from(state.0.sum(0)), u128::from(state.0.sum(1)));
        let (num, den) = (u128::from(self.k.num), u128::from(self.k.den.max(1)));
        // rejected = n * (requests - k * accepts) / (requests + 1)
        let over = (requests * den).saturating_sub(num * accepts) * u128::from(n);
        around(over, (requests + 1) * den, n)
    }

    /// `n` requests were made, those that it rejected included.
    pub fn request(&self, state: &mut ThrottleState, n: u32) {
        self.window.add(&mut state.0, 0, n);
    }

    /// `n` requests were accepted: answered, with whatever answer but that the server has too much to do.
    pub fn accept(&self, state: &mut ThrottleState, n: u32) {
        self.window.add(&mut state.0, 1, n);
    }
}

impl ThrottleState {
    /// Requests and accepts that are remembered.
    #[must_use]
    pub fn counts(&self) -> (u32, u32) {
        (self.0.sum(0), self.0.sum(1))
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
