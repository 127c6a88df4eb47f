//! The retry quota of the AWS SDKs' standard mode: retries pay from a bucket, successes pay into it.
//!
//! A retry costs according to what failed. A success gives back what its own last retry had cost, and one that needed no
//! retry gives a little. Nothing comes with time.
//!
//! # Law
//!
//! While nothing succeeds, at most `capacity / cost` retries are granted, once. With g first attempts that succeed in a tick, in
//! the long run at most `g * no_retry_gain / cost` retries that fail.

use crate::policy::{Attempt, Outcome, Policy, PolicyError};

/// The parameters of an AWS retry quota. Tokens have no unit: only their ratios matter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QuotaBudget {
    /// The most tokens, and those at the start.
    pub capacity: u32,
    /// What a retry after any other failure costs.
    pub cost: u32,
    /// What a retry after a timeout costs.
    pub cost_timeout: u32,
    /// What a retry after throttling costs.
    pub cost_throttled: u32,
    /// What a success without a retry gives.
    pub no_retry_gain: u32,
}

/// The tokens left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QuotaState {
    /// In tokens.
    pub tokens: u32,
}

impl QuotaBudget {
    /// What a retry after `outcome` costs.
    #[must_use]
    pub fn cost_after(&self, outcome: Outcome) -> u32 {
        match outcome {
            Outcome::Timeout => self.cost_timeout,
            Outcome::Throttled => self.cost_throttled,
            _ => self.cost,
        }
    }

    pub(super) fn request(&self, _: &mut QuotaState, _: u32) {}

    pub(super) fn try_retry(&self, state: &mut QuotaState, _: Attempt, outcome: Outcome, n: u32) -> u32 {
        let granted = self.available(state, outcome).min(n);
        state.tokens -= granted * self.cost_after(outcome);
        granted
    }

    pub(super) fn success(&self, state: &mut QuotaState, attempt: Attempt, n: u32) {
        let gain = match attempt {
            Attempt::First => self.no_retry_gain,
            Attempt::Retry { after } => self.cost_after(after),
        };
        state.tokens = state.tokens.saturating_add(n.saturating_mul(gain)).min(self.capacity);
    }

    pub(super) fn failure(&self, _: &mut QuotaState, _: Attempt, _: Outcome, _: u32) {}

    pub(super) fn available(&self, state: &QuotaState, outcome: Outcome) -> u32 {
        state.tokens.checked_div(self.cost_after(outcome)).unwrap_or(u32::MAX)
    }

    pub(super) fn kind(&self, after: Outcome) -> Attempt {
        let alike = |other: &Outcome| self.cost_after(*other) == self.cost_after(after);
        let after = [Outcome::Error, Outcome::Timeout, Outcome::Throttled].into_iter().find(alike);
        Attempt::Retry { after: after.unwrap_or(Outcome::Error) }
    }
}

impl Policy for QuotaBudget {
    type State = QuotaState;

    fn validate(&self) -> Result<(), PolicyError> {
        PolicyError::unless(self.capacity >= 1, "retry quota: capacity", self.capacity, "at least 1")
    }

    fn initial(&self) -> QuotaState {
        QuotaState { tokens: self.capacity }
    }

    fn tick(&self, _: &mut QuotaState) {}
}
