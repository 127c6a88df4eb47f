//! The panic threshold of a balancer: with too few healthy hosts, health is not believed.

use super::{PolicyError, Ratio};

/// Below which share of healthy hosts a balancer sends to all hosts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PanicThreshold {
    /// The share. Zero: it never panics.
    pub threshold: Ratio,
    /// In a panic, send nothing at all rather than to all (Envoy `fail_traffic_on_panic`).
    pub fail_traffic: bool,
}

/// Where a balancer sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Routing {
    /// To the healthy hosts.
    Healthy,
    /// To all hosts, whatever their health.
    All,
    /// Nowhere.
    Nowhere,
}

impl PanicThreshold {
    /// Where to send, with `healthy` of `hosts` healthy.
    #[must_use]
    pub fn routing(&self, healthy: u32, hosts: u32) -> Routing {
        let enough = hosts > 0 && self.threshold.is_reached_by(healthy, hosts);
        match (enough, self.fail_traffic) {
            _ if hosts == 0 => Routing::Nowhere,
            (true, _) if healthy == 0 => Routing::Nowhere,
            (true, _) => Routing::Healthy,
            (false, true) => Routing::Nowhere,
            (false, false) => Routing::All,
        }
    }

    /// Whether its parameters make sense.
    ///
    /// # Errors
    /// Where the threshold is no share.
    pub fn validate(&self) -> Result<(), PolicyError> {
        PolicyError::unless(self.threshold.is_share(), "panic threshold", self.threshold, "from 0 to 1")
    }
}
