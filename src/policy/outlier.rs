//! Outlier detection: a balancer ejects hosts whose requests fail.

use super::{Outcome, Outcomes, Policy, PolicyError, Ratio, Ticks};

/// When a host is ejected, and for how long.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OutlierDetection {
    /// Hosts that are watched.
    pub hosts: u32,
    /// A host is ejected after this many failures in a row; 0: never for that.
    pub consecutive: u32,
    /// Which outcomes are failures.
    pub failures: Outcomes,
    /// How often hosts are let back, and rates looked at.
    pub interval: Ticks,
    /// An ejection lasts this long times the number of ejections so far,
    pub base: Ticks,
    /// but at most this long.
    pub max: Ticks,
    /// No more than this share of the hosts is ejected, but always one.
    pub share_max: Ratio,
}

/// All hosts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OutlierState {
    hosts: Vec<HostState>,
    /// Ticks until the next interval.
    left: Ticks,
}

/// What is known of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
struct HostState {
    /// Failures in a row.
    failures: u32,
    /// The multiplier of the ejection time.
    times: u32,
    /// Ticks for which it is still ejected; `None`: it is not.
    ejected: Option<Ticks>,
}

impl OutlierDetection {
    /// `n` requests to host number `host` ended with `outcome`.
    pub fn record(&self, state: &mut OutlierState, host: usize, outcome: Outcome, n: u32) {
        for _ in 0..n {
            if self.failures.contains(outcome) {
                state.hosts[host].failures += 1;
                if self.consecutive > 0 && state.hosts[host].failures >= self.consecutive {
                    state.hosts[host].failures = 0;
                    self.eject(state, host);
                }
            } else {
                state.hosts[host].failures = 0;
            }
        }
    }

    fn eject(&self, state: &mut OutlierState, host: usize) {
        let most = self.share_max.of(self.hosts).max(1);
        if state.hosts[host].ejected.is_none() && state.ejected() < most {
            let host = &mut state.hosts[host];
            host.times += 1;
            host.ejected = Some((self.base * host.times).min(self.max));
        }
    }
}

impl OutlierState {
    /// Whether host number `host` is ejected.
    #[must_use]
    pub fn is_ejected(&self, host: usize) -> bool {
        self.hosts.get(host).is_some_and(|h| h.ejected.is_some())
    }

    /// How many hosts are ejected.
    #[must_use]
    pub fn ejected(&self) -> u32 {
        self.hosts.iter().map(|h| u32::from(h.ejected.is_some())).sum()
    }
}

impl Policy for OutlierDetection {
    type State = OutlierState;

    fn validate(&self) -> Result<(), PolicyError> {
        PolicyError::unless(self.hosts >= 1, "outlier detection: hosts", self.hosts, "at least 1")?;
        PolicyError::unless(
            !self.interval.is_zero(),
            "outlier detection: interval",
            self.interval,
            "at least 1 tick",
        )?;
        PolicyError::unless(
            self.share_max.is_share(),
            "outlier detection: share_max",
            self.share_max,
            "from 0 to 1",
        )
    }

    fn initial(&self) -> OutlierState {
        OutlierState { hosts: vec![HostState::default(); self.hosts as usize], left: self.interval }
    }

    fn tick(&self, state: &mut OutlierState) {
        for host in &mut state.hosts {
            host.ejected = host.ejected.map(Ticks::less_one);
        }
        state.left = state.left.less_one();
        if state.left.is_zero() {
            state.left = self.interval;
            for host in &mut state.hosts {
                match host.ejected {
                    Some(left) if left.is_zero() => host.ejected = None,
                    Some(_) => {}
                    None => host.times = host.times.saturating_sub(1),
                }
            }
        }
    }
}
