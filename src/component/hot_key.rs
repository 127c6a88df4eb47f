//! One key of a cache: fresh, stale, bad or gone, and who fetches it anew.
//!
//! # What is kept, and why that is exact
//!
//! The entry with its age, as far as its age matters; the fetch under way that others wait for, if they do, with those who wait,
//! as counts by label; the failure that is remembered. Fetches that nobody but their own request waits for are not kept:
//! they carry the request on their way.
//!
//! # A tick
//!
//! Answers of the store first, then the requests of the tick. Where several answers arrive in one tick, every order in which
//! they can change the entry is explored: which of them comes last.
//!
//! # Misses
//!
//! [`Misses::All`]: every request that misses asks the store itself (a stampede). [`Misses::One`]: one asks, and the others wait
//! for its answer, an error as well as a value (single flight). [`Misses::Lease`]: one asks, and the others are answered at once
//! ([`Answer::Rejected`]: wait and ask again).

use super::bag::Bag;
use super::msg::{Answer, Control, Msg, Request, Response};
use super::turn::{Ask, Component, Inbox, Turn};
use crate::actor::Ageing;
use crate::component_actor;
use crate::policy::{Age, Freshness, Lookup, NegativeCaching, NegativeState, Policy, Ticks};
use stateright::actor::Id;
use std::fmt;

/// What becomes of requests that miss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Misses {
    /// Each asks the store.
    #[default]
    All,
    /// One asks, the others wait for its answer.
    One,
    /// One asks, the others are told to ask again.
    Lease,
}

/// What a failed fetch makes of the entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnError {
    /// It stays as it is.
    #[default]
    Keep,
    /// It is deleted.
    Delete,
}

/// One key of a cache.
#[derive(Clone, Debug)]
pub struct HotKey {
    store: Id,
    freshness: Option<Freshness>,
    misses: Misses,
    on_error: OnError,
    fixes: bool,
    writes_invalid: bool,
    negative: Option<NegativeCaching>,
    fetch_timeout: u16,
}

/// The entry of a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entry {
    /// A valid value, of this age.
    Valid(Age),
    /// A value that is itself bad.
    Invalid,
    /// Nothing.
    Missing,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Valid(Age(Ticks::ZERO)) => f.write_str("Valid"),
            Self::Valid(Age(age)) => write!(f, "Valid for {}", age.0),
            Self::Invalid => f.write_str("Invalid"),
            Self::Missing => f.write_str("Missing"),
        }
    }
}

/// The state of a key.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Keyed {
    /// What is cached.
    pub entry: Entry,
    /// The fetch that others depend on, as its request, if one is under way.
    pub fetch: Option<Request>,
    /// Requests that wait for it.
    pub waiting: Bag<Request>,
    /// The failure that is remembered, if failures are.
    pub negative: Option<NegativeState>,
    /// Whether values that are not valid are fetched anew.
    pub fixing: bool,
}

impl Keyed {
    /// Whether the entry is valid (fresh or stale).
    #[must_use]
    pub fn valid(&self) -> bool {
        matches!(self.entry, Entry::Valid(_))
    }
}

impl fmt::Debug for Keyed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Key");
        shown.field("entry", &self.entry);
        if let Some(fetch) = &self.fetch {
            shown.field("fetch", fetch);
        }
        if !self.waiting.is_empty() {
            shown.field("waiting", &self.waiting);
        }
        if let Some(negative) = self.negative.filter(|negative| !negative.left.is_zero()) {
            shown.field("failure_remembered", &negative.left);
        }
        if !self.fixing {
            shown.field("fixing", &self.fixing);
        }
        shown.finish()
    }
}

impl HotKey {
    /// A valid key before `store`, which stays fresh for ever; every miss asks the store; errors leave the entry alone; invalid values
    /// are not written.
    #[must_use]
    pub fn new(store: impl Into<Id>) -> Self {
        Self {
            store: store.into(),
            freshness: None,
            misses: Misses::All,
            on_error: OnError::Keep,
            fixes: true,
            writes_invalid: false,
            negative: None,
            fetch_timeout: super::NEVER,
        }
    }

    /// How long the entry is fresh, and what may be done with a stale one. Default: it is fresh for ever.
    #[must_use]
    pub fn freshness(mut self, freshness: Freshness) -> Self {
        self.freshness = Some(freshness);
        self
    }

    /// What becomes of requests that miss. Default: [`Misses::All`].
    #[must_use]
    pub fn misses(mut self, misses: Misses) -> Self {
        self.misses = misses;
        self
    }

    /// What a failed fetch makes of the entry. Default: [`OnError::Keep`].
    #[must_use]
    pub fn on_error(mut self, on_error: OnError) -> Self {
        self.on_error = on_error;
        self
    }

