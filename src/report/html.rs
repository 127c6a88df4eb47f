//! The report as one page that needs nothing else: verdicts, and for each counterexample its story, a sequence diagram, plots,
//! and how to see it again. Everything is there without scripts; with them, a path can be walked step by step.
//!
//! Nothing is fetched: the page forbids it itself, by its content security policy.

use super::layout::thousands;
use super::result::{CaseResult, ClaimResult, StepText, WitnessText};
use super::sentence::violation;
use super::svg::{diagram, escaped, plots};
use super::text::{intervention, remark, trigger};
use crate::property::Verdict;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Paths longer than this are told without their middle: a page of ten thousand steps helps nobody.
const STEPS_MAX: usize = 400;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page for these results, each with the command that repeats it.
pub fn html(cases: &[(CaseResult, String)]) -> String {
    let title = match cases {
        [(case, _)] => format!("{}: {}", name_of(case), headline(case)),
        _ => "aftercalm: results".to_owned(),
    };
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
        escaped(&title)
    );
    for (number, (case, command)) in cases.iter().enumerate() {
        of_case(&mut page, case, command, number);
    }
    if cases.is_empty() {
        page.push_str("<h1>Nothing was checked</h1>\n");
    }
    let _ = write!(page, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    page
}

fn name_of(case: &CaseResult) -> String {
    case.case.as_ref().map_or_else(|| case.model.clone(), |name| format!("{}, {name}", case.model))
}

/// The whole case in a few words.
fn headline(case: &CaseResult) -> String {
    if case.fault.is_some() {
        return "the model fails".to_owned();
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for claim in &case.claims {
        *counts.entry(word(claim.verdict)).or_default() += 1;
    }
    let told: Vec<String> = counts.iter().map(|(word, n)| format!("{n} {word}")).collect();
    told.join(", ")
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Vacuous => "vacuous",
    }
}

fn of_case(page: &mut String, case: &CaseResult, command: &str, number: usize) {
    let _ = writeln!(page, "<h1>{}</h1>", escaped(&name_of(case)));
    let states = |n: u64| format!("{} states, {} transitions", thousands(n), thousands(case.transitions));
    let _ = writeln!(
        page,
        "<p class=\"lead\">{}. {}{}</p>",
        escaped(&headline(case)),
        states(case.states),
        case.tick.as_ref().map(|tick| format!("; a step is a tick of {}", escaped(tick))).unwrap_or_default()
    );
    if let Some(fault) = &case.fault {
        let _ = writeln!(page, "<p class=\"bad\">{}</p>", escaped(fault));
    }
    verdicts(page, case, number);
    for (i, claim) in case.claims.iter().enumerate() {
        if let (Verdict::Violated, Some(witness)) = (claim.verdict, &claim.witness) {
            let earlier = case.claims[..i]
                .iter()
                .find(|c| c.verdict == Verdict::Violated && c.witness == claim.witness);
            violated(page, case, claim, witness, &format!("c{number}-{i}"), earlier.map(|c| c.name.as_str()));
        }
    }
    reproduce(page, case, command);
}

fn verdicts(page: &mut String, case: &CaseResult, number: usize) {
    page.push_str("<table>\n<caption>Verdicts</caption>\n<thead><tr><th scope=\"col\">Claim</th><th scope=\"col\">Verdict</th>\
                   <th scope=\"col\">Remark</th></tr></thead>\n<tbody>\n");
    for (i, claim) in case.claims.iter().enumerate() {
        let remark = remark(claim);
        let name = escaped(&claim.name);
        let link = claim.verdict == Verdict::Violated && claim.witness.is_some();
        let name = if link { format!("<a href=\"#c{number}-{i}\">{name}</a>") } else { name };
        let words = if claim.name == claim.claim {
            String::new()
        } else {
            format!("<br><code>{}</code>", escaped(&claim.claim))
        };
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{name}{words}</th><td class=\"{0}\">{0}</td><td>{1}</td></tr>",
            word(claim.verdict),
            escaped(&remark)
        );
    }
    page.push_str("</tbody>\n</table>\n");
}

