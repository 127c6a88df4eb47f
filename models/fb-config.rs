//! Facebook, 23 September 2010: two and a half hours of outage from one invalid configuration value.
//!
//! # What the text says
//!
//! - An automated system looks for invalid configuration values in the cache and replaces them from the persistent store.
//! - A change made the stored value itself invalid. Every client saw the invalid value and tried to fix it by querying the
//!   database cluster: hundreds of thousands of queries a second, more than it could serve.
//! - A client that got an error took it for an invalid value and deleted the cache key. So the queries went on after the
//!   value had been repaired: as long as some failed, they caused more.
//! - It ended when all traffic to the cluster was stopped and people were let back slowly. Since then the fixing system is
//!   turned off.
//!
//! # What is assumed
//!
//! - Volumes are scaled down: n clients share one cache key, and a database serves at most C queries a tick. Beyond that it
//!   collapses: of q queries it serves max(0, 2C - q). (`overload=serve-capacity`: it still serves C.)
//! - The change reaches the store and the cache, and so does its repair; were it otherwise, the documented prevention (no
//!   fixing) would leave the invalid value in the cache.
//! - A client that comes to read the key, at any moment, and does not find it valid, queries. One that fails, or is answered
//!   with a value that is still invalid, tries again at once unless it finds the key valid by then. It writes only valid
//!   answers into the cache (`invalid_answer=write`: all).
//! - A message takes one tick (`latency_max`: up to that).
//!
//! Not fixed but explored: when the change is made and how long it stays, which clients read the key when, the order of
//! everything that arrives in the same tick.
//!
//! # What comes out
//!
//! `stabilizes` is "the value becomes valid and stays valid", `recoverable` is "it can always become valid again".
//!
//! | case | stabilizes | recoverable |
//! | --- | --- | --- |
//! | as it happened (n = 6, C = 2) | violated | violated: a trap |
//! | `fixing=false`, `on_error=keep-key`, or `lease=true` | holds | holds |
//! | n <= C | holds | holds |
//! | C < n < 2C | violated: may flap for ever | holds |
//! | n >= 2C | violated | violated: a trap |
//! | `overload=serve-capacity`, n > C | violated | holds |
//! | `invalid_answer=write`, `on_error=keep-key` | violated | violated: a trap |
//! | `latency_max=2` | violated | holds |
//!
//! With `mend=stop-and-admit` the operators may stop all traffic at any moment after the repair and let `admit` clients back in each
//! tick. With admit <= C the value stays valid once all are let back, and it can always become valid again; with admit > C it
//! falls back into the trap. So the ramp must not exceed the capacity.
//!
//! The last two cases are not in the text, and tell what the result rests on. Where late invalid answers are written into the
//! cache, they undo the repair just as errors do, and keeping the key on errors is not enough. And the trap is one of a herd
//! in step: with jitter a quiet tick can break it, though nothing makes it come.

use aftercalm::actor::{
    Handle, Link, Phase, TimedState, TimedSystem, Trigger, exactly, later, not_before, send_n,
};
use aftercalm::property::{ModelExt, System, recoverable, stabilizes};
use aftercalm::stateright::actor::{Actor, Id, Out};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

aftercalm::choices! {
    /// What a client does with the key when its query fails.
    pub(crate) enum OnError {
        /// It takes the error for an invalid value and deletes the key.
        DeleteKey = "delete-key",
        /// It leaves the key alone.
        KeepKey = "keep-key",
    }
}

aftercalm::choices! {
    /// What becomes of the database's throughput beyond its capacity C, with q queries in a tick.
    pub(crate) enum Overload {
        /// It collapses: max(0, 2C - q) are served.
        Collapse = "collapse",
        /// It stays: C are served, the others fail.
        ServeCapacity = "serve-capacity",
    }
}

aftercalm::choices! {
    /// What a client does with an answer that is itself invalid.
    pub(crate) enum InvalidAnswer {
        /// It does not write it into the cache.
        Ignore = "ignore",
        /// It writes it, so that a late one can undo the repair.
        Write = "write",
    }
}

aftercalm::choices! {
    /// What the operators do.
    pub(crate) enum Mend {
        /// They repair the value, and that is all.
        RepairOnly = "repair-only",
        /// At some moment after the repair they stop all traffic, wait until none is left, and let clients back slowly.
        StopAndAdmit = "stop-and-admit",
    }
}

aftercalm::parameters! {
    /// Clients, one cache key, and the database behind it.
    pub(crate) struct Parameters {
        /// Clients that share the cache key (n).
        clients: u32 = 6,
        /// Queries that the database can serve in a tick (C).
        capacity: u32 = 2,
        /// Whether clients try to fix a value that is not valid. Turned off after the incident.
        fixing: bool = true,
        /// What a client does with the key when its query fails.
        on_error: OnError = OnError::DeleteKey,
        /// Whether at most one query at a time is made for the key.
        lease: bool = false,
        /// What becomes of the database's throughput beyond its capacity.
        overload: Overload = Overload::Collapse,
        /// What a client does with an answer that is itself invalid.
        invalid_answer: InvalidAnswer = InvalidAnswer::Ignore,
        /// What the operators do.
        mend: Mend = Mend::RepairOnly,
        /// Clients that are let back in each tick (with mend=stop-and-admit).
        admit: u32 = 1,
        /// The most ticks that a message takes (at least 1).
        latency_max: u32 = 1,
    }
}

