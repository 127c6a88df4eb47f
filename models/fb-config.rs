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
//! - A client reads the key at any moment; where the key is not valid, that is a query. One that fails, or is answered with a value
//!   that is still invalid, reads again at once. Only valid answers are written into the cache (`invalid_answer=write`: all).
//! - A message takes one tick, between client and cache as between cache and database (`latency_max`: there up to that).
//!
//! Not fixed but explored: when the change is made and how long it stays, which clients read the key when, whose answer comes last
//! of those of one tick, when the operators act.
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
//! | C < n < 2C | violated: errors may come last for ever | holds |
//! | n >= 2C | violated | violated: a trap |
//! | `overload=serve-capacity`, n > C | violated | holds |
//! | `invalid_answer=write`, `on_error=keep-key` | violated | violated: a trap |
//! | `latency_max=2` | violated | holds |
//!
//! With `mend=stop-and-admit` the operators may stop all traffic at any moment after the repair and let `admit` clients back in each
//! tick (all six in six ticks, or in three). With admit <= C the value stays valid once all are let back, and it can always become
//! valid again; with three a tick it falls back into the trap: the ramp must not exceed the capacity. (Unless it is over too soon:
//! of four clients let back as three and one, the one is served and its answer ends the loop of the three.)
//!
//! The last two cases are not in the text, and tell what the result rests on. Where late invalid answers are written into the
//! cache, they undo the repair just as errors do, and keeping the key on errors is not enough. And the trap is one of a herd
//! in step: with jitter a quiet tick can break it, though nothing makes it come.

use aftercalm::actor::{Link, TimedState, TimedSystem, exactly};
use aftercalm::component::{
    self, Answer, Assemble, Control, HotKey, Misses, Msg, NEVER, Operator, Overload, Population, store,
};
use aftercalm::policy::{Backoff, Outcome};
use aftercalm::property::{ModelExt, System, recoverable, stabilizes};
use std::time::Duration;

const TICK: Duration = Duration::from_millis(100);

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
    pub(crate) enum OnOverload {
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
        overload: OnOverload = OnOverload::Collapse,
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

/// To a client an invalid value is a failure: it tries again.
fn takes(answer: Answer) -> Outcome {
    if answer == Answer::Invalid { Outcome::Error } else { answer.outcome() }
}

/// The system with its claims.
///
/// # Errors
/// Where a parameter makes no sense.
pub(crate) fn system(p: &Parameters) -> Result<System<TimedSystem<Msg>>, String> {
    if p.clients == 0 || p.latency_max == 0 || p.admit == 0 {
        return Err("clients, admit and latency_max must be at least 1".to_owned());
    }
    let mut sys = component::system(TICK);
    let collapses = p.overload == OnOverload::Collapse;
    let overload = if collapses { Overload::Collapses } else { Overload::Keeps };
    let database = sys.install("database", store(p.capacity).overload(overload));
    let mut key = HotKey::new(database).misses(if p.lease { Misses::Lease } else { Misses::All });
    if p.on_error == OnError::DeleteKey {
        key = key.on_error(component::OnError::Delete);
    }
    if p.invalid_answer == InvalidAnswer::Write {
        key = key.writing_invalid();
    }
    if !p.fixing {
        key = key.not_fixing();
    }
    let key = sys.install("key", key);
    let clients =
        Population::closed(key, p.clients, 0..=NEVER).taking(takes).retrying_for_ever(Backoff::none(), TICK);
    let clients = sys.install("clients", clients);
    sys.link_both(key, database, Link::latency(1..=p.latency_max));

    let set = |value| [(database.id(), Control::SetValue(value)), (key.id(), Control::SetValue(value))];
    let mut events = Operator::new()
        .then("the value is changed to an invalid one", set(Answer::Invalid))
        .then("the value is repaired", set(Answer::Ok));
    let repaired = events.actions();
    if p.mend == Mend::StopAndAdmit {
        events = events.then("all traffic is stopped", [(clients, Control::Stop)]);
        // Until the last query and its answer have arrived.
        let mut wait = TICK * (2 * p.latency_max + 2);
        for _ in 0..p.clients.div_ceil(p.admit) {
            let admit = [(clients, Control::Admit(p.admit))];
            events = events.then_within(exactly(wait), "some clients are let back", admit);
            wait = TICK;
        }
    }
    let all = events.actions();
    let events = sys.add("events", events);
    sys.validate()?;

    let queries = move |s: &TimedState<Msg>| {
        s.count_in_flight(|m| m.dst == database.id() && matches!(m.msg, Msg::Request(_)))
    };
    let errors = move |s: &TimedState<Msg>| {
        s.count_in_flight(|m| {
            m.dst == key.id() && matches!(m.msg, Msg::Response(r) if r.answer == Answer::Error)
        })
    };
    let capacity = p.capacity;
    let system = sys
        .system()
        .atom("valid", move |_, s| s[key].valid())
        .atom("repaired", Operator::done(events, repaired))
        .atom("overloaded", move |_, s| queries(s) > capacity)
        .measure("queries", "requests", move |_, s| queries(s).into())
        .measure("errors", "responses", move |_, s| errors(s).into())
        .claim(stabilizes("valid").after("repaired").named("stays valid"))
        .claim(recoverable("valid").after("repaired").named("can become valid again"));
    if p.mend == Mend::RepairOnly {
        return Ok(system);
    }
    Ok(system
        .atom("let_back", Operator::done(events, all))
        .claim(stabilizes("valid").after("let_back").named("stays valid once all are let back")))
}

fn main() -> std::process::ExitCode {
    aftercalm::run(system)
}
