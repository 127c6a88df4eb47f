//! What balancers know of hosts: outliers, panic, health checks; and switches with hysteresis.

use aftercalm::policy::{
    FailureRate, HealthCheck, Hysteresis, Outcome, OutlierDetection, OutlierState, Policy, Ratio, Routing,
    SuccessRate, Ticks, preset,
};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn wait(detection: &OutlierDetection, state: &mut OutlierState, ticks: u32) {
    (0..ticks).for_each(|_| detection.tick(state));
}

fn fail(detection: &OutlierDetection, state: &mut OutlierState, host: usize) {
    detection.record(state, host, Outcome::Error, 5);
}

#[test]
fn envoy_ejects_after_five_failures_in_a_row_for_longer_and_longer() {
    let detection = preset::envoy::outlier_detection(SECOND, 10).unwrap();
    let mut state = detection.start();
    detection.record(&mut state, 3, Outcome::Error, 4);
    detection.record(&mut state, 3, Outcome::Success, 1);
    detection.record(&mut state, 3, Outcome::Error, 4);
    assert!(!state.is_ejected(3), "a success begins anew");
    detection.record(&mut state, 3, Outcome::Error, 1);
    assert!(state.is_ejected(3));
    fail(&detection, &mut state, 4);
    assert!(!state.is_ejected(4), "one of ten hosts is all that may be ejected");
    // 30 s, then at the end of the interval; the next time 60 s, then 90 s, up to 300 s.
    for times in 1..15 {
        let ejected = (30 * times).min(300);
        wait(&detection, &mut state, ejected - 1);
        assert!(state.is_ejected(3), "ejection {times}");
        wait(&detection, &mut state, 1);
        assert!(!state.is_ejected(3), "ejection {times}");
        fail(&detection, &mut state, 3);
        assert!(state.is_ejected(3));
    }
}

#[test]
fn a_host_that_behaves_is_forgiven_one_ejection_an_interval() {
    let detection = preset::envoy::outlier_detection(SECOND, 10).unwrap();
    let mut state = detection.start();
    for times in 1..=3 {
        fail(&detection, &mut state, 0);
        wait(&detection, &mut state, 30 * times);
    }
    assert!(!state.is_ejected(0));
    // Three times so far; two quiet intervals leave one, so that the next is the second again.
    wait(&detection, &mut state, 20);
    fail(&detection, &mut state, 0);
    wait(&detection, &mut state, 59);
    assert!(state.is_ejected(0));
    wait(&detection, &mut state, 1);
    assert!(!state.is_ejected(0));
}

#[test]
fn with_fewer_than_ten_hosts_envoy_ejects_none_unless_told_to() {
    for hosts in 1..10 {
        let detection = preset::envoy::outlier_detection(SECOND, hosts).unwrap();
        let mut state = detection.start();
        fail(&detection, &mut state, 0);
        assert_eq!(state.ejected(), 0);
        let one = OutlierDetection { always_one: true, ..detection };
        let mut state = one.start();
        (0..hosts as usize).for_each(|host| fail(&one, &mut state, host));
        assert_eq!(state.ejected(), 1);
    }
}

#[test]
fn no_more_than_its_share_is_ever_ejected() {
    for (hosts, percent) in [(4, 50), (7, 30), (3, 100), (5, 0)] {
        for always_one in [false, true] {
            let detection = OutlierDetection {
                share_max: Ratio::percent(percent),
                always_one,
                failure_rate: Some(FailureRate { hosts_min: 1, requests_min: 1, share: Ratio::percent(60) }),
                consecutive: 2,
                interval: Ticks(2),
                base: Ticks(1),
                max: Ticks(5),
                ..preset::envoy::outlier_detection(SECOND, hosts).unwrap()
            };
            let most = (hosts * percent / 100).max(u32::from(always_one));
            let mut reached = 0;
            let mut random = fastrand::Rng::with_seed(u64::from(hosts));
            let mut state = detection.start();
            for _ in 0..3000 {
                let outcome = if random.u8(0..4) == 0 { Outcome::Success } else { Outcome::Error };
                detection.record(&mut state, random.usize(0..hosts as usize), outcome, random.u32(0..3));
                assert!(state.ejected() <= most);
                reached = reached.max(state.ejected());
                if random.bool() {
                    detection.tick(&mut state);
                }
            }
            assert_eq!(reached, most, "the bound is reached");
        }
    }
}

