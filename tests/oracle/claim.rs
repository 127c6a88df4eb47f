//! Claims over an explicit graph, with expressions of their own, and how far along a path is in refuting one.

use super::graph::{Graph, Set, contains};
use std::fmt;

/// A boolean expression over atoms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Const(bool),
    /// The atom of this number.
    Atom(usize),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Implies(Box<Self>, Box<Self>),
}

/// The temporal form of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    Always,
    Reachable,
    Eventually,
    LeadsTo,
    Recurs,
    Stabilizes,
    Recoverable,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 7] = [
        Self::Always,
        Self::Reachable,
        Self::Eventually,
        Self::LeadsTo,
        Self::Recurs,
        Self::Stabilizes,
        Self::Recoverable,
    ];
}

/// A claim; `q` is used by `leads_to` only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub form: Form,
    pub p: Expr,
    pub q: Expr,
    pub after: Option<Expr>,
}

/// How far along a path is in refuting a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The antecedent has not been met yet.
    Before,
    /// The claim is about this state.
    Covered,
    /// `p leads_to q`: p was met, and q has not been since.
    Pending,
}

impl Expr {
    /// The states in which it holds.
    pub fn states(&self, graph: &Graph) -> Set {
        let all = graph.all();
        match self {
            Self::Const(true) => all,
            Self::Const(false) => 0,
            Self::Atom(i) => graph.atoms[*i] & all,
            Self::Not(p) => all & !p.states(graph),
            Self::And(p, q) => p.states(graph) & q.states(graph),
            Self::Or(p, q) => p.states(graph) | q.states(graph),
            Self::Implies(p, q) => all & !p.states(graph) | q.states(graph),
        }
    }
}

/// As aftercalm's claims are written, with every pair of brackets.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Const(value) => write!(f, "{value}"),
            Self::Atom(i) => write!(f, "a{i}"),
            Self::Not(p) => write!(f, "(not {p})"),
            Self::And(p, q) => write!(f, "({p} and {q})"),
            Self::Or(p, q) => write!(f, "({p} or {q})"),
            Self::Implies(p, q) => write!(f, "({p} implies {q})"),
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.form {
            Form::Always => write!(f, "always {}", self.p)?,
            Form::Reachable => write!(f, "reachable {}", self.p)?,
            Form::Eventually => write!(f, "eventually {}", self.p)?,
            Form::LeadsTo => write!(f, "{} leads_to {}", self.p, self.q)?,
            Form::Recurs => write!(f, "recurs {}", self.p)?,
            Form::Stabilizes => write!(f, "stabilizes {}", self.p)?,
            Form::Recoverable => write!(f, "recoverable {}", self.p)?,
        }
        match &self.after {
            Some(after) => write!(f, " after {after}"),
            None => Ok(()),
        }
    }
}

impl Claim {
    /// What counts as healthy.
    pub fn goal(&self) -> &Expr {
        if self.form == Form::LeadsTo { &self.q } else { &self.p }
    }

    /// The stage in which the path that refutes the claim goes on for ever.
    pub fn last_stage(&self) -> Stage {
        if self.form == Form::LeadsTo { Stage::Pending } else { Stage::Covered }
    }

    /// The stages in which a path can be in `state`, if it was in stage `before` one state earlier (None: it starts here).
    /// Empty where the path cannot refute the claim any more.
    pub fn stages(&self, graph: &Graph, before: Option<Stage>, state: usize) -> Vec<Stage> {
        let holds = |expr: &Expr| contains(expr.states(graph), state);
        let covered = match before {
            Some(Stage::Covered | Stage::Pending) => true,
            Some(Stage::Before) | None => self.after.as_ref().is_none_or(holds),
        };
        if !covered {
            return vec![Stage::Before];
        }
        let pending = (before == Some(Stage::Pending) || holds(&self.p)) && !holds(&self.q);
        match self.form {
            Form::Eventually if holds(&self.p) => Vec::new(),
            Form::LeadsTo if pending => vec![Stage::Covered, Stage::Pending],
            _ => vec![Stage::Covered],
        }
    }
}
