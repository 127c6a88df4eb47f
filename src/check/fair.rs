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
//! Cost: one component pass, and one more over what is left for each round of removal: O((states + edges) × strong sets). What
//! is left of all components is one list for the next round: no cycle of it joins states of different components. Which sets a
//! state enables is looked up once for all rounds (`enabled.rs`).

use super::bits::Bits;
use super::enabled::Enabled;
use super::graph::StateGraph;
use super::scc::{Components, Sccs};

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

/// A finished graph with the fairness of its paths.
#[derive(Clone, Copy, Debug)]
pub struct FairGraph<'a> {
    /// The graph.
    pub graph: &'a StateGraph,
    /// Fairness.
    pub fair: FairSets,
    /// What is enabled in its states.
    pub enabled: &'a Enabled,
    /// Whether staying is an edge already wherever a path may stay, as in a product, which then has no end states.
    pub staying_is_an_edge: bool,
}

impl FairGraph<'_> {
    /// Whether a behaviour may stay in `state` without an edge.
    pub fn may_stay(&self, state: u32) -> bool {
        !self.staying_is_an_edge && self.fair.may_stay(self.graph, state)
    }

    /// Whether a component has a cycle in it, staying included; `component` must be one.
    pub fn is_cycle(&self, component: &[u32]) -> bool {
        let first = component[0];
        component.len() > 1 || self.graph.successors(first).contains(&first) || self.may_stay(first)
    }
}

/// Where fair cycles are looked for.
pub enum Region<'a> {
    /// Among these states.
    States(Vec<u32>),
    /// Among the states of a set that no edge leaves. Its components are components of the whole graph, which are known.
    Closed(&'a Components, &'a Bits),
}

/// The maximal sets of states that lie on one fair cycle within `region` which visits each set in `visits`, each in
/// ascending order.
pub fn fair_components(place: FairGraph<'_>, visits: &[&Bits], region: Region<'_>) -> Components {
    let mut sccs = Sccs::new(place.graph);
    let mut accepted = Components::default();
    let asked = |c: &[u32]| {
        let visiting = || visits.iter().all(|set| c.iter().any(|s| set.get(*s)));
        place.is_cycle(c) && visiting()
    };
    let mut found = Components::default();
    match region {
        Region::Closed(all, set) => {
            all.iter().filter(|c| set.get(c[0]) && asked(c)).for_each(|c| found.push(c));
        }
        Region::States(states) => sccs.components(&states, |c| {
            if asked(c) {
                found.push(c);
            }
        }),
    }
    while !found.is_empty() {
        let mut left = Vec::new();
        for component in found.iter() {
            match judge(place, &mut sccs, component) {
                Judgement::Fair => accepted.push(component),
                Judgement::Never(_) => {}
                Judgement::Without(sets) => {
                    left.extend(component.iter().filter(|s| place.enabled.get(**s) & sets == 0));
                }
            }
        }
        found = Components::default();
        sccs.components(&left, |c| {
            if asked(c) {
                found.push(c);
            }
        });
    }
    accepted.sorted()
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
pub(super) fn judge(place: FairGraph<'_>, sccs: &mut Sccs<'_>, component: &[u32]) -> Judgement {
    let FairGraph { graph, fair, enabled, .. } = place;
    if fair.weak | fair.strong == 0 {
        return Judgement::Fair;
    }
    let (mut always, mut ever) = (u128::MAX, 0);
    for &s in component {
        let enabled = enabled.get(s);
        always &= enabled;
        ever |= enabled;
    }
    // Sets that can be taken nowhere here, or that ask for nothing, need no look at the edges.
    let asked = (fair.weak & always) | (fair.strong & ever);
    let mut taken = 0;
    if asked != 0 {
        let tag = sccs.tag(component);
        for &s in component {
            for position in graph.edges(s) {
                if sccs.is_in(graph.targets[position], tag) {
                    taken |= graph.taken(s, position);
                }
            }
            if asked & !taken == 0 {
                return Judgement::Fair;
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
