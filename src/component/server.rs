//! A server: so many requests a tick, a queue before it, and what becomes of it when there are more.
//!
//! # What is kept, and why that is exact
//!
//! The queue is a list of batches in the order of their arrival; a batch is the requests of one tick, as counts by label. In
//! which order the requests of one tick stand is left open until some, but not all, of them are taken; then every choice
//! of counts is explored ([`Pick::Any`]). For what can happen on a path this is the same as fixing an order on arrival. For
//! `recoverable` it means that a state has not yet decided who is served next.
//!
//! # A tick
//!
//! What arrived joins the queue; requests whose clients have given up are dropped, if it does that; as many as it can are
//! served; what does not fit into the queue is rejected. The answer to a request leaves in the tick in which it is served,
//! or `service` ticks later: with links of one tick the round trip is `service + 2` ticks.

use super::bag::Bag;
use super::line::{Line, Out};
use super::msg::{Answer, Control, Request};
use super::turn::{Ask, Component, Inbox, Pick, Turn};
use crate::actor::Ageing;
use crate::component_actor;
use crate::policy::{Order, QueueTimeout, Ratio};
use std::fmt;

/// What becomes of the throughput when more is asked for than the capacity C, with q requests there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overload {
    /// It stays C.
    #[default]
    Keeps,
    /// It collapses: max(0, 2C - q) (thrashing, lock contention, a network that carries what will be thrown away).
    Collapses,
}

impl Overload {
    /// How many of `q` are served at a capacity of `capacity` (requests per tick).
    #[must_use]
    pub fn served(self, capacity: u32, q: u32) -> u32 {
        match self {
            Self::Collapses if q > capacity => (2 * capacity).saturating_sub(q),
            _ => capacity.min(q),
        }
    }
}

/// A server.
#[derive(Clone, Debug)]
pub struct Server {
    capacity: u32,
    service: u16,
    queue: Option<u32>,
    order: Order,
    timeout: QueueTimeout,
    drops_expired: bool,
    overload: Overload,
    rejection: Option<Answer>,
    rejection_cost: Ratio,
    down: Option<Answer>,
    cold: Option<(u32, u32)>,
    starts_cold: bool,
    healthy_queue: Option<u32>,
    pick: Pick,
}

/// The state of a server.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Serving {
    /// Whether it is up.
    pub up: bool,
    /// Its capacity when warm (requests per tick).
    pub capacity: u32,
    /// Its capacity while it warms up; None when it is warm.
    pub warming: Option<u32>,
    /// The requests that wait.
    pub queue: Line,
    /// The requests in service, with the ticks left.
    pub in_service: Bag<(Request, u16)>,
    /// What it answers: [`Answer::Ok`], or what was set.
    pub value: Answer,
}

impl Serving {
    /// How many requests wait.
    #[must_use]
    pub fn queue_length(&self) -> u32 {
        self.queue.len()
    }

    /// How many requests it can serve in a tick.
    #[must_use]
    pub fn throughput(&self) -> u32 {
        if self.up { self.warming.unwrap_or(self.capacity).min(self.capacity) } else { 0 }
    }

    /// How many of those that wait have nobody any more who waits for them.
    #[must_use]
    pub fn orphans(&self) -> u32 {
        self.queue.batches.iter().map(|batch| batch.total_of(Request::expired)).sum()
    }
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Serving");
        if !self.up {
            shown.field("up", &self.up);
        }
        shown.field("capacity", &self.throughput());
        shown.field("queue", &self.queue);
        if !self.in_service.is_empty() {
            shown.field("in_service", &self.in_service);
        }
        if self.value != Answer::Ok {
            shown.field("value", &self.value);
        }
        shown.finish()
    }
}

impl Server {
    /// A server that starts `capacity` requests a tick; a queue without limit, first come first served, rejections free.
    #[must_use]
    pub fn new(capacity: u32) -> Self {
        Self {
            capacity,
            service: 0,
            queue: None,
            order: Order::Fifo,
            timeout: QueueTimeout::None,
            drops_expired: false,
            overload: Overload::Keeps,
            rejection: Some(Answer::Rejected),
            rejection_cost: Ratio::ZERO,
            down: Some(Answer::Unreachable),
            cold: None,
            starts_cold: false,
            healthy_queue: None,
            pick: Pick::Any,
        }
    }

    /// How many ticks a request takes, beyond the tick in which it is started. Requests are served side by side, `capacity`
    /// more in each tick. Default: 0.
    #[must_use]
    pub fn service(mut self, ticks: u16) -> Self {
        self.service = ticks;
        self
    }

    /// How many requests may wait from one tick to the next. 0: what is not served in the tick of its arrival is rejected.
    /// Default: no limit, so that the state space may have none.
    #[must_use]
    pub fn queue(mut self, limit: u32) -> Self {
        self.queue = Some(limit);
        self
    }

    /// Who is served first. With [`Order::Lifo`] a full queue loses its oldest requests, else its newest. Default:
    /// [`Order::Fifo`].
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// What is dropped, and told that it is rejected, for having waited too long (a queue timeout, CoDel). Default: nothing.
    #[must_use]
    pub fn queue_timeout(mut self, timeout: QueueTimeout) -> Self {
        self.timeout = timeout;
        self
    }

    /// Drops requests for which no answer can be in time any more, unanswered and at no cost: the deadline that travels with each
    /// is looked at. Default: they are served.
    #[must_use]
    pub fn dropping_expired(mut self) -> Self {
        self.drops_expired = true;
        self
    }

