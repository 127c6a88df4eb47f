//! Building a model: Cargo's options, and what its messages mean.

use super::cargo::{CargoError, cargo};
use super::fresh::{Freshness, PathPackage};
use super::path::ModelFile;
use super::target::Buildable;
use crate::harness::output;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The profile that models are built with, given on the command line so that no manifest has to know it: optimised, yet
/// with every assertion and overflow check of the model. What a package's own release profile could say otherwise is set
/// here too: without unwinding, a panic in a model could not be told as one.
const PROFILE: [(&str, &str); 9] = [
    ("inherits", "\"release\""),
    ("opt-level", "3"),
    ("debug", "false"),
    ("debug-assertions", "true"),
    ("overflow-checks", "true"),
    ("incremental", "true"),
    ("codegen-units", "256"),
    ("lto", "false"),
    ("panic", "\"unwind\""),
];

/// How long a build takes before it is worth a line.
const PROGRESS_AFTER: Duration = Duration::from_millis(300);

/// Why a model could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// It did not compile.
    #[error("did not compile{}", hint(.hints))]
    Compile {
        /// What rustc said, as it renders it.
        rendered: String,
        /// What may help.
        hints: Vec<String>,
    },
    /// Cargo failed before or beside compiling.
    #[error(transparent)]
    Cargo(#[from] CargoError),
    /// Cargo says that it built something, and does not say what.
    #[error("cargo built it, but reported no program for target `{0}`")]
    NoProgram(String),
}

fn hint(hints: &[String]) -> String {
    hints.iter().map(|hint| format!("\n  hint: {hint}")).collect()
}

/// A line that Cargo prints. Only what is used here.
#[derive(Deserialize)]
#[serde(tag = "reason")]
enum Message {
    #[serde(rename = "compiler-message")]
    Diagnostic { message: Diagnostic },
    #[serde(rename = "compiler-artifact")]
    Artifact {
        package_id: String,
        target: ArtifactTarget,
        manifest_path: PathBuf,
        executable: Option<PathBuf>,
    },
    #[serde(rename = "build-finished")]
    Finished { success: bool },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct ArtifactTarget {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    message: String,
    code: Option<Code>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

/// Builds the model and returns the program.
///
/// # Errors
/// Where it does not compile, or Cargo cannot build for another reason.
pub fn build(file: &ModelFile, target: &Buildable) -> Result<PathBuf, BuildError> {
    let freshness = Freshness::ensure(file, target)?;
    let (program, packages) = build_once(file, target)?;
    if freshness.record(&program, packages)? {
        return Ok(program);
    }
    Ok(build_once(file, target)?.0)
}

fn build_once(file: &ModelFile, target: &Buildable) -> Result<(PathBuf, BTreeSet<PathPackage>), BuildError> {
    let doing = format!("building {}", file.named);
    let mut progress = Progress { line: format!("Building {} ...", file.named), shown: false };
    let ran = cargo(file.folder(), &arguments(target), &doing, |elapsed| progress.tell(elapsed));
    progress.clear();
    let ran = ran?;
    let messages: Vec<Message> =
        ran.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if ran.status.success() {
        let packages = messages.iter().filter_map(path_package).collect();
        let program = messages.into_iter().find_map(|message| program(message, target));
        let program = program.ok_or_else(|| BuildError::NoProgram(target.name.clone()))?;
        return Ok((program, packages));
    }
    Err(failure(&messages, ran.stderr, doing, target))
}

/// The package of an artifact, if it lies in a folder and did not come from a registry or a repository.
fn path_package(message: &Message) -> Option<PathPackage> {
    let Message::Artifact { package_id, target, manifest_path, .. } = message else { return None };
    let own = target.name == "aftercalm" && target.kind.iter().any(|kind| kind == "lib");
    package_id.starts_with("path+").then(|| PathPackage {
        id: package_id.clone(),
        folder: manifest_path.parent().unwrap_or(manifest_path).to_owned(),
        own,
    })
}

fn arguments(target: &Buildable) -> Vec<OsString> {
    let format = if output::error_colors() { "json-diagnostic-rendered-ansi" } else { "json" };
    let mut arguments: Vec<OsString> = Vec::new();
    let mut add = |words: &[&str]| arguments.extend(words.iter().map(OsString::from));
    add(&["build", "--quiet", "--profile", "model", "--message-format", format]);
    add(&["--package", &target.package, &format!("--{}", target.sort.word()), &target.name]);
    if !target.features.is_empty() {
        add(&["--features", &target.features.join(",")]);
    }
    arguments.extend(profile_arguments());
    arguments.extend(["--manifest-path".into(), target.manifest.clone().into()]);
    arguments.extend(["--target-dir".into(), target.target_folder.clone().into()]);
    arguments
}

/// The options that tell Cargo of the profile `model`.
pub fn profile_arguments() -> impl Iterator<Item = OsString> {
    let option = |(key, value)| ["--config".into(), format!("profile.model.{key}={value}").into()];
    PROFILE.into_iter().flat_map(option)
}

fn program(message: Message, wanted: &Buildable) -> Option<PathBuf> {
    match message {
        Message::Artifact { target, manifest_path, executable, .. }
            if target.name == wanted.name
                && target.kind.iter().any(|kind| kind == wanted.sort.word())
                && manifest_path == wanted.manifest =>
        {
            executable
        }
        _ => None,
    }
}

/// Tells a model that does not compile from a build that could not be done.
fn failure(messages: &[Message], said: String, doing: String, target: &Buildable) -> BuildError {
    let errors: Vec<&Diagnostic> = messages
        .iter()
        .filter_map(|message| match message {
            Message::Diagnostic { message } if message.level.starts_with("error") => Some(message),
            _ => None,
        })
        .collect();
    let full = "No space left on device";
    let started = messages.iter().any(|message| matches!(message, Message::Finished { success: false }));
    if !started || said.contains(full) || errors.iter().any(|error| error.message.contains(full)) {
        let rendered = errors.iter().filter_map(|error| error.rendered.as_deref());
        let said = rendered.chain([said.as_str()]).collect();
        return CargoError::Failed { doing, said }.into();
    }
    let has_code = |wanted: &[&str]| {
        errors.iter().any(|e| e.code.as_ref().is_some_and(|code| wanted.contains(&code.code.as_str())))
    };
    let mut hints = Vec::new();
    if has_code(&["E0601"]) {
        hints.push(
            "the file has no `main`. A model ends in `fn main() -> ExitCode { aftercalm::run(system) }`"
                .to_owned(),
        );
    }
    if target.lone && has_code(&["E0432", "E0433", "E0463"]) {
        hints.push(
            "a file outside of any package can use the crates aftercalm, stateright and serde; one that needs others belongs in a package that declares them"
                .to_owned(),
        );
    }
    let rendered: String = errors.iter().filter_map(|error| error.rendered.as_deref()).collect();
    // A build script or a missing linker fails without a message of rustc's.
    BuildError::Compile { rendered: if rendered.is_empty() { said } else { rendered }, hints }
}

/// A line on a terminal while a build takes long.
struct Progress {
    line: String,
    shown: bool,
}

impl Progress {
    fn tell(&mut self, elapsed: Duration) {
        if !self.shown && elapsed >= PROGRESS_AFTER && output::interactive() {
            output::plain(&self.line);
            self.shown = true;
        }
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            output::plain("\r\x1b[K");
        }
    }
}
