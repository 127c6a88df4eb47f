//! Putting components into a system.

use super::msg::Msg;
use super::turn::{Chosen, Component, Heartbeat, Local};
use crate::actor::{Collects, Handle, TimedSystem};
use stateright::actor::Actor;
use std::time::Duration;

/// An empty system for components: its messages age, see [`Msg`].
#[must_use]
pub fn system(tick: Duration) -> TimedSystem<Msg> {
    let mut system = TimedSystem::new(tick);
    system.ageing();
    system
}

/// What [`component_actor!`](crate::component_actor) makes of a [`Component`].
pub trait ComponentActor:
    Component
    + Collects
    + Actor<Msg = Msg, Timer = Heartbeat, Random = Chosen, State = Local<<Self as Component>::Memory>>
{
}

impl<C> ComponentActor for C where
    C: Component
        + Collects
        + Actor<Msg = Msg, Timer = Heartbeat, Random = Chosen, State = Local<<C as Component>::Memory>>
{
}

/// Puts components into a [`TimedSystem`].
pub trait Assemble {
    /// Adds a component under a name.
    fn install<C: ComponentActor>(&mut self, name: &str, component: C) -> Handle<C>;

    /// Puts a component in the place that was [reserved](TimedSystem::reserve) for it.
    fn install_at<C: ComponentActor>(&mut self, place: Handle<C>, component: C);
}

impl Assemble for TimedSystem<Msg> {
    fn install<C: ComponentActor>(&mut self, name: &str, component: C) -> Handle<C> {
        let place = self.reserve(name);
        self.fill_collecting(place, component);
        place
    }

    fn install_at<C: ComponentActor>(&mut self, place: Handle<C>, component: C) {
        self.fill_collecting(place, component);
    }
}
