//! `bounded` against Karp and Miller's coverability trees (1969), on random vector addition systems with states: there,
//! without resets and tests for zero, boundedness is decidable, and a tree of a few lines decides it.

use aftercalm::check::{Limits, check};
use aftercalm::property::{ModelExt, System, Verdict, bounded};
use fastrand::Rng;
use stateright::Model;
use std::collections::{BTreeMap, HashSet};

/// Each growing loop is taken again twenty thousand steps; `AFTERCALM_RANDOM_MODELS` asks for more systems.
const SYSTEMS: u64 = 60;
/// Systems with larger trees, or more states although all counters are bounded, are left out.
const NODES_MAX: usize = 3_000;
const STATES_MAX: usize = 3_000;
const NAMES: [&str; 3] = ["x", "y", "z"];

#[derive(Clone, Debug)]
struct Rule {
    from: u8,
    to: u8,
    add: Vec<i64>,
}

/// A vector addition system with states: a rule can be taken where no counter falls below zero.
#[derive(Clone, Debug)]
struct Vass {
    start: Vec<i64>,
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    at: u8,
    counters: Vec<i64>,
}

impl Model for Vass {
    type State = State;
    type Action = usize;

    fn init_states(&self) -> Vec<State> {
        vec![State { at: 0, counters: self.start.clone() }]
    }

    fn actions(&self, _: &State, actions: &mut Vec<usize>) {
        actions.extend(0..self.rules.len());
    }

    fn next_state(&self, state: &State, rule: usize) -> Option<State> {
        let rule = &self.rules[rule];
        let counters: Vec<i64> = state.counters.iter().zip(&rule.add).map(|(c, add)| c + add).collect();
        let taken = rule.from == state.at && counters.iter().all(|c| *c >= 0);
        taken.then_some(State { at: rule.to, counters })
    }
}

impl Vass {
    fn random(rng: &mut Rng) -> Self {
        let (states, counters) = (rng.u8(1..=3), rng.usize(1..=3));
        let add = |rng: &mut Rng| match rng.u8(..8) {
            0 | 1 => rng.i64(1..=3),
            2..=4 => rng.i64(-3..=-1),
            _ => 0,
        };
        let rules = (0..rng.usize(1..=5)).map(|_| Rule {
            from: rng.u8(..states),
            to: rng.u8(..states),
            add: (0..counters).map(|_| add(rng)).collect(),
        });
        let rules = rules.collect();
        Self { start: (0..counters).map(|_| rng.i64(0..4)).collect(), rules }
    }

    fn claimed(&self) -> System<Self> {
        let names = NAMES.iter().take(self.start.len()).enumerate();
        names.fold(self.clone().system(), |system, (i, name)| {
            let value = move |_: &Self, s: &State| s.counters[i];
            system.counter(name, "", value, move |_, s| s.counters[i] = 0).claim(bounded(name))
        })
    }
}

/// More than any number.
const OMEGA: i64 = i64::MAX;

/// Which counters are unbounded, by the tree; None where it is too large.
fn unbounded(vass: &Vass) -> Option<Vec<bool>> {
    struct Node {
        at: u8,
        counters: Vec<i64>,
        parent: Option<usize>,
    }
    let mut tree = vec![Node { at: 0, counters: vass.start.clone(), parent: None }];
    let mut next = 0;
    while next < tree.len() {
        if tree.len() > NODES_MAX {
            return None;
        }
        let ancestors = || std::iter::successors(tree[next].parent, |i| tree[*i].parent);
        let seen = |i: usize| (tree[i].at, &tree[i].counters) == (tree[next].at, &tree[next].counters);
        if !ancestors().any(seen) {
            let mut children = Vec::new();
            for rule in vass.rules.iter().filter(|rule| rule.from == tree[next].at) {
                let sum = |(c, add): (&i64, &i64)| if *c == OMEGA { OMEGA } else { c + add };
                let mut counters: Vec<i64> = tree[next].counters.iter().zip(&rule.add).map(sum).collect();
                if counters.iter().any(|c| *c < 0) {
                    continue;
                }
                for i in std::iter::once(next).chain(ancestors()).filter(|i| tree[*i].at == rule.to) {
                    let before = &tree[i].counters;
                    if before.iter().zip(&counters).all(|(b, c)| b <= c) {
                        let grown = before.iter().zip(&mut counters).filter(|(b, c)| *b < c);
                        grown.for_each(|(_, c)| *c = OMEGA);
                    }
                }
                children.push(Node { at: rule.to, counters, parent: Some(next) });
            }
            tree.extend(children);
        }
        next += 1;
    }
    Some((0..vass.start.len()).map(|i| tree.iter().any(|node| node.counters[i] == OMEGA)).collect())
}

