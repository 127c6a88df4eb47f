//! Replays a witness on the model, and judges by the claim's definition whether it shows what it is said to show.
//!
//! What is checked, by running the model again and comparing states by `==`:
//! - the stem starts in an initial state, every step is one that the model offers and leads where the trace says, within
//!   the model's boundary; a stutter step stays, and only where the system stutters or nothing can follow;
//! - the loop leads back to the state in which it starts, and is fair;
//! - the infinite word of states (stem, then the loop for ever) violates the claim by its definition, read off the word;
//! - for a trap: every state that can follow the loop is visited, and none of them meets the goal.
//!
//! Cost: the length of the trace times the out-degree; for a trap, the states of the trap, kept in memory.

use super::trace::{Step, Trace};
use crate::model::{Checkable, Fault, guard};
use crate::property::{Claim, Fairness, Kind, StateExpr, Strength, System, Temporal, Verdict};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a trace is said to show.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'a> {
    /// The claim.
    pub claim: &'a Claim,
    /// `violated`, or `holds` for an example of `reachable`.
    pub verdict: Verdict,
    /// How it is violated.
    pub kind: Option<Kind>,
}

/// Why a trace does not show what it is said to show. Steps are counted from 0, the initial state; those of the loop go on
/// after those of the stem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The trace has no state at all.
    #[error("the trace is empty")]
    Empty,
    /// The first state is not initial.
    #[error("its first state is no initial state")]
    NotInitial,
    /// A step is not one that the model offers.
    #[error("step {0} is not offered by the model")]
    NotOffered(usize),
    /// A step leaves the model's boundary.
    #[error("step {0} leaves the model's boundary")]
    OutsideBoundary(usize),
    /// A stutter step where the system may not stutter, or one that changes the state.
    #[error("step {0} stays in a state that may not be stayed in")]
    MayNotStay(usize),
    /// The loop does not lead back.
    #[error("the loop does not lead back to the state in which it starts")]
    NotClosed,
    /// The claim can only be refuted by an infinite path, and there is no loop (or the other way round).
    #[error("the claim and the verdict do not go with {}", if *.0 { "a loop" } else { "a path without a loop" })]
    WrongForm(bool),
    /// The loop breaks a fairness constraint.
    #[error("the loop is not fair to `{0}`")]
    Unfair(String),
    /// The path does not show the verdict.
    #[error("the path does not show that the claim is {0}")]
    ShowsNothing(Verdict),
    /// A trap from which the goal can be reached.
    #[error("it is said to be a trap, but the goal can be reached from it")]
    NoTrap,
    /// The model failed during the replay.
    #[error("the model failed: {0}")]
    Fault(Fault),
}

impl From<Fault> for ReplayError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Replays `trace` on the model of `system` and checks that it shows `finding`.
///
/// # Errors
/// Says what the trace fails to show.
pub fn replay<M: Checkable>(
    system: &System<M>,
    finding: &Finding<'_>,
    trace: &Trace<M>,
) -> Result<(), ReplayError> {
    guard("the replay of a witness", || {
        walk(system, trace)?;
        fair(system, trace)?;
        shows(system, finding, trace)
    })?
}

/// Replays a path that shows a quantity: it starts in an initial state, and every step is one that the model offers,
/// an operator's actions included.
///
/// # Errors
/// Says which step is none.
pub fn retrace<M: Checkable>(system: &System<M>, trace: &Trace<M>) -> Result<(), ReplayError> {
    guard("the replay of a path", || {
        let (first, rest) = trace.stem.split_first().ok_or(ReplayError::Empty)?;
        if !system.model.init_states().contains(&first.state) {
            return Err(ReplayError::NotInitial);
        }
        let mut at = &first.state;
        for (i, step) in rest.iter().enumerate() {
            let mut actions = Vec::new();
            system.model.actions(at, &mut actions);
            let name = format!("{:?}", step.action.as_ref());
            let leads = |a: &M::Action| system.model.next_state(at, a.clone()).as_ref() == Some(&step.state);
            let stays = step.action.is_none() && step.state == *at;
            if !stays && !actions.iter().any(|a| format!("{:?}", Some(a)) == name && leads(a)) {
                return Err(ReplayError::NotOffered(i + 1));
            }
            at = &step.state;
        }
        Ok(())
    })?
}

/// Whether the trace is a path of the model, and its loop closes.
fn walk<M: Checkable>(system: &System<M>, trace: &Trace<M>) -> Result<(), ReplayError> {
    let (first, rest) = trace.stem.split_first().ok_or(ReplayError::Empty)?;
    let initial = system.model.init_states().contains(&first.state);
    if !initial || first.action.is_some() || !system.model.within_boundary(&first.state) {
        return Err(ReplayError::NotInitial);
    }
    let mut at = &first.state;
    for (i, step) in rest.iter().chain(&trace.cycle).enumerate() {
        take(system, at, step, i + 1)?;
        at = &step.state;
    }
    if !trace.cycle.is_empty() && at != trace.joint() {
        return Err(ReplayError::NotClosed);
    }
    Ok(())
}

