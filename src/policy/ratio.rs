//! A share or a rate as two whole numbers.

use std::fmt;

/// `num / den`, for shares (20 % of requests) and factors (doubled). Whole numbers, so that what is computed with it is exact.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ratio {
    /// Above the line.
    pub num: u32,
    /// Below the line; not zero.
    pub den: u32,
}

impl Ratio {
    /// None of it.
    pub const ZERO: Self = Self { num: 0, den: 1 };
    /// All of it.
    pub const ONE: Self = Self { num: 1, den: 1 };

    /// `num / den`.
    #[must_use]
    pub const fn new(num: u32, den: u32) -> Self {
        Self { num, den }
    }

    /// So many hundredths.
    #[must_use]
    pub const fn percent(percent: u32) -> Self {
        Self { num: percent, den: 100 }
    }

    /// A whole number.
    #[must_use]
    pub const fn whole(num: u32) -> Self {
        Self { num, den: 1 }
    }

    /// This share of `n`, rounded down. Division by zero counts as by one; [`Ratio::is_sound`] tells.
    #[must_use]
    pub fn of(self, n: u32) -> u32 {
        let share = u64::from(n) * u64::from(self.num) / u64::from(self.den.max(1));
        u32::try_from(share).unwrap_or(u32::MAX)
    }

    /// Whether `part` of `whole` is at least this share. Nothing of nothing is no share.
    #[must_use]
    pub fn is_reached_by(self, part: u32, whole: u32) -> bool {
        whole > 0 && u64::from(part) * u64::from(self.den) >= u64::from(whole) * u64::from(self.num)
    }

    /// Whether `part` of `whole` is more than this share.
    #[must_use]
    pub fn is_exceeded_by(self, part: u32, whole: u32) -> bool {
        u64::from(part) * u64::from(self.den) > u64::from(whole) * u64::from(self.num)
    }

    /// Whether it is a number at all.
    #[must_use]
    pub const fn is_sound(self) -> bool {
        self.den > 0
    }

    /// Whether it is at most one.
    #[must_use]
    pub const fn is_share(self) -> bool {
        self.den > 0 && self.num <= self.den
    }
}

impl fmt::Debug for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.den == 1 { write!(f, "{}", self.num) } else { write!(f, "{}/{}", self.num, self.den) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact() {
        let fifth = Ratio::percent(20);
        assert_eq!((0..12).map(|n| fifth.of(n)).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2]);
        assert!(fifth.is_reached_by(1, 5) && !fifth.is_exceeded_by(1, 5));
        assert!(!fifth.is_reached_by(0, 0) && fifth.is_exceeded_by(2, 9));
        assert_eq!(Ratio::new(u32::MAX, 1).of(u32::MAX), u32::MAX);
    }
}
