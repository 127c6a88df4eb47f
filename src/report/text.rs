//! A result as a person reads it: the verdicts at a glance, the story of each violation, and what else to know.

use super::layout::{Line, Page, TextOptions, Tone, cells, counted, glued, thousands};
use super::plot::plots;
use super::result::{CaseResult, ClaimResult, PeakText, RemedyText, TippingText};
use super::sentence::{Form, Words, remedy, violation};
use super::story::{LoopEnd, length, story};
use crate::property::{Kind, Lasso, Verdict};
use serde_json::Value;

/// The result as text, which ends with a line end. No line is wider than `options.width`, nor ends with a space.
pub fn text(result: &CaseResult, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    header(&mut page, result);
    page.blank();
    verdicts(&mut page, result);
    violations(&mut page, result);
    peaks(&mut page, result);
    remarks(&mut page, result);
    page.blank();
    summary(&mut page, result);
    page.finish()
}

fn header(page: &mut Page, result: &CaseResult) {
    let mut title = Line::default().add(Tone::Strong, &result.model);
    if let Some(case) = &result.case {
        title = title.add(Tone::Plain, ", case ").add(Tone::Strong, case);
    }
    page.indented(0, &title);
    let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let parameters: Vec<String> =
        result.parameters.iter().map(|(name, v)| glued(&format!("{name} = {}", value(v)))).collect();
    if !parameters.is_empty() {
        page.indented(2, &Line::plain(&parameters.join(", ")));
    }
}

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Holds => Tone::Good,
        Verdict::Violated => Tone::Bad,
        Verdict::Inconclusive | Verdict::Vacuous => Tone::Warn,
    }
}

/// A line for each claim, in columns: the verdict, the claim's name, and what there is to say.
fn verdicts(page: &mut Page, result: &CaseResult) {
    let verdict_width = result.claims.iter().map(|c| cells(&c.verdict.to_string())).max().unwrap_or(0) + 2;
    let room = page.width().saturating_sub(2 + verdict_width);
    let names = result.claims.iter().map(|c| cells(&c.name));
    let name_width = names.filter(|w| *w <= room / 2).max().unwrap_or(0) + 2;
    for claim in &result.claims {
        let lead = Line::default()
            .pad(2)
            .add(tone(claim.verdict), &claim.verdict.to_string())
            .pad(2 + verdict_width);
        let under_name = Line::default().pad(2 + verdict_width + 2);
        let remark = Line::plain(&remark(claim));
        if cells(&claim.name) + 2 <= name_width && room > 40 {
            let first = lead.add(Tone::Plain, &claim.name).pad(2 + verdict_width + name_width);
            let rest = Line::default().pad(2 + verdict_width + name_width);
            page.print(&first, &rest, &remark);
        } else {
            page.print(&lead, &under_name, &Line::plain(&claim.name));
            page.print(&under_name, &under_name, &remark);
        }
        if claim.name != claim.claim && claim.verdict != Verdict::Violated {
            page.print(&under_name, &under_name, &Line::default().add(Tone::Dim, &claim.claim));
        }
    }
}

/// A verdict in a sentence or two, for those who do not see the story.
pub(super) fn summary_of(claim: &ClaimResult, complete: bool) -> String {
    match claim.verdict {
        Verdict::Violated => violation(claim, complete),
        _ => remark(claim),
    }
}

