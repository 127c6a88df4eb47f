//! Reads the text that derived `Debug` writes (`{:?}`) into a tree.
//!
//! A state is somebody else's type, and `Debug` is all that is known of it; what the tree is for, see `changes`. Hand-made
//! `Debug` output may be anything, so reading never fails: what does not fit the grammar below is one [`Form::Leaf`], up
//! to the delimiter that ends it.
//!
//! | text | form |
//! | --- | --- |
//! | `Name { field: v, .. }` | [`Form::Struct`] |
//! | `Name(v, w)`, `(v, w)` | [`Form::Tuple`] |
//! | `[v, w]` | [`Form::List`] |
//! | `{v, w}`, `{}` | [`Form::Set`] |
//! | `{k: v}` | [`Form::Map`] |
//! | strings, characters, numbers, words, anything else | [`Form::Leaf`] |
//!
//! Cost: every level reads its own text at most twice (once as a form, once more as raw text), and levels are limited to
//! [`DEPTH_MAX`], so the time is linear in the text. The same limit keeps the recursion off the end of the stack.

/// Levels that are taken apart; what is nested deeper is a leaf.
pub(super) const DEPTH_MAX: usize = 48;

/// A value, with its text.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// The text of the whole value, without space around it.
    pub text: &'a str,
    /// How it is made up.
    pub form: Form<'a>,
}

