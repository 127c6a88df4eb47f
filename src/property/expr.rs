//! Boolean expressions over atoms: what a claim says about one state.
//!
//! Grammar, loosest first: `a implies b` (right associative), `a or b`, `a and b`, `not a`, `(a)`, `true`, `false`, a name, or a
//! name in double quotes where it is no plain word (`\"` and `\\` stand for a quote and a backslash in it). `&&`, `||`, `!`, `=>` and `->` are accepted for the words.

use super::token::{CLAIM_WORDS, ExprError, Token, Tokens, is_word, quoted};
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

impl StateExpr {
    /// Parses `text`.
    ///
    /// # Errors
    /// Says what was expected, and where.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        let mut tokens = Tokens::new(text, &[])?;
        let expr = implication(&mut tokens)?;
        match tokens.peek() {
            None => Ok(expr),
            Some(_) => Err(tokens.error("expected `and`, `or`, `implies`, or the end")),
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
            Self::Atom(name) if is_word(name, &CLAIM_WORDS) => f.write_str(name)?,
            Self::Atom(name) => f.write_str(&quoted(name))?,
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

/// An expression, as far as it goes: what follows is left to the caller.
pub(super) fn implication(tokens: &mut Tokens<'_>) -> Result<StateExpr, ExprError> {
    let left = disjunction(tokens)?;
    if !tokens.take("implies") {
        return Ok(left);
    }
    let right = implication(tokens)?;
    Ok(StateExpr::Or(Box::new(left.negated()), Box::new(right)))
}

fn disjunction(tokens: &mut Tokens<'_>) -> Result<StateExpr, ExprError> {
    let mut left = conjunction(tokens)?;
    while tokens.take("or") {
        left = StateExpr::Or(Box::new(left), Box::new(conjunction(tokens)?));
    }
    Ok(left)
}

fn conjunction(tokens: &mut Tokens<'_>) -> Result<StateExpr, ExprError> {
    let mut left = factor(tokens)?;
    while tokens.take("and") {
        left = StateExpr::And(Box::new(left), Box::new(factor(tokens)?));
    }
    Ok(left)
}

fn factor(tokens: &mut Tokens<'_>) -> Result<StateExpr, ExprError> {
    if tokens.take("not") {
        return Ok(factor(tokens)?.negated());
    }
    if tokens.take("(") {
        let inner = implication(tokens)?;
        return if tokens.take(")") { Ok(inner) } else { Err(tokens.error("expected `)`")) };
    }
    let expr = match tokens.peek() {
        Some(Token::Name(name) | Token::Quoted(name)) => StateExpr::Atom(name.clone()),
        Some(Token::Symbol("true")) => StateExpr::Const(true),
        Some(Token::Symbol("false")) => StateExpr::Const(false),
        _ => return Err(tokens.error("expected the name of an atom, `not`, or `(`")),
    };
    tokens.advance();
    Ok(expr)
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