/// What there is to say about a verdict in half a line.
pub(super) fn remark(claim: &ClaimResult) -> String {
    let mut parts = Vec::new();
    let form = Words::read(&claim.claim).form;
    let over =
        claim.states_covered.map(|n| format!("over {} state{}", thousands(n), if n == 1 { "" } else { "s" }));
    let steps = claim.witness.as_ref().map(length);
    match claim.verdict {
        Verdict::Violated => {
            parts.push(kind(claim, &form));
            parts.extend(steps);
        }
        Verdict::Holds if form == Form::Reachable => {
            let example = claim.witness.as_ref().map(|w| match w.stem.len() {
                0 | 1 => "an initial state is an example".to_owned(),
                n => format!("an example takes {}", counted(n - 1, "step")),
            });
            parts.extend(example.or(over));
        }
        Verdict::Holds => parts.extend(over),
        Verdict::Inconclusive | Verdict::Vacuous => {}
    }
    parts.extend(claim.worst_ticks.map(|n| format!("worst case {}", ticks(n))));
    parts.extend(claim.peak.map(|n| format!("peak {}", thousands(n))));
    match claim.verdict {
        Verdict::Vacuous => {
            parts.push(claim.detail.clone().unwrap_or_else(|| "nothing was tested".to_owned()));
        }
        Verdict::Inconclusive => {
            parts.push(claim.detail.clone().unwrap_or_else(|| "a limit was hit".to_owned()));
        }
        Verdict::Holds => parts.extend(claim.detail.clone()),
        // Told with the violation.
        Verdict::Violated => {}
    }
    parts.join("; ")
}

/// How a claim is violated, and what that means.
fn kind(claim: &ClaimResult, form: &Form) -> String {
    let recover = if matches!(form, Form::Eventually | Form::LeadsTo(_)) { "get there" } else { "recover" };
    match (claim.kind, claim.lasso) {
        (Some(Kind::Trap), _) => format!("trap: cannot {recover}"),
        (Some(Kind::Lasso), Some(Lasso::Flaps)) => "lasso, flaps: never for good".to_owned(),
        (Some(Kind::Lasso), Some(Lasso::Stalls)) => format!("lasso, stalls: can fail to {recover}"),
        (Some(Kind::Lasso), None) => format!("lasso: can fail to {recover}"),
        (Some(Kind::Growth), _) => "growth: without bound".to_owned(),
        (Some(Kind::Safety), _) if *form == Form::Reachable => "safety: never reached".to_owned(),
        (Some(Kind::Safety), _) => "safety".to_owned(),
        (None, _) => String::new(),
    }
}

/// Each violation with its story; claims that the same path violates are told together.
fn violations(page: &mut Page, result: &CaseResult) {
    let violated: Vec<&ClaimResult> =
        result.claims.iter().filter(|c| c.verdict == Verdict::Violated).collect();
    let complete = result.stops.is_empty() && result.fault.is_none();
    for (i, claim) in violated.iter().enumerate() {
        let same = |other: &&&ClaimResult| claim.witness.is_some() && other.witness == claim.witness;
        if violated[..i].iter().any(|earlier| same(&earlier)) {
            continue;
        }
        page.blank();
        let text = violation(claim, complete);
        page.indented(0, &named(claim, Line::default().add(Tone::Bad, "violated: ")));
        page.paragraph(2, &Line::plain(&text));
        for other in violated[i + 1..].iter().filter(same) {
            let also = violation(other, complete);
            let line = named(other, Line::plain("The same path violates: "));
            page.indented(2, &line);
            if also != text {
                page.paragraph(4, &Line::plain(&also));
            }
        }
        if let Some(witness) = &claim.witness {
            page.blank();
            let grows = claim.kind == Some(Kind::Growth);
            story(page, witness, if grows { LoopEnd::Grows } else { LoopEnd::Returns });
            plots(page, witness);
            review(page, claim);
        }
    }
}

/// The claim's name, and its words where they are not its name.
fn named(claim: &ClaimResult, line: Line) -> Line {
    let line = line.add(Tone::Strong, &claim.name);
    if claim.name == claim.claim { line } else { line.add(Tone::Plain, &format!(" ({})", claim.claim)) }
}

/// What an incident review asks next: how little it takes to get there, and how little to get back.
fn review(page: &mut Page, claim: &ClaimResult) {
    let told = [
        ("trigger: ", claim.tipping.as_ref().map(trigger)),
        ("operator: ", claim.remedy.as_ref().map(intervention)),
    ];
    if told.iter().all(|(_, text)| text.is_none()) {
        return;
    }
    page.blank();
    for (what, text) in told.iter().filter_map(|(what, text)| Some((what, text.as_ref()?))) {
        page.paragraph(2, &Line::default().add(Tone::Strong, what).add(Tone::Plain, text));
    }
}

