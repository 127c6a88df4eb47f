//! The ways in which a checker of liveness goes wrong, one test each; the name of a test is what it proves.
//!
//! Many are faults that stateright 0.31 has. Where it is cheap, the test shows that too, so that a release of stateright
//! that mends one is noticed.

mod depth;
mod fairness;
mod faults;
mod identity;
mod loops;
mod roads;
mod stateright_faults;
mod truncation;
