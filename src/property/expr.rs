//! Boolean expressions over atoms: what a claim says about one state.
//!
//! Grammar, loosest first: `a implies b` (right associative), `a or b`, `a and b`, `not a`, `(a)`, `true`, `false`, a name, or a
//! name in double quotes where it is no plain word. `&&`, `||`, `!`, `=>` and `->` are accepted for the words.

use std::fmt;

/// A boolean expression over atoms, by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StateExpr {
    /// `true` or `false`.
    Const(bool),
    /// The atom of this name.
    Atom(String),
    /// `not p`
    Not(Box<Self>),
    /// `p and q`
    And(Box<Self>, Box<Self>),
    /// `p or q`
    Or(Box<Self>, Box<Self>),
}

/// A state expression that does not parse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}\n  {text}\n  {caret:>width$}", caret = "^", width = .column)]
pub struct ExprError {
    /// What is wrong and what was expected.
    pub reason: String,
    /// The whole text.
    pub text: String,
    /// Where, counted in characters from 1.
    pub column: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    Quoted(String),
    Symbol(&'static str),
}

const WORDS: [&str; 6] = ["and", "or", "not", "implies", "true", "false"];

impl StateExpr {
    /// Parses `text`.
    ///
    /// # Errors
    /// Says what was expected, and where.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        let tokens = tokens(text)?;
        let mut parser = Parser { text, tokens: &tokens, next: 0 };
        let expr = parser.implication()?;
        match parser.peek() {
            None => Ok(expr),
            Some(_) => Err(parser.error("expected `and`, `or`, `implies`, or the end")),
        }
    }

    /// An atom that is named exactly `name`, whatever characters it has.
    pub fn atom(name: impl Into<String>) -> Self {
        Self::Atom(name.into())
    }

    /// The negation, without doubling a `not`.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            Self::Const(b) => Self::Const(!b),
            other => Self::Not(Box::new(other)),
        }
    }

    /// The value where `atom` gives the values of the atoms.
    pub fn eval(&self, atom: &impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Const(b) => *b,
            Self::Atom(name) => atom(name),
            Self::Not(p) => !p.eval(atom),
            Self::And(p, q) => p.eval(atom) && q.eval(atom),
            Self::Or(p, q) => p.eval(atom) || q.eval(atom),
        }
    }

    /// The names of all atoms, in order of appearance.
    pub fn atoms(&self) -> Vec<&str> {
        match self {
            Self::Const(_) => Vec::new(),
            Self::Atom(name) => vec![name],
            Self::Not(p) => p.atoms(),
            Self::And(p, q) | Self::Or(p, q) => {
                let mut names = p.atoms();
                names.extend(q.atoms());
                names
            }
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, level: u8) -> fmt::Result {
        let own = match self {
            Self::Or(..) => 0,
            Self::And(..) => 1,
            _ => 2,
        };
        if own < level {
            f.write_str("(")?;
        }
        match self {
            Self::Const(b) => write!(f, "{b}")?,
            Self::Atom(name) if is_word(name) => f.write_str(name)?,
            Self::Atom(name) => write!(f, "\"{name}\"")?,
            Self::Not(p) => {
                f.write_str("not ")?;
                p.write(f, 2)?;
            }
            Self::And(p, q) => {
                p.write(f, 1)?;
                f.write_str(" and ")?;
                q.write(f, 2)?;
            }
            Self::Or(p, q) => {
                p.write(f, 0)?;
                f.write_str(" or ")?;
                q.write(f, 1)?;
            }
        }
        if own < level {
            f.write_str(")")?;
        }
        Ok(())
    }
}

impl fmt::Display for StateExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

fn is_word(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
        && !WORDS.contains(&name)
}

