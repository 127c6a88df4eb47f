//! The `aftercalm` command as its users meet it: every sort of input, right and wrong, and what comes out.
//!
//! All tests build into one target folder below Cargo's folder for tests, so that aftercalm is compiled once for all
//! models; files keep their paths from run to run and are written only where they change, so that a second run is quick.

mod files;
mod files_written;
mod interrupts;
mod models;
mod output;
mod packages;
mod readme;
mod run;
mod suites;
