//! What rejects: adaptive throttling, admission control, token buckets; and hedging.

use aftercalm::policy::{
    AdaptiveThrottle, AdmissionControl, ConcurrencyLimit, HedgeState, Hedged, Hedging, Outcome, Policy,
    Ratio, Sample, Ticks, TokenBucket, Window, preset,
};
use std::time::Duration;

#[test]
fn adaptive_throttling_rejects_the_books_share_give_or_take_one() {
    let window = Window { slice: Ticks(1), slices: 12 };
    for k in [Ratio::whole(2), Ratio::new(11, 10), Ratio::new(3, 2)] {
        let throttle = AdaptiveThrottle { window, k };
        for requests in 0..40 {
            for accepts in 0..=requests {
                let mut state = throttle.start();
                throttle.request(&mut state, requests);
                throttle.accept(&mut state, accepts);
                let k = f64::from(k.num) / f64::from(k.den);
                let share =
                    ((f64::from(requests) - k * f64::from(accepts)) / f64::from(requests + 1)).max(0.0);
                for n in 0..20 {
                    let pass = throttle.may_pass(&state, n);
                    let real = f64::from(n) * (1.0 - share);
                    assert!(pass.end() - pass.start() <= 1 && *pass.end() <= n);
                    for end in [*pass.start(), *pass.end()] {
                        assert!((f64::from(end) - real).abs() < 1.0 + 1e-9, "{pass:?}, {real}");
                    }
                }
                if f64::from(accepts) * k >= f64::from(requests) {
                    assert_eq!(
                        throttle.may_pass(&state, 7),
                        7..=7,
                        "nothing is rejected while K covers the rest"
                    );
                }
            }
        }
    }
}

/// The book: with K = 2 and a server that accepts nothing, the client sends fewer and fewer; with one that accepts all again,
/// it sends all again once the window has forgotten.
#[test]
fn adaptive_throttling_backs_off_and_recovers_within_a_window() {
    let throttle = preset::sre::adaptive_throttle(Duration::from_secs(10)).unwrap();
    let mut state = throttle.start();
    let sent = |state: &mut _, accepting: bool| -> u32 {
        let pass = *throttle.may_pass(state, 10).end();
        throttle.request(state, 10);
        throttle.accept(state, if accepting { pass } else { 0 });
        throttle.tick(state);
        pass
    };
    let overload: Vec<u32> = (0..24).map(|_| sent(&mut state, false)).collect();
    assert!(overload.windows(2).all(|w| w[0] >= w[1]), "{overload:?}");
    assert_eq!(overload.last(), Some(&1), "{overload:?}");
    let after: Vec<u32> = (0..60).map(|_| sent(&mut state, true)).collect();
    assert!(after.windows(2).all(|w| w[0] <= w[1]), "{after:?}");
    assert_eq!(after.last(), Some(&10), "{after:?}");
}

#[test]
fn admission_control_rejects_the_filters_share_give_or_take_one() {
    let default = preset::envoy::admission_control(Duration::from_secs(1)).unwrap();
    // The documentation's formula, computed by hand: 100 requests, 50 good: (100 - 50 / 0.95) / 101 = 0.469.
    assert!((default.rejection(100, 50) - 0.469_0).abs() < 0.000_1);
    assert_eq!(default.rejection(100, 95), 0.0);
    assert_eq!(default.rejection(1000, 0), 0.8, "never more than 80 %");
    let keen = AdmissionControl { aggression: Ratio::whole(2), ..default.clone() };
    assert!((keen.rejection(100, 50) - default.rejection(100, 50).sqrt()).abs() < 1e-12);
    for control in [default, keen] {
        for requests in 0..30 {
            for good in 0..=requests {
                let mut state = control.start();
                control.record(&mut state, Outcome::Success, good);
                control.record(&mut state, Outcome::Error, requests - good);
                for n in 0..12 {
                    let pass = control.may_pass(&state, n);
                    let real = f64::from(n) * (1.0 - control.rejection(requests, good));
                    for end in [*pass.start(), *pass.end()] {
                        assert!((f64::from(end) - real).abs() < 1.0, "{pass:?}, {real}");
                    }
                }
            }
        }
    }
}

#[test]
fn admission_control_lets_all_pass_while_there_is_little_traffic() {
    let control = AdmissionControl {
        window: Window { slice: Ticks(1), slices: 10 },
        rate_min: Ratio::new(1, 2),
        ..preset::envoy::admission_control(Duration::from_secs(1)).unwrap()
    };
    let mut state = control.start();
    control.record(&mut state, Outcome::Error, 4);
    assert_eq!(control.may_pass(&state, 5), 5..=5, "4 in 10 ticks are fewer than 1 in 2");
    control.record(&mut state, Outcome::Error, 1);
    assert!(*control.may_pass(&state, 5).end() < 5);
}

