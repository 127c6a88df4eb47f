//! The words of state expressions and formulas: names, quoted names, operators. Errors point at their place.

use std::fmt;

/// A text that does not parse: what is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprError {
    /// What is wrong and what was expected.
    pub reason: String,
    /// The whole text.
    pub text: String,
    /// Where, counted in characters from 1.
    pub column: usize,
}

impl fmt::Display for ExprError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Tabs and line ends would move the caret away from its place.
        let text: String = self.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        write!(f, "{}\n  {text}\n  {caret:>width$}", self.reason, caret = "^", width = self.column)
    }
}

impl std::error::Error for ExprError {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Name(String),
    Quoted(String),
    /// Digits, with a minus sign before them or not.
    Number(String),
    Symbol(&'static str),
}

/// The words that are operators in every kind of text.
pub(super) const WORDS: [&str; 6] = ["and", "or", "not", "implies", "true", "false"];

/// The words of claims. They may name atoms where no claim word can stand, but are written in quotes there.
pub(super) const CLAIM_WORDS: [&str; 17] = [
    "always",
    "reachable",
    "eventually",
    "recurs",
    "stabilizes",
    "recoverable",
    "recovers",
    "bounded",
    "isolated",
    "ltl",
    "leads_to",
    "at_most",
    "after",
    "within",
    "ticks",
    "tick",
    "from",
];

/// `name` in double quotes, so that it reads back as it is.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Whether `name` can be written without quotes where `operators` are words of their own.
pub(super) fn is_word(name: &str, operators: &[&str]) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
        && !WORDS.contains(&name)
        && !operators.contains(&name)
}

/// A text as tokens, with a place among them.
pub(super) struct Tokens<'a> {
    text: &'a str,
    tokens: Vec<(Token, usize)>,
    next: usize,
}

impl<'a> Tokens<'a> {
    /// Splits `text`; `operators` are further words that are no names.
    pub(super) fn new(text: &'a str, operators: &[&'static str]) -> Result<Self, ExprError> {
        Ok(Self { text, tokens: split(text, operators)?, next: 0 })
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    pub(super) fn peek_second(&self) -> Option<&Token> {
        self.tokens.get(self.next + 1).map(|(token, _)| token)
    }

    pub(super) fn advance(&mut self) {
        self.next += 1;
    }

    /// Takes the plain word `word` if it comes next.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Name(name)) if name == word);
        self.next += usize::from(found);
        found
    }

    /// Takes the operator `symbol` if it comes next.
    pub(super) fn take(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Symbol(s)) if *s == symbol);
        self.next += usize::from(found);
        found
    }

    /// An error at the next token.
    pub(super) fn error(&self, reason: &str) -> ExprError {
        let column = self.tokens.get(self.next).map_or(self.text.chars().count(), |(_, at)| *at) + 1;
        ExprError { reason: reason.into(), text: self.text.into(), column }
    }

    /// An error in the text within the quotes of the next token, told as one in the whole text.
    pub(super) fn error_within(&self, inner: &ExprError) -> ExprError {
        let mut error = self.error(&inner.reason);
        let mut chars = self.text.chars().skip(error.column).peekable();
        for _ in 1..inner.column {
            error.column += match (chars.next(), chars.peek()) {
                (Some('\\'), Some('"' | '\\')) => usize::from(chars.next().is_some()) + 1,
                _ => 1,
            };
        }
        error.column += 1;
        error
    }
}

fn split(text: &str, operators: &[&'static str]) -> Result<Vec<(Token, usize)>, ExprError> {
    let chars: Vec<char> = text.chars().collect();
    let error =
        |reason: &str, at: usize| ExprError { reason: reason.into(), text: text.into(), column: at + 1 };
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let start = i;
        let c = chars[i];
        if let Some((symbol, length)) = symbol(&chars[i..]) {
            tokens.push((Token::Symbol(symbol), start));
            i += length;
        } else if c.is_whitespace() {
            i += 1;
        } else if c == '"' {
            let (name, length) =
                unquote(&chars[i..]).ok_or_else(|| error("this quote is never closed", start))?;
            tokens.push((Token::Quoted(name), start));
            i += length;
        } else if c.is_ascii_digit() || c == '-' && chars.get(i + 1).is_some_and(char::is_ascii_digit) {
            i += 1;
            while i < chars.len() && chars[i].is_ascii_digit() {
                i += 1;
            }
            tokens.push((Token::Number(chars[start..i].iter().collect()), start));
        } else if c.is_alphabetic() || c == '_' {
            while i < chars.len() && (chars[i].is_alphanumeric() || chars[i] == '_') {
                i += 1;
            }
            let word: String = chars[start..i].iter().collect();
            let operator = WORDS.iter().chain(operators).find(|w| **w == word);
            tokens.push((operator.map_or_else(|| Token::Name(word.clone()), |w| Token::Symbol(w)), start));
        } else {
            let reason = "expected the name of an atom, `not`, or `(` (a name that is no plain word goes in double quotes)";
            return Err(error(reason, start));
        }
    }
    Ok(tokens)
}

/// The text in the quotes that `chars` begin with, and the length of all; None where they are not closed. A backslash before
/// a quote or a backslash stands for nothing but that the next character is meant as it is.
fn unquote(chars: &[char]) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut i = 1;
    loop {
        match (chars.get(i)?, chars.get(i + 1)) {
            ('"', _) => return Some((name, i + 1)),
            ('\\', Some(c @ ('"' | '\\'))) => {
                name.push(*c);
                i += 2;
            }
            (c, _) => {
                name.push(*c);
                i += 1;
            }
        }
    }
}

/// The operator written in signs at the start of `chars`, and its length.
fn symbol(chars: &[char]) -> Option<(&'static str, usize)> {
    let two: String = chars.iter().take(2).collect();
    match two.as_str() {
        "&&" => return Some(("and", 2)),
        "||" => return Some(("or", 2)),
        "=>" | "->" => return Some(("implies", 2)),
        _ => {}
    }
    match chars.first()? {
        '!' => Some(("not", 1)),
        '(' => Some(("(", 1)),
        ')' => Some((")", 1)),
        _ => None,
    }
}
