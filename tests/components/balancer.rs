//! Balancers: who gets what, health, ejection, failover.

use crate::setup::{Script, TICK, after, expect, heard, patient, request};
use aftercalm::actor::{Handle, TimedSystem};
use aftercalm::component::{Assemble, Balance, Balancer, Control, Msg, Server, system};
use aftercalm::policy::{HealthCheck, Outcomes, OutlierDetection, PanicThreshold, Ratio, Ticks};
use stateright::actor::Id;
use std::collections::BTreeSet;

struct Built {
    sys: TimedSystem<Msg>,
    log: Handle<Script>,
    balancer: Handle<Balancer>,
    servers: Vec<Handle<Server>>,
}

/// A balancer before servers, what is sent to it, and what happens to the servers: (tick, which, what).
fn built(
    servers: &[Server],
    balancer: impl FnOnce(&[Handle<Server>]) -> Balancer,
    script: &[(u32, Msg, usize)],
    fates: &[(u32, usize, Control)],
) -> Built {
    let mut sys = system(TICK);
    let log = sys.reserve("script");
    let servers: Vec<_> =
        servers.iter().enumerate().map(|(i, s)| sys.install(&format!("server{i}"), s.clone())).collect();
    let balancer = sys.install("balancer", balancer(&servers));
    let sends = script.iter().map(|(at, msg, n)| (*at, balancer.id(), *msg, *n));
    let fates = fates.iter().map(|(at, which, control)| (*at, servers[*which].id(), (*control).into(), 1));
    sys.fill(log, Script(sends.chain(fates).collect()));
    Built { sys, log, balancer, servers }
}

fn ask() -> Msg {
    patient(Id::from(0), "a")
}

fn three() -> [Server; 3] {
    [Server::new(9), Server::new(9), Server::new(9)]
}

/// How many requests are in service at each server after `n` ticks, in every way.
fn spread(b: &Built, n: usize) -> BTreeSet<Vec<u32>> {
    let load = |s: &aftercalm::actor::TimedState<Msg>| {
        b.servers.iter().map(|server| s[*server].in_service.total()).collect::<Vec<u32>>()
    };
    after(&b.sys, n).iter().map(load).collect()
}

fn slow() -> Server {
    Server::new(9).service(9)
}

#[test]
fn an_answer_comes_back_through_the_balancer_or_straight() {
    let b = built(&[Server::new(1)], |s| Balancer::new(s.to_vec()), &[(0, ask(), 1)], &[]);
    expect(&b.sys, b.log, 6, &["4 Ok(a #1)"]);
    let b =
        built(&[Server::new(1)], |s| Balancer::new(s.to_vec()).returning_directly(), &[(0, ask(), 1)], &[]);
    expect(&b.sys, b.log, 6, &["3 Ok(a #1)"]);
}

#[test]
fn round_robin_goes_on_where_it_stopped() {
    let b =
        built(&[slow(), slow(), slow()], |s| Balancer::new(s.to_vec()), &[(0, ask(), 2), (1, ask(), 2)], &[]);
    assert_eq!(spread(&b, 2), [vec![1, 1, 0]].into());
    assert_eq!(spread(&b, 3), [vec![2, 1, 1]].into());
}

#[test]
fn random_is_every_distribution_and_least_loaded_evens_out() {
    let with = |balance| move |s: &[Handle<Server>]| Balancer::new(s.to_vec()).balance(balance);
    let b = built(&[slow(), slow()], with(Balance::Random), &[(0, ask(), 3)], &[]);
    assert_eq!(spread(&b, 2), [vec![0, 3], vec![1, 2], vec![2, 1], vec![3, 0]].into());
    // The first server answers at once, so that it has room again in tick 5.
    let servers = [Server::new(9), slow()];
    let b = built(&servers, with(Balance::LeastLoaded), &[(0, ask(), 3), (4, ask(), 2)], &[]);
    assert_eq!(spread(&b, 2), [vec![0, 1]].into());
    assert_eq!(spread(&b, 6), [vec![0, 1]].into());
    assert_eq!(after(&b.sys, 5)[0][b.balancer].backends[0].in_flight.total(), 2);
}

