//! Ready-made atoms and measures of each component, named after it: `server_queue`, `clients_calm`.
//!
//! They are added to a system with [`System::atoms`](crate::property::System::atoms) and
//! [`System::measures`](crate::property::System::measures):
//! `system.measures(Server::measures(server, "server"))`. What is counted a tick is read off the messages that arrive in the next tick,
//! so that nothing has to be kept in the state for it; with a link whose latency is a range, these are the messages that may.

use super::balancer::Balancer;
use super::cache::Cache;
use super::hedged::HedgedPopulation;
use super::hot_key::{Entry, HotKey};
use super::msg::{Answer, Msg, Response};
use super::network::Network;
use super::population::Population;
use super::protector::Protector;
use super::quota::QuotaEnforcer;
use super::server::Server;
use crate::actor::{Handle, InFlight, TimedState, TimedSystem};
use crate::model::{Atom, Measure};
use crate::policy::{BreakerMode, Outcome};

type State = TimedState<Msg>;

/// An atom of a system of components.
pub type SystemAtom = Atom<TimedSystem<Msg>>;

/// A measure of a system of components.
pub type SystemMeasure = Measure<TimedSystem<Msg>>;

fn measure(
    name: &str,
    what: &str,
    unit: &str,
    eval: impl Fn(&State) -> u32 + Send + Sync + 'static,
) -> SystemMeasure {
    Measure::new(format!("{name}_{what}"), unit, move |_, state| i64::from(eval(state)))
}

fn atom(name: &str, what: &str, eval: impl Fn(&State) -> bool + Send + Sync + 'static) -> SystemAtom {
    Atom::new(format!("{name}_{what}"), move |_, state| eval(state))
}

