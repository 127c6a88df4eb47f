//! Components: clients, servers, balancers, caches and what else retry and failover protocols are made of, as actors that are wired to
//! each other in a few lines.
//!
//! ```
//! use aftercalm::actor::{Phase, Trigger, between, later};
//! use aftercalm::component::{self, Assemble, Control, Population, Server};
//! use aftercalm::property::{ModelExt, stabilizes};
//! use std::time::Duration;
//!
//! const TICK: Duration = Duration::from_millis(100);
//! let mut sys = component::system(TICK);
//! // Two requests a tick, a queue of ten; each tick one request of a client who waits three ticks and asks twice more.
//! let server = sys.install("server", Server::new(2).queue(10));
//! let clients = sys.install("clients", Population::open(server, 1..=1).timeout(3).retries(2));
//! let outage = Trigger::lasting(between(TICK, TICK * 8)).starting(later());
//! let outage = outage.at_start(server, Control::SetCapacity(0).into()).at_end(server, Control::ResetCapacity.into());
//! let outage = sys.add("outage", outage);
//! let system = sys
//!     .system()
//!     .atoms(Population::atoms(clients, "clients"))
//!     .measures(Server::measures(server, "server"))
//!     .atom("outage_over", move |_, s| s[outage] == Phase::Over)
//!     .claim(stabilizes("clients_calm").after("outage_over"));
//! assert!(system.validate().is_ok());
//! ```
//!
//! | component | what it is |
//! | --- | --- |
//! | [`Population`] | identical clients: open or closed arrivals, timeouts, deadlines, retries, backoff, budget, breaker, throttling |
//! | [`HedgedPopulation`] | clients that send another attempt while the first has not been answered |
//! | [`Server`], [`store`] | capacity, queue, overload, rejections, cold start; and a store, whose value can be bad |
//! | [`Balancer`] | round robin, random, least loaded; health checks, ejection, panic threshold, failover, splits |
//! | [`LookAside`], [`Cache`] | a cache of many buckets that warm, expire and are flushed: of the clients, or a server of its own |
//! | [`HotKey`] | one key of a cache, with leases, single flight, staleness, negative caching |
//! | [`QuotaEnforcer`] | limits for each class and for all, at the edge or in a shared front end |
//! | [`Protector`] | an automatic protection that shunts traffic aside, with hysteresis |
//! | [`Network`] | a shared network whose goodput may collapse |
//! | [`Operator`] | actions in a declared order, at any moment or never |
//!
//! Triggers are [`actor::Trigger`](crate::actor::Trigger), with a [`Control`] as their message. Actors of your own join in with the
//! same [`Msg`]; a component of your own implements [`Component`] and is made an actor by
//! [`component_actor!`](crate::component_actor).
//!
//! # What a state holds
//!
//! Counts, not individuals; countdowns, not times. What each component keeps, and why nothing else can make a difference, is said
//! where it is defined. What arrives in a tick is collected and acted upon at its end ([`Turn`]), so inboxes are empty between two ticks and
//! the order of arrival multiplies nothing; where it matters who of several comes first, that is asked and explored by counts
//! ([`Bag::draws`]).
//!
//! # Laws
//!
//! For open arrivals of λ fresh requests a tick, k retries at once, a timeout of τ ticks, and a server of capacity C with a queue
//! of at most L that rejects what does not fit; links of one tick, so that the round trip is R = 2 + service ticks. An outage, of any
//! length and at any moment, ends; does the system calm down (for ever nothing but first attempts)? `tests/components/laws.rs`
//! checks each on a grid.
//!
//! 1. **C > λ (1 + k) is immune**, whatever L and τ. No more than λ (1 + k) attempts a tick are made on average, so the queue is
//!    worked off; then all answers are in time. C = λ (1 + k) is not enough: a queue that is full stays full, nothing is left over to
//!    work it off, and if it is long enough (law 2) all that is served is too late.
//! 2. **A FIFO queue with L < C (τ - R + 1) - λ cannot keep a storm going** if C > λ. A request that is kept at the end of its first
//!    tick at place p is served p / C ticks later, rounded up, and in time if that is at most τ - R. So of the requests accepted in a
//!    tick at most L - C (τ - R) are served too late, and of the C served in a full tick more than λ are in time: the
//!    operations that are still alive become fewer by one at least in every tick, until the queue is empty. The bound is exact where λ < C <
//!    λ (1 + k): from L = C (τ - R + 1) - λ on a storm can last for ever, and from λ + 1 more on it must (a trap), on the grid.
//! 3. **Dropping the expired, serving the newest first, or turning away who has waited for more than τ - R ends every storm** if C > λ: whatever is served is in time (with the newest
//!    first, from τ >= R on), so the operations that are still alive become fewer by C - λ in every tick.
//! 4. **A timeout of R never fails a healthy server; R - 1 always does.** An answer in the tick of the timeout is in time.
//! 5. **Backoff alone does not end a storm** once an outage has lasted for as long as all attempts of an operation take: it moves attempts
//!    to later ticks, and makes no operation fewer of them, so λ (1 + k) come in each tick as before. (After a shorter outage a long
//!    backoff may leave the queue time to be worked off before the retries come.)
//! 6. **A budget that grants nothing while everything fails ends a storm** if C > λ (gRPC's throttling, once half of its tokens
//!    are gone): first attempts alone are λ < C.
//! 7. **At most m retries at a time are immune if m < (C - λ) τ** (Envoy's `max_retries`): while everything is late, a retry lasts τ
//!    ticks, so no more than m / τ are sent a tick, and λ + m / τ < C is worked off. Exact on the grid: with m = (C - λ) τ a storm can
//!    last for ever, with one more it must.
//! 8. **A breaker that lets one probe pass at a time ends a storm** if C > 1: open, it offers one attempt each time its time is over,
//!    so the queue is worked off, and the next probe is answered in time.
//! 9. **Hedges need capacity like retries**: with h attempts of a call at most, C > λ h is immune, and without it a queue that is long enough
//!    traps. An answered call cancels its hedges for the client, not for the server.

mod assemble;
mod bag;
mod balancer;
mod cache;
mod guard;
mod hedged;
mod hot_key;
mod line;
mod look_aside;
mod msg;
mod network;
mod observe;
mod operator;
mod population;
mod probe;
mod protector;
mod quota;
mod server;
mod store;
#[doc(hidden)]
pub mod turn;
mod wait;

pub use crate::policy::{Order, QueueTimeout};
pub use assemble::{Assemble, ComponentActor, system};
pub use bag::{Bag, DRAWS_MAX};
pub use balancer::{Backend, Balance, Balancer, Balancing, Mode};
pub use cache::Cache;
pub use guard::Guarded;
pub use hedged::{Call, Calls, HedgedPopulation};
pub use hot_key::{Entry, HotKey, Keyed, Misses, OnError};
pub use line::Line;
pub use look_aside::{Buckets, LookAside};
pub use msg::{Answer, Class, Control, HOPS_MAX, Memo, Msg, NEVER, Path, Request, Response};
pub use network::{Carrying, Network};
pub use observe::{SystemAtom, SystemMeasure};
pub use operator::{Duty, Next, Operator};
pub use population::{Arrivals, Clients, Keys, Population, Resting, Sent, Tally};
pub use protector::{Protecting, Protector};
pub use quota::{QuotaEnforcer, Quotas};
pub use server::{Overload, Server, Serving};
pub use store::store;
pub use turn::{Ask, Chosen, Component, Heartbeat, Inbox, Local, Pick, Turn};
pub use wait::Wait;
