//! How Cargo is called: which one, in which environment, and what it says about packages.

use super::process::wait;
use crate::harness::interrupt;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// Why Cargo did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum CargoError {
    /// There is no Cargo.
    #[error(
        "cannot start `{}`: {error}. Model files are Rust programs and are built with Cargo: install Rust (https://rustup.rs), put `cargo` on PATH, or name it in the environment variable CARGO",
        .program.display())]
    NotFound {
        /// What was called.
        program: PathBuf,
        /// Why it could not be started.
        error: io::Error,
    },
    /// Cargo failed.
    #[error("while {doing}, cargo failed:\n{}", .said.trim_end())]
    Failed {
        /// What was being done.
        doing: String,
        /// What Cargo said.
        said: String,
    },
    /// What Cargo printed cannot be read.
    #[error("while {doing}, cargo printed what cannot be understood: {error}")]
    Unreadable {
        /// What was being done.
        doing: String,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// Ctrl-C.
    #[error("interrupted while {0}")]
    Interrupted(String),
    /// The system failed.
    #[error("while {doing}: {error}")]
    Io {
        /// What was being done.
        doing: String,
        /// Why.
        error: io::Error,
    },
}

/// What a run of Cargo printed.
pub struct Ran {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// Whether a variable tells of the package that an outer Cargo was running, and would mislead an inner one.
fn is_of_outer_package(name: &OsStr) -> bool {
    const EXACT: [&str; 6] = [
        "CARGO_CRATE_NAME",
        "CARGO_BIN_NAME",
        "CARGO_PRIMARY_PACKAGE",
        "CARGO_TARGET_TMPDIR",
        "OUT_DIR",
        "CARGO_MAKEFLAGS",
    ];
    const PREFIXES: [&str; 4] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_EXE_", "CARGO_FEATURE_"];
    let name = name.to_string_lossy();
    EXACT.contains(&name.as_ref()) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Runs Cargo in `folder`, whose configuration and toolchain then apply, and gathers what it prints. `meanwhile` is told
/// every few milliseconds how long it has taken.
///
/// # Errors
/// Where Cargo cannot be started, or the run is interrupted.
pub fn cargo(
    folder: &Path,
    arguments: &[OsString],
    doing: &str,
    mut meanwhile: impl FnMut(Duration),
) -> Result<Ran, CargoError> {
    let program = std::env::var_os("CARGO").filter(|p| !p.is_empty()).unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&program);
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_outer_package(name)) {
        command.env_remove(name);
    }
    let failed = |error| CargoError::Io { doing: doing.to_owned(), error };
    let mut child =
        command.spawn().map_err(|error| CargoError::NotFound { program: program.into(), error })?;
    let stdout = read_aside(child.stdout.take());
    let stderr = read_aside(child.stderr.take());
    let status = wait(&mut child, |child, elapsed| {
        meanwhile(elapsed);
        if interrupt::count() > 0 { child.kill() } else { Ok(()) }
    });
    let status = status.map_err(failed)?;
    if interrupt::count() > 0 {
        // What Cargo started may live on for a moment and hold the pipes open, so they are not read to their end.
        return Err(CargoError::Interrupted(doing.to_owned()));
    }
    let text = |reader: std::thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    Ok(Ran { status, stdout: text(stdout), stderr: text(stderr) })
}

fn read_aside(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// What `cargo metadata --no-deps` says: the packages of a workspace. Only what is used here.
#[derive(Debug, Deserialize)]
pub struct Metadata {
    /// The members of the workspace.
    pub packages: Vec<Package>,
    /// Where it is built.
    pub target_directory: PathBuf,
    /// Where its lock file is.
    pub workspace_root: PathBuf,
}

/// A package.
#[derive(Debug, Deserialize)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its manifest.
    pub manifest_path: PathBuf,
    /// The edition of Rust it is written in.
    pub edition: String,
    /// What can be built from it.
    pub targets: Vec<Target>,
    /// What it depends on, with everything inherited from the workspace filled in.
    pub dependencies: Vec<Dependency>,
    /// Its features, each with what it turns on.
    pub features: BTreeMap<String, Vec<String>>,
}

/// Something that can be built.
#[derive(Debug, Deserialize)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// `bin`, `example`, `lib` and others.
    pub kind: Vec<String>,
    /// Its root file.
    pub src_path: PathBuf,
    /// Features without which it is not built.
    #[serde(default, rename = "required-features")]
    pub required_features: Vec<String>,
}

/// A dependency of a package.
#[derive(Debug, Deserialize)]
pub struct Dependency {
    /// The name of the package.
    pub name: String,
    /// The name by which it is used, if another.
    pub rename: Option<String>,
    /// The versions that will do.
    pub req: String,
    /// Where it comes from: none for a path.
    pub source: Option<String>,
    /// Its folder, if it comes from a path; absolute.
    pub path: Option<PathBuf>,
    /// `dev`, `build`, or none for a normal one.
    pub kind: Option<String>,
    /// The platform it is for; none for all.
    pub target: Option<String>,
    /// Whether it is there only with a feature.
    pub optional: bool,
    /// Whether its default features are on.
    pub uses_default_features: bool,
    /// Its features that are on besides.
    pub features: Vec<String>,
    /// The index of its registry; none for crates.io.
    pub registry: Option<String>,
}

/// The workspace that the manifest belongs to.
///
/// # Errors
/// What Cargo says about a broken manifest, and what we wanted from it.
pub fn metadata(manifest: &Path) -> Result<Metadata, CargoError> {
    let doing = format!("looking for the model's target in `{}`", manifest.display());
    let folder = manifest.parent().unwrap_or(Path::new("/"));
    let arguments = ["metadata", "--quiet", "--no-deps", "--format-version", "1", "--manifest-path"];
    let mut arguments: Vec<OsString> = arguments.map(Into::into).to_vec();
    arguments.push(manifest.into());
    let ran = cargo(folder, &arguments, &doing, |_| ())?;
    if !ran.status.success() {
        return Err(CargoError::Failed { doing, said: ran.stderr });
    }
    serde_json::from_str(&ran.stdout).map_err(|error| CargoError::Unreadable { doing, error })
}