/// The smallest trigger that tips the system.
pub(super) fn trigger(tipping: &TippingText) -> String {
    let weight = |values: &[i64]| {
        let named = tipping.measures.iter().zip(values).map(|(m, v)| format!("{m} {}", thousands(*v)));
        named.collect::<Vec<_>>().join(", ")
    };
    let survived = match &tipping.survived {
        Some(values) => format!("; every one up to {} is survived, whatever else happens", weight(values)),
        None => String::new(),
    };
    format!("{} is the least that tips it{survived}", weight(&tipping.least))
}

/// The cheapest intervention.
pub(super) fn intervention(remedy: &RemedyText) -> String {
    match remedy.actions {
        Some(0) => "none is needed".to_owned(),
        Some(n) => format!(
            "from the worst state, {} for certain, whatever else happens: {}",
            if n == 1 {
                "one action brings it back".to_owned()
            } else {
                format!("{n} actions bring it back")
            },
            remedy.order.join(", then ")
        ),
        None => format!(
            "after {} it can be in a state from which no number of operator actions, in any order, brings it back \
             for certain",
            counted(remedy.worst, "step")
        ),
    }
}

fn ticks(n: u64) -> String {
    format!("{} tick{}", thousands(n), if n == 1 { "" } else { "s" })
}

/// A ratio with two decimals.
fn ratio([offered, fresh]: [i64; 2]) -> String {
    format!("{:.2}", offered as f64 / fresh as f64)
}

/// The largest value of each measure, and how soon it can come.
fn peaks(page: &mut Page, result: &CaseResult) {
    if result.peaks.is_empty() {
        return;
    }
    let peak = |p: &PeakText| {
        let unit = if p.unit.is_empty() { String::new() } else { format!(" {}", p.unit) };
        let when = match p.path.len() {
            0 | 1 => "at once".to_owned(),
            n => format!("after {}", counted(n - 1, "step")),
        };
        format!("{} {}{unit} ({when})", p.measure, p.value)
    };
    let mut all: Vec<String> = result.peaks.iter().map(peak).collect();
    all.extend(result.amplifications.iter().map(|a| {
        let loops = a.loops.iter().map(|l| format!(", {} in the loop of `{}`", ratio(l.ratio), l.claim));
        format!(
            "amplification {}/{} {} at its peak{}",
            a.offered,
            a.fresh,
            ratio(a.peak),
            loops.collect::<String>()
        )
    }));
    page.blank();
    page.paragraph(0, &Line::default().add(Tone::Strong, "peaks: ").add(Tone::Plain, &all.join(", ")));
}

/// What ended the search, what failed, what else to know.
fn remarks(page: &mut Page, result: &CaseResult) {
    if result.stops.is_empty() && result.fault.is_none() && result.notes.is_empty() {
        return;
    }
    page.blank();
    if let Some(fault) = &result.fault {
        paragraph(page, Tone::Bad, "fault: ", fault);
    }
    // Where the model failed, its fault says more than that it did.
    for stop in result.stops.iter().filter(|stop| result.fault.is_none() || remedy(stop).is_some()) {
        let remedy = remedy(stop).map(|r| format!(" ({r})")).unwrap_or_default();
        paragraph(page, Tone::Warn, "stopped early: ", &format!("{stop}{remedy}"));
    }
    for note in &result.notes {
        paragraph(page, Tone::Strong, "note: ", note);
    }
}

/// A paragraph whose own line ends are kept.
fn paragraph(page: &mut Page, tone: Tone, label: &str, text: &str) {
    let mut lines = text.lines();
    page.indented(0, &Line::default().add(tone, label).add(Tone::Plain, lines.next().unwrap_or_default()));
    for line in lines {
        page.indented(2, &Line::plain(line.trim_start()));
    }
}

