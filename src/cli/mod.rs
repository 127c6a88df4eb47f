//! The `aftercalm` command: reads the command line, finds, builds and runs model files, prints what they hand over.
//!
//! `check` is the command of that name; `suites` checks what suites expect.

mod args;
mod build;
mod cargo;
mod changed;
mod check;
mod child;
mod fresh;
mod generate;
mod path;
mod process;
mod replace;
mod suites;
mod target;

use crate::harness::{Exit, output};
use crate::model::guard;
use args::{Command, CommandLine};
use build::BuildError;
use cargo::CargoError;
use child::ChildError;
use clap::Parser;
use path::PathError;
use std::process::ExitCode;
use target::TargetError;

/// The whole command. A panic of ours ends as a sentence, too.
pub fn main() -> ExitCode {
    let run = || match CommandLine::parse().command {
        Command::Check(args) => check::check(&args),
    };
    let exit = guard("the command line", run).unwrap_or_else(|fault| {
        let failure = crate::harness::internal(&fault);
        output::error(&failure.message);
        failure.exit
    });
    exit.into()
}

/// Why a file could not be checked.
#[derive(Debug, thiserror::Error)]
enum CheckError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Child(#[from] ChildError),
}

impl CheckError {
    fn exit(&self) -> Exit {
        match self {
            Self::Build(BuildError::Compile { .. }) => Exit::Compile,
            Self::Child(ChildError::Interrupted | ChildError::Stuck { .. })
            | Self::Build(BuildError::Cargo(CargoError::Interrupted(_)))
            | Self::Target(TargetError::Cargo(CargoError::Interrupted(_))) => Exit::Inconclusive,
            _ => Exit::Usage,
        }
    }

    /// What others have to say about it, before we do.
    fn rendered(&self) -> Option<&str> {
        match self {
            Self::Build(BuildError::Compile { rendered, .. }) => Some(rendered),
            _ => None,
        }
    }
}
