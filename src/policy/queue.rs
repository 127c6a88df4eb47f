//! Queue disciplines: what a server's queue accepts, in which order it is served, and what is dropped on the way.
//!
//! The queue itself is here, because its discipline decides what must be remembered of it: how long a request has waited
//! only where delays matter, and when it expires only where the expired are dropped. Everything else that distinguishes requests is
//! the caller's type `T`. Requests that are alike are one entry with a count.

use super::{Policy, PolicyError, Ticks};
use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

/// In which order requests are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The one that has waited longest first.
    Fifo,
    /// The newest first.
    Lifo,
    /// The newest first while the queue is building, the oldest first otherwise ("Fail at Scale", ACM Queue 2015). Building:
    /// it has not been empty for this long.
    AdaptiveLifo(Ticks),
}

/// What is dropped instead of served because it has waited too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueTimeout {
    /// Nothing.
    None,
    /// What has waited for more than so long.
    After(Ticks),
    /// Controlled delay as "Fail at Scale" gives it: a request that arrives while the queue was empty at some moment of the last
    /// `interval` may wait for `interval`, any other for `target`.
    Controlled {
        /// How long a queue may be building.
        interval: Ticks,
        /// How long a request may then wait.
        target: Ticks,
    },
    /// CoDel as folly has it: if even the shortest wait of the last `interval` was more than `target`, what has waited for
    /// more than twice `target` is dropped during the next. The first request of an interval is never dropped.
    Codel {
        /// How long waits are looked at.
        interval: Ticks,
        /// Which wait is acceptable.
        target: Ticks,
    },
}

/// A queue's discipline, for requests that are told apart by `T`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Queue<T> {
    /// How many requests it holds; `None`: any number. What comes when it is full is rejected.
    pub limit: Option<u32>,
    /// In which order they are served.
    pub order: Order,
    /// Which are dropped for having waited.
    pub timeout: QueueTimeout,
    /// Whether those whose deadline is over are dropped.
    pub drop_expired: bool,
    /// Nothing: `T` is in the state.
    pub of: PhantomData<T>,
}

/// Requests that wait, and are alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waiting<T> {
    /// What the caller tells them apart by.
    pub what: T,
    /// How many.
    pub n: u32,
    /// For how long they have waited, as far as the discipline cares.
    waited: Ticks,
    /// How long they may wait, where the discipline gave them a time when they came.
    patience: Option<Ticks>,
    /// When their deadline is over, where the discipline cares.
    expires: Option<Ticks>,
}

/// The queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QueueState<T> {
    /// The oldest first.
    waiting: Vec<Waiting<T>>,
    /// Ticks since it was empty, as far as the discipline cares.
    building: Ticks,
    codel: CodelState,
}

/// What CoDel remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
struct CodelState {
    /// Whether a request has been looked at since the start.
    begun: bool,
    /// Ticks until the interval is over.
    left: Ticks,
    /// Whether all waits that were seen in the interval were too long.
    all_long: bool,
    /// Whether those of the interval before it were; of no matter once the interval is over.
    overloaded: bool,
}

/// What became of the requests that a queue was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Taken<T> {
    /// Those to be served, in order, with counts.
    pub served: Vec<(T, u32)>,
    /// Those dropped on the way, in order, with counts.
    pub dropped: Vec<(T, u32)>,
}

impl<T> Queue<T> {
    /// First come, first served, without a limit.
    #[must_use]
    pub const fn fifo() -> Self {
        Self {
            limit: None,
            order: Order::Fifo,
            timeout: QueueTimeout::None,
            drop_expired: false,
            of: PhantomData,
        }
    }

    /// Last come, first served, without a limit.
    #[must_use]
    pub const fn lifo() -> Self {
        Self { order: Order::Lifo, ..Self::fifo() }
    }

    /// The same, with room for `limit` requests.
    #[must_use]
    pub const fn at_most(mut self, limit: u32) -> Self {
        self.limit = Some(limit);
        self
    }

    /// The same, dropping requests whose deadline is over.
    #[must_use]
    pub const fn dropping_expired(mut self) -> Self {
        self.drop_expired = true;
        self
    }

    /// The same, dropping those that have waited too long.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: QueueTimeout) -> Self {
        self.timeout = timeout;
        self
    }

    /// Waits beyond this are all alike.
    fn waits_that_matter(&self) -> Ticks {
        match self.timeout {
            QueueTimeout::None | QueueTimeout::Controlled { .. } => Ticks::ZERO,
            QueueTimeout::After(most) => most + Ticks(1),
            QueueTimeout::Codel { target, .. } => target * 2 + Ticks(1),
        }
    }

    /// Building for longer than this is all alike.
    fn building_that_matters(&self) -> Ticks {
        let for_order = match self.order {
            Order::AdaptiveLifo(after) => after + Ticks(1),
            Order::Fifo | Order::Lifo => Ticks::ZERO,
        };
        let for_timeout = match self.timeout {
            QueueTimeout::Controlled { interval, .. } => interval + Ticks(1),
            _ => Ticks::ZERO,
        };
        for_order.max(for_timeout)
    }
}

impl<T: Clone + Debug + Eq + Hash> Queue<T> {
    /// `n` requests come, whose deadline is over in `expires` ticks (`None`: they have none): how many are accepted. The
    /// others are rejected.
    #[must_use]
    pub fn offer(&self, state: &mut QueueState<T>, what: T, expires: Option<Ticks>, n: u32) -> u32 {
        let room = self.limit.map_or(u32::MAX, |limit| limit.saturating_sub(state.len()));
        let accepted = n.min(room);
        if accepted > 0 {
            let patience = match self.timeout {
                QueueTimeout::Controlled { interval, target } => {
                    Some(if state.building > interval { target } else { interval })
                }
                _ => None,
            };
            let expires = expires.filter(|_| self.drop_expired);
            let new = Waiting { what, n: accepted, waited: Ticks::ZERO, patience, expires };
            match state.waiting.last_mut() {
                Some(last) if last.is_like(&new) => last.n += accepted,
                _ => state.waiting.push(new),
            }
        }
        accepted
    }