fn violated(
    page: &mut String,
    case: &CaseResult,
    claim: &ClaimResult,
    witness: &WitnessText,
    id: &str,
    earlier: Option<&str>,
) {
    let complete = case.stops.is_empty() && case.fault.is_none();
    let _ = writeln!(page, "<section id=\"{id}\">\n<h2>Violated: {}</h2>", escaped(&claim.name));
    let _ = writeln!(page, "<p>{}</p>", escaped(&violation(claim, complete)));
    if let Some(earlier) = earlier {
        let _ = writeln!(page, "<p>The path is that of “{}”.</p>\n</section>", escaped(earlier));
        return;
    }
    let steps = witness.stem.len() + witness.cycle.len();
    let start = if witness.cycle.is_empty() {
        String::new()
    } else {
        format!(" data-loop=\"{}\"", witness.stem.len())
    };
    let _ = writeln!(page, "<div class=\"trace\" data-steps=\"{steps}\"{start}>");
    page.push_str(CONTROLS);
    if steps <= STEPS_MAX
        && let Some(svg) = diagram(witness, &case.actors, id)
    {
        let _ = writeln!(
            page,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Sequence diagram\">{svg}</div>"
        );
    }
    story(page, witness);
    page.push_str("</div>\n");
    if witness.stem.first().is_some_and(|s| !s.measures.is_empty()) && steps <= STEPS_MAX {
        let turns = if witness.cycle.is_empty() { "" } else { ", over three turns of the loop" };
        let shaded =
            if case.actors.iter().any(|a| a.trigger) { "; shaded while a trigger is active" } else { "" };
        let _ = writeln!(page, "<h3>Measures{turns}{shaded}</h3>\n{}", plots(witness, &case.actors, id));
    }
    review(page, claim);
    page.push_str("</section>\n");
}

const CONTROLS: &str = "<div class=\"controls\" role=\"group\" aria-label=\"Walk through the path\">\
<button type=\"button\" data-do=\"first\">First</button><button type=\"button\" data-do=\"back\">Back</button>\
<button type=\"button\" data-do=\"play\" aria-pressed=\"false\">Play</button><button type=\"button\" data-do=\"next\">Next</button>\
<button type=\"button\" data-do=\"loop\">Loop</button><output aria-live=\"polite\"></output>\
<span class=\"keys\">Keys: ← → steps, space plays, l jumps to the loop, Home and End</span></div>\n";

/// The steps as a list: what was done, which atoms turned, what changed, and the whole state on demand.
fn story(page: &mut String, witness: &WitnessText) {
    let steps: Vec<&StepText> = witness.stem.iter().chain(&witness.cycle).collect();
    let mut parts: BTreeMap<String, String> = BTreeMap::new();
    page.push_str("<ol class=\"steps\" start=\"0\">\n");
    for (number, step) in steps.iter().enumerate() {
        for change in &step.changes {
            match &change.to {
                Some(to) => drop(parts.insert(change.path.clone(), to.clone())),
                None => drop(parts.remove(&change.path)),
            }
        }
        if left_out(number, steps.len()) {
            if !left_out(number - 1, steps.len()) {
                let last = steps.len() - STEPS_MAX / 2 - 1;
                let _ = writeln!(
                    page,
                    "<li value=\"{number}\">steps {number} to {last} are left out here; <code>--format json</code> has them all</li>"
                );
            }
            continue;
        }
        let before = number.checked_sub(1).map(|before| steps[before]);
        let in_loop = !witness.cycle.is_empty() && number >= witness.stem.len();
        let class = if in_loop { " class=\"in-loop\"" } else { "" };
        let _ = write!(page, "<li value=\"{number}\" data-step=\"{number}\"{class}>");
        if in_loop && number == witness.stem.len() {
            page.push_str("<strong class=\"loop-mark\">loop, taken for ever: </strong>");
        }
        let _ = write!(page, "<span class=\"action\">{}</span>", escaped(&step.action));
        marks(page, step, before);
        changes(page, step, number == 0);
        whole(page, &parts);
        page.push_str("</li>\n");
    }
    page.push_str("</ol>\n");
    if !witness.cycle.is_empty() {
        let start = witness.stem.len().saturating_sub(1);
        let _ = writeln!(page, "<p class=\"loop-mark\">and so on from step {start}, for ever</p>");
    }
}

fn left_out(number: usize, steps: usize) -> bool {
    steps > STEPS_MAX && number >= STEPS_MAX / 2 && number < steps - STEPS_MAX / 2
}

fn marks(page: &mut String, step: &StepText, before: Option<&StepText>) {
    for (name, value) in &step.atoms {
        let was = before.and_then(|b| b.atoms.get(name)).unwrap_or(&Value::Bool(false));
        if was != value {
            let (class, sign) =
                if *value == Value::Bool(true) { ("on", "now") } else { ("off", "no longer") };
            let _ = write!(page, " <span class=\"mark {class}\">{sign} {}</span>", escaped(name));
        }
    }
}

