//! A switch with hysteresis: on above one level, off below a lower one, each only after a while.
//!
//! For protectors that cut off traffic (on while there is too much), and for failover (away from a site while too many of its
//! requests fail, back when few have for long enough).

use super::{Policy, PolicyError, Ticks};

/// When a switch turns on and off.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hysteresis {
    /// On once the value has been at least this,
    pub on_level: u32,
    /// for so many ticks in a row (at least 1).
    pub on_after: Ticks,
    /// Off once the value has been at most this (less than `on_level`),
    pub off_level: u32,
    /// for so many ticks in a row (at least 1).
    pub off_after: Ticks,
}

/// Whether it is on, and for how long the value has spoken for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct SwitchState {
    /// Whether it is on.
    pub on: bool,
    /// Ticks in a row in which the value spoke for the other position.
    pub against: Ticks,
}

impl Hysteresis {
    /// The value in this tick; to be told once in each tick. Whether the switch is on now.
    #[must_use = "the position may have changed"]
    pub fn observe(&self, state: &mut SwitchState, value: u32) -> bool {
        let (speaks, after) = if state.on {
            (value <= self.off_level, self.off_after)
        } else {
            (value >= self.on_level, self.on_after)
        };
        state.against = if speaks { state.against + Ticks(1) } else { Ticks::ZERO };
        if speaks && state.against >= after {
            *state = SwitchState { on: !state.on, against: Ticks::ZERO };
        }
        state.on
    }
}

impl Policy for Hysteresis {
    type State = SwitchState;

    fn validate(&self) -> Result<(), PolicyError> {
        let good = self.off_level < self.on_level;
        PolicyError::unless(good, "hysteresis: off_level", self.off_level, "less than on_level")
    }

    fn initial(&self) -> SwitchState {
        SwitchState::default()
    }

    /// Nothing: time is told by [`Hysteresis::observe`].
    fn tick(&self, _: &mut SwitchState) {}
}
