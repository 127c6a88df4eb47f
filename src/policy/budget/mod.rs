//! Retry budgets: how many retries a client may make, over all its requests.
//!
//! A budget hears of every request: [`request`](RetryBudget::request) when first attempts begin, and then exactly one of
//! three when an attempt ends: [`success`](RetryBudget::success); [`failure`](RetryBudget::failure) where nothing more is
//! tried; [`try_retry`](RetryBudget::try_retry) where a retry is wanted, which tells how many are granted. A granted retry is
//! an attempt of its own: [`retry_sent`](RetryBudget::retry_sent) when it is sent, after its backoff, and one of the three
//! when it ends.

mod concurrent;
mod quota;
mod throttling;
mod window;

pub use concurrent::{ConcurrentBudget, ConcurrentState};
pub use quota::{QuotaBudget, QuotaState};
pub use throttling::{ThrottlingBudget, ThrottlingState};
pub use window::{WindowBudget, WindowState};

use super::{Attempt, Outcome, Policy, PolicyError};

/// How many retries a client may make, over all its requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RetryBudget {
    /// As many as it likes.
    Unlimited,
    /// A share of the requests of the last seconds and a few more (Finagle, Linkerd, tower).
    Window(WindowBudget),
    /// None while failures outweigh successes (gRPC `retryThrottling`).
    Throttling(ThrottlingBudget),
    /// A bucket that retries pay from and successes pay into (AWS SDK standard mode).
    Quota(QuotaBudget),
    /// So many retries at the same time (Envoy `max_retries` and `retry_budget`).
    Concurrent(ConcurrentBudget),
}

/// What a budget remembers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BudgetState {
    /// Nothing.
    Unlimited,
    /// Of [`RetryBudget::Window`].
    Window(WindowState),
    /// Of [`RetryBudget::Throttling`].
    Throttling(ThrottlingState),
    /// Of [`RetryBudget::Quota`].
    Quota(QuotaState),
    /// Of [`RetryBudget::Concurrent`].
    Concurrent(ConcurrentState),
}

/// Calls the same method of whichever budget it is, with its own state; a state of another budget is a fault of the caller.
macro_rules! each {
    ($self:ident, $state:ident, ($b:ident, $s:ident) => $call:expr, $unlimited:expr) => {
        match ($self, $state) {
            (RetryBudget::Unlimited, BudgetState::Unlimited) => $unlimited,
            (RetryBudget::Window($b), BudgetState::Window($s)) => $call,
            (RetryBudget::Throttling($b), BudgetState::Throttling($s)) => $call,
            (RetryBudget::Quota($b), BudgetState::Quota($s)) => $call,
            (RetryBudget::Concurrent($b), BudgetState::Concurrent($s)) => $call,
            (budget, state) => {
                crate::model::refuse(format!("{state:?} is no state of the retry budget {budget:?}"))
            }
        }
    };
}

impl RetryBudget {
    /// `n` first attempts begin.
    pub fn request(&self, state: &mut BudgetState, n: u32) {
        each!(self, state, (b, s) => b.request(s, n), ());
    }

    /// `n` attempts of this kind failed with `outcome`, one after the other, and each wants to be made again: how many may.
    /// The first `granted` of them.
    #[must_use]
    pub fn try_retry(&self, state: &mut BudgetState, attempt: Attempt, outcome: Outcome, n: u32) -> u32 {
        each!(self, state, (b, s) => b.try_retry(s, attempt, outcome, n), n)
    }

    /// `n` retries that were granted are sent: their backoff is over. Only budgets that limit concurrent retries listen.
    pub fn retry_sent(&self, state: &mut BudgetState, n: u32) {
        if let (Self::Concurrent(budget), BudgetState::Concurrent(state)) = (self, state) {
            budget.retry_sent(state, n);
        }
    }

    /// `n` attempts of this kind succeeded.
    pub fn success(&self, state: &mut BudgetState, attempt: Attempt, n: u32) {
        each!(self, state, (b, s) => b.success(s, attempt, n), ());
    }

    /// `n` attempts of this kind failed with `outcome`, and nothing more is tried.
    pub fn failure(&self, state: &mut BudgetState, attempt: Attempt, outcome: Outcome, n: u32) {
        each!(self, state, (b, s) => b.failure(s, attempt, outcome, n), ());
    }

    /// How many retries it would grant now, one after the other (a measure); `None` where there is no limit. For attempts
    /// that fail with `outcome`.
    #[must_use]
    pub fn available(&self, state: &BudgetState, outcome: Outcome) -> Option<u32> {
        Some(each!(self, state, (b, s) => b.available(s, outcome), return None))
    }

    /// The attempt as far as this budget tells attempts apart: the same for two that it treats alike, so that a model need
    /// not remember more.
    #[must_use]
    pub fn kind(&self, attempt: Attempt) -> Attempt {
        match (self, attempt) {
            (_, Attempt::First) | (Self::Unlimited | Self::Window(_) | Self::Throttling(_), _) => {
                Attempt::First
            }
            (Self::Quota(quota), Attempt::Retry { after }) => quota.kind(after),
            (Self::Concurrent(_), Attempt::Retry { .. }) => Attempt::Retry { after: Outcome::Error },
        }
    }
}

impl Policy for RetryBudget {
    type State = BudgetState;

    fn validate(&self) -> Result<(), PolicyError> {
        match self {
            Self::Unlimited => Ok(()),
            Self::Window(b) => b.validate(),
            Self::Throttling(b) => b.validate(),
            Self::Quota(b) => b.validate(),
            Self::Concurrent(b) => b.validate(),
        }
    }

    fn initial(&self) -> BudgetState {
        match self {
            Self::Unlimited => BudgetState::Unlimited,
            Self::Window(b) => BudgetState::Window(b.initial()),
            Self::Throttling(b) => BudgetState::Throttling(b.initial()),
            Self::Quota(b) => BudgetState::Quota(b.initial()),
            Self::Concurrent(b) => BudgetState::Concurrent(b.initial()),
        }
    }

    fn tick(&self, state: &mut BudgetState) {
        each!(self, state, (b, s) => b.tick(s), ());
    }
}
