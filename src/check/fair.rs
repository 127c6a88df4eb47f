//! Fair cycles: which states lie on a cycle that a fair behaviour can take for ever.
//!
//! A fair cycle is a closed walk that satisfies every constraint: a weak set is taken in it, or disabled somewhere in
//! it; a strong set is taken in it, or enabled nowhere in it. All cycles of a strongly connected component can be joined
//! into one, so a component satisfies every weak set as a whole or not at all. A strong set that is enabled but never
//! taken within a component can only be satisfied by staying away from the states that enable it: those are removed
//! and the rest is decomposed again. This is the emptiness check for Streett automata by component refinement (Emerson
//! and Lei 1987; Lichtenstein and Pnueli 1985): no subsets of constraints are enumerated.
//!
//! Sets of states that a cycle must visit (the acceptance sets of a Büchi automaton, the unhealthy states of `stabilizes`)
//! are like weak sets: a component visits them as a whole or not at all.
//!
//! "Enabled" looks at all edges of the model, also those that leave the region searched or the boundary; "taken" only at
//! edges within the component. Mixing these two up is the classical fault.
//!
//! Invariant: the components returned are disjoint, and each is a maximal set of states on one fair cycle of the region.
//! Cost: one component pass, and one more over what is left for each round of removal: O((states + edges) × strong sets).

use super::bits::Bits;
use super::graph::StateGraph;
use super::scc::Sccs;

/// The fairness constraints as bits of the edge masks.
#[derive(Clone, Copy, Debug, Default)]
pub struct FairSets {
    /// The weakly fair sets.
    pub weak: u128,
    /// The strongly fair sets.
    pub strong: u128,
    /// Whether any state may be stayed in for ever, as far as fairness allows.
    pub stutters: bool,
}

impl FairSets {
    /// Whether a behaviour may stay in `state` by a stutter step, which takes no action; fairness not yet considered.
    pub fn may_stay(&self, graph: &StateGraph, state: u32) -> bool {
        (self.stutters && state < graph.expanded()) || graph.is_end(state)
    }
}

/// The maximal sets of states that lie on one fair cycle within `region` which visits each set in `visits`, each in
/// ascending order.
pub fn fair_components(
    graph: &StateGraph,
    fair: FairSets,
    visits: &[&Bits],
    region: Vec<u32>,
) -> Vec<Vec<u32>> {
    let mut sccs = Sccs::new(graph);
    let mut accepted = Vec::new();
    let mut pending = vec![region];
    while let Some(states) = pending.pop() {
        let mut components: Vec<Vec<u32>> = Vec::new();
        sccs.components(&states, |c| {
            if c.len() > 1 || graph.successors(c[0]).contains(&c[0]) || fair.may_stay(graph, c[0]) {
                components.push(c.to_vec());
            }
        });
        let visiting = |c: &Vec<u32>| visits.iter().all(|set| c.iter().any(|s| set.get(*s)));
        for mut component in components.into_iter().filter(visiting) {
            match judge(graph, fair, &mut sccs, &component) {
                Judgement::Fair => {
                    component.sort_unstable();
                    accepted.push(component);
                }
                Judgement::Never(_) => {}
                Judgement::Without(sets) => {
                    component.retain(|s| graph.enabled(*s) & sets == 0);
                    pending.push(component);
                }
            }
        }
    }
    accepted.sort_unstable();
    accepted
}

/// What fairness says about the cycles of a component.
pub(super) enum Judgement {
    /// A walk through the whole component is fair.
    Fair,
    /// No cycle in it is fair to any of these weak sets.
    Never(u128),
    /// Only cycles that avoid the states that enable these sets can be fair.
    Without(u128),
}

/// Judges a component of the graph.
pub(super) fn judge(graph: &StateGraph, fair: FairSets, sccs: &mut Sccs<'_>, component: &[u32]) -> Judgement {
    if fair.weak | fair.strong == 0 {
        return Judgement::Fair;
    }
    let tag = sccs.tag(component);
    let (mut taken, mut always, mut ever) = (0, u128::MAX, 0);
    for &s in component {
        let enabled = graph.enabled(s);
        always &= enabled;
        ever |= enabled;
        for position in graph.edges(s) {
            if sccs.is_in(graph.targets[position], tag) {
                taken |= graph.taken(s, position);
            }
        }
    }
    let never = fair.weak & always & !taken;
    if never != 0 {
        return Judgement::Never(never);
    }
    match fair.strong & ever & !taken {
        0 => Judgement::Fair,
        sets => Judgement::Without(sets),
    }
}
