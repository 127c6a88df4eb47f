//! Rewriting a suite so that it expects what was found. Comments, order and everything that is not an expectation stay.

use crate::property::Verdict;
use crate::report::{CaseResult, ClaimResult, RemedyText};
use toml_edit::{Array, DocumentMut, InlineTable, Item, TableLike, TomlError, Value, value};

/// The suite's `text` with the expectations of some of its cases, given by place, replaced by what was found. What a case
/// does not compare it goes on not comparing; claims that it does not mention are added.
///
/// # Errors
/// Where `text` is no TOML.
pub fn bless(text: &str, results: &[(usize, &CaseResult)]) -> Result<String, TomlError> {
    let mut document: DocumentMut = text.parse()?;
    for (place, result) in results {
        let case = match document.get_mut("case") {
            Some(Item::ArrayOfTables(cases)) => cases.get_mut(*place).map(|c| c as &mut dyn TableLike),
            Some(Item::Value(Value::Array(cases))) => {
                cases.get_mut(*place).and_then(Value::as_inline_table_mut).map(|c| c as &mut dyn TableLike)
            }
            _ => None,
        };
        if let Some(case) = case {
            bless_case(case, result);
        }
    }
    Ok(in_the_form_of(text, &document.to_string()))
}

/// The mark of the order of bytes, with which some editors begin a text.
const MARK: char = '\u{feff}';

/// `written`, with the byte order mark and the ends of lines of `text`, which the TOML library does not keep.
fn in_the_form_of(text: &str, written: &str) -> String {
    let lines = text.matches('\n').count();
    let mut formed = match lines > 0 && text.matches("\r\n").count() == lines {
        true => written.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => written.to_owned(),
    };
    if text.starts_with(MARK) && !formed.starts_with(MARK) {
        formed.insert(0, MARK);
    }
    formed
}

fn bless_case(case: &mut dyn TableLike, result: &CaseResult) {
    if let Some(states) = case.get_mut("states") {
        set(states, Value::from(whole(result.states)));
    }
    for peak in &result.peaks {
        if let Some(item) =
            case.get_mut("peaks").and_then(Item::as_table_like_mut).and_then(|t| t.get_mut(&peak.measure))
        {
            set(item, Value::from(peak.value));
        }
    }
    for a in &result.amplifications {
        let table = case.get_mut("amplification").and_then(Item::as_table_like_mut);
        if let Some(item) = table.and_then(|t| t.get_mut(&a.offered)) {
            set(item, Value::from(format!("{}/{}", a.peak[0], a.peak[1])));
        }
    }
    let Some(expected) = case.get_mut("expect").and_then(Item::as_table_like_mut) else { return };
    for claim in &result.claims {
        match expected.get_mut(&claim.name) {
            Some(item) => bless_claim(item, claim),
            None => drop(expected.insert(&claim.name, fresh(claim))),
        }
    }
}

fn bless_claim(item: &mut Item, claim: &ClaimResult) {
    let verdict = claim.verdict.to_string();
    let Some(table) = item.as_table_like_mut() else {
        return set(item, Value::from(verdict));
    };
    let remedy = |r: &RemedyText| match r.actions {
        None => Value::from("none"),
        Some(_) => list(r.order.iter().map(String::as_str)),
    };
    let weights = |weights: &[i64]| list(weights.iter().copied());
    let tipping = claim.tipping.as_ref();
    let found: [(&str, Option<Value>); 8] = [
        ("verdict", Some(Value::from(verdict))),
        ("kind", claim.kind.map(|k| Value::from(k.to_string()))),
        ("loop", claim.lasso.map(|l| Value::from(l.to_string()))),
        ("worst_ticks", claim.worst_ticks.map(|n| Value::from(whole(n)))),
        ("peak", claim.peak.map(Value::from)),
        ("tipping", tipping.map(|t| weights(&t.least))),
        ("survived", tipping.and_then(|t| t.survived.as_deref()).map(weights)),
        ("remedy", claim.remedy.as_ref().map(remedy)),
    ];
    let had = table.len();
    for (key, found) in found {
        match (table.get_mut(key), found) {
            (Some(item), Some(found)) => set(item, found),
            (Some(_), None) => drop(table.remove(key)),
            (None, Some(found)) if key == "kind" && claim.verdict == Verdict::Violated => {
                table.insert(key, value(found));
            }
            (None, _) => {}
        }
    }
    // The spaces around what is gone go, too.
    if table.len() < had {
        table.fmt();
    }
}

/// What is expected of a claim that was not mentioned.
fn fresh(claim: &ClaimResult) -> Item {
    let verdict = claim.verdict.to_string();
    let Some(kind) = claim.kind else { return value(verdict) };
    let mut table = InlineTable::new();
    table.insert("verdict", verdict.into());
    table.insert("kind", kind.to_string().into());
    value(table)
}

/// Replaces a value where it differs, and keeps the spaces and the comment around it.
fn set(item: &mut Item, mut found: Value) {
    if let Item::Value(old) = item {
        if bare(old) == bare(&found) {
            return;
        }
        *found.decor_mut() = old.decor().clone();
    }
    *item = Item::Value(found);
}

fn bare(value: &Value) -> String {
    let mut value = value.clone();
    value.decor_mut().clear();
    if let Value::Array(array) = &mut value {
        array.fmt();
    }
    value.to_string().trim().to_owned()
}

fn list<T: Into<Value>>(items: impl Iterator<Item = T>) -> Value {
    Value::Array(items.collect::<Array>())
}

