//! Backoffs: the real-valued rules, and how far whole ticks are from them.

use aftercalm::policy::{Backoff, Growth, Jitter, Outcome, Ratio, Retry, Ticks, preset};
use std::time::Duration;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn backoffs() -> Vec<Backoff> {
    let mut all = vec![Backoff::none(), Backoff::fixed(ms(70)), preset::envoy::backoff()];
    let jitters = [
        Jitter::None,
        Jitter::Full,
        Jitter::Equal,
        Jitter::Decorrelated,
        Jitter::Factor { lo: Ratio::new(4, 5), hi: Ratio::new(6, 5) },
    ];
    for jitter in jitters {
        all.push(Backoff::doubling(ms(30), ms(1000)).with(jitter));
        let growth = Growth::Exponential { base: ms(50), factor: Ratio::new(3, 2), cap: ms(400) };
        all.push(Backoff { growth, jitter });
    }
    all
}

/// The real rule, in floating seconds, with a random number `u` from 0 to 1.
fn real(backoff: &Backoff, retry: u32, previous: f64, u: f64) -> f64 {
    let (base, factor, cap) = match &backoff.growth {
        Growth::None => (0.0, 1.0, 0.0),
        Growth::Fixed(delay) => (delay.as_secs_f64(), 1.0, delay.as_secs_f64()),
        Growth::Exponential { base, factor, cap } => {
            (base.as_secs_f64(), f64::from(factor.num) / f64::from(factor.den), cap.as_secs_f64())
        }
    };
    let grown = (base * factor.powi(retry as i32 - 1)).min(cap);
    match backoff.jitter {
        Jitter::None => grown,
        Jitter::Full => grown * u,
        Jitter::Equal => grown / 2.0 + grown / 2.0 * u,
        Jitter::Decorrelated => {
            let previous = if retry == 1 { base } else { previous };
            (base + (previous * 3.0 - base).max(0.0) * u).min(cap)
        }
        Jitter::Factor { lo, hi } => {
            let real = |r: Ratio| f64::from(r.num) / f64::from(r.den);
            grown * (real(lo) + (real(hi) - real(lo)) * u)
        }
    }
}

#[test]
fn whole_ticks_are_never_earlier_and_less_than_a_tick_later_than_the_real_delay() {
    for backoff in backoffs() {
        for tick in [ms(10), ms(40), ms(100)] {
            let mut random = fastrand::Rng::with_seed(1);
            for _ in 0..300 {
                let mut previous = 0.0;
                for retry in 1..9 {
                    // The previous delay that a model knows is the one in whole ticks.
                    let known = Ticks::up(Duration::from_secs_f64(previous), tick);
                    let ours = backoff.ticks(retry, known, tick);
                    let delay = real(&backoff, retry, known.duration(tick).as_secs_f64(), random.f64());
                    let rounded = (delay / tick.as_secs_f64() - 1e-9).ceil().max(0.0) as u32;
                    assert!(
                        ours.contains(Ticks(rounded)),
                        "{delay} s in {ours:?}: {backoff:?}, retry {retry}"
                    );
                    previous = delay;
                }
            }
        }
    }
}

/// No tick is explored that no real delay rounds to.
#[test]
fn every_tick_of_a_range_is_some_real_delay_rounded_up() {
    for backoff in backoffs() {
        for tick in [ms(10), ms(40), ms(100)] {
            for retry in 1..9 {
                let previous = Ticks::up(ms(120), tick);
                let ours = backoff.ticks(retry, previous, tick);
                let end = |u| real(&backoff, retry, previous.duration(tick).as_secs_f64(), u);
                let (least, most) = (end(0.0), end(1.0));
                for ticks in ours.iter() {
                    let at = f64::from(ticks.0) * tick.as_secs_f64();
                    let some = at + 1e-9 >= least && at - tick.as_secs_f64() < most;
                    assert!(some, "{ticks} of {ours:?}: {least} to {most} s, {backoff:?}, retry {retry}");
                }
            }
        }
    }
}

/// What is lost with decorrelated jitter: the previous delay is known in whole ticks, so the bound is up to three ticks higher.
#[test]
fn decorrelated_jitter_reaches_at_most_three_ticks_beyond_the_real_bound() {
    let backoff = Backoff::doubling(ms(30), ms(1000)).with(Jitter::Decorrelated);
    let tick = ms(20);
    for previous in (30..1000).map(ms) {
        let exact = backoff.delay(2, previous).ticks(tick);
        let ours = backoff.ticks(2, Ticks::up(previous, tick), tick);
        assert!(ours.lo == exact.lo && ours.hi >= exact.hi && ours.hi.0 <= exact.hi.0 + 3);
    }
}

#[test]
fn the_known_sequences() {
    let uppers = |backoff: &Backoff| -> Vec<u128> {
        (1..8).map(|retry| backoff.delay(retry, Duration::ZERO).hi.as_millis()).collect()
    };
    assert_eq!(uppers(&preset::envoy::backoff()), [25, 50, 100, 200, 250, 250, 250]);
    assert_eq!(uppers(&preset::grpc::retry().backoff), [120, 240, 480, 960, 1200, 1200, 1200]);
    assert_eq!(
        uppers(&preset::grpc::retry_with_full_jitter().backoff),
        [100, 200, 400, 800, 1000, 1000, 1000]
    );
    assert_eq!(uppers(&preset::aws::standard().backoff), [1000, 2000, 4000, 8000, 16000, 20000, 20000]);
    let random = preset::resilience4j::exponential_random_backoff();
    assert_eq!(uppers(&random)[..4], [750, 1125, 1687, 2531]);
    assert_eq!(random.delay(1, Duration::ZERO).lo, ms(250));
    // Far retries neither overflow nor take long.
    let far = Backoff::doubling(ms(1), Duration::MAX);
    assert_eq!(far.delay(u32::MAX, Duration::ZERO).hi, Duration::MAX);
    let slow = Growth::Exponential { base: ms(1), factor: Ratio::ONE, cap: ms(9) };
    assert_eq!(Backoff { growth: slow, jitter: Jitter::None }.delay(u32::MAX, Duration::ZERO).hi, ms(1));
}

#[test]
fn a_request_is_tried_so_many_times_and_only_for_what_may_pass() {
    let retry = preset::grpc::retry_policy(9, ms(1), ms(1), Ratio::ONE, preset::grpc::UNAVAILABLE);
    assert_eq!(retry.attempts, 5, "the client's own maximum");
    for outcome in Outcome::ALL {
        for attempt in 1..10 {
            let wanted = attempt < 5 && [Outcome::Error, Outcome::Unreachable].contains(&outcome);
            assert_eq!(retry.wants(attempt, outcome), wanted, "{outcome:?} of attempt {attempt}");
        }
        assert!(!Retry::never().wants(1, outcome));
    }
}
