//! Rate limits: a token bucket.
//!
//! A bucket of `burst` tokens is filled with `rate` tokens a tick and each request takes one. In the form of the generic cell
//! rate algorithm (GCRA) the same rule is told by arrival times: with emission interval T = 1 / rate and tolerance
//! (burst - 1) * T the two admit exactly the same requests.

use super::{Policy, PolicyError, Ratio};

/// So many requests a tick, with bursts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenBucket {
    /// The most tokens, and those at the start.
    pub burst: u32,
    /// Tokens that come with each tick.
    pub rate: Ratio,
}

/// What is in the bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BucketState {
    /// In parts of a token: `rate.den` of them are one.
    pub parts: u64,
}

impl TokenBucket {
    /// `n` requests come: how many find a token.
    #[must_use]
    pub fn take(&self, state: &mut BucketState, n: u32) -> u32 {
        let granted = self.tokens(state).min(n);
        state.parts -= u64::from(granted) * u64::from(self.rate.den);
        granted
    }

    /// The whole tokens in the bucket.
    #[must_use]
    pub fn tokens(&self, state: &BucketState) -> u32 {
        u32::try_from(state.parts / u64::from(self.rate.den.max(1))).unwrap_or(u32::MAX)
    }
}

impl Policy for TokenBucket {
    type State = BucketState;

    fn validate(&self) -> Result<(), PolicyError> {
        PolicyError::unless(self.burst >= 1, "token bucket: burst", self.burst, "at least 1")?;
        PolicyError::unless(
            self.rate.is_sound(),
            "token bucket: rate",
            self.rate,
            "a number of tokens a tick",
        )
    }

    fn initial(&self) -> BucketState {
        BucketState { parts: u64::from(self.burst) * u64::from(self.rate.den) }
    }

    fn tick(&self, state: &mut BucketState) {
        state.parts = (state.parts + u64::from(self.rate.num)).min(self.initial().parts);
    }
}
