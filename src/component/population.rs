//! A population of identical clients: who asks, how long they wait, and when they ask again.
//!
//! # What is kept, and why that is exact
//!
//! Clients of one population follow the same rules, and nobody else tells one from another. What a client does next depends on
//! the label of the attempt that it waits for (attempt, ticks left, deadline, key: [`Request`]) or, between two attempts,
//! on the label of the next one and the ticks of backoff that are left. So two clients with the same label are
//! interchangeable, and states that differ only in which of them is which have the same futures: counts of clients by label are
//! a quotient of the system of single clients (a bisimulation), not an abstraction of it. An answer carries the label of its
//! request, aged alike, so it is matched with exactly those who may have sent it; where that is more than one, it makes no
//! difference which. Nothing else is kept: no ids, no time of sending, no history.
//!
//! An answer whose label nobody waits with is an orphan: its client has given up. It is dropped. An answer that arrives in the
//! very tick in which its client would give up is in time.
//!
//! # A tick
//!
//! Answers first; then those whose patience ends give up; then retries whose backoff is over; then fresh requests. All
//! of them are sent at the end of the tick. A retry budget hears of the attempts that end in a tick in every order that makes
//! a difference to it.
//!
//! # Open and closed
//!
//! [`Population::open`]: so many fresh requests a tick, whatever becomes of them (many users, each of whom asks now and then);
//! or, with [`Population::every`], so many in every n-th tick, and none between.
//! [`Population::closed`]: n clients, each of whom waits for its answer (or its last failure), thinks for a while, and asks again.

use super::bag::Bag;
use super::guard::{Ended, Guard, Guarded};
use super::look_aside::{Buckets, LookAside};
use super::msg::{Answer, Class, Control, Memo, Msg, NEVER, Path, Request, less_one};
use super::turn::{Ask, Component, Inbox, Turn};
use super::wait::{Wait, over};
use crate::actor::Ageing;
use crate::component_actor;
use crate::model::refuse;
use crate::policy::{AdaptiveThrottle, Attempt, Backoff, CircuitBreaker, Outcome, Retry, RetryBudget, Ticks};
use stateright::actor::Id;
use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Where fresh requests come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// So many a tick; every number of the range is explored.
    Open(RangeInclusive<u32>),
    /// So many clients, each with one request at a time, who think between two for a number of ticks in the range.
    Closed(u32, Wait),
}

/// Which key a fresh request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Always this one.
    One(u8),
    /// The keys from 0 to n - 1 in turn, from 0 on in each tick.
    Spread(u8),
    /// Any of the keys from 0 to n - 1: every distribution is explored.
    Any(u8),
}

/// A population of identical clients.
#[derive(Clone, Debug)]
pub struct Population {
    class: Class,
    target: Id,
    arrivals: Arrivals,
    every: u16,
    keys: Keys,
    timeout: u16,
    deadline: u16,
    retry: Retry,
    guard: Guard,
    cache: Option<LookAside>,
    takes: fn(Answer) -> Outcome,
    tick: Duration,
    tallied: bool,
}

/// An attempt that is to be made later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resting {
    /// The attempt.
    pub next: Request,
    /// When.
    pub wait: Wait,
    /// The longest wait that it could be, where the next delay depends on this one.
    longest: u16,
}

impl fmt::Debug for Resting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{} {:?}", self.next.attempt, self.wait)
    }
}

/// What became of the attempts of one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    /// Attempts that got what they asked for, in time.
    pub ok: u32,
    /// Attempts that got another answer, in time.
    pub failed: u32,
    /// Attempts that got no answer in time.
    pub timed_out: u32,
    /// Operations given up: their last attempt failed or timed out.
    pub abandoned: u32,
}

/// The state of a population: counts of clients by what they wait for.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Clients {
    /// Closed arrivals: clients that think, by how long still.
    pub idle: Bag<Wait>,
    /// Attempts that are waited for. `left` is counted with the tick before the next one included.
    pub waiting: Bag<Request>,
    /// Attempts that are yet to be made.
    pub resting: Bag<Resting>,
    /// Closed arrivals: clients that were turned away.
    pub away: u32,
    /// How often the population has been stopped.
    pub stops: u8,
    /// Fresh requests a tick, where a trigger or an operator has changed them.
    pub arrivals: Option<u32>,
    /// For how many ticks more no fresh requests come.
    pub pause: u16,
    /// Attempts of a request at most, where an operator has changed them.
    pub attempts: Option<u8>,
    /// What the retry budget, the circuit breaker and the throttle remember, which the population shares.
    pub guard: Guarded,
    /// The cache that they look aside to, if they have one.
    pub cache: Option<Buckets>,
    /// What was sent in the last tick. It is under way in any case, so it splits no states.
    pub sent: Sent,
    /// The last tick, if the population is [tallied](Population::tallied).
    pub tally: Option<Tally>,
}

