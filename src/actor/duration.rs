//! From durations to whole ticks.
//!
//! `Out::set_timer` takes a half-open `Range<Duration>`, as stateright's `spawn` samples it: an empty range means exactly
//! its start. Every whole tick `d` with `start <= d < end` is explored. A bound must be a whole number of ticks, or one
//! nanosecond more than that: this is how [`between`] includes its end and [`later`] excludes its start without knowing
//! the tick, and a real run samples the same range but for that nanosecond. An end of [`Duration::MAX`] is no end: the
//! timer may wait for ever.

use super::span::{FOREVER, Span};
use std::ops::Range;
use std::time::Duration;

const JUST: Duration = Duration::from_nanos(1);

/// A timer that fires after exactly `after`.
pub fn exactly(after: Duration) -> Range<Duration> {
    after..after
}

/// A timer that fires after at least `lo` and at most `hi`, both included.
pub fn between(lo: Duration, hi: Duration) -> Range<Duration> {
    lo..hi.saturating_add(JUST)
}

/// A timer that fires at any time from `lo` on, or never.
pub fn not_before(lo: Duration) -> Range<Duration> {
    lo..Duration::MAX
}

/// A timer that fires in any later tick, or never.
pub fn later() -> Range<Duration> {
    JUST..Duration::MAX
}

/// A timer that fires in the next tick, whatever the tick is: for actors that count in ticks and need not know how long one
/// takes. It is written as one nanosecond, which is no whole number of any other tick.
pub fn next_tick() -> Range<Duration> {
    exactly(JUST)
}

/// What is wrong with a range of durations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BadRange {
    /// This bound is no whole number of ticks.
    Fraction(Duration),
    /// This bound is more ticks than are counted.
    TooLong(Duration),
    /// No whole tick lies in the range.
    Empty,
}

/// The whole ticks of a range.
pub(crate) fn ticks(range: &Range<Duration>, tick: Duration) -> Result<Span, BadRange> {
    if *range == next_tick() {
        return Ok(Span { lo: 1, hi: 1 });
    }
    if range.start >= range.end {
        let at = whole(range.start, tick)?.ok_or(BadRange::Fraction(range.start))?;
        return Ok(Span { lo: at, hi: at });
    }
    let lo = match whole(range.start, tick)? {
        Some(lo) => lo,
        None => 1 + whole(range.start - JUST, tick)?.ok_or_else(|| fraction(range.start))?,
    };
    let hi = if range.end == Duration::MAX {
        FOREVER
    } else if let Some(end) = whole(range.end, tick)? {
        end - 1 // an end beyond the start is not zero
    } else {
        whole(range.end - JUST, tick)?.ok_or_else(|| fraction(range.end))?
    };
    if lo > hi { Err(BadRange::Empty) } else { Ok(Span { lo, hi }) }
}

/// The bound as the user wrote it: one nanosecond beyond a round number is what [`between`] and [`later`] add.
fn fraction(bound: Duration) -> BadRange {
    let round = bound.as_nanos() % 1000 == 1;
    BadRange::Fraction(if round { bound - JUST } else { bound })
}

fn whole(duration: Duration, tick: Duration) -> Result<Option<u32>, BadRange> {
    let (nanos, tick) = (duration.as_nanos(), tick.as_nanos());
    if !nanos.is_multiple_of(tick) {
        return Ok(None);
    }
    match u32::try_from(nanos / tick) {
        // Room for one more, and for `FOREVER`.
        Ok(ticks) if ticks < FOREVER - 1 => Ok(Some(ticks)),
        _ => Err(BadRange::TooLong(duration)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(range: Range<Duration>) -> Result<(u32, u32), BadRange> {
        ticks(&range, Duration::from_millis(100)).map(|span| (span.lo, span.hi))
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_range_means_the_whole_ticks_in_it() {
        assert_eq!(of(exactly(ms(300))), Ok((3, 3)));
        assert_eq!(of(ms(0)..ms(0)), Ok((0, 0)));
        assert_eq!(of(ms(100)..ms(300)), Ok((1, 2)));
        assert_eq!(of(between(ms(100), ms(300))), Ok((1, 3)));
        assert_eq!(of(between(ms(100), ms(100))), Ok((1, 1)));
        assert_eq!(of(later()), Ok((1, FOREVER)));
        assert_eq!(of(not_before(ms(0))), Ok((0, FOREVER)));
        assert_eq!(of(next_tick()), Ok((1, 1)));
        assert_eq!(ticks(&next_tick(), JUST), Ok(Span { lo: 1, hi: 1 }));
    }

    #[test]
    fn a_bound_that_is_no_whole_number_of_ticks_is_an_error() {
        assert_eq!(of(exactly(ms(150))), Err(BadRange::Fraction(ms(150))));
        assert_eq!(of(ms(150)..ms(300)), Err(BadRange::Fraction(ms(150))));
        assert_eq!(of(ms(100)..ms(250)), Err(BadRange::Fraction(ms(250))));
        assert_eq!(of(exactly(Duration::MAX)), Err(BadRange::Fraction(Duration::MAX)));
        assert_eq!(of(exactly(ms(u64::MAX / 100 * 100))), Err(BadRange::TooLong(ms(u64::MAX / 100 * 100))));
        assert_eq!(of(JUST..ms(100)), Err(BadRange::Empty));
    }
}
