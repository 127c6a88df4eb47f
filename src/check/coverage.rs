//! Coverage: what of the model no behaviour exercises, which is how a model lies without anybody noticing.
//!
//! An atom that never changes, a fairness set that is never enabled and an action class that is never taken are facts about
//! all reachable states, so they are told of complete graphs alone. (An antecedent that is never reached makes its claim
//! vacuous, which is a verdict.) What a verdict already says is not said twice: that `p` never changes is what `always p` is
//! there to prove.
//!
//! Cost: one pass over the edges where there is fairness, which ends once every set was seen; one over the bits of each atom.

use super::graph::StateGraph;
use super::outcome::{Decision, Note};
use crate::model::Checkable;
use crate::property::{StateExpr, System, Temporal, Verdict};

/// What was not exercised in the whole of the model.
pub fn unexercised<M: Checkable>(
    system: &System<M>,
    graph: &StateGraph,
    decisions: &[Decision<M>],
) -> Vec<Note> {
    let mut notes = Vec::new();
    let states = u64::from(graph.size());
    let constant = system.atoms.iter().zip(&graph.atoms).filter_map(|(atom, bits)| {
        let value = match bits.count() {
            0 => false,
            n if n == states => true,
            _ => return None,
        };
        let told = decisions.iter().any(|decision| tells(decision, &atom.name, value));
        (!told).then(|| (atom.name.clone(), value))
    });
    let atoms: Vec<_> = constant.collect();
    if !atoms.is_empty() {
        notes.push(Note::AtomsNeverChange { atoms, states });
    }
    let absent = |sets: &[crate::property::Fairness<M>], seen: u128| -> Vec<String> {
        let sets = sets.iter().enumerate().filter(|(i, _)| seen >> i & 1 == 0);
        sets.map(|(_, set)| set.name.clone()).collect()
    };
    let names = absent(&system.fairness, enabled_somewhere(graph, system.fairness.len()));
    if !names.is_empty() {
        notes.push(Note::FairnessNeverEnabled { names });
    }
    let names = absent(&system.classes, graph.classes);
    if !names.is_empty() {
        notes.push(Note::ActionClassNeverTaken { names });
    }
    notes
}

/// Whether the verdict says that the atom has this value everywhere.
fn tells<M: Checkable>(decision: &Decision<M>, atom: &str, value: bool) -> bool {
    let everywhere = match (&decision.claim.temporal, decision.verdict) {
        (Temporal::Always(p), Verdict::Holds) => (p, value),
        (Temporal::Reachable(p), Verdict::Violated) => (p, !value),
        _ => return false,
    };
    if decision.claim.after.is_some() {
        return false;
    }
    match everywhere {
        (StateExpr::Atom(name), positive) => name == atom && positive,
        (StateExpr::Not(inner), positive) => **inner == StateExpr::atom(atom) && !positive,
        _ => false,
    }
}

/// The fairness sets that are enabled in some state.
fn enabled_somewhere(graph: &StateGraph, sets: usize) -> u128 {
    let mut seen = 0;
    for state in 0..graph.expanded() {
        seen |= graph.enabled(state);
        if seen.count_ones() as usize == sets {
            break;
        }
    }
    seen
}
