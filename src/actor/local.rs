//! What belongs to one actor alone: its state, its running timers, what it has saved.

use super::span::Span;
use super::value::Value;

/// A running timer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Timer {
    pub(crate) timer: Value,
    pub(crate) left: Span,
}

/// One actor between two ticks (or, within a tick, between two of its steps).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Local {
    pub(crate) state: Value,
    /// Sorted by timer, each at most once.
    pub(crate) timers: Vec<Timer>,
    pub(crate) saved: Option<Value>,
}

impl Local {
    pub(crate) fn new(state: Value) -> Self {
        Self { state, timers: Vec::new(), saved: None }
    }

    /// The same, with every timer one tick nearer.
    pub(crate) fn aged(&self) -> Self {
        let mut aged = self.clone();
        for timer in &mut aged.timers {
            timer.left = timer.left.aged();
        }
        aged
    }

    /// Sets or resets a timer.
    pub(crate) fn set_timer(&mut self, timer: Value, left: Span) {
        match self.timers.binary_search_by(|t| t.timer.cmp(&timer)) {
            Ok(at) => self.timers[at].left = left,
            Err(at) => self.timers.insert(at, Timer { timer, left }),
        }
    }

    /// Cancels a timer, if it is set.
    pub(crate) fn cancel_timer(&mut self, timer: &Value) {
        self.timers.retain(|t| t.timer != *timer);
    }
}
