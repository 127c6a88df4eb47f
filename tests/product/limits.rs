//! A search that a limit ends leaves the same behind.

use crate::agreement::questions;
use crate::random::random_setup;
use crate::same::same_space;
use aftercalm::check::Limits;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[test]
fn every_limit_of_states_and_of_depth_leaves_the_same_graph() {
    for seed in [1, 7] {
        let system = || questions(random_setup(seed));
        for states_max in (1..24).chain([100, 257]) {
            let limits = Limits { states_max, ..Limits::default() };
            same_space(&format!("seed {seed}, {states_max} states"), &system(), &limits);
        }
        for depth in 0..5 {
            let limits = Limits { depth_max: Some(depth), states_max: 500, ..Limits::default() };
            same_space(&format!("seed {seed}, depth {depth}"), &system(), &limits);
        }
    }
}

#[test]
fn time_memory_and_an_interrupt_end_a_search_before_it_begins() {
    let limits = Limits { time_max: Some(Duration::ZERO), ..Limits::default() };
    assert!(same_space("time", &questions(random_setup(1)), &limits).0 > 0);
    let limits = Limits { interrupt: Arc::new(AtomicBool::new(true)), ..Limits::default() };
    same_space("interrupt", &questions(random_setup(1)), &limits);
    let limits =
        Limits { memory_bytes_max: Some(10), memory_bytes_used: Some(|| Some(11)), ..Limits::default() };
    same_space("memory", &questions(random_setup(1)), &limits);
}