    /// What overload does to its throughput. Default: [`Overload::Keeps`].
    #[must_use]
    pub fn overload(mut self, overload: Overload) -> Self {
        self.overload = overload;
        self
    }

    /// What it answers to what does not fit into its queue; None: nothing. Default: [`Answer::Rejected`].
    #[must_use]
    pub fn rejecting(mut self, answer: Option<Answer>) -> Self {
        self.rejection = answer;
        self
    }

    /// What a rejection costs, as a share of what serving a request costs. Default: nothing. With a cost, throughput falls when
    /// more is asked for: as many are served as leave room for the rejections that this makes necessary.
    #[must_use]
    pub fn rejection_cost(mut self, share: Ratio) -> Self {
        self.rejection_cost = share;
        self
    }

    /// What those are told who ask while it is down; None: nothing. Default: [`Answer::Unreachable`].
    #[must_use]
    pub fn when_down(mut self, answer: Option<Answer>) -> Self {
        self.down = answer;
        self
    }

    /// After a repair or a restart it can do `from` requests a tick, and `step` more after each tick in which it has served some.
    /// Default: it is warm at once.
    #[must_use]
    pub fn cold_start(mut self, from: u32, step: u32) -> Self {
        self.cold = Some((from, step));
        self
    }

    /// It is cold from the first tick on, as a remote site that nobody has used. Needs [`Server::cold_start`]. Default: warm.
    #[must_use]
    pub fn starting_cold(mut self) -> Self {
        self.starts_cold = true;
        self
    }

    /// It leaves health checks unanswered while more than so many requests wait. Default: it answers while it is up.
    #[must_use]
    pub fn healthy_up_to(mut self, queue: u32) -> Self {
        self.healthy_queue = Some(queue);
        self
    }

    /// Which requests of one tick are served first, where it makes a difference. Default: [`Pick::Any`].
    #[must_use]
    pub fn pick(mut self, pick: Pick) -> Self {
        self.pick = pick;
        self
    }

    /// How many are served, with `q` requests there.
    fn served(&self, capacity: u32, q: u32) -> u32 {
        let served = self.overload.served(capacity, q);
        let Some(limit) = self.queue else { return served };
        let affordable = |served: u32| {
            let rejected = q.saturating_sub(served).saturating_sub(limit);
            let (num, den) = (u64::from(self.rejection_cost.num), u64::from(self.rejection_cost.den.max(1)));
            u64::from(served) * den + u64::from(rejected) * num <= u64::from(capacity) * den
        };
        (0..=served).rev().find(|served| affordable(*served)).unwrap_or(0)
    }
}

impl Component for Server {
    type Memory = Serving;

    fn start(&self) -> Serving {
        Serving {
            up: true,
            capacity: self.capacity,
            warming: self.cold.filter(|_| self.starts_cold).map(|(from, _)| from),
            queue: Line::new(self.order, self.timeout),
            in_service: Bag::new(),
            value: Answer::Ok,
        }
    }

    fn control(&self, state: &mut Serving, control: Control) {
        let lose = |state: &mut Serving| {
            state.queue = Line::new(self.order, self.timeout);
            state.in_service = Bag::new();
        };
        let cold = self.cold.map(|(from, _)| from);
        match control {
            Control::Fail => {
                state.up = false;
                lose(state);
            }
            Control::Repair if !state.up => (state.up, state.warming) = (true, cold),
            Control::Restart => {
                lose(state);
                (state.up, state.warming) = (true, cold);
            }
            Control::SetCapacity(n) => state.capacity = n,
            Control::AddCapacity(n) => state.capacity += n,
            Control::ResetCapacity => state.capacity = self.capacity,
            Control::SetValue(value) => state.value = value,
            _ => {}
        }
    }

    fn act(&self, state: &mut Serving, arrived: &Inbox, turn: &mut Turn) -> Result<(), Ask> {
        if !state.up {
            if let Some(answer) = self.down {
                arrived.requests.iter().for_each(|(request, n)| turn.answer(*request, answer, n));
            }
            return Ok(());
        }
        if self.healthy_queue.is_none_or(|most| state.queue_length() <= most) {
            super::probe::answer(arrived, turn);
        }
        let aged = |request: &Request| request.aged().unwrap_or(*request);
        state.in_service = state.in_service.map(|(request, left)| (aged(request), left - 1));
        let discipline = (self.order, self.timeout);
        state.queue.tick(discipline, aged, &arrived.requests);
        if self.drops_expired {
            state.queue.drop_all(Request::expired);
        }
        let served = self.served(state.throughput(), state.queue_length());
        let Out { served, dropped: mut turned_away } =
            state.queue.take(discipline, served, self.pick, turn)?;
        served.iter().for_each(|(request, n)| state.in_service.add((*request, self.service), n));
        let too_many = self.queue.map_or(0, |limit| state.queue_length().saturating_sub(limit));
        let oldest = self.order == Order::Lifo;
        turned_away.add_all(&state.queue.cut(too_many, oldest, "rejected", self.pick, turn)?);
        if let Some(answer) = self.rejection {
            turned_away.iter().for_each(|(request, n)| turn.answer(*request, answer, n));
        }
        let (done, still) = state.in_service.split(|(_, left)| *left == 0);
        state.in_service = still;
        done.iter().for_each(|((request, _), n)| turn.answer(*request, state.value, n));
        if let (Some(warming), Some((_, step))) = (state.warming, self.cold)
            && !served.is_empty()
        {
            let warming = warming.saturating_add(step);
            state.warming = (warming < self.capacity).then_some(warming);
        }
        Ok(())
    }
}

component_actor!(Server);
