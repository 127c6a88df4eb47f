//! The product search against the generic search, over the same timed systems: they must make the same graph, number by number,
//! and tell the same of it.

mod agreement;
mod faults;
mod labels;
mod limits;
#[allow(dead_code)]
#[path = "../timed/random.rs"]
mod random;
mod same;
#[allow(dead_code)]
#[path = "../timed/setup.rs"]
mod setup;
mod strange;
#[allow(dead_code)]
#[path = "../timed/systems.rs"]
mod systems;
mod wild;

#[allow(dead_code)]
#[path = "../../models/fb-config.rs"]
mod fb_config;

#[allow(dead_code)]
#[path = "../../models/retry-storm.rs"]
mod retry_storm;
