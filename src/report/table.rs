//! Suites at a glance: a line for each case, and under it what differs from what is expected.

use super::layout::{Line, Page, TextOptions, Tone, cells, counted, thousands};
use super::result::CaseResult;
use super::run::{Checked, Ended, sentence};
use std::collections::BTreeMap;

/// The cases of one suite, in order, as text with a line end.
pub fn table(cases: &[Checked], options: &TextOptions) -> String {
    let mut page = Page::new(options);
    let Some(first) = cases.first() else { return page.finish() };
    let title =
        Line::default().add(Tone::Strong, &first.file).add(Tone::Plain, &format!(": {}", first.model));
    page.indented(0, &title);
    let widest = cases.iter().map(|c| cells(c.name())).max().unwrap_or(0);
    let name_width = widest.min(page.width() / 2);
    for case in cases {
        row(&mut page, case, name_width);
    }
    page.finish()
}

fn row(page: &mut Page, case: &Checked, name_width: usize) {
    let (tone, word) = status(case);
    let lead = Line::default().pad(2).add(tone, word).pad(11).add(Tone::Plain, case.name());
    // A name that is wider than its column keeps a gap to what follows.
    let column = (11 + name_width).max(lead.width()) + 2;
    let lead = lead.pad(column);
    let rest = Line::default().pad(11 + name_width + 2);
    let Ended::Result(result) = &case.ended else {
        let (Ended::Failed(message) | Ended::NotRun(message)) = &case.ended else { return };
        page.print(&lead, &rest, &Line::default());
        return page.indented(11, &Line::plain(message));
    };
    page.print(&lead, &rest, &Line::plain(&verdicts(result)));
    if let Some(fault) = &result.fault {
        return page.indented(11, &Line::plain(fault));
    }
    for drift in result.drift.iter().flatten() {
        let line = drift.line.map(|n| format!(" ({}:{n})", case.file)).unwrap_or_default();
        page.indented(11, &Line::default().add(Tone::Bad, &sentence(drift)).add(Tone::Dim, &line));
    }
    if result.drift.as_ref().is_some_and(|drift| !drift.is_empty()) {
        if let Some(note) = &case.note {
            page.indented(11, &Line::plain(&format!("the case shows: {note}")));
        }
        page.indented(11, &Line::default().add(Tone::Dim, &format!("alone: {}", case.command)));
    }
}

/// The first word of a row.
fn status(case: &Checked) -> (Tone, &'static str) {
    match &case.ended {
        Ended::Failed(_) => (Tone::Bad, "FAILED"),
        Ended::NotRun(_) => (Tone::Warn, "not run"),
        Ended::Result(result) if result.fault.is_some() => (Tone::Bad, "FAILED"),
        Ended::Result(result) if result.drift.iter().flatten().next().is_some() => (Tone::Bad, "DRIFT"),
        Ended::Result(_) => (Tone::Good, "ok"),
    }
}

/// How many claims came out how, and over how many states.
fn verdicts(result: &CaseResult) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for claim in &result.claims {
        let kind = claim.kind.map(|kind| format!(" ({kind})")).unwrap_or_default();
        *counts.entry(format!("{}{kind}", claim.verdict)).or_default() += 1;
    }
    let counts: Vec<String> = counts.iter().map(|(words, n)| format!("{n} {words}")).collect();
    let states = if result.states == 1 { "state" } else { "states" };
    format!("{}; {} {states}, {:.2} s", counts.join(", "), thousands(result.states), result.seconds)
}

/// What came out of all suites, in a line with its end.
pub fn total(run: &[Checked], suites: usize, seconds: f64) -> String {
    let count = |word: &str| run.iter().filter(|case| status(case).1 == word).count();
    let mut parts = vec![format!("{} as expected", thousands(count("ok") as u64))];
    for (word, told) in [("DRIFT", "drifted"), ("FAILED", "failed"), ("not run", "not run")] {
        if count(word) > 0 {
            parts.push(format!("{} {told}", thousands(count(word) as u64)));
        }
    }
    format!(
        "{} in {}: {}; {seconds:.1} s\n",
        counted(run.len(), "case"),
        counted(suites, "suite"),
        parts.join(", ")
    )
}
