//! Active health checks: a host is unhealthy after some checks in a row have failed, healthy after some have succeeded.

use super::{Policy, PolicyError, Ticks};

/// How a host is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HealthCheck {
    /// Time from one check to the next.
    pub interval: Ticks,
    /// A check that has no answer after so long has failed.
    pub timeout: Ticks,
    /// Unhealthy after so many failed checks in a row.
    pub unhealthy: u32,
    /// Healthy again after so many good checks in a row.
    pub healthy: u32,
}

/// What is known of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HealthState {
    /// Whether it counts as healthy.
    pub healthy: bool,
    /// Checks in a row that speak for the contrary.
    pub against: u32,
}

impl HealthCheck {
    /// A check has ended: whether the host counts as healthy now.
    #[must_use = "the host may have changed"]
    pub fn checked(&self, state: &mut HealthState, good: bool) -> bool {
        if good == state.healthy {
            state.against = 0;
        } else {
            state.against += 1;
            if state.against >= if good { self.healthy } else { self.unhealthy } {
                *state = HealthState { healthy: good, against: 0 };
            }
        }
        state.healthy
    }
}

impl Policy for HealthCheck {
    type State = HealthState;

    fn validate(&self) -> Result<(), PolicyError> {
        PolicyError::unless(
            !self.interval.is_zero(),
            "health check: interval",
            self.interval,
            "at least 1 tick",
        )?;
        PolicyError::unless(
            !self.timeout.is_zero(),
            "health check: timeout",
            self.timeout,
            "at least 1 tick",
        )?;
        PolicyError::unless(self.unhealthy >= 1, "health check: unhealthy", self.unhealthy, "at least 1")?;
        PolicyError::unless(self.healthy >= 1, "health check: healthy", self.healthy, "at least 1")
    }

    /// A host that has not been checked counts as healthy.
    fn initial(&self) -> HealthState {
        HealthState { healthy: true, against: 0 }
    }

    /// Nothing: who checks keeps the time.
    fn tick(&self, _: &mut HealthState) {}
}
