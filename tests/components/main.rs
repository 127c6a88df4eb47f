//! The component library: each component against answers worked out by hand, populations against single clients, and the laws of
//! retries by the checker itself.

mod laws;
mod population;
mod rounds;
mod server;
mod setup;
