//! Reading a suite. All that is wrong with it is told at once, each thing at its place.

use super::complaint::{Complaint, did_you_mean};
use super::suite::{Case, Expected, Named, Remedy, Setting, Suite};
use crate::property::{Kind, Lasso, Verdict};
use std::fmt::Display;
use std::ops::Range;
use toml_edit::{Array, Document, Item, Key, TableLike, Value};

const SUITE_KEYS: [&str; 4] = ["model", "note", "set", "case"];
const CASE_KEYS: [&str; 9] =
    ["name", "note", "set", "max_states", "max_depth", "states", "peaks", "amplification", "expect"];
const EXPECTED_KEYS: [&str; 8] =
    ["verdict", "kind", "loop", "worst_ticks", "peak", "tipping", "survived", "remedy"];
const VERDICTS: [Verdict; 4] = [Verdict::Holds, Verdict::Violated, Verdict::Inconclusive, Verdict::Vacuous];
const KINDS: [Kind; 4] = [Kind::Safety, Kind::Lasso, Kind::Trap, Kind::Growth];
const LASSOS: [Lasso; 2] = [Lasso::Flaps, Lasso::Stalls];

/// The suite that `text` says.
///
/// # Errors
/// Everything that is wrong with it, in the order of the text.
pub fn read(text: &str) -> Result<Suite, Vec<Complaint>> {
    let document = Document::parse(text).map_err(|error| {
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        vec![Complaint::new(error.span().unwrap_or(0..0), "this is no TOML", message)]
    })?;
    let mut reader = Reader { complaints: Vec::new() };
    let suite = reader.suite(document.as_table());
    reader.complaints.sort_by_key(|complaint| complaint.span.start);
    match suite {
        Some(suite) if reader.complaints.is_empty() => Ok(suite),
        _ => Err(reader.complaints),
    }
}

struct Reader {
    complaints: Vec<Complaint>,
}

/// A key and its value, with the place of each.
struct Entry<'a> {
    key: &'a str,
    key_span: Range<usize>,
    item: &'a Item,
    span: Range<usize>,
}