#[test]
fn a_success_rate_far_below_the_mean_is_an_outlier() {
    // Envoy's own example: 50 100 100 100 100 has mean 90, deviation 20, and with 1.9 a threshold of 52.
    let detection = OutlierDetection {
        consecutive: 0,
        share_max: Ratio::ONE,
        success_rate: Some(SuccessRate { hosts_min: 5, requests_min: 20, factor: Ratio::new(19, 10) }),
        ..preset::envoy::outlier_detection(SECOND, 5).unwrap()
    };
    let run = |bad: u32, requests: u32| {
        let mut state = detection.start();
        for host in 0..5 {
            let failed = if host == 2 { bad } else { 0 };
            detection.record(&mut state, host, Outcome::Error, failed);
            detection.record(&mut state, host, Outcome::Success, requests - failed);
        }
        wait(&detection, &mut state, 10);
        state
    };
    let state = run(10, 20);
    assert!(state.is_ejected(2) && state.ejected() == 1, "50 % is less than 52 %");
    assert_eq!(run(9, 19).ejected(), 0, "too few requests");
    // Four hosts at 100 % and one at x: x < mean - 1.9 deviations for every x below 100, as the arithmetic has it.
    assert!(run(1, 20).is_ejected(2));
    // With a factor above 2 a single host of five can never be one.
    let wider = OutlierDetection {
        success_rate: Some(SuccessRate { hosts_min: 5, requests_min: 20, factor: Ratio::new(21, 10) }),
        ..detection.clone()
    };
    let mut state = wider.start();
    (0..5).for_each(|host| {
        wider.record(&mut state, host, if host == 2 { Outcome::Error } else { Outcome::Success }, 20)
    });
    wait(&wider, &mut state, 10);
    assert_eq!(state.ejected(), 0);
}

#[test]
fn a_host_that_a_sweep_ejects_is_not_forgiven_by_the_same_sweep() {
    let detection = OutlierDetection {
        consecutive: 0,
        share_max: Ratio::ONE,
        success_rate: None,
        failure_rate: Some(FailureRate { hosts_min: 1, requests_min: 1, share: Ratio::percent(85) }),
        ..preset::envoy::outlier_detection(SECOND, 2).unwrap()
    };
    let mut state = detection.start();
    for times in 1..5 {
        // It fails until the sweep, and is ejected for 30 s more than the last time.
        detection.record(&mut state, 0, Outcome::Error, 3);
        wait(&detection, &mut state, 10);
        assert!(state.is_ejected(0) && !state.is_ejected(1), "ejection {times}");
        wait(&detection, &mut state, 30 * times - 1);
        assert!(state.is_ejected(0), "ejection {times}");
        wait(&detection, &mut state, 1);
        assert!(!state.is_ejected(0), "ejection {times}");
    }
}

#[test]
fn envoy_panics_below_half_of_its_hosts() {
    let panic = preset::envoy::panic_threshold();
    for (healthy, hosts, routing) in [
        (5, 10, Routing::Healthy),
        (4, 10, Routing::All),
        (0, 3, Routing::All),
        (3, 3, Routing::Healthy),
        (0, 0, Routing::Nowhere),
    ] {
        assert_eq!(panic.routing(healthy, hosts), routing, "{healthy} of {hosts}");
    }
    let never = aftercalm::policy::PanicThreshold { threshold: Ratio::ZERO, fail_traffic: false };
    assert_eq!(never.routing(0, 3), Routing::Nowhere);
    let fail = aftercalm::policy::PanicThreshold { fail_traffic: true, ..panic };
    assert_eq!(fail.routing(1, 3), Routing::Nowhere);
}

