//! Links: how long a message takes from one actor to another, and what may happen to it on the way.
//!
//! Loss, duplication and cuts are decided when a message enters the link, its latency tick by tick after that. Of n
//! identical messages any number may be lost or duplicated, so what enters a link that does both is any number from 0 to
//! 2n; which of the n it was cannot be told apart.

use super::span::Span;
use super::system::Handle;
use super::value::Value;
use crate::model::refuse;
use stateright::actor::Actor;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

type Predicate = dyn Fn(&Value) -> bool + Send + Sync;

/// The way from one actor to another.
#[derive(Clone)]
pub struct Link {
    pub(crate) latency: Span,
    pub(crate) lossy: bool,
    pub(crate) duplicating: bool,
    pub(crate) cuts: Vec<Cut>,
}

/// What cuts a link: a predicate on the state of an actor at the beginning of the tick.
#[derive(Clone)]
pub(crate) struct Cut {
    pub(crate) actor: usize,
    pub(crate) while_true: Arc<Predicate>,
}

impl Link {
    /// A link whose messages arrive at least `start` and at most `end` ticks after they were sent. At least one tick:
    /// nothing that is sent in a tick arrives in it.
    #[must_use]
    pub fn latency(ticks: RangeInclusive<u32>) -> Self {
        let latency = Span { lo: *ticks.start(), hi: *ticks.end() };
        Self { latency, lossy: false, duplicating: false, cuts: Vec::new() }
    }

    /// Each message may be lost.
    #[must_use]
    pub fn lossy(mut self) -> Self {
        self.lossy = true;
        self
    }

    /// Each message may be duplicated: at most one extra copy.
    #[must_use]
    pub fn duplicating(mut self) -> Self {
        self.duplicating = true;
        self
    }

    /// What is sent while the state of `actor` at the beginning of the tick satisfies `cut` is dropped. What is already
    /// under way arrives. Called more than once, each cuts.
    ///
    /// Messages sent in `on_start` are judged by the state that the `on_start` of `actor` returned.
    #[must_use]
    pub fn cut_while<A>(
        mut self,
        actor: Handle<A>,
        cut: impl Fn(&A::State) -> bool + Send + Sync + 'static,
    ) -> Self
    where
        A: Actor<State: 'static>,
    {
        let while_true = Arc::new(move |state: &Value| match state.get::<A::State>() {
            Some(state) => cut(state),
            None => refuse(format!(
                "a link is cut while an actor is in some state, but the actor at that place has states of another type, such as {}: was \
                 the handle given by another system?",
                state.text()
            )),
        });
        self.cuts.push(Cut { actor: actor.index(), while_true });
        self
    }

    /// How many of `n` messages sent may come out, each number once, the undisturbed number first.
    pub(crate) fn passes(&self, n: u32) -> impl Iterator<Item = u32> + use<> {
        let lo = if self.lossy { 0 } else { n };
        let hi = if self.duplicating { 2 * n } else { n };
        (lo..=n).rev().chain(n + 1..=hi)
    }
}

impl Default for Link {
    /// One tick, nothing lost.
    fn default() -> Self {
        Self::latency(1..=1)
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("latency", &(self.latency.lo..=self.latency.hi))
            .field("lossy", &self.lossy)
            .field("duplicating", &self.duplicating)
            .field("cuts", &self.cuts.len())
            .finish()
    }
}
