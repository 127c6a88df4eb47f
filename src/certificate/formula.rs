//! Linear-time formulas in certificates: a product of the model with guesses about the future.
//!
//! For each temporal operator (`X a`, `a U b`, `a R b`) a path carries one bit along: whether the operand of `X` holds, or the
//! operator itself holds, in the *next* state. With the bits and the atoms of a state the truth of every subformula follows, and
//! an edge is possible where the bits come out as they were guessed. A guess that is put off for ever is caught by sets that
//! must be visited again and again: for `a U b` the states in which it is false or b is true, for `a R b` those in which it is true or b
//! is false. So each path of the model has exactly one run in the product that visits every set, and its bits are the truth (the
//! closure construction of Vardi and Wolper, "Reasoning about infinite computations", 1994). A path that refutes the formula is a
//! run that starts where the formula comes out false.
//!
//! This shares nothing with the tableau of the search, whose automata are smaller. Cost: states times 2^operators at worst, usually
//! a few times the states, and 2^operators for each combination of atoms that occurs.

use super::CertificateError;
use super::graph::Graph;
use crate::property::Ltl;
use std::collections::HashMap;

/// A formula with more temporal operators than this has no certificate: every combination of one bit for each is tried for each
/// combination of atoms that occurs, 4096 of them at most.
pub const OPERATORS_MAX: usize = 12;

/// The product, and the sets of its states that a counterexample visits again and again.
pub(crate) struct Product {
    /// Every path in it that visits each set again and again refutes the formula.
    pub(crate) graph: Graph,
    /// One for each operator `U` and `R`.
    pub(crate) visits: Vec<Vec<bool>>,
}

/// A subformula; operands are the numbers of earlier ones, the last number is that of the operator's bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Const(bool),
    Atom(usize, bool),
    And(usize, usize),
    Or(usize, usize),
    Next(usize, usize),
    Until(usize, usize, usize),
    Release(usize, usize, usize),
}

/// The subformulas, operands first, the whole last.
#[derive(Default)]
struct Parts {
    parts: Vec<Part>,
    numbers: HashMap<Ltl, usize>,
    atoms: Vec<String>,
    operators: usize,
}

impl Parts {
    fn add(&mut self, formula: &Ltl) -> usize {
        if let Some(known) = self.numbers.get(formula) {
            return *known;
        }
        let part = match formula {
            Ltl::Const(value) => Part::Const(*value),
            Ltl::Literal(name, value) => {
                let known = self.atoms.iter().position(|a| a == name);
                let atom = known.unwrap_or_else(|| {
                    self.atoms.push(name.clone());
                    self.atoms.len() - 1
                });
                Part::Atom(atom, *value)
            }
            Ltl::And(a, b) => Part::And(self.add(a), self.add(b)),
            Ltl::Or(a, b) => Part::Or(self.add(a), self.add(b)),
            Ltl::Next(a) => {
                let a = self.add(a);
                Part::Next(a, self.operator())
            }
            Ltl::Until(a, b) => {
                let (a, b) = (self.add(a), self.add(b));
                Part::Until(a, b, self.operator())
            }
            Ltl::Release(a, b) => {
                let (a, b) = (self.add(a), self.add(b));
                Part::Release(a, b, self.operator())
            }
        };
        self.parts.push(part);
        self.numbers.insert(formula.clone(), self.parts.len() - 1);
        self.parts.len() - 1
    }

    fn operator(&mut self) -> usize {
        self.operators += 1;
        self.operators - 1
    }

