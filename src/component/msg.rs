//! What the components say to each other.
//!
//! One type for all of them, so that any can be wired to any. Actors of your own may join the same system: they implement
//! `Actor` with this `Msg`.
//!
//! # Deadlines travel as countdowns
//!
//! A request carries [`Request::left`], the ticks for which its client will still take an answer. It counts down under way and
//! in every component that holds the request ([`Ageing`]), so it is at every moment equal to what the client itself has
//! left. That is why an answer finds its client exactly: it carries the whole label of its request, and requests with equal
//! labels were sent in the same tick by identical clients for the same purpose, so that it makes no difference which of
//! them an answer is for. An answer whose client has given up finds nobody with its label (`left` is 0, and nobody waits with
//! 0), and is an orphan.

use crate::actor::Ageing;
use crate::model::refuse;
use crate::policy::{Attempt, Outcome};
use stateright::actor::Id;
use std::fmt;

/// A countdown that does not run: a client that never gives up, an operation without a deadline.
pub const NEVER: u16 = u16::MAX;

/// One tick less, unless it is over or does not run.
pub(super) fn less_one(left: u16) -> u16 {
    if left == NEVER { NEVER } else { left.saturating_sub(1) }
}

/// A kind of request that somebody treats differently: a tenant, an API, a priority. Shown as it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Class(pub &'static str);

impl fmt::Debug for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl From<&'static str> for Class {
    fn from(name: &'static str) -> Self {
        Self(name)
    }
}

/// The most actors that an answer goes back through.
pub const HOPS_MAX: usize = 6;

/// The way back: who wants to see the answer, the client first, whoever forwarded the request last at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Path {
    ids: [u8; HOPS_MAX],
    len: u8,
}

impl Path {
    /// The way back to `client` alone.
    #[must_use]
    pub fn to(client: Id) -> Self {
        Self::default().and(client)
    }

    /// This way, with `hop` before it.
    #[must_use]
    pub fn and(mut self, hop: Id) -> Self {
        let (at, id) = (usize::from(self.len), usize::from(hop));
        match u8::try_from(id) {
            Ok(id) if at < HOPS_MAX => self.ids[at] = id,
            _ => refuse(format!(
                "a request is forwarded by more than {} actors, or by one beyond the 256th ({id})",
                HOPS_MAX - 1
            )),
        }
        self.len += 1;
        self
    }

    /// Where the answer goes first, and the way from there.
    #[must_use]
    pub fn next(mut self) -> Option<(Id, Self)> {
        self.len = self.len.checked_sub(1)?;
        let hop = Id::from(usize::from(self.ids[usize::from(self.len)]));
        self.ids[usize::from(self.len)] = 0;
        Some((hop, self))
    }

    /// The client at the far end.
    #[must_use]
    pub fn client(self) -> Option<Id> {
        (self.len > 0).then(|| Id::from(usize::from(self.ids[0])))
    }
}

/// What a client must know again when its attempt ends. It travels with the request, as a request id would, so that the client
/// need not keep it by request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Memo {
    /// Ticks, this one included, until the whole operation is given up, all its attempts together.
    pub deadline: u16,
    /// What the retry budget must know of the attempt.
    pub kind: Attempt,
    /// The delay before the attempt, in ticks, where the next delay depends on it; else zero.
    pub waited: u16,
    /// How often its population had been stopped when it was sent: an answer to one who was turned away is nobody else's.
    pub stops: u8,
}

impl Default for Memo {
    fn default() -> Self {
        Self { deadline: NEVER, kind: Attempt::First, waited: 0, stops: 0 }
    }
}

/// A request: one attempt of one operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Request {
    /// What kind of request.
    pub class: Class,
    /// What it asks for, where a cache or a shard cares.
    pub key: u8,
    /// Which attempt of its operation: 1 for the first.
    pub attempt: u8,
    /// In how many ticks, this one included, an answer that arrives is in time. 0: the client has given up, and whatever is done
    /// for it is wasted. [`NEVER`]: it waits for ever.
    pub left: u16,
    /// What the client must know again.
    pub memo: Memo,
    /// The way back.
    pub path: Path,
}

