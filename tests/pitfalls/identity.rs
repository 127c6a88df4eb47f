//! When two states are one: `==` decides, whatever `Hash` says.
//!
//! stateright goes by hash alone, and its hashable collections hash no length, so that adjacent ones run into each other.

use crate::roads::{Roads, decide, run};
use aftercalm::check::{Note, Outcome};
use aftercalm::model::Fault;
use aftercalm::property::{ModelExt, Verdict, always, reachable};
use stateright::actor::{Actor, ActorModel, ActorModelState, Id, Out, model_timeout};
use stateright::util::HashableHashSet;
use stateright::{Checker, Expectation, Model, Property};
use std::borrow::Cow;

/// Two boxes; one thing is put into either.
struct Boxes;

impl Model for Boxes {
    type State = [HashableHashSet<char>; 2];
    type Action = usize;

    fn init_states(&self) -> Vec<Self::State> {
        vec![Self::State::default()]
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<usize>) {
        if state.iter().all(|b| b.is_empty()) {
            actions.extend([0, 1]);
        }
    }

    fn next_state(&self, state: &Self::State, which: usize) -> Option<Self::State> {
        let mut next = state.clone();
        next[which].insert('t');
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("the second box stays empty", |_, s: &Self::State| s[1].is_empty())]
    }
}

#[test]
fn states_that_differ_but_hash_alike_are_all_found_and_mentioned() {
    let stateright = Boxes.checker().spawn_bfs().join();
    assert_eq!(stateright.unique_state_count(), 2, "stateright has learnt to tell them apart");
    assert!(stateright.discovery("the second box stays empty").is_none());
    let outcome = run(&Boxes.system());
    assert_eq!(outcome.states, 3);
    assert_eq!(outcome.decisions[0].verdict, Verdict::Violated);
    let [Note::CoarseHash { pairs: 1, first, second }] = outcome.notes.as_slice() else {
        panic!("no remark about the hash: {:?}", outcome.notes);
    };
    assert_eq!((first.as_str(), second.as_str()), ("[{'t'}, {}]", "[{}, {'t'}]"));
}

/// An actor with a timer that fires once.
#[derive(Clone)]
struct OneShot;

impl Actor for OneShot {
    type Msg = ();
    type Timer = ();
    type State = ();
    type Storage = ();
    type Random = ();

    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) {
        out.set_timer((), model_timeout());
    }

    fn on_timeout(&self, _: Id, _: &mut Cow<'_, ()>, (): &(), _: &mut Out<Self>) {}
}

#[test]
fn four_actors_with_a_one_shot_timer_each_have_sixteen_states() {
    // A property that holds, since stateright ends its search when it has an answer to each.
    let model = || {
        ActorModel::new((), ()).actors(vec![OneShot; 4]).property(
            Expectation::Always,
            "nobody crashes",
            |_, s: &ActorModelState<OneShot>| !s.crashed.contains(&true),
        )
    };
    let stateright = model().checker().spawn_bfs().join();
    assert_eq!(stateright.unique_state_count(), 5, "stateright has learnt to tell them apart");
    let outcome = run(&model().system());
    assert_eq!((outcome.states, outcome.transitions, outcome.end_states), (16, 32, 1));
    assert_eq!(outcome.decisions[0].verdict, Verdict::Holds);
    assert!(matches!(outcome.notes.as_slice(), [Note::CoarseHash { .. }]));
}

#[test]
fn a_model_whose_hash_is_as_fine_as_its_equality_is_not_remarked_upon() {
    let outcome = run(&Roads::new(&[(0, 1), (1, 2), (2, 0)]).system());
    assert_eq!(outcome.notes, []);
}

#[test]
fn a_witness_through_states_that_hash_alike_is_told_in_the_right_ones() {
    let system = || {
        let mut system = Boxes.system().atom("second", |_, s| !s[1].is_empty());
        system.claims.clear();
        system
    };
    let (violated, reached) =
        (decide(&system().claim(always("not second"))), decide(&system().claim(reachable("second"))));
    for decision in [violated, reached] {
        let trace = decision.witness.expect("a witness");
        assert_eq!(format!("{:?}", trace.joint()), "[{}, {'t'}]");
    }
}

/// A place that was reached by a road; what `==` and `Hash` look at differs.
#[derive(Clone, Debug)]
struct Arrival {
    place: u8,
    by: Box<u8>,
}

