//! The component library: each component against answers worked out by hand, populations against single clients, and the laws of
//! retries by the checker itself.

mod balancer;
mod caches;
mod gates;
mod hedged;
mod laws;
mod operator;
mod population;
mod quota;
mod quotient;
mod rounds;
mod server;
mod setup;
