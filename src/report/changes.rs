//! What a step changed: the difference of two states, told by their `Debug` texts alone.
//!
//! A path names a part as Rust would, with names in place of what has none: `clients.waiting`, `queue[2]`, `point.0`,
//! `in_flight["clients -> database"]`. An element of a set has the path `members{}`. A struct with one unnamed field adds
//! nothing to the path. The whole state has the empty path.
//!
//! Lists are compared by index where they are equally long, unless taking some elements out and putting others in
//! explains the difference with fewer changes (a queue that moved up); counters are always compared by index. Maps are
//! compared by key, sets by element, whatever their order.
//!
//! Different texts always give at least one change. Cost: linear in the texts, except that a list of n elements costs
//! up to n² comparisons of numbers, limited by [`CELLS_MAX`].

use super::debug_text::{Form, Node, parse};
use super::result::Change;
use std::collections::HashMap;

/// The most cells of the table that aligns two lists; longer lists are aligned at both ends only.
const CELLS_MAX: usize = 40_000;

/// What changed between two states, given as `Debug` texts. Empty where they are equal, and only then.
pub fn changes(from: &str, to: &str) -> Vec<Change> {
    if from == to {
        return Vec::new();
    }
    let (old, new) = (parse(from), parse(to));
    // The order in which sets and maps show their elements is usually no part of the state, so it is told only where
    // nothing else tells the two apart.
    for order_counts in [false, true] {
        let mut difference = Difference { changes: Vec::new(), order_counts };
        difference.nodes("", &old, &new);
        if !difference.changes.is_empty() {
            return difference.changes;
        }
    }
    vec![change("", Some(from), Some(to))]
}

/// Every part of a state, given as `Debug` text, as a change from nothing. Lists of plain values are kept whole.
pub fn parts(state: &str) -> Vec<Change> {
    let mut parts = Vec::new();
    list_parts("", &parse(state), &mut parts);
    parts
}

fn change(path: &str, from: Option<&str>, to: Option<&str>) -> Change {
    Change { path: path.to_owned(), from: from.map(str::to_owned), to: to.map(str::to_owned) }
}

