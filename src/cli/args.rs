//! The command line, as clap reads it.

use crate::harness::{CheckOptions, EXIT_HELP};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::str::FromStr;

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
    /// Check model files (verdicts, and a counterexample for each violated claim) and suites (every case against its
    /// expected verdicts)
    #[command(after_help = EXIT_HELP)]
    Check(CheckArgs),
}

/// The arguments of `aftercalm check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Model files (Rust programs that end in `aftercalm::run(system)`), suites (TOML files), or folders of suites
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// How to check suites.
    #[command(flatten, next_help_heading = "Suites")]
    pub suites: SuiteArgs,
    /// How to check them.
    #[command(flatten)]
    pub options: CheckOptions,
}

/// How to check suites.
#[derive(Clone, Debug, Args)]
pub struct SuiteArgs {
    /// Check N cases at a time [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Show what differs from what a suite expects, then rewrite the suite so that it expects what was found
    #[arg(long)]
    pub bless: bool,
    /// Say which verdicts moved since FILE was written, by an earlier `check --format json`
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Check only the K-th of N parts of the suites, so that N machines check them all
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
    /// Check only the suites whose own file, model, or anything else but other suites, models and Markdown files
    /// changed since the git revision REV
    #[arg(long, value_name = "REV")]
    pub changed: Option<String>,
}

/// One part of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1.
    pub part: usize,
    /// Of how many.
    pub of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((part, of)) if (1..=of).contains(&part) => Ok(Self { part, of }),
            _ => Err("expected K/N with K from 1 to N, for example 2/4".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn a_shard_is_one_part_of_several() {
        assert_eq!("2/4".parse(), Ok(Shard { part: 2, of: 4 }));
        for wrong in ["", "2", "0/4", "5/4", "1/0", "a/b", "-1/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
