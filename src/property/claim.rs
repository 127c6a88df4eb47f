//! Claims: what is to hold over all behaviours.

use super::expr::StateExpr;
use super::ltl::Ltl;
use super::token::{CLAIM_WORDS, ExprError, is_word, quoted};
use std::fmt;

/// The temporal form of a claim, over state expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Temporal {
    /// `always p`: p in every reachable state.
    Always(StateExpr),
    /// `reachable p`: p in some reachable state.
    Reachable(StateExpr),
    /// `eventually p`: every fair path meets p.
    Eventually(StateExpr),
    /// `p leads_to q`: on every fair path, each p is followed (at once or later) by q.
    LeadsTo(StateExpr, StateExpr),
    /// `recurs p`: every fair path meets p again and again.
    Recurs(StateExpr),
    /// `stabilizes p`: on every fair path, p for ever from some state on.
    Stabilizes(StateExpr),
    /// `recoverable p`: from every reachable state, some path reaches p.
    Recoverable(StateExpr),
    /// `recovers p within n ticks`: on every path, p for ever from at most n ticks later on.
    Recovers {
        /// What counts as recovered.
        goal: StateExpr,
        /// The most ticks (steps of the model) until p holds for good.
        within_ticks: u64,
    },
    /// `bounded m`: the measure, which must be declared as a counter, does not grow without bound.
    Bounded(String),
    /// `m at_most n`: the measure is at most n in every reachable state.
    AtMost {
        /// The measure.
        measure: String,
        /// Its largest allowed value, in the measure's unit.
        max: i64,
    },
    /// `isolated a from b`: what the measure a can come to, over time, does not depend on what b does.
    Isolated {
        /// The measure of the one to be protected.
        measure: String,
        /// The name of the other, for which the system has a variant in which it behaves.
        from: String,
    },
    /// `ltl "..."`: the formula holds on every fair path.
    Ltl(Ltl),
}

/// A claim: a temporal form, an optional antecedent, and a name for reports.
///
/// With `after a`, the claim is about what follows the first state in which `a` holds, that state included; paths that
/// never meet `a` say nothing about it, and if no path meets `a` the claim is vacuous.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// A name for reports and specs; [`Claim::text`] where none was given.
    pub name: String,
    /// What is claimed.
    pub temporal: Temporal,
    /// The antecedent of recovery, usually "the triggers are over".
    pub after: Option<StateExpr>,
}

/// A claim that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError {
    /// Its state expression does not parse.
    #[error("{0}")]
    Expr(#[from] ExprError),
}

/// A claim under construction: text is parsed when the claim joins a [`System`](super::System), so that building one
/// cannot fail half way.
#[derive(Clone, Debug)]
pub struct Draft {
    name: Option<String>,
    form: Form,
    after: Option<String>,
}

#[derive(Clone, Debug)]
enum Form {
    One(fn(StateExpr) -> Temporal, String),
    LeadsTo(String, String),
    Recovers(String, u64),
    Ltl(String),
    Ready(Temporal),
}

impl Draft {
    fn new(form: Form) -> Self {
        Self { name: None, form, after: None }
    }

    /// The antecedent: what follows the first state in which `atom` (any state expression) holds.
    #[must_use]
    pub fn after(mut self, atom: &str) -> Self {
        self.after = Some(atom.to_owned());
        self
    }

    /// The name shown in reports, and used by specs to refer to the claim.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Parses the expressions.
    ///
    /// # Errors
    /// Where one does not parse.
    pub fn build(self) -> Result<Claim, ClaimError> {
        let temporal = match self.form {
            Form::One(form, p) => form(StateExpr::parse(&p)?),
            Form::LeadsTo(p, q) => Temporal::LeadsTo(StateExpr::parse(&p)?, StateExpr::parse(&q)?),
            Form::Recovers(p, within_ticks) => {
                Temporal::Recovers { goal: StateExpr::parse(&p)?, within_ticks }
            }
            Form::Ltl(text) => Temporal::Ltl(Ltl::parse(&text)?),
            Form::Ready(temporal) => temporal,
        };
        let after = self.after.as_deref().map(StateExpr::parse).transpose()?;
        Ok(Claim::new(self.name, temporal, after))
    }
}

impl Claim {
    /// A claim from its parts; without a name it is named by its text.
    pub fn new(name: Option<String>, temporal: Temporal, after: Option<StateExpr>) -> Self {
        let mut claim = Self { name: String::new(), temporal, after };
        claim.name = name.unwrap_or_else(|| claim.text());
        claim
    }

    /// The claim in the fixed claim words, for example `stabilizes valid after repaired`.
    pub fn text(&self) -> String {
        let mut text = self.temporal.to_string();
        if let Some(after) = &self.after {
            text.push_str(&format!(" after {after}"));
        }
        text
    }

    /// The names of all atoms the claim refers to.
    pub fn atoms(&self) -> Vec<&str> {
        let mut names = match &self.temporal {
            Temporal::LeadsTo(p, q) => [p.atoms(), q.atoms()].concat(),
            Temporal::Always(p)
            | Temporal::Reachable(p)
            | Temporal::Eventually(p)
            | Temporal::Recurs(p)
            | Temporal::Stabilizes(p)
            | Temporal::Recoverable(p)
            | Temporal::Recovers { goal: p, .. } => p.atoms(),
            Temporal::Ltl(formula) => formula.atoms(),
            Temporal::Bounded(_) | Temporal::AtMost { .. } | Temporal::Isolated { .. } => Vec::new(),
        };
        if let Some(after) = &self.after {
            names.extend(after.atoms());
        }
        names
    }

