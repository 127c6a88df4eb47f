//! Claims: what is to hold over all behaviours.

use super::expr::{ExprError, StateExpr};
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
    form: fn(StateExpr, StateExpr) -> Temporal,
    texts: Vec<String>,
    after: Option<String>,
}

impl Draft {
    fn new(form: fn(StateExpr, StateExpr) -> Temporal, texts: &[&str]) -> Self {
        Self { name: None, form, texts: texts.iter().map(|t| (*t).to_owned()).collect(), after: None }
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
        let mut exprs = Vec::new();
        for text in &self.texts {
            exprs.push(StateExpr::parse(text)?);
        }
        let last = exprs.pop().unwrap_or(StateExpr::Const(true));
        let first = exprs.pop().unwrap_or(StateExpr::Const(true));
        let after = self.after.as_deref().map(StateExpr::parse).transpose()?;
        Ok(Claim::new(self.name, (self.form)(first, last), after))
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
            | Temporal::Recoverable(p) => p.atoms(),
        };
        if let Some(after) = &self.after {
            names.extend(after.atoms());
        }
        names
    }
}

impl Temporal {
    /// What counts as healthy for this claim: the state expression that is to be met.
    pub fn goal(&self) -> &StateExpr {
        match self {
            Self::Always(p)
            | Self::Reachable(p)
            | Self::Eventually(p)
            | Self::LeadsTo(_, p)
            | Self::Recurs(p)
            | Self::Stabilizes(p)
            | Self::Recoverable(p) => p,
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
        }
    }
}

/// `always p`: p in every reachable state.
pub fn always(p: &str) -> Draft {
    Draft::new(|_, p| Temporal::Always(p), &[p])
}

/// `reachable p`: p in some reachable state.
pub fn reachable(p: &str) -> Draft {
    Draft::new(|_, p| Temporal::Reachable(p), &[p])
}

/// `eventually p`: every fair path meets p.
pub fn eventually(p: &str) -> Draft {
    Draft::new(|_, p| Temporal::Eventually(p), &[p])
}

/// `p leads_to q`: on every fair path, each p is followed (at once or later) by q.
pub fn leads_to(p: &str, q: &str) -> Draft {
    Draft::new(Temporal::LeadsTo, &[p, q])
}

/// `recurs p`: every fair path meets p again and again.
pub fn recurs(p: &str) -> Draft {
    Draft::new(|_, p| Temporal::Recurs(p), &[p])
}

/// `stabilizes p`: on every fair path, p for ever from some state on.
pub fn stabilizes(p: &str) -> Draft {
    Draft::new(|_, p| Temporal::Stabilizes(p), &[p])
}

/// `recoverable p`: from every reachable state, some path reaches p. Fairness plays no part.
pub fn recoverable(p: &str) -> Draft {
    Draft::new(|_, p| Temporal::Recoverable(p), &[p])
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
