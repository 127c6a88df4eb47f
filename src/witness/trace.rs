//! A path through a model: a stem, and the loop that is taken for ever after it.

use crate::model::Checkable;
use std::fmt;

/// One step of a path.
pub struct Step<M: Checkable> {
    /// The action taken. None: the initial state (first step of a stem), or staying in the same state (a stutter step).
    pub action: Option<M::Action>,
    /// The state that it leads to.
    pub state: M::State,
}

/// A finite path (no loop) or a lasso (stem and loop).
pub struct Trace<M: Checkable> {
    /// The initial state, then every step up to the state in which the loop starts. Never empty.
    pub stem: Vec<Step<M>>,
    /// The steps of the loop, which starts in the last state of the stem and whose last step leads back to it; for growth, to a
    /// state that differs from it in larger counters alone. Empty for a finite path. One stutter step stands for staying there for ever: at an end state, or where the system stutters.
    pub cycle: Vec<Step<M>>,
}

impl<M: Checkable> Trace<M> {
    /// The last state of the stem, in which the loop starts.
    ///
    /// # Panics
    /// Where the stem is empty, which no search produces.
    pub fn joint(&self) -> &M::State {
        &self.stem.last().expect("a stem has at least its initial state").state
    }

    /// Whether the loop is one stutter step.
    pub fn stays(&self) -> bool {
        matches!(self.cycle.as_slice(), [Step { action: None, .. }])
    }
}

impl<M: Checkable> Clone for Step<M> {
    fn clone(&self) -> Self {
        Self { action: self.action.clone(), state: self.state.clone() }
    }
}

impl<M: Checkable> Clone for Trace<M> {
    fn clone(&self) -> Self {
        Self { stem: self.stem.clone(), cycle: self.cycle.clone() }
    }
}

impl<M: Checkable> fmt::Debug for Step<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step").field("action", &self.action).field("state", &self.state).finish()
    }
}

impl<M: Checkable> fmt::Debug for Trace<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").field("stem", &self.stem).field("cycle", &self.cycle).finish()
    }
}
