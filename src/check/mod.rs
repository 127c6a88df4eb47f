//! Search and decision: from a [`System`](crate::property::System) to an [`Outcome`].

mod limits;
mod outcome;

pub use limits::{Limits, Stop};
pub use outcome::{Decision, Note, Outcome};

use crate::model::Checkable;
use crate::property::{System, SystemError};

/// Explores every behaviour of the system within the limits and decides its claims.
///
/// # Errors
/// Where the system cannot be checked as it is written. A model that fails while it is run is no error of this
/// function: the fault is part of the outcome, together with what was found before it.
pub fn check<M: Checkable>(system: &System<M>, limits: &Limits) -> Result<Outcome<M>, SystemError> {
    let _ = limits;
    system.validate()?;
    todo!("the search is being written")
}
