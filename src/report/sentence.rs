//! A verdict in a sentence.
//!
//! A result carries its claim in the fixed claim words; they are read back here, so that a result that came as JSON from a
//! model program can be told as well as one of our own.

use super::case::{ENDS, STAYS};
use super::layout::thousands;
use super::result::{ClaimResult, StepText};
use crate::property::{Claim, Kind, Lasso, StateExpr, Temporal};
use serde_json::Value;

/// A claim, read from its words.
pub(super) struct Words {
    /// Its temporal form.
    pub form: Form,
    /// What is to be met; none where the form is unknown.
    pub goal: Option<StateExpr>,
    /// The antecedent.
    pub after: Option<StateExpr>,
}

/// The temporal form of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Always,
    Reachable,
    Eventually,
    LeadsTo(StateExpr),
    Recurs,
    Stabilizes,
    Recoverable,
    /// A form whose verdict is told in general words.
    Other,
}

impl Words {
    /// Reads a claim.
    pub fn read(claim: &str) -> Self {
        let read = Claim::parse(claim).ok().and_then(|claim| {
            let (form, goal) = form(claim.temporal)?;
            Some(Self { form, goal: Some(goal), after: claim.after })
        });
        read.unwrap_or(Self { form: Form::Other, goal: None, after: None })
    }
}

fn form(temporal: Temporal) -> Option<(Form, StateExpr)> {
    Some(match temporal {
        Temporal::Always(p) => (Form::Always, p),
        Temporal::Reachable(p) => (Form::Reachable, p),
        Temporal::Eventually(p) => (Form::Eventually, p),
        Temporal::Recurs(p) => (Form::Recurs, p),
        Temporal::Stabilizes(p) => (Form::Stabilizes, p),
        Temporal::Recoverable(p) => (Form::Recoverable, p),
        Temporal::LeadsTo(p, q) => (Form::LeadsTo(p), q),
        _ => return None,
    })
}

/// What is wrong, in a sentence or two. `complete`: whether the search saw every state.
pub(super) fn violation(claim: &ClaimResult, complete: bool) -> String {
    let words = Words::read(&claim.claim);
    let told = words.goal.as_ref().and_then(|goal| told(claim, &words, goal, complete));
    let mut text = told.unwrap_or_else(|| match claim.kind {
        Some(Kind::Growth) => {
            let measure =
                claim.claim.trim_start_matches("bounded ").split(" after ").next().unwrap_or_default();
            format!(
                "The system can get into a loop in which `{}` grows each time.",
                measure.trim_matches('"')
            )
        }
        _ => other_form(claim),
    });
    // That a goal which is never reached has no path to show was said.
    let said = words.form == Form::Reachable && claim.witness.is_none();
    if let Some(detail) = claim.detail.as_deref().filter(|d| !(said && d.starts_with("no behaviour reaches")))
    {
        text.push(' ');
        text.push_str(&sentence(detail));
    }
    text
}

fn told(claim: &ClaimResult, words: &Words, goal: &StateExpr, complete: bool) -> Option<String> {
    let (start, reach) = match (&words.form, &words.after) {
        (Form::LeadsTo(p), None) => (format!("After `{p}`, the system can"), String::new()),
        (Form::LeadsTo(p), Some(after)) => {
            (format!("After `{after}` and then `{p}`, the system can"), String::new())
        }
        (_, Some(after)) => (format!("After `{after}`, the system can"), format!(" after `{after}`")),
        (_, None) => ("The system can".to_owned(), String::new()),
    };
    let lacking = lacking(goal);
    Some(match (claim.kind?, claim.lasso) {
        _ if last_action(claim) == Some(ENDS) => {
            format!("{start} end in a state in which {lacking}, and in which nothing more can happen.")
        }
        (Kind::Safety, _) if words.form == Form::Reachable => {
            format!(
                "No behaviour{reach} reaches a state in which `{goal}` holds, so there is no path to show."
            )
        }
        (Kind::Safety, _) => format!("{start} reach a state in which {lacking}."),
        (Kind::Trap, _) => {
            let again = if met_before(claim, goal) { " again" } else { "" };
            format!(
                "{start} reach a state from which no behaviour leads to `{goal}`{again}. \
                 It is a trap: without help from outside, nothing leads out of it."
            )
        }
        (Kind::Lasso, Some(Lasso::Flaps)) => format!(
            "{start} get into a loop that is taken for ever and in which it is healthy (`{goal}`) again and again, \
             never for good."
        ),
        (Kind::Lasso, _) => {
            let wrong = match last_action(claim) {
                Some(action) if stays(action) => {
                    format!("{start} stay for ever in a state in which {lacking}.")
                }
                _ => format!("{start} get into a loop that is taken for ever and in which {}.", never(goal)),
            };
            // In a truncated search, what looks like a way out may be a way into what was not seen.
            let hope = format!(
                " It is no trap: a behaviour still leads from there to `{goal}`, but nothing makes the system take it."
            );
            if complete { wrong + &hope } else { wrong }
        }
        (Kind::Growth, _) => return None,
    })
}

