//! The private channel between `aftercalm check` and the model program that it starts.
//!
//! The request travels in an environment variable, the answer in a file that another variable names. The answer is
//! written beside its final name and renamed, so that it is there as a whole or not at all; a program that dies, or never
//! calls [`run`](super::run), leaves none and cannot be taken for a success. Standard output would not do: it is the
//! model's, and of what is printed there nobody can say who printed it.
//!
//! The program's standard input is a pipe that is never written to. Its end means that the parent wants the search to end,
//! or has died.
//!
//! Both sides may have been built from different versions of aftercalm (a user's package pins its own), so each message
//! is wrapped in an envelope with the version, which is read first.

use super::exit::Exit;
use super::limits::LimitArgs;
use crate::model::Field;
use crate::report::CaseResult;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The variable that holds the request.
pub const REQUEST: &str = "AFTERCALM_REQUEST";

/// The variable that names the file for the answer.
pub const ANSWER: &str = "AFTERCALM_ANSWER";

/// The version of the messages, counted up with every change of their meaning.
const PROTOCOL: u32 = 2;

/// What the model program is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The model file, as the user named it.
    pub model: String,
    /// Parameters to set, each `name=value`.
    pub assignments: Vec<String>,
    /// What to do.
    pub task: Task,
    /// The folder for the certificates of claims that hold, if they are to be written and verified.
    pub certify: Option<PathBuf>,
}

/// What to do with a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Check it within these limits.
    Check(LimitArgs),
    /// Tell its parameters.
    Describe,
}

/// What a model program found out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Its parameters, if they were asked for.
    pub fields: Option<Vec<Field>>,
    /// The results of the cases checked.
    pub cases: Vec<CaseResult>,
    /// What became of the certificates, a line each.
    pub certified: Vec<String>,
    /// What went wrong, besides.
    pub failure: Option<Failure>,
}

/// What went wrong in a model program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What it amounts to.
    pub exit: Exit,
    /// What went wrong, in a sentence.
    pub message: String,
}

impl Failure {
    /// A failure that is the model's or the user's.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }

    /// A failure that is aftercalm's own.
    pub fn internal(message: impl Into<String>) -> Self {
        Self { exit: Exit::Internal, message: message.into() }
    }
}

impl Answer {
    /// What the run amounts to.
    pub fn exit(&self) -> Exit {
        let cases = self.cases.iter().map(Exit::of);
        cases.chain(self.failure.as_ref().map(|f| f.exit)).max().unwrap_or(Exit::Expected)
    }
}

impl From<Failure> for Answer {
    fn from(failure: Failure) -> Self {
        Self { failure: Some(failure), ..Self::default() }
    }
}

/// A message with the version of the side that wrote it.
#[derive(Debug, Serialize, Deserialize)]
struct Envelope<T> {
    aftercalm: String,
    protocol: u32,
    body: T,
}

/// A message that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HandoverError {
    /// The other side is another version.
    #[error(
        "the model was built with aftercalm {other} (messages version {other_protocol}), this is aftercalm {own} (messages version {own_protocol}): let the model's package depend on the same version",
        own = env!("CARGO_PKG_VERSION"), own_protocol = PROTOCOL)]
    Version {
        /// The version of the other side.
        other: String,
        /// Its version of the messages.
        other_protocol: u32,
    },
    /// It is no message.
    #[error("the message between `aftercalm check` and the model cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// The file cannot be written or read.
    #[error("`{}`: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

fn seal<T: Serialize>(body: T) -> Result<String, HandoverError> {
    let own = Envelope { aftercalm: env!("CARGO_PKG_VERSION").to_owned(), protocol: PROTOCOL, body };
    Ok(serde_json::to_string(&own)?)
}

fn open<T: DeserializeOwned>(text: &str) -> Result<T, HandoverError> {
    let envelope: Envelope<serde_json::Value> = serde_json::from_str(text)?;
    if envelope.protocol != PROTOCOL || envelope.aftercalm != env!("CARGO_PKG_VERSION") {
        return Err(HandoverError::Version { other: envelope.aftercalm, other_protocol: envelope.protocol });
    }
    Ok(serde_json::from_value(envelope.body)?)
}

/// The environment variables that carry `request`, whose answer goes to the file `answer`.
///
/// # Errors
/// None that a user can cause.
pub fn variables(request: &Request, answer: &Path) -> Result<[(&'static str, OsString); 2], HandoverError> {
    Ok([(REQUEST, seal(request)?.into()), (ANSWER, answer.as_os_str().to_owned())])
}

/// The request under which this program runs, and the file for its answer. None: it was started by hand.
pub fn request() -> Option<(Result<Request, HandoverError>, PathBuf)> {
    let answer = PathBuf::from(std::env::var_os(ANSWER)?);
    let request = std::env::var_os(REQUEST)?;
    Some((open(&request.to_string_lossy()), answer))
}

/// Hands over `answer`, as a whole or not at all.
///
/// # Errors
/// Where the file cannot be written.
pub fn write(answer: &Answer, path: &Path) -> Result<(), HandoverError> {
    let text = seal(answer)?;
    let part = path.with_extension("part");
    let written = fs::write(&part, text).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| HandoverError::File { path: path.to_owned(), error })
}

/// What the program handed over. None: nothing.
///
/// # Errors
/// Where it was another version of aftercalm, or the file cannot be read.
pub fn read(path: &Path) -> Result<Option<Answer>, HandoverError> {
    match fs::read_to_string(path) {
        Ok(text) => open(&text).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(HandoverError::File { path: path.to_owned(), error }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_can_be_opened_by_the_same_version_alone() {
        let answer = Answer::from(Failure::usage("no"));
        let sealed = seal(&answer).unwrap();
        assert_eq!(open::<Answer>(&sealed).unwrap(), answer);
        let other = sealed.replace(env!("CARGO_PKG_VERSION"), "9.9.9");
        let error = open::<Answer>(&other).unwrap_err().to_string();
        assert!(error.contains("9.9.9") && error.contains(env!("CARGO_PKG_VERSION")), "{error}");
    }
}