impl Reader {
    fn wrong<T>(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Option<T> {
        self.complaints.push(Complaint::new(span, message, expected));
        None
    }

    /// The entries of a table whose keys must be among `known`.
    fn entries<'a>(&mut self, table: &'a dyn TableLike, of: &str, known: &[&str]) -> Vec<Entry<'a>> {
        let all = entries(table);
        for entry in all.iter().filter(|entry| !known.contains(&entry.key)) {
            let near = did_you_mean(entry.key, known.iter().copied());
            let message = format!("unknown key `{}`{near}", entry.key);
            self.wrong::<()>(entry.key_span.clone(), message, format!("{of} has: {}", known.join(", ")));
        }
        all
    }

    fn suite(&mut self, table: &dyn TableLike) -> Option<Suite> {
        let entries = self.entries(table, "a suite", &SUITE_KEYS);
        let (mut model, mut common, mut cases) = (None, Vec::new(), None);
        for entry in &entries {
            match entry.key {
                "model" => model = self.string(entry),
                "note" => drop(self.string(entry)),
                "set" => common = self.settings(entry),
                "case" => cases = Some(entry),
                _ => {}
            }
        }
        if !entries.iter().any(|e| e.key == "model") {
            return self.wrong(
                0..0,
                "the suite names no model",
                "expected `model = \"FILE.rs\"`, relative to this file",
            );
        }
        let Some(list) = cases else {
            return self.wrong(0..0, "the suite has no case", "expected at least one `[[case]]`");
        };
        let tables: Vec<(&dyn TableLike, Range<usize>)> = match list.item {
            Item::ArrayOfTables(tables) => {
                tables.iter().map(|t| (t as &dyn TableLike, t.span().unwrap_or(list.span.clone()))).collect()
            }
            Item::Value(Value::Array(array)) if array.iter().all(Value::is_inline_table) => array
                .iter()
                .filter_map(|v| {
                    Some((v.as_inline_table()? as &dyn TableLike, v.span().unwrap_or(list.span.clone())))
                })
                .collect(),
            _ => {
                return self.wrong(
                    list.key_span.clone(),
                    "`case` is no list of tables",
                    "expected `[[case]]`",
                );
            }
        };
        if tables.is_empty() {
            return self.wrong(
                list.span.clone(),
                "the suite has no case",
                "expected at least one `[[case]]`",
            );
        }
        let cases: Vec<Case> =
            tables.into_iter().filter_map(|(table, span)| self.case(table, span, &common)).collect();
        for (i, case) in cases.iter().enumerate() {
            if cases[..i].iter().any(|c| c.name.value == case.name.value) {
                let message = format!("two cases are named `{}`", case.name.value);
                self.wrong::<()>(case.name.span.clone(), message, "names must differ");
            }
        }
        Some(Suite { model: model?, cases })
    }

    fn case(&mut self, table: &dyn TableLike, span: Range<usize>, common: &[Setting]) -> Option<Case> {
        let mut name = None;
        let mut case = Case {
            name: Named { value: String::new(), span: span.clone() },
            note: None,
            sets: common.to_vec(),
            states_max: None,
            depth_max: None,
            states: None,
            peaks: Vec::new(),
            amplifications: Vec::new(),
            expected: Vec::new(),
        };
        let entries = self.entries(table, "a case", &CASE_KEYS);
        for entry in &entries {
            match entry.key {
                "name" => name = self.string(entry),
                "note" => case.note = self.string(entry).map(|note| note.value),
                "set" => {
                    for set in self.settings(entry) {
                        case.sets.retain(|s| s.name.value != set.name.value);
                        case.sets.push(set);
                    }
                }
                "max_states" => case.states_max = self.positive(entry, u64::from(u32::MAX - 1)),
                "max_depth" => case.depth_max = self.count(entry).map(|n| n.value),
                "states" => case.states = self.count(entry),
                "peaks" => case.peaks = self.peaks(entry),
                "amplification" => case.amplifications = self.amplifications(entry),
                "expect" => case.expected = self.expectations(entry),
                _ => {}
            }
        }
        for (key, what) in
            [("name", "name = \"..\""), ("expect", "[case.expect], with a verdict for each claim")]
        {
            if !entries.iter().any(|e| e.key == key) {
                let message = format!("the case has no `{key}`");
                self.wrong::<()>(span.clone(), message, format!("expected {what}"));
            }
        }
        case.name = name?;
        if case.name.value.trim().is_empty() {
            return self.wrong(case.name.span, "the name is empty", "expected a name for reports");
        }
        Some(case)
    }

    fn settings(&mut self, entry: &Entry<'_>) -> Vec<Setting> {
        let Some(table) = self.table(entry, "parameters: { name = value, .. }") else { return Vec::new() };
        let mut sets = Vec::new();
        for set in entries(table) {
            let value = match set.item {
                Item::Value(Value::String(text)) => text.value().clone(),
                Item::Value(
                    value @ (Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Array(_)),
                ) => value.to_string().trim().to_owned(),
                _ => {
                    let message = format!("parameter `{}` cannot be set to this", set.key);
                    self.wrong::<()>(set.span, message, "expected a number, a text, true, false, or a list");
                    continue;
                }
            };
            let name = Named { value: set.key.to_owned(), span: set.key_span };
            sets.push(Setting { name, value: Named { value, span: set.span } });
        }
        sets
    }

    fn peaks(&mut self, entry: &Entry<'_>) -> Vec<(Named<String>, i64)> {
        let Some(table) = self.table(entry, "peaks: { measure = 6, .. }") else { return Vec::new() };
        let read = |e: &Entry<'_>, this: &mut Self| Some((named(e), this.integer(e)?.value));
        entries(table).iter().filter_map(|e| read(e, self)).collect()
    }

    fn amplifications(&mut self, entry: &Entry<'_>) -> Vec<(Named<String>, [i64; 2])> {
        let Some(table) = self.table(entry, "ratios: { offered = \"25/10\", .. }") else { return Vec::new() };
        let mut found = Vec::new();
        for ratio in entries(table) {
            let Some(text) = self.string(&ratio) else { continue };
            let parts = text.value.split_once('/');
            let parts = parts.and_then(|(a, b)| Some([a.trim().parse().ok()?, b.trim().parse().ok()?]));
            match parts {
                Some(pair @ [_, fresh]) if fresh > 0 => found.push((named(&ratio), pair)),
                _ => {
                    let message = format!("`{}` is no ratio", text.value);
                    self.wrong::<()>(text.span, message, "expected offered and fresh load, as \"25/10\"");
                }
            }
        }
        found
    }

    fn expectations(&mut self, entry: &Entry<'_>) -> Vec<Expected> {
        let Some(table) = self.table(entry, "claims: { \"stays valid\" = \"holds\", .. }") else {
            return Vec::new();
        };
        let read = |e: &Entry<'_>, this: &mut Self| this.expectation(e);
        entries(table).iter().filter_map(|e| read(e, self)).collect()
    }

    fn expectation(&mut self, entry: &Entry<'_>) -> Option<Expected> {
        let mut expected = Expected {
            claim: named(entry),
            verdict: Named { value: Verdict::Holds, span: entry.span.clone() },
            kind: None,
            lasso: None,
            worst_ticks: None,
            peak: None,
            tipping: None,
            survived: None,
            remedy: None,
        };
        if entry.item.is_str() {
            expected.verdict = self.word(entry, "verdict", &VERDICTS)?;
            return Some(expected);
        }
        let table = self.table(entry, "a verdict, or { verdict = \"violated\", kind = \"trap\", .. }")?;
        let entries = self.entries(table, "an expectation", &EXPECTED_KEYS);
        let mut verdict = None;
        for e in &entries {
            match e.key {
                "verdict" => verdict = self.word(e, "verdict", &VERDICTS),
                "kind" => expected.kind = self.word(e, "kind of violation", &KINDS),
                "loop" => expected.lasso = self.word(e, "sort of loop", &LASSOS),
                "worst_ticks" => expected.worst_ticks = self.count(e),
                "peak" => expected.peak = self.integer(e),
                "tipping" => expected.tipping = self.integers(e),
                "survived" => expected.survived = self.integers(e),
                "remedy" => expected.remedy = self.remedy(e),
                _ => {}
            }
        }
        if !entries.iter().any(|e| e.key == "verdict") {
            let message = format!("nothing says which verdict is expected of `{}`", entry.key);
            return self.wrong(
                entry.span.clone(),
                message,
                format!("expected `verdict = ..`: {}", listed(&VERDICTS)),
            );
        }
        expected.verdict = verdict?;
        if let Some(kind) = expected.kind.as_ref().filter(|_| expected.verdict.value != Verdict::Violated) {
            let message = format!("a claim that is expected to be `{}` has no kind", expected.verdict.value);
            return self.wrong(kind.span.clone(), message, "expected of violations alone");
        }
        Some(expected)
    }

    fn remedy(&mut self, entry: &Entry<'_>) -> Option<Named<Remedy>> {
        let span = entry.span.clone();
        if entry.item.as_str() == Some("none") {
            return Some(Named { value: Remedy::None, span });
        }
        let actions =
            entry.item.as_array().and_then(|a| a.iter().map(|v| v.as_str().map(str::to_owned)).collect());
        match actions {
            Some(actions) => Some(Named { value: Remedy::Actions(actions), span }),
            None => self.wrong(
                span,
                "this is no remedy",
                "expected a list of operator actions in order, or \"none\"",
            ),
        }
    }

    fn table<'a>(&mut self, entry: &Entry<'a>, expected: &str) -> Option<&'a dyn TableLike> {
        match entry.item.as_table_like() {
            Some(table) => Some(table),
            None => {
                let message = format!("`{}` is {}, no table", entry.key, a_type(entry.item));
                self.wrong(entry.span.clone(), message, format!("expected {expected}"))
            }
        }
    }

    fn string(&mut self, entry: &Entry<'_>) -> Option<Named<String>> {
        match entry.item.as_str() {
            Some(text) => Some(Named { value: text.to_owned(), span: entry.span.clone() }),
            None => self.mistyped(entry, "a text"),
        }
    }

    fn integer(&mut self, entry: &Entry<'_>) -> Option<Named<i64>> {
        match entry.item.as_integer() {
            Some(value) => Some(Named { value, span: entry.span.clone() }),
            None => self.mistyped(entry, "a whole number"),
        }
    }

    fn count(&mut self, entry: &Entry<'_>) -> Option<Named<u64>> {
        match entry.item.as_integer().and_then(|n| u64::try_from(n).ok()) {
            Some(value) => Some(Named { value, span: entry.span.clone() }),
            None => self.mistyped(entry, "a whole number, not negative"),
        }
    }

    fn positive(&mut self, entry: &Entry<'_>, most: u64) -> Option<u64> {
        match self.count(entry)? {
            Named { value, .. } if (1..=most).contains(&value) => Some(value),
            Named { span, value } => self.wrong(
                span,
                format!("`{}` cannot be {value}", entry.key),
                format!("expected 1 to {most}"),
            ),
        }
    }

    fn integers(&mut self, entry: &Entry<'_>) -> Option<Named<Vec<i64>>> {
        let numbers = |array: &Array| array.iter().map(Value::as_integer).collect::<Option<Vec<i64>>>();
        match entry.item.as_array().and_then(numbers) {
            Some(value) => Some(Named { value, span: entry.span.clone() }),
            None => self.mistyped(entry, "a list of whole numbers"),
        }
    }

    fn word<T: Display + Copy>(&mut self, entry: &Entry<'_>, what: &str, known: &[T]) -> Option<Named<T>> {
        let text = self.string(entry)?;
        match known.iter().find(|k| k.to_string() == text.value) {
            Some(value) => Some(Named { value: *value, span: text.span }),
            None => {
                let words: Vec<String> = known.iter().map(ToString::to_string).collect();
                let near = did_you_mean(&text.value, words.iter().map(String::as_str));
                let message = format!("`{}` is no {what}{near}", text.value);
                self.wrong(text.span, message, format!("expected one of: {}", words.join(", ")))
            }
        }
    }

    fn mistyped<T>(&mut self, entry: &Entry<'_>, expected: &str) -> Option<T> {
        let message = format!("`{}` is {}", entry.key, a_type(entry.item));
        self.wrong(entry.span.clone(), message, format!("expected {expected}"))
    }
}

