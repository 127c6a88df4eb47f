//! TwoPhase(N): two-phase commit with N resource managers, after Lamport's and Gray's specification. Safety only.
//!
//! Messages are never consumed, so that many steps leave the state as it is: a good test for counting transitions.

use crate::peer::Peer;
use aftercalm::property::{ModelExt, System};
use stateright::Model;

const MANAGERS_MAX: usize = 8;

/// N resource managers.
#[derive(Clone, Copy, Debug)]
pub struct TwoPhase(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Manager {
    #[default]
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Decision {
    #[default]
    Open,
    Commit,
    Abort,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct State {
    managers: [Manager; MANAGERS_MAX],
    decision: Decision,
    /// Bit i: the coordinator knows that manager i is prepared.
    known: u8,
    /// Bit i: manager i has said that it is prepared.
    said: u8,
    commit_sent: bool,
    abort_sent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Commit,
    Abort,
    Learn(usize),
    Prepare(usize),
    GiveUp(usize),
    HearCommit(usize),
    HearAbort(usize),
}

impl Model for TwoPhase {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.decision == Decision::Open {
            if usize::try_from(state.known.count_ones()) == Ok(self.0) {
                actions.push(Action::Commit);
            }
            actions.push(Action::Abort);
            actions.extend((0..self.0).filter(|i| state.said >> i & 1 == 1).map(Action::Learn));
        }
        for i in 0..self.0 {
            if state.managers[i] == Manager::Working {
                actions.extend([Action::Prepare(i), Action::GiveUp(i)]);
            }
            if state.commit_sent {
                actions.push(Action::HearCommit(i));
            }
            if state.abort_sent {
                actions.push(Action::HearAbort(i));
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = *state;
        match action {
            Action::Commit => (next.decision, next.commit_sent) = (Decision::Commit, true),
            Action::Abort => (next.decision, next.abort_sent) = (Decision::Abort, true),
            Action::Learn(i) => next.known |= 1 << i,
            Action::Prepare(i) => {
                next.managers[i] = Manager::Prepared;
                next.said |= 1 << i;
            }
            Action::GiveUp(i) | Action::HearAbort(i) => next.managers[i] = Manager::Aborted,
            Action::HearCommit(i) => next.managers[i] = Manager::Committed,
        }
        Some(next)
    }
}

impl Peer for TwoPhase {
    fn fair(self) -> System<Self> {
        self.system()
            .atom("consistent", |_, s: &State| {
                !(s.managers.contains(&Manager::Committed) && s.managers.contains(&Manager::Aborted))
            })
            .atom("all_committed", |m: &Self, s: &State| {
                s.managers[..m.0].iter().all(|r| *r == Manager::Committed)
            })
    }
}
