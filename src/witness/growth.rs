//! Growth: whether a loop that adds to a counter can be taken again and again.
//!
//! The control part of a state is what is left of it when all declared counters are erased. A self-covering path leads from a
//! state to one with the same control part, in which no counter is smaller and the one in question is larger (Karp and Miller
//! 1969). In a Petri net that alone proves unboundedness; in a program it does not, since what the loop does may depend on
//! the counters: a reset, a test for zero, a threshold. So the loop is taken again, [`ROUNDS`] times more and until it has
//! made [`STEPS`] steps: step by step through the same control parts, each round adding as much as the first one did.
//!
//! What is proven: the measure reaches its first value plus the gain of all those rounds. That it goes on for ever is proven where
//! the model does not look at the size of its counters beyond that; a threshold farther out than the replay reaches cannot be
//! excluded, which is why the report says how often the loop was taken.
//!
//! Cost: [`STEPS`] (or [`ROUNDS`] × length of the loop) × [`CANDIDATES_MAX`] × out-degree.

use super::replay::{ReplayError, offers};
use super::trace::{Step, Trace};
use crate::model::Checkable;
use crate::property::System;

/// How often a loop is taken again at least.
pub const ROUNDS: u32 = 100;

/// A loop is taken again until it has made so many steps, so that a cap farther out than [`ROUNDS`] is met as well.
pub const STEPS: usize = 20_000;

/// How many states are followed at the same time where several have the wanted control part.
pub const CANDIDATES_MAX: usize = 64;

/// The state with all its counters erased.
pub fn control<M: Checkable>(system: &System<M>, state: &M::State) -> M::State {
    let mut state = state.clone();
    for counter in &system.counters {
        counter.erase(&system.model, &mut state);
    }
    state
}

/// The values of all counters.
pub fn counters<M: Checkable>(system: &System<M>, state: &M::State) -> Vec<i64> {
    system.counters.iter().map(|c| system.measures[c.measure].value(&system.model, state)).collect()
}

/// Whether no counter of `after` is smaller than in `before`.
pub fn covers(after: &[i64], before: &[i64]) -> bool {
    after.iter().zip(before).all(|(a, b)| a >= b)
}

/// The states to which the loop of the trace leads from `from`, step by step through the same control parts: along the same
/// actions, and where `other_actions`, after those along others.
pub fn round<M: Checkable>(
    system: &System<M>,
    cycle: &[Step<M>],
    from: &M::State,
    other_actions: bool,
) -> Vec<M::State> {
    let mut states = vec![from.clone()];
    for step in cycle {
        let wanted = control(system, &step.state);
        let name = format!("{:?}", step.action);
        let (mut same, mut other): (Vec<M::State>, Vec<M::State>) = (Vec::new(), Vec::new());
        for (action, next) in states.iter().flat_map(|state| offers(system, state)) {
            if same.contains(&next) || other.contains(&next) || control(system, &next) != wanted {
                continue;
            }
            if format!("{:?}", Some(action)) == name {
                same.push(next);
            } else if other_actions {
                other.push(next);
            }
        }
        same.append(&mut other);
        same.truncate(CANDIDATES_MAX);
        states = same;
    }
    states
}

/// Checks that the loop of the trace adds to the measure and can be taken again and again; gives the gain a loop, and how often it
/// was taken again.
///
/// # Errors
/// Says what the loop fails to do.
pub fn pumps<M: Checkable>(
    system: &System<M>,
    measure: usize,
    trace: &Trace<M>,
) -> Result<(i64, u32), ReplayError> {
    let value = |state: &M::State| system.measures[measure].value(&system.model, state);
    let first = trace.joint();
    let last = &trace.cycle.last().ok_or(ReplayError::WrongForm(false))?.state;
    let gain = value(last) - value(first);
    let covered = covers(&counters(system, last), &counters(system, first));
    if gain <= 0 || !covered || control(system, first) != control(system, last) {
        return Err(ReplayError::NoGrowth(0));
    }
    let mut states = vec![last.clone()];
    let rounds = ROUNDS.max((STEPS / trace.cycle.len()) as u32);
    for number in 1..=rounds {
        let mut next: Vec<M::State> = Vec::new();
        for state in &states {
            let before = counters(system, state);
            let grown = round(system, &trace.cycle, state, true).into_iter();
            let grown =
                grown.filter(|s| value(s) - value(state) == gain && covers(&counters(system, s), &before));
            next.extend(grown.filter(|s| !next.contains(s)).collect::<Vec<_>>());
        }
        if next.is_empty() {
            return Err(ReplayError::NoGrowth(number));
        }
        next.truncate(CANDIDATES_MAX);
        states = next;
    }
    Ok((gain, rounds))
}
