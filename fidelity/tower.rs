//! `WindowBudget` beside tower's `TpsBudget`, on tokio's paused clock.

use aftercalm::policy::{Attempt, Outcome, Policy, RetryBudget, Ticks, WindowBudget, preset};
use std::time::Duration;
use tokio::time::advance;
use tower::retry::budget::{Budget, TpsBudget};

/// How many retries both granted, and how many both refused.
type Answers = (u32, u32);

/// The same uses of both, for a while, with pauses now and then.
async fn compare(real: &TpsBudget, ours: &RetryBudget, tick: Duration, seed: u64) -> Answers {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut state = ours.start();
    let (mut granted_all, mut refused_all) = (0, 0);
    for step in 0..600 {
        for _ in 0..random.u32(0..4) {
            if random.bool() {
                let n = random.u32(0..6);
                (0..n).for_each(|_| real.deposit());
                ours.request(&mut state, n);
            } else {
                let n = random.u32(0..8);
                let real_granted = (0..n).filter(|_| real.withdraw()).count() as u32;
                let granted = ours.try_retry(&mut state, Attempt::First, Outcome::Error, n);
                assert_eq!(granted, real_granted, "step {step}, seed {seed}: {ours:?} {state:?} {real:?}");
                (granted_all, refused_all) = (granted_all + granted, refused_all + n - granted);
            }
        }
        let pause = if random.u8(0..20) == 0 { random.u32(1..60) } else { 1 };
        for _ in 0..pause {
            advance(tick).await;
            ours.tick(&mut state);
        }
    }
    (granted_all, refused_all)
}

/// What `TpsBudget::new` makes of its parameters, with slices of `slice` ticks.
fn ours(ttl: u32, per_second: u32, deposit: u32, withdraw: u32, slice: u32) -> RetryBudget {
    let reserve = per_second * ttl * withdraw;
    RetryBudget::Window(WindowBudget { slice: Ticks(slice), slices: 10, deposit, withdraw, reserve })
}

fn on_a_paused_clock<T>(run: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().start_paused(true).build().unwrap().block_on(run)
}

#[test]
fn a_window_budget_grants_what_tower_grants_at_every_step() {
    // time to live in seconds, retries a second, share; deposit and withdrawal as tower computes them.
    let cases = [
        (10, 0, 0.2, 1, 5),
        (1, 0, 1.0, 1, 1),
        (5, 1, 0.5, 1, 2),
        (10, 0, 2.0, 1000, 500),
        (3, 2, 0.0, 0, 1),
        (2, 1, 0.3, 1, 3),
    ];
    on_a_paused_clock(async {
        for (ttl, per_second, share, deposit, withdraw) in cases {
            for slice in [1, 2, 5] {
                let tick = Duration::from_secs(ttl.into()) / 10 / slice;
                let mut all = (0, 0);
                for seed in 0..20 {
                    let real = TpsBudget::new(Duration::from_secs(ttl.into()), per_second, share);
                    let ours = ours(ttl, per_second, deposit, withdraw, slice);
                    let (granted, refused) = compare(&real, &ours, tick, seed).await;
                    all = (all.0 + granted, all.1 + refused);
                }
                assert!(all.0 > 100 && all.1 > 100, "both answers are seen: {all:?}, share {share}");
            }
        }
    });
}

#[test]
fn the_preset_is_towers_default() {
    on_a_paused_clock(async {
        let tick = Duration::from_millis(250);
        let ours = preset::tower::retry_budget(tick).unwrap();
        let real = TpsBudget::default();
        // The whole reserve first, so that the rest of the run is at the edge of the budget.
        let mut state = ours.start();
        let granted = ours.try_retry(&mut state, Attempt::First, Outcome::Error, 1000);
        assert_eq!(granted, (0..1000).filter(|_| real.withdraw()).count() as u32);
        assert_eq!(granted, 100);
        let real = TpsBudget::default();
        compare(&real, &ours, tick, 1).await;
    });
}
