//! What a system with known answers is, and a plain search that counts its states.

use aftercalm::model::Checkable;
use aftercalm::property::System;
use std::collections::HashSet;
use std::hash::Hash;

/// A system with known answers.
pub trait Peer: Checkable + Sized {
    /// The system with its atoms and the fairness for which its answers are known; it claims nothing yet.
    fn fair(self) -> System<Self>;
}

/// What a plain search counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub states: u64,
    /// Initial states and every successor, repeats and self-loops included.
    pub generated: u64,
    /// Actions that the model ignores (TLC counts the successors that its state constraint rejects as generated).
    pub ignored: u64,
}

/// A plain search, which shares nothing with the one that is tested.
pub fn count<M: stateright::Model>(model: &M) -> Counts
where
    M::State: Clone + Eq + Hash,
{
    let mut queue = model.init_states();
    let (mut generated, mut ignored) = (queue.len() as u64, 0);
    let mut seen: HashSet<M::State> = queue.iter().cloned().collect();
    let mut actions = Vec::new();
    while let Some(state) = queue.pop() {
        model.actions(&state, &mut actions);
        for action in actions.drain(..) {
            let Some(next) = model.next_state(&state, action) else {
                ignored += 1;
                continue;
            };
            generated += 1;
            if seen.insert(next.clone()) {
                queue.push(next);
            }
        }
    }
    Counts { states: seen.len() as u64, generated, ignored }
}
