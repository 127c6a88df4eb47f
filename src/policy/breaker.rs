//! Circuit breakers: closed, open, half-open.
//!
//! Closed, calls pass and their outcomes are recorded; too many failures open it. Open, nothing passes until a time is over.
//! Then the next call makes it half-open: so many calls pass as probes, and their outcomes close it or open it again.

use super::window::{Counts, Window};
use super::{Outcome, Outcomes, Policy, PolicyError, Ratio, Ticks};

/// When a closed breaker opens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Trip {
    /// After this many failures without a success between them.
    Consecutive(u32),
    /// When at least this share of the last `size` calls failed; at least `calls_min` of them must have been recorded.
    LastCalls {
        /// How many calls are remembered.
        size: u32,
        /// How many must have been recorded.
        calls_min: u32,
        /// The share.
        rate: Ratio,
    },
    /// When at least this share of the calls in a window of time failed; at least `calls_min` must have been recorded.
    LastTicks {
        /// How long calls are remembered.
        window: Window,
        /// How many must have been recorded.
        calls_min: u32,
        /// The share.
        rate: Ratio,
    },
}

/// A circuit breaker.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CircuitBreaker {
    /// When it opens.
    pub trip: Trip,
    /// Which outcomes are failures. Others are successes, except for [`Outcome::Refused`], which is not recorded.
    pub failures: Outcomes,
    /// How long it stays open.
    pub open: Ticks,
    /// How many probes a half-open one lets pass; when all have ended it closes or opens.
    pub probes: u32,
    /// The share of failed probes that opens it again.
    pub probe_rate: Ratio,
    /// A half-open one whose probes have not all ended after so long lets pass one more; `None`: it waits for ever.
    pub probe_wait: Option<Ticks>,
}

/// The state of a circuit breaker.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BreakerState {
    /// Calls pass.
    Closed(Record),
    /// Nothing passes.
    Open {
        /// Until this is over and a call comes.
        left: Ticks,
    },
    /// Some calls pass.
    HalfOpen {
        /// Probes that may still pass.
        permits: u32,
        /// Probes that succeeded.
        succeeded: u32,
        /// Probes that failed.
        failed: u32,
        /// Ticks until one more may pass, where the breaker has such a limit.
        wait: Option<Ticks>,
    },
}

/// What a closed breaker remembers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Record {
    /// Failures since the last success.
    Consecutive(u32),
    /// For each of the last calls, the oldest first, whether it failed.
    LastCalls(Vec<bool>),
    /// Successes and failures over time.
    LastTicks(Counts<2>),
}

/// Which of its three modes a breaker is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BreakerMode {
    /// Calls pass.
    Closed,
    /// Nothing passes.
    Open,
    /// Probes pass.
    HalfOpen,
}

impl BreakerState {
    /// The mode.
    #[must_use]
    pub fn mode(&self) -> BreakerMode {
        match self {
            Self::Closed(_) => BreakerMode::Closed,
            Self::Open { .. } => BreakerMode::Open,
            Self::HalfOpen { .. } => BreakerMode::HalfOpen,
        }
    }
}

impl CircuitBreaker {
    /// `n` calls are to be made: how many may. The others are refused.
    #[must_use]
    pub fn admit(&self, state: &mut BreakerState, n: u32) -> u32 {
        if n > 0 && *state == (BreakerState::Open { left: Ticks::ZERO }) {
            *state = BreakerState::HalfOpen {
                permits: self.probes,
                succeeded: 0,
                failed: 0,
                wait: self.probe_wait,
            };
        }
        match state {
            BreakerState::Closed(_) => n,
            BreakerState::Open { .. } => 0,
            BreakerState::HalfOpen { permits, .. } => {
                let admitted = n.min(*permits);
                *permits -= admitted;
                admitted
            }
        }
    }

    /// `n` calls ended with `outcome`, one after the other.
    pub fn record(&self, state: &mut BreakerState, outcome: Outcome, n: u32) {
        if outcome != Outcome::Refused {
            let failed = self.failures.contains(outcome);
            (0..n).for_each(|_| self.record_one(state, failed));
        }
    }

