//! The timed actor runtime, against known answers, against stateright's and our own search, and against a naive version of
//! its semantics.

mod ageing;
mod agreement;
mod aliases;
mod growth;
mod naive;
mod random;
mod refusals;
mod rules;
mod setup;
mod systems;