    /// Takes up to `n` requests to be served now, in the discipline's order. Those that are dropped on the way take nothing
    /// of `n`.
    #[must_use]
    pub fn take(&self, state: &mut QueueState<T>, n: u32) -> Taken<T> {
        let mut taken = Taken { served: Vec::new(), dropped: Vec::new() };
        let mut left = n;
        while left > 0 && !state.waiting.is_empty() {
            let newest = match self.order {
                Order::Fifo => false,
                Order::Lifo => true,
                Order::AdaptiveLifo(after) => state.building > after,
            };
            let at = if newest { state.waiting.len() - 1 } else { 0 };
            // One at a time: CoDel treats the first of an interval differently.
            let one = state.waiting[at].clone();
            state.waiting[at].n -= 1;
            if state.waiting[at].n == 0 {
                state.waiting.remove(at);
            }
            let drop = self.is_dropped(&mut state.codel, &one);
            let into = if drop { &mut taken.dropped } else { &mut taken.served };
            match into.last_mut() {
                Some((what, n)) if *what == one.what => *n += 1,
                _ => into.push((one.what, 1)),
            }
            left -= u32::from(!drop);
        }
        self.settle(state);
        taken
    }

    fn is_dropped(&self, codel: &mut CodelState, one: &Waiting<T>) -> bool {
        let waited_too_long = match self.timeout {
            QueueTimeout::None => false,
            QueueTimeout::After(most) => one.waited > most,
            QueueTimeout::Controlled { .. } => one.patience.is_some_and(Ticks::is_zero),
            QueueTimeout::Codel { interval, target } => codel.drops(one.waited, interval, target),
        };
        waited_too_long || one.expires.is_some_and(Ticks::is_zero)
    }

    fn settle(&self, state: &mut QueueState<T>) {
        if state.waiting.is_empty() {
            state.building = Ticks::ZERO;
        }
    }
}

impl CodelState {
    /// The interval of a new one is over at once, but not within its first tick.
    fn new(timeout: QueueTimeout) -> Self {
        match timeout {
            QueueTimeout::Codel { .. } => Self { left: Ticks(1), ..Self::default() },
            _ => Self::default(),
        }
    }

    fn drops(&mut self, waited: Ticks, interval: Ticks, target: Ticks) -> bool {
        let long = waited > target;
        if !self.begun {
            *self = Self { begun: true, all_long: long, ..*self };
            return false;
        }
        if self.left.is_zero() {
            let overloaded = self.all_long;
            // One more: an interval is over only after its length, not at its length.
            *self = Self { begun: true, left: interval + Ticks(1), all_long: long, overloaded };
            return false;
        }
        self.all_long &= long;
        self.overloaded && waited > target * 2
    }

    fn tick(&mut self) {
        self.left = self.left.less_one();
        self.overloaded &= !self.left.is_zero();
    }
}

impl<T: Eq> Waiting<T> {
    fn is_like(&self, other: &Self) -> bool {
        (&self.what, self.waited, self.patience, self.expires)
            == (&other.what, other.waited, other.patience, other.expires)
    }
}

impl<T> QueueState<T> {
    /// How many requests wait.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.waiting.iter().map(|w| w.n).sum()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What waits, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (&T, u32)> {
        self.waiting.iter().map(|w| (&w.what, w.n))
    }

    /// Takes up to `n` of `what` away, unserved: they have given up, or are turned out. How many there were to take away.
    pub fn withdraw(&mut self, what: &T, n: u32) -> u32
    where
        T: Eq,
    {
        let mut left = n;
        for w in self.waiting.iter_mut().filter(|w| w.what == *what) {
            let taken = left.min(w.n);
            w.n -= taken;
            left -= taken;
        }
        self.waiting.retain(|w| w.n > 0);
        if self.waiting.is_empty() {
            self.building = Ticks::ZERO;
        }
        n - left
    }

    /// Changes what all waiting requests are told apart by, for callers whose `T` ages. Entries stay in order.
    pub fn update(&mut self, mut change: impl FnMut(&mut T)) {
        self.waiting.iter_mut().for_each(|w| change(&mut w.what));
    }
}

impl<T: Clone + Debug + Eq + Hash> Policy for Queue<T> {
    type State = QueueState<T>;

    fn validate(&self) -> Result<(), PolicyError> {
        PolicyError::unless(self.limit != Some(0), "queue: limit", self.limit, "at least 1")
    }

    fn initial(&self) -> QueueState<T> {
        QueueState { waiting: Vec::new(), building: Ticks::ZERO, codel: CodelState::new(self.timeout) }
    }

    fn tick(&self, state: &mut QueueState<T>) {
        let most = self.waits_that_matter();
        for w in &mut state.waiting {
            w.waited = (w.waited + Ticks(1)).min(most);
            w.patience = w.patience.map(Ticks::less_one);
            w.expires = w.expires.map(Ticks::less_one);
        }
        state.waiting.dedup_by(|new, old| {
            let alike = new.is_like(old);
            old.n += if alike { new.n } else { 0 };
            alike
        });
        state.building = if state.waiting.is_empty() {
            Ticks::ZERO
        } else {
            (state.building + Ticks(1)).min(self.building_that_matters())
        };
        state.codel.tick();
    }
}