/// Requests sent in one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sent {
    /// First attempts.
    pub fresh: u32,
    /// Further attempts.
    pub retries: u32,
}

impl Clients {
    /// Whether no attempt but first ones is waited for or yet to be made.
    #[must_use]
    pub fn calm(&self) -> bool {
        self.resting.is_empty() && self.waiting.iter().all(|(request, _)| request.attempt == 1)
    }
}

impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Clients");
        shown.field("waiting", &self.waiting);
        let unless = |empty: bool| !empty;
        if unless(self.resting.is_empty()) {
            shown.field("resting", &self.resting);
        }
        if unless(self.idle.is_empty()) {
            shown.field("idle", &self.idle);
        }
        if self.away > 0 {
            shown.field("away", &self.away);
        }
        if let Some(arrivals) = self.arrivals {
            shown.field("arrivals", &arrivals);
        }
        if self.pause > 0 {
            shown.field("pause", &self.pause);
        }
        if let Some(attempts) = self.attempts {
            shown.field("attempts", &attempts);
        }
        if !self.guard.is_none() {
            shown.field("guard", &self.guard);
        }
        if let Some(cache) = &self.cache {
            shown.field("cache", cache);
        }
        if let Some(tally) = self.tally {
            shown.field("tally", &tally);
        }
        shown.finish()
    }
}

impl Population {
    fn new(target: Id, arrivals: Arrivals) -> Self {
        Self {
            class: Class::default(),
            target,
            arrivals,
            every: 1,
            keys: Keys::One(0),
            timeout: NEVER,
            deadline: NEVER,
            retry: Retry::never(),
            guard: Guard::default(),
            cache: None,
            takes: Answer::outcome,
            tick: Duration::from_secs(1),
            tallied: false,
        }
    }

    /// Open arrivals: `requests` fresh ones a tick, every number of the range explored in each tick.
    #[must_use]
    pub fn open(target: impl Into<Id>, requests: RangeInclusive<u32>) -> Self {
        Self::new(target.into(), Arrivals::Open(requests))
    }

    /// Closed arrivals: `clients`, each of whom thinks for a number of ticks in `think` before each operation (`0..=NEVER`: it
    /// may ask at any moment, or never).
    #[must_use]
    pub fn closed(target: impl Into<Id>, clients: u32, think: RangeInclusive<u16>) -> Self {
        Self::new(target.into(), Arrivals::Closed(clients, Wait::within(think)))
    }

    /// Open arrivals come in every n-th tick only, in the first tick and then `ticks` apart: a round of several ticks, so that
    /// one wave at a time is under way. Default: in every tick.
    #[must_use]
    pub fn every(mut self, ticks: u16) -> Self {
        self.every = ticks;
        self
    }

    /// What kind of requests these are. Default: the unnamed class.
    #[must_use]
    pub fn class(mut self, class: impl Into<Class>) -> Self {
        self.class = class.into();
        self
    }

    /// Which keys they ask for. Default: key 0.
    #[must_use]
    pub fn keys(mut self, keys: Keys) -> Self {
        self.keys = keys;
        self
    }

    /// For how many ticks the answer to an attempt is waited for: one that arrives after `ticks` ticks is in time. At least one;
    /// default: for ever.
    #[must_use]
    pub fn timeout(mut self, ticks: u16) -> Self {
        self.timeout = ticks;
        self
    }

    /// After how many ticks an operation is given up, all its attempts together. Default: never.
    #[must_use]
    pub fn deadline(mut self, ticks: u16) -> Self {
        self.deadline = ticks;
        self
    }

    /// So many retries of whatever may pass by itself, each in the tick in which the failure is seen. Default: none.
    #[must_use]
    pub fn retries(mut self, retries: u8) -> Self {
        self.retry = Retry::times(u32::from(retries), Backoff::none());
        self
    }

