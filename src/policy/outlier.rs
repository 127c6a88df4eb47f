//! Outlier detection: a balancer ejects hosts whose requests fail.
//!
//! Envoy's rules (`source/common/upstream/outlier_detection_impl.cc`): a host is ejected at once after so many failures in a
//! row, and at the end of each interval if its success rate is far below the others' or its failure rate is too high. It is let
//! back at the end of the first interval at which its time is over. Each ejection lasts longer than the one before, and each
//! interval in which a host is not ejected takes one step of that back.
//!
//! Where several hosts qualify at the end of an interval and not all may be ejected, those with lower numbers are (Envoy takes
//! them in the order of a hash map).

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
    /// No more than this share of the hosts is ejected,
    pub share_max: Ratio,
    /// but always one, if so.
    pub always_one: bool,
    /// Ejection of hosts whose success rate is far below the mean.
    pub success_rate: Option<SuccessRate>,
    /// Ejection of hosts that fail too often.
    pub failure_rate: Option<FailureRate>,
}

/// At the end of an interval, hosts with a success rate below `mean - factor * standard deviation` are ejected. The mean is
/// over the hosts with enough requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SuccessRate {
    /// How many hosts must have had enough requests.
    pub hosts_min: u32,
    /// How many requests in an interval are enough; at least 1.
    pub requests_min: u32,
    /// How many standard deviations below the mean.
    pub factor: Ratio,
}

/// At the end of an interval, hosts of whose requests at least this share failed are ejected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FailureRate {
    /// How many hosts must have had enough requests.
    pub hosts_min: u32,
    /// How many requests in an interval are enough; at least 1.
    pub requests_min: u32,
    /// The share.
    pub share: Ratio,
}

/// All hosts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OutlierState {
    hosts: Vec<HostState>,
    /// Ticks until the interval ends.
    left: Ticks,
}

/// What is known of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
struct HostState {
    /// Failures in a row; 0 while it is ejected.
    failures: u32,
    /// Requests in this interval, where rates are looked at.
    requests: u32,
    /// Those of them that succeeded.
    good: u32,
    /// How many times the base its last ejection lasted, less the steps taken back.
    times: u32,
    /// Ticks for which it is still ejected, then until the interval ends; `None`: it is not.
    ejected: Option<Ticks>,
}

impl OutlierDetection {
    /// `n` requests to host number `host` (0 for the first) ended with `outcome`, one after the other.
    pub fn record(&self, state: &mut OutlierState, host: usize, outcome: Outcome, n: u32) {
        let fails = self.failures.contains(outcome);
        if host >= state.hosts.len() {
            crate::model::refuse(format!(
                "outlier detection watches {} hosts: there is no host {host}",
                self.hosts
            ));
        }
        if self.success_rate.is_some() || self.failure_rate.is_some() {
            let host = &mut state.hosts[host];
            host.requests = host.requests.saturating_add(n);
            host.good = host.good.saturating_add(if fails { 0 } else { n });
        }
        if !fails && n > 0 {
            state.hosts[host].failures = 0;
        }
        for _ in 0..if fails { n } else { 0 } {
            self.failed(state, host);
        }
    }

    fn failed(&self, state: &mut OutlierState, host: usize) {
        // The failures of an ejected host are forgotten when it comes back.
        if self.consecutive == 0 || state.is_ejected(host) {
            return;
        }
        state.hosts[host].failures += 1;
        if state.hosts[host].failures >= self.consecutive {
            state.hosts[host].failures = 0;
            self.eject(state, host);
        }
    }

    fn eject(&self, state: &mut OutlierState, host: usize) {
        let ejected = state.ejected();
        let few = !self.share_max.is_exceeded_by(ejected + 1, self.hosts);
        if state.is_ejected(host) || !(few || (self.always_one && ejected == 0)) {
            return;
        }
        let host = &mut state.hosts[host];
        if self.base * host.times < self.max + self.base {
            host.times += 1;
        }
        host.failures = 0;
        host.ejected = Some((self.base * host.times).min(self.max));
    }

    /// What happens at the end of an interval.
    fn sweep(&self, state: &mut OutlierState) {
        let back = |host: &HostState| host.ejected.is_some_and(Ticks::is_zero);
        let mut resting: Vec<bool> = state.hosts.iter().map(|host| host.ejected.is_none()).collect();
        for host in state.hosts.iter_mut().filter(|host| back(host)) {
            host.ejected = None;
        }
        for host in self.outliers(state) {
            self.eject(state, host);
            resting[host] &= !state.is_ejected(host);
        }
        for (host, resting) in state.hosts.iter_mut().zip(resting) {
            host.times -= u32::from(resting && host.times > 0);
            (host.requests, host.good) = (0, 0);
        }
    }

    /// Hosts to be ejected for their rates, in the order in which it is tried.
    fn outliers(&self, state: &OutlierState) -> Vec<usize> {
        let enough = |least: u32| -> Vec<usize> {
            let hosts = state.hosts.iter().enumerate();
            hosts.filter(|(_, h)| h.ejected.is_none() && h.requests >= least.max(1)).map(|(i, _)| i).collect()
        };
        let mut outliers = Vec::new();
        if let Some(rule) = &self.success_rate {
            let hosts = enough(rule.requests_min);
            if hosts.len() >= rule.hosts_min as usize {
                let rates: Vec<f64> = hosts.iter().map(|i| state.hosts[*i].success_percent()).collect();
                let threshold = rule.threshold(&rates);
                outliers
                    .extend(hosts.iter().zip(&rates).filter(|(_, rate)| **rate < threshold).map(|(i, _)| *i));
            }
        }
        if let Some(rule) = &self.failure_rate {
            let hosts = enough(rule.requests_min);
            if hosts.len() >= rule.hosts_min as usize {
                let bad = |h: &HostState| rule.share.is_reached_by(h.requests - h.good, h.requests);
                outliers.extend(hosts.into_iter().filter(|i| bad(&state.hosts[*i])));
            }
        }
        outliers
    }
}

impl SuccessRate {
    /// The success rate below which a host is an outlier, computed in the order and with the precision of Envoy. In percent.
    fn threshold(&self, rates: &[f64]) -> f64 {
        let n = rates.len() as f64;
        let mean = rates.iter().sum::<f64>() / n;
        let variance = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / n;
        mean - f64::from(self.factor.num) / f64::from(self.factor.den.max(1)) * variance.sqrt()
    }
}

impl HostState {
    fn success_percent(&self) -> f64 {
        f64::from(self.good) * 100.0 / f64::from(self.requests)
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
        PolicyError::unless(
            (1..=1000).contains(&self.hosts),
            "outlier detection: hosts",
            self.hosts,
            "1 to 1000",
        )?;
        let interval = self.interval;
        PolicyError::unless(!interval.is_zero(), "outlier detection: interval", interval, "at least 1 tick")?;
        let good = !self.base.is_zero() && self.base <= self.max;
        PolicyError::unless(good, "outlier detection: base", self.base, "at least 1 tick, at most `max`")?;
        let share = self.share_max;
        PolicyError::unless(share.is_share(), "outlier detection: share_max", share, "from 0 to 1")?;
        let factor = self.success_rate.as_ref().map_or(Ratio::ONE, |rule| rule.factor);
        PolicyError::unless(factor.is_sound(), "outlier detection: factor", factor, "a number")?;
        let share = self.failure_rate.as_ref().map_or(Ratio::ONE, |rule| rule.share);
        PolicyError::unless(share.is_share(), "outlier detection: failure share", share, "from 0 to 1")
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
            self.sweep(state);
        }
    }
}
