//! The story of a witness: step by step, what was done and what it changed.
//!
//! Only changes are told. Those of one actor (the first part of a path) share a line; atoms that turned true or false
//! stand beside the action. Steps in a row that do the same to the same parts are told as one, with every value that
//! was passed through, so that nothing is lost.

use super::layout::{GLUE, Line, Page, Tone, cells, counted, glued, thousands};
use super::result::{Change, StepText, WitnessText};
use super::sentence::stays;
use serde_json::Value;

/// Values are cut beyond this many characters.
const VALUE_MAX: usize = 60;
/// Fewer steps in a row than this are told one by one.
const FOLD_MIN: usize = 3;
/// A change up to this width stays in one piece.
const GLUED_MAX: usize = 32;
/// Names of actors up to this width line up.
const HEAD_MAX: usize = 20;
/// How far the steps are indented.
const MARGIN: usize = 2;

/// A step, or several that were folded, ready to be written.
struct Row {
    first: usize,
    last: usize,
    action: String,
    /// Atoms that turned true or false.
    marks: Vec<String>,
    items: Vec<Item>,
}

/// A part that changed.
#[derive(Clone)]
struct Item {
    /// Whose part: the first name of the path.
    head: String,
    /// The rest of the path; may be empty.
    rest: String,
    values: Values,
}

#[derive(Clone)]
enum Values {
    /// At the start.
    Is(String),
    New(String),
    Gone(String),
    Gains(String),
    Loses(String),
    /// From value to value.
    Chain(Vec<String>),
}

/// How a loop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoopEnd {
    /// In the state in which it starts.
    Returns,
    /// In a state that differs in larger counters alone.
    Grows,
}

/// Writes the story of a witness.
pub(super) fn story(page: &mut Page, witness: &WitnessText, end: LoopEnd) {
    let mut rows = Vec::new();
    let mut before: Option<&StepText> = None;
    for (number, step) in witness.stem.iter().chain(&witness.cycle).enumerate() {
        rows.push(row(number, step, before));
        before = Some(step);
    }
    gather_flat(&mut rows);
    let cycle = fold(rows.split_off(witness.stem.len()));
    let stem = fold(rows);
    let plan = Plan::new(page, stem.iter().chain(&cycle));
    for row in &stem {
        plan.row(page, row, "");
    }
    match &cycle[..] {
        [] => {}
        [row] if stays(&row.action) => plan.row(page, row, plan.signs.last),
        rows => {
            let bracket = |sign: &str| Line::default().pad(MARGIN).add(Tone::Dim, sign);
            page.print(
                &bracket(plan.signs.open),
                &bracket(plan.signs.bar),
                &Line::default().add(Tone::Strong, "loop, taken for ever"),
            );
            for row in rows {
                plan.row(page, row, plan.signs.bar);
            }
            let start = witness.stem.len().saturating_sub(1);
            let back = match end {
                LoopEnd::Returns => format!("goes back to step {start}"),
                LoopEnd::Grows => format!("as in step {start}, but for larger counters"),
            };
            page.print(
                &bracket(plan.signs.close),
                &Line::default().pad(MARGIN + 3),
                &Line::default().add(Tone::Strong, &back),
            );
        }
    }
}

/// Arrows and brackets.
struct Signs {
    arrow: &'static str,
    open: &'static str,
    bar: &'static str,
    close: &'static str,
    /// A loop of a single step that changes nothing.
    last: &'static str,
    ellipsis: &'static str,
    dash: &'static str,
}

const UNICODE: Signs =
    Signs {
        arrow: "→", open: "┌─ ", bar: "│ ", close: "└─ ", last: "└ ", ellipsis: "…", dash: "–"
    };
const ASCII: Signs =
    Signs { arrow: "->", open: "+- ", bar: "| ", close: "+- ", last: "+ ", ellipsis: "...", dash: "-" };

fn row(number: usize, step: &StepText, before: Option<&StepText>) -> Row {
    let mut items: Vec<Item> = measures(step, before);
    items.extend(step.changes.iter().map(|change| item(change, before.is_none())));
    Row { first: number, last: number, action: step.action.clone(), marks: marks(step, before), items }
}

