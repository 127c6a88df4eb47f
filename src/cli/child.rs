//! Running a model program and taking what it hands over.

use super::process::wait;
use crate::harness::handover::{self, Answer, HandoverError, Request, Task};
use crate::harness::interrupt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Why a model program has handed over nothing that can be used.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// It cannot be started.
    #[error("the program built from it cannot be started: `{}`: {error}", .program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// There is no place for its answer.
    #[error("there is no place for the results: `{}`: {error}", .folder.display())]
    Folder {
        /// Where one was to be.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It ended by itself, having handed over nothing.
    #[error(
        "ended without handing over to aftercalm ({how}): a model ends in `fn main() -> ExitCode {{ aftercalm::run(system) }}`"
    )]
    NothingHandedOver {
        /// How it ended.
        how: String,
    },
    /// It was killed.
    #[error("was killed by signal {signal}")]
    Killed {
        /// The signal's name, with its usual cause.
        signal: String,
    },
    /// The time for it was over, and it did not report; we killed it.
    #[error(
        "the model did not come back from one of its functions, or was not done with what it had found, within {grace:?} after {after}; it was killed"
    )]
    Stuck {
        /// After what it was to report.
        after: String,
        /// How long it was waited for.
        grace: Duration,
    },
    /// Ctrl-C came before there was anything to report.
    #[error("interrupted before there was anything to report")]
    Interrupted,
    /// What it handed over cannot be used.
    #[error(transparent)]
    Handover(#[from] HandoverError),
    /// The system cannot say how it ended.
    #[error("cannot wait for the program built from it: {0}")]
    Wait(io::Error),
}

/// What a model program handed over, and what happened to it afterwards, if that was not to end in peace.
pub struct Ended {
    /// What it handed over.
    pub answer: Answer,
    /// What happened then.
    pub afterwards: Option<ChildError>,
}

/// Runs `program` and takes its answer to `request`.
///
/// What the model prints goes to standard error: standard output is for results. Backtraces are off, because whatever a
/// model does ends as a sentence; run it by hand to see one.
///
/// # Errors
/// Where it hands over nothing, or nothing that can be used.
pub fn run(program: &Path, request: &Request) -> Result<Ended, ChildError> {
    let folder = PrivateFolder::new()?;
    let path = folder.0.join("answer.json");
    let mut command = Command::new(program);
    command
        .envs(handover::variables(request, &path)?)
        .env("RUST_BACKTRACE", "0")
        .env_remove("RUST_LIB_BACKTRACE");
    command.stdin(Stdio::piped()).stdout(io::stderr());
    let mut child =
        command.spawn().map_err(|error| ChildError::Start { program: program.to_owned(), error })?;
    let mut interrupt_line = child.stdin.take();
    let time_max = match &request.task {
        Task::Check(limits) => limits.time_max,
        Task::Describe => None,
    };
    let mut interrupted_at = None;
    let mut stuck = None;
    let status = wait(&mut child, |child, elapsed| {
        match interrupt::count() {
            0 => {}
            1 => {
                drop(interrupt_line.take());
                interrupted_at.get_or_insert(elapsed);
            }
            _ => return child.kill(),
        }
        let after_interrupt = interrupted_at.map(|at| (at, interrupt::grace(at), "the interrupt".to_owned()));
        let after_time = time_max.map(|max| (max, grace(max), format!("--max-time {max:?}")));
        for (due, grace, after) in after_interrupt.into_iter().chain(after_time) {
            if elapsed >= due.saturating_add(grace) {
                stuck = Some(ChildError::Stuck { after, grace });
                return child.kill();
            }
        }
        Ok(())
    });
    let status = status.map_err(ChildError::Wait)?;
    let answer = handover::read(&path)?;
    let failure =
        stuck.or_else(|| (interrupt::count() > 0 && answer.is_none()).then_some(ChildError::Interrupted));
    let failure = failure.or_else(|| killed(status));
    match answer {
        Some(answer) => Ok(Ended { answer, afterwards: failure }),
        None => Err(failure.unwrap_or_else(|| ChildError::NothingHandedOver { how: how_it_ended(status) })),
    }
}

/// How long a model may take to report after its search was to end: as long again, because what is decided from a large
/// search takes longer.
fn grace(time_max: Duration) -> Duration {
    time_max.max(Duration::from_secs(10))
}

fn how_it_ended(status: ExitStatus) -> String {
    match status.code() {
        Some(101) => "it panicked, exit code 101".to_owned(),
        Some(code) => format!("exit code {code}"),
        None => "in an unknown way".to_owned(),
    }
}

#[cfg(unix)]
fn killed(status: ExitStatus) -> Option<ChildError> {
    use std::os::unix::process::ExitStatusExt;
    const NAMES: [(i32, &str); 13] = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT (an abort, a stack overflow, or an allocation that failed)"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (9, "SIGKILL (often the kernel, out of memory: see --max-memory)"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
    ];
    let number = status.signal()?;
    let name = NAMES.iter().find(|(n, _)| *n == number).map(|(_, name)| (*name).to_owned());
    Some(ChildError::Killed { signal: name.unwrap_or_else(|| number.to_string()) })
}

#[cfg(not(unix))]
fn killed(_: ExitStatus) -> Option<ChildError> {
    None
}

/// A folder of our own for one answer, removed in the end.
struct PrivateFolder(PathBuf);

impl PrivateFolder {
    fn new() -> Result<Self, ChildError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("aftercalm-{}-{}-{number}", std::process::id(), now.as_nanos());
        let folder = std::env::temp_dir().join(name);
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder).map_err(|error| ChildError::Folder { folder: folder.clone(), error })?;
        Ok(Self(folder))
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
