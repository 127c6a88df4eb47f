//! From a formula to an automaton: the tableau of Gerth, Peled, Vardi and Wolper, "Simple on-the-fly automatic verification
//! of linear temporal logic" (PSTV 1995), which builds a generalised Büchi automaton with labels on its nodes.
//!
//! A node stands for a set of formulas that hold of the word read from here on: its literals must agree with the state
//! read in the node, and what its `next` formulas demand is passed on to its successors. For each subformula `a U b` there is an
//! acceptance set: the nodes in which it is not demanded, or `b` holds. A word is accepted if some run visits every set again
//! and again.
//!
//! Cost: exponential in the size of the formula at worst; more than [`NODES_MAX`] nodes are refused.

use crate::property::Ltl;
use std::collections::{BTreeMap, BTreeSet};

/// More nodes than this are refused: the formula is too large.
pub const NODES_MAX: usize = 20_000;

/// A node of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The literals that the state read in this node must satisfy: atom and value.
    pub literals: Vec<(String, bool)>,
    /// The nodes that may follow.
    pub successors: Vec<u32>,
    /// For each acceptance set, whether the node is in it.
    pub accepts: Vec<bool>,
}

/// A generalised Büchi automaton with labels on its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The nodes in which a run may start.
    pub initial: Vec<u32>,
    /// The number of acceptance sets.
    pub acceptance_sets: usize,
}

/// A node in the making: what is still to be dealt with, what was, and what is passed on.
#[derive(Clone, Default)]
struct Draft {
    new: BTreeSet<Ltl>,
    old: BTreeSet<Ltl>,
    next: BTreeSet<Ltl>,
}

/// The automaton that accepts exactly the words that satisfy `formula`; None where it would have too many nodes.
pub fn automaton(formula: &Ltl) -> Option<Automaton> {
    let mut table = Table { nodes: BTreeMap::new(), order: Vec::new() };
    let start = BTreeSet::from([formula.clone()]);
    let initial = table.expand(start)?;
    let mut successors: Vec<Vec<u32>> = Vec::new();
    while successors.len() < table.order.len() {
        let next = table.order[successors.len()].1.clone();
        successors.push(table.expand(next)?);
    }
    let mut untils = BTreeSet::new();
    collect_untils(formula, &mut untils);
    let nodes = table.order.iter().zip(successors).map(|((old, _), successors)| Node {
        literals: old
            .iter()
            .filter_map(
                |f| if let Ltl::Literal(name, value) = f { Some((name.clone(), *value)) } else { None },
            )
            .collect(),
        successors,
        accepts: untils
            .iter()
            .map(|until| match until {
                Ltl::Until(_, b) => !old.contains(until) || old.contains(b) || **b == Ltl::Const(true),
                _ => true,
            })
            .collect(),
    });
    Some(Automaton { nodes: nodes.collect(), initial, acceptance_sets: untils.len() })
}

fn collect_untils(formula: &Ltl, untils: &mut BTreeSet<Ltl>) {
    match formula {
        Ltl::Const(_) | Ltl::Literal(..) => {}
        Ltl::Next(a) => collect_untils(a, untils),
        Ltl::And(a, b) | Ltl::Or(a, b) | Ltl::Until(a, b) | Ltl::Release(a, b) => {
            if matches!(formula, Ltl::Until(..)) {
                untils.insert(formula.clone());
            }
            collect_untils(a, untils);
            collect_untils(b, untils);
        }
    }
}

/// What tells a node from others: what holds in it, and what it passes on.
type Key = (BTreeSet<Ltl>, BTreeSet<Ltl>);

struct Table {
    nodes: BTreeMap<Key, u32>,
    order: Vec<Key>,
}

impl Table {
    /// The nodes of words that satisfy all of `demands`.
    fn expand(&mut self, demands: BTreeSet<Ltl>) -> Option<Vec<u32>> {
        let mut found = BTreeSet::new();
        let mut pending = vec![Draft { new: demands, ..Draft::default() }];
        while let Some(mut draft) = pending.pop() {
            let Some(formula) = draft.new.pop_first() else {
                found.insert(self.node((draft.old, draft.next))?);
                continue;
            };
            if draft.old.contains(&formula) {
                pending.push(draft);
                continue;
            }
            split(draft, formula, &mut pending);
            if pending.len() > NODES_MAX {
                return None;
            }
        }
        Some(found.into_iter().collect())
    }

    fn node(&mut self, key: Key) -> Option<u32> {
        if let Some(id) = self.nodes.get(&key) {
            return Some(*id);
        }
        let id = self.order.len() as u32;
        if self.order.len() >= NODES_MAX {
            return None;
        }
        self.order.push(key.clone());
        self.nodes.insert(key, id);
        Some(id)
    }
}