    /// An invalid value is served as it is, and not fetched anew. [`Control::Disable`] does the same later.
    #[must_use]
    pub fn not_fixing(mut self) -> Self {
        self.fixes = false;
        self
    }

    /// An invalid value that the store answers is written into the cache. Default: it is not.
    #[must_use]
    pub fn writing_invalid(mut self) -> Self {
        self.writes_invalid = true;
        self
    }

    /// Failures are remembered: requests are answered with [`Answer::Error`] meanwhile. Default: they are not.
    #[must_use]
    pub fn negative(mut self, negative: NegativeCaching) -> Self {
        self.negative = Some(negative);
        self
    }

    /// After how many ticks a fetch that others depend on is given up, and counts as failed. Default: with its request's client.
    #[must_use]
    pub fn fetch_timeout(mut self, ticks: u16) -> Self {
        self.fetch_timeout = ticks;
        self
    }

    fn lookup(&self, state: &Keyed) -> Lookup {
        match (state.entry, &self.freshness) {
            (Entry::Valid(age), Some(freshness)) => freshness.lookup(age),
            (Entry::Valid(_), None) => Lookup::Fresh,
            (Entry::Invalid, _) if !state.fixing => Lookup::Fresh,
            _ => Lookup::Gone,
        }
    }

    /// The store has answered, or has not in time.
    fn fetched(&self, state: &mut Keyed, answer: Answer) {
        let failed = !matches!(answer, Answer::Ok | Answer::Invalid);
        state.entry = match answer {
            Answer::Ok => Entry::Valid(Age(Ticks::ZERO)),
            Answer::Invalid if self.writes_invalid => Entry::Invalid,
            Answer::Invalid => state.entry,
            _ if self.on_error == OnError::Delete => Entry::Missing,
            _ => state.entry,
        };
        if let (Some(policy), Some(negative)) = (&self.negative, &mut state.negative) {
            if failed { policy.failure(negative) } else { policy.success(negative) }
        }
    }

    /// What a request is told whose fetch has failed: the stale value, where that is allowed.
    fn told(&self, state: &Keyed, answer: Answer) -> Answer {
        match (state.entry, &self.freshness) {
            (Entry::Valid(age), Some(freshness))
                if answer.outcome() != crate::policy::Outcome::Success
                    && freshness.may_serve_on_error(age) =>
            {
                Answer::Ok
            }
            _ => answer,
        }
    }

    /// The answers of a tick, in every order that makes a difference to the entry.
    fn answers(&self, state: &mut Keyed, answers: &Bag<Answer>, turn: &mut Turn) -> Result<(), Ask> {
        // Each answer either sets the entry or leaves it, so it is the last that counts; failures in a row are counted before it.
        let kinds: Vec<Answer> = answers.iter().map(|(answer, _)| *answer).collect();
        if kinds.is_empty() {
            return Ok(());
        }
        let mut ways: Vec<(Vec<Answer>, Keyed)> = Vec::new();
        for order in permutations(&kinds) {
            let mut after = state.clone();
            order.iter().for_each(|answer| self.fetched(&mut after, *answer));
            if !ways.iter().any(|(_, known)| *known == after) {
                ways.push((order, after));
            }
        }
        let orders: Vec<Vec<Answer>> = ways.iter().map(|(order, _)| order.clone()).collect();
        let order = turn.choose("heard", &orders)?;
        if let Some((_, after)) = ways.into_iter().find(|(o, _)| *o == order) {
            *state = after;
        }
        Ok(())
    }

    /// One request asks the store; the others do as [`Misses`] says.
    fn miss(&self, state: &mut Keyed, requests: &Bag<Request>, turn: &mut Turn) -> Result<(), Ask> {
        if self.misses == Misses::All {
            requests.iter().for_each(|(r, n)| turn.send(self.store, Msg::Request(r.via(turn.id())), n));
            return Ok(());
        }
        let mut others = requests.clone();
        if state.fetch.is_none() {
            let first = turn.draw("asks the store", requests, 1, super::Pick::Any)?;
            others.remove_all(&first);
            if let Some((request, _)) = first.iter().next() {
                self.fetch(state, *request, turn);
                state.waiting.add(*request, 1);
            }
        }
        match self.misses {
            Misses::One => state.waiting.add_all(&others),
            _ => others.iter().for_each(|(request, n)| turn.answer(*request, Answer::Rejected, n)),
        }
        Ok(())
    }