/// The law of a leaky bucket: in any stretch of t ticks at most burst + rate * t pass, and as many do if they are there.
#[test]
fn a_token_bucket_lets_its_burst_and_its_rate_pass() {
    for (burst, rate) in
        [(1, Ratio::new(1, 3)), (4, Ratio::new(2, 3)), (2, Ratio::whole(3)), (5, Ratio::new(7, 4))]
    {
        let bucket = TokenBucket { burst, rate };
        let mut random = fastrand::Rng::with_seed(u64::from(burst));
        let mut state = bucket.start();
        let mut passed = Vec::new();
        for _ in 0..300 {
            passed.push(bucket.take(&mut state, random.u32(0..6)));
            bucket.tick(&mut state);
        }
        for from in 0..300 {
            for to in from + 1..=300 {
                let most =
                    u64::from(burst) + u64::from(rate.num) * (to - from - 1) as u64 / u64::from(rate.den);
                assert!(passed[from..to].iter().map(|n| u64::from(*n)).sum::<u64>() <= most);
            }
        }
        // Greedy from full: exactly that many, but for what overflows.
        if rate.num <= rate.den * burst {
            let mut state = bucket.start();
            let mut total = 0;
            for ticks in 0..50u32 {
                total += bucket.take(&mut state, 100);
                assert_eq!(total, burst + rate.num * ticks / rate.den);
                bucket.tick(&mut state);
            }
        }
    }
}

#[test]
fn a_hedged_call_sends_when_grpcs_example_does() {
    // A6: after 1 ms one is outstanding, after 501 ms two, after 1001 ms three, after 1501 ms four. 5 ticks of 100 ms.
    let hedging = preset::grpc::hedging(4, Ticks(5));
    let mut call = hedging.start();
    let mut sent = Vec::new();
    for _ in 0..25 {
        sent.push(hedging.due(&mut call, true));
        hedging.tick(&mut call);
    }
    let at: Vec<usize> = sent.iter().enumerate().filter(|(_, n)| **n > 0).map(|(t, _)| t).collect();
    assert_eq!(at, [0, 5, 10, 15]);
    assert_eq!((call.sent, call.open, sent.iter().sum::<u32>()), (4, 4, 4));
    // No delay: all at once. More than five: five.
    let hedging = preset::grpc::hedging(9, Ticks(0));
    let mut call = hedging.start();
    assert_eq!((hedging.due(&mut call, true), hedging.due(&mut call, true)), (5, 0));
}

#[test]
fn a_non_fatal_failure_sends_the_next_at_once_and_the_delay_begins_anew() {
    let hedging = Hedging { attempts: 3, ..preset::grpc::hedging(3, Ticks(5)) };
    let mut call = hedging.start();
    assert_eq!(hedging.due(&mut call, true), 1);
    (0..3).for_each(|_| hedging.tick(&mut call));
    assert_eq!(hedging.ended(&mut call, Outcome::Error, true), Hedged::Goes { send: 1 });
    for _ in 0..4 {
        hedging.tick(&mut call);
        assert_eq!(hedging.due(&mut call, true), 0);
    }
    hedging.tick(&mut call);
    assert_eq!(hedging.due(&mut call, true), 1);
    // Two are open; one fails and there are no more to send; then the last decides.
    assert_eq!(hedging.ended(&mut call, Outcome::Error, true), Hedged::Goes { send: 0 });
    assert_eq!(hedging.ended(&mut call, Outcome::Error, true), Hedged::Ended(Outcome::Error));
}

#[test]
fn success_and_fatal_failures_end_a_hedged_call_and_throttling_stops_hedges() {
    let hedging = preset::grpc::hedging(4, Ticks(2));
    let started = || {
        let mut call = hedging.start();
        assert_eq!(hedging.due(&mut call, true), 1);
        call
    };
    for outcome in [Outcome::Success, Outcome::Invalid] {
        assert_eq!(hedging.ended(&mut started(), outcome, true), Hedged::Ended(outcome));
    }
    assert_eq!(hedging.ended(&mut started(), Outcome::Error, false), Hedged::Ended(Outcome::Error));
    // Throttled when the second is due: it is not sent, nor are others, and the first decides.
    let mut call = started();
    for _ in 0..10 {
        hedging.tick(&mut call);
        let allowed = call.stopped; // again once it has been forbidden
        assert_eq!(hedging.due(&mut call, allowed), 0);
    }
    assert!(call.stopped && (call.sent, call.open) == (1, 1));
    assert_eq!(hedging.ended(&mut call, Outcome::Error, true), Hedged::Ended(Outcome::Error));
    // The first is always sent, without a delay too.
    let at_once = preset::grpc::hedging(4, Ticks(0));
    assert_eq!(at_once.due(&mut at_once.start(), false), 1);
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..500 {
        let mut call: HedgeState = started();
        loop {
            hedging.tick(&mut call);
            let _ = hedging.due(&mut call, true);
            assert!(call.sent <= 4 && call.open <= call.sent);
            if random.u8(0..3) == 0 {
                match hedging.ended(&mut call, Outcome::Error, random.bool()) {
                    Hedged::Ended(_) => break,
                    Hedged::Goes { .. } => assert!(call.open > 0, "a call that goes on waits for something"),
                }
            }
        }
    }
}

