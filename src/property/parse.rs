//! Claims as text: `stabilizes valid after repaired`.
//!
//! Grammar, over the [state expressions](super::StateExpr) `p`, `q` and `a`:
//!
//! | claim | |
//! | --- | --- |
//! | `always p`, `reachable p`, `eventually p`, `recurs p`, `stabilizes p`, `recoverable p` | |
//! | `p leads_to q` | |
//! | `recovers p within n ticks` | n is a whole number, 0 or more; `1 tick` is accepted |
//! | `bounded m`, `m at_most n` | m is the name of a measure, n a whole number |
//! | `isolated m from b` | m is the name of a measure, b of whoever is to behave |
//! | `ltl "f"` | f is a [formula](super::Ltl); quotes in it are written `\"` |
//!
//! Each may be followed by `after a`. A name that is no plain word, or that is a claim word, goes in double quotes; a claim
//! word without quotes is a name only where no claim word can stand.

use super::claim::{Claim, Temporal};
use super::expr::{StateExpr, implication};
use super::ltl::Ltl;
use super::token::{CLAIM_WORDS, ExprError, Token, Tokens};

type Build = fn(StateExpr) -> Temporal;

/// The claims that are a word and an expression.
const OF_ONE: [(&str, Build); 6] = [
    ("always", Temporal::Always),
    ("reachable", Temporal::Reachable),
    ("eventually", Temporal::Eventually),
    ("recurs", Temporal::Recurs),
    ("stabilizes", Temporal::Stabilizes),
    ("recoverable", Temporal::Recoverable),
];

const BEGINNINGS: &str = "a claim is `always p`, `reachable p`, `eventually p`, `recurs p`, `stabilizes p`, `recoverable p`, \
                          `p leads_to q`, `recovers p within n ticks`, `bounded m`, `m at_most n`, `isolated m from b`, \
                          or `ltl \"..\"`";

const REST: &str = "expected `after`, or the end";
const REST_OF_EXPR: &str = "expected `and`, `or`, `implies`, `after`, or the end";

impl Claim {
    /// Parses a claim in the fixed claim words. [`Claim::text`] is its inverse; the claim is named by that text.
    ///
    /// # Errors
    /// Says what was expected, and where.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        let mut tokens = Tokens::new(text, &[])?;
        let (temporal, rest) = temporal(&mut tokens)?;
        if tokens.peek().is_none() {
            return Ok(Self::new(None, temporal, None));
        }
        if !tokens.take_word("after") {
            return Err(tokens.error(rest));
        }
        let after = implication(&mut tokens)?;
        match tokens.peek() {
            None => Ok(Self::new(None, temporal, Some(after))),
            Some(_) => Err(tokens.error("expected `and`, `or`, `implies`, or the end")),
        }
    }
}

/// The temporal form, and what is missing where it is followed by anything but `after`.
fn temporal(tokens: &mut Tokens<'_>) -> Result<(Temporal, &'static str), ExprError> {
    for (word, build) in OF_ONE {
        if tokens.take_word(word) {
            return Ok((build(implication(tokens)?), REST_OF_EXPR));
        }
    }
    if tokens.take_word("recovers") {
        return Ok((recovers(tokens)?, REST));
    }
    if tokens.take_word("bounded") {
        return Ok((Temporal::Bounded(name(tokens, "measure")?), REST));
    }
    if tokens.take_word("isolated") {
        let measure = name(tokens, "measure")?;
        if !tokens.take_word("from") {
            return Err(tokens.error("expected `from`, and who is to behave"));
        }
        return Ok((Temporal::Isolated { measure, from: name(tokens, "one to be isolated from")? }, REST));
    }
    if tokens.take_word("ltl") {
        return Ok((formula(tokens)?, REST));
    }
    infix(tokens)
}

/// `p within n ticks`
fn recovers(tokens: &mut Tokens<'_>) -> Result<Temporal, ExprError> {
    let goal = implication(tokens)?;
    if !tokens.take_word("within") {
        return Err(tokens.error("expected `and`, `or`, `implies`, or `within` and a number of ticks"));
    }
    let within_ticks = number(tokens, "a number of ticks, 0 or more")?;
    if tokens.take_word("ticks") || within_ticks == 1 && tokens.take_word("tick") {
        Ok(Temporal::Recovers { goal, within_ticks })
    } else {
        Err(tokens.error("expected `ticks`"))
    }
}

