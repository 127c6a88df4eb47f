//! Negative caching in the DNS (RFC 2308, RFC 9520). The texts were not read for this: the numbers are as others quote them.

use super::seconds;
use crate::policy::{NegativeCaching, PolicyError, Ticks};
use std::time::Duration;

/// Resolution failures are remembered for at least 1 s and at most 5 min (RFC 9520, section 3.2); doubled from failure to
/// failure, which is one way that the RFC suggests.
///
/// # Errors
/// Where 1 s is no whole number of ticks.
pub fn resolution_failures(tick: Duration) -> Result<NegativeCaching, PolicyError> {
    Ok(NegativeCaching { first: seconds(1, tick)?, factor: 2, most: seconds(300, tick)? })
}

/// "There is no such name" is remembered for the lesser of the zone's SOA minimum and the SOA record's own TTL (RFC 2308,
/// section 5).
#[must_use]
pub fn no_such_name(soa_minimum: Ticks, soa_ttl: Ticks) -> NegativeCaching {
    let ttl = soa_minimum.min(soa_ttl);
    NegativeCaching { first: ttl, factor: 1, most: ttl }
}