/// The answers that arrive in the next tick and satisfy `which`.
fn arriving(state: &State, which: impl Fn(&InFlight<'_, Msg>, &Response) -> bool) -> u32 {
    state.count_in_flight(|m| match m.msg {
        Msg::Response(response) => m.ticks_min == 1 && which(m, response),
        _ => false,
    })
}

/// Whether an answer that arrives in the next tick finds its client still waiting.
fn in_time(response: &Response) -> bool {
    response.request.left > 1
}

/// `part` of `whole` in percent, rounded to the nearest; 0 of nothing.
fn percent(part: u32, whole: u32) -> u32 {
    if whole == 0 { 0 } else { (200 * part + whole) / (2 * whole) }
}

impl Population {
    /// `offered` (requests sent in the last tick, retries included), `fresh` and `retries` (the parts of it), `waiting` (attempts
    /// waited for), `resting` (attempts yet to be made), `goodput` (good answers that come in time), `errors_percent` (the share of
    /// attempts that do not get what they asked for: exact with [`tallied`](Population::tallied); without it, of the answers that
    /// come, so that timeouts are not seen).
    #[must_use]
    pub fn measures(clients: Handle<Self>, name: &str) -> Vec<SystemMeasure> {
        let to = move |m: &InFlight<'_, Msg>| m.dst == clients.id();
        let good = move |m: &InFlight<'_, Msg>, r: &Response| to(m) && r.answer == Answer::Ok && in_time(r);
        let errors = move |s: &State| match s[clients].tally {
            Some(tally) => {
                let bad = tally.failed + tally.timed_out;
                percent(bad, bad + tally.ok)
            }
            None => {
                let all = arriving(s, |m, r| to(m) && in_time(r));
                percent(all - arriving(s, good), all)
            }
        };
        vec![
            measure(name, "offered", "requests per tick", move |s| {
                s[clients].sent.fresh + s[clients].sent.retries
            }),
            measure(name, "fresh", "requests per tick", move |s| s[clients].sent.fresh),
            measure(name, "retries", "requests per tick", move |s| s[clients].sent.retries),
            measure(name, "waiting", "requests", move |s| s[clients].waiting.total()),
            measure(name, "resting", "requests", move |s| s[clients].resting.total()),
            measure(name, "goodput", "requests per tick", move |s| arriving(s, good)),
            measure(name, "errors_percent", "percent", errors),
        ]
    }

    /// Of the cache that the clients look aside to: `warm` (buckets), `warm_percent`; 0 without one.
    #[must_use]
    pub fn cache_measures(clients: Handle<Self>, name: &str) -> Vec<SystemMeasure> {
        let of = move |s: &State| s[clients].cache.as_ref().map_or((0, 0), |c| (c.warm(), c.buckets));
        vec![
            measure(name, "warm", "buckets", move |s| of(s).0),
            measure(name, "warm_percent", "percent", move |s| percent(of(s).0, of(s).1)),
        ]
    }

    /// How many retries the budget would grant now after an attempt with this outcome, one after the other; 0 without a budget.
    pub fn tokens(&self, clients: Handle<Self>, name: &str, outcome: Outcome) -> Option<SystemMeasure> {
        let budget = self.retry_budget()?;
        Some(measure(name, "tokens", "retries", move |s| {
            s[clients].guard.budget.as_ref().and_then(|state| budget.available(state, outcome)).unwrap_or(0)
        }))
    }

    /// `calm` (no attempt but first ones is waited for or yet to be made), `all_back` (no client is turned away), `breaker_open`
    /// and `breaker_closed` (both false without a breaker).
    #[must_use]
    pub fn atoms(clients: Handle<Self>, name: &str) -> Vec<SystemAtom> {
        let breaker = move |s: &State, mode| s[clients].guard.breaker_mode() == Some(mode);
        vec![
            atom(name, "calm", move |s| s[clients].calm()),
            atom(name, "all_back", move |s| s[clients].away == 0),
            atom(name, "breaker_open", move |s| breaker(s, BreakerMode::Open)),
            atom(name, "breaker_closed", move |s| breaker(s, BreakerMode::Closed)),
        ]
    }
}

impl HedgedPopulation {
    /// `offered` (attempts sent in the last tick), `fresh` (first ones), `hedges` (others), `waiting` (calls), `cancelled` (attempts that
    /// are open though their call is over).
    #[must_use]
    pub fn measures(calls: Handle<Self>, name: &str) -> Vec<SystemMeasure> {
        vec![
            measure(name, "offered", "requests per tick", move |s| s[calls].sent.0 + s[calls].sent.1),
            measure(name, "fresh", "requests per tick", move |s| s[calls].sent.0),
            measure(name, "hedges", "requests per tick", move |s| s[calls].sent.1),
            measure(name, "waiting", "calls", move |s| s[calls].waiting.total()),
            measure(name, "cancelled", "requests", move |s| s[calls].cancelled.total()),
        ]
    }

    /// `calm`: no call that waits has sent more than its first attempt.
    #[must_use]
    pub fn atoms(calls: Handle<Self>, name: &str) -> Vec<SystemAtom> {
        vec![atom(name, "calm", move |s| s[calls].calm())]
    }
}

impl Server {
    /// `queue` (requests), `orphans` (those in the queue whose clients have given up), `throughput` (its capacity now), `goodput`
    /// (good answers that leave in the last tick for clients that still wait), `wasted` (good answers for clients that do not),
    /// `errors_percent` (the share of other answers).
    #[must_use]
    pub fn measures(server: Handle<Self>, name: &str) -> Vec<SystemMeasure> {
        let from = move |m: &InFlight<'_, Msg>| m.src == server.id();
        let good = move |s: &State, timely: bool| {
            arriving(s, |m, r| from(m) && r.answer == Answer::Ok && in_time(r) == timely)
        };
        vec![
            measure(name, "queue", "requests", move |s| s[server].queue_length()),
            measure(name, "orphans", "requests", move |s| s[server].orphans()),
            measure(name, "throughput", "requests per tick", move |s| s[server].throughput()),
            measure(name, "goodput", "requests per tick", move |s| good(s, true)),
            measure(name, "wasted", "requests per tick", move |s| good(s, false)),
            measure(name, "errors_percent", "percent", move |s| {
                let all = arriving(s, |m, _| from(m));
                percent(arriving(s, |m, r| from(m) && r.answer != Answer::Ok), all)
            }),
        ]
    }

    /// `up`, `warm` (at full capacity), `empty` (nobody waits in its queue), `serves_the_living` (nobody waits in its queue whose
    /// client has given up), `valid` (what it answers is [`Answer::Ok`]).
    #[must_use]
    pub fn atoms(server: Handle<Self>, name: &str) -> Vec<SystemAtom> {
        vec![
            atom(name, "up", move |s| s[server].up),
            atom(name, "warm", move |s| s[server].up && s[server].warming.is_none()),
            atom(name, "empty", move |s| s[server].queue.is_empty()),
            atom(name, "serves_the_living", move |s| s[server].orphans() == 0),
            atom(name, "valid", move |s| s[server].value == Answer::Ok),
        ]
    }
}

impl Balancer {
    /// `group` (the number of the group that requests go to by health, 0 for the first), `unhealthy` (backends, by their checks),
    /// `ejected` (backends, by outlier detection), `in_flight` (requests, where the balancer counts them).
    #[must_use]
    pub fn measures(balancer: Handle<Self>, name: &str) -> Vec<SystemMeasure> {
        vec![
            measure(name, "group", "", move |s| s[balancer].group as u32),
            measure(name, "unhealthy", "backends", move |s| {
                s[balancer].backends.iter().map(|b| u32::from(!b.health.healthy)).sum()
            }),
            measure(name, "ejected", "backends", move |s| s[balancer].ejected()),
            measure(name, "in_flight", "requests", move |s| {
                s[balancer].backends.iter().map(|b| b.in_flight.total()).sum()
            }),
        ]
    }

    /// `on_primary` (requests go to the first group by health), `all_usable` (no backend is unhealthy or ejected).
    #[must_use]
    pub fn atoms(balancer: Handle<Self>, name: &str) -> Vec<SystemAtom> {
        vec![
            atom(name, "on_primary", move |s| s[balancer].group == 0),
            atom(name, "all_usable", move |s| {
                (0..s[balancer].backends.len()).all(|at| s[balancer].usable(at))
            }),
        ]
    }
}

impl Cache {
    /// `warm` (buckets), `warm_percent`.
    #[must_use]
    pub fn measures(cache: Handle<Self>, name: &str) -> Vec<SystemMeasure> {
        vec![
            measure(name, "warm", "buckets", move |s| s[cache].warm()),
            measure(name, "warm_percent", "percent", move |s| percent(s[cache].warm(), s[cache].buckets)),
        ]
    }
}

impl HotKey {
    /// `waiting` (requests that wait for a fetch).
    #[must_use]
    pub fn measures(key: Handle<Self>, name: &str) -> Vec<SystemMeasure> {
        vec![measure(name, "waiting", "requests", move |s| s[key].waiting.total())]
    }

    /// `valid` (fresh or stale), `missing`, `fetching` (a fetch is under way that others depend on).
    #[must_use]
    pub fn atoms(key: Handle<Self>, name: &str) -> Vec<SystemAtom> {
        vec![
            atom(name, "valid", move |s| s[key].valid()),
            atom(name, "missing", move |s| s[key].entry == Entry::Missing),
            atom(name, "fetching", move |s| s[key].fetch.is_some()),
        ]
    }
}

impl QuotaEnforcer {
    /// `arrivals` (requests that reach it in the next tick), `rejected_percent` (the share of refusals among the answers that it
    /// gave in the last tick and of what it passed on).
    #[must_use]
    pub fn measures(quota: Handle<Self>, name: &str) -> Vec<SystemMeasure> {
        let requests = |s: &State, which: &dyn Fn(&InFlight<'_, Msg>) -> bool| {
            s.count_in_flight(|m| m.ticks_min == 1 && matches!(m.msg, Msg::Request(_)) && which(m))
        };
        vec![
            measure(name, "arrivals", "requests per tick", move |s| requests(s, &|m| m.dst == quota.id())),
            measure(name, "rejected_percent", "percent", move |s| {
                let refused = arriving(s, |m, _| m.src == quota.id());
                percent(refused, refused + requests(s, &|m| m.src == quota.id()))
            }),
        ]
    }
}

impl Protector {
    /// `on`: it shunts requests.
    #[must_use]
    pub fn atoms(protector: Handle<Self>, name: &str) -> Vec<SystemAtom> {
        vec![atom(name, "on", move |s| s[protector].on())]
    }

    /// `arrivals` (requests that reach it in the next tick), `capacity` (above which it turns on).
    #[must_use]
    pub fn measures(protector: Handle<Self>, name: &str) -> Vec<SystemMeasure> {
        vec![
            measure(name, "arrivals", "requests per tick", move |s| offered_to(s, protector)),
            measure(name, "capacity", "requests per tick", move |s| s[protector].capacity),
        ]
    }
}

impl Network {
    /// `offered` (messages that reach it in the next tick), `carried` (what it passed on in the last one).
    #[must_use]
    pub fn measures(network: Handle<Self>, name: &str) -> Vec<SystemMeasure> {
        let carried = move |s: &State| s.count_in_flight(|m| m.ticks_min == 1 && m.src == network.id());
        vec![
            measure(name, "offered", "messages per tick", move |s| offered_to(s, network)),
            measure(name, "carried", "messages per tick", carried),
        ]
    }
}

/// Requests and answers that reach an actor in the next tick.
fn offered_to<A>(state: &State, actor: Handle<A>) -> u32 {
    state.count_in_flight(|m| {
        m.ticks_min == 1 && m.dst == actor.id() && matches!(m.msg, Msg::Request(_) | Msg::Response(_))
    })
}
