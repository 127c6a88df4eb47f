//! Rounds of several ticks: what comes in every n-th tick only; and a protection that is told to stop.

use crate::setup::{TICK, after};
use aftercalm::actor::{Trigger, exactly};
use aftercalm::check::{Limits, check};
use aftercalm::component::{
    Assemble, Cache, Control, LookAside, Population, Protector, Server, store, system,
};
use aftercalm::policy::Ratio;
use aftercalm::property::{ModelExt, always};
use std::collections::BTreeSet;

#[test]
fn open_arrivals_come_in_every_nth_tick_from_the_first_on_and_retries_whenever_they_are_due() {
    let mut sys = system(TICK);
    let failing = sys.install("store", store(0));
    let clients = sys.install("clients", Population::open(failing, 2..=2).every(3).retries(1));
    let sent: Vec<(u32, u32)> = (1..=8)
        .map(|tick| {
            let states = after(&sys, tick);
            assert_eq!(states.len(), 1, "nothing is left open in tick {tick}");
            (states[0][clients].sent.fresh, states[0][clients].sent.retries)
        })
        .collect();
    assert_eq!(sent, [(2, 0), (0, 0), (0, 2), (2, 0), (0, 0), (0, 2), (2, 0), (0, 0)]);
}

#[test]
fn a_range_of_arrivals_is_asked_for_in_the_ticks_alone_in_which_they_come() {
    let mut sys = system(TICK);
    let server = sys.install("server", Server::new(9));
    let clients = sys.install("clients", Population::open(server, 0..=1).every(2));
    let seen = |tick| after(&sys, tick).iter().map(|s| s[clients].sent.fresh).collect::<BTreeSet<_>>();
    assert_eq!([seen(1), seen(2), seen(3)], [[0, 1].into(), [0].into(), [0, 1].into()]);
}

#[test]
fn a_surge_comes_with_the_next_wave() {
    let mut sys = system(TICK);
    let server = sys.install("server", Server::new(9));
    let clients = sys.install("clients", Population::open(server, 1..=1).every(3));
    let surge = Trigger::for_good().starting(exactly(TICK * 2)).at_start(clients, Control::Surge(5).into());
    sys.add("surge", surge);
    let sent: Vec<u32> = (1..=7).map(|tick| after(&sys, tick)[0][clients].sent.fresh).collect();
    assert_eq!(sent, [1, 0, 0, 5, 0, 0, 5]);
}

#[test]
fn closed_arrivals_have_no_rounds() {
    let mut sys = system(TICK);
    let server = sys.install("server", Server::new(9));
    sys.install("clients", Population::closed(server, 1, 1..=1).every(2));
    let system = sys.system().atom("any", |_, _| true).claim(always("any"));
    let fault = check(&system, &Limits::default()).unwrap().fault;
    assert!(format!("{fault:?}").contains("every n-th tick"), "{fault:?}");
}

#[test]
fn buckets_expire_in_every_nth_tick_and_in_the_nth_first() {
    let mut sys = system(TICK);
    let server = sys.install("server", Server::new(9));
    let cache = sys.install("cache", Cache::new(server, LookAside::new(4).expiring(1..=1).every(3)));
    let warm: Vec<u32> = (1..=7).map(|tick| after(&sys, tick)[0][cache].warm()).collect();
    assert_eq!(warm, [4, 4, 3, 3, 3, 2, 2]);
}

#[test]
fn a_protection_that_is_told_to_stop_is_off_until_traffic_turns_it_on_again() {
    for (asked, comes_back) in [(2, false), (3, true)] {
        let mut sys = system(TICK);
        let server = sys.install("server", Server::new(9));
        let protector =
            sys.install("protector", Protector::new(server, 2).off_after(9).shunting("a", Ratio::new(1, 2)));
        let clients = sys.install("clients", Population::open(protector, 3..=3).class("a"));
        let at = |tick: u32| Trigger::for_good().starting(exactly(TICK * tick));
        sys.add("calm", at(3).at_start(clients, Control::Surge(asked).into()));
        sys.add("stop", at(6).at_start(protector, Control::Restart.into()));
        let on = |tick| after(&sys, tick).iter().map(|s| s[protector].on()).collect::<BTreeSet<_>>();
        // On from tick 2 on, with a calm that is too short; told so in tick 7.
        assert_eq!([on(1), on(2), on(6)], [[false].into(), [true].into(), [true].into()]);
        assert_eq!([on(7), on(8)], [[comes_back].into(), [comes_back].into()], "{asked} a tick");
    }
}
