//! The model of most pitfalls: places that are numbers, and one-way roads between them.

use aftercalm::check::{Decision, Limits, Outcome, check};
use aftercalm::model::Checkable;
use aftercalm::property::{ModelExt, System, Verdict};
use aftercalm::witness::Trace;
use stateright::{Checker, Model, Property};

/// Roads, taken in the order given; places beyond `boundary` are outside of it.
#[derive(Clone, Debug)]
pub struct Roads {
    starts: Vec<u8>,
    roads: Vec<(u8, u8)>,
    boundary: u8,
}

impl Roads {
    /// Roads from 0.
    pub fn new(roads: &[(u8, u8)]) -> Self {
        Self { starts: vec![0], roads: roads.to_vec(), boundary: u8::MAX }
    }

    pub fn add(&mut self, road: (u8, u8)) {
        self.roads.push(road);
    }

    pub fn starting_in(mut self, starts: &[u8]) -> Self {
        self.starts = starts.to_vec();
        self
    }

    pub fn within(mut self, boundary: u8) -> Self {
        self.boundary = boundary;
        self
    }

    /// The system without the model's own property.
    pub fn bare(self) -> System<Self> {
        let mut system = self.system();
        system.claims.clear();
        system
    }
}

impl Model for Roads {
    type State = u8;
    type Action = (u8, u8);

    fn init_states(&self) -> Vec<u8> {
        self.starts.clone()
    }

    fn actions(&self, state: &u8, actions: &mut Vec<(u8, u8)>) {
        actions.extend(self.roads.iter().filter(|road| road.0 == *state));
    }

    fn next_state(&self, _: &u8, road: (u8, u8)) -> Option<u8> {
        Some(road.1)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::eventually("odd", |_, state| state % 2 == 1)]
    }

    fn within_boundary(&self, state: &u8) -> bool {
        *state <= self.boundary
    }
}

/// Which of stateright's searches is asked.
#[derive(Clone, Copy, Debug)]
pub enum Search {
    Bfs,
    Dfs,
}

/// Whether stateright finds a counterexample to "eventually odd".
pub fn stateright_refutes(roads: &Roads, search: Search) -> bool {
    let builder = roads.clone().checker();
    match search {
        Search::Bfs => refutes(builder.spawn_bfs()),
        Search::Dfs => refutes(builder.spawn_dfs()),
    }
}

/// Whether a finished run of stateright has a counterexample.
pub fn refutes(checker: impl Checker<Roads>) -> bool {
    let checker = checker.join();
    assert!(checker.is_done(), "stateright has finished");
    checker.discovery("odd").is_some()
}

pub fn run<M: Checkable>(system: &System<M>) -> Outcome<M> {
    check(system, &Limits::default()).expect("the system is well formed, and every witness replays")
}

/// The decision of a system's only claim, after a whole search.
pub fn decide<M: Checkable>(system: &System<M>) -> Decision<M> {
    let mut outcome = run(system);
    assert_eq!((outcome.stops.as_slice(), &outcome.fault), ([].as_slice(), &None));
    assert_eq!(outcome.decisions.len(), 1);
    outcome.decisions.remove(0)
}

pub fn verdict<M: Checkable>(system: &System<M>) -> Verdict {
    decide(system).verdict
}

/// The states of the stem and of the loop of the witness.
pub fn path<M: Checkable>(decision: &Decision<M>) -> (Vec<M::State>, Vec<M::State>) {
    let Trace { stem, cycle } = decision.witness.as_ref().expect("a witness");
    let states = |steps: &[aftercalm::witness::Step<M>]| steps.iter().map(|s| s.state.clone()).collect();
    (states(stem), states(cycle))
}