fn changes(page: &mut String, step: &StepText, initial: bool) {
    if initial || step.changes.is_empty() {
        return;
    }
    page.push_str("<ul>");
    for change in &step.changes {
        let path = if change.path.is_empty() { "the state" } else { &change.path };
        let told = match (&change.from, &change.to) {
            (Some(from), Some(to)) => format!("{} → {}", escaped(from), escaped(to)),
            (None, Some(to)) => format!("new: {}", escaped(to)),
            (Some(from), None) => format!("gone: {}", escaped(from)),
            (None, None) => String::new(),
        };
        let _ = write!(page, "<li><code>{}</code> {told}</li>", escaped(path));
    }
    page.push_str("</ul>");
}

fn whole(page: &mut String, parts: &BTreeMap<String, String>) {
    page.push_str("<details><summary>whole state</summary><table>");
    for (path, value) in parts {
        let _ = write!(
            page,
            "<tr><th scope=\"row\"><code>{}</code></th><td>{}</td></tr>",
            escaped(path),
            escaped(value)
        );
    }
    page.push_str("</table></details>");
}

/// How little it takes to get there, and how little to get back.
fn review(page: &mut String, claim: &ClaimResult) {
    if let Some(tipping) = &claim.tipping {
        let _ = writeln!(page, "<p><strong>Trigger:</strong> {}</p>", escaped(&trigger(tipping)));
    }
    if let Some(remedy) = &claim.remedy {
        let _ = writeln!(page, "<p><strong>Operator:</strong> {}</p>", escaped(&intervention(remedy)));
    }
}

fn reproduce(page: &mut String, case: &CaseResult, command: &str) {
    page.push_str("<h2>Parameters, and how to see this again</h2>\n");
    if !case.parameters.is_empty() {
        page.push_str("<table>\n<caption>Parameters</caption>\n<tbody>\n");
        for (name, value) in &case.parameters {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let _ = writeln!(
                page,
                "<tr><th scope=\"row\">{}</th><td>{}</td></tr>",
                escaped(name),
                escaped(&value)
            );
        }
        page.push_str("</tbody>\n</table>\n");
    }
    let _ = writeln!(page, "<pre>{}</pre>", escaped(command));
    for note in case.stops.iter().chain(&case.notes) {
        let _ = writeln!(page, "<p>note: {}</p>", escaped(note));
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    fn page(case: CaseResult) -> String {
        html(&[(case, "aftercalm check a.rs".to_owned())])
    }

    #[test]
    fn texts_of_the_model_are_no_markup() {
        let mut result = samples::trap();
        let evil = "</script><img src=x onerror=alert(1)>\"'&";
        result.model = evil.to_owned();
        result.claims[0].name = evil.to_owned();
        let witness = result.claims[0].witness.as_mut().unwrap();
        witness.stem[1].action = evil.to_owned();
        witness.stem[1].changes[0].to = Some(evil.to_owned());
        let page = page(result);
        assert!(!page.contains("<img") && page.contains("&lt;img src=x"), "{page}");
        assert_eq!(page.matches("</script>").count(), 1);
    }

    #[test]
    fn every_result_makes_a_page_with_balanced_elements() {
        let mut random = fastrand::Rng::with_seed(7);
        let cases = samples::all().into_iter().map(|(_, case)| case);
        for case in cases.chain((0..40).map(|_| samples::random(&mut random))) {
            let page = page(case);
            for element in [
                "section", "ol", "ul", "li", "table", "tr", "td", "svg", "g", "text", "figure", "details",
                "p",
            ] {
                let opened = page.matches(&format!("<{element}>")).count()
                    + page.matches(&format!("<{element} ")).count();
                assert_eq!(opened, page.matches(&format!("</{element}>")).count(), "{element} in {page}");
            }
        }
    }

    #[test]
    fn a_long_path_is_told_without_its_middle_and_says_so() {
        let mut result = samples::trap();
        result.claims.truncate(1);
        let witness = result.claims[0].witness.as_mut().unwrap();
        let step = witness.stem.last().unwrap().clone();
        witness.stem.extend(std::iter::repeat_n(step, 1_000));
        let page = page(result);
        assert!(page.matches("<li value=").count() <= STEPS_MAX + 1);
        assert!(page.contains("are left out here"), "{page}");
    }
}
