//! Clients, a balancer, two servers with queues, and an environment that takes a server down: the timed system of the benches.
//!
//! A client thinks, asks the balancer, waits, asks again when it has waited too long, and gives up after some attempts. The
//! balancer sends each request to the other server than the one before. A server keeps requests in a queue of limited length, serves
//! one a tick, and drops what does not fit; while it is down it drops everything. The environment takes the first server down at any
//! moment and brings it back.

use aftercalm::actor::{Handle, Link, TimedState, TimedSystem, between, exactly, later};
use aftercalm::property::{ModelExt, System, recurs, stabilizes};
use stateright::actor::{Actor, Id, Out};
use std::borrow::Cow;
use std::time::Duration;

/// One tick.
const TICK: Duration = Duration::from_millis(100);

/// How large the system is.
#[derive(Clone, Copy, Debug)]
pub struct Fleet {
    pub clients: usize,
    /// Attempts before a client gives up.
    pub attempts: u8,
    /// Requests that fit into a server's queue.
    pub queue: usize,
    /// The longest time that a client thinks, in ticks.
    pub thinks: u32,
    /// The most ticks that a message takes.
    pub latency_max: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Msg {
    Ask(u8),
    Answer,
    Down,
    Up,
}

struct Client {
    own: u8,
    balancer: Id,
    fleet: Fleet,
}

/// What a client does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Doing {
    Thinks,
    Waits(u8),
}

impl Client {
    fn think(&self, out: &mut Out<Self>) {
        out.set_timer((), between(TICK, TICK * self.fleet.thinks));
    }

    fn ask(&self, out: &mut Out<Self>) {
        out.send(self.balancer, Msg::Ask(self.own));
        out.set_timer((), exactly(TICK * 5));
    }
}

impl Actor for Client {
    type Msg = Msg;
    type State = Doing;
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> Doing {
        self.think(out);
        Doing::Thinks
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, Doing>, _: Id, _: Msg, out: &mut Out<Self>) {
        if matches!(**state, Doing::Waits(_)) {
            *state = Cow::Owned(Doing::Thinks);
            self.think(out);
        }
    }

    fn on_timeout(&self, _: Id, state: &mut Cow<'_, Doing>, _: &(), out: &mut Out<Self>) {
        *state = Cow::Owned(match **state {
            Doing::Waits(n) if n >= self.fleet.attempts => {
                self.think(out);
                Doing::Thinks
            }
            Doing::Waits(n) => {
                self.ask(out);
                Doing::Waits(n + 1)
            }
            Doing::Thinks => {
                self.ask(out);
                Doing::Waits(1)
            }
        });
    }
}

struct Balancer {
    servers: [Id; 2],
}

impl Actor for Balancer {
    type Msg = Msg;
    type State = usize;
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, _: &mut Out<Self>) -> usize {
        0
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, usize>, _: Id, msg: Msg, out: &mut Out<Self>) {
        out.send(self.servers[**state], msg);
        *state.to_mut() ^= 1;
    }
}

struct Server {
    clients: Vec<Id>,
    queue: usize,
}

/// A server's queue of clients, and whether it is up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Serving {
    pub up: bool,
    pub queue: Vec<u8>,
}

impl Actor for Server {
    type Msg = Msg;
    type State = Serving;
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, _: &mut Out<Self>) -> Serving {
        Serving { up: true, queue: Vec::new() }
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, Serving>, _: Id, msg: Msg, out: &mut Out<Self>) {
        let state = state.to_mut();
        match msg {
            Msg::Ask(client) if state.up && state.queue.len() < self.queue => {
                if state.queue.is_empty() {
                    out.set_timer((), exactly(TICK));
                }
                state.queue.push(client);
            }
            Msg::Down => {
                state.up = false;
                state.queue.clear();
                out.cancel_timer(());
            }
            Msg::Up => state.up = true,
            Msg::Ask(_) | Msg::Answer => {}
        }
    }

    fn on_timeout(&self, _: Id, state: &mut Cow<'_, Serving>, _: &(), out: &mut Out<Self>) {
        let state = state.to_mut();
        let client = state.queue.remove(0);
        out.send(self.clients[usize::from(client)], Msg::Answer);
        if !state.queue.is_empty() {
            out.set_timer((), exactly(TICK));
        }
    }
}

struct Environment {
    server: Id,
}

impl Actor for Environment {
    type Msg = Msg;
    type State = bool;
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> bool {
        out.set_timer((), later());
        true
    }

    fn on_msg(&self, _: Id, _: &mut Cow<'_, bool>, _: Id, _: Msg, _: &mut Out<Self>) {}

    fn on_timeout(&self, _: Id, up: &mut Cow<'_, bool>, _: &(), out: &mut Out<Self>) {
        let up = up.to_mut();
        *up = !*up;
        out.send(self.server, if *up { Msg::Up } else { Msg::Down });
        out.set_timer((), if *up { later() } else { between(TICK * 2, TICK * 4) });
    }
}

impl Fleet {
    /// The actors and links.
    pub fn timed(self) -> TimedSystem<Msg> {
        self.build().0
    }

    fn build(self) -> (TimedSystem<Msg>, Vec<Handle<Client>>, [Handle<Server>; 2]) {
        let mut system = TimedSystem::new(TICK);
        let clients: Vec<Handle<Client>> =
            (0..self.clients).map(|i| system.reserve(&format!("client{i}"))).collect();
        let ids: Vec<Id> = clients.iter().map(|c| c.id()).collect();
        let servers = ["server0", "server1"]
            .map(|name| system.add(name, Server { clients: ids.clone(), queue: self.queue }));
        let balancer = system.add("balancer", Balancer { servers: servers.map(Handle::id) });
        for (own, client) in (0..).zip(&clients) {
            system.fill(*client, Client { own, balancer: balancer.id(), fleet: self });
        }
        system.add("environment", Environment { server: servers[0].id() });
        system.default_link(Link::latency(1..=self.latency_max));
        // stateright's checker stops as soon as no property is left to be decided.
        system.add_property(stateright::Expectation::Always, "anything", |_, _| true);
        (system, clients, servers)
    }

    /// The system with what one would ask of it.
    pub fn system(self) -> System<TimedSystem<Msg>> {
        let (system, clients, servers) = self.build();
        let first = clients[0];
        let queued = move |s: &TimedState<Msg>| -> i64 {
            servers.iter().map(|server| s[*server].queue.len() as i64).sum()
        };
        system
            .system()
            .atom("served", move |_, s| s[first] == Doing::Thinks)
            .atom("up", move |_, s| s[servers[0]].up)
            .atom("full", move |_, s| s[servers[1]].queue.len() == self.queue)
            .measure("queued", "requests", move |_, s| queued(s))
            .claim(recurs("served"))
            .claim(stabilizes("not full"))
    }
}
