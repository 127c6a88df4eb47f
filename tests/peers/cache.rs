//! Cache(K, D): clients that delete a cached value on every error, and a database that errs under load.
//!
//! An invalid value is stored and repaired. While it is cached, or missing, the clients query the database; more than D
//! at once get an error, for which each deletes the key, so that all query again.

use crate::peer::Peer;
use aftercalm::property::{ModelExt, System};
use stateright::Model;

const CLIENTS_MAX: usize = 12;

/// The parameters, with the letters of the table.
#[derive(Clone, Copy, Debug)]
pub struct Cache {
    /// K: the clients.
    pub clients: usize,
    /// D: the queries that the database answers at once.
    pub capacity: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Client {
    #[default]
    Idle,
    Querying,
    Erred,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Value {
    #[default]
    Valid,
    Invalid,
    Missing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// 0: the store is right, 1: it holds an invalid value, 2: it is repaired.
    phase: u8,
    cache: Value,
    clients: [Client; CLIENTS_MAX],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Break,
    Repair,
    Query(usize),
    Ok(usize),
    Err(usize),
    Delete(usize),
}

impl Model for Cache {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        match state.phase {
            0 => actions.push(Action::Break),
            1 => actions.push(Action::Repair),
            _ => {}
        }
        let load = state.clients.iter().filter(|c| **c == Client::Querying).count();
        for client in 0..self.clients {
            match state.clients[client] {
                Client::Idle if state.cache != Value::Valid => actions.push(Action::Query(client)),
                Client::Idle => {}
                Client::Querying if load > self.capacity => actions.push(Action::Err(client)),
                Client::Querying => actions.push(Action::Ok(client)),
                Client::Erred => actions.push(Action::Delete(client)),
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = *state;
        match action {
            Action::Break => (next.phase, next.cache) = (1, Value::Invalid),
            Action::Repair => next.phase = 2,
            Action::Query(client) => next.clients[client] = Client::Querying,
            Action::Err(client) => next.clients[client] = Client::Erred,
            Action::Ok(client) => {
                next.clients[client] = Client::Idle;
                next.cache = if state.phase == 1 { Value::Invalid } else { Value::Valid };
            }
            Action::Delete(client) => {
                next.clients[client] = Client::Idle;
                next.cache = Value::Missing;
            }
        }
        Some(next)
    }
}

impl Peer for Cache {
    /// Weak fairness of every process: the environment, each client.
    fn fair(self) -> System<Self> {
        let mut system = self
            .system()
            .atom("valid", |_, s: &State| s.cache == Value::Valid)
            .atom("repaired", |_, s: &State| s.phase == 2)
            .weakly_fair("environment", |_, _, a| matches!(a, Action::Break | Action::Repair));
        for client in 0..self.clients {
            system = system.weakly_fair(&format!("client {client}"), move |_, _, a| {
                matches!(a, Action::Query(c) | Action::Ok(c) | Action::Err(c) | Action::Delete(c) if *c == client)
            });
        }
        system
    }
}

impl Cache {
    /// [`Peer::fair`], and strong fairness of every client's good answer.
    pub fn fair_with_strong_answers(self) -> System<Self> {
        (0..self.clients).fold(self.fair(), |system, client| {
            system.strongly_fair(&format!("answer {client}"), move |_, _, a| *a == Action::Ok(client))
        })
    }
}