    /// What follows from these values of the atoms and these bits.
    fn outcome(&self, atoms: &[bool], bits: u32) -> Outcome {
        let mut truth: Vec<bool> = Vec::with_capacity(self.parts.len());
        let mut outcome = Outcome { bits, kept: 0, whole: false, visits: Vec::new() };
        for part in &self.parts {
            let next = |operator: usize| bits >> operator & 1 == 1;
            let (value, kept) = match *part {
                Part::Const(value) => (value, None),
                Part::Atom(atom, value) => (atoms[atom] == value, None),
                Part::And(a, b) => (truth[a] && truth[b], None),
                Part::Or(a, b) => (truth[a] || truth[b], None),
                Part::Next(a, i) => (next(i), Some((i, truth[a]))),
                Part::Until(a, b, i) => {
                    let value = truth[b] || truth[a] && next(i);
                    outcome.visits.push(!value || truth[b]);
                    (value, Some((i, value)))
                }
                Part::Release(a, b, i) => {
                    let value = truth[b] && (truth[a] || next(i));
                    outcome.visits.push(value || !truth[b]);
                    (value, Some((i, value)))
                }
            };
            if let Some((operator, kept)) = kept {
                outcome.kept |= u32::from(kept) << operator;
            }
            truth.push(value);
        }
        outcome.whole = truth.last().copied().unwrap_or(false);
        outcome
    }
}

/// What follows in one state from one guess.
struct Outcome {
    bits: u32,
    /// What the bits of the state before must have been.
    kept: u32,
    /// Whether the formula holds from here on.
    whole: bool,
    /// For each set to be visited, whether this is in it.
    visits: Vec<bool>,
}

/// The product of `graph` with the guesses about `formula`, as far as it can be reached from where a path that begins in `first`
/// refutes the formula; `holds` gives the states with an atom.
pub(crate) fn product(
    graph: &Graph,
    first: &[bool],
    formula: &Ltl,
    holds: &dyn Fn(&str) -> Vec<bool>,
) -> Result<Product, CertificateError> {
    let mut parts = Parts::default();
    parts.add(formula);
    if parts.operators > OPERATORS_MAX {
        return Err(CertificateError::TooLarge(parts.operators));
    }
    let atoms: Vec<Vec<bool>> = parts.atoms.iter().map(|name| holds(name)).collect();
    // For each combination of atoms that occurs, what follows from each guess; for each state its combination.
    let mut combinations: HashMap<Vec<bool>, usize> = HashMap::new();
    let mut outcomes: Vec<Vec<Outcome>> = Vec::new();
    let combination: Vec<usize> = (0..graph.size() as usize)
        .map(|state| {
            let values: Vec<bool> = atoms.iter().map(|with| with[state]).collect();
            *combinations.entry(values).or_insert_with_key(|values| {
                outcomes.push((0..1 << parts.operators).map(|bits| parts.outcome(values, bits)).collect());
                outcomes.len() - 1
            })
        })
        .collect();
    let mut after: Vec<HashMap<u32, Vec<u32>>> = Vec::new();
    for of_combination in &outcomes {
        let mut by_kept: HashMap<u32, Vec<u32>> = HashMap::new();
        of_combination.iter().for_each(|o| by_kept.entry(o.kept).or_default().push(o.bits));
        after.push(by_kept);
    }

    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
    let mut number = |pair: (u32, u32), pairs: &mut Vec<(u32, u32)>| {
        *numbers.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            pairs.len() as u32 - 1
        })
    };
    for state in (0..graph.size()).filter(|s| first[*s as usize]) {
        for outcome in outcomes[combination[state as usize]].iter().filter(|o| !o.whole) {
            number((state, outcome.bits), &mut pairs);
        }
    }
    let mut product = Graph::new();
    product.initial = pairs.len() as u32;
    let mut at = 0;
    while at < pairs.len() {
        let (state, bits) = pairs[at];
        // Staying in a state lets time pass for the formula, so it is an edge; it takes nothing.
        let stay = graph.stays(state).then_some((state, 0));
        let mut edges = Vec::new();
        for (next, taken) in graph.edges(state).chain(stay) {
            let guesses = after[combination[next as usize]].get(&bits);
            for guess in guesses.into_iter().flatten() {
                edges.push((number((next, *guess), &mut pairs), taken));
            }
        }
        product.push(edges, graph.enabled(state), false, graph.is_fair());
        at += 1;
    }
    let outcome = |(state, bits): &(u32, u32)| &outcomes[combination[*state as usize]][*bits as usize];
    let sets = outcomes.first().map_or(0, |o| o[0].visits.len());
    let visits = (0..sets).map(|set| pairs.iter().map(|pair| outcome(pair).visits[set]).collect()).collect();
    Ok(Product { graph: product, visits })
}
