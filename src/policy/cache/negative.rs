//! Negative caching: failures are remembered, so that not every request asks again (RFC 2308, RFC 9520).

use crate::policy::{Policy, PolicyError, Ticks};

/// For how long failures are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NegativeCaching {
    /// The first failure.
    pub first: Ticks,
    /// Each further failure without a success between them this many times as long as the one before; 1: always the same.
    pub factor: u32,
    /// At most so long.
    pub most: Ticks,
}

/// What is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct NegativeState {
    /// Ticks for which the failure is still answered without asking.
    pub left: Ticks,
    /// For how long the last failure was remembered; zero: the last answer was a success.
    pub last: Ticks,
}

impl NegativeCaching {
    /// Whether requests are answered with the failure that is remembered.
    #[must_use]
    pub fn answers(&self, state: &NegativeState) -> bool {
        !state.left.is_zero()
    }

    /// Asking has failed.
    pub fn failure(&self, state: &mut NegativeState) {
        let next = if state.last.is_zero() { self.first } else { state.last * self.factor };
        let next = next.min(self.most);
        *state = NegativeState { left: next, last: next };
    }

    /// Asking has succeeded.
    pub fn success(&self, state: &mut NegativeState) {
        *state = NegativeState::default();
    }
}

impl Policy for NegativeCaching {
    type State = NegativeState;

    fn validate(&self) -> Result<(), PolicyError> {
        PolicyError::unless(self.factor >= 1, "negative caching: factor", self.factor, "at least 1")?;
        let good = !self.first.is_zero() && self.first <= self.most;
        PolicyError::unless(good, "negative caching: first", self.first, "at least 1 tick, at most `most`")
    }

    fn initial(&self) -> NegativeState {
        NegativeState::default()
    }

    fn tick(&self, state: &mut NegativeState) {
        state.left = state.left.less_one();
    }
}
