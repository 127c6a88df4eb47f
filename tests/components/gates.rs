//! What stands between clients and servers: quotas, protections, networks.

use crate::setup::{Script, TICK, after, expect, heard, patient};
use aftercalm::actor::{Handle, TimedSystem};
use aftercalm::component::{
    Answer, Assemble, Class, ComponentActor, Control, Msg, Network, Overload, Pick, Protector, QuotaEnforcer,
    Server, system,
};
use aftercalm::policy::{Ratio, TokenBucket};
use stateright::actor::Id;

/// A gate before a server that serves all, and what is sent to it: (tick, message, how often). The script's id is 0.
fn fed<C: ComponentActor>(
    gate: impl FnOnce(Handle<Server>) -> C,
    script: &[(u32, Msg, usize)],
) -> (TimedSystem<Msg>, Handle<Script>, Handle<C>) {
    let mut sys = system(TICK);
    let place = sys.reserve("script");
    let server = sys.install("server", Server::new(99));
    let gate = sys.install("gate", gate(server));
    let script = script.iter().map(|(at, msg, n)| (*at, gate.id(), *msg, *n)).collect();
    sys.fill(place, Script(script));
    (sys, place, gate)
}

fn ask(class: &'static str) -> Msg {
    patient(Id::from(0), class)
}

#[test]
fn a_class_has_its_quota_and_the_others_are_not_touched() {
    let script = [(0, ask("a"), 3), (0, ask("b"), 2)];
    let (sys, log, _) = fed(|s| QuotaEnforcer::new(s).limit("a", 1), &script);
    expect(&sys, log, 4, &["2 Rejected(a #1); 2 Rejected(a #1); 3 Ok(a #1); 3 Ok(b #1); 3 Ok(b #1)"]);
}

#[test]
fn an_operator_sets_and_removes_a_limit() {
    let script = [
        (0, Control::SetLimit(Class("a"), 0).into(), 1),
        (0, ask("a"), 1),
        (2, Control::RemoveLimit(Class("a")).into(), 1),
        (2, ask("a"), 2),
    ];
    let (sys, log, _) = fed(QuotaEnforcer::new, &script);
    expect(&sys, log, 6, &["2 Rejected(a #1); 5 Ok(a #1); 5 Ok(a #1)"]);
}

#[test]
fn in_a_shared_front_end_a_rejection_takes_a_slot_of_the_others() {
    let script = [(0, ask("a"), 2), (0, ask("b"), 1)];
    let gate = |s| QuotaEnforcer::new(s).limit("a", 1).front_end(2);
    let (sys, log, _) = fed(gate, &script);
    // Two of the three are handled: both a, or one a and the b.
    expect(
        &sys,
        log,
        4,
        &["2 Error(a #1); 3 Ok(a #1); 3 Ok(b #1)", "2 Error(b #1); 2 Rejected(a #1); 3 Ok(a #1)"],
    );
    let gate = |s| QuotaEnforcer::new(s).front_end(2).overflow(None).pick(Pick::Even);
    let (sys, log, _) = fed(gate, &[(0, ask("a"), 2), (0, ask("b"), 2)]);
    expect(&sys, log, 4, &["3 Ok(a #1); 3 Ok(b #1)"]);
}

#[test]
fn a_bucket_allows_a_burst_and_then_its_rate() {
    let bucket = || TokenBucket { burst: 3, rate: Ratio::new(1, 2) };
    let script: Vec<_> = (0..5).map(|at| (at, ask("a"), 2)).collect();
    for gate in [true, false] {
        let (sys, log, _) = fed(
            move |s| {
                if gate {
                    QuotaEnforcer::new(s).bucket("a", bucket())
                } else {
                    QuotaEnforcer::new(s).global(bucket())
                }
            },
            &script,
        );
        let heard = heard(&sys, log, 9);
        let ok = |at: u32| heard.first().unwrap().matches(&format!("{at} Ok")).count();
        // Tokens before each tick's requests: 3, 1 1/2, 1, 1/2, 1.
        assert_eq!((3..8).map(ok).collect::<Vec<_>>(), [2, 1, 1, 0, 1], "{heard:?}");
    }
}

