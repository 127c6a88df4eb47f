//! Certificates: why a claim holds, as plain data, and code that verifies it by running the model again.
//!
//! A counterexample can be replayed; a proof cannot, unless it is written down. A [`Certificate`] is what the decision
//! procedures found out when they said `holds`, in a form that is verified edge by edge without searching for anything:
//!
//! | claim | why it holds |
//! | --- | --- |
//! | `always p`, `m at_most n` | the reachable states themselves are the invariant: none of them is a counterexample |
//! | `reachable p` | a path |
//! | `eventually p`, `p leads_to q`, `recurs p`, `stabilizes p` | rankings of the states in which a counterexample could go on for ever |
//! | `ltl f` | the same, of the product with an automaton of its own (`formula.rs`) |
//! | `recoverable p` | for each state, a distance to p that some step shortens |
//! | `recovers p within n ticks` | for each state, the ticks left, which every step lessens |
//! | `bounded m` | there are so many states and no more, and the largest value in them |
//! | `isolated m from b` | which states of the variant show, step by step, what the system shows (`inclusion.rs`) |
//!
//! [`verify`] believes nothing that it is told. It explores the model itself, in its own few lines, numbers the states breadth
//! first in the order of the actions, and computes itself which states the claim is about, which of them are healthy, which
//! action sets are enabled and taken. Data that does not belong to the model is refused, whatever is wrong with it. A model that
//! its boundary cuts has no certificates, and a claim that tests nothing has none either. What the verification still shares
//! with the search: the model, the atoms, `==`, and the parser of claims.
//!
//! A formula with more than [`OPERATORS_MAX`] temporal operators has no certificate: the verification's own product tries every
//! combination of one bit for each operator (`formula.rs`), which is what makes it a few lines that can be believed. A translation
//! that stays small for large formulas would be as involved as the one that it is to verify.
//!
//! Whoever makes a certificate may use what is here (for `ltl` the product, so that its states have the same numbers), never the
//! other way round.
//!
//! Cost of verifying: for each claim one more exploration on one thread, without limits and without a search for faults of the model. Memory: the states; 4 bytes an edge and about
//! 50 bytes a state; with fairness 16 bytes more for each edge and state; for `ltl` the edges of the product again. Size of the
//! certificate: a number for each state that a counterexample could visit for ever (for `recoverable` and `recovers`: each state
//! after the antecedent; `ltl`: each state of the product), in JSON 2 to 11 bytes each, and a line for each component with a cycle;
//! for `isolated` a number for each pair, and the members of each set, and to verify it the variant is explored as well.

mod explore;
mod formula;
mod graph;
mod inclusion;
mod ranking;
mod scope;

pub use formula::OPERATORS_MAX;
pub(crate) use formula::product;
pub(crate) use graph::Graph;
pub use inclusion::Inclusion;

use crate::model::{Checkable, Fault, guard};
use crate::property::{Claim, StateExpr, System, Temporal};
use explore::{Whole, explore, walk};
use inclusion::{Valued, included};
use ranking::never_stayed_in;
use scope::{Scope, count, members};
use serde::{Deserialize, Serialize};

/// Why one claim holds of one model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The claim's text, as [`Claim::text`] gives it.
    pub claim: String,
    /// The number of reachable states (for a path: the states on it).
    pub states: u64,
    /// The number of edges between them (for a path: its steps).
    pub edges: u64,
    /// Why the claim holds.
    pub proof: Proof,
}

/// The form of a proof. States are numbered breadth first, from the initial ones on, in the order of the model's actions;
/// a list with one number for each state of some set is in ascending order of the states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Proof {
    /// No reachable state is a counterexample.
    Invariant,
    /// The initial state in which a path starts, and which of the steps that lead somewhere it takes in each state.
    Path {
        /// Counted from 0 among the different initial states.
        start: u32,
        /// Counted from 0 in each state.
        steps: Vec<u32>,
    },
    /// No fair path stays where the claim forbids it. The first ranking is of all states where a counterexample could go on;
    /// each further one belongs to the reason that refers to it.
    Rankings(Vec<Ranking>),
    /// For each state that the claim covers: 0 if it meets the goal, otherwise more than some successor has.
    Distances(Vec<u32>),
    /// For each state that the claim covers: the most ticks until the goal is met for good.
    Countdown(Vec<u64>),
    /// The model has an end, and this is the measure's largest value in the states that the claim covers.
    Peak(i64),
    /// Whatever the system shows, the variant can show.
    Inclusion(Inclusion),
}

/// An order of some states in which no step between them goes up, so that every path that stays among them ends up within one
/// rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ranking {
    /// The rank of each of the states.
    pub order: Vec<u32>,
    /// Why no fair path stays in a rank for ever. A rank without a reason has no step within it.
    pub reasons: Vec<Reason>,
}

/// Why no fair path that would be a counterexample stays in the states of one rank for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// The rank.
    pub rank: u32,
    /// Why it cannot be stayed in.
    pub why: Why,
}

