//! What can be checked: any [`stateright::Model`] whose states can be copied, shown, compared and hashed.
//!
//! This module is the bottom of the crate. It knows nothing of claims, searches or reports: only models
//! ([`Checkable`]), named functions of their states ([`Atom`], [`Measure`]), and the ways in which a model can fail
//! while it is being run ([`Fault`], [`guard`]).

mod atom;
mod fault;
mod parameters;

pub use atom::{Atom, Measure};
pub use fault::{Fault, ModelError, guard, guard_quietly, refuse};
pub(crate) use parameters::edits;
pub use parameters::{Field, ParameterError, Parameters, assign};

use std::fmt::Debug;
use std::hash::Hash;

/// A [`stateright::Model`] that the searches of this crate can run.
///
/// States are told apart by `==`. `Hash` is only used to find candidates for that comparison, so it may be coarser
/// than `==` (which is reported, because stateright's own checker would merge such states), but equal states must have
/// equal hashes. Implemented for every model that meets the bounds.
pub trait Checkable:
    stateright::Model<
        State: Clone + Debug + Hash + PartialEq + Send + Sync,
        Action: Clone + Debug + Send + Sync,
    > + Send
    + Sync
{
}

impl<M> Checkable for M where
    M: stateright::Model<
            State: Clone + Debug + Hash + PartialEq + Send + Sync,
            Action: Clone + Debug + Send + Sync,
        > + Send
        + Sync
{
}
