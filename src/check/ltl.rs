//! Linear-time formulas, decided on the product of the state graph with the automaton of the negated formula.
//!
//! A path of the product reads a path of the model; a fair cycle of the product that visits every acceptance set is a
//! fair behaviour that satisfies the negation, so it refutes the formula (Vardi and Wolper 1986). The product is a
//! [`StateGraph`] itself, and the fair-cycle search, the stem and the loop are those of every other claim.
//!
//! What needs care: whether an action set is enabled is a question to the model's state, not to the product, whose edges
//! may be missing because the automaton cannot follow; a step between different nodes of the automaton that leaves the model's
//! state alone takes nothing; stutter steps must move the automaton, so they are edges of the product.
//!
//! Cost: states × nodes of the automaton, as far as reachable.

use super::bits::Bits;
use super::buchi::{Automaton, automaton};
use super::decide::{Decider, Finding, Shape};
use super::enabled::Enabled;
use super::fair::{FairGraph, FairSets, Region, fair_components};
use super::graph::{NONE, StateGraph};
use super::lasso::{EdgeStep, PAIRS_MAX, Stage, Walk, fair_loop, stem};
use crate::property::{Kind, Ltl, StateExpr, Verdict};
use std::collections::HashMap;

/// The automaton node of a path that has not yet met the antecedent.
const BEFORE: u32 = u32::MAX;

/// The product, with what its states and edges are in the graph.
struct Product<'a> {
    graph: StateGraph,
    base: &'a StateGraph,
    /// The graph's state and the automaton's node.
    pairs: Vec<(u32, u32)>,
    ids: HashMap<(u32, u32), u32, foldhash::fast::FixedState>,
    /// The graph's edge (None: a stutter step) of each edge.
    origin: Vec<EdgeStep>,
}

impl Decider<'_> {
    /// Decides `ltl formula`.
    pub(super) fn ltl(&self, shape: &Shape<'_>, formula: &Ltl, finding: &mut Finding) {
        let Some(automaton) = automaton(&formula.clone().negated()) else {
            finding.verdict = Verdict::Inconclusive;
            finding.detail = Some(format!(
                "the formula is too large: its automaton has more than {} nodes",
                super::buchi::NODES_MAX
            ));
            return;
        };
        let product = self.product(shape, &automaton);
        let n = product.graph.size();
        let accepting: Vec<Bits> = (0..automaton.acceptance_sets)
            .map(|set| {
                let mut states = Bits::new(n as usize);
                for (id, (_, node)) in product.pairs.iter().enumerate() {
                    if *node != BEFORE && automaton.nodes[*node as usize].accepts[set] {
                        states.insert(id as u32);
                    }
                }
                states
            })
            .collect();
        let visits: Vec<&Bits> = accepting.iter().collect();
        let region: Vec<u32> = (0..n).filter(|id| product.pairs[*id as usize].1 != BEFORE).collect();
        let enabled = self.place().enabled.along(product.pairs.iter().map(|(state, _)| *state));
        let place = product.place(self.fair, &enabled);
        let components = fair_components(place, &visits, Region::States(region));
        let mut targets = Bits::new(n as usize);
        components.states().iter().for_each(|id| {
            targets.insert(*id);
        });
        let anywhere = [Stage { enter: Box::new(|_| true), inside: Box::new(|_| true) }];
        let Some((walk, joint)) = stem(&product.graph, &anywhere, &targets) else {
            finding.verdict = self.held();
            return;
        };
        let component = components.iter().find(|c| c.binary_search(&joint).is_ok());
        let cycle = component.and_then(|c| fair_loop(place, c, joint, &visits, PAIRS_MAX));
        let Some(cycle) = cycle else { return };
        let told = |steps: &[EdgeStep]| -> Vec<EdgeStep> {
            steps.iter().map(|step| step.and_then(|position| product.origin[position])).collect()
        };
        let start = product.pairs[walk.start as usize].0;
        let (mut stem, mut cycle) = (told(&walk.steps), told(&cycle.steps));
        if cycle.iter().all(Option::is_none) {
            // Staying for ever is told once, however many steps the automaton takes in the meantime.
            cycle.truncate(1);
            while stem.last() == Some(&None) {
                stem.pop();
            }
        }
        finding.verdict = Verdict::Violated;
        finding.kind = Some(Kind::Lasso);
        finding.witness = Some((Walk { start, steps: stem }, cycle));
    }

    fn product(&self, shape: &Shape<'_>, automaton: &Automaton) -> Product<'_> {
        let mut product = Product {
            graph: StateGraph::new(0, 0),
            base: self.graph,
            pairs: Vec::new(),
            ids: HashMap::default(),
            origin: Vec::new(),
        };
        product.graph.masks.clone_from(&self.graph.masks);
        let fits: Vec<Vec<(Bits, bool)>> = automaton
            .nodes
            .iter()
            .map(|node| {
                let literals = node.literals.iter();
                literals
                    .map(|(name, value)| (self.states_with(&StateExpr::atom(name.clone())), *value))
                    .collect()
            })
            .collect();
        let fits = |node: u32, state: u32| {
            fits[node as usize].iter().all(|(states, value)| states.get(state) == *value)
        };
        // The nodes in which a path may be in `state`, coming from a node with these successors.
        let enter = |nodes: &[u32], state: u32| -> Vec<u32> {
            nodes.iter().copied().filter(|node| fits(*node, state)).collect()
        };
        let begin = |state: u32| match shape.antecedent {
            Some(a) if !a.get(state) => vec![BEFORE],
            _ => enter(&automaton.initial, state),
        };
        for state in 0..self.graph.initial {
            for node in begin(state) {
                product.id(state, node, NONE);
            }
        }
        product.graph.initial = product.graph.size();
        let mut id = 0;
        while id < product.graph.size() {
            let (state, node) = product.pairs[id as usize];
            let edges = self.graph.edges(state).map(|p| (Some(p), self.graph.targets[p]));
            let stay = self.fair.may_stay(self.graph, state).then_some((None, state));
            for (step, next) in edges.chain(stay) {
                let nodes = if node == BEFORE {
                    begin(next)
                } else {
                    enter(&automaton.nodes[node as usize].successors, next)
                };
                for node in nodes {
                    product.edge(id, step, next, node);
                }
            }
            product.graph.rows.push(product.graph.targets.len() as u64);
            id += 1;
        }
        product
    }
}

impl Product<'_> {
    /// The product with its fairness. Never an end state, and enabled as the model says: see above.
    fn place<'b>(&'b self, fair: FairSets, enabled: &'b Enabled) -> FairGraph<'b> {
        FairGraph { graph: &self.graph, fair, enabled, staying_is_an_edge: true }
    }

    fn id(&mut self, state: u32, node: u32, parent: u32) -> u32 {
        let new = self.graph.size();
        let id = *self.ids.entry((state, node)).or_insert(new);
        if id == new {
            self.pairs.push((state, node));
            self.graph.parents.push(parent);
        }
        id
    }

    fn edge(&mut self, from: u32, step: EdgeStep, state: u32, node: u32) {
        let id = self.id(state, node, from);
        self.graph.targets.push(id);
        self.origin.push(step);
        if !self.base.labels.is_empty() {
            let from = self.pairs[from as usize].0;
            let taken = step.filter(|_| from != state).map_or(0, |position| self.base.labels[position]);
            self.graph.labels.push(taken);
        }
    }
}
