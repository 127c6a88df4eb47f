//! The smallest complete example: one server, clients that retry, and an outage that does not end when it is over.
//!
//! # The story
//!
//! Users send λ requests a tick, and each waits τ ticks for its answer before it asks again, at most k times. A server
//! handles C requests a tick, first come first served, and keeps a queue. It stops for a while, at any moment: the queue fills.
//! When it goes on, every request at the head of the queue has been given up by its client, who has sent another one that stands at the
//! end. The server works at full capacity for nobody, and never gets out of it.
//!
//! # What is fact, and what is assumed
//!
//! The shape is that of many published outages (Bronson et al., "Metastable failures in distributed systems", HotOS 2021;
//! Huang et al., "Metastable failures in the wild", OSDI 2022). No single one is modelled, and the numbers are made up: ratios
//! matter, not sizes. Assumed: fresh requests come evenly, a message takes one tick, a full queue rejects the newest request, a
//! client that is rejected or gets no answer in time asks again at once.
//!
//! Not fixed but explored: when the outage comes and how long it lasts, and who is served first of those who came in the same tick.
//!
//! # What comes out
//!
//! `stabilizes` is "no client asks twice any more", `recoverable` is "that can always be reached again".
//!
//! | case | stabilizes | recoverable |
//! | --- | --- | --- |
//! | as it is (λ = 1, k = 2, C = 2, τ = 3, queue 6) | violated | violated: a trap |
//! | `capacity=4`: more than λ (1 + k), enough for every retry | holds | holds |
//! | `capacity=3`: λ (1 + k), just enough | violated | holds |
//! | `queue=2`: less than C (τ - 1) - λ, all can be served in time | holds | holds |
//! | `queue=3` | violated | holds |
//! | `drop_expired=true`: the deadline travels with the request | holds | holds |
//! | `order=lifo`: the newest first | holds | holds |
//! | `budget=true`: no retries while all fails (gRPC's retry throttling) | holds | holds |
//! | `breaker=true`: a circuit breaker at the clients | holds | holds |
//! | `retries=0` | holds | holds |
//! | `backoff=2`: retries two ticks later | violated | violated: a trap |
//!
//! Backoff alone moves the retries, and does not make them fewer: it does not help here.

use aftercalm::actor::{Phase, TimedSystem, Trigger, between, later};
use aftercalm::component::{self, Assemble, Control, Msg, Order, Population, Server};
use aftercalm::policy::{Backoff, CircuitBreaker, Outcomes, Retry, RetryBudget, ThrottlingBudget, Ticks};
use aftercalm::property::{ModelExt, System, recoverable, stabilizes};
use std::time::Duration;

const TICK: Duration = Duration::from_millis(100);

aftercalm::choices! {
    /// Whom the server serves first.
    pub(crate) enum Queue {
        /// Who came first.
        Fifo = "fifo",
        /// Who came last.
        Lifo = "lifo",
    }
}

aftercalm::parameters! {
    /// Open arrivals, one server, one outage.
    pub(crate) struct Parameters {
        /// Fresh requests a tick (λ).
        arrivals: u32 = 1,
        /// Ticks that a client waits for an answer (τ).
        timeout: u16 = 3,
        /// How often a client asks again (k).
        retries: u8 = 2,
        /// Ticks that it waits before it asks again.
        backoff: u32 = 0,
        /// Requests that the server handles a tick (C).
        capacity: u32 = 2,
        /// Requests that may wait at the server from one tick to the next; further ones are rejected.
        queue: u32 = 6,
        /// The longest outage, in ticks.
        outage: u32 = 8,
        /// Whom the server serves first.
        order: Queue = Queue::Fifo,
        /// Whether the server drops requests whose clients have given up.
        drop_expired: bool = false,
        /// Whether clients have a retry budget.
        budget: bool = false,
        /// Whether clients have a circuit breaker.
        breaker: bool = false,
    }
}

/// The system with its claims.
///
/// # Errors
/// Where a parameter makes no sense.
pub(crate) fn system(p: &Parameters) -> Result<System<TimedSystem<Msg>>, String> {
    if p.timeout == 0 || p.outage == 0 {
        return Err("timeout and outage must be at least 1".to_owned());
    }
    let mut server = Server::new(p.capacity).queue(p.queue);
    if p.order == Queue::Lifo {
        server = server.order(Order::Lifo);
    }
    if p.drop_expired {
        server = server.dropping_expired();
    }
    let mut sys = component::system(TICK);
    let server = sys.install("server", server);

    let retry = Retry::times(u32::from(p.retries), Backoff::fixed(TICK * p.backoff));
    let mut clients = Population::open(server, p.arrivals..=p.arrivals).timeout(p.timeout).retry(retry, TICK);
    if p.budget {
        // A failure takes a token, a success gives half a one, and there are no retries with half of the tokens or less.
        let (tokens_max, token_ratio_milli) = (4, 500);
        clients = clients.budget(RetryBudget::Throttling(ThrottlingBudget {
            tokens_max,
            token_ratio_milli,
            failures: Outcomes::FAILURES,
        }));
    }
    if p.breaker {
        // Two failures in a row open it, and after two ticks one request may try.
        clients = clients.breaker(CircuitBreaker::consecutive(2, Ticks(2)));
    }
    let clients = sys.install("clients", clients);

    let outage = Trigger::lasting(between(TICK, TICK * p.outage))
        .starting(later())
        .at_start(server, Control::SetCapacity(0).into())
        .at_end(server, Control::ResetCapacity.into());
    let outage = sys.add("outage", outage);
    sys.validate()?;

    Ok(sys
        .system()
        .atoms(Population::atoms(clients, "clients"))
        .atoms(Server::atoms(server, "server"))
        .measures(Population::measures(clients, "clients"))
        .measures(Server::measures(server, "server"))
        .amplification("clients_offered", "clients_fresh")
        .atom("outage_over", move |_, s| s[outage] == Phase::Over)
        .claim(stabilizes("clients_calm").after("outage_over").named("calms down"))
        .claim(recoverable("clients_calm").after("outage_over").named("can calm down")))
}

fn main() -> std::process::ExitCode {
    aftercalm::run(system)
}
