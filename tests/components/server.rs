//! The server, fed by a script.

use crate::setup::{Script, TICK, after, expect, heard, patient, request};
use aftercalm::actor::{Handle, TimedSystem};
use aftercalm::component::{
    Answer, Assemble, Control, Msg, Order, Overload, QueueTimeout, Server, store, system,
};
use aftercalm::policy::{Ratio, Ticks};
use stateright::actor::Id;
use std::collections::BTreeSet;

/// A server and what is sent to it: (tick, message, how often). The script's id is 0.
fn fed(server: Server, script: &[(u32, Msg, usize)]) -> (TimedSystem<Msg>, Handle<Script>, Handle<Server>) {
    let mut sys = system(TICK);
    let place = sys.reserve("script");
    let server = sys.install("server", server);
    let script = script.iter().map(|(at, msg, n)| (*at, server.id(), *msg, *n)).collect();
    sys.fill(place, Script(script));
    (sys, place, server)
}

fn client() -> Id {
    Id::from(0)
}

fn ask(class: &'static str) -> Msg {
    patient(client(), class)
}

#[test]
fn the_round_trip_is_two_ticks_and_the_service_time() {
    for service in 0..3 {
        let (sys, script, _) = fed(Server::new(1).service(service), &[(0, ask("a"), 1)]);
        expect(&sys, script, 5, &[&format!("{} Ok(a #1)", 2 + service)]);
    }
}

#[test]
fn a_server_serves_its_capacity_a_tick_and_keeps_the_rest_in_order() {
    let (sys, script, server) = fed(Server::new(2), &[(0, ask("a"), 3), (1, ask("b"), 1)]);
    expect(&sys, script, 4, &["2 Ok(a #1); 2 Ok(a #1); 3 Ok(a #1); 3 Ok(b #1)"]);
    assert_eq!(after(&sys, 1)[0][server].queue_length(), 1);
    let (sys, script, _) = fed(Server::new(1).order(Order::Lifo), &[(0, ask("a"), 2), (1, ask("b"), 1)]);
    expect(&sys, script, 5, &["2 Ok(a #1); 3 Ok(b #1); 4 Ok(a #1)"]);
}

#[test]
fn requests_of_one_tick_are_served_in_every_order_and_batches_in_theirs() {
    let (sys, script, _) = fed(Server::new(1), &[(0, ask("a"), 1), (0, ask("b"), 1), (1, ask("c"), 1)]);
    let both = ["2 Ok(a #1); 3 Ok(b #1); 4 Ok(c #1)", "2 Ok(b #1); 3 Ok(a #1); 4 Ok(c #1)"];
    expect(&sys, script, 5, &both);
}

#[test]
fn what_does_not_fit_is_rejected_the_newest_first_and_with_lifo_the_oldest() {
    let script = [(0, ask("a"), 2), (1, ask("b"), 3)];
    let (sys, log, _) = fed(Server::new(1).queue(1), &script);
    // Tick 1: one a is served, one waits. Tick 2: it is served, one b waits, two are rejected.
    expect(&sys, log, 5, &["2 Ok(a #1); 3 Ok(a #1); 3 Rejected(b #1); 3 Rejected(b #1); 4 Ok(b #1)"]);
    let (sys, log, _) = fed(Server::new(1).queue(1).order(Order::Lifo), &script);
    expect(&sys, log, 5, &["2 Ok(a #1); 3 Ok(b #1); 3 Rejected(a #1); 3 Rejected(b #1); 4 Ok(b #1)"]);
    let (sys, log, _) = fed(Server::new(1).queue(0).rejecting(None), &[(0, ask("a"), 3)]);
    expect(&sys, log, 5, &["2 Ok(a #1)"]);
}

#[test]
fn beyond_its_capacity_a_collapsing_server_serves_2c_less_q() {
    for (q, served) in [(1, 1), (3, 3), (4, 2), (5, 1), (6, 0), (9, 0)] {
        let (sys, log, _) = fed(store(3).overload(Overload::Collapses), &[(0, ask("a"), q)]);
        let heard = heard(&sys, log, 2);
        let heard = heard.first().unwrap();
        assert_eq!(heard.matches("Ok").count(), served, "{q} requests: {heard}");
        assert_eq!(heard.matches("Error").count(), q - served, "{q} requests: {heard}");
    }
}

#[test]
fn rejections_that_cost_leave_less_for_the_others() {
    // Capacity 4, no queue, a rejection costs a quarter: the most s with s + (q - s) / 4 <= 4.
    for (q, served) in [(4, 4), (5, 3), (7, 3), (8, 2), (10, 2), (16, 0), (20, 0)] {
        let server = Server::new(4).queue(0).rejection_cost(Ratio::new(1, 4));
        let (sys, log, _) = fed(server, &[(0, ask("a"), q)]);
        let heard = heard(&sys, log, 2);
        assert_eq!(heard.first().unwrap().matches("Ok").count(), served, "{q} requests");
    }
}

#[test]
fn expired_requests_are_served_unless_they_are_dropped() {
    // Three requests with a timeout of 2 at capacity 1: answers in ticks 2, 3 and 4, of which one is in time.
    let script = [(0, request(client(), "a", 2), 3)];
    let (sys, log, _) = fed(Server::new(1), &script);
    expect(&sys, log, 6, &["2 Ok(a #1, 0 left); 3 Ok(a #1, given up); 4 Ok(a #1, given up)"]);
    let (sys, log, server) = fed(Server::new(1).dropping_expired(), &script);
    expect(&sys, log, 6, &["2 Ok(a #1, 0 left)"]);
    assert_eq!(after(&sys, 2)[0][server].queue_length(), 0);
}

