//! Retry(C, R, Q, T): clients that retry, a queue, and a trigger that stops the server for a while.
//!
//! A client that times out leaves its entry in the queue as an orphan, which the server then serves for nobody. With a
//! queue that is longer than the patience of the clients (Q > T) the orphans can keep themselves alive.

use crate::peer::Peer;
use aftercalm::property::{ModelExt, System};
use stateright::Model;

const CLIENTS_MAX: usize = 6;
const QUEUE_MAX: usize = 8;

/// The entry of nobody: its client has timed out.
const ORPHAN: u8 = 0;

/// The parameters, with the letters of the table.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// C: the clients.
    pub clients: usize,
    /// R: the attempts of a client before it gives up.
    pub attempts: u8,
    /// Q: the room in the queue.
    pub room: usize,
    /// T: an entry at this position or later (from 0) can time out without a trigger.
    pub patience: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Client {
    #[default]
    Idle,
    Waiting,
    BackingOff,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// 0 before the trigger, 1 during, 2 after.
    phase: u8,
    length: u8,
    /// Client number plus one, or [`ORPHAN`].
    queue: [u8; QUEUE_MAX],
    clients: [Client; CLIENTS_MAX],
    attempts: [u8; CLIENTS_MAX],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Serve,
    Trigger,
    Send(usize),
    TimeOut(usize),
}

impl State {
    fn entries(&self) -> &[u8] {
        &self.queue[..usize::from(self.length)]
    }

    fn healthy(&self) -> bool {
        !self.entries().contains(&ORPHAN)
    }
}

impl Model for Retry {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.phase != 1 && state.length > 0 {
            actions.push(Action::Serve);
        }
        if state.phase < 2 {
            actions.push(Action::Trigger);
        }
        for client in 0..self.clients {
            let entry = client as u8 + 1;
            match state.clients[client] {
                Client::Idle | Client::BackingOff if usize::from(state.length) < self.room => {
                    actions.push(Action::Send(client));
                }
                Client::Waiting
                    if state.phase == 1
                        || state.entries().iter().skip(self.patience).any(|e| *e == entry) =>
                {
                    actions.push(Action::TimeOut(client));
                }
                _ => {}
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = *state;
        match action {
            Action::Serve => {
                if next.queue[0] != ORPHAN {
                    let client = usize::from(next.queue[0]) - 1;
                    next.clients[client] = Client::Idle;
                    next.attempts[client] = 0;
                }
                next.length -= 1;
                next.queue.copy_within(1.., 0);
                next.queue[usize::from(next.length)..].fill(0);
            }
            Action::Trigger => next.phase += 1,
            Action::Send(client) => {
                next.queue[usize::from(next.length)] = client as u8 + 1;
                next.length += 1;
                next.clients[client] = Client::Waiting;
                next.attempts[client] += 1;
            }
            Action::TimeOut(client) => {
                let at = state.entries().iter().position(|e| *e == client as u8 + 1)?;
                next.queue[at] = ORPHAN;
                if next.attempts[client] < self.attempts {
                    next.clients[client] = Client::BackingOff;
                } else {
                    next.clients[client] = Client::Idle;
                    next.attempts[client] = 0;
                }
            }
        }
        Some(next)
    }
}

impl Peer for Retry {
    /// Weak fairness of every process: the server, the environment, each client.
    fn fair(self) -> System<Self> {
        let mut system = self
            .system()
            .atom("healthy", |_, s: &State| s.healthy())
            .weakly_fair("server", |_, _, a| *a == Action::Serve)
            .weakly_fair("environment", |_, _, a| *a == Action::Trigger);
        for client in 0..self.clients {
            system = system.weakly_fair(
                &format!("client {client}"),
                move |_, _, a| matches!(a, Action::Send(c) | Action::TimeOut(c) if *c == client),
            );
        }
        system
    }
}
