//! The exit codes, and which one a run ends with. They are fixed: other people's scripts read them.

use crate::property::Verdict;
use crate::report::CaseResult;
use serde::{Deserialize, Serialize};
use std::process::ExitCode;

/// How a run ended, as its exit code.
///
/// With several files, the worst one decides, in the order of this declaration, last is worst. That the run itself went
/// wrong outranks any verdict, because a file that could not be checked may hide one; among verdicts, a violated claim
/// is certain and outranks a claim that was not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exit {
    /// 0: everything as its suite expects; with no expectation, every claim holds.
    Expected,
    /// 4: nothing violated, but some claim is inconclusive (a limit was hit, the run was interrupted) or vacuous (its
    /// antecedent was never reached). Neither was shown to hold. So it is, too, when a model had to be killed because one
    /// of its functions did not come back in time.
    Inconclusive,
    /// 1: a claim is violated; in a suite, something is other than expected.
    Violated,
    /// 3: a model did not compile.
    Compile,
    /// 2: wrong usage or a bad file: a path, a parameter, a model that fails while it runs, output that cannot be written.
    Usage,
    /// 70: an error of aftercalm itself.
    Internal,
}

/// The exit codes, for `--help`.
pub const EXIT_HELP: &str = "\
Exit codes:
  0   every claim holds; of suites: everything is as expected
  1   a claim is violated; of suites: something is other than expected
  2   wrong usage or a bad file, a model that fails while it runs included
  3   a model did not compile
  4   nothing is violated, but a claim is inconclusive (limit, Ctrl-C, a model that was killed
      because it did not come back in time) or vacuous
  70  internal error
With several files the worst decides: 70, 2, 3, 1, 4, 0.";

impl Exit {
    /// The number that the process ends with.
    pub fn code(self) -> u8 {
        match self {
            Self::Expected => 0,
            Self::Violated => 1,
            Self::Usage => 2,
            Self::Compile => 3,
            Self::Inconclusive => 4,
            Self::Internal => 70,
        }
    }

    /// What the result of one case amounts to.
    pub fn of(case: &CaseResult) -> Self {
        if case.fault.is_some() {
            return Self::Usage;
        }
        case.claims.iter().map(|claim| Self::from(claim.verdict)).max().unwrap_or(Self::Expected)
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Holds => Self::Expected,
            Verdict::Violated => Self::Violated,
            Verdict::Inconclusive | Verdict::Vacuous => Self::Inconclusive,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_outranks_verdicts_and_a_violation_outranks_an_open_claim() {
        use Exit::{Compile, Expected, Inconclusive, Internal, Usage, Violated};
        let mut all = [Internal, Expected, Compile, Violated, Inconclusive, Usage];
        all.sort();
        assert_eq!(all.map(Exit::code), [0, 4, 1, 3, 2, 70]);
    }
}