/// A violation of a claim that is about no single state expression.
fn other_form(claim: &ClaimResult) -> String {
    let text = claim.claim.as_str();
    if let Some((measure, max)) = text.split_once(" at_most ") {
        let (max, after) = max.split_once(" after ").map_or((max, ""), |(max, after)| (max, after));
        let lead = if after.is_empty() { String::new() } else { format!("After `{after}`, ") };
        let peak = claim.peak.map(|n| format!("; it can come to {}", thousands(n))).unwrap_or_default();
        return sentence(&format!("{lead}`{}` can exceed {max}{peak}", measure.trim_matches('"')));
    }
    if let Some((goal, rest)) = text.strip_prefix("recovers ").and_then(|t| t.split_once(" within ")) {
        let ticks = rest.split(' ').next().unwrap_or_default();
        let after =
            rest.split_once(" after ").map(|(_, after)| format!("After `{after}`, ")).unwrap_or_default();
        return match claim.kind {
            Some(Kind::Safety) => {
                sentence(&format!("{after}it can take more than {ticks} ticks until `{goal}` holds for good"))
            }
            _ => sentence(&format!("{after}it can happen that `{goal}` never comes to hold for good")),
        };
    }
    if text.starts_with("ltl ") {
        return "The path below, its loop taken for ever, breaks the formula.".to_owned();
    }
    format!("`{text}` is violated.")
}

/// That the goal does not hold, without a double negation.
fn lacking(goal: &StateExpr) -> String {
    match goal {
        StateExpr::Not(p) => format!("`{p}` holds"),
        p => format!("`{p}` does not hold"),
    }
}

fn never(goal: &StateExpr) -> String {
    match goal {
        StateExpr::Not(p) => format!("`{p}` always holds"),
        p => format!("`{p}` never holds"),
    }
}

/// Whether the goal is met on the way into the trouble, so that it is lost and not just never won.
fn met_before(claim: &ClaimResult, goal: &StateExpr) -> bool {
    let holds = |step: &StepText| goal.eval(&|name| step.atoms.get(name) == Some(&Value::Bool(true)));
    claim.witness.as_ref().is_some_and(|w| w.stem.iter().any(holds))
}

fn last_action(claim: &ClaimResult) -> Option<&str> {
    claim.witness.as_ref()?.cycle.last().map(|step| step.action.as_str())
}

/// Whether an action is that of a stutter step.
pub(super) fn stays(action: &str) -> bool {
    action == ENDS || action == STAYS
}

/// A phrase as a sentence: a capital at its start, a full stop at its end.
pub(super) fn sentence(phrase: &str) -> String {
    let phrase = phrase.trim();
    let mut chars = phrase.chars();
    let Some(first) = chars.next() else { return String::new() };
    let stop = if phrase.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), chars.as_str())
}

/// What lets a search go on that `stop` ended, as words to follow it.
pub(super) fn remedy(stop: &str) -> Option<&'static str> {
    let says = |words: &str| stop.contains(words);
    if says("limit of") && says("states") {
        Some("raise it with --max-states")
    } else if says("memory limit") {
        Some("raise it with --max-memory")
    } else if says("time limit") {
        Some("raise it with --max-time")
    } else if says("depth limit") {
        Some("raise it with --max-depth")
    } else if says("within_boundary") {
        Some("widen it in the model, or read every `holds` as one within it")
    } else if says("interrupted") {
        Some("run it again and let it finish")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Stop;
    use crate::property::{Draft, always, leads_to, recoverable};
    use std::time::Duration;

    #[test]
    fn a_claim_is_read_back_from_its_own_words() {
        let check = |draft: Draft, form: Form, goal: &str, after: Option<&str>| {
            let claim = draft.build().unwrap();
            let words = Words::read(&claim.text());
            assert_eq!(words.form, form, "{}", claim.text());
            assert_eq!(words.goal.unwrap().to_string(), goal);
            assert_eq!(words.after.map(|a| a.to_string()).as_deref(), after);
        };
        check(always("p or not q").after("over"), Form::Always, "p or not q", Some("over"));
        check(
            recoverable("\"the day after tomorrow\""),
            Form::Recoverable,
            "\"the day after tomorrow\"",
            None,
        );
        check(always("after").after("after"), Form::Always, "\"after\"", Some("\"after\""));
        let p = StateExpr::parse("always").unwrap();
        check(leads_to("always", "q").after("a"), Form::LeadsTo(p), "q", Some("a"));
        assert_eq!(Words::read("bounded load").form, Form::Other);
        assert_eq!(Words::read("").form, Form::Other);
    }

    #[test]
    fn every_limit_says_how_it_is_raised() {
        let limits = [
            (Stop::States(1000), "--max-states"),
            (Stop::Memory(1 << 30), "--max-memory"),
            (Stop::Time(Duration::from_secs(60)), "--max-time"),
            (Stop::Depth(9), "--max-depth"),
            (Stop::Boundary(3), "in the model"),
            (Stop::Interrupted, "run it again"),
        ];
        for (stop, words) in limits {
            assert!(remedy(&stop.to_string()).is_some_and(|r| r.contains(words)), "{stop}");
        }
        assert_eq!(remedy(&Stop::Fault.to_string()), None);
    }
}
