//! Waiting for a program while staying able to react.

use std::io;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// The shortest and the longest pause between two looks at the program. Between them, a pause is a small part of the time
/// that the program has taken already, so that is all that waiting adds to it.
const PAUSES: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(20));

/// Waits until `child` has ended. Every few milliseconds, `meanwhile` is told how long it has taken so far.
///
/// The standard library can wait for a program or kill it, not both at once, and an interrupt has to do the second while
/// this does the first; so it looks again and again.
///
/// # Errors
/// Where the system cannot say how the program ended, or `meanwhile` fails.
pub fn wait(
    child: &mut Child,
    mut meanwhile: impl FnMut(&mut Child, Duration) -> io::Result<()>,
) -> io::Result<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        meanwhile(child, start.elapsed())?;
        std::thread::sleep((start.elapsed() / 64).clamp(PAUSES.0, PAUSES.1));
    }
}
