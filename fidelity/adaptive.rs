//! `CubicRate` beside the AWS SDK's client rate limiter, on a clock of our own.

use super::aws::answer;
use aftercalm::policy::{CubicRate, CubicState, Outcome, Policy};
use aws_smithy_async::time::{SharedTimeSource, TimeSource};
use aws_smithy_runtime::client::retries::strategy::StandardRetryStrategy;
use aws_smithy_runtime::client::retries::{ClientRateLimiter, RetryPartition, TokenBucket};
use aws_smithy_runtime_api::client::retries::{RetryStrategy, ShouldAttempt};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use aws_smithy_types::config_bag::{ConfigBag, Layer};
use aws_smithy_types::retry::{RetryConfig, RetrySpec};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

#[derive(Clone, Debug)]
struct Clock(Arc<Mutex<SystemTime>>);

impl TimeSource for Clock {
    fn now(&self) -> SystemTime {
        *self.0.lock().unwrap()
    }
}

/// The real limiter, reached through the strategy that uses it.
struct Real {
    limiter: ClientRateLimiter,
    clock: Clock,
    strategy: StandardRetryStrategy,
    layer: Box<dyn Fn() -> Layer>,
}

impl Real {
    fn new() -> Self {
        let start = Duration::from_secs(1_000_000);
        let limiter = ClientRateLimiter::new(start.as_secs_f64());
        let partition = RetryPartition::custom("test").client_rate_limiter(limiter.clone()).build();
        let layer = move || {
            let mut layer = Layer::new("test");
            layer.store_put(RetryConfig::adaptive().with_max_attempts(3).with_retry_spec(RetrySpec::v2_1()));
            layer.store_put(partition.clone());
            layer.store_put(TokenBucket::unlimited());
            layer
        };
        Self {
            limiter,
            clock: Clock(Arc::new(Mutex::new(SystemTime::UNIX_EPOCH + start))),
            strategy: StandardRetryStrategy::new(),
            layer: Box::new(layer),
        }
    }

    fn components(&self) -> RuntimeComponentsBuilder {
        RuntimeComponentsBuilder::for_tests()
            .with_time_source(Some(SharedTimeSource::new(self.clock.clone())))
    }

    fn may_send(&self) -> bool {
        let config = ConfigBag::of_layers(vec![(self.layer)()]);
        let answer =
            self.strategy.should_attempt_initial_request(&self.components().build().unwrap(), &config);
        answer.unwrap() == ShouldAttempt::Yes
    }

    fn answered(&self, throttled: bool) {
        let outcome = if throttled { Outcome::Throttled } else { Outcome::Success };
        answer(&self.strategy, self.components(), (self.layer)(), 1, outcome);
    }

    /// A number in what the limiter shows of itself.
    fn shown(&self, name: &str) -> f64 {
        let text = format!("{:?}", self.limiter);
        let from = text.find(name).unwrap() + name.len() + 2;
        let number: String = text[from..].chars().take_while(|c| !",} ".contains(*c)).collect();
        number.parse().unwrap_or_else(|_| panic!("{name} in {text}"))
    }
}

/// The greatest difference of the rate and of the measured rate, in requests a second; and how many sends were judged alike
/// and differently.
#[derive(Debug, Default)]
struct Difference {
    rate: f64,
    measured: f64,
    alike: u32,
    unlike: u32,
    limited: u32,
}

fn compare(ours: &CubicRate, seed: u64) -> Difference {
    let mut random = fastrand::Rng::with_seed(seed);
    let (real, mut state) = (Real::new(), ours.start());
    let mut difference = Difference::default();
    let per_second = |quanta: u32| f64::from(quanta) / f64::from(ours.quanta);
    let mut demand = 8;
    for step in 0..600 {
        if random.u8(0..40) == 0 {
            demand = random.u32(1..12);
        }
        // Traffic for some seconds before the first throttling; then some throttling, in fits.
        let throttling = step > 80 && step % 150 < 20;
        for _ in 0..random.u32(0..=demand) {
            let (really, mine) = (real.may_send(), ours.send(&mut state, 1) == 1);
            *(if really == mine { &mut difference.alike } else { &mut difference.unlike }) += 1;
            difference.limited += u32::from(!really);
            if really {
                let throttled = throttling && random.bool();
                real.answered(throttled);
                ours.answered(&mut state, throttled, 1);
                let off = (real.shown("measured_tx_rate") - per_second(state.measured())).abs();
                difference.measured = difference.measured.max(off);
                if let Some(rate) = state.rate() {
                    difference.rate = difference.rate.max((real.shown("fill_rate") - per_second(rate)).abs());
                }
            }
        }
        *real.clock.0.lock().unwrap() += Duration::from_millis(ours.tick_ms.into());
        ours.tick(&mut state);
    }
    difference
}

#[test]
fn the_rate_follows_the_real_one_within_its_rounding() {
    for tick_ms in [100, 250, 500, 1000] {
        // Bounds of the difference in requests a second, and of the share of sends that are judged differently: those where the
        // real bucket holds a whole token but for a rounding.
        for (quanta, rate_off, measured_off, unlike_share) in
            [(1000, 0.01, 0.001, 0.05), (10, 0.6, 0.08, 0.08)]
        {
            let ours = CubicRate { tick_ms, quanta, rate_max: 200 };
            let mut all = Difference::default();
            for seed in 0..5 {
                let one = compare(&ours, seed);
                all.rate = all.rate.max(one.rate);
                all.measured = all.measured.max(one.measured);
                (all.alike, all.unlike) = (all.alike + one.alike, all.unlike + one.unlike);
                all.limited += one.limited;
            }
            let share = f64::from(all.unlike) / f64::from(all.alike + all.unlike);
            assert!(
                all.rate <= rate_off && all.measured <= measured_off && share <= unlike_share,
                "{ours:?}: {all:?}"
            );
            assert!(all.limited > 100, "limiting is seen: {all:?}");
        }
    }
}

#[test]
fn nothing_is_limited_before_the_first_throttling_and_then_the_bucket_is_full() {
    let ours = CubicRate::new(Duration::from_millis(100)).unwrap();
    for answers in [1, 2, 5] {
        let (real, mut state): (Real, CubicState) = (Real::new(), ours.start());
        for _ in 0..100 {
            assert_eq!(ours.send(&mut state, 1000), 1000);
            assert!(real.may_send());
            (0..answers).for_each(|_| real.answered(false));
            ours.answered(&mut state, false, answers);
            *real.clock.0.lock().unwrap() += Duration::from_millis(100);
            ours.tick(&mut state);
        }
        assert!(!state.is_limited());
        real.answered(true);
        ours.answered(&mut state, true, 1);
        let really = (0..1000).filter(|_| real.may_send()).count() as u32;
        assert!(really >= 7 * answers - 1, "{really} of {answers} in 100 ms");
        assert!(ours.send(&mut state, 1000).abs_diff(really) <= 1);
    }
}
