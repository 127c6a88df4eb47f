//! Envoy's limits of concurrent retries: a fixed number, or a share of what is active.
//!
//! A retry is active from the moment that it is granted (its backoff included) until it ends.

use crate::policy::{Attempt, Outcome, Policy, PolicyError, Ratio};

/// How many retries may be active at the same time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConcurrentBudget {
    /// This many in any case (`max_retries`, or a retry budget's `min_retry_concurrency`).
    pub retries_min: u32,
    /// This share of the active requests, rounded down, if that is more (a retry budget's `budget_percent`).
    pub share: Ratio,
}

/// What is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ConcurrentState {
    /// Requests: first attempts and retries.
    pub active: u32,
    /// Those of them that are retries.
    pub retries: u32,
}

impl ConcurrentBudget {
    /// How many retries may be active now.
    #[must_use]
    pub fn limit(&self, state: &ConcurrentState) -> u32 {
        self.retries_min.max(self.share.of(state.active))
    }

    pub(super) fn request(&self, state: &mut ConcurrentState, n: u32) {
        state.active += n;
    }

    pub(super) fn try_retry(
        &self,
        state: &mut ConcurrentState,
        attempt: Attempt,
        outcome: Outcome,
        n: u32,
    ) -> u32 {
        (0..n).map(|_| self.try_one(state, attempt, outcome)).sum()
    }

    fn try_one(&self, state: &mut ConcurrentState, attempt: Attempt, outcome: Outcome) -> u32 {
        self.failure(state, attempt, outcome, 1);
        let granted = u32::from(state.retries < self.limit(state));
        state.active += granted;
        state.retries += granted;
        granted
    }

    pub(super) fn success(&self, state: &mut ConcurrentState, attempt: Attempt, n: u32) {
        self.failure(state, attempt, Outcome::Success, n);
    }

    pub(super) fn failure(&self, state: &mut ConcurrentState, attempt: Attempt, _: Outcome, n: u32) {
        state.active = state.active.saturating_sub(n);
        if attempt != Attempt::First {
            state.retries = state.retries.saturating_sub(n);
        }
    }

    pub(super) fn available(&self, state: &ConcurrentState, _: Outcome) -> u32 {
        self.limit(state).saturating_sub(state.retries)
    }
}

impl Policy for ConcurrentBudget {
    type State = ConcurrentState;

    fn validate(&self) -> Result<(), PolicyError> {
        PolicyError::unless(self.share.is_share(), "concurrent retries: share", self.share, "from 0 to 1")
    }

    fn initial(&self) -> ConcurrentState {
        ConcurrentState::default()
    }

    fn tick(&self, _: &mut ConcurrentState) {}
}
