//! Everything that one run of the command checked, and what in it needs attention: what the formats for CI systems are made
//! from.

use super::result::{CaseResult, Drift};
use crate::property::Verdict;

/// One case that was to be checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The file that asked for it, as the user named it: a suite, or the model itself.
    pub file: String,
    /// The model file.
    pub model: String,
    /// The case's name in its suite; none outside of suites.
    pub case: Option<String>,
    /// What the case shows, in the words of the suite.
    pub note: Option<String>,
    /// The line of the case in its suite, counted from 1.
    pub line: Option<usize>,
    /// The command that checks it alone.
    pub command: String,
    /// For claims, the lines of `file` that make them, where they were found.
    pub claim_lines: Vec<(String, usize)>,
    /// What became of it.
    pub ended: Ended,
}

/// What became of a case.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// It was checked. In a suite, the result says how it drifts.
    Result(Box<CaseResult>),
    /// It could not be checked.
    Failed(String),
    /// It was not begun.
    NotRun(String),
}

/// How much attention a finding needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing was shown: a limit, an antecedent that never came.
    Warning,
    /// A violated claim, drift, or a case that could not be checked.
    Error,
}

/// Something that needs attention, at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How much.
    pub level: Level,
    /// The sort of finding: `violated`, `undecided`, `drift` or `failed`.
    pub rule: &'static str,
    /// The claim, where it is about one.
    pub claim: Option<String>,
    /// The file, as the user named it.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The finding in a few words.
    pub title: String,
    /// The finding in a sentence or two.
    pub message: String,
}

/// The rules of findings, each with its meaning.
pub(super) const RULES: [(&str, &str); 4] = [
    ("violated", "A claim about the model is violated."),
    ("undecided", "A claim was not decided, or its antecedent was never reached."),
    ("drift", "A result is other than the suite expects."),
    ("failed", "A case could not be checked."),
];

impl Checked {
    /// The case's name, or the model's where it has none.
    pub fn name(&self) -> &str {
        self.case.as_deref().unwrap_or(&self.model)
    }

    /// All that needs attention, in order.
    pub fn findings(&self) -> Vec<Finding> {
        match &self.ended {
            Ended::Failed(message) | Ended::NotRun(message) => {
                vec![self.finding(Level::Error, "failed", None, self.line, "could not be checked", message)]
            }
            Ended::Result(result) => match (&result.fault, &result.drift) {
                (Some(fault), _) => {
                    vec![self.finding(Level::Error, "failed", None, self.line, "the model fails", fault)]
                }
                (None, Some(drift)) => drift.iter().map(|drift| self.drifted(drift)).collect(),
                (None, None) => self.verdicts(result),
            },
        }
    }

    fn drifted(&self, drift: &Drift) -> Finding {
        let message = format!("{}. Check it alone: {}", sentence(drift), self.command);
        let line = drift.line.or(self.line);
        self.finding(Level::Error, "drift", drift.claim.as_deref(), line, &drift.about, &message)
    }

    fn verdicts(&self, result: &CaseResult) -> Vec<Finding> {
        let not_holding = result.claims.iter().filter(|claim| claim.verdict != Verdict::Holds);
        not_holding
            .map(|claim| {
                let (level, rule) = match claim.verdict {
                    Verdict::Violated => (Level::Error, "violated"),
                    _ => (Level::Warning, "undecided"),
                };
                let line =
                    self.claim_lines.iter().find(|(name, _)| *name == claim.name).map(|(_, line)| *line);
                let title = format!("{}: {}", claim.name, claim.verdict);
                let message = super::text::summary_of(claim, result.stops.is_empty());
                self.finding(level, rule, Some(&claim.name), line, &title, &message)
            })
            .collect()
    }

    fn finding(
        &self,
        level: Level,
        rule: &'static str,
        claim: Option<&str>,
        line: Option<usize>,
        title: &str,
        message: &str,
    ) -> Finding {
        let title = match &self.case {
            Some(case) => format!("{case}: {title}"),
            None => title.to_owned(),
        };
        let claim = claim.map(str::to_owned);
        Finding {
            level,
            rule,
            claim,
            file: self.file.clone(),
            line: line.unwrap_or(1),
            title,
            message: message.to_owned(),
        }
    }
}

/// Drift in a sentence.
pub(super) fn sentence(drift: &Drift) -> String {
    format!("{}: expected {}, found {}", drift.about, drift.expected, drift.found)
}
