//! The policies that clients, balancers, servers and caches follow, as small state machines of whole numbers.
//!
//! A policy is a **configuration** (a plain struct, with documented units and defaults, and presets named after the systems
//! that they come from in [`preset`]) and a **state** that is driven by whoever follows the policy. It has no clock and no
//! randomness of its own:
//!
//! - [`Policy::tick`] lets one tick pass. States hold countdowns and counts, never the time of day, so the same situation at
//!   another time is the same state.
//! - Where the real thing draws a random number, the policy gives the set of what may come out, as a range; whoever drives it
//!   explores each.
//! - Every method takes a **count**: `n` identical requests at once. It does what `n` calls with 1 would do, one after the
//!   other.
//!
//! ```
//! use aftercalm::policy::{Attempt, Outcome, Policy, Ticks, preset};
//! use std::time::Duration;
//!
//! let tick = Duration::from_millis(100);
//! let retry = preset::grpc::retry();
//! let budget = preset::grpc::retry_throttling();
//! let mut state = budget.start();
//!
//! // Seven first attempts fail in the same tick: four are retried, 80 to 120 ms later, so in the next tick or the one after.
//! assert!(retry.wants(1, Outcome::Error));
//! assert_eq!(budget.try_retry(&mut state, Attempt::First, Outcome::Error, 7), 4);
//! let delay = retry.delay(1, Outcome::Error, Ticks::ZERO, tick);
//! assert_eq!(delay.iter().collect::<Vec<_>>(), [Ticks(1), Ticks(2)]);
//! ```
//!
//! A configuration is checked by [`Policy::validate`]; [`Policy::start`] refuses a bad one by name.

mod admission;
mod backoff;
mod breaker;
mod budget;
mod cache;
mod concurrency;
mod cubic;
mod error;
mod health;
mod hedging;
mod hysteresis;
mod outcome;
mod outlier;
mod panic;
pub mod preset;
mod queue;
mod rate;
mod ratio;
mod retry;
mod share;
mod throttle;
mod ticks;
mod window;

pub use admission::{AdmissionControl, AdmissionState};
pub use backoff::{Backoff, Delay, Growth, Jitter};
pub use breaker::{BreakerMode, BreakerState, CircuitBreaker, Record, Trip};
pub use budget::{
    BudgetState, ConcurrentBudget, ConcurrentState, QuotaBudget, QuotaState, RetryBudget, ThrottlingBudget,
    ThrottlingState, WindowBudget, WindowState,
};
pub use cache::{
    Age, FlightState, Freshness, Lease, LeaseState, LeaseToken, Lookup, NegativeCaching, NegativeState,
    SingleFlight,
};
pub use concurrency::{ConcurrencyLimit, LimitState, Sample};
pub use cubic::{CubicRate, CubicState};
pub use error::PolicyError;
pub use health::{HealthCheck, HealthState};
pub use hedging::{HedgeState, Hedged, Hedging};
pub use hysteresis::{Hysteresis, SwitchState};
pub use outcome::{Attempt, Outcome, Outcomes};
pub use outlier::{FailureRate, OutlierDetection, OutlierState, SuccessRate};
pub use panic::{PanicThreshold, Routing};
pub use queue::{Order, Queue, QueueState, QueueTimeout, Taken, Waiting};
pub use rate::{BucketState, TokenBucket};
pub use ratio::Ratio;
pub use retry::Retry;
pub use throttle::{AdaptiveThrottle, ThrottleState};
pub use ticks::{TickRange, Ticks};
pub use window::{Counts, Window};

use std::fmt::Debug;
use std::hash::Hash;

/// What all policies with a state have in common.
pub trait Policy {
    /// What it remembers from tick to tick.
    type State: Clone + Debug + Eq + Hash;

    /// Whether its parameters make sense.
    ///
    /// # Errors
    /// The first parameter that does not, with what would.
    fn validate(&self) -> Result<(), PolicyError>;

    /// The state of one that has seen nothing yet. Called by [`Policy::start`], with parameters that make sense.
    fn initial(&self) -> Self::State;

    /// One tick passes.
    fn tick(&self, state: &mut Self::State);

    /// The state of one that has seen nothing yet.
    ///
    /// Parameters that make no sense are [refused](crate::model::refuse) by name, which ends the check with that message;
    /// [`Policy::validate`] tells the same without ending anything.
    fn start(&self) -> Self::State {
        if let Err(error) = self.validate() {
            crate::model::refuse(error.to_string());
        }
        self.initial()
    }
}
