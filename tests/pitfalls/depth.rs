//! Long paths: no recursion that overflows the stack, no cost that grows with the square of the depth.

use crate::roads::{decide, path, run};
use aftercalm::property::{Kind, ModelExt, Verdict, eventually, recurs, stabilizes};
use stateright::Model;

/// 0, 1, 2, .. up to the last number, and then on from `back`, if there is one.
struct Chain {
    last: u32,
    back: Option<u32>,
}

const LAST: u32 = 200_000;

impl Model for Chain {
    type State = u32;
    type Action = u32;

    fn init_states(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, state: &u32, actions: &mut Vec<u32>) {
        if *state < self.last {
            actions.push(state + 1);
        } else {
            actions.extend(self.back);
        }
    }

    fn next_state(&self, _: &u32, next: u32) -> Option<u32> {
        Some(next)
    }
}

#[test]
fn a_chain_of_two_hundred_thousand_states_is_followed_to_its_end() {
    let chain = Chain { last: LAST, back: None };
    let outcome = run(&chain.system().atom("never", |_, _| false).claim(eventually("never")));
    assert_eq!((outcome.states, outcome.depth), (u64::from(LAST) + 1, u64::from(LAST)));
    assert_eq!(outcome.decisions[0].kind, Some(Kind::Trap));
    let (stem, cycle) = path(&outcome.decisions[0]);
    assert_eq!((stem.len(), cycle), (LAST as usize + 1, vec![LAST]));
}

#[test]
fn a_ring_of_two_hundred_thousand_states_is_one_loop() {
    let ring = || Chain { last: LAST, back: Some(0) }.system().atom("start", |_, s| *s == 0);
    assert_eq!(decide(&ring().claim(recurs("start"))).verdict, Verdict::Holds);
    let decision = decide(&ring().weakly_fair("on", |_, _, _| true).claim(stabilizes("start")));
    let (stem, cycle) = path(&decision);
    assert_eq!((stem, cycle.len()), (vec![0], LAST as usize + 1));
}

/// A hub, 0, and petals, each with a road there and a road back.
struct Flower {
    petals: u32,
}

impl Model for Flower {
    type State = u32;
    type Action = u32;

    fn init_states(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, state: &u32, actions: &mut Vec<u32>) {
        if *state == 0 {
            actions.extend(1..=self.petals);
        } else {
            actions.push(0);
        }
    }

    fn next_state(&self, _: &u32, next: u32) -> Option<u32> {
        Some(next)
    }
}

#[test]
fn forty_constraints_do_not_cost_two_to_the_forty() {
    let system = Flower { petals: 40 }.system().atom("never", |_, _| false).claim(recurs("never"));
    let system = (1..=40).fold(system, |system, petal| {
        system.strongly_fair(&format!("petal {petal}"), move |_, _, next| *next == petal)
    });
    let (stem, cycle) = path(&decide(&system));
    assert_eq!((stem, cycle.len()), (vec![0], 80));
    assert!((1..=40).all(|petal| cycle.contains(&petal)));
}
