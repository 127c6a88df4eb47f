//! Circuit breakers: known answers of the systems that the presets are named after, and what all have in common.

use super::laws::{OUTCOMES, breakers};
use aftercalm::policy::{
    BreakerMode, BreakerState, CircuitBreaker, Outcome, Policy, Ratio, Ticks, Trip, preset,
};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn wait(breaker: &CircuitBreaker, state: &mut BreakerState, ticks: u32) {
    (0..ticks).for_each(|_| breaker.tick(state));
}

#[test]
fn resilience4j_opens_when_the_hundredth_call_completes_a_bad_record_even_if_it_succeeds() {
    let breaker = preset::resilience4j::breaker(SECOND).unwrap();
    let mut state = breaker.start();
    breaker.record(&mut state, Outcome::Error, 50);
    breaker.record(&mut state, Outcome::Success, 49);
    assert_eq!(state.mode(), BreakerMode::Closed, "99 calls are too few");
    breaker.record(&mut state, Outcome::Success, 1);
    assert_eq!(state.mode(), BreakerMode::Open);
    assert_eq!(breaker.admit(&mut state, 5), 0);
    wait(&breaker, &mut state, 59);
    assert_eq!(breaker.admit(&mut state, 5), 0);
    wait(&breaker, &mut state, 1);
    // Ten probes, of which five may fail at the most to open it again.
    assert_eq!(breaker.admit(&mut state, 7), 7);
    assert_eq!(breaker.admit(&mut state, 7), 3);
    breaker.record(&mut state, Outcome::Error, 4);
    breaker.record(&mut state, Outcome::Success, 5);
    assert_eq!(state.mode(), BreakerMode::HalfOpen, "all ten decide");
    let mut closes = state.clone();
    breaker.record(&mut closes, Outcome::Success, 1);
    assert_eq!(closes, breaker.start());
    breaker.record(&mut state, Outcome::Error, 1);
    assert_eq!(state, BreakerState::Open { left: Ticks(60) });
}

#[test]
fn polly_opens_on_failures_only_and_one_probe_decides() {
    let breaker = preset::polly::breaker(SECOND).unwrap();
    let mut state = breaker.start();
    breaker.record(&mut state, Outcome::Error, 50);
    breaker.record(&mut state, Outcome::Success, 100);
    assert_eq!(state.mode(), BreakerMode::Closed, "a third failed, but no failure has been judged yet");
    breaker.record(&mut state, Outcome::Error, 1);
    assert_eq!(state.mode(), BreakerMode::Open);
    wait(&breaker, &mut state, 5);
    assert_eq!(breaker.admit(&mut state, 4), 1);
    wait(&breaker, &mut state, 1000);
    assert_eq!(breaker.admit(&mut state, 4), 0, "a probe that hangs keeps it half-open for ever");
    breaker.record(&mut state, Outcome::Success, 1);
    assert_eq!(state, breaker.start());
    // Failures are forgotten after 30 s.
    breaker.record(&mut state, Outcome::Error, 99);
    wait(&breaker, &mut state, 30);
    breaker.record(&mut state, Outcome::Error, 1);
    assert_eq!(state.mode(), BreakerMode::Closed);
}

#[test]
fn hystrix_opens_at_half_of_twenty_calls_in_ten_seconds() {
    let breaker = preset::hystrix::breaker(SECOND).unwrap();
    let mut state = breaker.start();
    breaker.record(&mut state, Outcome::Success, 10);
    breaker.record(&mut state, Outcome::Timeout, 9);
    wait(&breaker, &mut state, 9);
    assert_eq!(state.mode(), BreakerMode::Closed);
    let mut late = state.clone();
    wait(&breaker, &mut late, 1);
    for (state, mode) in [(&mut state, BreakerMode::Open), (&mut late, BreakerMode::Closed)] {
        breaker.record(state, Outcome::Timeout, 1);
        assert_eq!(state.mode(), mode);
    }
    // The caller's own faults are no failures.
    let mut state = breaker.start();
    breaker.record(&mut state, Outcome::Invalid, 100);
    assert_eq!(state.mode(), BreakerMode::Closed);
}

#[test]
fn an_open_breaker_lets_nothing_pass_before_its_time_and_then_its_probes_only() {
    for breaker in breakers() {
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut state = breaker.start();
            let (mut open_for, mut half_open_since, mut passed, mut freed) = (None, None, 0, 0);
            for now in 0..400u32 {
                let before = state.mode();
                let n = random.u32(0..4);
                let admitted = breaker.admit(&mut state, n);
                match (before, state.mode()) {
                    (BreakerMode::Closed, _) => assert_eq!(admitted, n),
                    (BreakerMode::Open, BreakerMode::Open) => assert_eq!(admitted, 0),
                    (BreakerMode::Open, BreakerMode::HalfOpen) => {
                        assert!(open_for.is_some_and(|since| now - since >= breaker.open.0));
                        (half_open_since, passed, freed) = (Some(now), admitted, 0);
                    }
                    (_, mode) => {
                        assert_eq!(mode, BreakerMode::HalfOpen, "asking closes and opens nothing");
                        passed += admitted;
                    }
                }
                if state.mode() == BreakerMode::HalfOpen {
                    assert!(passed <= breaker.probes + freed);
                }
                let before = state.mode();
                breaker.record(&mut state, random.choice(OUTCOMES).unwrap(), random.u32(0..3));
                if before == BreakerMode::HalfOpen && random.u8(0..8) == 0 {
                    breaker.forget(&mut state, 1);
                    freed += 1;
                }
                if before != BreakerMode::Open && state.mode() == BreakerMode::Open {
                    open_for = Some(now);
                }
                let before = state.mode();
                breaker.tick(&mut state);
                if before == BreakerMode::HalfOpen && state.mode() == BreakerMode::Open {
                    let since = half_open_since.unwrap();
                    assert_eq!(Some(Ticks(now + 1 - since)), breaker.probe_wait);
                    open_for = Some(now + 1);
                }
            }
        }
    }
}

/// A count window judged by keeping every outcome ever.
#[test]
fn a_record_of_the_last_calls_is_the_end_of_the_whole_history() {
    for (size, calls_min, rate) in
        [(4, 4, Ratio::percent(50)), (5, 2, Ratio::percent(75)), (1, 1, Ratio::ONE)]
    {
        let breaker = CircuitBreaker {
            trip: Trip::LastCalls { size, calls_min, rate },
            success_may_open: true,
            ..CircuitBreaker::consecutive(1, Ticks(1))
        };
        let mut opened = 0;
        for seed in 0..200 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (mut state, mut history) = (breaker.start(), Vec::new());
            for _ in 0..30 {
                let fails = random.bool();
                history.push(fails);
                breaker.record(&mut state, if fails { Outcome::Error } else { Outcome::Success }, 1);
                let last = &history[history.len().saturating_sub(size as usize)..];
                let failed = last.iter().filter(|f| **f).count() as f64;
                let bad = last.len() >= calls_min as usize
                    && failed / last.len() as f64 >= f64::from(rate.num) / f64::from(rate.den);
                assert_eq!(state.mode() == BreakerMode::Open, bad, "{history:?}");
                if bad {
                    opened += 1;
                    break;
                }
            }
        }
        assert!(opened > 50);
    }
}
