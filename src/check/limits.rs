//! What ends a search before it has seen everything. Each limit is an option with a name; hitting one ends the search
//! cleanly, and what is known so far is reported.

use super::engine::Engine;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The limits of a search.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most distinct states; at most `u32::MAX - 1`, which is the default.
    pub states_max: u64,
    /// The most bytes of memory for the whole process. None: no limit.
    pub memory_bytes_max: Option<u64>,
    /// How many bytes of memory the process uses at the moment, if that can be told: the search itself does no I/O.
    pub memory_bytes_used: Option<fn() -> Option<u64>>,
    /// The most time for the search. None: no limit.
    pub time_max: Option<Duration>,
    /// The most steps from an initial state (ticks, in a timed system). None: no limit.
    pub depth_max: Option<u64>,
    /// How states are searched for: one of the searches, or what suits the model.
    pub engine: Engine,
    /// The number of threads that search, at least 1; the answers are the same on any number. None: as many as there are cores. The
    /// generic search uses one.
    pub threads: Option<usize>,
    /// About so many edges are made before the threads wait for each other. Tests make it small.
    #[doc(hidden)]
    pub block_edges: usize,
    /// Set from outside (Ctrl-C) to end the search as soon as possible.
    pub interrupt: Arc<AtomicBool>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            states_max: u64::from(u32::MAX - 1),
            memory_bytes_max: None,
            memory_bytes_used: None,
            time_max: None,
            depth_max: None,
            engine: Engine::Auto,
            threads: Some(1),
            block_edges: 1 << 16,
            interrupt: Arc::default(),
        }
    }
}

impl Limits {
    /// Whether a search that began at `started` is to end at once: by an interrupt or by its time.
    pub fn over(&self, started: Instant) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.time_max.is_some_and(|max| started.elapsed() >= max)
    }

    /// The number of threads that search.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores).max(1)
    }
}

/// Why a search ended before it had seen everything.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Stop {
    /// [`Limits::states_max`] was hit.
    #[error("the limit of {0} states was hit")]
    States(u64),
    /// [`Limits::memory_bytes_max`] was hit.
    #[error("the memory limit of {} was hit", bytes(*.0))]
    Memory(u64),
    /// [`Limits::time_max`] was hit.
    #[error("the time limit of {} s was hit", .0.as_secs_f64())]
    Time(Duration),
    /// [`Limits::depth_max`] was hit.
    #[error("the depth limit of {0} steps was hit")]
    Depth(u64),
    /// The model's own `within_boundary` kept states out.
    #[error("the model's own boundary (`within_boundary`) cut off {0} transitions")]
    Boundary(u64),
    /// Every `bounded` claim was refuted: the model has no end that a search could come to.
    #[error("{} without bound, so there is no end to the states", .0)]
    Growth(String),
    /// The search was interrupted.
    #[error("the search was interrupted")]
    Interrupted,
    /// The model failed while it was run; the outcome carries the fault.
    #[error("the model failed while it was run")]
    Fault,
}

/// Bytes in the largest unit that leaves a whole number.
fn bytes(n: u64) -> String {
    let units =
        [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1_000_000_000, "GB"), (1_000_000, "MB")];
    let whole = units.iter().find(|(size, _)| n > 0 && n.is_multiple_of(*size));
    match whole {
        Some((size, unit)) => format!("{} {unit}", n / size),
        None if n >= 1 << 20 => format!("{} MiB", n >> 20),
        None => format!("{n} bytes"),
    }
}