    /// `n` calls that it let pass were given up and say nothing about the server.
    pub fn forget(&self, state: &mut BreakerState, n: u32) {
        if let BreakerState::HalfOpen { permits, succeeded, failed, .. } = state {
            let open = self.probes.saturating_sub(*permits + *succeeded + *failed);
            *permits += n.min(open);
        }
    }

    fn record_one(&self, state: &mut BreakerState, fails: bool) {
        match state {
            BreakerState::Open { .. } => {}
            BreakerState::Closed(record) => {
                if self.trips(record, fails) {
                    *state = BreakerState::Open { left: self.open };
                }
            }
            BreakerState::HalfOpen { succeeded, failed, .. } => {
                *(if fails { &mut *failed } else { &mut *succeeded }) += 1;
                let (ended, failed) = (*succeeded + *failed, *failed);
                if ended >= self.probes {
                    *state = if self.probe_rate.is_reached_by(failed, ended) {
                        BreakerState::Open { left: self.open }
                    } else {
                        self.initial()
                    };
                }
            }
        }
    }

    fn trips(&self, record: &mut Record, fails: bool) -> bool {
        match (record, &self.trip) {
            (Record::Consecutive(failures), Trip::Consecutive(most)) => {
                *failures = if fails { *failures + 1 } else { 0 };
                *failures >= *most
            }
            (Record::LastCalls(calls), Trip::LastCalls { size, calls_min, rate }) => {
                if calls.len() >= *size as usize {
                    calls.remove(0);
                }
                calls.push(fails);
                let failed = calls.iter().filter(|failed| **failed).count();
                calls.len() >= *calls_min as usize && rate.is_reached_by(failed as u32, calls.len() as u32)
            }
            (Record::LastTicks(counts), Trip::LastTicks { calls_min, rate, .. }) => {
                counts.add(usize::from(fails), 1);
                let (good, bad) = (counts.sum(0), counts.sum(1));
                good + bad >= *calls_min && rate.is_reached_by(bad, good + bad)
            }
            (record, trip) => crate::model::refuse(format!("{record:?} is no record of {trip:?}")),
        }
    }
}

impl Policy for CircuitBreaker {
    type State = BreakerState;

    fn validate(&self) -> Result<(), PolicyError> {
        let share = |rate: &Ratio, of| {
            PolicyError::unless(rate.is_share() && rate.num > 0, of, rate, "above 0, at most 1")
        };
        match &self.trip {
            Trip::Consecutive(n) => {
                PolicyError::unless(*n >= 1, "breaker: failures in a row", n, "at least 1")?
            }
            Trip::LastCalls { size, calls_min, rate } => {
                let good = *calls_min >= 1 && calls_min <= size;
                PolicyError::unless(good, "breaker: calls_min", calls_min, "at least 1, at most the size")?;
                share(rate, "breaker: rate")?;
            }
            Trip::LastTicks { window, calls_min, rate } => {
                PolicyError::unless(*calls_min >= 1, "breaker: calls_min", calls_min, "at least 1")?;
                window.validate("breaker: window")?;
                share(rate, "breaker: rate")?;
            }
        }
        PolicyError::unless(self.probes >= 1, "breaker: probes", self.probes, "at least 1")?;
        share(&self.probe_rate, "breaker: probe_rate")
    }

    fn initial(&self) -> BreakerState {
        BreakerState::Closed(match &self.trip {
            Trip::Consecutive(_) => Record::Consecutive(0),
            Trip::LastCalls { .. } => Record::LastCalls(Vec::new()),
            Trip::LastTicks { window, .. } => Record::LastTicks(window.empty()),
        })
    }

    fn tick(&self, state: &mut BreakerState) {
        match (state, &self.trip) {
            (BreakerState::Open { left }, _) => *left = left.less_one(),
            (BreakerState::Closed(Record::LastTicks(counts)), Trip::LastTicks { window, .. }) => {
                window.tick(counts)
            }
            (BreakerState::HalfOpen { permits, wait: Some(left), .. }, _) => {
                *left = left.less_one();
                if left.is_zero() {
                    *permits = (*permits).max(1);
                    *left = self.probe_wait.unwrap_or(Ticks::ZERO);
                }
            }
            _ => {}
        }
    }
}