#[test]
fn a_server_that_fails_loses_what_it_holds_and_refuses_until_it_is_repaired() {
    let script = [
        (0, ask("a"), 3),
        (1, Control::Fail.into(), 1),
        (2, ask("b"), 1),
        (3, Control::Repair.into(), 1),
        (4, ask("c"), 1),
    ];
    let (sys, log, _) = fed(Server::new(1), &script);
    expect(&sys, log, 8, &["2 Ok(a #1); 4 Unreachable(b #1); 6 Ok(c #1)"]);
    let (sys, log, _) = fed(Server::new(1).when_down(None), &script);
    expect(&sys, log, 8, &["2 Ok(a #1); 6 Ok(c #1)"]);
    let (sys, log, _) = fed(Server::new(9).service(2), &[(0, ask("a"), 1), (1, Control::Restart.into(), 1)]);
    expect(&sys, log, 8, &[""]);
}

#[test]
fn a_slow_server_keeps_its_queue() {
    let script = [
        (0, Control::SetCapacity(0).into(), 1),
        (0, ask("a"), 2),
        (3, Control::ResetCapacity.into(), 1),
        (4, Control::AddCapacity(1).into(), 1),
    ];
    let (sys, log, _) = fed(Server::new(1), &script);
    expect(&sys, log, 8, &["5 Ok(a #1); 6 Ok(a #1)"]);
}

#[test]
fn a_cold_server_warms_up_by_serving() {
    let asks = (1..9).map(|at| (at, ask("a"), 4));
    let script: Vec<_> = [(0, Control::Restart.into(), 1)].into_iter().chain(asks).collect();
    let (sys, log, server) = fed(Server::new(4).queue(0).rejecting(None).cold_start(1, 2), &script);
    let heard = heard(&sys, log, 7);
    let by_tick: Vec<usize> =
        (3..7).map(|at| heard.first().unwrap().matches(&format!("{at} Ok")).count()).collect();
    assert_eq!(by_tick, [1, 3, 4, 4]);
    assert_eq!(after(&sys, 5)[0][server].warming, None);
    assert_eq!(after(&sys, 1)[0][server].throughput(), 1, "cold from the restart on");
    let (sys, _, server) = fed(Server::new(4).cold_start(1, 2).starting_cold(), &[(2, ask("a"), 9)]);
    let throughput: Vec<u32> = (1..6).map(|n| after(&sys, n)[0][server].throughput()).collect();
    assert_eq!(throughput, [1, 1, 3, 4, 4], "nothing warms it but serving");
}

#[test]
fn a_store_answers_with_the_value_that_it_holds() {
    let script = [
        (0, ask("a"), 1),
        (1, Control::SetValue(Answer::Invalid).into(), 1),
        (1, ask("b"), 1),
        (2, Control::SetValue(Answer::Ok).into(), 1),
        (2, ask("c"), 1),
    ];
    let (sys, log, _) = fed(store(5), &script);
    let expected: BTreeSet<String> = ["2 Ok(a #1); 3 Invalid(b #1); 4 Ok(c #1)".to_owned()].into();
    assert_eq!(heard(&sys, log, 6), expected);
}

#[test]
fn a_server_that_is_up_answers_pings() {
    let script = [(0, Msg::Ping(5), 1), (1, Control::Fail.into(), 1), (2, Msg::Ping(5), 1)];
    let (sys, log, _) = fed(Server::new(1), &script);
    expect(&sys, log, 6, &["2 Pong(3)"]);
}

#[test]
fn what_has_waited_too_long_is_turned_away_when_its_turn_comes() {
    let server = || Server::new(1).queue_timeout(QueueTimeout::After(Ticks(1)));
    let (sys, log, _) = fed(server(), &[(0, ask("a"), 4)]);
    expect(&sys, log, 6, &["2 Ok(a #1); 3 Ok(a #1); 4 Rejected(a #1); 4 Rejected(a #1)"]);
    // A limit that is never met changes nothing, and who of a batch is served is explored as without one.
    let script = [(0, ask("a"), 1), (0, ask("b"), 2), (1, ask("c"), 1), (3, ask("a"), 1)];
    for order in [Order::Fifo, Order::Lifo] {
        let patient = Server::new(1).queue(2).order(order).queue_timeout(QueueTimeout::After(Ticks(99)));
        let (plain, log, _) = fed(Server::new(1).queue(2).order(order), &script);
        let (timed, same, _) = fed(patient, &script);
        assert_eq!(heard(&plain, log, 9), heard(&timed, same, 9), "{order:?}");
    }
}

#[test]
fn adaptive_lifo_serves_the_newest_first_once_the_queue_has_been_building() {
    let script = [(0, ask("a"), 4), (1, ask("b"), 1), (2, ask("c"), 1), (3, ask("d"), 1)];
    let (sys, log, _) = fed(Server::new(1).order(Order::AdaptiveLifo(Ticks(2))), &script);
    let of = |at: u32, heard: &str| {
        heard.split("; ").filter(|h| h.starts_with(&format!("{at} "))).map(str::to_owned).collect::<Vec<_>>()
    };
    let heard = heard(&sys, log, 6);
    assert_eq!(heard.len(), 1, "{heard:?}");
    let heard = heard.first().unwrap();
    // In tick 1 the queue begins to build: it has been for 1 tick in tick 2, 2 in tick 3, and 3, which is more than 2, in tick 4.
    assert_eq!(
        [of(2, heard), of(3, heard), of(4, heard)].concat(),
        ["2 Ok(a #1)", "3 Ok(a #1)", "4 Ok(a #1)"]
    );
    assert_eq!(of(5, heard), ["5 Ok(d #1)"], "{heard}");
}
