//! The options of a check, whoever starts it: `aftercalm check`, or a model program that is run by hand.

use super::exit::EXIT_HELP;
use super::limits::LimitArgs;
use clap::{Args, Parser, ValueEnum};
use std::path::PathBuf;

/// The command line of a model program that is run by hand.
#[derive(Debug, Parser)]
#[command(about = "Check this model (a program built with aftercalm)", after_help = EXIT_HELP, max_term_width = 100)]
pub struct ModelCommandLine {
    /// How to check it.
    #[command(flatten)]
    pub options: CheckOptions,
}

/// How to check a model.
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
    /// When to use colours
    #[arg(long, value_enum, default_value_t)]
    pub color: Color,
    /// Write a certificate for each claim that holds into DIR, and verify it by separate code
    #[arg(long, value_name = "DIR")]
    pub certify: Option<PathBuf>,
    /// What else to write.
    #[command(flatten, next_help_heading = "Files")]
    pub files: FileArgs,
    /// When to give up.
    #[command(flatten, next_help_heading = "Limits (claims that one leaves undecided are inconclusive)")]
    pub limits: LimitArgs,
}

/// Files to be written beside the results.
#[derive(Clone, Debug, Default, Args)]
pub struct FileArgs {
    /// Write a report as one page that needs nothing else: verdicts, paths to walk through, sequence diagrams, plots
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write a path as a Mermaid sequence diagram
    #[arg(long, value_name = "FILE")]
    pub mermaid: Option<PathBuf>,
    /// Write a path in the Informal Trace Format (JSON) of Apalache and Quint
    #[arg(long, value_name = "FILE")]
    pub itf: Option<PathBuf>,
    /// Write a path as a log for ShiViz
    #[arg(long, value_name = "FILE")]
    pub shiviz: Option<PathBuf>,
    /// Write the path of the claim NAME [default: the first violated claim that has one]
    #[arg(long = "path-of", value_name = "NAME")]
    pub claim: Option<String>,
}

/// The form of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// JSON Lines: one object a line for each checked case
    Json,
    /// JUnit XML: a test case for each claim
    Junit,
    /// SARIF 2.1.0: a result for each violated claim or drift, at its file and line
    Sarif,
    /// Annotations of GitHub Actions (there, they are added to the text without being asked for)
    Github,
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
    fn the_command_line_is_well_formed() {
        ModelCommandLine::command().debug_assert();
    }
}
