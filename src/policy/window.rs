//! Counts over the last ticks, in slices.
//!
//! A window of `slices * slice` ticks is cut into slices that are forgotten one at a time, as rolling counters do. While
//! nothing is counted the window stands still at its start: the first count opens it, so a client that has been idle for a
//! whole window is in the state in which it began.

use super::{PolicyError, Ticks};

/// How long counts are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// The length of a slice.
    pub slice: Ticks,
    /// How many slices there are, the current one included. A count is remembered for more than `slices - 1` slices and at
    /// most `slices` of them.
    pub slices: u32,
}

/// The counts of each slice: `N` kinds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Counts<const N: usize> {
    /// The oldest slice first, the current one last.
    slices: Vec<[u32; N]>,
    /// Ticks until the current slice is over.
    left: u32,
}

impl Window {
    /// One slice for each tick.
    #[must_use]
    pub const fn of_ticks(ticks: u32) -> Self {
        Self { slice: Ticks(1), slices: ticks }
    }

    /// Nothing counted.
    #[must_use]
    pub fn empty<const N: usize>(&self) -> Counts<N> {
        Counts { slices: vec![[0; N]; self.slices as usize], left: self.slice.0 }
    }

    /// One tick passes.
    pub fn tick<const N: usize>(&self, counts: &mut Counts<N>) {
        if counts.is_empty() {
            return;
        }
        counts.left -= 1;
        if counts.left == 0 {
            counts.left = self.slice.0;
            counts.slices.rotate_left(1);
            if let Some(current) = counts.slices.last_mut() {
                *current = [0; N];
            }
        }
        if counts.is_empty() {
            counts.left = self.slice.0;
        }
    }

    /// Whether it is a window at all; `parameter` names it.
    pub(super) fn validate(&self, parameter: &'static str) -> Result<(), PolicyError> {
        let good = !self.slice.is_zero() && self.slices >= 1;
        PolicyError::unless(good, parameter, self, "at least one slice of at least one tick")
    }
}

impl<const N: usize> Counts<N> {
    /// Counts `n` of kind `kind`.
    pub fn add(&mut self, kind: usize, n: u32) {
        if let Some(current) = self.slices.last_mut() {
            current[kind] = current[kind].saturating_add(n);
        }
    }

    /// How many of kind `kind` are remembered.
    #[must_use]
    pub fn sum(&self, kind: usize) -> u32 {
        self.slices.iter().fold(0, |sum: u32, slice| sum.saturating_add(slice[kind]))
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slices.iter().all(|slice| slice.iter().all(|n| *n == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_forgotten_after_the_last_slice_and_an_idle_window_is_as_new() {
        for (slice, slices) in [(1, 1), (1, 5), (3, 2), (4, 4)] {
            let window = Window { slice: Ticks(slice), slices };
            for late in 0..slice {
                let mut counts = window.empty::<1>();
                counts.add(0, 1);
                (0..late).for_each(|_| window.tick(&mut counts));
                counts.add(0, 1);
                let mut age = 0;
                while counts.sum(0) > 0 {
                    window.tick(&mut counts);
                    age += 1;
                }
                assert_eq!(age, slice * slices - late, "the slice began with the first count");
                assert_eq!(counts, window.empty());
            }
        }
    }
}
