//! When something is due: a range of ticks from now, resolved as late as possible.
//!
//! A delay of `lo..=hi` ticks is not sampled when it begins. It stays a range that ages, and each tick in which it may end
//! is a branch: it ends now, or it ends later. So a message that is under way, or a timer that runs, is one state for each
//! range that is left of it, not one for each delay that it might turn out to have.

use std::fmt;

/// No upper bound: what is due may stay due for ever.
pub(crate) const FOREVER: u32 = u32::MAX;

/// Between `lo` and `hi` ticks from now, both included. Between two ticks `lo` is at least one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) lo: u32,
    pub(crate) hi: u32,
}

impl Span {
    /// Due now.
    pub(crate) const NOW: Self = Self { lo: 0, hi: 0 };

    /// What is left when a tick begins.
    pub(crate) fn aged(self) -> Self {
        let hi = if self.hi == FOREVER { FOREVER } else { self.hi.saturating_sub(1) };
        Self { lo: self.lo.saturating_sub(1), hi }
    }

    /// Whether it may be due in this tick.
    pub(crate) fn may_be_now(self) -> bool {
        self.lo == 0
    }

    /// Whether it must be due in this tick.
    pub(crate) fn must_be_now(self) -> bool {
        self.hi == 0
    }

    /// What is left of it if it is not due in this tick.
    pub(crate) fn not_now(self) -> Self {
        Self { lo: self.lo.max(1), hi: self.hi }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.hi == 1 { "" } else { "s" };
        match (self.lo, self.hi) {
            (1, FOREVER) => f.write_str("at any time"),
            (lo, FOREVER) => write!(f, "in {lo} ticks or later"),
            (lo, hi) if lo == hi => write!(f, "in {lo} tick{s}"),
            (lo, hi) => write!(f, "in {lo} to {hi} ticks"),
        }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
