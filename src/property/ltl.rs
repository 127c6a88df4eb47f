//! Linear-time formulas over atoms.
//!
//! Grammar, loosest first: `a implies b` (right associative), `a or b`, `a and b`, `a U b` | `a W b` | `a R b` (right associative),
//! `not a` | `G a` | `F a` | `X a`, `(a)`, `true`, `false`, a name, or a name in double quotes. `&&`, `||`, `!`, `=>` and `->` are
//! accepted for the words.
//!
//! | operator | meaning, of a path from now on |
//! | --- | --- |
//! | `X a` | a in the next state |
//! | `F a` | a now or at some time later |
//! | `G a` | a now and always later |
//! | `a U b` | b now or later, and a until then |
//! | `a W b` | the same, or a for ever |
//! | `a R b` | b up to and including the first state with a; for ever if there is none |
//!
//! Formulas are kept in negation normal form, which is what the translation to automata wants.

use super::token::{ExprError, Token, Tokens, is_word};
use std::fmt;

/// A formula in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ltl {
    /// `true` or `false`.
    Const(bool),
    /// An atom, or its negation (second field false).
    Literal(String, bool),
    /// `a and b`
    And(Box<Self>, Box<Self>),
    /// `a or b`
    Or(Box<Self>, Box<Self>),
    /// `X a`
    Next(Box<Self>),
    /// `a U b`
    Until(Box<Self>, Box<Self>),
    /// `a R b`
    Release(Box<Self>, Box<Self>),
}

const OPERATORS: [&str; 6] = ["G", "F", "X", "U", "W", "R"];