#[test]
fn health_changes_only_after_checks_in_a_row() {
    let check = HealthCheck { interval: Ticks(5), timeout: Ticks(1), unhealthy: 3, healthy: 2 };
    let mut state = check.start();
    let mut told = |pattern: &str| -> String {
        pattern.chars().map(|c| if check.checked(&mut state, c == '+') { 'H' } else { 'u' }).collect()
    };
    assert_eq!(told("--+--+"), "HHHHHH");
    assert_eq!(told("---"), "HHu");
    assert_eq!(told("+-+-"), "uuuu");
    assert_eq!(told("++"), "uH");
}

#[test]
fn a_switch_turns_no_more_often_than_its_times_allow() {
    for (on_after, off_after) in [(1, 1), (2, 3), (4, 1)] {
        let switch =
            Hysteresis { on_level: 5, on_after: Ticks(on_after), off_level: 2, off_after: Ticks(off_after) };
        let mut random = fastrand::Rng::with_seed(3);
        let (mut state, mut was, mut turns) = (switch.start(), false, Vec::new());
        let mut levels = Vec::new();
        for now in 0..5000u32 {
            levels.push(if random.u8(0..3) > 0 { random.u32(0..9) } else { *levels.last().unwrap_or(&0) });
            let on = switch.observe(&mut state, levels[now as usize]);
            if on != was {
                let after = if on { on_after } else { off_after } as usize;
                let last = &levels[levels.len() - after..];
                assert!(last.iter().all(|level| if on { *level >= 5 } else { *level <= 2 }));
                turns.push(now);
            }
            was = on;
        }
        assert!(turns.len() > 50);
        for pair in turns.windows(2) {
            assert!(pair[1] - pair[0] >= on_after.min(off_after));
        }
    }
}

/// Envoy's detector by its description, with the times at which things happened and real numbers.
struct Detector<'a> {
    rules: &'a OutlierDetection,
    now: u32,
    hosts: Vec<Watched>,
}

#[derive(Clone, Default)]
struct Watched {
    in_a_row: u32,
    good: u32,
    all: u32,
    backoff: u32,
    ejected_at: Option<u32>,
    back_at: Option<u32>,
}