    /// Whatever may pass by itself is tried again for ever. Attempts are counted only as far as the backoff depends on their
    /// number, so that the state space stays finite.
    #[must_use]
    pub fn retrying_for_ever(self, backoff: Backoff, tick: Duration) -> Self {
        self.retry(Retry { attempts: u32::MAX, ..Retry::times(1, backoff) }, tick)
    }

    /// When requests are tried again. Its durations are rounded up to ticks of `tick`.
    #[must_use]
    pub fn retry(mut self, retry: Retry, tick: Duration) -> Self {
        (self.retry, self.tick) = (retry, tick);
        self
    }

    /// How many retries are made, over all requests of the population. Default: no limit.
    #[must_use]
    pub fn budget(mut self, budget: RetryBudget) -> Self {
        self.guard.budget = (budget != RetryBudget::Unlimited).then_some(budget);
        self
    }

    /// The circuit breaker that all requests of the population pass. What it refuses fails at once with [`Outcome::Refused`]; a
    /// retry of that comes a tick later at the earliest. Default: none.
    #[must_use]
    pub fn breaker(mut self, breaker: CircuitBreaker) -> Self {
        self.guard.breaker = Some(breaker);
        self
    }

    /// Adaptive throttling of all requests of the population; what it rejects fails like what a breaker refuses. Every answer
    /// but [`Answer::Rejected`] and [`Answer::Unreachable`] counts as accepted. Default: none.
    #[must_use]
    pub fn throttle(mut self, throttle: AdaptiveThrottle) -> Self {
        self.guard.throttle = Some(throttle);
        self
    }

    /// The cache that the clients look aside to before they ask: a hit is served at once, within the tick, and nothing is sent; a
    /// good answer to a miss warms a bucket. [`Control::Flush`] empties a share of it. Retries do not look again. Default: none.
    #[must_use]
    pub fn look_aside(mut self, cache: LookAside) -> Self {
        self.cache = Some(cache);
        self
    }

    /// What the clients take an answer for. Default: [`Answer::outcome`].
    #[must_use]
    pub fn taking(mut self, takes: fn(Answer) -> Outcome) -> Self {
        self.takes = takes;
        self
    }

    /// Keeps what became of the attempts of the last tick in the state ([`Tally`]), for measures. It splits states, so it is off
    /// by default: most measures can be read off what is waited for and what is under way.
    #[must_use]
    pub fn tallied(mut self) -> Self {
        self.tallied = true;
        self
    }

    pub(super) fn retry_budget(&self) -> Option<RetryBudget> {
        self.guard.budget.clone()
    }

    fn attempts_max(&self, state: &Clients) -> u32 {
        let declared = self.retry.attempts;
        state.attempts.map_or(declared, |attempts| declared.min(u32::from(attempts)))
    }

    /// The attempts that end in this tick, each with its outcome; they are taken out of `waiting`.
    fn ended(&self, state: &mut Clients, arrived: &Inbox, turn: &mut Turn) -> Result<Vec<Ended>, Ask> {
        let mut ended = Vec::new();
        for (label, members) in state.waiting.clone().iter() {
            let mut answers = Bag::new();
            for ((_, response), n) in arrived.responses.iter().filter(|((_, r), _)| r.request == *label) {
                answers.add((self.takes)(response.answer), n);
            }
            // More answers than members (a link has duplicated them): any of them may come first.
            for (outcome, n) in turn.draw("heard", &answers, members, super::Pick::Any)?.iter() {
                state.waiting.remove(label, n);
                ended.push(self.end(state, *label, *outcome, n));
            }
        }
        let (late, patient) = state.waiting.split(Request::expired);
        state.waiting = patient;
        ended.extend(late.iter().map(|(label, n)| self.end(state, *label, Outcome::Timeout, n)));
        Ok(ended)
    }

    fn end(&self, state: &Clients, request: Request, outcome: Outcome, n: u32) -> Ended {
        let attempt = u32::from(request.attempt);
        let wants = attempt < self.attempts_max(state)
            && self.retry.wants(attempt, outcome)
            && request.memo.deadline > 1;
        Ended { request, outcome, n, wants }
    }

    /// The next attempt of an operation, and when it is made.
    fn next_attempt(&self, ended: &Request, outcome: Outcome) -> Resting {
        let previous = Ticks(u32::from(ended.memo.waited));
        let wait = Wait::from(self.retry.delay(u32::from(ended.attempt), outcome, previous, self.tick));
        let memo = Memo { kind: self.kind(Attempt::Retry { after: outcome }), waited: 0, ..ended.memo };
        let soonest = u16::from(outcome == Outcome::Refused);
        let wait = Wait { lo: wait.lo.max(soonest), hi: wait.hi.max(soonest) };
        let attempt = self.counted(ended.attempt.saturating_add(1), outcome);
        let next = Request { attempt, left: 0, memo, path: Path::default(), ..*ended };
        Resting { next, wait, longest: if self.retry.needs_previous() { wait.hi } else { 0 } }
    }

