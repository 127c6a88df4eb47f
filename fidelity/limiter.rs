//! `TokenBucket` beside governor's GCRA, on governor's fake clock.

use aftercalm::policy::{Policy, Ratio, TokenBucket};
use governor::clock::FakeRelativeClock;
use governor::{Quota, RateLimiter};
use std::num::NonZeroU32;
use std::time::Duration;

#[test]
fn a_token_bucket_admits_what_the_gcra_admits() {
    let tick = Duration::from_millis(84);
    // Tokens a tick, and the emission interval that this is.
    let rates = [
        (Ratio::new(1, 3), tick * 3),
        (Ratio::ONE, tick),
        (Ratio::new(2, 5), tick * 5 / 2),
        (Ratio::whole(4), tick / 4),
        (Ratio::new(7, 6), tick / 7 * 6),
    ];
    let (mut admitted, mut refused) = (0, 0);
    for (rate, interval) in rates {
        assert_eq!(interval * rate.num, tick * rate.den, "the interval is exact to the nanosecond");
        for burst in [1, 2, 7] {
            for seed in 0..20 {
                let mut random = fastrand::Rng::with_seed(seed);
                let clock = FakeRelativeClock::default();
                let quota =
                    Quota::with_period(interval).unwrap().allow_burst(NonZeroU32::new(burst).unwrap());
                let real = RateLimiter::direct_with_clock(quota, clock.clone());
                let ours = TokenBucket { burst, rate };
                let mut state = ours.start();
                for step in 0..300 {
                    let n = random.u32(0..5);
                    let really = (0..n).filter(|_| real.check().is_ok()).count() as u32;
                    assert_eq!(ours.take(&mut state, n), really, "step {step}: {ours:?} {state:?}");
                    (admitted, refused) = (admitted + really, refused + n - really);
                    for _ in 0..if random.u8(0..30) == 0 { 40 } else { 1 } {
                        clock.advance(tick);
                        ours.tick(&mut state);
                    }
                }
            }
        }
    }
    assert!(admitted > 1000 && refused > 1000, "{admitted} admitted, {refused} refused");
}
