//! Which search explores a model.
//!
//! Both give the same graph, so the choice is one of speed alone: the product search takes timed systems, the generic search takes
//! every model.

use super::graph::StateGraph;
use super::growth::Growth;
use super::limits::Limits;
use super::limits::Stop;
use super::product;
use super::search::{self, Explored, Operator};
use crate::model::{Checkable, Fault};
use crate::property::System;
use std::borrow::Cow;

/// The searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The product search where it can be used, the generic search elsewhere.
    #[default]
    Auto,
    /// The generic search, which takes any model.
    Generic,
    /// The product search, for timed systems. It cannot be used for other models, nor for claims that a measure is `bounded`,
    /// which are decided while the states are found; the generic search takes those whatever is asked for.
    Product,
}

/// Explores the model of `system` within the limits.
pub fn explore<M: Checkable>(system: &System<M>, limits: &Limits, operator: Operator) -> Explored<M> {
    match system.factored.filter(|_| limits.engine != Engine::Generic && !Growth::is_asked(system)) {
        Some(factored) if (factored.machine)(&system.model).seats.len() <= product::ACTORS_MAX => {
            product::explore(system, factored, limits, operator)
        }
        _ => search::explore(system, limits, operator),
    }
}

/// The states of a system and the graph that they make, as far as they were explored; nothing is decided.
pub struct StateSpace<'a, M: Checkable> {
    system: &'a System<M>,
    explored: Explored<M>,
}

/// Explores every behaviour of the system within the limits, and decides no claim.
pub fn state_space<'a, M: Checkable>(system: &'a System<M>, limits: &Limits) -> StateSpace<'a, M> {
    StateSpace { system, explored: explore(system, limits, Operator::Absent) }
}

impl<M: Checkable> StateSpace<'_, M> {
    /// The graph.
    pub fn graph(&self) -> &StateGraph {
        &self.explored.graph
    }

    /// The state with this id, which is below the graph's size.
    pub fn state(&self, id: u32) -> Cow<'_, M::State> {
        self.explored.state(&self.system.model, id)
    }

    /// What ended the search before it had seen everything.
    pub fn stops(&self) -> &[Stop] {
        &self.explored.stops
    }

    /// The fault of the model that ended the search, if one did.
    pub fn fault(&self) -> Option<&Fault> {
        self.explored.fault.as_ref()
    }
}