const TICK: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Msg {
    /// The change: an invalid value.
    BadValue,
    /// The repair: the valid value again.
    Repair,
    Query,
    /// An answer: the stored value is valid.
    Valid,
    /// An answer: the stored value is invalid.
    Invalid,
    /// An answer: the query was not served.
    Error,
    /// The operators turn all clients away.
    Stop,
    /// The operators let this many clients back.
    Admit(u32),
}

/// What is cached, or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Valid,
    Invalid,
    Missing,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Timer {
    /// Some idle client reads the key, and finds it not valid.
    Read,
    /// At the end of the tick the database serves what it can.
    Serve,
    /// The operators stop all traffic,
    Stop,
    /// and let some clients back.
    LetBack,
}

/// All clients together with the cache that they share.
struct Population {
    database: Id,
    parameters: Parameters,
}

/// The cache key, and what the clients do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Clients {
    key: Key,
    idle: u32,
    waiting: u32,
    /// Turned away by the operators.
    away: u32,
}

impl Population {
    /// `n` of the clients that do not wait query the database.
    fn query(&self, state: &mut Clients, n: u32, out: &mut Out<Self>) {
        let n = if self.parameters.lease { n.min(1 - state.waiting.min(1)) } else { n };
        state.idle -= n;
        state.waiting += n;
        send_n(out, self.database, Msg::Query, n as usize);
    }

    /// While the key is not valid, idle clients may come to read it at any time: within this tick at the earliest.
    fn expect_reads(&self, state: &Clients, now: bool, out: &mut Out<Self>) {
        let free = if self.parameters.lease { state.waiting == 0 } else { true };
        if self.parameters.fixing && state.key != Key::Valid && state.idle > 0 && free {
            out.set_timer(Timer::Read, if now { not_before(Duration::ZERO) } else { later() });
        } else {
            out.cancel_timer(Timer::Read);
        }
    }
}

impl Actor for Population {
    type Msg = Msg;
    type State = Clients;
    type Timer = Timer;
    type Random = u32;
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, _: &mut Out<Self>) -> Clients {
        Clients { key: Key::Valid, idle: self.parameters.clients, waiting: 0, away: 0 }
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, Clients>, _: Id, msg: Msg, out: &mut Out<Self>) {
        let state = state.to_mut();
        match msg {
            Msg::BadValue => state.key = Key::Invalid,
            Msg::Repair | Msg::Valid => state.key = Key::Valid,
            Msg::Invalid if self.parameters.invalid_answer == InvalidAnswer::Write => {
                state.key = Key::Invalid
            }
            Msg::Error if self.parameters.on_error == OnError::DeleteKey => state.key = Key::Missing,
            Msg::Stop => {
                state.away += state.idle + state.waiting;
                (state.idle, state.waiting) = (0, 0);
            }
            Msg::Admit(n) => {
                let n = n.min(state.away);
                state.away -= n;
                state.idle += n;
                if state.key != Key::Valid {
                    self.query(state, n, out);
                }
            }
            Msg::Error | Msg::Invalid | Msg::Query => {}
        }
        // With nobody waiting, the answer is to a client that has been turned away: it does not try again.
        if matches!(msg, Msg::Valid | Msg::Invalid | Msg::Error) && state.waiting > 0 {
            state.waiting -= 1;
            state.idle += 1;
            if state.key != Key::Valid {
                self.query(state, 1, out);
            }
        }
        self.expect_reads(state, true, out);
    }

    fn on_timeout(&self, _: Id, state: &mut Cow<'_, Clients>, _: &Timer, out: &mut Out<Self>) {
        let most = if self.parameters.lease { 1 } else { state.idle };
        out.choose_random("readers", (1..=most).collect());
    }

    fn on_random(&self, _: Id, state: &mut Cow<'_, Clients>, readers: &u32, out: &mut Out<Self>) {
        let state = state.to_mut();
        self.query(state, *readers, out);
        self.expect_reads(state, false, out);
    }
}

/// The persistent store and the database cluster that serves it.
struct Cluster {
    parameters: Parameters,
}

/// What is stored, and the queries of the tick.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Database {
    stored: Key,
    /// Who has queried in this tick; nobody between two ticks, so it is not shown.
    queries: Vec<Id>,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Database {{ stored: {:?} }}", self.stored)
    }
}