/// Deals with one formula of a draft, by its expansion law.
fn split(mut draft: Draft, formula: Ltl, pending: &mut Vec<Draft>) {
    draft.old.insert(formula.clone());
    match formula {
        Ltl::Const(true) => pending.push(draft),
        // Nothing satisfies false: the draft is dropped.
        Ltl::Const(false) => {}
        Ltl::Literal(name, value) => {
            if !draft.old.contains(&Ltl::Literal(name, !value)) {
                pending.push(draft);
            }
        }
        Ltl::And(a, b) => {
            draft.new.extend([*a, *b]);
            pending.push(draft);
        }
        Ltl::Next(a) => {
            draft.next.insert(*a);
            pending.push(draft);
        }
        Ltl::Or(a, b) => {
            let mut other = draft.clone();
            other.new.insert(*b);
            draft.new.insert(*a);
            pending.extend([other, draft]);
        }
        Ltl::Until(a, b) => {
            // b now, or a now and the same in the next state.
            let mut later = draft.clone();
            later.next.insert(Ltl::Until(a.clone(), b.clone()));
            later.new.insert(*a);
            draft.new.insert(*b);
            pending.extend([later, draft]);
        }
        Ltl::Release(a, b) => {
            // b now, and a now or the same in the next state.
            let mut later = draft.clone();
            later.next.insert(Ltl::Release(a.clone(), b.clone()));
            later.new.insert((*b).clone());
            draft.new.extend([*a, *b]);
            pending.extend([later, draft]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the automaton accepts the word, by a search for a run over its positions that visits all acceptance sets.
    fn accepts(
        automaton: &Automaton,
        prefix: usize,
        cycle: usize,
        atom: &impl Fn(&str, usize) -> bool,
    ) -> bool {
        let end = prefix + cycle;
        let after = |i: usize| if i + 1 < end { i + 1 } else { prefix };
        let fits = |node: u32, i: usize| {
            automaton.nodes[node as usize].literals.iter().all(|(name, value)| atom(name, i) == *value)
        };
        let count = automaton.nodes.len() * end;
        let place = |node: u32, i: usize| node as usize * end + i;
        // reach[x] = places reachable from x in one step or more.
        let next = |x: usize| -> Vec<usize> {
            let (node, i) = ((x / end) as u32, x % end);
            let successors = automaton.nodes[node as usize].successors.iter();
            successors.filter(|n| fits(**n, after(i))).map(|n| place(*n, after(i))).collect()
        };
        let reach = |from: Vec<usize>| {
            let mut seen = BTreeSet::new();
            let mut queue = from;
            while let Some(x) = queue.pop() {
                if seen.insert(x) {
                    queue.extend(next(x));
                }
            }
            seen
        };
        let start: Vec<usize> =
            automaton.initial.iter().filter(|n| fits(**n, 0)).map(|n| place(*n, 0)).collect();
        let reachable = reach(start);
        (0..count).filter(|x| reachable.contains(x)).any(|x| {
            // The component of x: what x reaches and is reached from.
            let component: Vec<usize> =
                reach(next(x)).into_iter().filter(|y| reach(next(*y)).contains(&x)).collect();
            component.contains(&x)
                && (0..automaton.acceptance_sets)
                    .all(|set| component.iter().any(|y| automaton.nodes[y / end].accepts[set]))
        })
    }

    fn random_formula(random: &mut fastrand::Rng, depth: u32) -> Ltl {
        if depth == 0 || random.u32(0..6) == 0 {
            return match random.u32(0..8) {
                0 => Ltl::Const(random.bool()),
                n if n % 2 == 0 => Ltl::Literal("p".into(), random.bool()),
                _ => Ltl::Literal("q".into(), random.bool()),
            };
        }
        let a = random_formula(random, depth - 1);
        let b = random_formula(random, depth - 1);
        match random.u32(0..9) {
            0 => a.and(b),
            1 => a.or(b),
            2 => a.next(),
            3 | 4 => a.until(b),
            5 => a.release(b),
            6 => a.finally(),
            7 => a.globally(),
            _ => a.weak_until(b),
        }
    }

    #[test]
    fn the_automaton_accepts_exactly_the_words_that_satisfy_the_formula() {
        let mut random = fastrand::Rng::with_seed(11);
        let mut satisfied = 0;
        for _ in 0..150 {
            let formula = random_formula(&mut random, 3);
            let (positive, negative) =
                (automaton(&formula).unwrap(), automaton(&formula.clone().negated()).unwrap());
            for _ in 0..6 {
                let (prefix, cycle) = (random.usize(0..3), random.usize(1..4));
                let bits: Vec<(bool, bool)> =
                    (0..prefix + cycle).map(|_| (random.bool(), random.bool())).collect();
                let atom = |name: &str, i: usize| if name == "p" { bits[i].0 } else { bits[i].1 };
                let holds = formula.holds_on(prefix, cycle, &atom);
                assert_eq!(
                    accepts(&positive, prefix, cycle, &atom),
                    holds,
                    "{formula} on {bits:?}, loop {cycle}"
                );
                assert_eq!(accepts(&negative, prefix, cycle, &atom), !holds, "not ({formula}) on {bits:?}");
                satisfied += u32::from(holds);
            }
        }
        assert!((200..700).contains(&satisfied), "{satisfied} of 900 words satisfy their formula");
    }
}
