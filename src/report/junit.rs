//! The run as JUnit XML: a test suite for each file, a test case for each claim.

use super::result::{CaseResult, Drift};
use super::run::{Checked, Ended, sentence};
use crate::property::Verdict;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// The run as one JUnit document.
///
/// # Errors
/// Where a text cannot be written as XML.
pub fn junit(run: &[Checked]) -> Result<String, quick_junit::SerializeError> {
    let mut report = Report::new("aftercalm");
    for of_file in run.chunk_by(|a, b| a.file == b.file) {
        let mut suite = TestSuite::new(of_file[0].file.as_str());
        for checked in of_file {
            suite.add_test_cases(cases(checked));
        }
        report.add_test_suite(suite);
    }
    report.to_string()
}

fn cases(checked: &Checked) -> Vec<TestCase> {
    let result = match &checked.ended {
        Ended::Failed(message) | Ended::NotRun(message) => {
            return vec![failed(checked, "could not be checked", message)];
        }
        Ended::Result(result) => result,
    };
    if let Some(fault) = &result.fault {
        return vec![failed(checked, "the model fails", fault)];
    }
    let mut cases: Vec<TestCase> =
        result.claims.iter().map(|claim| of_claim(checked, result, &claim.name)).collect();
    // What the suite expects beside claims.
    let beside: Vec<&Drift> = result.drift.iter().flatten().filter(|d| d.claim.is_none()).collect();
    if !beside.is_empty() {
        cases.push(case(checked, "figures", drifted(&beside)));
    }
    if let Some(first) = cases.first_mut() {
        first.set_time(Duration::try_from_secs_f64(result.seconds).unwrap_or_default());
    }
    cases
}

fn of_claim(checked: &Checked, result: &CaseResult, name: &str) -> TestCase {
    let status = match &result.drift {
        Some(drift) => {
            let of_claim: Vec<&Drift> = drift.iter().filter(|d| d.claim.as_deref() == Some(name)).collect();
            if of_claim.is_empty() { TestCaseStatus::success() } else { drifted(&of_claim) }
        }
        None => match checked.findings().into_iter().find(|f| f.claim.as_deref() == Some(name)) {
            None => TestCaseStatus::success(),
            Some(finding) => {
                let violated = result.claims.iter().any(|c| c.name == name && c.verdict == Verdict::Violated);
                let kind = if violated { NonSuccessKind::Failure } else { NonSuccessKind::Error };
                status(kind, &finding.title, &finding.message)
            }
        },
    };
    case(checked, name, status)
}

fn drifted(drift: &[&Drift]) -> TestCaseStatus {
    let all: Vec<String> = drift.iter().map(|d| sentence(d)).collect();
    status(NonSuccessKind::Failure, "drift", &all.join("\n"))
}

fn failed(checked: &Checked, title: &str, message: &str) -> TestCase {
    case(checked, "check", status(NonSuccessKind::Error, title, message))
}

fn status(kind: NonSuccessKind, title: &str, message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(title).set_description(message);
    status
}

fn case(checked: &Checked, name: &str, status: TestCaseStatus) -> TestCase {
    let name = match &checked.case {
        Some(case) => format!("{case}: {name}"),
        None => name.to_owned(),
    };
    let mut case = TestCase::new(name, status);
    case.set_classname(checked.file.as_str());
    case
}
