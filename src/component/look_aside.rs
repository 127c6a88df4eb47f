//! Buckets of a look-aside cache: how many are warm, which requests hit, what warms and what expires.
//!
//! # What is kept, and when that is exact
//!
//! Buckets are not told apart: only how many are warm is kept (by the ticks until they expire, with a TTL). Which buckets the
//! requests of a tick ask for is left open:
//!
//! - by default ([`LookAside::new`]) any request may hit any bucket, and any number of the misses that are served in one tick, but
//!   one at least, may have been for different buckets. This covers every cache of that many exchangeable buckets.
//! - with [`LookAside::one_bucket_each`] the requests of a tick ask for different buckets as far as there are enough, and so do
//!   the misses that are served in one tick. Exact where each client has a bucket of its own and asks for it no more than once at a
//!   time; an assumption otherwise, in favour of the cache.
//!
//! A cache that clients look aside to is part of their [`Population`](super::Population); one that stands before a store as a server
//! of its own is a [`Cache`](super::Cache).

use super::bag::Bag;
use super::msg::{Control, NEVER, less_one};
use super::turn::{Ask, Pick, Turn};
use crate::model::refuse;
use std::fmt;
use std::ops::RangeInclusive;

/// The buckets of a cache.
#[derive(Clone, Debug)]
pub struct LookAside {
    buckets: u32,
    warm: u32,
    ttl: u16,
    expiring: RangeInclusive<u32>,
    every: u16,
    one_each: bool,
}

/// Which buckets are warm.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Buckets {
    /// How many there are.
    pub buckets: u32,
    /// Warm buckets, by the ticks that they stay warm.
    pub by_left: Bag<u16>,
    /// For how many ticks more none expires.
    pub pause: u16,
    /// Whether the cache is up; while it is down everything misses.
    pub up: bool,
}

impl Buckets {
    /// How many buckets are warm.
    #[must_use]
    pub fn warm(&self) -> u32 {
        self.by_left.total()
    }
}

impl fmt::Debug for Buckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Cache");
        shown.field("warm", &self.warm());
        if self.by_left.iter().any(|(left, _)| *left != NEVER) {
            shown.field("by_ticks_left", &self.by_left);
        }
        if !self.up {
            shown.field("up", &self.up);
        }
        shown.finish()
    }
}

impl LookAside {
    /// A cache of `buckets`, all warm and never expiring.
    #[must_use]
    pub fn new(buckets: u32) -> Self {
        Self { buckets, warm: buckets, ttl: NEVER, expiring: 0..=0, every: 1, one_each: false }
    }

    /// How many buckets are warm at the start. Default: all.
    #[must_use]
    pub fn warm(mut self, buckets: u32) -> Self {
        self.warm = buckets.min(self.buckets);
        self
    }

    /// For how many ticks a bucket stays warm. Those that are warm at the start are warm for that long. Default: for ever.
    #[must_use]
    pub fn ttl(mut self, ticks: u16) -> Self {
        self.ttl = ticks;
        self
    }

    /// So many warm buckets expire in each tick, every number of the range explored: for buckets whose times are spread evenly, in
    /// place of a TTL. Default: none.
    #[must_use]
    pub fn expiring(mut self, buckets: RangeInclusive<u32>) -> Self {
        self.expiring = buckets;
        self
    }

    /// Buckets expire in every n-th tick only, in tick `ticks` first. Default: in every tick.
    #[must_use]
    pub fn every(mut self, ticks: u16) -> Self {
        self.every = ticks;
        self
    }

    /// The requests of a tick ask for different buckets, and so do the misses served in a tick, as far as there are enough.
    #[must_use]
    pub fn one_bucket_each(mut self) -> Self {
        self.one_each = true;
        self
    }

    pub(super) fn start(&self) -> Buckets {
        if self.every == 0 {
            refuse("buckets expire in every n-th tick, and n is at least 1".to_owned());
        }
        let by_left = [(self.ttl, self.warm)].into_iter().collect();
        Buckets { buckets: self.buckets, by_left, pause: self.every - 1, up: true }
    }

    pub(super) fn control(state: &mut Buckets, control: Control) {
        match control {
            Control::Flush(percent) => {
                // The share of those that are warm, rounded up; those that stay warm longest go last.
                let mut n = (state.warm() * u32::from(percent.min(100))).div_ceil(100);
                for (left, there) in state.by_left.clone().iter() {
                    n -= state.by_left.remove(left, there.min(n));
                }
            }
            Control::Restart => state.by_left = Bag::new(),
            Control::Fail => (state.by_left, state.up) = (Bag::new(), false),
            Control::Repair => state.up = true,
            _ => {}
        }
    }

    /// A tick: `served` misses have been answered well, and some buckets expire.
    pub(super) fn tick(&self, state: &mut Buckets, served: u32, turn: &mut Turn) -> Result<(), Ask> {
        state.by_left = state.by_left.map(|left| less_one(*left)).split(|left| *left == 0).1;
        let none_expires = state.pause > 0;
        state.pause = if none_expires { state.pause - 1 } else { self.every - 1 };
        if !state.up {
            return Ok(());
        }
        let most = served.min(self.buckets - state.warm());
        let least = if self.one_each { most } else { most.min(1) };
        let warmed = turn.number("buckets warmed", least..=most)?;
        state.by_left.add(self.ttl, warmed);
        if none_expires {
            return Ok(());
        }
        let expired = turn.number("expired", self.expiring.clone())?;
        let expired = turn.draw("expired", &state.by_left, expired, Pick::Any)?;
        state.by_left.remove_all(&expired);
        Ok(())
    }

    /// How many of `n` requests hit.
    pub(super) fn hits(&self, state: &Buckets, n: u32, turn: &mut Turn) -> Result<u32, Ask> {
        let (warm, cold) = (state.warm(), self.buckets - state.warm());
        let hits = if !state.up || warm == 0 {
            0..=0
        } else if self.one_each {
            let (rounds, rest) = (n / self.buckets.max(1), n % self.buckets.max(1));
            rounds * warm + rest.saturating_sub(cold)..=rounds * warm + rest.min(warm)
        } else if cold == 0 {
            n..=n
        } else {
            0..=n
        };
        turn.number("hits", hits)
    }
}