/// How a value is made up.
#[derive(Debug)]
pub(super) enum Form<'a> {
    /// Not taken apart.
    Leaf,
    /// A name and named fields; `..` is a field of that name.
    Struct(&'a str, Vec<(&'a str, Node<'a>)>),
    /// A name (empty for a plain tuple) and values.
    Tuple(&'a str, Vec<Node<'a>>),
    /// A list.
    List(Vec<Node<'a>>),
    /// A set; also the empty map, which looks the same.
    Set(Vec<Node<'a>>),
    /// A map.
    Map(Vec<(Node<'a>, Node<'a>)>),
}

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Node<'_> {
    let mut reader = Reader { text, at: 0 };
    reader.space();
    let node = reader.value(0, false);
    reader.space();
    if reader.at == text.len() { node } else { Node { text, form: Form::Leaf } }
}

struct Reader<'a> {
    text: &'a str,
    /// Bytes read; always at the start of a character.
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.at += expected.len_utf8();
        }
        found
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// A value that ends before a delimiter; for a key of a map, `: ` is one too.
    fn value(&mut self, depth: usize, key: bool) -> Node<'a> {
        let start = self.at;
        if depth < DEPTH_MAX
            && let Some(form) = self.form(depth)
        {
            let text = &self.text[start..self.at];
            self.space();
            if self.at_delimiter(key) {
                return Node { text, form };
            }
        }
        self.at = start;
        self.skip_raw(key);
        Node { text: self.text[start..self.at].trim_end(), form: Form::Leaf }
    }

    fn at_delimiter(&self, key: bool) -> bool {
        match self.peek() {
            None | Some(',' | ')' | ']' | '}') => true,
            Some(':') => key && self.at_colon(),
            Some(_) => false,
        }
    }

    /// Whether a `:` follows that separates (the `::` of a path does not).
    fn at_colon(&self) -> bool {
        let mut chars = self.rest().chars();
        chars.next() == Some(':') && chars.next().is_none_or(char::is_whitespace)
    }

    fn form(&mut self, depth: usize) -> Option<Form<'a>> {
        match self.peek()? {
            '"' => {
                self.skip_string();
                Some(Form::Leaf)
            }
            '\'' => self.skip_char_literal().then_some(Form::Leaf),
            '[' => {
                self.at += 1;
                self.values(depth, ']').map(Form::List)
            }
            '(' => {
                self.at += 1;
                self.values(depth, ')').map(|values| Form::Tuple("", values))
            }
            '{' => {
                self.at += 1;
                self.set_or_map(depth)
            }
            _ => self.named(depth),
        }
    }

    fn named(&mut self, depth: usize) -> Option<Form<'a>> {
        let name = self.word();
        if name.is_empty() {
            return None;
        }
        if self.take('(') {
            return self.values(depth, ')').map(|values| Form::Tuple(name, values));
        }
        let end = self.at;
        self.space();
        if self.at > end && self.take('{') {
            return self.fields(depth).map(|fields| Form::Struct(name, fields));
        }
        self.at = end;
        Some(Form::Leaf)
    }

    /// A name, a number, a path: anything without space, delimiters or quotes.
    fn word(&mut self) -> &'a str {
        let start = self.at;
        while let Some(c) = self.peek() {
            let ends = c.is_whitespace() || matches!(c, ',' | '(' | ')' | '[' | ']' | '{' | '}' | '"');
            if ends || (c == ':' && self.at_colon()) {
                break;
            }
            self.at += c.len_utf8();
        }
        &self.text[start..self.at]
    }

    fn values(&mut self, depth: usize, close: char) -> Option<Vec<Node<'a>>> {
        let mut values = Vec::new();
        loop {
            self.space();
            if self.take(close) {
                return Some(values);
            }
            values.push(self.value(depth + 1, false));
            self.space();
            if !self.take(',') {
                return self.take(close).then_some(values);
            }
        }
    }

    fn fields(&mut self, depth: usize) -> Option<Vec<(&'a str, Node<'a>)>> {
        let mut fields = Vec::new();
        loop {
            self.space();
            if self.take('}') {
                return Some(fields);
            }
            let start = self.at;
            if self.rest().starts_with("..") {
                self.at += 2;
                fields.push(("..", Node { text: "..", form: Form::Leaf }));
            } else {
                while let Some(c) = self.peek().filter(|c| c.is_alphanumeric() || *c == '_') {
                    self.at += c.len_utf8();
                }
                let name = &self.text[start..self.at];
                if name.is_empty() || !self.take(':') {
                    return None;
                }
                self.space();
                fields.push((name, self.value(depth + 1, false)));
            }
            self.space();
            if !self.take(',') {
                return self.take('}').then_some(fields);
            }
        }
    }

    fn set_or_map(&mut self, depth: usize) -> Option<Form<'a>> {
        let (mut elements, mut entries) = (Vec::new(), Vec::new());
        loop {
            self.space();
            if self.take('}') {
                break;
            }
            let first = self.value(depth + 1, true);
            self.space();
            if self.take(':') {
                self.space();
                entries.push((first, self.value(depth + 1, false)));
                self.space();
            } else {
                elements.push(first);
            }
            if !self.take(',') {
                if self.take('}') {
                    break;
                }
                return None;
            }
        }
        match (elements.is_empty(), entries.is_empty()) {
            (_, true) => Some(Form::Set(elements)),
            (true, false) => Some(Form::Map(entries)),
            // Neither one nor the other: hand-made.
            (false, false) => None,
        }
    }

    /// Up to the delimiter that ends a value, over whatever stands in brackets or quotes.
    fn skip_raw(&mut self, key: bool) {
        let mut open = 0_usize;
        while let Some(c) = self.peek() {
            match c {
                '"' => {
                    self.skip_string();
                    continue;
                }
                '\'' if self.skip_char_literal() => continue,
                '(' | '[' | '{' => open += 1,
                ')' | ']' | '}' if open == 0 => return,
                ')' | ']' | '}' => open -= 1,
                ',' if open == 0 => return,
                ':' if open == 0 && key && self.at_colon() => return,
                _ => {}
            }
            self.at += c.len_utf8();
        }
    }

    /// A string with its quotes; one that is never closed goes to the end, so that no quote is looked at twice.
    fn skip_string(&mut self) {
        let mut escaped = false;
        for (i, c) in self.rest().char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    self.at += i + 1;
                    return;
                }
                _ => {}
            }
        }
        self.at = self.text.len();
    }

    /// `'x'`, `'\n'`, `'\u{1b}'`. An apostrophe that opens none of these is left alone.
    fn skip_char_literal(&mut self) -> bool {
        let mut chars = self.rest().char_indices().skip(1);
        let end = match chars.next() {
            Some((_, '\\')) => {
                chars.next();
                // The longest escape is `\u{10ffff}`.
                chars.take(9).find(|(_, c)| *c == '\'').map(|(i, _)| i)
            }
            Some((_, '\'')) | None => None,
            Some(_) => chars.next().filter(|(_, c)| *c == '\'').map(|(i, _)| i),
        };
        if let Some(end) = end {
            self.at += end + 1;
        }
        end.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree in one line, so that tests can compare it: leaves in angle brackets.
    fn show(node: &Node<'_>) -> String {
        let all = |nodes: &[Node<'_>]| nodes.iter().map(show).collect::<Vec<_>>().join(" ");
        match &node.form {
            Form::Leaf => format!("<{}>", node.text),
            Form::Struct(name, fields) => {
                let fields: Vec<_> = fields.iter().map(|(f, v)| format!("{f}={}", show(v))).collect();
                format!("{name}{{{}}}", fields.join(" "))
            }
            Form::Tuple(name, values) => format!("{name}({})", all(values)),
            Form::List(values) => format!("[{}]", all(values)),
            Form::Set(values) => format!("set({})", all(values)),
            Form::Map(entries) => {
                let entries: Vec<_> =
                    entries.iter().map(|(k, v)| format!("{}:{}", show(k), show(v))).collect();
                format!("map({})", entries.join(" "))
            }
        }
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(show(&parse(text)), expected, "{text}");
    }

    #[test]
    fn everything_that_derived_debug_writes_is_taken_apart() {
        #[derive(Debug)]
        #[allow(dead_code)]
        struct S {
            n: i32,
            t: (u8, f64),
            o: Option<Box<S>>,
            e: Result<(), String>,
            unit: (),
            c: [char; 3],
            set: std::collections::BTreeSet<u8>,
            map: std::collections::BTreeMap<(u8, u8), &'static str>,
            wait: std::time::Duration,
        }
        let inner = S {
            n: -3,
            t: (1, 2.5),
            o: None,
            e: Err("a \"b\", {".to_owned()),
            unit: (),
            c: ['\'', ',', '\u{1b}'],
            set: [1, 2].into(),
            map: [((1, 2), "x: y")].into(),
            wait: std::time::Duration::from_millis(1500),
        };
        check(
            &format!("{inner:?}"),
            r#"S{n=<-3> t=(<1> <2.5>) o=<None> e=Err(<"a \"b\", {">) unit=() c=[<'\''> <','> <'\u{1b}'>] set=set(<1> <2>) map=map((<1> <2>):<"x: y">) wait=<1.5s>}"#,
        );
        check(&format!("{:#?}", (1, Some([2]))), "(<1> Some([<2>]))");
    }

    #[test]
    fn hand_made_text_is_kept_raw_as_narrowly_as_possible() {
        check("3 clients", "<3 clients>");
        check("[3 clients, f(1, 2) now, it's]", "[<3 clients> <f(1, 2) now> <it's>]");
        check("A { x: 1, .. }", "A{x=<1> ..=<..>}");
        check("A { x: a::B { y: 1 }, z: 0..3 }", "A{x=a::B{y=<1>} z=<0..3>}");
        check("{1: 2, 3}", "<{1: 2, 3}>");
        check("{a::B: 2}", "map(<a::B>:<2>)");
        check("[1, 2", "<[1, 2>");
        check("a, b", "<a, b>");
        check("\"open", "<\"open>");
        check("", "<>");
        check("A { no fields }", "<A { no fields }>");
    }
}
