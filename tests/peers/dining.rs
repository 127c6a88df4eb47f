//! Dining(N): philosophers around a table, of whom philosopher 0 is left-handed, so that they do not deadlock.

use crate::peer::Peer;
use aftercalm::property::{ModelExt, System};
use stateright::Model;

const SEATS_MAX: usize = 11;

/// N philosophers.
#[derive(Clone, Copy, Debug)]
pub struct Dining(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Philosopher {
    #[default]
    Thinking,
    Hungry,
    HasFirst,
    Eating,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct State {
    philosophers: [Philosopher; SEATS_MAX],
    taken: [bool; SEATS_MAX],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    GetHungry(usize),
    TakeFirst(usize),
    TakeSecond(usize),
    PutBack(usize),
}

impl Dining {
    /// The fork that philosopher `i` takes first, and the other one.
    fn forks(self, i: usize) -> (usize, usize) {
        if i == 0 { (1 % self.0, 0) } else { (i, (i + 1) % self.0) }
    }
}

impl Model for Dining {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for i in 0..self.0 {
            let (first, second) = self.forks(i);
            match state.philosophers[i] {
                Philosopher::Thinking => actions.push(Action::GetHungry(i)),
                Philosopher::Hungry if !state.taken[first] => actions.push(Action::TakeFirst(i)),
                Philosopher::HasFirst if !state.taken[second] => actions.push(Action::TakeSecond(i)),
                Philosopher::Eating => actions.push(Action::PutBack(i)),
                _ => {}
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = *state;
        match action {
            Action::GetHungry(i) => next.philosophers[i] = Philosopher::Hungry,
            Action::TakeFirst(i) => {
                next.philosophers[i] = Philosopher::HasFirst;
                next.taken[self.forks(i).0] = true;
            }
            Action::TakeSecond(i) => {
                next.philosophers[i] = Philosopher::Eating;
                next.taken[self.forks(i).1] = true;
            }
            Action::PutBack(i) => {
                next.philosophers[i] = Philosopher::Thinking;
                let (first, second) = self.forks(i);
                (next.taken[first], next.taken[second]) = (false, false);
            }
        }
        Some(next)
    }
}

impl Peer for Dining {
    /// Weak fairness of every philosopher.
    fn fair(self) -> System<Self> {
        let system = self
            .system()
            .atom("someone_eats", |_, s: &State| s.philosophers.contains(&Philosopher::Eating))
            .atom("hungry_1", |_, s: &State| s.philosophers[1] == Philosopher::Hungry)
            .atom("eating_1", |_, s: &State| s.philosophers[1] == Philosopher::Eating);
        (0..self.0).fold(system, |system, i| {
            system.weakly_fair(&format!("philosopher {i}"), move |_, _, a| {
                let (Action::GetHungry(who)
                | Action::TakeFirst(who)
                | Action::TakeSecond(who)
                | Action::PutBack(who)) = a;
                *who == i
            })
        })
    }
}

impl Dining {
    /// [`Peer::fair`], and strong fairness of taking each of the two forks, for every philosopher.
    pub fn fair_with_strong_forks(self) -> System<Self> {
        (0..self.0).fold(self.fair(), |system, i| {
            system
                .strongly_fair(&format!("first fork of {i}"), move |_, _, a| *a == Action::TakeFirst(i))
                .strongly_fair(&format!("second fork of {i}"), move |_, _, a| *a == Action::TakeSecond(i))
        })
    }
}
