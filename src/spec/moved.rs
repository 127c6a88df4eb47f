//! Which verdicts a change moved: two sets of results, of the same suites at two revisions.

use super::compare::found;
use crate::report::{CaseResult, ClaimResult};
use serde_json::{Map, Value};

/// A claim whose verdict, kind, worst case or peak is other than it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The model.
    pub model: String,
    /// The case; none outside of suites.
    pub case: Option<String>,
    /// The claim.
    pub claim: String,
    /// What was found before, and now, in a few words. `none` where there was no such claim.
    pub from: String,
    /// What is found now.
    pub to: String,
    /// The parameters that differ, each with its values before and now.
    pub parameters: Vec<(String, String, String)>,
}

/// The claims that moved between `before` and `now`, in the order of `now`; claims of cases that one side does not have are
/// left out.
pub fn moves(before: &[CaseResult], now: &[CaseResult]) -> Vec<Move> {
    let mut moved = Vec::new();
    for case in now {
        let same = |b: &&CaseResult| b.model == case.model && b.case == case.case;
        let Some(old) = before.iter().find(same) else { continue };
        for name in names(old, case) {
            let (was, is) = (told(old, name), told(case, name));
            if was != is {
                moved.push(Move {
                    model: case.model.clone(),
                    case: case.case.clone(),
                    claim: name.to_owned(),
                    from: was,
                    to: is,
                    parameters: differences(&old.parameters, &case.parameters),
                });
            }
        }
    }
    moved
}

/// The claims of both, those of the second first.
fn names<'a>(old: &'a CaseResult, new: &'a CaseResult) -> Vec<&'a str> {
    let mut names: Vec<&str> = new.claims.iter().map(|c| c.name.as_str()).collect();
    for claim in &old.claims {
        if !names.contains(&claim.name.as_str()) {
            names.push(&claim.name);
        }
    }
    names
}

fn told(case: &CaseResult, name: &str) -> String {
    let tell = |claim: &ClaimResult| {
        let worst = claim.worst_ticks.map(|n| format!(", worst case {n} ticks"));
        let peak = claim.peak.map(|n| format!(", peak {n}"));
        found(claim) + &worst.unwrap_or_default() + &peak.unwrap_or_default()
    };
    case.claims.iter().find(|c| c.name == name).map_or_else(|| "none".to_owned(), tell)
}

fn differences(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<(String, String, String)> {
    let shown = |value: Option<&Value>| match value {
        None => "none".to_owned(),
        Some(value) => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    };
    let keys = new.keys().chain(old.keys().filter(|k| !new.contains_key(*k)));
    keys.filter(|key| old.get(*key) != new.get(*key))
        .map(|key| (key.clone(), shown(old.get(key)), shown(new.get(key))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::property::{Kind, Verdict};

    #[test]
    fn a_verdict_that_moved_is_told_with_the_parameters_that_differ() {
        let mut before = sample(&[("a", Verdict::Holds, None), ("b", Verdict::Holds, None)]);
        let mut now = sample(&[("a", Verdict::Violated, Some(Kind::Trap)), ("b", Verdict::Holds, None)]);
        before.parameters.insert("clients".into(), 2.into());
        now.parameters.insert("clients".into(), 6.into());
        let moved = moves(std::slice::from_ref(&before), &[now]);
        assert_eq!(moved.len(), 1);
        assert_eq!((moved[0].from.as_str(), moved[0].to.as_str()), ("holds", "violated (trap)"));
        assert_eq!(moved[0].parameters, [("clients".to_owned(), "2".to_owned(), "6".to_owned())]);
        assert_eq!(moves(std::slice::from_ref(&before), std::slice::from_ref(&before)), []);
    }

    #[test]
    fn claims_that_came_or_went_have_moved_and_cases_that_one_side_lacks_have_not() {
        let before = sample(&[("a", Verdict::Holds, None)]);
        let now = sample(&[("b", Verdict::Holds, None)]);
        let told: Vec<_> = moves(std::slice::from_ref(&before), std::slice::from_ref(&now))
            .into_iter()
            .map(|m| (m.claim, m.from, m.to))
            .collect();
        let text = |words: [&str; 3]| (words[0].to_owned(), words[1].to_owned(), words[2].to_owned());
        assert_eq!(told, [text(["b", "none", "holds"]), text(["a", "holds", "none"])]);
        let other = CaseResult { case: Some("other".into()), ..now };
        assert_eq!(moves(&[before], &[other]), []);
    }
}