    /// The number of an attempt, as far as it matters: where attempts are unlimited, the first from which on delays do not change.
    fn counted(&self, attempt: u8, outcome: Outcome) -> u8 {
        if self.retry.attempts <= u32::from(u8::MAX) || self.retry.needs_previous() {
            return attempt;
        }
        let delays = |n: u8| {
            let delay = |o| self.retry.delay(u32::from(n), o, Ticks::ZERO, self.tick);
            (delay(outcome), delay(Outcome::Error), delay(Outcome::Throttled))
        };
        (2..attempt).find(|n| delays(*n) == delays(u8::MAX)).unwrap_or(attempt)
    }

    fn kind(&self, attempt: Attempt) -> Attempt {
        self.guard.budget.as_ref().map_or(Attempt::First, |budget| budget.kind(attempt))
    }

    /// The fresh requests of the tick, by key.
    fn fresh(&self, state: &mut Clients, turn: &mut Turn) -> Result<Bag<u8>, Ask> {
        let n = match &self.arrivals {
            Arrivals::Open(_) if state.pause > 0 => {
                state.pause -= 1;
                0
            }
            Arrivals::Open(range) => {
                state.pause = self.every - 1;
                match state.arrivals {
                    Some(n) => n,
                    None => turn.number("arrivals", range.clone())?,
                }
            }
            Arrivals::Closed(..) => over("asking", &mut state.idle, |wait| *wait, turn)?.total(),
        };
        let hits = match (&self.cache, &state.cache) {
            (Some(cache), Some(buckets)) => cache.hits(buckets, n, turn)?,
            _ => 0,
        };
        self.done(state, hits);
        let n = n - hits;
        match self.keys {
            Keys::One(key) => Ok([(key, n)].into_iter().collect()),
            Keys::Spread(keys) => {
                let keys = u32::from(keys.max(1));
                Ok((0..n).map(|i| ((i % keys) as u8, 1)).collect())
            }
            Keys::Any(keys) => {
                let each: Bag<u8> = (0..keys.max(1)).map(|key| (key, n)).collect();
                turn.draw("keys", &each, n, super::Pick::Any)
            }
        }
    }

    /// Sends requests, which are waited for from now on.
    fn ask(&self, state: &mut Clients, request: Request, n: u32, turn: &mut Turn) {
        let left = self.timeout.saturating_add(1).min(request.memo.deadline);
        let label = Request { left, path: Path::default(), ..request };
        state.waiting.add(label, n);
        turn.send(self.target, Msg::Request(Request { path: Path::to(turn.id()), ..label }), n);
    }

    /// Attempts have ended: each is made again later, or its operation is over.
    fn settle(
        &self,
        state: &mut Clients,
        ended: &[Ended],
        tally: &mut Tally,
        turn: &mut Turn,
    ) -> Result<(), Ask> {
        let granted = self.guard.granted(&mut state.guard, ended, turn)?;
        for (Ended { request, outcome, n, .. }, again) in ended.iter().zip(granted) {
            match outcome {
                Outcome::Success => tally.ok += n,
                Outcome::Timeout => tally.timed_out += n,
                _ => tally.failed += n,
            }
            state.resting.add(self.next_attempt(request, *outcome), again);
            self.done(state, n - again);
            tally.abandoned += if outcome.is_success() { 0 } else { n - again };
        }
        Ok(())
    }

    /// Clients that are done with their operation.
    fn done(&self, state: &mut Clients, n: u32) {
        if let Arrivals::Closed(_, think) = self.arrivals {
            state.idle.add(think, n);
        }
    }
}

impl Component for Population {
    type Memory = Clients;

