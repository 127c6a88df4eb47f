//! Which models are made of parts, so that the search may work with the parts instead of with whole states.
//!
//! A [`System`](crate::property::System) is made of any model, and nothing in the type of a model says whether it is a timed
//! system. So the type of each timed system is entered in a table when a value of it is made, and looked up there. A model that
//! wraps a timed system is another type and is not found.

use super::action::Tick;
use super::machine::Machine;
use super::outcome::Part;
use super::reads::Watch;
use stateright::Model;
use std::any::Any;
use std::sync::{Mutex, PoisonError};

/// How the states of a model are made of its actors' parts.
pub(crate) struct Factored<M: Model> {
    /// The actors and links.
    pub(crate) machine: fn(&M) -> &Machine,
    /// The parts of a state, one for each actor.
    pub(crate) parts: fn(&M::State) -> &[Part],
    /// A transition as a tick.
    pub(crate) tick: fn(&M::Action) -> &Tick,
    /// The state that is made of these parts.
    pub(crate) state: fn(&M, Box<[Part]>) -> M::State,
    /// Has it noted what is looked at of this state and its copies.
    pub(crate) watch: fn(&mut M::State, Watch),
}

impl<M: Model> Clone for Factored<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Model> Copy for Factored<M> {}

type Entry = Box<dyn Any + Send + Sync>;

/// One entry for each type, so few that a list will do.
static KNOWN: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

/// Enters how the states of `M` are made of parts.
pub(crate) fn register<M: Model + 'static>(factored: Factored<M>) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if !known.iter().any(|entry| entry.is::<Factored<M>>()) {
        known.push(Box::new(factored));
    }
}

/// How the states of `M` are made of parts, if they are.
pub(crate) fn lookup<M: Model + 'static>() -> Option<Factored<M>> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.iter().find_map(|entry| entry.downcast_ref::<Factored<M>>()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::TimedSystem;
    use std::time::Duration;

    #[test]
    fn a_timed_system_is_found_by_its_type_and_others_are_not() {
        struct Wrapper;
        impl Model for Wrapper {
            type State = crate::actor::TimedState<u8>;
            type Action = Tick;
            fn init_states(&self) -> Vec<Self::State> {
                Vec::new()
            }
            fn actions(&self, _: &Self::State, _: &mut Vec<Self::Action>) {}
            fn next_state(&self, _: &Self::State, _: Self::Action) -> Option<Self::State> {
                None
            }
        }
        let system = TimedSystem::<u8>::new(Duration::from_millis(7));
        let factored = lookup::<TimedSystem<u8>>().unwrap();
        assert_eq!((factored.machine)(&system).tick, Duration::from_millis(7));
        assert!(lookup::<Wrapper>().is_none());
    }
}