    /// The measure that the claim is about, if it is about one.
    pub fn measure(&self) -> Option<&str> {
        match &self.temporal {
            Temporal::Bounded(measure)
            | Temporal::AtMost { measure, .. }
            | Temporal::Isolated { measure, .. } => Some(measure),
            _ => None,
        }
    }
}

impl Temporal {
    /// What counts as healthy for this claim: the state expression that is to be met, if it has one.
    pub fn goal(&self) -> Option<&StateExpr> {
        match self {
            Self::Always(p)
            | Self::Reachable(p)
            | Self::Eventually(p)
            | Self::LeadsTo(_, p)
            | Self::Recurs(p)
            | Self::Stabilizes(p)
            | Self::Recoverable(p)
            | Self::Recovers { goal: p, .. } => Some(p),
            Self::Bounded(_) | Self::AtMost { .. } | Self::Isolated { .. } | Self::Ltl(_) => None,
        }
    }
}

impl fmt::Display for Temporal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always(p) => write!(f, "always {p}"),
            Self::Reachable(p) => write!(f, "reachable {p}"),
            Self::Eventually(p) => write!(f, "eventually {p}"),
            Self::LeadsTo(p, q) => write!(f, "{p} leads_to {q}"),
            Self::Recurs(p) => write!(f, "recurs {p}"),
            Self::Stabilizes(p) => write!(f, "stabilizes {p}"),
            Self::Recoverable(p) => write!(f, "recoverable {p}"),
            Self::Recovers { goal, within_ticks } => write!(f, "recovers {goal} within {within_ticks} ticks"),
            Self::Bounded(measure) => write!(f, "bounded {}", Name(measure)),
            Self::AtMost { measure, max } => write!(f, "{} at_most {max}", Name(measure)),
            Self::Isolated { measure, from } => write!(f, "isolated {} from {}", Name(measure), Name(from)),
            Self::Ltl(formula) => write!(f, "ltl {}", quoted(&formula.to_string())),
        }
    }
}

/// `always p`: p in every reachable state.
pub fn always(p: &str) -> Draft {
    Draft::new(Form::One(Temporal::Always, p.to_owned()))
}

/// `reachable p`: p in some reachable state.
pub fn reachable(p: &str) -> Draft {
    Draft::new(Form::One(Temporal::Reachable, p.to_owned()))
}

/// `eventually p`: every fair path meets p.
pub fn eventually(p: &str) -> Draft {
    Draft::new(Form::One(Temporal::Eventually, p.to_owned()))
}

/// `recurs p`: every fair path meets p again and again.
pub fn recurs(p: &str) -> Draft {
    Draft::new(Form::One(Temporal::Recurs, p.to_owned()))
}

/// `stabilizes p`: on every fair path, p for ever from some state on.
pub fn stabilizes(p: &str) -> Draft {
    Draft::new(Form::One(Temporal::Stabilizes, p.to_owned()))
}

/// `recoverable p`: from every reachable state, some path reaches p. Fairness plays no part.
pub fn recoverable(p: &str) -> Draft {
    Draft::new(Form::One(Temporal::Recoverable, p.to_owned()))
}

/// `p leads_to q`: on every fair path, each p is followed (at once or later) by q.
pub fn leads_to(p: &str, q: &str) -> Draft {
    Draft::new(Form::LeadsTo(p.to_owned(), q.to_owned()))
}

/// `recovers p within n ticks`: on every path, p holds for ever from at most n ticks (steps of the model) later on, counted
/// from the first state with the antecedent, or from the initial state.
pub fn recovers(p: &str, within_ticks: u64) -> Draft {
    Draft::new(Form::Recovers(p.to_owned(), within_ticks))
}

/// `bounded m`: the measure, declared with [`System::counter`](super::System::counter), does not grow without bound.
pub fn bounded(measure: &str) -> Draft {
    Draft::new(Form::Ready(Temporal::Bounded(measure.to_owned())))
}

/// `m at_most n`: the measure is at most n, in its unit, in every reachable state.
pub fn at_most(measure: &str, max: i64) -> Draft {
    Draft::new(Form::Ready(Temporal::AtMost { measure: measure.to_owned(), max }))
}

/// `isolated a from b`: what the measure a can come to does not depend on what b does. The system must have a variant in
/// which b behaves: [`System::behaving`](super::System::behaving).
pub fn isolated(measure: &str, from: &str) -> Draft {
    Draft::new(Form::Ready(Temporal::Isolated { measure: measure.to_owned(), from: from.to_owned() }))
}

/// `ltl "..."`: the formula (see [`Ltl`]) holds on every fair path.
pub fn ltl(formula: &str) -> Draft {
    Draft::new(Form::Ltl(formula.to_owned()))
}

/// A name as it stands in a claim: in double quotes where it is no plain word.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_word(self.0, &CLAIM_WORDS) { f.write_str(self.0) } else { f.write_str(&quoted(self.0)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_reads_in_the_fixed_words() {
        let claim = stabilizes("valid").after("repaired and not busy").build().unwrap();
        assert_eq!(claim.text(), "stabilizes valid after repaired and not busy");
        assert_eq!(claim.name, claim.text());
        assert_eq!(claim.atoms(), ["valid", "repaired", "busy"]);
        let claim = leads_to("p", "q or r").named("answered").build().unwrap();
        assert_eq!((claim.name.as_str(), claim.text().as_str()), ("answered", "p leads_to q or r"));
    }

    #[test]
    fn a_claim_whose_expression_does_not_parse_is_an_error() {
        assert!(always("p and").build().is_err());
        assert!(always("p").after("(").build().is_err());
    }
}