impl Request {
    /// A first attempt of `client`, who waits for `timeout` ticks ([`NEVER`]: for ever): an answer that arrives `timeout` ticks
    /// after the request was sent is in time, a later one is not.
    #[must_use]
    pub fn new(client: Id, class: Class, timeout: u16) -> Self {
        Self {
            class,
            key: 0,
            attempt: 1,
            left: timeout.saturating_add(1),
            memo: Memo::default(),
            path: Path::to(client),
        }
    }

    /// Whether no answer that is sent from now on can be in time: every message takes a tick at least.
    #[must_use]
    pub fn expired(&self) -> bool {
        self.left <= 1
    }

    /// The same request, passed on by `hop`, who will see the answer.
    #[must_use]
    pub fn via(mut self, hop: Id) -> Self {
        self.path = self.path.and(hop);
        self
    }

    /// The answer to it, and to whom it goes; nobody, if nobody is on the way back.
    #[must_use]
    pub fn answered(mut self, answer: Answer) -> Option<(Id, Msg)> {
        let (to, path) = self.path.next()?;
        self.path = path;
        Some((to, Msg::Response(Response { request: self, answer })))
    }
}

impl Ageing for Request {
    fn aged(&self) -> Option<Self> {
        let mut aged = *self;
        aged.left = less_one(self.left);
        aged.memo.deadline = less_one(self.memo.deadline);
        (aged != *self).then_some(aged)
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request({})", Label(self))
    }
}

/// The part of a request that tells it from others, in few words: `oauth #2, 3 left`.
struct Label<'a>(&'a Request);

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { class, key, attempt, left, memo, .. } = self.0;
        if !class.0.is_empty() {
            write!(f, "{} ", class.0)?;
        }
        write!(f, "#{attempt}")?;
        if *key > 0 {
            write!(f, ", key {key}")?;
        }
        match *left {
            NEVER => {}
            0 => f.write_str(", given up")?,
            // What a client has left after this tick: its timeout less the ticks since it asked.
            left => write!(f, ", {} left", left - 1)?,
        }
        match memo.deadline {
            NEVER => {}
            deadline => write!(f, ", deadline {}", deadline.saturating_sub(1))?,
        }
        if let Attempt::Retry { after } = memo.kind {
            write!(f, ", after {after:?}")?;
        }
        if memo.waited > 0 {
            write!(f, ", waited {}", memo.waited)?;
        }
        Ok(())
    }
}

/// How a request ends, as the one who answers it sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// What was asked for.
    Ok,
    /// What was asked for, but the value itself is bad (a wrong configuration, a poisoned cache entry).
    Invalid,
    /// The server failed it (HTTP 500, 503).
    Error,
    /// It asks too much (HTTP 429; a full queue).
    Rejected,
    /// Nobody is there: the connection is refused.
    Unreachable,
    /// Something else than what was asked for, which the client does not expect: a CAPTCHA, a login page.
    Challenge,
    /// Failed, and not to be tried again.
    DoNotRetry,
}

impl Answer {
    /// What retry policies take it for. A challenge is an error to a client that does not expect it; an invalid value is a
    /// success, as far as the transport goes.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Ok | Self::Invalid => Outcome::Success,
            Self::Error | Self::Challenge => Outcome::Error,
            Self::Rejected => Outcome::Throttled,
            Self::Unreachable => Outcome::Unreachable,
            Self::DoNotRetry => Outcome::DoNotRetry,
        }
    }
}

/// An answer, with the request that it is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Response {
    /// The request, aged like every other copy of it.
    pub request: Request,
    /// How it ended.
    pub answer: Answer,
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({})", self.answer, Label(&self.request))
    }
}

