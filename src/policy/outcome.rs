//! What became of an attempt, as far as policies tell outcomes apart.
//!
//! Each system has its own list (gRPC's status codes, Envoy's `retry_on` words, AWS's error classes). They are told apart
//! here as far as some policy treats them differently, and no further: whatever two outcomes no policy distinguishes would
//! only split states.

use std::fmt;

/// How an attempt ended, seen by the one who made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// A good answer.
    Success,
    /// The server failed it (HTTP 500, 502, 503; gRPC `INTERNAL`, `UNAVAILABLE`; AWS: a transient error).
    Error,
    /// No answer in time; the attempt may still be worked on (HTTP 504, gRPC `DEADLINE_EXCEEDED`).
    Timeout,
    /// The server says that it has too much to do (HTTP 429, gRPC `RESOURCE_EXHAUSTED`; AWS: a throttling error).
    Throttled,
    /// It never reached a server's application (connection refused or reset before the request, HTTP/2 `REFUSED_STREAM`).
    Unreachable,
    /// The caller's own fault (other HTTP 4xx, gRPC `INVALID_ARGUMENT`): the same request would fail again.
    Invalid,
    /// The server failed it and says not to try again (SRE book: "overloaded; don't retry", a negative gRPC pushback).
    DoNotRetry,
    /// It was not sent: a breaker, a throttle or a limit on the caller's side refused it.
    Refused,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Self; 8] = [
        Self::Success,
        Self::Error,
        Self::Timeout,
        Self::Throttled,
        Self::Unreachable,
        Self::Invalid,
        Self::DoNotRetry,
        Self::Refused,
    ];

    /// Whether it is a good answer.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Success
    }
}

/// A set of outcomes: those that are retried, or that count as failures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Outcomes(u8);

impl Outcomes {
    /// None.
    pub const NONE: Self = Self(0);

    /// The set of these.
    #[must_use]
    pub const fn of(outcomes: &[Outcome]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < outcomes.len() {
            bits |= 1 << outcomes[i] as u8;
            i += 1;
        }
        Self(bits)
    }

    /// Whether `outcome` is one of them.
    #[must_use]
    pub const fn contains(self, outcome: Outcome) -> bool {
        self.0 & (1 << outcome as u8) != 0
    }

    /// These and `outcome`.
    #[must_use]
    pub const fn and(self, outcome: Outcome) -> Self {
        Self(self.0 | (1 << outcome as u8))
    }

    /// These but for `outcome`.
    #[must_use]
    pub const fn without(self, outcome: Outcome) -> Self {
        Self(self.0 & !(1 << outcome as u8))
    }

    /// What the server or the network did wrong: error, timeout, throttled, unreachable, do-not-retry.
    pub const FAILURES: Self = Self::of(&[
        Outcome::Error,
        Outcome::Timeout,
        Outcome::Throttled,
        Outcome::Unreachable,
        Outcome::DoNotRetry,
    ]);

    /// What may pass by itself: error, timeout, throttled, unreachable.
    pub const TRANSIENT: Self =
        Self::of(&[Outcome::Error, Outcome::Timeout, Outcome::Throttled, Outcome::Unreachable]);
}

impl fmt::Debug for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(Outcome::ALL.into_iter().filter(|o| self.contains(*o))).finish()
    }
}

/// Which attempt of a request one is, as far as retry budgets tell attempts apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attempt {
    /// The first.
    First,
    /// A retry, made because the attempt before it had this outcome.
    Retry {
        /// The outcome that was retried.
        after: Outcome,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_it_is_made_of_and_nothing_else() {
        for a in Outcome::ALL {
            for b in Outcome::ALL {
                assert_eq!(Outcomes::of(&[a]).contains(b), a == b);
                assert_eq!(Outcomes::NONE.and(a).contains(b), a == b);
                assert_eq!(Outcomes::of(&Outcome::ALL).without(a).contains(b), a != b);
            }
        }
        assert_eq!(format!("{:?}", Outcomes::of(&[Outcome::Timeout, Outcome::Error])), "{Error, Timeout}");
    }
}
