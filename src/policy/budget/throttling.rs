//! gRPC's retry throttling (proposal A6): no retries while failures outweigh successes.
//!
//! A count of tokens per server name starts at `max`. Each failed attempt takes one, each successful one gives `ratio`, and a
//! retry is made only while more than half of `max` is left (after the failure's own token is taken).
//!
//! # Law
//!
//! While nothing succeeds, at most `ceil(max / 2) - 1` retries are granted, whatever comes. Then none is until
//! successes have outweighed failures: each failure takes what `1 / ratio` successes give.

use crate::policy::{Attempt, Outcome, Outcomes, Policy, PolicyError};

/// The unit of the token count: gRPC reads `tokenRatio` to three decimal places.
const MILLI: u32 = 1000;

/// The parameters of gRPC's retry throttling.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ThrottlingBudget {
    /// The most tokens, and those at the start (`maxTokens`): 1 to 1000.
    pub tokens_max: u32,
    /// Thousandths of a token that a success gives (`tokenRatio` times 1000); at least 1.
    pub token_ratio_milli: u32,
    /// Which outcomes take a token: those that the retry policy retries, and a pushback that forbids it.
    pub failures: Outcomes,
}

/// The tokens left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThrottlingState {
    /// In thousandths.
    pub tokens_milli: u32,
}

impl ThrottlingBudget {
    pub(super) fn request(&self, _: &mut ThrottlingState, _: u32) {}

    pub(super) fn try_retry(
        &self,
        state: &mut ThrottlingState,
        attempt: Attempt,
        outcome: Outcome,
        n: u32,
    ) -> u32 {
        // One after the other: the first ones may still find more than half.
        let granted = self.available(state, outcome).min(n);
        self.failure(state, attempt, outcome, n);
        granted
    }

    pub(super) fn success(&self, state: &mut ThrottlingState, _: Attempt, n: u32) {
        let given = n.saturating_mul(self.token_ratio_milli);
        state.tokens_milli = state.tokens_milli.saturating_add(given).min(self.tokens_max * MILLI);
    }

    pub(super) fn failure(&self, state: &mut ThrottlingState, _: Attempt, outcome: Outcome, n: u32) {
        if self.failures.contains(outcome) {
            state.tokens_milli = state.tokens_milli.saturating_sub(n.saturating_mul(MILLI));
        }
    }

    /// The largest j with `tokens - j > max / 2`; for outcomes that take no token, all while more than half is left.
    pub(super) fn available(&self, state: &ThrottlingState, outcome: Outcome) -> u32 {
        let half = self.tokens_max * MILLI / 2;
        if !self.failures.contains(outcome) {
            return if state.tokens_milli > half { u32::MAX } else { 0 };
        }
        state.tokens_milli.saturating_sub(half).saturating_sub(1) / MILLI
    }
}

impl Policy for ThrottlingBudget {
    type State = ThrottlingState;

    fn validate(&self) -> Result<(), PolicyError> {
        let max = self.tokens_max;
        PolicyError::unless((1..=1000).contains(&max), "retry throttling: tokens_max", max, "1 to 1000")?;
        let ratio = self.token_ratio_milli;
        PolicyError::unless(ratio >= 1, "retry throttling: token_ratio_milli", ratio, "at least 1")
    }

    fn initial(&self) -> ThrottlingState {
        ThrottlingState { tokens_milli: self.tokens_max * MILLI }
    }

    fn tick(&self, _: &mut ThrottlingState) {}
}
