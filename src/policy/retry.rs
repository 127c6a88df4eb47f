//! Whether an attempt that failed is made again, and when.

use super::{Attempt, Backoff, Outcome, Outcomes, PolicyError, TickRange, Ticks};
use std::time::Duration;

/// When a request is tried again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Retry {
    /// Attempts of one request at most, the first included (1: no retry).
    pub attempts: u32,
    /// Which outcomes are retried.
    pub on: Outcomes,
    /// How long to wait before a retry.
    pub backoff: Backoff,
    /// How long to wait before one that follows a throttled attempt, where that differs.
    pub throttled_backoff: Option<Backoff>,
}

impl Retry {
    /// Every request is tried once.
    #[must_use]
    pub const fn never() -> Self {
        Self { attempts: 1, on: Outcomes::NONE, backoff: Backoff::none(), throttled_backoff: None }
    }

    /// Whatever may pass by itself is tried up to `retries` times more.
    #[must_use]
    pub const fn times(retries: u32, backoff: Backoff) -> Self {
        Self {
            attempts: retries.saturating_add(1),
            on: Outcomes::TRANSIENT,
            backoff,
            throttled_backoff: None,
        }
    }

    /// Whether attempt number `attempt` (1 for the first), which ended with `outcome`, is to be made again. Whether a budget
    /// lets it is another question.
    #[must_use]
    pub fn wants(&self, attempt: u32, outcome: Outcome) -> bool {
        attempt < self.attempts && !outcome.is_success() && self.on.contains(outcome)
    }

    /// How long to wait before the retry that follows attempt number `attempt` (1 for the first), which ended with
    /// `outcome`. `previous` is the delay before that attempt (zero for the first); it matters where
    /// [`Retry::needs_previous`].
    #[must_use]
    pub fn delay(&self, attempt: u32, outcome: Outcome, previous: Ticks, tick: Duration) -> TickRange {
        let backoff = match (&self.throttled_backoff, outcome) {
            (Some(other), Outcome::Throttled) => other,
            _ => &self.backoff,
        };
        backoff.ticks(attempt, previous, tick)
    }

    /// Whether a delay depends on the one before it, so that a model must remember it.
    #[must_use]
    pub fn needs_previous(&self) -> bool {
        self.backoff.needs_previous() || self.throttled_backoff.as_ref().is_some_and(Backoff::needs_previous)
    }

    /// The retry that follows an attempt with `outcome`.
    #[must_use]
    pub const fn again(outcome: Outcome) -> Attempt {
        Attempt::Retry { after: outcome }
    }

    /// Whether its parameters make sense.
    ///
    /// # Errors
    /// The first parameter that does not.
    pub fn validate(&self) -> Result<(), PolicyError> {
        PolicyError::unless(self.attempts >= 1, "retry: attempts", self.attempts, "at least 1, the first")?;
        self.backoff.validate()?;
        self.throttled_backoff.as_ref().map_or(Ok(()), Backoff::validate)
    }
}
