//! Circuit breakers: closed, open, half-open.
//!
//! Closed, calls pass and their outcomes are recorded; too many failures open it. Open, nothing passes until a time is over.
//! Then the next call makes it half-open: so many calls pass as probes, and their outcomes close it or open it again.
//!
//! As in the systems that the presets are named after, a breaker does not know which call an outcome belongs to. A call that
//! was let pass before it opened, and ends while it is half-open, counts as a probe.
//!
//! # In ticks
//!
//! A breaker that opens in tick t lets a probe pass in tick t + `open` at the earliest. (Several real ones compare strictly
//! and so wait one clock reading longer, which is nothing in real time.) What is recorded in a tick counts before what comes
//! after it in the same tick; whoever drives it explores the orders.
//!
//! # States
//!
//! [`Trip::LastCalls`] remembers the order of the last calls: up to 2^size states. Scale the size down: the share matters.

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
    /// Whether a success may open it too, when it is the call that completes `calls_min` (resilience4j), or failures only
    /// (Polly).
    pub success_may_open: bool,
    /// Which outcomes are failures. Others are successes, except for [`Outcome::Refused`], which is not recorded.
    pub failures: Outcomes,
    /// How long it stays open.
    pub open: Ticks,
    /// How many probes a half-open one lets pass.
    pub probes: u32,
    /// It closes or opens again when so many of them have ended.
    pub probes_decide: u32,
    /// The share of failed probes that opens it again.
    pub probe_rate: Ratio,
    /// A half-open one that has not closed after so long opens again; `None`: it waits for ever.
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
        /// Ticks until it opens again by itself, where there is such a limit.
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
    /// A breaker that opens after `failures` failures in a row, for `open`, and closes with one good probe.
    #[must_use]
    pub const fn consecutive(failures: u32, open: Ticks) -> Self {
        Self {
            trip: Trip::Consecutive(failures),
            success_may_open: false,
            failures: Outcomes::FAILURES,
            open,
            probes: 1,
            probes_decide: 1,
            probe_rate: Ratio::ONE,
            probe_wait: None,
        }
    }

    /// `n` calls are to be made: how many may. The others are refused.
    #[must_use]
    pub fn admit(&self, state: &mut BreakerState, n: u32) -> u32 {
        if n > 0 && *state == (BreakerState::Open { left: Ticks::ZERO }) {
            let (permits, wait) = (self.probes, self.probe_wait);
            *state = BreakerState::HalfOpen { permits, succeeded: 0, failed: 0, wait };
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

    /// `n` calls that it let pass were given up and say nothing about the server: as many others may pass in their place.
    pub fn forget(&self, state: &mut BreakerState, n: u32) {
        if let BreakerState::HalfOpen { permits, .. } = state {
            *permits = permits.saturating_add(n).min(self.probes);
        }
    }

    fn record_one(&self, state: &mut BreakerState, fails: bool) {
        match state {
            BreakerState::Open { .. } => {}
            BreakerState::Closed(record) => {
                if self.trips(record, fails) && (fails || self.success_may_open) {
                    *state = BreakerState::Open { left: self.open };
                }
            }
            BreakerState::HalfOpen { succeeded, failed, .. } => {
                *(if fails { &mut *failed } else { &mut *succeeded }) += 1;
                let (ended, failed) = (*succeeded + *failed, *failed);
                if ended >= self.probes_decide {
                    *state = if self.probe_rate.is_reached_by(failed, ended) {
                        BreakerState::Open { left: self.open }
                    } else {
                        self.initial()
                    };
                }
            }
        }
    }

    /// Records a call, and tells whether the record is bad enough.
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
            (Record::LastTicks(counts), Trip::LastTicks { window, calls_min, rate }) => {
                window.add(counts, usize::from(fails), 1);
                let (good, bad) = (counts.sum(0), counts.sum(1));
                good.saturating_add(bad) >= *calls_min && rate.is_reached_by(bad, good.saturating_add(bad))
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
        let decide = self.probes_decide;
        PolicyError::unless(self.probes >= 1, "breaker: probes", self.probes, "at least 1")?;
        let good = decide >= 1 && decide <= self.probes;
        PolicyError::unless(good, "breaker: probes_decide", decide, "at least 1, at most `probes`")?;
        let good = self.probe_wait != Some(Ticks::ZERO);
        PolicyError::unless(good, "breaker: probe_wait", self.probe_wait, "at least 1 tick")?;
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
        match (&mut *state, &self.trip) {
            (BreakerState::Open { left }, _) => *left = left.less_one(),
            (BreakerState::Closed(Record::LastTicks(counts)), Trip::LastTicks { window, .. }) => {
                window.tick(counts)
            }
            (BreakerState::HalfOpen { wait: Some(left), .. }, _) => {
                *left = left.less_one();
                if left.is_zero() {
                    *state = BreakerState::Open { left: self.open };
                }
            }
            _ => {}
        }
    }
}
