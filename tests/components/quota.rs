//! The quota enforcer, fed by a script.

use crate::setup::{Script, TICK, expect};
use aftercalm::component::{Assemble, Class, Msg, NEVER, Pick, QuotaEnforcer, Request, Server, system};
use stateright::actor::Id;

/// An enforcer in front of a server that serves all; what reaches it at time 0: class, attempt, how often.
fn asked(enforcer: impl FnOnce(Id) -> QuotaEnforcer, requests: &[(&'static str, u8, usize)], heard: &[&str]) {
    let mut sys = system(TICK);
    let place = sys.reserve("script");
    let server = sys.install("server", Server::new(99));
    let enforcer = sys.install("enforcer", enforcer(server.id()));
    let request = |(class, attempt, n): &(&'static str, u8, usize)| {
        let request = Request { attempt: *attempt, ..Request::new(place.id(), Class(class), NEVER) };
        (0, enforcer.id(), Msg::Request(request), *n)
    };
    sys.fill(place, Script(requests.iter().map(request).collect()));
    expect(&sys, place, 4, heard);
}

#[test]
fn a_rejection_takes_a_slot_of_the_front_end_like_any_request() {
    // Three slots for a, a and b, of which one a is within the quota: with two slots, whoever gets none fails.
    let limited = |slots| move |server| QuotaEnforcer::new(server).limit("a", 1).front_end(slots);
    let requests = [("a", 1, 2), ("b", 1, 1)];
    asked(limited(3), &requests, &["2 Rejected(a #1); 3 Ok(a #1); 3 Ok(b #1)"]);
    let either = ["2 Error(a #1); 3 Ok(a #1); 3 Ok(b #1)", "2 Error(b #1); 2 Rejected(a #1); 3 Ok(a #1)"];
    asked(limited(2), &requests, &either);
}

#[test]
fn by_class_each_class_gets_its_share_and_first_attempts_come_first() {
    // Four slots for four of a and two of b: their shares are 2.67 and 1.33, to the nearest 3 and 1.
    let slots = |pick| move |server| QuotaEnforcer::new(server).front_end(4).pick(pick);
    let requests = [("a", 1, 1), ("a", 2, 2), ("a", 3, 1), ("b", 1, 1), ("b", 2, 1)];
    let nearest = "2 Error(a #3); 2 Error(b #2); 3 Ok(a #1); 3 Ok(a #2); 3 Ok(a #2); 3 Ok(b #1)";
    let other = "2 Error(a #2); 2 Error(a #3); 3 Ok(a #1); 3 Ok(a #2); 3 Ok(b #1); 3 Ok(b #2)";
    asked(slots(Pick::FairByClass), &requests, &[nearest]);
    asked(slots(Pick::ByClass), &requests, &[nearest, other]);
    let quota = |server| QuotaEnforcer::new(server).limit("a", 2).pick(Pick::ByClass);
    asked(quota, &[("a", 2, 2), ("a", 1, 1)], &["2 Rejected(a #2); 3 Ok(a #1); 3 Ok(a #2)"]);
}
