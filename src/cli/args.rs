//! The command line, as clap reads it.

use super::exit::EXIT_HELP;
use super::limits::LimitArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Formal model checker for retry and failover protocols: does the system recover once the trigger has gone?
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

/// The options of a model program that is run by hand: those of `aftercalm check`.
#[derive(Debug, Parser)]
#[command(about = "Check this model (a program built with aftercalm)", after_help = EXIT_HELP, max_term_width = 100)]
pub struct ModelCommandLine {
    /// How to check it.
    #[command(flatten)]
    pub options: CheckOptions,
}

/// How to check a model, whoever starts it.
#[derive(Clone, Debug, Args)]
pub struct CheckOptions {
    /// Set a parameter of the model; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub assignments: Vec<String>,
    /// Show the model's parameters and their defaults, and check nothing
    #[arg(long)]
    pub help_model: bool,
    /// The form of the results on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// When to use colours; `auto`: on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, default_value_t)]
    pub color: Color,
    /// When to give up.
    #[command(flatten, next_help_heading = "Limits (hitting one makes undecided claims inconclusive)")]
    pub limits: LimitArgs,
}

/// The form of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// JSON Lines: one object a line for each checked case
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_lines_are_well_formed() {
        CommandLine::command().debug_assert();
        ModelCommandLine::command().debug_assert();
    }
}