    /// Asks the store on the key's own account.
    fn fetch(&self, state: &mut Keyed, request: Request, turn: &mut Turn) {
        let left = if self.fetch_timeout == super::NEVER { request.left } else { self.fetch_timeout + 1 };
        let fetch = Request { left, ..Request::new(turn.id(), request.class, 0) };
        let fetch = Request { key: request.key, ..fetch };
        turn.send(self.store, Msg::Request(fetch), 1);
        state.fetch = Some(Request { path: super::Path::default(), ..fetch });
    }

    /// The fetch under way has ended.
    fn end(&self, state: &mut Keyed, answer: Answer, turn: &mut Turn) {
        state.fetch = None;
        let told = self.told(state, answer);
        for (request, n) in std::mem::take(&mut state.waiting).iter() {
            turn.answer(*request, told, n);
        }
    }
}

impl Component for HotKey {
    type Memory = Keyed;

    fn start(&self) -> Keyed {
        Keyed {
            entry: Entry::Valid(Age(Ticks::ZERO)),
            fetch: None,
            waiting: Bag::new(),
            negative: self.negative.as_ref().map(Policy::start),
            fixing: self.fixes,
        }
    }

    fn control(&self, state: &mut Keyed, control: Control) {
        match control {
            Control::Flush(percent) if percent > 0 => state.entry = Entry::Missing,
            Control::Restart => state.entry = Entry::Missing,
            Control::SetValue(Answer::Ok) => state.entry = Entry::Valid(Age(Ticks::ZERO)),
            Control::SetValue(Answer::Invalid) => state.entry = Entry::Invalid,
            Control::Disable => state.fixing = false,
            Control::Enable => state.fixing = true,
            _ => {}
        }
    }

    fn act(&self, state: &mut Keyed, arrived: &Inbox, turn: &mut Turn) -> Result<(), Ask> {
        super::probe::answer(arrived, turn);
        if let (Some(freshness), Entry::Valid(age)) = (&self.freshness, &mut state.entry) {
            freshness.tick(age);
        }
        if let (Some(policy), Some(negative)) = (&self.negative, &mut state.negative) {
            policy.tick(negative);
        }
        let aged = |request: &Request| request.aged().unwrap_or(*request);
        state.waiting = state.waiting.map(aged);
        state.fetch = state.fetch.as_ref().map(aged);

        let of_fetch = |response: &Response| Some(response.request) == state.fetch;
        let own = arrived.responses.iter().find(|((_, r), _)| of_fetch(r)).map(|((_, r), _)| r.answer);
        let late = state.fetch.is_some_and(|fetch| fetch.expired()) && own.is_none();
        let ended = if late { Some(Answer::Error) } else { own };
        let mut heard: Bag<Answer> = Bag::new();
        for ((_, response), _) in arrived.responses.iter() {
            // An answer to a fetch that was given up fills the cache like any other.
            heard.add(response.answer, 1);
        }
        heard.add(Answer::Error, u32::from(late));
        self.answers(state, &heard, turn)?;
        for ((_, response), n) in arrived.responses.iter() {
            turn.answer(response.request, self.told(state, response.answer), n);
        }
        if let Some(answer) = ended {
            self.end(state, answer, turn);
        }

        let requests = &arrived.requests;
        let remembered = match (&self.negative, &state.negative) {
            (Some(policy), Some(negative)) => policy.answers(negative),
            _ => false,
        };
        let serve = |state: &Keyed, turn: &mut Turn| {
            let answer = if state.entry == Entry::Invalid { Answer::Invalid } else { Answer::Ok };
            requests.iter().for_each(|(request, n)| turn.answer(*request, answer, n));
        };
        match self.lookup(state) {
            Lookup::Fresh => serve(state, turn),
            Lookup::Revalidate => {
                serve(state, turn);
                if let (None, Some((request, _)), false) = (state.fetch, requests.iter().next(), remembered) {
                    self.fetch(state, *request, turn);
                }
            }
            Lookup::IfError if remembered => serve(state, turn),
            _ if remembered => {
                requests.iter().for_each(|(request, n)| turn.answer(*request, Answer::Error, n));
            }
            Lookup::IfError | Lookup::Gone if !requests.is_empty() => self.miss(state, requests, turn)?,
            Lookup::IfError | Lookup::Gone => {}
        }
        Ok(())
    }
}

/// Every order of a few different answers.
fn permutations(kinds: &[Answer]) -> Vec<Vec<Answer>> {
    let Some((last, before)) = kinds.split_last() else { return vec![Vec::new()] };
    let insert = |order: &Vec<Answer>, at: usize| [&order[..at], &[*last], &order[at..]].concat();
    permutations(before).iter().flat_map(|order| (0..=order.len()).map(move |at| insert(order, at))).collect()
}

component_actor!(HotKey);
