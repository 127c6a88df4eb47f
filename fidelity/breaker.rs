//! `CircuitBreaker` beside failsafe's state machine, on failsafe's own frozen clock.

use aftercalm::policy::{BreakerMode, CircuitBreaker, Outcome, Policy, Ticks};
use failsafe::failure_policy::consecutive_failures;
use failsafe::{Instrument, StateMachine, backoff, clock};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const TICK: Duration = Duration::from_secs(1);

/// Hears what mode the real one is in.
#[derive(Clone)]
struct Mode(Arc<Mutex<BreakerMode>>);

impl Instrument for Mode {
    fn on_call_rejected(&self) {}
    fn on_open(&self) {
        *self.0.lock().unwrap() = BreakerMode::Open;
    }
    fn on_half_open(&self) {
        *self.0.lock().unwrap() = BreakerMode::HalfOpen;
    }
    fn on_closed(&self) {
        *self.0.lock().unwrap() = BreakerMode::Closed;
    }
}

/// failsafe lets any number of calls pass while half-open, and the first outcome decides.
fn ours(failures: u32, open: u32) -> CircuitBreaker {
    CircuitBreaker { probes: u32::MAX, ..CircuitBreaker::consecutive(failures, Ticks(open)) }
}

#[test]
fn a_breaker_is_in_the_mode_of_failsafes_at_every_step() {
    let mut visits = [0; 3];
    for (failures, open) in [(1, 1), (2, 3), (5, 4)] {
        for seed in 0..30 {
            clock::freeze(|time| {
                let mut random = fastrand::Rng::with_seed(seed);
                let mode = Mode(Arc::new(Mutex::new(BreakerMode::Closed)));
                // It compares strictly; ours counts a tick that is reached.
                let delay = open * TICK - Duration::from_millis(1);
                let policy = consecutive_failures(failures, backoff::constant(delay));
                let real = StateMachine::new(policy, mode.clone());
                let breaker = ours(failures, open);
                let mut state = breaker.start();
                for step in 0..500 {
                    let n = random.u32(0..4);
                    let permitted = (0..n).filter(|_| real.is_call_permitted()).count() as u32;
                    assert_eq!(breaker.admit(&mut state, n), permitted, "step {step}, seed {seed}");
                    for _ in 0..random.u32(0..4) {
                        // Also outcomes of calls that were made before it opened.
                        if random.u8(0..3) == 0 {
                            real.on_success();
                            breaker.record(&mut state, Outcome::Success, 1);
                        } else {
                            real.on_error();
                            breaker.record(&mut state, Outcome::Error, 1);
                        }
                    }
                    assert_eq!(state.mode(), *mode.0.lock().unwrap(), "step {step}, seed {seed}");
                    visits[state.mode() as usize] += 1;
                    time.advance(TICK);
                    breaker.tick(&mut state);
                }
            });
        }
    }
    assert!(visits.iter().all(|n| *n > 100), "each mode is visited: {visits:?}");
}