const CHECK: HealthCheck = HealthCheck { interval: Ticks(3), timeout: Ticks(2), unhealthy: 2, healthy: 1 };

#[test]
fn a_backend_that_fails_its_checks_is_not_used_until_it_passes_them_again() {
    let asks: Vec<_> = (0..16).map(|at| (at, request(Id::from(0), "a", 9), 1)).collect();
    let b = built(
        &[Server::new(9), Server::new(9)],
        |s| Balancer::new(s.to_vec()).health_checks(CHECK),
        &asks,
        &[(0, 0, Control::Fail), (10, 0, Control::Repair)],
    );
    // Checks in ticks 1, 4, 7, ..: the first two have failed in ticks 3 and 6. The check of tick 10 meets a server that is up again.
    let healthy: Vec<bool> = (1..14).map(|n| after(&b.sys, n)[0][b.balancer].usable(0)).collect();
    let expected: Vec<bool> = (1..14).map(|n| !(6..12).contains(&n)).collect();
    assert_eq!(healthy, expected);
    let heard = heard(&b.sys, b.log, 14);
    let refused: Vec<&str> =
        heard.first().unwrap().split("; ").filter(|h| h.contains("Unreachable")).collect();
    assert_eq!(refused.len(), 3, "every second one of the first six: {heard:?}");
}

#[test]
fn with_too_few_healthy_backends_a_panicking_balancer_uses_all() {
    let panic = |fail_traffic| PanicThreshold { threshold: Ratio::percent(50), fail_traffic };
    for (threshold, used) in [(None, 0), (Some(false), 2), (Some(true), 0)] {
        let balancer = |s: &[Handle<Server>]| {
            let balancer = Balancer::new(s.to_vec()).health_checks(CHECK);
            match threshold {
                Some(fail) => balancer.panic_threshold(panic(fail)),
                None => balancer,
            }
        };
        let fates =
            [(0, 0, Control::Fail), (0, 1, Control::Fail), (8, 0, Control::Repair), (8, 1, Control::Repair)];
        let b = built(&[slow(), slow()], balancer, &[(8, ask(), 2)], &fates);
        assert_eq!(spread(&b, 10).first().unwrap().iter().sum::<u32>(), used, "{threshold:?}");
    }
}

#[test]
fn a_backend_whose_requests_fail_is_ejected_for_a_while() {
    let outliers = OutlierDetection {
        hosts: 2,
        consecutive: 2,
        failures: Outcomes::FAILURES,
        interval: Ticks(1),
        base: Ticks(4),
        max: Ticks(9),
        share_max: Ratio::percent(50),
        always_one: true,
        success_rate: None,
        failure_rate: None,
    };
    let asks: Vec<_> = (0..14).map(|at| (at, ask(), 2)).collect();
    let b = built(
        &[Server::new(9), Server::new(9)],
        |s| Balancer::new(s.to_vec()).outlier_detection(outliers.clone()),
        &asks,
        &[(0, 0, Control::Fail)],
    );
    // Requests of ticks 1 and 2 come back refused in 3 and 4; let back in tick 8, it fails those of 8 and 9 in 10 and 11.
    let ejected: Vec<u32> = (1..12).map(|n| after(&b.sys, n)[0][b.balancer].ejected()).collect();
    assert_eq!(ejected, [0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1]);
}