impl PartialEq for Arrival {
    fn eq(&self, other: &Self) -> bool {
        self.place == other.place
    }
}

/// 0 leads to 1 by two roads.
struct TwoRoads<S>(std::marker::PhantomData<S>);

/// What the hash of an arrival is made of besides the place.
trait Hashed: Clone + std::fmt::Debug + PartialEq + std::hash::Hash + Send + Sync + 'static {
    fn new(arrival: Arrival) -> Self;
    fn place(&self) -> u8;
}

macro_rules! hashed {
    ($name:ident, $arrival:ident => $hash:expr) => {
        #[derive(Clone, Debug, PartialEq)]
        struct $name(Arrival);

        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
                let $arrival = &self.0;
                $hash.hash(hasher);
            }
        }

        impl Hashed for $name {
            fn new(arrival: Arrival) -> Self {
                Self(arrival)
            }

            fn place(&self) -> u8 {
                self.0.place
            }
        }
    };
}

hashed!(ByRoad, arrival => (arrival.place, *arrival.by));
hashed!(ByAddress, arrival => (arrival.place, std::ptr::from_ref(&*arrival.by).addr()));
hashed!(ByPlace, arrival => arrival.place);

impl<S: Hashed> Model for TwoRoads<S> {
    type State = S;
    type Action = u8;

    fn init_states(&self) -> Vec<S> {
        vec![S::new(Arrival { place: 0, by: Box::new(0) })]
    }

    fn actions(&self, state: &S, actions: &mut Vec<u8>) {
        if state.place() == 0 {
            actions.extend([1, 2]);
        }
    }

    fn next_state(&self, _: &S, road: u8) -> Option<S> {
        Some(S::new(Arrival { place: 1, by: Box::new(road) }))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::eventually("arrives", |_, s: &S| s.place() == 1)]
    }
}

fn two_roads<S: Hashed>() -> Outcome<TwoRoads<S>>
where
    TwoRoads<S>: Send + Sync,
{
    run(&TwoRoads::<S>(std::marker::PhantomData).system())
}

fn is_hash_finer_than_eq<S: Hashed>(state_contains: &str) {
    let outcome = two_roads::<S>();
    let Some(Fault::HashFinerThanEq { state }) = &outcome.fault else {
        panic!("{:?} after {} states", outcome.fault, outcome.states);
    };
    assert!(state.contains(state_contains), "{state}");
    assert_eq!(outcome.decisions[0].verdict, Verdict::Inconclusive);
}

#[test]
fn equal_states_that_came_along_different_paths_are_one_if_they_hash_alike() {
    let outcome = two_roads::<ByPlace>();
    assert_eq!((outcome.fault, outcome.states, outcome.transitions), (None, 2, 2));
}

#[test]
fn a_hash_that_a_copy_does_not_share_is_a_fault() {
    is_hash_finer_than_eq::<ByAddress>("Arrival");
}

#[test]
fn a_hash_that_an_equal_state_from_another_path_does_not_share_is_a_fault() {
    is_hash_finer_than_eq::<ByRoad>("place: 1");
}

/// A sum that becomes no number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Level(f64);

impl std::hash::Hash for Level {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.0.to_bits().hash(hasher);
    }
}

/// Starts somewhere, and adds or subtracts infinity.
struct Levels(f64);

impl Model for Levels {
    type State = Level;
    type Action = f64;

    fn init_states(&self) -> Vec<Level> {
        vec![Level(self.0)]
    }

    fn actions(&self, _: &Level, actions: &mut Vec<f64>) {
        actions.push(f64::INFINITY);
    }

    fn next_state(&self, level: &Level, by: f64) -> Option<Level> {
        Some(Level(if level.0.is_finite() { by } else { level.0 - by }))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("positive", |_, s: &Level| s.0 > 0.0 || s.0.is_nan())]
    }
}

#[test]
fn a_state_that_is_not_equal_to_itself_is_a_fault() {
    for start in [1.0, f64::NAN] {
        let outcome = run(&Levels(start).system());
        // Not "two different answers": both answers read `Level(NaN)`, which would explain nothing.
        assert_eq!(outcome.fault, Some(Fault::EqNotReflexive { state: "Level(NaN)".to_owned() }));
        assert_eq!(outcome.decisions[0].verdict, Verdict::Inconclusive);
    }
}
