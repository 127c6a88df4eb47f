//! Waiting between `lo` and `hi` ticks, decided as late as possible.
//!
//! Of n who wait alike any number may go on from `lo` ticks on, and all must at `hi`. So the range is what is kept of a wait,
//! not what it will turn out to have been: one state for each range that is left, as with links and timers.

use super::bag::Bag;
use super::msg::{NEVER, less_one};
use super::turn::{Ask, Turn};
use crate::policy::TickRange;
use std::fmt;
use std::ops::RangeInclusive;

/// Between `lo` and `hi` ticks from now. `hi` is [`NEVER`] where it need not end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wait {
    /// The fewest ticks.
    pub lo: u16,
    /// The most ticks.
    pub hi: u16,
}

impl Wait {
    /// Over in this tick.
    pub const NOW: Self = Self { lo: 0, hi: 0 };

    /// Between the ends of the range, both included.
    #[must_use]
    pub fn within(ticks: RangeInclusive<u16>) -> Self {
        Self { lo: *ticks.start(), hi: *ticks.end() }
    }

    /// One tick later.
    #[must_use]
    pub fn aged(self) -> Self {
        Self { lo: self.lo.saturating_sub(1), hi: less_one(self.hi) }
    }
}

impl From<TickRange> for Wait {
    fn from(range: TickRange) -> Self {
        let whole = |ticks: u32| u16::try_from(ticks).unwrap_or(NEVER);
        Self { lo: whole(range.lo.0), hi: whole(range.hi.0) }
    }
}

impl fmt::Debug for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.lo, self.hi) {
            (0 | 1, NEVER) => f.write_str("at any time"),
            (lo, NEVER) => write!(f, "in {lo} or later"),
            (lo, hi) if lo == hi => write!(f, "in {lo}"),
            (lo, hi) => write!(f, "in {lo} to {hi}"),
        }
    }
}

/// Takes those out of `bag` whose wait ends in this tick: all of those who must, any number of those who may.
pub(super) fn over<T: Clone + Ord + fmt::Debug>(
    about: &str,
    bag: &mut Bag<T>,
    wait: impl Fn(&T) -> Wait,
    turn: &mut Turn,
) -> Result<Bag<T>, Ask> {
    let (due, _) = bag.split(|item| wait(item).lo == 0);
    let mut over = Bag::new();
    for (item, n) in due.iter() {
        let least = if wait(item).hi == 0 { n } else { 0 };
        over.add(item.clone(), turn.number(about, least..=n)?);
    }
    bag.remove_all(&over);
    Ok(over)
}
