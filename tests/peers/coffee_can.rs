//! The coffee can of the TLA+ examples (Scholten's problem): two beans are taken out and one is put back until one is left.

use crate::peer::Peer;
use aftercalm::property::{ModelExt, System};
use stateright::Model;

/// The most beans at the start.
#[derive(Clone, Copy, Debug)]
pub struct CoffeeCan(pub u16);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    black: u16,
    white: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    TwoBlack,
    TwoWhite,
    OneOfEach,
    /// One bean is left; the state stays as it is.
    Rest,
}

impl Model for CoffeeCan {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        (1..=self.0)
            .flat_map(|beans| (0..=beans).map(move |black| State { black, white: beans - black }))
            .collect()
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.black >= 2 {
            actions.push(Action::TwoBlack);
        }
        if state.white >= 2 {
            actions.push(Action::TwoWhite);
        }
        if state.black >= 1 && state.white >= 1 {
            actions.push(Action::OneOfEach);
        }
        if state.black + state.white == 1 {
            actions.push(Action::Rest);
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let State { black, white } = *state;
        Some(match action {
            Action::TwoBlack | Action::OneOfEach => State { black: black - 1, white },
            Action::TwoWhite => State { black: black + 1, white: white - 2 },
            Action::Rest => *state,
        })
    }
}

impl Peer for CoffeeCan {
    fn fair(self) -> System<Self> {
        self.system()
            .stuttering()
            .weakly_fair("next", |_, _, _| true)
            .atom("one_left", |_, s: &State| s.black + s.white == 1)
            .atom("black_left", |_, s: &State| *s == State { black: 1, white: 0 })
            .atom("even", |_, s: &State| s.white.is_multiple_of(2))
    }
}
