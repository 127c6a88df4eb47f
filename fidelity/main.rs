//! The policies of this crate beside the real ones: both are driven step by step with the same inputs, and must answer alike.

mod adaptive;
mod aws;
mod backoff;
mod breaker;
mod cache;
mod limiter;
mod tower;