impl Detector<'_> {
    fn eject(&mut self, host: usize) {
        let active = self.hosts.iter().filter(|h| h.ejected_at.is_some()).count();
        let percent = 100.0 * (active + 1) as f64 / self.hosts.len() as f64;
        let most = 100.0 * f64::from(self.rules.share_max.num) / f64::from(self.rules.share_max.den);
        if percent <= most + 1e-9 || (self.rules.always_one && active == 0) {
            self.hosts[host].ejected_at = Some(self.now);
            if self.hosts[host].backoff * self.rules.base.0 < self.rules.max.0 + self.rules.base.0 {
                self.hosts[host].backoff += 1;
            }
        }
    }

    fn record(&mut self, host: usize, good: bool) {
        self.hosts[host].all += 1;
        self.hosts[host].good += u32::from(good);
        self.hosts[host].in_a_row = if good { 0 } else { self.hosts[host].in_a_row + 1 };
        if self.hosts[host].ejected_at.is_none() && self.hosts[host].in_a_row >= self.rules.consecutive {
            self.hosts[host].in_a_row = 0;
            self.eject(host);
        }
    }

    fn sweep(&mut self) {
        for host in &mut self.hosts {
            let lasts = (self.rules.base.0 * host.backoff).min(self.rules.max.0);
            if host.ejected_at.is_some_and(|at| self.now - at >= lasts) {
                (host.ejected_at, host.back_at, host.in_a_row) = (None, Some(self.now), 0);
            }
        }
        let counts: Vec<(u32, u32)> = self.hosts.iter().map(|h| (h.good, h.all)).collect();
        self.hosts.iter_mut().for_each(|h| (h.good, h.all) = (0, 0));
        let rate = |host: usize| 100.0 * f64::from(counts[host].0) / f64::from(counts[host].1);
        let eligible: Vec<usize> =
            (0..counts.len()).filter(|h| self.hosts[*h].ejected_at.is_none()).collect();
        let enough = |least: u32| -> Vec<usize> {
            eligible.iter().copied().filter(|h| counts[*h].1 >= least.max(1)).collect()
        };
        let rule = self.rules.success_rate.clone().unwrap();
        let valid = enough(rule.requests_min);
        if !valid.is_empty() && valid.len() >= rule.hosts_min as usize {
            let mean = valid.iter().map(|h| rate(*h)).sum::<f64>() / valid.len() as f64;
            let variance = valid.iter().map(|h| (rate(*h) - mean).powi(2)).sum::<f64>() / valid.len() as f64;
            let factor = f64::from(rule.factor.num) / f64::from(rule.factor.den);
            for host in valid.into_iter().filter(|h| rate(*h) < mean - factor * variance.sqrt()) {
                self.eject_if_in(host);
            }
        }
        let rule = self.rules.failure_rate.clone().unwrap();
        let valid = enough(rule.requests_min);
        if valid.len() >= rule.hosts_min as usize {
            let share = 100.0 * f64::from(rule.share.num) / f64::from(rule.share.den);
            for host in valid.into_iter().filter(|h| 100.0 - rate(*h) >= share - 1e-9) {
                self.eject_if_in(host);
            }
        }
        for host in self.hosts.iter_mut().filter(|h| h.ejected_at.is_none()) {
            let quiet = host.back_at.is_some_and(|at| self.now - at >= self.rules.interval.0);
            host.backoff -= u32::from(quiet && host.backoff > 0);
        }
    }

    fn eject_if_in(&mut self, host: usize) {
        if self.hosts[host].ejected_at.is_none() {
            self.eject(host);
        }
    }
}

#[test]
fn hosts_are_ejected_and_come_back_when_envoys_rules_say() {
    let mut ejected_all = 0;
    for (hosts, percent, always_one) in [(5, 40, false), (6, 50, true), (3, 100, false), (4, 10, true)] {
        let rules = OutlierDetection {
            consecutive: 4,
            interval: Ticks(4),
            base: Ticks(5),
            max: Ticks(17),
            share_max: Ratio::percent(percent),
            always_one,
            success_rate: Some(SuccessRate { hosts_min: 3, requests_min: 4, factor: Ratio::new(13, 10) }),
            failure_rate: Some(FailureRate { hosts_min: 2, requests_min: 3, share: Ratio::percent(80) }),
            ..preset::envoy::outlier_detection(SECOND, hosts).unwrap()
        };
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut state = rules.start();
            let watched = vec![Watched::default(); hosts as usize];
            let mut real = Detector { rules: &rules, now: 0, hosts: watched };
            let mut bad: Vec<u8> = (0..hosts).map(|_| random.u8(0..5)).collect();
            for step in 0..400 {
                if random.u8(0..60) == 0 {
                    bad = (0..hosts).map(|_| random.u8(0..5)).collect();
                }
                for _ in 0..random.u32(0..6) {
                    let host = random.usize(0..hosts as usize);
                    let good = random.u8(0..5) >= bad[host];
                    rules.record(&mut state, host, if good { Outcome::Success } else { Outcome::Error }, 1);
                    real.record(host, good);
                }
                for host in 0..hosts as usize {
                    let really = real.hosts[host].ejected_at.is_some();
                    assert_eq!(
                        state.is_ejected(host),
                        really,
                        "step {step}, seed {seed}, host {host}: {state:?}"
                    );
                    ejected_all += u32::from(really);
                }
                rules.tick(&mut state);
                real.now += 1;
                if real.now.is_multiple_of(rules.interval.0) {
                    real.sweep();
                }
            }
        }
    }
    assert!(ejected_all > 1000, "ejections are seen");
}