/// Why a set of states cannot be stayed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Why {
    /// The weakly fair set of this name is enabled in each of its states, and no step within it takes the set.
    Weak(String),
    /// No step within it takes any of these strongly fair sets, so a fair path keeps away from the states that enable one of
    /// them, and the others have a ranking of their own.
    Strong {
        /// The names of the sets.
        sets: Vec<String>,
        /// The number of the ranking of the states that enable none of them; larger than that of the ranking that says so.
        rest: usize,
    },
    /// None of its states is in this set, each of which a counterexample must visit again and again: for `stabilizes p` set 0, the
    /// states without p; for `ltl` the acceptance sets.
    Unvisited(usize),
}

/// What a verification looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// States.
    pub states: u64,
    /// Edges.
    pub edges: u64,
}

/// Why a certificate does not show that its claim holds. States are counted as [`Proof`] says (for `ltl`: states of the product).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// It is for another claim.
    #[error("it is for the claim `{made_for}`, not for `{claim}`")]
    OtherClaim {
        /// The claim it is for.
        made_for: String,
        /// The claim to be certified.
        claim: String,
    },
    /// Its proof has the wrong form.
    #[error("a proof of this form cannot show a claim of this form")]
    WrongForm,
    /// The model has other states or edges than the certificate says.
    #[error("it is for a model of {states} states and {edges} edges, and this model has others")]
    OtherModel {
        /// The states that it is for.
        states: u64,
        /// The edges.
        edges: u64,
    },
    /// The boundary cuts off something, so not all behaviours are known.
    #[error("the model's boundary cuts off a state, so nothing can be certified")]
    Boundary,
    /// The claim tests nothing.
    #[error("what the claim is about is never reached, so nothing is tested")]
    Vacuous,
    /// A state refutes the claim.
    #[error("state {0} refutes the claim")]
    Refuted(u32),
    /// The path is none, or does not show the claim.
    #[error("the path is none of the model, or does not show the claim")]
    Path,
    /// A list of numbers is too short or too long.
    #[error("ranking {ranking} has {found} numbers and should have {expected}")]
    Length {
        /// The ranking; 0 where there is only one list.
        ranking: usize,
        /// The numbers it has.
        found: usize,
        /// One for each state.
        expected: usize,
    },
    /// A ranking that a reason refers to is missing, or used twice, or never.
    #[error("ranking {0} is missing, or is not referred to exactly once, by a ranking before it")]
    Rankings(usize),
    /// A step goes up, or does not go down where it must.
    #[error("the step from state {from} to state {to} does not lead down")]
    Step {
        /// Where the step starts.
        from: u32,
        /// Where it leads.
        to: u32,
    },
    /// A state can be stayed in and has no reason against it.
    #[error("state {0} can be stayed in, and no reason is given against it")]
    Stays(u32),
    /// A state from which no step leads nearer to the goal, or that is nearer than it can be.
    #[error("state {0} has a wrong number")]
    Number(u32),
    /// A reason is not true.
    #[error("the reason against rank {rank} of ranking {ranking} is not true")]
    Untrue {
        /// The ranking.
        ranking: usize,
        /// The rank.
        rank: u32,
    },
    /// The largest value of the measure is another one.
    #[error("the largest value of the measure is not {0}")]
    Peak(i64),
    /// A set of the variant's states is empty, not in ascending order, or names states that there are not.
    #[error("set {0} is none of states of the variant")]
    Set(u32),
    /// An initial state is paired with no set of initial states.
    #[error("the initial state {0} is paired with no set of initial states of the variant")]
    Unpaired(u32),
    /// A state is paired with a set that shows another value, or some step of the state cannot be followed from it.
    #[error("state {state} is paired with set {set}, which shows another value or cannot follow some step")]
    Pair {
        /// The state of the system.
        state: u32,
        /// The set of the variant's states.
        set: u32,
    },
    /// The formula has too many temporal operators for the verification's own translation.
    #[error("the formula has {0} temporal operators; at most {max} can be certified", max = OPERATORS_MAX)]
    TooLarge(usize),
    /// The model failed.
    #[error("the model failed: {0}")]
    Fault(#[from] Fault),
}

/// Runs the model again and verifies that the certificate shows `claim` to hold of it.
///
/// # Errors
/// Says what the certificate fails to show.
pub fn verify<M: Checkable>(
    system: &System<M>,
    claim: &Claim,
    certificate: &Certificate,
) -> Result<Verified, CertificateError> {
    if certificate.claim != claim.text() {
        let made_for = certificate.claim.clone();
        return Err(CertificateError::OtherClaim { made_for, claim: claim.text() });
    }
    guard("the verification of a certificate", || judge(system, claim, certificate))?
}