fn summary(page: &mut Page, result: &CaseResult) {
    let mut line = Line::default().add(Tone::Strong, &counted(result.claims.len(), "claim"));
    let order = [Verdict::Violated, Verdict::Inconclusive, Verdict::Vacuous, Verdict::Holds];
    let mut lead = ": ";
    for verdict in order {
        let count = result.claims.iter().filter(|c| c.verdict == verdict).count();
        if count > 0 {
            let word =
                if verdict == Verdict::Holds && count > 1 { "hold".to_owned() } else { verdict.to_string() };
            line = line
                .add(Tone::Plain, lead)
                .add(tone(verdict), &format!("{} {word}", thousands(count as u64)));
            lead = ", ";
        }
    }
    let counts = format!(
        "; {}, {}, {}",
        counted(usize::try_from(result.states).unwrap_or(usize::MAX), "state"),
        counted(usize::try_from(result.transitions).unwrap_or(usize::MAX), "transition"),
        seconds(result.seconds)
    );
    page.indented(0, &line.add(Tone::Plain, &counts));
}

fn seconds(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() || s < 0.0 => "unknown time".to_owned(),
        s if s < 0.01 => format!("{s:.3} s"),
        s if s < 100.0 => format!("{s:.2} s"),
        s => format!("{} s", thousands(s.min(1e15).round() as i64)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn reports_read_as_they_should() {
        for (name, result) in samples::all() {
            insta::assert_snapshot!(name, text(&result, &TextOptions::default()));
        }
    }

    #[test]
    fn a_report_fits_a_narrow_page_and_an_ascii_terminal() {
        let narrow = TextOptions { width: 40, ..TextOptions::default() };
        insta::assert_snapshot!("trap_narrow", text(&samples::trap(), &narrow));
        let ascii = TextOptions { unicode: false, ..TextOptions::default() };
        let plain = text(&samples::trap(), &ascii);
        assert!(plain.is_ascii());
        insta::assert_snapshot!("trap_ascii", plain);
    }

    #[test]
    fn colours_add_nothing_but_colour() {
        let color = TextOptions { color: true, ..TextOptions::default() };
        insta::assert_snapshot!("trap_color", text(&samples::trap(), &color).replace('\u{1b}', "ESC"));
        for (name, result) in samples::all() {
            let bare = anstream::adapter::strip_str(&text(&result, &color)).to_string();
            assert_eq!(bare, text(&result, &TextOptions::default()), "{name}");
        }
    }

    fn fits(name: &str, result: &CaseResult, width: usize, unicode: bool) {
        for line in text(result, &TextOptions { width, color: false, unicode }).lines() {
            assert!(cells(line) <= width.max(40), "{name} at {width}: {line}");
            assert_eq!(line, line.trim_end(), "{name}");
            assert!(!line.contains(char::is_control), "{name}: {line}");
        }
    }

    #[test]
    fn no_line_is_too_wide_or_ends_in_space_or_commands_the_terminal() {
        for (name, result) in samples::all() {
            for width in (0..130).step_by(9) {
                fits(name, &result, width, false);
                fits(name, &result, width, true);
            }
        }
    }

    #[test]
    fn whatever_a_model_shows_can_be_told() {
        let mut random = fastrand::Rng::with_seed(1);
        for round in 0..150 {
            let result = samples::random(&mut random);
            fits(&format!("round {round}"), &result, random.usize(0..120), random.bool());
        }
    }

    #[test]
    fn times_are_told_as_precisely_as_they_matter() {
        let check = |s: f64, expected: &str| assert_eq!(seconds(s), expected);
        check(0.0004, "0.000 s");
        check(0.0213, "0.02 s");
        check(99.5, "99.50 s");
        check(12_345.6, "12,346 s");
        check(f64::NAN, "unknown time");
    }
}
