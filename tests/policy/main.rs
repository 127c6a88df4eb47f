//! The laws of the policies, over grids and random inputs, and known answers of each.

mod backoffs;
mod breakers;
mod budgets;
mod caches;
mod hosts;
mod laws;
mod limits;
mod presets;
mod queues;
