//! The retry budget of Finagle, Linkerd and tower: a share of the requests of the last seconds, and a few more.
//!
//! Each request deposits, each retry withdraws, and both are forgotten after a while, so that the balance over that window,
//! plus a reserve for clients that make few requests, is what retries may be paid from. The window is cut into slices. As in
//! those systems, slices are moved on when the budget is next used after a slice's length, not by a clock.
//!
//! # Law
//!
//! With nothing but failures, over any stretch of time, what retries withdraw is at most what the requests of that stretch and of
//! the window before it deposited, and the reserve once for each window that the stretch touches: of λ requests a tick at most
//! `λ * deposit / withdraw` are retried in the long run, and `reserve / withdraw` more for each window. (A test holds it to that.)

use crate::policy::{Attempt, Outcome, Policy, PolicyError, Ticks};

/// The parameters of a windowed retry budget. Tokens have no unit: only their ratios matter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WindowBudget {
    /// The length of a slice.
    pub slice: Ticks,
    /// How many slices are remembered besides the current one.
    pub slices: u32,
    /// Tokens that a request deposits.
    pub deposit: u32,
    /// Tokens that a retry withdraws; at least 1.
    pub withdraw: u32,
    /// Tokens that are always there.
    pub reserve: u32,
}

/// The balance of each slice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WindowState {
    /// The balance of the current slice.
    current: i32,
    /// Those of the slices before it, the one that is forgotten next first.
    past: Vec<i32>,
    /// Ticks since the current slice began.
    since: u32,
}

impl WindowBudget {
    /// Slices that are over are moved into the past. Called whenever the budget is used.
    fn expire(&self, state: &mut WindowState) {
        let slice = self.slice.0;
        if state.since < slice {
            return;
        }
        let empty = state.since.div_ceil(slice) - 1;
        let shift = |state: &mut WindowState, balance| {
            state.past.rotate_left(1);
            if let Some(last) = state.past.last_mut() {
                *last = balance;
            }
        };
        let balance = std::mem::take(&mut state.current);
        shift(state, balance);
        for _ in 0..empty.min(self.slices) {
            shift(state, 0);
        }
        state.since = 0;
    }

    /// The tokens that retries may be paid from.
    #[must_use]
    pub fn balance(&self, state: &WindowState) -> i64 {
        let mut now = state.clone();
        self.expire(&mut now);
        i64::from(self.reserve) + i64::from(now.current) + now.past.iter().map(|b| i64::from(*b)).sum::<i64>()
    }

    pub(super) fn request(&self, state: &mut WindowState, n: u32) {
        if n > 0 {
            self.expire(state);
            state.current = state.current.saturating_add_unsigned(n.saturating_mul(self.deposit));
        }
    }

    pub(super) fn try_retry(&self, state: &mut WindowState, _: Attempt, outcome: Outcome, n: u32) -> u32 {
        if n == 0 {
            return 0;
        }
        self.expire(state);
        let granted = self.available(state, outcome).min(n);
        state.current = state.current.saturating_sub_unsigned(granted.saturating_mul(self.withdraw));
        granted
    }

    pub(super) fn success(&self, _: &mut WindowState, _: Attempt, _: u32) {}

    pub(super) fn failure(&self, _: &mut WindowState, _: Attempt, _: Outcome, _: u32) {}

    pub(super) fn available(&self, state: &WindowState, _: Outcome) -> u32 {
        let tokens = self.balance(state).max(0) / i64::from(self.withdraw);
        u32::try_from(tokens).unwrap_or(u32::MAX)
    }
}

impl Policy for WindowBudget {
    type State = WindowState;

    fn validate(&self) -> Result<(), PolicyError> {
        PolicyError::unless(!self.slice.is_zero(), "retry budget: slice", self.slice, "at least one tick")?;
        PolicyError::unless(
            (1..=1000).contains(&self.slices),
            "retry budget: slices",
            self.slices,
            "1 to 1000",
        )?;
        PolicyError::unless(self.withdraw >= 1, "retry budget: withdraw", self.withdraw, "at least 1")
    }

    fn initial(&self) -> WindowState {
        WindowState { current: 0, past: vec![0; self.slices as usize], since: 0 }
    }

    fn tick(&self, state: &mut WindowState) {
        // Beyond this all that is remembered is forgotten at the next use; with nothing remembered, a slice is enough.
        let forgotten = self.slice.0.saturating_mul(self.slices).saturating_add(1);
        state.since = (state.since + 1).min(forgotten);
        if state.since == forgotten {
            state.current = 0;
            state.past.fill(0);
        }
        if state.current == 0 && state.past.iter().all(|b| *b == 0) {
            state.since = state.since.min(self.slice.0);
        }
    }
}