/// What triggers and operators do to components. A component leaves alone what makes no sense for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Control {
    /// A server or a site goes down: what it holds is lost.
    Fail,
    /// It is up again; cold, if it starts cold.
    Repair,
    /// Down and up again at once: memory is lost, a server is cold.
    Restart,
    /// The capacity is this from now on (requests per tick). A slowdown, or an operator who scales.
    SetCapacity(u32),
    /// So much capacity more (requests per tick).
    AddCapacity(u32),
    /// The declared capacity again.
    ResetCapacity,
    /// This many percent of a cache are emptied.
    Flush(u8),
    /// The value that a store, or a cache entry, holds: [`Answer::Ok`] for a valid one, [`Answer::Invalid`] for a bad one.
    SetValue(Answer),
    /// Clients are turned away: they forget what they wait for, and send nothing.
    Stop,
    /// So many of the clients that were turned away are let back (closed arrivals), or so many requests a tick (open ones).
    Admit(u32),
    /// Fresh requests a tick are this many from now on.
    Surge(u32),
    /// Fresh requests a tick are again as declared.
    Calm,
    /// Clients make at most so many attempts of a request, the first included: a fix of the client.
    SetAttempts(u8),
    /// A class may have this many requests a tick.
    SetLimit(Class, u32),
    /// A class is not limited any more.
    RemoveLimit(Class),
    /// A protection, a failover or a repair mechanism is switched off,
    Disable,
    /// and on again.
    Enable,
    /// A balancer sends everything to this group of backends (0: the first), whatever their health.
    Direct(u8),
    /// A balancer sends this many percent to its second group of backends, the others to its first, whatever their health.
    Split(u8),
    /// A balancer goes by health again.
    ByHealth,
    /// An operator is called.
    Call,
}

/// A message of the component library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Msg {
    /// A request.
    Request(Request),
    /// An answer.
    Response(Response),
    /// Is somebody there? With the ticks, this one included, in which an answer counts.
    Ping(u16),
    /// Yes.
    Pong(u16),
    /// Something from a trigger or an operator.
    Control(Control),
}

impl Ageing for Msg {
    fn aged(&self) -> Option<Self> {
        match self {
            Self::Request(request) => request.aged().map(Self::Request),
            Self::Response(Response { request, answer }) => {
                request.aged().map(|request| Self::Response(Response { request, answer: *answer }))
            }
            Self::Ping(0) | Self::Pong(0) | Self::Control(_) => None,
            Self::Ping(left) => Some(Self::Ping(less_one(*left))),
            Self::Pong(left) => Some(Self::Pong(less_one(*left))),
        }
    }
}

impl fmt::Debug for Msg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(request) => request.fmt(f),
            Self::Response(response) => response.fmt(f),
            Self::Ping(left) => write!(f, "Ping({left})"),
            Self::Pong(left) => write!(f, "Pong({left})"),
            Self::Control(control) => control.fmt(f),
        }
    }
}

impl From<Control> for Msg {
    fn from(control: Control) -> Self {
        Self::Control(control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_copy_of_a_request_counts_down_alike_and_stops_at_given_up() {
        let mut request = Request::new(Id::from(3), Class("oauth"), 2);
        request.memo.deadline = 9;
        let mut seen = Vec::new();
        loop {
            seen.push((request.left, request.expired()));
            let Some((_, Msg::Response(response))) = request.answered(Answer::Ok) else { panic!() };
            let (aged, of_response) = (request.aged(), Msg::Response(response).aged());
            let Some(next) = aged else { break };
            if let Some(Msg::Response(of_response)) = of_response {
                assert_eq!((of_response.request.left, of_response.request.memo), (next.left, next.memo));
            }
            request = next;
        }
        assert_eq!(seen[..4], [(3, false), (2, false), (1, true), (0, true)]);
        assert_eq!(seen.len(), 10, "the deadline counts on to zero");
        let patient = Request::new(Id::from(3), Class::default(), NEVER);
        assert_eq!((patient.aged(), patient.expired()), (None, false));
    }

    #[test]
    fn an_answer_goes_back_the_way_that_the_request_came() {
        let request = Request::new(Id::from(7), Class::default(), 1).via(Id::from(2)).via(Id::from(5));
        let Some((to, Msg::Response(response))) = request.answered(Answer::Error) else { panic!() };
        assert_eq!(to, Id::from(5));
        let (next, path) = response.request.path.next().unwrap();
        assert_eq!((next, path), (Id::from(2), Path::to(Id::from(7))));
        assert_eq!(request.path.client(), Some(Id::from(7)));
    }

    #[test]
    fn messages_read_in_few_words() {
        let request = Request { attempt: 2, ..Request::new(Id::from(0), Class("oauth"), 3) };
        assert_eq!(format!("{:?}", Msg::Request(request)), "Request(oauth #2, 3 left)");
        let (_, msg) = Request { left: 0, ..request }.answered(Answer::Ok).unwrap();
        assert_eq!(format!("{msg:?}"), "Ok(oauth #2, given up)");
    }
}
