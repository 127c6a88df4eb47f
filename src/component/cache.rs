//! A look-aside cache of many buckets: what is warm is answered at once, what is not goes to the store, and a served miss warms a
//! bucket.
//!
//! # What is kept, and when that is exact
//!
//! Buckets are not told apart: only how many are warm is kept (by the ticks until they expire, with a TTL). Which buckets the
//! requests of a tick ask for is left open:
//!
//! - by default ([`Cache::new`]) any request may hit any bucket, and any number of the misses that are served in one tick, but one
//!   at least, may have been for different buckets. This covers every cache of that many exchangeable buckets.
//! - with [`Cache::one_bucket_each`] the requests of a tick ask for different buckets as far as there are enough, and so do
//!   the misses that are served in one tick. Exact where each client has a bucket of its own; an assumption otherwise, in favour of
//!   the cache.
//!
//! Requests under way are not kept: a miss is passed on with the cache on its way back, and the answer says that it was one.
//!
//! One hot key, its leases and stampedes: [`HotKey`](super::HotKey).

use super::bag::Bag;
use super::msg::{Answer, Control, Msg, NEVER, Request, less_one};
use super::turn::{Ask, Component, Inbox, Pick, Turn};
use crate::component_actor;
use crate::model::refuse;
use stateright::actor::Id;
use std::fmt;
use std::ops::RangeInclusive;

/// A cache of many buckets.
#[derive(Clone, Debug)]
pub struct Cache {
    store: Id,
    buckets: u32,
    warm: u32,
    ttl: u16,
    expiring: RangeInclusive<u32>,
    every: u16,
    one_each: bool,
    pick: Pick,
}

/// The state of a cache.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Buckets {
    /// How many there are.
    pub buckets: u32,
    /// Warm buckets, by the ticks that they stay warm.
    pub warm: Bag<u16>,
    /// For how many ticks more none expires.
    pub pause: u16,
    /// Whether it is up; while it is down everything goes to the store.
    pub up: bool,
}

impl fmt::Debug for Buckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Cache");
        shown.field("warm", &self.warm());
        let timed = self.warm.iter().any(|(left, _)| *left != NEVER);
        if timed {
            shown.field("by_ticks_left", &self.warm);
        }
        if !self.up {
            shown.field("up", &self.up);
        }
        shown.finish()
    }
}

impl Buckets {
    /// How many buckets are warm.
    #[must_use]
    pub fn warm(&self) -> u32 {
        self.warm.total()
    }
}

impl Cache {
    /// A cache of `buckets`, all warm and never expiring, before `store`.
    #[must_use]
    pub fn new(store: impl Into<Id>, buckets: u32) -> Self {
        Self {
            store: store.into(),
            buckets,
            warm: buckets,
            ttl: NEVER,
            expiring: 0..=0,
            every: 1,
            one_each: false,
            pick: Pick::Any,
        }
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

    /// Which requests hit. Default: [`Pick::Any`].
    #[must_use]
    pub fn pick(mut self, pick: Pick) -> Self {
        self.pick = pick;
        self
    }

    /// How many of `n` requests may hit.
    fn hits(&self, warm: u32, n: u32) -> RangeInclusive<u32> {
        let cold = self.buckets - warm;
        if !self.one_each {
            return if cold == 0 {
                n..=n
            } else if warm == 0 {
                0..=0
            } else {
                0..=n
            };
        }
        let (rounds, rest) = (n / self.buckets.max(1), n % self.buckets.max(1));
        rounds * warm + rest.saturating_sub(cold)..=rounds * warm + rest.min(warm)
    }

    fn chill(&self, state: &mut Buckets, n: u32, turn: &mut Turn, about: &str) -> Result<(), Ask> {
        let some = turn.draw(about, &state.warm, n, Pick::Any)?;
        state.warm.remove_all(&some);
        Ok(())
    }
}

impl Component for Cache {
    type Memory = Buckets;

    fn start(&self) -> Buckets {
        if self.every == 0 {
            refuse("buckets expire in every n-th tick, and n is at least 1".to_owned());
        }
        let warm = [(self.ttl, self.warm)].into_iter().collect();
        Buckets { buckets: self.buckets, warm, pause: self.every - 1, up: true }
    }

    fn control(&self, state: &mut Buckets, control: Control) {
        match control {
            Control::Flush(percent) => {
                // The share of those that are warm, rounded up; those that stay warm longest go last.
                let mut n = (state.warm.total() * u32::from(percent.min(100))).div_ceil(100);
                for (left, there) in state.warm.clone().iter() {
                    n -= state.warm.remove(left, there.min(n));
                }
            }
            Control::Restart => state.warm = Bag::new(),
            Control::Fail => (state.warm, state.up) = (Bag::new(), false),
            Control::Repair => state.up = true,
            _ => {}
        }
    }

    fn act(&self, state: &mut Buckets, arrived: &Inbox, turn: &mut Turn) -> Result<(), Ask> {
        state.warm = state.warm.map(|left| less_one(*left)).split(|left| *left == 0).1;
        let none_expires = state.pause > 0;
        state.pause = if none_expires { state.pause - 1 } else { self.every - 1 };
        let mut served = 0;
        for ((_, response), n) in arrived.responses.iter() {
            served += if response.answer == Answer::Ok { n } else { 0 };
            turn.answer(response.request, response.answer, n);
        }
        if !state.up {
            pass_on(&arrived.requests, self.store, turn);
            return Ok(());
        }
        super::probe::answer(arrived, turn);
        let most = served.min(self.buckets - state.warm());
        let least = if self.one_each { most } else { most.min(1) };
        let warmed = turn.number("buckets warmed", least..=most)?;
        state.warm.add(self.ttl, warmed);
        if !none_expires {
            let expired = turn.number("expired", self.expiring.clone())?;
            self.chill(state, expired, turn, "expired")?;
        }

        let requests = &arrived.requests;
        let hits = turn.number("hits", self.hits(state.warm(), requests.total()))?;
        let hits = turn.draw("hits", requests, hits, self.pick)?;
        hits.iter().for_each(|(request, n)| turn.answer(*request, Answer::Ok, n));
        let mut misses = requests.clone();
        misses.remove_all(&hits);
        pass_on(&misses, self.store, turn);
        Ok(())
    }
}

/// Misses go to the store, and their answers come back through the cache.
fn pass_on(misses: &Bag<Request>, store: Id, turn: &mut Turn) {
    for (request, n) in misses.iter() {
        turn.send(store, Msg::Request(request.via(turn.id())), n);
    }
}

component_actor!(Cache);