fn field(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn index(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

struct Difference {
    changes: Vec<Change>,
    order_counts: bool,
}

impl Difference {
    fn push(&mut self, path: &str, from: Option<&str>, to: Option<&str>) {
        self.changes.push(change(path, from, to));
    }

    fn nodes<'n, 't>(&mut self, path: &str, old: &'n Node<'t>, new: &'n Node<'t>) {
        if old.text == new.text {
            return;
        }
        match (&old.form, &new.form) {
            (Form::Struct(a, x), Form::Struct(b, y)) if a == b => {
                let entries = |fields: &'n [(&'t str, Node<'t>)]| -> Vec<(&'t str, &'n Node<'t>)> {
                    fields.iter().map(|(name, value)| (*name, value)).collect()
                };
                self.keyed(&entries(x), &entries(y), &|name| field(path, name));
            }
            (Form::Tuple(a, x), Form::Tuple(b, y)) if a == b && x.len() == y.len() => {
                match (&x[..], &y[..]) {
                    // `Some(2)` is small enough to be shown as it is.
                    ([x], [y]) if !a.is_empty() && (is_leaf(x) || is_leaf(y)) => self.whole(path, old, new),
                    ([x], [y]) if !a.is_empty() => self.nodes(path, x, y),
                    _ => {
                        for (i, (x, y)) in x.iter().zip(y).enumerate() {
                            self.nodes(&field(path, &i.to_string()), x, y);
                        }
                    }
                }
            }
            (Form::List(x), Form::List(y)) => self.lists(path, x, y),
            (Form::Set(x), Form::Set(y)) => self.or_order(path, old, new, |this| this.sets(path, x, y)),
            (Form::Map(x), Form::Map(y)) => self.or_order(path, old, new, |this| this.maps(path, x, y)),
            (Form::Set(x), Form::Map(y)) if x.is_empty() => self.maps(path, &[], y),
            (Form::Map(x), Form::Set(y)) if y.is_empty() => self.maps(path, x, &[]),
            _ => self.whole(path, old, new),
        }
    }

    fn whole(&mut self, path: &str, old: &Node<'_>, new: &Node<'_>) {
        self.push(path, Some(old.text), Some(new.text));
    }

    /// Reports the whole where `inner` finds nothing, which means a different order, and that is asked for.
    fn or_order(&mut self, path: &str, old: &Node<'_>, new: &Node<'_>, inner: impl FnOnce(&mut Self)) {
        let before = self.changes.len();
        inner(self);
        if self.order_counts && self.changes.len() == before {
            self.whole(path, old, new);
        }
    }

    fn maps(&mut self, path: &str, x: &[(Node<'_>, Node<'_>)], y: &[(Node<'_>, Node<'_>)]) {
        self.keyed(
            &x.iter().map(|(k, v)| (k.text, v)).collect::<Vec<_>>(),
            &y.iter().map(|(k, v)| (k.text, v)).collect::<Vec<_>>(),
            &|key| format!("{path}[{key}]"),
        );
    }

    /// Entries by key; the same key a second time is another key.
    fn keyed(&mut self, old: &[(&str, &Node<'_>)], new: &[(&str, &Node<'_>)], path: &dyn Fn(&str) -> String) {
        let mut places: HashMap<(&str, usize), usize> = HashMap::new();
        for (place, key) in occurrences(new.iter().map(|(key, _)| *key)).into_iter().enumerate() {
            places.insert(key, place);
        }
        let mut met = vec![false; new.len()];
        for (key, (name, value)) in occurrences(old.iter().map(|(key, _)| *key)).into_iter().zip(old) {
            match places.get(&key) {
                Some(place) => {
                    met[*place] = true;
                    self.nodes(&path(name), value, new[*place].1);
                }
                None => self.push(&path(name), Some(value.text), None),
            }
        }
        for ((name, value), _) in new.iter().zip(&met).filter(|(_, met)| !**met) {
            self.push(&path(name), None, Some(value.text));
        }
    }

    fn sets(&mut self, path: &str, x: &[Node<'_>], y: &[Node<'_>]) {
        let path = format!("{path}{{}}");
        let mut surplus: HashMap<&str, usize> = HashMap::new();
        for node in y {
            *surplus.entry(node.text).or_default() += 1;
        }
        for node in x {
            match surplus.get_mut(node.text).filter(|n| **n > 0) {
                Some(n) => *n -= 1,
                None => self.push(&path, Some(node.text), None),
            }
        }
        for node in y {
            if let Some(n) = surplus.get_mut(node.text).filter(|n| **n > 0) {
                *n -= 1;
                self.push(&path, None, Some(node.text));
            }
        }
    }

    fn lists(&mut self, path: &str, x: &[Node<'_>], y: &[Node<'_>]) {
        let kept = alignment(x, y);
        if x.len() == y.len() {
            let unequal = x.iter().zip(y).filter(|(a, b)| a.text != b.text).count();
            let moved = x.len() + y.len() - 2 * kept.len();
            let counters = x.iter().chain(y).all(is_counter);
            if counters || unequal <= moved {
                for (i, (a, b)) in x.iter().zip(y).enumerate() {
                    self.nodes(&index(path, i), a, b);
                }
                return;
            }
        }
        let (mut i, mut j) = (0, 0);
        for (next_i, next_j) in kept.into_iter().chain([(x.len(), y.len())]) {
            // What stands between two kept elements: pairs first, then what is left over on one side.
            while i < next_i && j < next_j {
                self.nodes(&index(path, j), &x[i], &y[j]);
                (i, j) = (i + 1, j + 1);
            }
            for (i, node) in x.iter().enumerate().take(next_i).skip(i) {
                self.push(&index(path, i), Some(node.text), None);
            }
            for (j, node) in y.iter().enumerate().take(next_j).skip(j) {
                self.push(&index(path, j), None, Some(node.text));
            }
            (i, j) = (next_i + 1, next_j + 1);
        }
    }
}

/// Each key with how often it came before.
fn occurrences<'a>(keys: impl Iterator<Item = &'a str>) -> Vec<(&'a str, usize)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    keys.map(|key| {
        let count = counts.entry(key).or_default();
        *count += 1;
        (key, *count - 1)
    })
    .collect()
}

fn is_leaf(node: &Node<'_>) -> bool {
    matches!(node.form, Form::Leaf)
}

/// Whether it is a plain number or a boolean, as they stand in tables by index.
fn is_counter(node: &Node<'_>) -> bool {
    let digits = node.text.strip_prefix('-').unwrap_or(node.text);
    is_leaf(node) && (digits.starts_with(|c: char| c.is_ascii_digit()) || matches!(digits, "true" | "false"))
}