fn judge<M: Checkable>(
    system: &System<M>,
    claim: &Claim,
    certificate: &Certificate,
) -> Result<Verified, CertificateError> {
    let Certificate { states, edges, proof, .. } = certificate;
    let verified = Verified { states: *states, edges: *edges };
    if let (Temporal::Reachable(goal), Proof::Path { start, steps }) = (&claim.temporal, proof) {
        let path = walk(system, *start, steps).ok_or(CertificateError::Path)?;
        let meets = |expr: &StateExpr, state: &M::State| system.holds(expr, state);
        let covered = claim.after.as_ref().is_none_or(|after| path.iter().any(|s| meets(after, s)));
        let shown = covered && path.last().is_some_and(|s| meets(goal, s));
        let counted = (path.len() as u64, steps.len() as u64) == (*states, *edges);
        return if shown && counted { Ok(verified) } else { Err(CertificateError::Path) };
    }
    let other = CertificateError::OtherModel { states: *states, edges: *edges };
    let Whole { graph, states: found } = explore(system, *states)?.ok_or_else(|| other.clone())?;
    if (u64::from(graph.size()), graph.edge_count()) != (*states, *edges) {
        return Err(other);
    }
    let with = |expr: &StateExpr| -> Vec<bool> { found.iter().map(|s| system.holds(expr, s)).collect() };
    let scope = Scope::new(&graph, claim.after.as_ref().map(with).as_deref());
    if count(&scope.covered) == 0 {
        return Err(CertificateError::Vacuous);
    }
    let stayed = |region: &[bool], visits: &[Vec<bool>], rankings: &[Ranking]| {
        never_stayed_in(&graph, &system.fairness, visits, members(region), rankings)
    };
    let value = |measure: &str| -> Result<Vec<i64>, CertificateError> { values(system, measure, &found) };
    match (&claim.temporal, proof) {
        (Temporal::Always(p), Proof::Invariant) => scope.all_covered(&with(p))?,
        (Temporal::AtMost { measure, max }, Proof::Invariant) => {
            scope.all_covered(&value(measure)?.iter().map(|value| value <= max).collect::<Vec<_>>())?;
        }
        (Temporal::Bounded(measure), Proof::Peak(peak)) => {
            let values = value(measure)?;
            let largest = members(&scope.covered).into_iter().map(|s| values[s as usize]).max();
            if largest != Some(*peak) {
                return Err(CertificateError::Peak(*peak));
            }
        }
        (Temporal::Isolated { measure, from }, Proof::Inclusion(inclusion)) if claim.after.is_none() => {
            let variant = system.variant(from, measure).ok_or(CertificateError::WrongForm)?.0;
            let variant = self::variant(variant, measure, inclusion)?;
            let values = value(measure)?;
            included(&Valued { graph, values }, &variant, inclusion)?;
        }
        (Temporal::Eventually(p), Proof::Rankings(rankings)) => {
            stayed(&scope.without(&graph, &scope.first, &with(p)), &[], rankings)?;
        }
        (Temporal::LeadsTo(p, q), Proof::Rankings(rankings)) => {
            let asked = scope::both(&scope.covered, &with(p));
            if count(&asked) == 0 {
                return Err(CertificateError::Vacuous);
            }
            stayed(&scope.without(&graph, &asked, &with(q)), &[], rankings)?;
        }
        (Temporal::Recurs(p), Proof::Rankings(rankings)) => {
            stayed(&scope::both(&scope.covered, &scope::not(&with(p))), &[], rankings)?;
        }
        (Temporal::Stabilizes(p), Proof::Rankings(rankings)) => {
            stayed(&scope.covered, &[scope::not(&with(p))], rankings)?;
        }
        (Temporal::Recoverable(p), Proof::Distances(distances)) => {
            scope.comes_nearer(&graph, &with(p), distances)?;
        }
        (Temporal::Recovers { goal, within_ticks }, Proof::Countdown(ticks)) => {
            scope.counts_down(&graph, &with(goal), *within_ticks, ticks)?;
        }
        (Temporal::Ltl(formula), Proof::Rankings(rankings)) => {
            let holds = |name: &str| with(&StateExpr::atom(name));
            let product = product(&graph, &scope.first, formula, &holds)?;
            let all = vec![true; product.graph.size() as usize];
            never_stayed_in(&product.graph, &system.fairness, &product.visits, members(&all), rankings)?;
        }
        _ => return Err(CertificateError::WrongForm),
    }
    Ok(verified)
}

/// The value of the measure in each of the states.
fn values<M: Checkable>(
    system: &System<M>,
    measure: &str,
    states: &[M::State],
) -> Result<Vec<i64>, CertificateError> {
    let measure = system.measures.iter().find(|m| m.name == *measure).ok_or(CertificateError::WrongForm)?;
    Ok(states.iter().map(|s| measure.value(&system.model, s)).collect())
}

/// The whole of the variant, if it is the one that the certificate is for.
fn variant<M: Checkable>(
    variant: &System<M>,
    measure: &str,
    inclusion: &Inclusion,
) -> Result<Valued, CertificateError> {
    let (states, edges) = (inclusion.variant_states, inclusion.variant_edges);
    let other = CertificateError::OtherModel { states, edges };
    let Whole { graph, states: found } = explore(variant, states)?.ok_or_else(|| other.clone())?;
    if (u64::from(graph.size()), graph.edge_count()) != (states, edges) {
        return Err(other);
    }
    let values = values(variant, measure, &found)?;
    Ok(Valued { graph, values })
}
