//! The `aftercalm` command: reads the command line, finds, builds and runs model files, prints what they hand over.

mod args;
mod build;
mod cargo;
mod child;
mod fresh;
mod generate;
mod path;
mod process;
mod target;

use crate::harness::output::{self, Output};
use crate::harness::{Exit, interrupt, request_of, unwritable};
use crate::model::guard;
use args::{CheckArgs, Command, CommandLine};
use build::BuildError;
use cargo::CargoError;
use child::ChildError;
use clap::Parser;
use path::{ModelFile, PathError};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use target::TargetError;

/// The whole command. A panic of ours ends as a sentence, too.
pub fn main() -> ExitCode {
    let run = || match CommandLine::parse().command {
        Command::Check(args) => check(&args),
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

/// Checks every file, whatever becomes of the others, and ends as badly as the worst.
fn check(args: &CheckArgs) -> Exit {
    let mut output = Output::new(&args.options);
    interrupt::install(Arc::default());
    let mut worst = Exit::Expected;
    for given in &args.paths {
        if interrupt::count() > 0 {
            output::error(&format!("{}: not checked, interrupted", given.display()));
            worst = worst.max(Exit::Inconclusive);
            continue;
        }
        let exit = match check_file(given, args) {
            Ok(ended) => {
                let model = given.display().to_string();
                if let Err(error) = output.answer(&model, &ended.answer) {
                    output::error(&unwritable(&error));
                    return worst.max(Exit::Usage);
                }
                let afterwards = ended.afterwards.map_or(Exit::Expected, |error| {
                    output::error(&format!("{model}: after it had handed over, the model {error}"));
                    CheckError::from(error).exit()
                });
                ended.answer.exit().max(afterwards)
            }
            Err(error) => {
                if let Some(rendered) = error.rendered() {
                    output::plain(rendered);
                }
                output::error(&format!("{}: {error}", given.display()));
                error.exit()
            }
        };
        worst = worst.max(exit);
    }
    worst
}

fn check_file(given: &Path, args: &CheckArgs) -> Result<child::Ended, CheckError> {
    let file = ModelFile::find(given)?;
    let target = target::locate(&file)?;
    let program = build::build(&file, &target)?;
    Ok(child::run(&program, &request_of(&file.named, &args.options))?)
}
