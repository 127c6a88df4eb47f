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
    Symbol(&'static str),
}

/// The words that are operators in every kind of text.
pub(super) const WORDS: [&str; 6] = ["and", "or", "not", "implies", "true", "false"];

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

    pub(super) fn advance(&mut self) {
        self.next += 1;
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
            let end = chars[i + 1..].iter().position(|c| *c == '"');
            let end = end.ok_or_else(|| error("this quote is never closed", start))?;
            tokens.push((Token::Quoted(chars[i + 1..i + 1 + end].iter().collect()), start));
            i += end + 2;
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