fn entries(table: &dyn TableLike) -> Vec<Entry<'_>> {
    let mut all: Vec<Entry<'_>> = table
        .iter()
        .map(|(key, item)| {
            let key_span = table.key(key).and_then(Key::span).unwrap_or(0..0);
            let span = item.span().unwrap_or(key_span.clone());
            Entry { key, key_span, item, span }
        })
        .collect();
    all.sort_by_key(|entry| entry.key_span.start);
    all
}

fn named(entry: &Entry<'_>) -> Named<String> {
    Named { value: entry.key.to_owned(), span: entry.key_span.clone() }
}

fn listed<T: Display>(words: &[T]) -> String {
    words.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The type of a value with its article.
fn a_type(item: &Item) -> String {
    match item.type_name() {
        name @ ("integer" | "array" | "array of tables" | "inline table") => format!("an {name}"),
        name => format!("a {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::complaint::rendered;
    use super::*;

    const SUITE: &str = r#"
model = "../models/a.rs"
set = { clients = 6, on_error = "delete-key" }

[[case]]
name = "as it happened"
note = "the outage"
set = { capacity = 2, clients = 7 }
max_depth = 40
peaks = { "offered load" = 25 }
amplification = { "offered load" = "25/10" }
states = 148
[case.expect]
"stays valid" = "violated"
"can recover" = { verdict = "violated", kind = "lasso", loop = "flaps", worst_ticks = 4, tipping = [2, 1], remedy = ["stop", "admit"] }

[[case]]
name = "mended"
expect = { "stays valid" = "holds", "can recover" = { verdict = "holds", remedy = "none", peak = -1 } }
"#;

    #[test]
    fn a_suite_is_read_with_everything_in_it() {
        let suite = read(SUITE).unwrap();
        assert_eq!(suite.model.value, "../models/a.rs");
        let [first, second] = suite.cases.as_slice() else { panic!("{suite:?}") };
        assert_eq!(first.assignments(), ["on_error=delete-key", "capacity=2", "clients=7"]);
        assert_eq!((first.depth_max, first.states.as_ref().unwrap().value), (Some(40), 148));
        assert_eq!((first.peaks[0].1, first.amplifications[0].1), (25, [25, 10]));
        let expected = &first.expected[1];
        assert_eq!(expected.kind.as_ref().unwrap().value, Kind::Lasso);
        assert_eq!(expected.tipping.as_ref().unwrap().value, [2, 1]);
        assert_eq!(
            expected.remedy.as_ref().unwrap().value,
            Remedy::Actions(vec!["stop".into(), "admit".into()])
        );
        assert_eq!(second.expected[1].remedy.as_ref().unwrap().value, Remedy::None);
        assert_eq!(&SUITE[second.expected[0].claim.span.clone()], "\"stays valid\"");
    }

    /// Everything told about a text that is wrong.
    fn told(text: &str) -> String {
        rendered(&read(text).unwrap_err(), "specs/a.toml", text, false)
    }

    #[test]
    fn what_is_wrong_is_shown_at_its_place_with_what_would_be_right() {
        let case = "model = \"a.rs\"\n[[case]]\nname = \"c\"\n";
        let expect = |line: &str| told(&format!("{case}expect = {line}\n"));
        let checks: [(String, &[&str]); 16] = [
            (told("model = \n"), &["specs/a.toml:1:9", "no TOML"]),
            (told(""), &["names no model"]),
            (told("model = \"a.rs\""), &["no case", "[[case]]"]),
            (told("model = \"a.rs\"\ncase = []"), &["no case"]),
            (told("model = \"a.rs\"\ncase = 3"), &["2:1", "no list of tables"]),
            (told("modle = \"a.rs\"\n"), &["1:1", "unknown key `modle`; did you mean `model`?"]),
            (told(case), &["2:1", "no `expect`"]),
            (told("model = \"a.rs\"\n[[case]]\nexpect = {}"), &["no `name`"]),
            (
                told("model = 3\n[[case]]\nname = \"c\"\nexpect = {}"),
                &["1:9", "an integer", "expected a text"],
            ),
            (told(&format!("{case}sett = {{}}\nexpect = {{}}")), &["4:1", "did you mean `set`?"]),
            (
                told(&format!("{case}expect = {{}}\n[[case]]\nname = \"c\"\nexpect = {{}}")),
                &["6:8", "two cases"],
            ),
            (expect("{ a = \"hold\" }"), &["4:16", "did you mean `holds`?", "vacuous"]),
            (expect("{ a = { kind = \"trap\" } }"), &["which verdict", "holds, violated"]),
            (expect("{ a = { verdict = \"holds\", kind = \"trap\" } }"), &["has no kind"]),
            (expect("{ a = { verdict = \"holds\", wort_ticks = 1 } }"), &["did you mean `worst_ticks`?"]),
            (expect("{ a = 3 }"), &["an integer, no table", "a verdict, or {"]),
        ];
        for (told, words) in checks {
            for word in words {
                assert!(told.contains(word), "{word} is not in\n{told}");
            }
        }
    }

    #[test]
    fn several_faults_are_told_at_once_in_the_order_of_the_text() {
        let complaints =
            read("model = 1\nnoet = 2\n[[case]]\nname = \"a\"\nmax_states = 0\nexpect = 1\n").unwrap_err();
        let messages: Vec<&str> = complaints.iter().map(|c| c.message.as_str()).collect();
        assert_eq!(messages.len(), 4, "{messages:?}");
        assert!(messages[0].contains("model") && messages[3].contains("expect"), "{messages:?}");
    }
}
