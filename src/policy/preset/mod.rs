//! The defaults of the systems that people run, one file for each system.
//!
//! Durations become ticks: where a default is no whole number of them, that is an error that names it. Each item says where
//! its default comes from and as of when.

pub mod grpc;
