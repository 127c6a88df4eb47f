//! Sizes and durations as people write them: `8GiB`, `1h30m`.

use std::time::Duration;

/// A quantity that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// It is no number with a known unit.
    #[error("`{text}` is no {sort}: write {example}")]
    Unreadable {
        /// What was given.
        text: String,
        /// `size` or `duration`.
        sort: &'static str,
        /// What would be right.
        example: &'static str,
    },
    /// It is zero, so nothing could ever be found.
    #[error("a limit of `{0}` leaves nothing to search")]
    Zero(String),
    /// It is larger than any machine.
    #[error("`{0}` is too large")]
    TooLarge(String),
}

const SIZES: [(&str, u64); 13] = [
    ("b", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("kb", 1_000),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("mb", 1_000_000),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("gb", 1_000_000_000),
    ("t", 1 << 40),
    ("tib", 1 << 40),
    ("tb", 1_000_000_000_000),
];

const DURATIONS: [(&str, f64); 5] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("min", 60.0), ("h", 3600.0)];

/// Bytes, from a number with a unit: `8GiB`, `512MiB`, `2GB`. `K`, `M`, `G`, `T` alone are the powers of 1024.
///
/// # Errors
/// Where it is no size, zero, or larger than 2^64 bytes.
pub fn size(text: &str) -> Result<u64, QuantityError> {
    let unreadable = || QuantityError::Unreadable {
        text: text.to_owned(),
        sort: "size",
        example: "a number and a unit, for example 512MiB or 8GiB",
    };
    let [(number, unit)] = parts(text)[..] else { return Err(unreadable()) };
    let unit = unit.to_lowercase();
    let factor =
        SIZES.iter().find(|(name, _)| *name == unit).map(|(_, bytes)| *bytes).ok_or_else(unreadable)?;
    let number: f64 = number.parse().map_err(|_| unreadable())?;
    let bytes = number * factor as f64;
    if bytes < 1.0 {
        Err(QuantityError::Zero(text.to_owned()))
    } else if bytes >= u64::MAX as f64 {
        Err(QuantityError::TooLarge(text.to_owned()))
    } else {
        Ok(bytes as u64)
    }
}

/// A duration, from numbers with units: `500ms`, `30s`, `5m` or `5min`, `1h30m`.
///
/// # Errors
/// Where it is no duration, zero, or longer than can be counted.
pub fn duration(text: &str) -> Result<Duration, QuantityError> {
    let unreadable = || QuantityError::Unreadable {
        text: text.to_owned(),
        sort: "duration",
        example: "a number and a unit, for example 30s, 5min or 1h30m",
    };
    let parts = parts(text);
    let mut seconds = 0.0;
    for (number, unit) in &parts {
        let factor =
            DURATIONS.iter().find(|(name, _)| name == unit).map(|(_, s)| *s).ok_or_else(unreadable)?;
        seconds += number.parse::<f64>().map_err(|_| unreadable())? * factor;
    }
    if parts.is_empty() {
        Err(unreadable())
    } else if seconds <= 0.0 {
        Err(QuantityError::Zero(text.to_owned()))
    } else {
        Duration::try_from_secs_f64(seconds).map_err(|_| QuantityError::TooLarge(text.to_owned()))
    }
}

/// Splits `1h30m` into (`1`, `h`), (`30`, `m`). What has no number in front gets an empty one, which then does not parse.
fn parts(text: &str) -> Vec<(&str, &str)> {
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let mut rest = text.trim();
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (number, tail) = rest.split_at(rest.find(|c| !is_digit(c)).unwrap_or(rest.len()));
        let (unit, tail) = tail.split_at(tail.find(is_digit).unwrap_or(tail.len()));
        parts.push((number, unit.trim()));
        rest = tail;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_people_write_them() {
        assert_eq!(size("8GiB"), Ok(8 << 30));
        assert_eq!(size("1.5 GiB"), Ok(3 << 29));
        assert_eq!(size("2g"), Ok(2 << 30));
        assert_eq!(size("2GB"), Ok(2_000_000_000));
        for wrong in ["", "8", "GiB", "8 apples", "-1GiB", "1GiB2MiB", "1.2.3MiB", "NaNMiB"] {
            assert!(matches!(size(wrong), Err(QuantityError::Unreadable { .. })), "{wrong}");
        }
        assert!(matches!(size("0MiB"), Err(QuantityError::Zero(_))));
        assert!(matches!(size("99999999999TiB"), Err(QuantityError::TooLarge(_))));
    }

    #[test]
    fn durations_read_as_people_write_them() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5400)));
        for wrong in ["", "30", "s", "30 parsecs", "-3s", "s30"] {
            assert!(matches!(duration(wrong), Err(QuantityError::Unreadable { .. })), "{wrong}");
        }
        assert!(matches!(duration("0s"), Err(QuantityError::Zero(_))));
    }
}
