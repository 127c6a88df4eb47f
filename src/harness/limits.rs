//! The limits of a search as they are given on the command line and handed to a model program, and their defaults.

use super::quantity;
use crate::check::{Engine, Limits};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The limits of a search, as options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
pub struct LimitArgs {
    /// End the search at N distinct states [default: 4294967294]
    #[arg(long = "max-states", value_name = "N", value_parser = clap::value_parser!(u64).range(1..u64::from(u32::MAX)))]
    pub states_max: Option<u64>,
    /// End the search when the process uses SIZE of memory, for example 8GiB [default: 75 % of what is available]
    #[arg(long = "max-memory", value_name = "SIZE", value_parser = quantity::size)]
    pub memory_bytes_max: Option<u64>,
    /// End the search after DURATION, for example 30s or 1h30m; a model that has not come back after as long again, and
    /// 10s at least, is killed [default: none]
    #[arg(long = "max-time", value_name = "DURATION", value_parser = quantity::duration)]
    pub time_max: Option<Duration>,
    /// Look no further than N steps from an initial state [default: none]
    #[arg(long = "max-depth", value_name = "N")]
    pub depth_max: Option<u64>,
    /// How to search for states
    #[arg(long, value_enum, default_value_t, help_heading = "Search")]
    pub engine: EngineArg,
    /// Search with N threads; the answers are the same on any number [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Search")]
    pub threads: Option<u16>,
}

/// How to search for states, as an option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
pub enum EngineArg {
    /// What suits the model
    #[default]
    Auto,
    /// State by state, for any model
    Generic,
    /// By what can come of each actor, for timed systems
    Product,
}

impl LimitArgs {
    /// The limits for a search that `interrupt` ends, defaults filled in.
    pub fn limits(&self, interrupt: Arc<AtomicBool>) -> Limits {
        let defaults = Limits::default();
        Limits {
            states_max: self.states_max.unwrap_or(defaults.states_max),
            memory_bytes_max: self.memory_bytes_max.or_else(memory_bytes_default),
            memory_bytes_used: Some(memory_bytes_used),
            time_max: self.time_max,
            depth_max: self.depth_max,
            threads: self.threads.map(usize::from),
            engine: match self.engine {
                EngineArg::Auto => Engine::Auto,
                EngineArg::Generic => Engine::Generic,
                EngineArg::Product => Engine::Product,
            },
            interrupt,
            block_edges: defaults.block_edges,
        }
    }
}

/// 75 % of the memory that is available to this process: what the kernel estimates can be had without swapping
/// (`MemAvailable`), or what is left of its control group's limit, if that is less. None where neither can be read, as
/// on systems other than Linux.
///
/// The quarter that is left is for the witnesses, for the allocator's slack, and for everybody else.
pub fn memory_bytes_default() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").as_deref().and_then(available_bytes);
    let number = |path: &str| read(path).and_then(|text| text.trim().parse::<u64>().ok());
    let group = number("/sys/fs/cgroup/memory.max")
        .map(|max| max.saturating_sub(number("/sys/fs/cgroup/memory.current").unwrap_or(0)));
    machine.into_iter().chain(group).min().map(|available| available / 4 * 3)
}

/// The memory that this process uses at the moment, in bytes, swapped out or not. None where it cannot be told.
pub fn memory_bytes_used() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    Some(field_bytes(&status, "VmRSS:")? + field_bytes(&status, "VmSwap:").unwrap_or(0))
}

fn available_bytes(meminfo: &str) -> Option<u64> {
    field_bytes(meminfo, "MemAvailable:")
}

/// A field that the kernel gives in kB, in bytes.
fn field_bytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_from_meminfo() {
        let text = "MemTotal:       24689764 kB\nMemFree:        23954676 kB\nMemAvailable:   24136004 kB\n";
        assert_eq!(available_bytes(text), Some(24_136_004 * 1024));
        assert_eq!(available_bytes("MemTotal: 1 kB\n"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_knows_what_it_uses() {
        assert!(memory_bytes_used().is_some_and(|used| used > 100 << 10));
        assert!(memory_bytes_default().is_some());
    }
}