fn sample(time: u32, in_flight: u32, dropped: bool) -> Sample {
    Sample { time: Ticks(time), in_flight, dropped }
}

#[test]
fn aimd_adds_one_and_takes_a_tenth() {
    let limit = preset::netflix::aimd(Duration::from_secs(1)).unwrap();
    let mut state = limit.start();
    assert_eq!((limit.admit(&state, 15, 9), limit.admit(&state, 30, 1)), (5, 0));
    for (end, expected) in [
        (sample(1, 10, false), 21),
        (sample(1, 10, false), 21), // 20 is less than 21
        (sample(5, 11, false), 22),
        (sample(6, 22, false), 20), // 19.8, but never less than 20
        (sample(1, 22, true), 20),
    ] {
        limit.sample(&mut state, end, false);
        assert_eq!(state.limit, expected, "{end:?}");
    }
    (0..500).for_each(|_| limit.sample(&mut state, sample(1, 200, false), false));
    assert_eq!(state.limit, 200);
    limit.sample(&mut state, sample(1, 200, true), false);
    assert_eq!(state.limit, 180);
}

/// Netflix's rule in floating point, as its source has it.
fn vegas_by_definition(limit: f64, shortest: f64, sample: Sample) -> f64 {
    let root =
        |limit: f64| if limit < 1000.0 { limit.log10().floor().max(1.0) } else { limit.sqrt().floor() };
    let time = f64::from(sample.time.0);
    let queue = (limit * (1.0 - shortest / time) - 1e-9).ceil();
    let next = if sample.dropped {
        limit - root(limit)
    } else if f64::from(sample.in_flight) * 2.0 < limit {
        return limit;
    } else if queue <= root(limit) {
        limit + 6.0 * root(limit)
    } else if queue < 3.0 * root(limit) {
        limit + root(limit)
    } else if queue > 6.0 * root(limit) {
        limit - root(limit)
    } else {
        return limit;
    };
    next.clamp(1.0, 1500.0)
}

#[test]
fn vegas_follows_its_definition_and_probes_within_its_range() {
    let limit = ConcurrencyLimit::Vegas { initial: 20, max: 1500, probe: 3 };
    let (mut up, mut down, mut probes) = (0, 0, 0);
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut state = limit.start();
        let (mut real, mut shortest, mut samples) = (20.0, None::<u32>, 0u32);
        // Some runs are quick and grow, others are slow.
        let slow = random.u32(1..12);
        for _ in 0..1500 {
            let in_flight = random.u32(0..=2 * state.limit);
            let end = sample(random.u32(3..4 + slow), in_flight, random.u8(0..50) == 0);
            samples += 1;
            let (may, must) = (limit.may_probe(&state), limit.must_probe(&state));
            assert_eq!(may, f64::from(samples) >= 0.5 * 3.0 * real);
            assert_eq!(must, f64::from(samples) >= 3.0 * real);
            let probe = must || (may && random.u8(0..20) == 0);
            limit.sample(&mut state, end, probe);
            if probe {
                (shortest, samples, probes) = (Some(end.time.0), 0, probes + 1);
            } else if shortest.is_none_or(|t| end.time.0 < t) {
                shortest = Some(end.time.0);
            } else {
                let next = vegas_by_definition(real, shortest.unwrap().into(), end);
                (up, down) = (up + u32::from(next > real), down + u32::from(next < real));
                real = next;
            }
            assert_eq!(f64::from(state.limit), real, "seed {seed}, {end:?}");
        }
    }
    assert!(up > 500 && down > 500 && probes > 100, "{up} up, {down} down, {probes} probes");
}

#[test]
fn a_bulkhead_never_has_more_in_flight_than_its_size() {
    let bulkhead = ConcurrencyLimit::Fixed(preset::resilience4j::BULKHEAD);
    let state = bulkhead.start();
    for in_flight in 0..60 {
        let begun = bulkhead.admit(&state, in_flight, 40);
        assert!(begun + in_flight <= in_flight.max(25) && (begun == 40 || begun + in_flight >= 25));
    }
}