fn take<M: Checkable>(
    system: &System<M>,
    from: &M::State,
    step: &Step<M>,
    number: usize,
) -> Result<(), ReplayError> {
    let model = &system.model;
    let Some(action) = &step.action else {
        let may_stay = system.stutters || offers(system, from).is_empty();
        return if may_stay && step.state == *from { Ok(()) } else { Err(ReplayError::MayNotStay(number)) };
    };
    // Actions need not be comparable, so an action is known by what it is called and where it leads.
    let name = format!("{action:?}");
    let same =
        offers(system, from).into_iter().any(|(a, next)| next == step.state && format!("{a:?}") == name);
    if !same {
        return Err(ReplayError::NotOffered(number));
    }
    if !model.within_boundary(&step.state) {
        return Err(ReplayError::OutsideBoundary(number));
    }
    Ok(())
}

/// The actions that the model offers in `state` and does not ignore, with where they lead; those of an operator are none, since
/// no claim counts on them.
fn offers<M: Checkable>(system: &System<M>, state: &M::State) -> Vec<(M::Action, M::State)> {
    let mut actions = Vec::new();
    system.model.actions(state, &mut actions);
    actions.retain(|a| system.operator_acts(state, a) == 0);
    let steps = actions.into_iter().filter_map(|a| Some((a.clone(), system.model.next_state(state, a)?)));
    steps.collect()
}

/// Whether the loop satisfies every fairness constraint.
fn fair<M: Checkable>(system: &System<M>, trace: &Trace<M>) -> Result<(), ReplayError> {
    if trace.cycle.is_empty() {
        return Ok(());
    }
    let from = std::iter::once(trace.joint()).chain(trace.cycle.iter().map(|s| &s.state));
    let steps: Vec<(&M::State, &Step<M>)> = from.zip(&trace.cycle).collect();
    for set in &system.fairness {
        let taken = steps.iter().any(|(from, step)| {
            let member = step.action.as_ref().is_some_and(|a| set.contains(&system.model, from, a));
            member && step.state != **from
        });
        let mut enabled = steps.iter().map(|(from, _)| is_enabled(system, set, from));
        let satisfied = match set.strength {
            Strength::Weak => taken || enabled.any(|e| !e),
            Strength::Strong => taken || !enabled.any(|e| e),
        };
        if !satisfied {
            return Err(ReplayError::Unfair(set.name.clone()));
        }
    }
    Ok(())
}

fn is_enabled<M: Checkable>(system: &System<M>, set: &Fairness<M>, state: &M::State) -> bool {
    offers(system, state).iter().any(|(a, next)| next != state && set.contains(&system.model, state, a))
}

