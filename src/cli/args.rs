//! The command line, as clap reads it.

use crate::harness::{CheckOptions, EXIT_HELP};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Model checker for retry and failover protocols: does the system recover once the trigger has gone?
#[derive(Debug, Parser)]
#[command(name = "aftercalm", version, after_help = EXIT_HELP, max_term_width = 100)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check model files: verdicts, and a counterexample for each violated claim
    #[command(after_help = EXIT_HELP)]
    Check(CheckArgs),
}

/// The arguments of `aftercalm check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Model files: Rust programs that end in `aftercalm::run(system)`
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// How to check them.
    #[command(flatten)]
    pub options: CheckOptions,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }
}
