//! Ctrl-C (and a request to terminate): the first one ends the search cleanly, the second ends the process at once.

use super::exit::Exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// The least and the most time that a model has to end its search after an interrupt.
const GRACES: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(60));

static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Sets `flag` at the first interrupt from now on. Where no handler can be installed, an interrupt ends the process, as
/// it would without this function.
pub fn install(flag: Arc<AtomicBool>) {
    let _ = ctrlc::set_handler(move || {
        flag.store(true, Ordering::Relaxed);
        if COUNT.fetch_add(1, Ordering::Relaxed) > 0 {
            // Time for `process::wait` to see the count and to kill the program it waits for.
            std::thread::sleep(Duration::from_millis(100));
            std::process::exit(Exit::Inconclusive.code().into());
        }
    });
}

/// How long a model program that has run for `elapsed` may take to end its search and to report, once it was interrupted. A
/// tenth, within bounds, because what is decided from a large search takes longer.
pub fn grace(elapsed: Duration) -> Duration {
    (elapsed / 10).clamp(GRACES.0, GRACES.1)
}

/// How many interrupts this process has received.
pub fn count() -> usize {
    COUNT.load(Ordering::Relaxed)
}