#[test]
fn a_protection_turns_on_above_its_capacity_and_off_after_calm_ticks() {
    let load = [1, 3, 1, 2, 1, 1];
    let script: Vec<_> = (0..6).map(|at| (at, ask("a"), load[at as usize])).collect();
    let gate = |s| Protector::new(s, 1).off_after(2).shunting("a", Ratio::ONE);
    let (sys, log, gate) = fed(gate, &script);
    let on: Vec<bool> = (1..7).map(|n| after(&sys, n)[0][gate].on()).collect();
    assert_eq!(on, [false, true, true, true, true, false]);
    let heard = heard(&sys, log, 9);
    assert_eq!(heard.first().unwrap().matches("Challenge").count(), 3 + 1 + 2 + 1);
    assert_eq!(heard.first().unwrap().matches("Ok").count(), 2);
}

#[test]
fn a_share_is_rounded_either_way_and_standby_capacity_turns_it_off() {
    let half = Ratio::new(1, 2);
    let gate = move |s| Protector::new(s, 2).shunting("a", half).answering(Answer::Error);
    let (sys, log, _) = fed(gate, &[(0, ask("a"), 3)]);
    let mut errors: Vec<usize> = heard(&sys, log, 4).iter().map(|h| h.matches("Error").count()).collect();
    errors.sort_unstable();
    assert_eq!(errors, [1, 2]);
    let script =
        [(0, ask("a"), 4), (0, ask("b"), 1), (1, ask("a"), 4), (1, Control::AddCapacity(2).into(), 1)];
    let (sys, log, gate) = fed(move |s| Protector::new(s, 2).shunting("a", half), &script);
    expect(
        &sys,
        log,
        5,
        &[
            "2 Challenge(a #1); 2 Challenge(a #1); 3 Ok(a #1); 3 Ok(a #1); 3 Ok(b #1); 4 Ok(a #1); 4 Ok(a #1); 4 Ok(a #1); 4 Ok(a #1)",
        ],
    );
    assert!(!after(&sys, 2)[0][gate].on());
    let script = [(0, ask("a"), 4), (1, ask("a"), 4), (1, Control::Disable.into(), 1)];
    let (sys, log, _) = fed(move |s| Protector::new(s, 2).shunting("a", Ratio::ONE), &script);
    let heard = heard(&sys, log, 5);
    assert_eq!(heard.first().unwrap().matches("4 Ok").count(), 4);
}

#[test]
fn a_network_carries_its_capacity_and_a_collapsing_one_less() {
    for (q, keeps, collapses) in [(2, 2, 2), (3, 2, 1), (4, 2, 0), (7, 2, 0)] {
        for (overload, carried) in [(Overload::Keeps, keeps), (Overload::Collapses, collapses)] {
            let (sys, log, _) = fed(|s| Network::new(s, 2).overload(overload), &[(0, ask("a"), q)]);
            let heard = heard(&sys, log, 4);
            assert_eq!(heard.first().unwrap().matches("3 Ok").count(), carried, "{q} {overload:?}");
        }
    }
}

#[test]
fn classes_share_a_network_and_go_their_own_ways() {
    let mut sys = system(TICK);
    let place = sys.reserve("script");
    let slow = sys.install("slow", Server::new(9).service(3));
    let fast = sys.install("fast", Server::new(9));
    let network = sys.install("network", Network::new(slow, 1).route("b", fast));
    sys.fill(place, Script(vec![(0, network.id(), ask("a"), 1), (0, network.id(), ask("b"), 1)]));
    expect(&sys, place, 8, &["3 Ok(b #1)", "6 Ok(a #1)"]);
}

#[test]
fn answers_that_come_back_through_a_network_count_too() {
    let script = [(0, ask("a"), 1), (2, ask("b"), 1)];
    let (sys, log, _) = fed(|s| Network::new(s, 1).both_ways(), &script);
    // The answer to a and the request b meet in tick 3: one of them is lost.
    expect(&sys, log, 8, &["4 Ok(a #1)", "6 Ok(b #1)"]);
}