/// As far as TOML can write it.
fn whole(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::{compare, read, sample};
    use super::*;
    use crate::property::{Kind, Verdict};

    const SUITE: &str = r#"# A suite.
model = "a.rs" # the model

[[case]]
name = "storm" # a comment
states = 5     # counted
peaks = { queue = 3, other = 1 }
amplification = { offered = "3/1" }
[case.expect]
# The claim of all claims.
"recovers" = "holds"   # so far
"waits" = { verdict = "violated", kind = "trap", worst_ticks = 4, tipping = [1, 1], remedy = "none" }

[[case]]
name = "calm"
expect = { recovers = "holds", waits = "holds" }
"#;

    #[test]
    fn what_was_found_is_expected_from_then_on_and_comments_stay() {
        let mut result =
            sample(&[("recovers", Verdict::Violated, Some(Kind::Lasso)), ("waits", Verdict::Holds, None)]);
        result.claims.push(ClaimResult { name: "new".into(), ..result.claims[0].clone() });
        result.claims[1].worst_ticks = Some(7);
        let blessed = bless(SUITE, &[(0, &result)]).unwrap();
        let expected = r#"# A suite.
model = "a.rs" # the model

[[case]]
name = "storm" # a comment
states = 9     # counted
peaks = { queue = 8, other = 1 }
amplification = { offered = "5/2" }
[case.expect]
# The claim of all claims.
"recovers" = "violated"   # so far
"waits" = { verdict = "holds", worst_ticks = 7 }
new = { verdict = "violated", kind = "lasso" }

[[case]]
name = "calm"
expect = { recovers = "holds", waits = "holds" }
"#;
        assert_eq!(blessed, expected);
        let mut peaks = result.clone();
        peaks.peaks[0].measure = "other".into();
        let suite = read(&blessed).unwrap();
        // `other` is no measure of the sample, which is a fault of the suite, not drift.
        assert!(compare(&suite.cases[0], &result, &blessed).unwrap_err()[0].message.contains("other"));
    }

    #[test]
    fn a_suite_that_expects_what_was_found_stays_as_it_is() {
        let text = SUITE
            .replace(", other = 1", "")
            .replace("states = 5", "states = 9")
            .replace("queue = 3", "queue = 8");
        let mut result = sample(&[("recovers", Verdict::Holds, None), ("waits", Verdict::Holds, None)]);
        result.amplifications[0].peak = [6, 2];
        assert_eq!(bless(&text, &[(1, &result)]).unwrap(), text);
    }

    #[test]
    fn inline_cases_are_blessed_too() {
        let text = "model = \"a.rs\"\ncase = [ { name = \"a\", expect = { recovers = \"holds\" } } ]\n";
        let result = sample(&[("recovers", Verdict::Vacuous, None)]);
        let blessed = bless(text, &[(0, &result)]).unwrap();
        assert_eq!(blessed, text.replace("holds", "vacuous"));
    }

    #[test]
    fn a_byte_order_mark_and_the_ends_of_lines_stay() {
        let text = "\u{feff}# Suite.\r\nmodel = \"a.rs\"\r\n\r\n[[case]]\r\nname = \"a\"\r\n[case.expect]\r\nrecovers = \"holds\" # so far\r\n";
        let result = sample(&[("recovers", Verdict::Vacuous, None), ("waits", Verdict::Holds, None)]);
        let blessed = bless(text, &[(0, &result)]).unwrap();
        assert_eq!(blessed, text.replace("holds", "vacuous") + "waits = \"holds\"\r\n");
        let complaints = read("\u{feff}model = 3\r\n\r\ncase = 4\r\n").unwrap_err();
        let spans: Vec<_> = complaints.iter().map(|c| c.span.clone()).collect();
        assert_eq!(spans, [11..12, 16..20]);
    }

    #[test]
    fn dotted_keys_and_tables_of_one_claim_are_blessed_in_their_form() {
        let forms = [
            "expect.recovers = \"holds\"\nexpect.waits.verdict = \"holds\"\n",
            "expect.recovers.verdict = \"holds\"\nexpect.waits = \"holds\"\n",
            "[case.expect.recovers]\nverdict = \"holds\"\n[case.expect.waits]\nverdict = \"holds\"\n",
            "expect = { recovers.verdict = \"holds\", waits = \"holds\" }\n",
            "expect = { waits = \"holds\" }\n",
            "expect.waits = \"holds\"\n",
            "[case.expect.waits]\nverdict = \"holds\"\n",
            "expect = {}\n",
            "[case.expect]\n",
        ];
        for form in forms {
            for case in ["[[case]]\nname = \"a\"\n", "[[case]]\nname = \"a\"\nstates = 9\nset.x = 1\n"] {
                for next in ["", "\n[[case]]\nname = \"b\"\nexpect.recovers = \"holds\"\n"] {
                    let text = format!("model = \"a.rs\"\n\n{case}{form}{next}");
                    let result = sample(&[
                        ("recovers", Verdict::Violated, Some(Kind::Lasso)),
                        ("waits", Verdict::Vacuous, None),
                    ]);
                    let blessed = bless(&text, &[(0, &result)]).unwrap();
                    let suite = read(&blessed).unwrap_or_else(|e| panic!("{blessed}: {e:?}"));
                    let drift = compare(&suite.cases[0], &result, &blessed);
                    assert_eq!(drift.map(|d| d.len()), Ok(0), "{text}\n{blessed}");
                    assert!(blessed.ends_with(next), "{blessed}");
                }
            }
        }
    }
}