/// The atoms that turned true or false; at the start, those that hold.
fn marks(step: &StepText, before: Option<&StepText>) -> Vec<String> {
    let mark = |(name, value): (&String, &Value)| {
        let was = before.map_or(&Value::Bool(false), |b| b.atoms.get(name).unwrap_or(&Value::Null));
        if was == value {
            return None;
        }
        Some(match value {
            Value::Bool(true) => format!("+{GLUE}{}", glued(name)),
            Value::Bool(false) => format!("-{GLUE}{}", glued(name)),
            _ => format!("?{GLUE}{}", glued(name)),
        })
    };
    step.atoms.iter().filter_map(mark).collect()
}

fn measures(step: &StepText, before: Option<&StepText>) -> Vec<Item> {
    let shown = |value: &Value| if value.is_null() { "unknown".to_owned() } else { value.to_string() };
    let item = |(name, value): (&String, &Value)| {
        let values = match before.map(|b| b.measures.get(name).unwrap_or(&Value::Null)) {
            None => Values::Is(shown(value)),
            Some(was) if was == value => return None,
            Some(was) => Values::Chain(vec![shown(was), shown(value)]),
        };
        Some(Item { head: MEASURES.to_owned(), rest: name.clone(), values })
    };
    step.measures.iter().filter_map(item).collect()
}

/// Stands where the name of an actor would.
const MEASURES: &str = "measures";
/// Stands where the name of an actor would for what is no actor's.
const STATE: &str = "state";

fn item(change: &Change, initial: bool) -> Item {
    let (head, rest) = split(&change.path);
    let in_set = rest.ends_with("{}");
    let values = match (&change.from, &change.to) {
        (None, Some(to)) if initial => Values::Is(to.clone()),
        (None, Some(to)) if in_set => Values::Gains(to.clone()),
        (Some(from), None) if in_set => Values::Loses(from.clone()),
        (None, Some(to)) => Values::New(to.clone()),
        (Some(from), None) => Values::Gone(from.clone()),
        (Some(from), Some(to)) => Values::Chain(vec![from.clone(), to.clone()]),
        (None, None) => Values::Is(String::new()),
    };
    let rest = rest.strip_suffix("{}").unwrap_or(&rest).to_owned();
    Item { head, rest, values }
}

/// Where no part of the state has parts of its own, they all belong to one actor: the state.
fn gather_flat(rows: &mut [Row]) {
    let parts = || rows.iter().flat_map(|r| &r.items).filter(|i| i.head != MEASURES);
    if parts().all(|i| i.rest.is_empty()) {
        for item in
            rows.iter_mut().flat_map(|r| &mut r.items).filter(|i| i.head != MEASURES && i.head != STATE)
        {
            item.rest = std::mem::replace(&mut item.head, STATE.to_owned());
        }
    }
}

/// Whose part a path names, and which: `clients` and `waiting`, `sites[2]` and `load`, `in_flight` and `"a -> b"`.
fn split(path: &str) -> (String, String) {
    if path.is_empty() {
        return (STATE.to_owned(), String::new());
    }
    let end = path.find(['.', '[', '{']).unwrap_or(path.len());
    let mut end = if end == 0 { path.find(']').map_or(path.len(), |i| i + 1) } else { end };
    if path[end..].starts_with('[')
        && let Some(close) = path[end..].find(']')
        && path[end + 1..end + close].bytes().all(|b| b.is_ascii_digit())
    {
        end += close + 1;
    }
    let rest = path[end..].trim_start_matches('.');
    // The brackets of a key say nothing that its quotes do not say.
    let rest = match rest.strip_prefix('[') {
        Some(inner) if !inner.is_empty() => {
            let close =
                if inner.starts_with('"') { inner.rfind("\"]").map(|i| i + 1) } else { inner.find(']') };
            close.map_or(rest.to_owned(), |i| format!("{}{}", &inner[..i], &inner[i + 1..]))
        }
        _ => rest.to_owned(),
    };
    (path[..end].to_owned(), rest)
}

/// Tells steps in a row as one where nothing is lost: the same action, no atom turned, the same parts changed.
fn fold(rows: Vec<Row>) -> Vec<Row> {
    let mut folded: Vec<Row> = Vec::new();
    let mut rows = rows.into_iter().peekable();
    while let Some(first) = rows.next() {
        let mut run = vec![first];
        while let Some(next) = rows.next_if(|next| run.last().is_some_and(|last| continues(last, next))) {
            run.push(next);
        }
        if run.len() < FOLD_MIN {
            folded.extend(run);
            continue;
        }
        let times = run.len();
        let merged = run.into_iter().reduce(|mut all, next| {
            for (item, more) in all.items.iter_mut().zip(next.items) {
                if let (Values::Chain(values), Values::Chain(more)) = (&mut item.values, more.values) {
                    values.extend(more.into_iter().skip(1));
                }
            }
            Row { last: next.last, ..all }
        });
        folded.extend(merged.map(|row| Row { action: format!("{} ({times} times)", row.action), ..row }));
    }
    folded
}