/// The positions of elements that both lists keep, in order: a longest common subsequence, or, for long lists, what they
/// have in common at both ends.
fn alignment(x: &[Node<'_>], y: &[Node<'_>]) -> Vec<(usize, usize)> {
    let mut ids = HashMap::new();
    // Numbers in place of texts, so that comparing costs nothing.
    let x = numbered(x, &mut ids);
    let y = numbered(y, &mut ids);
    let head = x.iter().zip(&y).take_while(|(a, b)| a == b).count();
    let tail = x[head..].iter().rev().zip(y[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let mut kept: Vec<(usize, usize)> = (0..head).map(|i| (i, i)).collect();
    let (middle_x, middle_y) = (&x[head..x.len() - tail], &y[head..y.len() - tail]);
    kept.extend(common(middle_x, middle_y).into_iter().map(|(i, j)| (head + i, head + j)));
    kept.extend((0..tail).map(|k| (x.len() - tail + k, y.len() - tail + k)));
    kept
}

fn numbered<'a>(nodes: &[Node<'a>], ids: &mut HashMap<&'a str, usize>) -> Vec<usize> {
    let mut number = |text| {
        let fresh = ids.len();
        *ids.entry(text).or_insert(fresh)
    };
    nodes.iter().map(|node| number(node.text)).collect()
}

