//! Waiting for a program while staying able to react.

use std::io;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// The longest pause between two looks at the program. It bounds what waiting adds to a run.
const PAUSE_MAX: Duration = Duration::from_millis(5);

/// Waits until `child` has ended. Every few milliseconds, `meanwhile` is told how long it has taken so far.
///
/// The standard library can wait for a program or kill it, not both at once, and an interrupt has to do the second while
/// this does the first; so it looks again and again, at first often, so that a short run is not prolonged.
///
/// # Errors
/// Where the system cannot say how the program ended, or `meanwhile` fails.
pub fn wait(
    child: &mut Child,
    mut meanwhile: impl FnMut(&mut Child, Duration) -> io::Result<()>,
) -> io::Result<ExitStatus> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        meanwhile(child, start.elapsed())?;
        std::thread::sleep(pause);
        pause = (pause * 5 / 4).min(PAUSE_MAX);
    }
}