fn continues(last: &Row, next: &Row) -> bool {
    let chains = |row: &Row| row.items.iter().all(|i| matches!(i.values, Values::Chain(_)));
    let parts = |row: &Row| row.items.iter().map(|i| (i.head.clone(), i.rest.clone())).collect::<Vec<_>>();
    last.first > 0
        && last.action == next.action
        && last.marks.is_empty()
        && next.marks.is_empty()
        && chains(last)
        && chains(next)
        && parts(last) == parts(next)
}

/// Where the columns are.
struct Plan {
    signs: &'static Signs,
    /// The width of the step numbers.
    number: usize,
    /// Where the atoms stand, counted from the action.
    marks: usize,
    /// The width of the actors' names.
    head: usize,
    /// Cells to the right of the step number.
    room: usize,
}

impl Plan {
    fn new<'a>(page: &Page, rows: impl Iterator<Item = &'a Row> + Clone) -> Self {
        let signs = if page.unicode() { &UNICODE } else { &ASCII };
        let number = rows.clone().map(|r| cells(&label(r, signs))).max().unwrap_or(1);
        let room = page.width().saturating_sub(MARGIN + 2 + number + 2);
        let widest = |widths: &mut dyn Iterator<Item = usize>, max: usize| widths.filter(|w| *w <= max).max();
        let mut actions = rows.clone().filter(|r| !r.marks.is_empty()).map(|r| cells(&r.action));
        let marks = widest(&mut actions, room * 3 / 5).unwrap_or(0) + 3;
        let mut heads = rows.flat_map(|r| &r.items).map(|i| cells(&i.head));
        let head = widest(&mut heads, HEAD_MAX.min(room / 3)).unwrap_or(0) + 2;
        Self { signs, number, marks, head, room }
    }

    fn prefix(&self, sign: &str, label: &str) -> Line {
        let gap = self.number - cells(label).min(self.number);
        Line::default()
            .pad(MARGIN)
            .add(Tone::Dim, sign)
            .pad(MARGIN + 2 + gap)
            .add(Tone::Dim, label)
            .pad(MARGIN + 2 + self.number + 2)
    }

    fn row(&self, page: &mut Page, row: &Row, sign: &str) {
        let below = if sign == self.signs.last { "" } else { sign };
        let continued = self.prefix(below, "").pad(MARGIN + 2 + self.number + 4);
        let first = self.prefix(sign, &label(row, self.signs));
        let action = Line::default().add(Tone::Strong, &row.action);
        let marks = row.marks.join(", ");
        let column = self.marks.max(action.width() + 3);
        let beside = !marks.is_empty() && column + cells(&marks) <= self.room;
        if beside {
            // The action stays in one piece, since all of it fits.
            let action = Line::default().add(Tone::Strong, &glued(&row.action)).pad(column);
            page.print(&first, &continued, &action.add(Tone::Warn, &marks));
        } else {
            page.print(&first, &continued, &action);
            if !marks.is_empty() {
                page.print(&continued, &continued, &Line::default().add(Tone::Warn, &marks));
            }
        }
        for items in row.items.chunk_by(|a, b| a.head == b.head) {
            self.actor(page, &continued, items);
        }
        if row.items.is_empty() && row.marks.is_empty() && !stays(&row.action) {
            page.print(&continued, &continued, &Line::default().add(Tone::Dim, "(nothing changes)"));
        }
    }

    /// What changed in one actor: in one line, where that is short and clear.
    fn actor(&self, page: &mut Page, indent: &Line, items: &[Item]) {
        let Some(head) = items.first().map(|i| i.head.as_str()) else { return };
        let texts: Vec<String> = items.iter().map(|item| self.item(item)).collect();
        let flows = texts.iter().all(|t| cells(t) <= GLUED_MAX && !t.contains(','));
        let lines = if flows { vec![texts.join(", ")] } else { texts };
        let tone = if head == MEASURES { Tone::Dim } else { Tone::Plain };
        let column = indent.width() + self.head;
        // A name too long for its column leaves its first line to itself.
        let fits = cells(head) + 2 <= self.head;
        let mut first = indent.clone().add(tone, head).pad(column);
        let rest = indent.clone().pad(column);
        if !fits {
            page.print(indent, &rest, &Line::default().add(tone, head));
            first = rest.clone();
        }
        let hanging = rest.clone().pad(column + 2);
        for line in lines {
            page.print(&first, if flows { &rest } else { &hanging }, &Line::plain(&line));
            first = rest.clone();
        }
    }

    fn item(&self, item: &Item) -> String {
        let arrow = self.signs.arrow;
        let cut = |value: &str| cut(value, VALUE_MAX, self.signs.ellipsis);
        let (link, values) = match &item.values {
            Values::Is(v) => ("", cut(v)),
            Values::New(v) => ("is new: ", cut(v)),
            Values::Gone(v) => ("is gone: ", cut(v)),
            Values::Gains(v) => ("gains ", cut(v)),
            Values::Loses(v) => ("loses ", cut(v)),
            Values::Chain(values) => {
                let values = without_common_start(values, self.signs.ellipsis);
                ("", values.iter().map(|v| cut(v)).collect::<Vec<_>>().join(&format!(" {arrow} ")))
            }
        };
        let gap = if item.rest.is_empty() { "" } else { " " };
        let text = format!("{}{gap}{link}{values}", item.rest);
        let room = self.room.saturating_sub(self.head + 2);
        if cells(&text) <= GLUED_MAX.min(room) { glued(&text) } else { text }
    }
}