impl Actor for Cluster {
    type Msg = Msg;
    type State = Database;
    type Timer = Timer;
    type Random = ();
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, _: &mut Out<Self>) -> Database {
        Database { stored: Key::Valid, queries: Vec::new() }
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, Database>, src: Id, msg: Msg, out: &mut Out<Self>) {
        match msg {
            Msg::BadValue => state.to_mut().stored = Key::Invalid,
            Msg::Repair => state.to_mut().stored = Key::Valid,
            Msg::Query => {
                state.to_mut().queries.push(src);
                out.set_timer(Timer::Serve, exactly(Duration::ZERO));
            }
            _ => {}
        }
    }

    fn on_timeout(&self, _: Id, state: &mut Cow<'_, Database>, _: &Timer, out: &mut Out<Self>) {
        let state = state.to_mut();
        let (c, q) = (self.parameters.capacity as usize, state.queries.len());
        let served = match self.parameters.overload {
            _ if q <= c => q,
            Overload::Collapse => (2 * c).saturating_sub(q),
            Overload::ServeCapacity => c,
        };
        let answer = if state.stored == Key::Valid { Msg::Valid } else { Msg::Invalid };
        for (i, client) in state.queries.drain(..).enumerate() {
            out.send(client, if i < served { answer } else { Msg::Error });
        }
    }
}

/// The operators: once the value is repaired they stop all traffic, at any moment or never, and let clients back slowly.
struct Operators {
    clients: Id,
    parameters: Parameters,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mending {
    NotBegun,
    /// This many clients have not been let back yet.
    Stopped(u32),
    Done,
}

impl Actor for Operators {
    type Msg = Msg;
    type State = Mending;
    type Timer = Timer;
    type Random = ();
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, _: &mut Out<Self>) -> Mending {
        Mending::NotBegun
    }

    fn on_msg(&self, _: Id, _: &mut Cow<'_, Mending>, _: Id, _repair: Msg, out: &mut Out<Self>) {
        if self.parameters.mend == Mend::StopAndAdmit {
            out.set_timer(Timer::Stop, later());
        }
    }

    fn on_timeout(&self, _: Id, state: &mut Cow<'_, Mending>, act: &Timer, out: &mut Out<Self>) {
        let left = match (act, &**state) {
            (Timer::Stop, _) => {
                out.send(self.clients, Msg::Stop);
                // Until the last query and its answer have arrived.
                out.set_timer(Timer::LetBack, exactly(TICK * (2 * self.parameters.latency_max + 1)));
                self.parameters.clients
            }
            (Timer::LetBack, Mending::Stopped(left)) => {
                out.send(self.clients, Msg::Admit(self.parameters.admit.min(*left)));
                let left = left.saturating_sub(self.parameters.admit);
                if left > 0 {
                    out.set_timer(Timer::LetBack, exactly(TICK));
                }
                left
            }
            _ => 0,
        };
        *state = Cow::Owned(if left > 0 { Mending::Stopped(left) } else { Mending::Done });
    }
}

/// The system with its claims.
///
/// # Errors
/// Where a parameter makes no sense.
pub(crate) fn system(p: &Parameters) -> Result<System<TimedSystem<Msg>>, String> {
    if p.clients == 0 || p.latency_max == 0 || p.admit == 0 {
        return Err("clients, admit and latency_max must be at least 1".to_owned());
    }
    let mut sys = TimedSystem::<Msg>::new(TICK);
    let clients: Handle<Population> = sys.reserve("clients");
    let database = sys.add("database", Cluster { parameters: p.clone() });
    sys.fill(clients, Population { database: database.id(), parameters: p.clone() });
    let mut bad_value = Trigger::lasting(later())
        .at_start(database, Msg::BadValue)
        .at_start(clients, Msg::BadValue)
        .at_end(database, Msg::Repair)
        .at_end(clients, Msg::Repair);
    let operators = (p.mend == Mend::StopAndAdmit)
        .then(|| sys.add("operators", Operators { clients: clients.id(), parameters: p.clone() }));
    if let Some(operators) = operators {
        bad_value = bad_value.at_end(operators, Msg::Repair);
    }
    let change = sys.add("change", bad_value);
    sys.link_both(clients, database, Link::latency(1..=p.latency_max));
    sys.order_free(database);

    let capacity = i64::from(p.capacity);
    let under_way = |state: &TimedState<Msg>, msg: Msg| i64::from(state.count_in_flight(|m| *m.msg == msg));
    let system = sys
        .system()
        .atom("valid", move |_, s| s[clients].key == Key::Valid)
        .atom("repaired", move |_, s| s[change] == Phase::Over && under_way(s, Msg::Repair) == 0)
        .atom("overloaded", move |_, s| under_way(s, Msg::Query) > capacity)
        .measure("queries", "requests", move |_, s| under_way(s, Msg::Query))
        .measure("errors", "responses", move |_, s| under_way(s, Msg::Error))
        .claim(stabilizes("valid").after("repaired").named("stays valid"))
        .claim(recoverable("valid").after("repaired").named("can become valid again"));
    let Some(operators) = operators else { return Ok(system) };
    Ok(system
        .atom("let_back", move |_, s| {
            s[operators] == Mending::Done && s.in_flight_to(clients).all(|m| !matches!(m.msg, Msg::Admit(_)))
        })
        .claim(stabilizes("valid").after("let_back").named("stays valid once all are let back")))
}

fn main() -> std::process::ExitCode {
    aftercalm::run(system)
}
