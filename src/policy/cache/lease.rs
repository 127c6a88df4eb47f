//! Memcache leases ("Scaling Memcache at Facebook", NSDI 2013, section 3.2.1): who misses may fill the key only with a token,
//! and tokens are given rarely.
//!
//! A miss gives a token, at most once in a period for a key; who misses in between is told to wait and to ask again. Only the
//! newest token may fill the key, once, and a deletion of the key takes that away. The period runs from the token, whatever
//! became of it: a key that is filled and deleted again is not fetched again before the period is over.
//!
//! Tokens are told apart as long as somebody holds them: whoever got one must [`fill`](Lease::fill) or
//! [`abandon`](Lease::abandon), or they pile up.

use crate::policy::{Policy, PolicyError, Ticks};

/// How often a token is given for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// At most once in so many ticks. Who comes in between is told to wait and to ask again.
    pub period: Ticks,
}

/// A token. Its number has no meaning but to tell it from others that are still held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseToken(pub u32);

/// The tokens of a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct LeaseState {
    /// Those held by somebody, in order.
    held: Vec<LeaseToken>,
    /// The one that may still fill the key.
    valid: Option<LeaseToken>,
    /// Ticks until another may be given.
    left: Ticks,
}

impl Lease {
    /// Somebody misses the key: the token, or `None` to wait and ask again.
    #[must_use]
    pub fn miss(&self, state: &mut LeaseState) -> Option<LeaseToken> {
        if !state.left.is_zero() {
            return None;
        }
        let token = LeaseToken((0..).find(|n| !state.held.contains(&LeaseToken(*n))).unwrap_or(0));
        state.held.push(token);
        state.held.sort_unstable();
        state.valid = Some(token);
        state.left = self.period;
        Some(token)
    }

    /// The holder of `token` wants to fill the key: whether it may. The token is given back either way.
    #[must_use]
    pub fn fill(&self, state: &mut LeaseState, token: LeaseToken) -> bool {
        state.held.retain(|held| *held != token);
        let good = state.valid == Some(token);
        if good {
            state.valid = None;
        }
        good
    }

    /// The holder of `token` gives up. Nobody knows until the period is over.
    pub fn abandon(&self, state: &mut LeaseState, token: LeaseToken) {
        state.held.retain(|held| *held != token);
        if state.valid == Some(token) {
            state.valid = None;
        }
    }

    /// The key is deleted: no token that is held may fill it any more.
    pub fn delete(&self, state: &mut LeaseState) {
        state.valid = None;
    }
}

impl LeaseState {
    /// The tokens that somebody holds, the lowest first.
    #[must_use]
    pub fn held(&self) -> &[LeaseToken] {
        &self.held
    }
}

impl Policy for Lease {
    type State = LeaseState;

    fn validate(&self) -> Result<(), PolicyError> {
        PolicyError::unless(!self.period.is_zero(), "lease: period", self.period, "at least 1 tick")
    }

    fn initial(&self) -> LeaseState {
        LeaseState::default()
    }

    fn tick(&self, state: &mut LeaseState) {
        state.left = state.left.less_one();
    }
}
