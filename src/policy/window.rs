//! Counts over the last ticks, in slices.
//!
//! A slice begins with the first count that does not fall into the slice before it, takes all counts for the length of a
//! slice, and is forgotten as a whole when it is as old as the window is long. So a count is remembered for more than
//! `slices - 1` and at most `slices` times the length of a slice. Polly's `RollingHealthMetrics` and Envoy's admission
//! control keep their counts in this way; others (Hystrix, resilience4j) let slices begin by the clock, which differs by less
//! than one slice.
//!
//! What is kept are ages, not times, and nothing at all of slices that are over, so a client that has been idle for a whole
//! window is in the state in which it began.

use super::{PolicyError, Ticks};

/// How long counts are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// The length of a slice.
    pub slice: Ticks,
    /// How many slices make up the window.
    pub slices: u32,
}

/// The counts of each slice: `N` kinds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Counts<const N: usize> {
    /// The oldest first.
    slices: Vec<Slice<N>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Slice<const N: usize> {
    /// Ticks since it began.
    age: u32,
    counts: [u32; N],
}

impl Window {
    /// One slice for each tick.
    #[must_use]
    pub const fn of_ticks(ticks: u32) -> Self {
        Self { slice: Ticks(1), slices: ticks }
    }

    /// How long the whole window is.
    #[must_use]
    pub fn length(&self) -> Ticks {
        self.slice * self.slices
    }

    /// Nothing counted.
    #[must_use]
    pub fn empty<const N: usize>(&self) -> Counts<N> {
        Counts { slices: Vec::new() }
    }

    /// Counts `n` of kind `kind` (less than `N`).
    pub fn add<const N: usize>(&self, counts: &mut Counts<N>, kind: usize, n: u32) {
        if n == 0 {
            return;
        }
        match counts.slices.last_mut() {
            Some(slice) if slice.age < self.slice.0 => {
                slice.counts[kind] = slice.counts[kind].saturating_add(n);
            }
            _ => {
                let mut new = [0; N];
                new[kind] = n;
                counts.slices.push(Slice { age: 0, counts: new });
            }
        }
    }

    /// One tick passes.
    pub fn tick<const N: usize>(&self, counts: &mut Counts<N>) {
        counts.slices.iter_mut().for_each(|slice| slice.age += 1);
        let length = self.length().0;
        counts.slices.retain(|slice| slice.age < length);
    }

    /// Whether it is a window at all; `parameter` names it.
    pub(super) fn validate(&self, parameter: &'static str) -> Result<(), PolicyError> {
        let good = !self.slice.is_zero() && self.slices >= 1;
        PolicyError::unless(good, parameter, self, "at least one slice of at least one tick")
    }
}

impl<const N: usize> Counts<N> {
    /// How many of kind `kind` are remembered.
    #[must_use]
    pub fn sum(&self, kind: usize) -> u32 {
        self.slices.iter().fold(0, |sum: u32, slice| sum.saturating_add(slice.counts[kind]))
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slices.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By definition: each count with its time, and where slices began.
    #[test]
    fn a_window_forgets_what_its_definition_says() {
        let mut random = fastrand::Rng::with_seed(7);
        for (slice, slices) in [(1, 1), (1, 5), (3, 2), (4, 4)] {
            let window = Window { slice: Ticks(slice), slices };
            let mut counts = window.empty::<2>();
            let mut begun: Vec<(u32, [u32; 2])> = Vec::new();
            for now in 0..2000 {
                for _ in 0..random.u32(0..3) {
                    let (kind, n) = (random.usize(0..2), random.u32(0..4));
                    window.add(&mut counts, kind, n);
                    if n > 0 {
                        if begun.last().is_none_or(|(at, _)| now - at >= slice) {
                            begun.push((now, [0, 0]));
                        }
                        begun.last_mut().unwrap().1[kind] += n;
                    }
                }
                let kept = |kind: usize| -> u32 {
                    begun.iter().filter(|(at, _)| now - at < slice * slices).map(|(_, n)| n[kind]).sum()
                };
                assert_eq!((counts.sum(0), counts.sum(1)), (kept(0), kept(1)), "tick {now}");
                window.tick(&mut counts);
                if random.u8(0..40) == 0 {
                    (0..slice * slices).for_each(|_| window.tick(&mut counts));
                    assert_eq!(counts, window.empty(), "idle for a window is as new");
                    begun.clear();
                }
            }
        }
    }
}
