//! Single flight: of all requests for a key that misses, one goes to the origin, and the others wait for its answer.
//!
//! As in Go's `golang.org/x/sync/singleflight`: the waiters share the result, an error as well as a value, and if the one in
//! flight hangs they all do.

use crate::policy::{Policy, PolicyError};

/// At most one request for the key is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct SingleFlight;

/// Who waits for the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct FlightState {
    /// Requests that wait for the one under way, that one included; none: nothing is under way.
    pub waiting: u32,
}

impl SingleFlight {
    /// `n` requests for the key: how many are to be sent to the origin, 1 or 0.
    #[must_use]
    pub fn join(&self, state: &mut FlightState, n: u32) -> u32 {
        let lead = u32::from(state.waiting == 0 && n > 0);
        state.waiting += n;
        lead
    }

    /// The one under way has ended, well or badly: how many requests it answers, its own included.
    #[must_use]
    pub fn end(&self, state: &mut FlightState) -> u32 {
        std::mem::take(&mut state.waiting)
    }
}

impl Policy for SingleFlight {
    type State = FlightState;

    fn validate(&self) -> Result<(), PolicyError> {
        Ok(())
    }

    fn initial(&self) -> FlightState {
        FlightState::default()
    }

    fn tick(&self, _: &mut FlightState) {}
}
