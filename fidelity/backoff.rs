//! `Backoff` beside backon's sequences and failsafe's jitter.

use aftercalm::policy::{Backoff, Growth, Jitter, Ratio, Ticks};
use backon::BackoffBuilder;
use std::time::Duration;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Apart by no more than backon's single precision.
fn close(a: Duration, b: Duration) -> bool {
    a.abs_diff(b) <= a / 1_000_000 + Duration::from_nanos(200)
}

#[test]
fn exponential_delays_are_those_of_backon() {
    for (base, cap, factor) in [
        (100, 1000, Ratio::whole(2)),
        (1000, 60_000, Ratio::whole(2)),
        (25, 250, Ratio::new(3, 2)),
        (500, 500, Ratio::whole(3)),
        (10, 100_000, Ratio::new(11, 10)),
    ] {
        let real = backon::ExponentialBuilder::new()
            .with_min_delay(ms(base))
            .with_max_delay(ms(cap))
            .with_factor(factor.num as f32 / factor.den as f32)
            .without_max_times();
        let growth = Growth::Exponential { base: ms(base), factor, cap: ms(cap) };
        let plain = Backoff { growth: growth.clone(), jitter: Jitter::None };
        for (retry, real) in (1..40).zip(real.build()) {
            let ours = plain.delay(retry, Duration::ZERO);
            assert!(ours.lo == ours.hi && close(ours.lo, real), "retry {retry}: {ours:?}, {real:?}");
        }
        // backon's jitter adds up to the delay again.
        let jitter = Jitter::Factor { lo: Ratio::ONE, hi: Ratio::whole(2) };
        let jittered = Backoff { growth, jitter };
        let mut spread = [(Duration::MAX, Duration::ZERO); 10];
        for seed in 0..2000 {
            for (retry, real) in (1..10).zip(real.with_jitter().with_jitter_seed(seed).build()) {
                let ours = jittered.delay(retry, Duration::ZERO);
                assert!(
                    (ours.lo <= real || close(ours.lo, real)) && (real <= ours.hi || close(ours.hi, real)),
                    "retry {retry}: {real:?} in {ours:?}"
                );
                let seen = &mut spread[retry as usize];
                *seen = (seen.0.min(real), seen.1.max(real));
            }
        }
        for (retry, (least, most)) in (1..10).zip(&spread[1..]) {
            let ours = jittered.delay(retry, Duration::ZERO);
            let width = ours.hi - ours.lo;
            assert!(*least < ours.lo + width / 50 && *most + width / 50 > ours.hi, "the range is no wider");
        }
    }
}

#[test]
fn constant_delays_are_those_of_backon() {
    let real = backon::ConstantBuilder::default().with_delay(ms(70)).with_max_times(5).build();
    for (retry, real) in (1..).zip(real) {
        assert_eq!(Backoff::fixed(ms(70)).delay(retry, Duration::ZERO).hi, real);
    }
}

#[test]
fn full_and_equal_jitter_are_those_of_failsafe() {
    use failsafe::backoff::{equal_jittered, exponential, full_jittered};
    let tick = Duration::from_secs(1);
    let (base, cap) = (Duration::from_secs(2), Duration::from_secs(50));
    let ours = Backoff::doubling(base, cap);
    for (retry, real) in (1..12).zip(exponential(base, cap)) {
        assert_eq!(ours.delay(retry, Duration::ZERO).hi, real);
    }
    for (jitter, full) in [(Jitter::Full, true), (Jitter::Equal, false)] {
        let ours = ours.clone().with(jitter);
        let mut seen = [const { std::collections::BTreeSet::new() }; 8];
        for _ in 0..3000 {
            let draw: Vec<Duration> = if full {
                full_jittered(base, cap).take(7).collect()
            } else {
                equal_jittered(base, cap).take(7).collect()
            };
            for (retry, real) in (1..).zip(draw) {
                let ticks = Ticks::of(real, tick).unwrap();
                assert!(ours.ticks(retry, Ticks::ZERO, tick).contains(ticks), "{jitter:?} {retry}: {real:?}");
                seen[retry as usize].insert(ticks);
            }
        }
        for retry in 1..8 {
            // failsafe draws whole seconds, the upper bound excluded.
            let ours = ours.ticks(retry, Ticks::ZERO, tick);
            let real = &seen[retry as usize];
            assert_eq!(real.first(), Some(&ours.lo), "{jitter:?}, retry {retry}");
            assert!(real.last().unwrap().0 + 2 > ours.hi.0, "{jitter:?}, retry {retry}: {real:?}, {ours:?}");
        }
    }
}