/// `"..."`
fn formula(tokens: &mut Tokens<'_>) -> Result<Temporal, ExprError> {
    let Some(Token::Quoted(text)) = tokens.peek() else {
        return Err(tokens.error("expected the formula in double quotes"));
    };
    let formula = Ltl::parse(text).map_err(|error| tokens.error_within(&error))?;
    tokens.advance();
    Ok(Temporal::Ltl(formula))
}

/// `p leads_to q`, or `m at_most n`.
fn infix(tokens: &mut Tokens<'_>) -> Result<(Temporal, &'static str), ExprError> {
    let (first, second) = (tokens.peek(), tokens.peek_second());
    let Some(first) = first else { return Err(tokens.error(BEGINNINGS)) };
    let measure = match (first, second) {
        (Token::Name(name) | Token::Quoted(name), Some(Token::Name(word))) if word == "at_most" => {
            Some(name.clone())
        }
        // Two names in a row are neither an expression nor a claim of these two forms.
        (Token::Name(word), Some(Token::Name(next))) if next != "leads_to" => {
            return Err(tokens.error(&format!("`{word}` is no claim word: {BEGINNINGS}")));
        }
        (Token::Name(word), None) => {
            return Err(tokens.error(&format!("`{word}` alone is no claim: {BEGINNINGS}")));
        }
        _ => None,
    };
    if let Some(measure) = measure {
        tokens.advance();
        tokens.advance();
        let max = number(tokens, "a whole number")?;
        return Ok((Temporal::AtMost { measure, max }, REST));
    }
    let p = implication(tokens)?;
    if !tokens.take_word("leads_to") {
        return Err(tokens.error(&format!("expected `and`, `or`, `implies`, or `leads_to`; {BEGINNINGS}")));
    }
    Ok((Temporal::LeadsTo(p, implication(tokens)?), REST_OF_EXPR))
}

/// The name of something that is no atom.
fn name(tokens: &mut Tokens<'_>, sort: &str) -> Result<String, ExprError> {
    let name = match tokens.peek() {
        Some(Token::Name(name)) if !CLAIM_WORDS.contains(&name.as_str()) => name.clone(),
        Some(Token::Quoted(name)) => name.clone(),
        _ => return Err(tokens.error(&format!("expected the name of the {sort}"))),
    };
    tokens.advance();
    Ok(name)
}

