//! Named functions of a state: predicates (atoms) and numbers (measures).

use super::Checkable;
use std::fmt;
use std::sync::Arc;

type Predicate<M> = dyn Fn(&M, &<M as stateright::Model>::State) -> bool + Send + Sync;
type Number<M> = dyn Fn(&M, &<M as stateright::Model>::State) -> i64 + Send + Sync;

/// A named predicate on a state. Claims are boolean expressions over atoms.
pub struct Atom<M: Checkable> {
    /// The name by which claims refer to the atom.
    pub name: String,
    eval: Arc<Predicate<M>>,
}

impl<M: Checkable> Atom<M> {
    /// An atom that holds where `eval` returns true. `eval` must depend on its arguments alone.
    pub fn new(
        name: impl Into<String>,
        eval: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), eval: Arc::new(eval) }
    }

    /// Whether the atom holds in `state`.
    pub fn holds(&self, model: &M, state: &M::State) -> bool {
        (self.eval)(model, state)
    }
}

/// A named number of a state, such as the queue length (requests) or the offered load (requests per tick).
pub struct Measure<M: Checkable> {
    /// The name shown in traces.
    pub name: String,
    /// The unit, in words (`requests`, `requests per tick`, `ticks`); may be empty for a plain count.
    pub unit: String,
    eval: Arc<Number<M>>,
}

impl<M: Checkable> Measure<M> {
    /// A measure computed by `eval`, which must depend on its arguments alone.
    pub fn new(
        name: impl Into<String>,
        unit: impl Into<String>,
        eval: impl Fn(&M, &M::State) -> i64 + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), unit: unit.into(), eval: Arc::new(eval) }
    }

    /// The value in `state`.
    pub fn value(&self, model: &M, state: &M::State) -> i64 {
        (self.eval)(model, state)
    }
}

impl<M: Checkable> Clone for Atom<M> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), eval: Arc::clone(&self.eval) }
    }
}

impl<M: Checkable> Clone for Measure<M> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), unit: self.unit.clone(), eval: Arc::clone(&self.eval) }
    }
}

impl<M: Checkable> fmt::Debug for Atom<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Atom").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<M: Checkable> fmt::Debug for Measure<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Measure").field("name", &self.name).field("unit", &self.unit).finish_non_exhaustive()
    }
}