/// A longest common subsequence, by the usual table of suffixes; nothing where the table would be too large.
fn common(x: &[usize], y: &[usize]) -> Vec<(usize, usize)> {
    let width = y.len() + 1;
    if x.len().saturating_mul(y.len()) > CELLS_MAX {
        return Vec::new();
    }
    let mut lengths = vec![0_u32; (x.len() + 1) * width];
    for i in (0..x.len()).rev() {
        for j in (0..y.len()).rev() {
            lengths[i * width + j] = if x[i] == y[j] {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut kept) = (0, 0, Vec::new());
    while i < x.len() && j < y.len() {
        if x[i] == y[j] {
            kept.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    kept
}

fn list_parts(path: &str, node: &Node<'_>, parts: &mut Vec<Change>) {
    match &node.form {
        Form::Struct(name, fields) if !fields.is_empty() => {
            // The name of a struct repeats the name of its field; that of an enum's variant is a part of the state.
            if !repeats(path, name) {
                parts.push(change(path, None, Some(name)));
            }
            for (name, value) in fields {
                list_parts(&field(path, name), value, parts);
            }
        }
        Form::Map(entries) => {
            for (key, value) in entries {
                list_parts(&format!("{path}[{}]", key.text), value, parts);
            }
        }
        Form::List(values) if values.iter().any(has_fields) => {
            for (i, value) in values.iter().enumerate() {
                list_parts(&index(path, i), value, parts);
            }
        }
        Form::Tuple("", values) if values.iter().any(has_fields) => {
            for (i, value) in values.iter().enumerate() {
                list_parts(&field(path, &i.to_string()), value, parts);
            }
        }
        _ => parts.push(change(path, None, Some(node.text))),
    }
}

/// Whether a value has named parts that deserve lines of their own.
fn has_fields(node: &Node<'_>) -> bool {
    match &node.form {
        Form::Leaf | Form::Set(_) => false,
        Form::Struct(..) | Form::Map(_) => true,
        Form::Tuple(_, values) | Form::List(values) => values.iter().any(has_fields),
    }
}

/// Whether a type's name says no more than the path: the whole state, `clients: Clients`, `load_balancer: LoadBalancer`,
/// `sites[2]: Site`.
fn repeats(path: &str, name: &str) -> bool {
    let bare = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
        letters.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('s').to_owned()
    };
    let last = path.rsplit('.').next().unwrap_or(path);
    let last = last.split('[').next().unwrap_or(last);
    path.is_empty() || bare(last) == bare(name)
}

#[cfg(test)]
mod tests {
    use super::super::samples::random_text;
    use super::*;

    fn shown(changes: Vec<Change>) -> Vec<String> {
        let value = |v: Option<String>| v.unwrap_or_else(|| "-".to_owned());
        changes.into_iter().map(|c| format!("{}: {} => {}", c.path, value(c.from), value(c.to))).collect()
    }

    fn check(from: &str, to: &str, expected: &[&str]) {
        assert_eq!(shown(changes(from, to)), expected, "{from} => {to}");
    }

    #[test]
    fn a_change_is_told_by_the_path_of_its_part() {
        check(
            "S { clients: Clients { idle: 4, waiting: 2 }, cache: Valid }",
            "S { clients: Clients { idle: 3, waiting: 3 }, cache: Missing }",
            &["clients.idle: 4 => 3", "clients.waiting: 2 => 3", "cache: Valid => Missing"],
        );
        check("(1, (2, 3))", "(1, (2, 4))", &["1.1: 3 => 4"]);
        check("3", "4", &[": 3 => 4"]);
    }

    #[test]
    fn small_values_are_shown_whole_and_large_ones_by_their_parts() {
        check("A { x: Some(1) }", "A { x: Some(2) }", &["x: Some(1) => Some(2)"]);
        check("A { x: Some(1) }", "A { x: None }", &["x: Some(1) => None"]);
        check("A { x: Some(B { y: 1, z: 2 }) }", "A { x: Some(B { y: 1, z: 3 }) }", &["x.z: 2 => 3"]);
        check("A { x: Up { for: 1 } }", "A { x: Down { for: 1 } }", &["x: Up { for: 1 } => Down { for: 1 }"]);
    }

    #[test]
    fn lists_tell_what_came_and_what_went() {
        check("[a, b, c]", "[b, c]", &["[0]: a => -"]);
        check("[a, b]", "[a, x, b]", &["[1]: - => x"]);
        check("[a, b, c, d]", "[b, c, d, e]", &["[0]: a => -", "[3]: - => e"]);
        check("[1, 2, 3, 4]", "[2, 3, 4, 5]", &["[0]: 1 => 2", "[1]: 2 => 3", "[2]: 3 => 4", "[3]: 4 => 5"]);
        check("[a, b]", "[b, a]", &["[0]: a => b", "[1]: b => a"]);
        check("[a, b, c]", "[a, x]", &["[1]: b => x", "[2]: c => -"]);
        check("Q { q: [A { n: 1 }] }", "Q { q: [A { n: 2 }, A { n: 1 }] }", &["q[0]: - => A { n: 2 }"]);
    }

    #[test]
    fn maps_go_by_key_and_sets_by_element_in_any_order() {
        check(
            r#"N { in_flight: {"a -> b": 1, "b -> a": 2} }"#,
            r#"N { in_flight: {"b -> a": 3, "c -> a": 1} }"#,
            &[
                r#"in_flight["a -> b"]: 1 => -"#,
                r#"in_flight["b -> a"]: 2 => 3"#,
                r#"in_flight["c -> a"]: - => 1"#,
            ],
        );
        check("S { m: {} }", "S { m: {1: 2} }", &["m[1]: - => 2"]);
        check("S { up: {1, 2, 3} }", "S { up: {3, 1, 4} }", &["up{}: 2 => -", "up{}: - => 4"]);
        check("S { up: {1, 2}, n: 1 }", "S { up: {2, 1}, n: 2 }", &["n: 1 => 2"]);
        check("S { up: {1, 2} }", "S { up: {2, 1} }", &["up: {1, 2} => {2, 1}"]);
    }

    #[test]
    fn the_parts_of_a_state_are_listed_without_repeating_its_types() {
        assert_eq!(
            shown(parts(
                r#"State { clients: Clients { idle: 6 }, phase: Down { since: 2 }, loads: [0, 0], net: {"a": 1}, none: {} }"#
            )),
            [
                "clients.idle: - => 6",
                "phase: - => Down",
                "phase.since: - => 2",
                "loads: - => [0, 0]",
                r#"net["a"]: - => 1"#,
                "none: - => {}",
            ]
        );
        assert_eq!(shown(parts("7")), [": - => 7"]);
        assert_eq!(shown(parts("Unit")), [": - => Unit"]);
    }

    #[test]
    fn any_two_different_texts_differ_and_equal_texts_do_not() {
        let mut random = fastrand::Rng::with_seed(20100923);
        for _ in 0..20_000 {
            let (a, b) = (random_text(&mut random), random_text(&mut random));
            assert_eq!(changes(&a, &b).is_empty(), a == b, "{a:?} {b:?}");
            assert!(changes(&a, &a).is_empty());
            assert!(!parts(&a).is_empty(), "{a:?}");
            // A small edit of one text, so that the two have most of their structure in common.
            let at = a.char_indices().map(|(i, _)| i).nth(random.usize(0..=a.len())).unwrap_or(a.len());
            let edited = format!("{}{}{}", &a[..at], random_text(&mut random), &a[at..]);
            assert_eq!(changes(&a, &edited).is_empty(), a == edited, "{a:?} {edited:?}");
        }
    }

    #[test]
    fn deep_and_long_texts_neither_overflow_nor_stall() {
        for (open, close) in [("[", "]"), ("A { x: ", " }"), ("{1: ", "}"), ("Some(", ")"), ("\"\\", "\"")] {
            let deep = |n: usize, core: &str| open.repeat(n) + core + &close.repeat(n);
            assert_eq!(changes(&deep(20_000, "1"), &deep(20_000, "2")).len(), 1);
            assert!(!changes(&deep(20_000, "1"), &open.repeat(20_000)).is_empty());
        }
        let long = |last: &str| format!("[{}{last}]", "Some(1), ".repeat(50_000));
        assert_eq!(shown(changes(&long("2"), &long("3"))), ["[50000]: 2 => 3"]);
        assert_eq!(shown(changes(&long("2"), "[2]")).len(), 50_000);
    }
}