/// A number that its type has room for.
fn number<T: std::str::FromStr>(tokens: &mut Tokens<'_>, what: &str) -> Result<T, ExprError> {
    let number = match tokens.peek() {
        Some(Token::Number(digits)) => digits.parse().ok(),
        _ => None,
    };
    let number = number.ok_or_else(|| tokens.error(&format!("expected {what}")))?;
    tokens.advance();
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::super::{
        Draft, always, at_most, bounded, eventually, isolated, leads_to, ltl, reachable, recoverable,
        recovers, recurs, stabilizes,
    };
    use super::*;

    #[test]
    fn every_form_parses_and_its_text_parses_back() {
        let cases: [(&str, Draft); 17] = [
            ("always p", always("p")),
            ("reachable not p", reachable("not p")),
            ("eventually p or q", eventually("p or q")),
            ("p leads_to q", leads_to("p", "q")),
            ("recurs p", recurs("p")),
            ("stabilizes p", stabilizes("p")),
            ("recoverable p", recoverable("p")),
            ("recovers p within 4 ticks", recovers("p", 4)),
            ("bounded m", bounded("m")),
            ("m at_most 3", at_most("m", 3)),
            ("m at_most -3", at_most("m", -3)),
            ("isolated m from b", isolated("m", "b")),
            ("ltl \"G F p\"", ltl("G F p")),
            ("always (p)and(q)", always("p and q")),
            ("recovers p and q within 0 ticks", recovers("p and q", 0)),
            ("(p implies q) leads_to p && !q", leads_to("p implies q", "p and not q")),
            ("recovers p within 1 tick", recovers("p", 1)),
        ];
        for (text, draft) in cases {
            for after in [None, Some("a"), Some("a and not \"b c\"")] {
                let (text, draft) = match after {
                    None => (text.to_owned(), draft.clone()),
                    Some(after) => (format!("{text} after {after}"), draft.clone().after(after)),
                };
                let claim = Claim::parse(&text).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(claim, draft.build().unwrap());
                assert_eq!(Claim::parse(&claim.text()).unwrap(), claim);
            }
        }
    }

    /// Names that need quotes, some of them badly.
    const NAMES: [&str; 14] = [
        "two words",
        "5xx",
        "after",
        "always",
        "within",
        "from",
        "at_most",
        "not",
        "G",
        "a\"b",
        "back\\slash",
        "\\\"",
        "",
        "-3",
    ];

    #[test]
    fn any_name_is_written_so_that_it_reads_back() {
        for name in NAMES {
            let p = || StateExpr::atom(name);
            let name = || name.to_owned();
            let both = || StateExpr::And(Box::new(p()), Box::new(p().negated()));
            let mut temporals: Vec<Temporal> = OF_ONE.iter().map(|(_, build)| build(both())).collect();
            temporals.extend([
                Temporal::LeadsTo(p(), both()),
                Temporal::Recovers { goal: p(), within_ticks: u64::MAX },
                Temporal::Bounded(name()),
                Temporal::AtMost { measure: name(), max: i64::MIN },
                Temporal::Isolated { measure: name(), from: name() },
                Temporal::Ltl(Ltl::atom(name()).until(Ltl::atom("x")).globally()),
            ]);
            for temporal in temporals {
                for after in [None, Some(p())] {
                    let claim = Claim::new(None, temporal.clone(), after);
                    let parsed = Claim::parse(&claim.text()).unwrap_or_else(|error| panic!("{error}"));
                    assert_eq!(parsed, claim);
                }
            }
        }
    }

    #[test]
    fn a_claim_word_is_a_name_where_no_claim_word_can_stand() {
        assert_eq!(
            Claim::parse("always after after after").unwrap().text(),
            "always \"after\" after \"after\""
        );
        assert_eq!(Claim::parse("p leads_to leads_to").unwrap().text(), "p leads_to \"leads_to\"");
    }

    fn error(text: &str) -> (usize, String) {
        let error = Claim::parse(text).unwrap_err();
        (error.column, error.reason)
    }

    #[test]
    fn an_error_says_what_was_expected_and_where() {
        for (text, column, reason) in [
            ("", 1, "a claim is `always p`"),
            ("alway p", 1, "`alway` is no claim word"),
            ("p", 1, "`p` alone is no claim"),
            ("p and q", 8, "or `leads_to`"),
            ("always", 7, "name of an atom"),
            ("always p q", 10, "`after`, or the end"),
            ("always p after", 15, "name of an atom"),
            ("always p after a b", 18, "or the end"),
            ("p leads_to", 11, "name of an atom"),
            ("recovers p", 11, "`within`"),
            ("recovers p within -1 ticks", 19, "0 or more"),
            ("recovers p within 4", 20, "`ticks`"),
            ("recovers p within 4 tick", 21, "`ticks`"),
            ("m at_most", 10, "a whole number"),
            ("m at_most 99999999999999999999", 11, "a whole number"),
            ("m at_most 3 4", 13, "`after`, or the end"),
            ("isolated m", 11, "`from`"),
            ("isolated from b", 10, "name of the measure"),
            ("bounded (m)", 9, "name of the measure"),
            ("ltl G p", 5, "in double quotes"),
            ("ltl \"G\" p", 7, "name of an atom"),
            ("ltl \"G (p\"", 10, "expected `)`"),
            ("ltl \"\\\"a b\\\" c\"", 14, "expected `and`"),
            ("always 5", 8, "name of an atom"),
            ("always \"p", 8, "never closed"),
        ] {
            let (at, why) = error(text);
            assert!(why.contains(reason), "{text}: {why}");
            assert_eq!(at, column, "{text}: {why}");
        }
        let shown = Claim::parse("recovers p within soon").unwrap_err().to_string();
        assert!(shown.ends_with("\n  recovers p within soon\n                    ^"), "{shown}");
    }
}