#[test]
fn requests_whose_answers_never_come_count_as_timeouts() {
    let outliers = OutlierDetection {
        hosts: 1,
        consecutive: 2,
        failures: Outcomes::FAILURES,
        interval: Ticks(9),
        base: Ticks(9),
        max: Ticks(9),
        share_max: Ratio::ONE,
        always_one: true,
        success_rate: None,
        failure_rate: None,
    };
    let silent = Server::new(9).when_down(None);
    let b = built(
        &[silent],
        |s| Balancer::new(s.to_vec()).outlier_detection(outliers.clone()),
        &[(1, request(Id::from(0), "a", 3), 2)],
        &[(0, 0, Control::Fail)],
    );
    // Sent in tick 1 with a timeout of 3: given up in tick 4.
    let ejected: Vec<u32> = (2..6).map(|n| after(&b.sys, n)[0][b.balancer].ejected()).collect();
    assert_eq!(ejected, [0, 0, 1, 1]);
}

#[test]
fn it_fails_over_to_the_remote_site_and_back_after_a_while() {
    let b = built(
        &three(),
        |s| Balancer::new(s[..2].to_vec()).or_else(s[2..].to_vec()).health_checks(CHECK).failback(4),
        &[],
        &[(0, 0, Control::Fail), (0, 1, Control::Fail), (10, 0, Control::Repair)],
    );
    let remote: Vec<usize> = (1..19).filter(|n| after(&b.sys, *n)[0][b.balancer].group == 1).collect();
    // Unhealthy in tick 6; healthy again in tick 12, and back after four ticks of that.
    assert_eq!(remote, (6..15).collect::<Vec<_>>());
    let needs_both = built(
        &three(),
        |s| {
            let both = Balancer::new(s[..2].to_vec()).or_else(s[2..].to_vec()).group_up(Ratio::ONE);
            both.health_checks(CHECK)
        },
        &[],
        &[(0, 0, Control::Fail)],
    );
    assert_eq!(after(&needs_both.sys, 6)[0][needs_both.balancer].group, 1);
}

#[test]
fn operators_direct_and_split_traffic() {
    let split = |percent: u8| {
        let script = [(0, Control::Split(percent).into(), 1), (0, ask(), 3)];
        let b = built(&[slow(), slow()], |s| Balancer::new([s[0]]).or_else([s[1]]), &script, &[]);
        spread(&b, 2)
    };
    assert_eq!(split(50), [vec![1, 2], vec![2, 1]].into());
    assert_eq!(split(100), [vec![0, 3]].into());
    let script =
        [(0, Control::Direct(1).into(), 1), (0, ask(), 1), (1, Control::ByHealth.into(), 1), (1, ask(), 1)];
    let b = built(&[slow(), slow()], |s| Balancer::new([s[0]]).or_else([s[1]]), &script, &[]);
    assert_eq!(spread(&b, 3), [vec![1, 1]].into());
}

#[test]
fn failover_of_an_overloaded_site_flaps_unless_traffic_stays_away() {
    use crate::setup::verdicts;
    use aftercalm::component::{NEVER, Population};
    use aftercalm::property::{ModelExt, stabilizes};
    let flaps = |failback: u16| {
        let mut sys = system(TICK);
        // The primary is too small for the load, and looks healthy as soon as the load is gone.
        let primary = sys.install("primary", Server::new(1).queue(6).healthy_up_to(2));
        let remote = sys.install("remote", Server::new(9));
        let balancer = Balancer::new([primary]).or_else([remote]).health_checks(CHECK).failback(failback);
        let balancer = sys.install("balancer", balancer.returning_directly());
        sys.install("clients", Population::open(balancer, 2..=2));
        let system = sys
            .system()
            .atoms(Balancer::atoms(balancer, "balancer"))
            .claim(stabilizes("balancer_on_primary"))
            .claim(stabilizes("not balancer_on_primary"));
        verdicts(&system)
    };
    assert_eq!(flaps(1), ["lasso", "lasso"]);
    assert_eq!(flaps(3), ["lasso", "lasso"], "waiting for longer only makes it slower");
    assert_eq!(flaps(NEVER)[1], "holds");
}
