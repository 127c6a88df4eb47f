//! The simple allocator of the TLA+ examples: clients that ask for sets of resources and may get them piecemeal.
//!
//! Three clients, two resources. With strong fairness of allocation (some allocation to c, for every client c) and weak
//! fairness of returning everything, every request is granted. With weak fairness alone, two clients can starve a third.

use crate::peer::Peer;
use aftercalm::property::{ModelExt, Strength, System};
use stateright::Model;

const CLIENTS: usize = 3;
const RESOURCES: usize = 2;

/// A set of resources, one bit each.
type Set = u8;

/// The system, with the fairness of `some allocation to c`.
#[derive(Clone, Copy, Debug)]
pub struct Allocator(pub Strength);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct State {
    wanted: [Set; CLIENTS],
    held: [Set; CLIENTS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Request(usize, Set),
    Allocate(usize, Set),
    Return(usize, Set),
}

impl State {
    fn available(&self) -> Set {
        !self.held.iter().fold(0, |all, held| all | held) & ((1 << RESOURCES) - 1)
    }
}

impl Model for Allocator {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let available = state.available();
        for client in 0..CLIENTS {
            let (wanted, held) = (state.wanted[client], state.held[client]);
            for set in 1..1 << RESOURCES {
                if wanted == 0 && held == 0 {
                    actions.push(Action::Request(client, set));
                }
                if set & !(available & wanted) == 0 {
                    actions.push(Action::Allocate(client, set));
                }
                if set & !held == 0 {
                    actions.push(Action::Return(client, set));
                }
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = *state;
        match action {
            Action::Request(client, set) => next.wanted[client] = set,
            Action::Allocate(client, set) => {
                next.held[client] |= set;
                next.wanted[client] &= !set;
            }
            Action::Return(client, set) => next.held[client] &= !set,
        }
        Some(next)
    }
}

impl Peer for Allocator {
    fn fair(self) -> System<Self> {
        let mut system = self.system().stuttering();
        for client in 0..CLIENTS {
            system = system
                .atom(&format!("met_{client}"), move |_, s: &State| s.wanted[client] == 0)
                .atom(&format!("empty_{client}"), move |_, s: &State| s.held[client] == 0)
                .weakly_fair(&format!("{client} returns all"), move |_, s, a| {
                    *a == Action::Return(client, s.held[client])
                })
                .fair(
                    &format!("allocation to {client}"),
                    self.0,
                    move |_, _, a| matches!(a, Action::Allocate(c, _) if *c == client),
                );
            for resource in 0..RESOURCES {
                system = system
                    .atom(&format!("wants_{client}_{resource}"), move |_, s: &State| {
                        s.wanted[client] >> resource & 1 == 1
                    })
                    .atom(&format!("has_{client}_{resource}"), move |_, s: &State| {
                        s.held[client] >> resource & 1 == 1
                    });
            }
        }
        system
    }
}