fn tokens(text: &str) -> Result<Vec<(Token, usize)>, ExprError> {
    let chars: Vec<char> = text.chars().collect();
    let error =
        |reason: &str, at: usize| ExprError { reason: reason.into(), text: text.into(), column: at + 1 };
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let start = i;
        let c = chars[i];
        let two: String = chars[i..chars.len().min(i + 2)].iter().collect();
        let symbol = match two.as_str() {
            "&&" => Some(("and", 2)),
            "||" => Some(("or", 2)),
            "=>" | "->" => Some(("implies", 2)),
            _ => match c {
                '!' => Some(("not", 1)),
                '(' => Some(("(", 1)),
                ')' => Some((")", 1)),
                _ => None,
            },
        };
        if let Some((symbol, length)) = symbol {
            tokens.push((Token::Symbol(symbol), start));
            i += length;
        } else if c.is_whitespace() {
            i += 1;
        } else if c == '"' {
            let end = chars[i + 1..]
                .iter()
                .position(|c| *c == '"')
                .ok_or_else(|| error("this quote is never closed", start))?;
            tokens.push((Token::Quoted(chars[i + 1..i + 1 + end].iter().collect()), start));
            i += end + 2;
        } else if c.is_alphabetic() || c == '_' {
            while i < chars.len() && (chars[i].is_alphanumeric() || chars[i] == '_') {
                i += 1;
            }
            let word: String = chars[start..i].iter().collect();
            let token = match WORDS.iter().find(|w| **w == word) {
                Some(w) => Token::Symbol(w),
                None => Token::Name(word),
            };
            tokens.push((token, start));
        } else {
            return Err(error(
                "expected the name of an atom, `not`, or `(` (a name that is no plain word goes in double quotes)",
                start,
            ));
        }
    }
    Ok(tokens)
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [(Token, usize)],
    next: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Symbol(s)) if *s == symbol);
        self.next += usize::from(found);
        found
    }

    fn error(&self, reason: &str) -> ExprError {
        let column = self.tokens.get(self.next).map_or(self.text.chars().count(), |(_, at)| *at) + 1;
        ExprError { reason: reason.into(), text: self.text.into(), column }
    }

    fn implication(&mut self) -> Result<StateExpr, ExprError> {
        let left = self.disjunction()?;
        if !self.take("implies") {
            return Ok(left);
        }
        let right = self.implication()?;
        Ok(StateExpr::Or(Box::new(left.negated()), Box::new(right)))
    }

    fn disjunction(&mut self) -> Result<StateExpr, ExprError> {
        let mut left = self.conjunction()?;
        while self.take("or") {
            left = StateExpr::Or(Box::new(left), Box::new(self.conjunction()?));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<StateExpr, ExprError> {
        let mut left = self.factor()?;
        while self.take("and") {
            left = StateExpr::And(Box::new(left), Box::new(self.factor()?));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<StateExpr, ExprError> {
        if self.take("not") {
            return Ok(self.factor()?.negated());
        }
        if self.take("(") {
            let inner = self.implication()?;
            return if self.take(")") { Ok(inner) } else { Err(self.error("expected `)`")) };
        }
        let expr = match self.peek() {
            Some(Token::Name(name) | Token::Quoted(name)) => StateExpr::Atom(name.clone()),
            Some(Token::Symbol("true")) => StateExpr::Const(true),
            Some(Token::Symbol("false")) => StateExpr::Const(false),
            _ => return Err(self.error("expected the name of an atom, `not`, or `(`")),
        };
        self.next += 1;
        Ok(expr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_parses_back_to_the_same() {
        for text in [
            "a",
            "not a",
            "a and b or c",
            "(a or b) and not c",
            "a implies b implies c",
            "\"two words\" and !x || true",
            "not (a and b)",
        ] {
            let expr = StateExpr::parse(text).unwrap();
            assert_eq!(StateExpr::parse(&expr.to_string()).unwrap(), expr, "{text} -> {expr}");
        }
        assert_eq!(StateExpr::parse("a -> b").unwrap().to_string(), "not a or b");
    }

    #[test]
    fn precedence_is_not_and_or_implies() {
        let value = |text: &str, a: bool, b: bool, c: bool| {
            StateExpr::parse(text).unwrap().eval(&|n| match n {
                "a" => a,
                "b" => b,
                _ => c,
            })
        };
        for bits in 0..8 {
            let (a, b, c) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
            assert_eq!(value("a or b and not c", a, b, c), a || (b && !c));
            assert_eq!(value("a implies b implies c", a, b, c), !a || (!b || c));
        }
    }

    #[test]
    fn an_error_points_at_the_place() {
        let error = StateExpr::parse("a and").unwrap_err();
        assert_eq!(error.column, 6);
        let text = StateExpr::parse("a & b").unwrap_err().to_string();
        assert!(text.contains("  a & b\n    ^"), "{text}");
        assert!(StateExpr::parse("(a").unwrap_err().reason.contains("`)`"));
        assert!(StateExpr::parse("\"a").unwrap_err().reason.contains("never closed"));
        assert!(StateExpr::parse("").is_err());
        assert!(StateExpr::parse("a b").is_err());
    }
}
