//! A rejection probability as a share of n requests.

use std::ops::RangeInclusive;

/// `rejected` out of `n`, where the expected number is `num / den`: the number that passes, rounded either way.
pub(super) fn around(num: u128, den: u128, n: u32) -> RangeInclusive<u32> {
    let (least, most) = (num / den, num.div_ceil(den));
    let passes = |rejected: u128| n - u32::try_from(rejected).unwrap_or(n).min(n);
    passes(most)..=passes(least)
}

/// The same for an expected number that had to be computed in floating point. What is within a billionth of a whole number is
/// that number, so that the result does not depend on how a machine rounds its last bit.
pub(super) fn around_float(rejected: f64, n: u32) -> RangeInclusive<u32> {
    let whole = rejected.round();
    let (least, most) =
        if (rejected - whole).abs() < 1e-9 { (whole, whole) } else { (rejected.floor(), rejected.ceil()) };
    let passes = |rejected: f64| n - (rejected.max(0.0) as u32).min(n);
    passes(most)..=passes(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_either_way_and_a_whole_one_not_at_all() {
        assert_eq!(around(7, 2, 10), 6..=7);
        assert_eq!(around(6, 2, 10), 7..=7);
        assert_eq!(around(0, 5, 10), 10..=10);
        assert_eq!(around(100, 5, 10), 0..=0);
        assert_eq!(around_float(3.5, 10), 6..=7);
        assert_eq!(around_float(0.1 * 3.0 * 10.0, 10), 7..=7);
        assert_eq!(around_float(-2.0, 10), 10..=10);
    }
}