impl Ltl {
    /// Parses `text`.
    ///
    /// # Errors
    /// Says what was expected, and where.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        let mut tokens = Tokens::new(text, &OPERATORS)?;
        let formula = implication(&mut tokens)?;
        match tokens.peek() {
            None => Ok(formula),
            Some(_) => Err(tokens.error("expected `and`, `or`, `implies`, `U`, `W`, `R`, or the end")),
        }
    }

    /// The atom of this name.
    pub fn atom(name: impl Into<String>) -> Self {
        Self::Literal(name.into(), true)
    }

    /// `a and b`
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::And(Box::new(self), Box::new(other))
    }

    /// `a or b`
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::Or(Box::new(self), Box::new(other))
    }

    /// `X a`
    #[must_use]
    pub fn next(self) -> Self {
        Self::Next(Box::new(self))
    }

    /// `a U b`
    #[must_use]
    pub fn until(self, other: Self) -> Self {
        Self::Until(Box::new(self), Box::new(other))
    }

    /// `a R b`
    #[must_use]
    pub fn release(self, other: Self) -> Self {
        Self::Release(Box::new(self), Box::new(other))
    }

    /// `a W b`, which is `b R (a or b)`.
    #[must_use]
    pub fn weak_until(self, other: Self) -> Self {
        other.clone().release(self.or(other))
    }

    /// `F a`, which is `true U a`.
    #[must_use]
    pub fn finally(self) -> Self {
        Self::Const(true).until(self)
    }

    /// `G a`, which is `false R a`.
    #[must_use]
    pub fn globally(self) -> Self {
        Self::Const(false).release(self)
    }

    /// The negation.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Const(b) => Self::Const(!b),
            Self::Literal(name, positive) => Self::Literal(name, !positive),
            Self::And(a, b) => a.negated().or(b.negated()),
            Self::Or(a, b) => a.negated().and(b.negated()),
            Self::Next(a) => a.negated().next(),
            Self::Until(a, b) => a.negated().release(b.negated()),
            Self::Release(a, b) => a.negated().until(b.negated()),
        }
    }

    /// The names of all atoms, in order of appearance.
    pub fn atoms(&self) -> Vec<&str> {
        match self {
            Self::Const(_) => Vec::new(),
            Self::Literal(name, _) => vec![name],
            Self::Next(a) => a.atoms(),
            Self::And(a, b) | Self::Or(a, b) | Self::Until(a, b) | Self::Release(a, b) => {
                [a.atoms(), b.atoms()].concat()
            }
        }
    }

    /// The number of operators and literals.
    pub fn size(&self) -> usize {
        match self {
            Self::Const(_) | Self::Literal(..) => 1,
            Self::Next(a) => 1 + a.size(),
            Self::And(a, b) | Self::Or(a, b) | Self::Until(a, b) | Self::Release(a, b) => {
                1 + a.size() + b.size()
            }
        }
    }

    /// Whether the infinite word `prefix`, then `cycle` for ever, satisfies the formula; `atom(name, i)` is the value of an atom
    /// at position `i`, counted through the prefix and then the cycle.
    ///
    /// By the definition of each operator: the values over the finitely many positions are the least (`U`) or greatest (`R`)
    /// solution of the operator's expansion law. Shares nothing with the translation to automata.
    ///
    /// # Panics
    /// If the cycle is empty: a finite word has no value.
    pub fn holds_on(&self, prefix: usize, cycle: usize, atom: &impl Fn(&str, usize) -> bool) -> bool {
        assert!(cycle > 0, "an infinite word needs a cycle");
        self.values(prefix, prefix + cycle, atom)[0]
    }

    fn values(&self, joint: usize, end: usize, atom: &impl Fn(&str, usize) -> bool) -> Vec<bool> {
        let after = |i: usize| if i + 1 < end { i + 1 } else { joint };
        let of = |a: &Self| a.values(joint, end, atom);
        // A fixed point over the positions: going backwards twice settles every position, since the cycle is met twice.
        let solve = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
            let mut values = vec![start; end];
            for _ in 0..2 {
                for i in (0..end).rev() {
                    values[i] = step(i, values[after(i)]);
                }
            }
            values
        };
        match self {
            Self::Const(b) => vec![*b; end],
            Self::Literal(name, positive) => (0..end).map(|i| atom(name, i) == *positive).collect(),
            Self::And(a, b) => of(a).into_iter().zip(of(b)).map(|(a, b)| a && b).collect(),
            Self::Or(a, b) => of(a).into_iter().zip(of(b)).map(|(a, b)| a || b).collect(),
            Self::Next(a) => {
                let a = of(a);
                (0..end).map(|i| a[after(i)]).collect()
            }
            Self::Until(a, b) => {
                let (a, b) = (of(a), of(b));
                solve(false, &|i, next| b[i] || (a[i] && next))
            }
            Self::Release(a, b) => {
                let (a, b) = (of(a), of(b));
                solve(true, &|i, next| b[i] && (a[i] || next))
            }
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, level: u8) -> fmt::Result {
        let (own, sign) = match self {
            Self::Or(..) => (0, " or "),
            Self::And(..) => (1, " and "),
            Self::Until(a, _) if **a == Self::Const(true) => (3, "F "),
            Self::Release(a, _) if **a == Self::Const(false) => (3, "G "),
            Self::Until(..) => (2, " U "),
            Self::Release(..) => (2, " R "),
            Self::Next(_) => (3, "X "),
            Self::Const(_) | Self::Literal(..) => (4, ""),
        };
        if own < level {
            f.write_str("(")?;
        }
        match self {
            Self::Const(b) => write!(f, "{b}")?,
            Self::Literal(name, positive) => {
                f.write_str(if *positive { "" } else { "not " })?;
                if is_word(name, &OPERATORS) { f.write_str(name)? } else { write!(f, "\"{name}\"")? }
            }
            Self::Next(a) => {
                f.write_str(sign)?;
                a.write(f, 3)?;
            }
            Self::Until(_, b) | Self::Release(_, b) if own == 3 => {
                f.write_str(sign)?;
                b.write(f, 3)?;
            }
            Self::Until(a, b) | Self::Release(a, b) => {
                a.write(f, 3)?;
                f.write_str(sign)?;
                b.write(f, 2)?;
            }
            Self::And(a, b) | Self::Or(a, b) => {
                a.write(f, own)?;
                f.write_str(sign)?;
                b.write(f, own + 1)?;
            }
        }
        if own < level {
            f.write_str(")")?;
        }
        Ok(())
    }
}

impl fmt::Display for Ltl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

fn implication(tokens: &mut Tokens<'_>) -> Result<Ltl, ExprError> {
    let left = disjunction(tokens)?;
    if !tokens.take("implies") {
        return Ok(left);
    }
    Ok(left.negated().or(implication(tokens)?))
}