/// Whether the word of states shows the finding, by the definition of the claim.
fn shows<M: Checkable>(
    system: &System<M>,
    finding: &Finding<'_>,
    trace: &Trace<M>,
) -> Result<(), ReplayError> {
    let claim = finding.claim;
    let holds = |expr: &StateExpr, step: &Step<M>| system.holds(expr, &step.state);
    // `recovers` is refuted by an infinite path without recovery, or by a finite one that takes too long.
    let too_long = matches!(claim.temporal, Temporal::Recovers { .. }) && finding.kind == Some(Kind::Safety);
    let finite = too_long
        || matches!(
            claim.temporal,
            Temporal::Always(_)
                | Temporal::Reachable(_)
                | Temporal::AtMost { .. }
                | Temporal::Isolated { .. }
        );
    if finite != trace.cycle.is_empty() {
        return Err(ReplayError::WrongForm(!trace.cycle.is_empty()));
    }
    // The word from the first state with the antecedent on. Where the antecedent first holds in the loop, the rest of that
    // turn comes first and then the loop as a whole, so two turns show everything.
    let word: Vec<&Step<M>> = trace.stem.iter().chain(&trace.cycle).chain(&trace.cycle).collect();
    let start = match &claim.after {
        None => Some(0),
        Some(after) => word.iter().position(|step| holds(after, step)),
    };
    let Some(start) = start else { return Err(ReplayError::ShowsNothing(finding.verdict)) };
    let suffix = &word[start..];
    let in_loop = |p: &dyn Fn(&Step<M>) -> bool| trace.cycle.iter().any(p);
    let shown = match (&claim.temporal, finding.verdict) {
        (Temporal::Always(p), Verdict::Violated) => suffix.last().is_some_and(|s| !holds(p, s)),
        (Temporal::Reachable(p), Verdict::Holds) => suffix.last().is_some_and(|s| holds(p, s)),
        (Temporal::Eventually(p), Verdict::Violated) => {
            !suffix.iter().any(|s| holds(p, s)) && !in_loop(&|s| holds(p, s))
        }
        (Temporal::LeadsTo(p, q), Verdict::Violated) => {
            // Some p from which on there is no q: in the rest of the word, or in the loop (which follows any of it).
            let last_q = suffix.iter().rposition(|s| holds(q, s)).map_or(0, |i| i + 1);
            !in_loop(&|s| holds(q, s)) && suffix[last_q..].iter().any(|s| holds(p, s))
        }
        (Temporal::Recurs(p) | Temporal::Recoverable(p), Verdict::Violated) => !in_loop(&|s| holds(p, s)),
        (Temporal::Stabilizes(p), Verdict::Violated) => in_loop(&|s| !holds(p, s)),
        (Temporal::Recovers { goal, within_ticks }, Verdict::Violated) if too_long => {
            suffix.iter().rposition(|s| !holds(goal, s)).is_some_and(|i| i as u64 >= *within_ticks)
        }
        (Temporal::Recovers { goal, .. }, Verdict::Violated) => in_loop(&|s| !holds(goal, s)),
        (Temporal::AtMost { measure, max }, Verdict::Violated) => {
            suffix.last().is_some_and(|s| value(system, measure, &s.state) > Some(*max))
        }
        (Temporal::Isolated { measure, from }, Verdict::Violated) => {
            let values = suffix.iter().map(|s| value(system, measure, &s.state));
            system
                .behaving
                .iter()
                .any(|(name, variant)| name == from && !can_show(variant, measure, values.clone()))
        }
        (Temporal::Ltl(formula), Verdict::Violated) => {
            // Where the antecedent first holds in the loop, the suffix starts within its first turn.
            let prefix = suffix.len() - trace.cycle.len();
            !formula.holds_on(prefix, trace.cycle.len(), &|name, i| holds(&StateExpr::atom(name), suffix[i]))
        }
        _ => false,
    };
    if !shown {
        return Err(ReplayError::ShowsNothing(finding.verdict));
    }
    let escapes = |goal: &StateExpr| goal_follows(system, goal, trace.joint());
    if finding.kind == Some(Kind::Trap) && claim.temporal.goal().is_none_or(escapes) {
        return Err(ReplayError::NoTrap);
    }
    // Only a trap refutes `recoverable`.
    if matches!(claim.temporal, Temporal::Recoverable(_)) && finding.kind != Some(Kind::Trap) {
        return Err(ReplayError::ShowsNothing(finding.verdict));
    }
    Ok(())
}

/// The value of the measure `name` in `state`.
fn value<M: Checkable>(system: &System<M>, name: &str, state: &M::State) -> Option<i64> {
    let measure = system.measures.iter().find(|m| m.name == name)?;
    Some(measure.value(&system.model, state))
}

/// Whether some path of `system` shows these values of the measure, one a state: all paths that do so far are followed at once.
fn can_show<M: Checkable>(
    system: &System<M>,
    measure: &str,
    values: impl Iterator<Item = Option<i64>>,
) -> bool {
    let mut states: Option<Vec<M::State>> = None;
    for wanted in values {
        let candidates = match &states {
            None => system.model.init_states(),
            Some(states) => states.iter().flat_map(|s| followers(system, s)).collect(),
        };
        let mut next: Vec<M::State> = Vec::new();
        for state in candidates {
            if value(system, measure, &state) == wanted && !next.contains(&state) {
                next.push(state);
            }
        }
        states = Some(next);
    }
    states.is_none_or(|states| !states.is_empty())
}

/// The states in which a path can be one step after `state`.
fn followers<M: Checkable>(system: &System<M>, state: &M::State) -> Vec<M::State> {
    let mut next: Vec<M::State> = offers(system, state).into_iter().map(|(_, next)| next).collect();
    if system.stutters || next.is_empty() {
        next.push(state.clone());
    }
    next
}

/// Whether a state that meets `goal` can follow `from`, or something that the boundary hides.
fn goal_follows<M: Checkable>(system: &System<M>, goal: &StateExpr, from: &M::State) -> bool {
    let hash = |state: &M::State| {
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        hasher.finish()
    };
    let mut seen: HashMap<u64, Vec<M::State>> = HashMap::new();
    let mut queue = vec![from.clone()];
    seen.entry(hash(from)).or_default().push(from.clone());
    while let Some(state) = queue.pop() {
        if system.holds(goal, &state) {
            return true;
        }
        for (_, next) in offers(system, &state) {
            if !system.model.within_boundary(&next) {
                return true;
            }
            let bucket = seen.entry(hash(&next)).or_default();
            if !bucket.contains(&next) {
                bucket.push(next.clone());
                queue.push(next);
            }
        }
    }
    false
}
