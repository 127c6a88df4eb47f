//! Envoy's limits of concurrent retries: a fixed number (`max_retries`), or a share of what is active (`retry_budget`).
//!
//! A retry counts from the moment that it is granted until it ends, its backoff included. Whether one more is granted is
//! compared with the requests that are active at that moment, those waiting for a connection included; a retry becomes active
//! when it is sent, after its backoff. An attempt that has just failed is no longer active. (Envoy may still count it, and
//! so grant one retry more, where the answer came without a body.)
//!
//! Source: Envoy, `source/common/upstream/resource_manager_impl.h` (`RetryBudgetImpl`) and
//! `source/common/router/retry_state_impl.cc`.

use crate::policy::{Attempt, Outcome, Policy, PolicyError, Ratio};

/// How many retries may be under way at the same time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConcurrentBudget {
    /// This many in any case (`max_retries`, or a retry budget's `min_retry_concurrency`).
    pub retries_min: u32,
    /// This share of the active requests, rounded down, if that is more (a retry budget's `budget_percent`).
    pub share: Ratio,
}

/// What is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ConcurrentState {
    /// Attempts that have been sent and have not ended.
    pub active: u32,
    /// Retries that have been granted and have not ended.
    pub retries: u32,
}

impl ConcurrentBudget {
    /// How many retries may be under way now.
    #[must_use]
    pub fn limit(&self, state: &ConcurrentState) -> u32 {
        self.retries_min.max(self.share.of(state.active))
    }

    pub(super) fn request(&self, state: &mut ConcurrentState, n: u32) {
        state.active = state.active.saturating_add(n);
    }

    pub(super) fn retry_sent(&self, state: &mut ConcurrentState, n: u32) {
        state.active = state.active.saturating_add(n);
    }

    pub(super) fn try_retry(
        &self,
        state: &mut ConcurrentState,
        attempt: Attempt,
        outcome: Outcome,
        n: u32,
    ) -> u32 {
        // One after the other: each that ends makes the others' share smaller.
        let mut granted = 0;
        for _ in 0..n {
            self.failure(state, attempt, outcome, 1);
            let one = u32::from(state.retries < self.limit(state));
            state.retries += one;
            granted += one;
        }
        granted
    }

    pub(super) fn success(&self, state: &mut ConcurrentState, attempt: Attempt, n: u32) {
        self.failure(state, attempt, Outcome::Success, n);
    }

    pub(super) fn failure(&self, state: &mut ConcurrentState, attempt: Attempt, _: Outcome, n: u32) {
        let retries = if attempt == Attempt::First { 0 } else { n };
        if n > state.active || retries > state.retries {
            crate::model::refuse(format!(
                "{n} attempts end ({attempt:?}), but the retry budget knows of {} that are active, {} retries under way: \
                 tell it of each attempt that is sent (`request`, `retry_sent`)",
                state.active, state.retries
            ));
        }
        state.active -= n;
        state.retries -= retries;
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