    fn start(&self) -> Clients {
        let mut idle = Bag::new();
        if let Arrivals::Closed(clients, think) = self.arrivals {
            idle.add(think, clients);
        }
        if self.timeout == 0 || self.deadline == 0 {
            refuse("a client must wait for an answer for one tick at least".to_owned());
        }
        if self.every == 0 || self.every > 1 && matches!(self.arrivals, Arrivals::Closed(..)) {
            refuse("requests come in every n-th tick where arrivals are open and n is at least 1".to_owned());
        }
        if let Err(error) = self.retry.validate() {
            refuse(error.to_string());
        }
        Clients {
            idle,
            waiting: Bag::new(),
            resting: Bag::new(),
            away: 0,
            stops: 0,
            arrivals: None,
            pause: 0,
            attempts: None,
            guard: self.guard.start(),
            cache: self.cache.as_ref().map(LookAside::start),
            sent: Sent::default(),
            tally: self.tallied.then(Tally::default),
        }
    }

    fn control(&self, state: &mut Clients, control: Control) {
        let closed = matches!(self.arrivals, Arrivals::Closed(..));
        match control {
            Control::Stop => {
                if closed {
                    state.away += state.idle.total() + state.waiting.total() + state.resting.total();
                } else {
                    state.arrivals = Some(0);
                }
                (state.idle, state.waiting, state.resting) = (Bag::new(), Bag::new(), Bag::new());
                state.guard = self.guard.start();
                state.stops = state.stops.saturating_add(1);
            }
            Control::Admit(n) if closed => {
                let n = n.min(state.away);
                state.away -= n;
                // They have waited long enough: they ask at once.
                state.idle.add(Wait { lo: 1, hi: 1 }, n);
            }
            Control::Flush(_) | Control::Restart | Control::Fail | Control::Repair => {
                if let Some(cache) = &mut state.cache {
                    LookAside::control(cache, control);
                }
            }
            Control::Admit(n) | Control::Surge(n) => state.arrivals = Some(n),
            Control::Calm => state.arrivals = None,
            Control::SetAttempts(n) => state.attempts = Some(n),
            _ => {}
        }
    }

    fn act(&self, state: &mut Clients, arrived: &Inbox, turn: &mut Turn) -> Result<(), Ask> {
        self.guard.tick(&mut state.guard);
        state.waiting = state.waiting.map(|request| request.aged().unwrap_or(*request));
        state.idle = state.idle.map(|wait| wait.aged());
        state.resting = state.resting.map(|resting| {
            let mut older = *resting;
            older.wait = resting.wait.aged();
            older.next.memo.deadline = less_one(resting.next.memo.deadline);
            older
        });

        let mut tally = Tally::default();
        let ended = self.ended(state, arrived, turn)?;
        if let (Some(cache), Some(buckets)) = (&self.cache, &mut state.cache) {
            let good = arrived.responses.iter().filter(|((_, r), _)| r.answer == Answer::Ok);
            cache.tick(buckets, good.map(|(_, n)| n).sum(), turn)?;
        }
        self.settle(state, &ended, &mut tally, turn)?;
        let (too_late, in_time) = state.resting.split(|resting| resting.next.memo.deadline <= 1);
        state.resting = in_time;
        for (resting, n) in too_late.iter() {
            self.guard.forgone(&mut state.guard, resting.next.memo.kind, n);
            self.done(state, n);
            tally.abandoned += n;
        }

        let mut wanted = Bag::new();
        for (resting, n) in over("retrying", &mut state.resting, |resting| resting.wait, turn)?.iter() {
            let mut next = resting.next;
            next.memo.waited = resting.longest.saturating_sub(resting.wait.hi);
            self.guard.retry_sent(&mut state.guard, n);
            wanted.add(next, n);
        }
        let mut fresh = Request::new(turn.id(), self.class, self.timeout);
        fresh.memo.deadline = self.deadline.saturating_add(1);
        fresh.memo.stops = state.stops;
        for (key, n) in self.fresh(state, turn)?.iter() {
            self.guard.request(&mut state.guard, n);
            wanted.add(Request { key: *key, ..fresh }, n);
        }
        let mut sent = Sent::default();
        let admitted = self.guard.admitted(&mut state.guard, &wanted, turn)?;
        for (request, n) in admitted.iter() {
            self.ask(state, *request, n, turn);
            *(if request.attempt > 1 { &mut sent.retries } else { &mut sent.fresh }) += n;
        }
        wanted.remove_all(&admitted);
        let refused = wanted.iter().map(|(request, n)| self.end(state, *request, Outcome::Refused, n));
        let refused: Vec<Ended> = refused.collect();
        self.settle(state, &refused, &mut tally, turn)?;
        state.sent = sent;
        state.tally = self.tallied.then_some(tally);
        Ok(())
    }
}

component_actor!(Population);