fn label(row: &Row, signs: &Signs) -> String {
    if row.first == row.last {
        row.first.to_string()
    } else {
        format!("{}{}{}", row.first, signs.dash, row.last)
    }
}

/// The start of a value, if it is too long.
fn cut(value: &str, max: usize, ellipsis: &str) -> String {
    match value.char_indices().nth(max) {
        None => value.to_owned(),
        Some((end, _)) => format!("{}{ellipsis}", value[..end].trim_end()),
    }
}

/// Long values that differ late are shown from shortly before the place where they differ.
fn without_common_start(values: &[String], ellipsis: &str) -> Vec<String> {
    let Some((first, others)) = values.split_first() else { return Vec::new() };
    let common = |other: &String| first.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let shared = others.iter().map(common).min().unwrap_or(0);
    let long = values.iter().any(|v| v.chars().nth(VALUE_MAX).is_some());
    if !long || shared < VALUE_MAX / 2 {
        return values.to_vec();
    }
    let late = |value: &String| value.chars().skip(shared - VALUE_MAX / 6).collect::<String>();
    values.iter().map(|v| format!("{ellipsis}{}", late(v))).collect()
}

/// How long a path is, in words: `7 steps, then a loop of 4`.
pub(super) fn length(witness: &WitnessText) -> String {
    let stem = counted(witness.stem.len().saturating_sub(1), "step");
    match &witness.cycle[..] {
        [] => stem,
        [step] if stays(&step.action) => format!("{stem}, then stays"),
        cycle => format!("{stem}, then a loop of {}", thousands(cycle.len() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_whose_part_it_names() {
        let check = |path: &str, head: &str, rest: &str| {
            assert_eq!(split(path), (head.to_owned(), rest.to_owned()), "{path}");
        };
        check("clients.waiting", "clients", "waiting");
        check("sites[2].load[0]", "sites[2]", "load[0]");
        check("in_flight[\"a -> b\"]", "in_flight", "\"a -> b\"");
        check("in_flight[\"a [x] b\"].count", "in_flight", "\"a [x] b\".count");
        check("up{}", "up", "{}");
        check("a.up{}", "a", "up{}");
        check("[3].x", "[3]", "x");
        check("{}", "{}", "");
        check("", "state", "");
        check("m[Id(1)].x", "m", "Id(1).x");
        check("m[", "m", "[");
    }

    #[test]
    fn long_values_are_cut_where_they_do_not_differ() {
        let long = |end: &str| format!("{}{end}", "x".repeat(100));
        let values = without_common_start(&[long("a"), long("b")], "…");
        assert_eq!(values, ["…xxxxxxxxxxa", "…xxxxxxxxxxb"]);
        assert_eq!(cut(&long("a"), 5, "…"), "xxxxx…");
        assert_eq!(without_common_start(&["1".to_owned(), "2".to_owned()], "…"), ["1", "2"]);
    }
}