fn disjunction(tokens: &mut Tokens<'_>) -> Result<Ltl, ExprError> {
    let mut left = conjunction(tokens)?;
    while tokens.take("or") {
        left = left.or(conjunction(tokens)?);
    }
    Ok(left)
}

fn conjunction(tokens: &mut Tokens<'_>) -> Result<Ltl, ExprError> {
    let mut left = binary(tokens)?;
    while tokens.take("and") {
        left = left.and(binary(tokens)?);
    }
    Ok(left)
}

fn binary(tokens: &mut Tokens<'_>) -> Result<Ltl, ExprError> {
    let left = unary(tokens)?;
    let joined = [("U", Ltl::until as fn(Ltl, Ltl) -> Ltl), ("W", Ltl::weak_until), ("R", Ltl::release)];
    for (operator, join) in joined {
        if tokens.take(operator) {
            return Ok(join(left, binary(tokens)?));
        }
    }
    Ok(left)
}

fn unary(tokens: &mut Tokens<'_>) -> Result<Ltl, ExprError> {
    let prefixes = [
        ("not", Ltl::negated as fn(Ltl) -> Ltl),
        ("G", Ltl::globally),
        ("F", Ltl::finally),
        ("X", Ltl::next),
    ];
    for (operator, apply) in prefixes {
        if tokens.take(operator) {
            return Ok(apply(unary(tokens)?));
        }
    }
    if tokens.take("(") {
        let inner = implication(tokens)?;
        return if tokens.take(")") { Ok(inner) } else { Err(tokens.error("expected `)`")) };
    }
    let formula = match tokens.peek() {
        Some(Token::Name(name) | Token::Quoted(name)) => Ltl::atom(name.clone()),
        Some(Token::Symbol("true")) => Ltl::Const(true),
        Some(Token::Symbol("false")) => Ltl::Const(false),
        _ => return Err(tokens.error("expected the name of an atom, `not`, `G`, `F`, `X`, or `(`")),
    };
    tokens.advance();
    Ok(formula)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        Ltl::parse(text).unwrap().to_string()
    }

    #[test]
    fn formulas_bind_as_documented_and_parse_back() {
        for (text, expected) in [
            ("G (p implies F q)", "G (not p or F q)"),
            ("G F p and F G q", "G F p and F G q"),
            ("a U b U c", "a U b U c"),
            ("(a U b) U c", "(a U b) U c"),
            ("not (a U b)", "not a R not b"),
            ("a W b", "b R (a or b)"),
            ("not X p", "X not p"),
            ("a and b or c", "a and b or c"),
            ("a and (b or \"G\")", "a and (b or \"G\")"),
            ("p -> q => r", "not p or (not q or r)"),
        ] {
            assert_eq!(shown(text), expected);
            assert_eq!(Ltl::parse(&shown(text)).unwrap(), Ltl::parse(expected).unwrap(), "{text}");
        }
    }

    #[test]
    fn an_error_has_a_caret_at_its_place() {
        let error = Ltl::parse("G (p implies )").unwrap_err();
        assert_eq!(error.to_string().lines().last().unwrap().len(), 2 + "G (p implies ".len() + 1);
        for wrong in ["", "G", "p U", "p q", "(p", "p U U q", "p & q", "G p)"] {
            assert!(Ltl::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn operators_mean_what_they_are_defined_to_mean() {
        // p holds at positions 0, 1; q at 3; the word is 0 1 (2 3)*
        let holds = |text: &str| {
            Ltl::parse(text).unwrap().holds_on(2, 2, &|name, i| match name {
                "p" => i < 2,
                _ => i == 3,
            })
        };
        for yes in [
            "p",
            "X p",
            "F q",
            "G F q",
            "p U not p",
            "G (q implies X not q)",
            "F G not p",
            "p W q or true",
            "q R (p or not p)",
        ] {
            assert!(holds(yes), "{yes}");
        }
        for no in ["q", "G p", "X X p", "p U q", "F G q", "p W q", "G q", "false", "F (p and q)"] {
            assert!(!holds(no), "{no}");
        }
    }
}