/// The largest value of each counter; None where there are too many states.
fn peaks(vass: &Vass) -> Option<Vec<i64>> {
    let mut pending = vass.init_states();
    let mut seen: HashSet<State> = pending.iter().cloned().collect();
    while let Some(state) = pending.pop() {
        let next = (0..vass.rules.len()).filter_map(|rule| vass.next_state(&state, rule));
        pending.extend(next.filter(|s| seen.insert(s.clone())).collect::<Vec<_>>());
        if seen.len() > STATES_MAX {
            return None;
        }
    }
    let largest = |i: usize| seen.iter().map(|s| s.counters[i]).max();
    (0..vass.start.len()).map(largest).collect()
}

fn fixed(start: &[i64], rules: &[(u8, u8, &[i64])]) -> Vass {
    let rules = rules.iter().map(|(from, to, add)| Rule { from: *from, to: *to, add: add.to_vec() });
    Vass { start: start.to_vec(), rules: rules.collect() }
}

#[test]
fn the_tree_knows_what_is_unbounded() {
    assert_eq!(unbounded(&fixed(&[0], &[(0, 0, &[1])])), Some(vec![true]));
    assert_eq!(unbounded(&fixed(&[3], &[(0, 0, &[-1])])), Some(vec![false]));
    assert_eq!(unbounded(&fixed(&[1, 0], &[(0, 0, &[-1, 1]), (0, 0, &[1, -1])])), Some(vec![false, false]));
    // x fills y only after x itself was filled: nested growth.
    assert_eq!(unbounded(&fixed(&[0, 0], &[(0, 0, &[1, 0]), (0, 0, &[-2, 1])])), Some(vec![true, true]));
    assert_eq!(unbounded(&fixed(&[1, 0], &[(0, 1, &[-1, 0]), (1, 1, &[0, 1])])), Some(vec![false, true]));
}

#[test]
fn verdicts_on_counters_are_those_of_the_coverability_tree() {
    let mut counts: BTreeMap<(&str, String), u32> = BTreeMap::new();
    let asked = std::env::var("AFTERCALM_RANDOM_MODELS");
    let systems = asked.map_or(SYSTEMS, |text| text.parse().expect("a number of models"));
    for seed in 0..systems {
        let vass = Vass::random(&mut Rng::with_seed(seed));
        let Some(unbounded) = unbounded(&vass) else { continue };
        let peaks = if unbounded.contains(&true) { None } else { peaks(&vass) };
        let limits = Limits { states_max: STATES_MAX as u64, ..Limits::default() };
        let outcome = check(&vass.claimed(), &limits).unwrap();
        assert!(outcome.fault.is_none());
        for (i, (decision, is_unbounded)) in outcome.decisions.iter().zip(&unbounded).enumerate() {
            let told = format!("seed {seed}, {}: {} {vass:?}", NAMES[i], decision.verdict);
            match decision.verdict {
                Verdict::Violated => assert!(is_unbounded, "{told}"),
                Verdict::Holds => {
                    assert!(!is_unbounded, "{told}");
                    assert_eq!(decision.peak, peaks.as_ref().map(|p| p[i]), "{told}");
                }
                Verdict::Inconclusive => {
                    assert!(!outcome.stops.is_empty() && decision.detail.is_some(), "{told}");
                    // What ends within the limit is decided.
                    assert!(peaks.is_none(), "{told}");
                }
                Verdict::Vacuous => panic!("{told}"),
            }
            let truth = if *is_unbounded { "unbounded" } else { "bounded" };
            *counts.entry((truth, decision.verdict.to_string())).or_default() += 1;
        }
    }
    println!("{counts:?}");
    let count = |truth, verdict| counts.get(&(truth, Verdict::to_string(&verdict))).copied().unwrap_or(0);
    let (found, missed) = (count("unbounded", Verdict::Violated), count("unbounded", Verdict::Inconclusive));
    if systems < SYSTEMS {
        return;
    }
    assert!(found >= 15 && count("bounded", Verdict::Holds) >= 50, "{counts:?}");
    assert!(missed * 10 < found, "growth is missed too often: {counts:?}");
}
