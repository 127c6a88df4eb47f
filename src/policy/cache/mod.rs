//! What a cache does about misses, staleness and failures: policies of one key.

mod flight;
mod freshness;
mod lease;
mod negative;

pub use flight::{FlightState, SingleFlight};
pub use freshness::{Age, Freshness, Lookup};
pub use lease::{Lease, LeaseState, LeaseToken};
pub use negative::{NegativeCaching, NegativeState};
