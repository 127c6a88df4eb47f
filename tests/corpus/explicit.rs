//! Cases that are explicit graphs.

use crate::answer::{answer, with_claims};
use crate::arbiter;
use crate::engine::Engine;
use crate::format::{Case, GraphCase, StrengthCase};
use crate::graph::GraphModel;
use crate::oracle::{Edge, Graph, Set, Strength, contains};
use aftercalm::property::{self, ModelExt, System};
use std::sync::Arc;

/// What is wrong with the answers of the engine, and of the case itself.
pub fn judge(case: &Case, explicit: &GraphCase, engine: Engine) -> Vec<String> {
    let judged = || -> Result<Vec<String>, String> {
        let graph = graph(explicit)?;
        let mut system = with_claims(system(explicit, &graph), case)?;
        for (name, variant) in &explicit.behaving {
            system = system.behaving(name, self::system(variant, &self::graph(variant)?));
        }
        let (outcome, mut wrong) = answer(&system, case, engine, true)?;
        wrong.extend(arbiter::judge(case, explicit, &graph, &outcome));
        Ok(wrong)
    };
    judged().unwrap_or_else(|error| vec![error])
}

/// The states of a list as a set.
pub fn set(states: &[usize]) -> Set {
    states.iter().fold(0, |set, s| set | 1 << s)
}

/// The states within the boundary.
pub fn boundary(explicit: &GraphCase) -> Set {
    explicit.boundary.as_ref().map_or(Set::MAX, |states| set(states))
}

/// The graph in the oracle's form.
pub fn graph(explicit: &GraphCase) -> Result<Graph, String> {
    if explicit.states > 31 {
        return Err("a graph has at most 31 states".to_owned());
    }
    let mut used = vec![false; explicit.fairness.iter().map(|f| f.labels.len()).sum()];
    let edges =
        explicit.edges.iter().map(|text| edge(explicit, text, &mut used)).collect::<Result<_, _>>()?;
    if used.contains(&false) {
        return Err("a fairness constraint has a label that no edge has".to_owned());
    }
    let strength = |strength: StrengthCase| match strength {
        StrengthCase::Weak => Strength::Weak,
        StrengthCase::Strong => Strength::Strong,
    };
    Ok(Graph {
        states: explicit.states,
        initial: explicit.initial.clone(),
        edges,
        atoms: explicit.atoms.values().map(|states| set(states)).collect(),
        fairness: explicit.fairness.iter().map(|f| strength(f.strength)).collect(),
        stutters: explicit.stuttering,
    })
}

/// `0 -> 1 label`
fn edge(explicit: &GraphCase, text: &str, used: &mut [bool]) -> Result<Edge, String> {
    let wrong = || format!("`{text}` is no edge: it should read `0 -> 1` or `0 -> 1 label`");
    let (from, rest) = text.split_once("->").ok_or_else(wrong)?;
    let mut words = rest.split_whitespace();
    let state = |word: &str| word.trim().parse().ok().filter(|s| *s < explicit.states).ok_or_else(wrong);
    let to = match words.next().ok_or_else(wrong)? {
        "-" => None,
        word => Some(state(word)?),
    };
    let label = words.next();
    if words.next().is_some() {
        return Err(wrong());
    }
    let labels = explicit.fairness.iter().enumerate().flat_map(|(i, f)| f.labels.iter().map(move |l| (i, l)));
    let mut sets = 0;
    for (used, (i, of_set)) in used.iter_mut().zip(labels) {
        if label == Some(of_set) {
            *used = true;
            sets |= 1 << i;
        }
    }
    Ok(Edge { from: state(from)?, to, sets })
}

/// The system, without claims.
fn system(explicit: &GraphCase, graph: &Graph) -> System<GraphModel> {
    let model = GraphModel { graph: Arc::new(graph.clone()), boundary: boundary(explicit) };
    let mut system = model.system();
    for (name, states) in &explicit.atoms {
        let states = set(states);
        system = system.atom(name, move |_, s| contains(states, s.0));
    }
    for (name, values) in &explicit.measures {
        let values = values.clone();
        system = system.measure(name, "", move |_, s| values[s.0]);
    }
    for (i, fairness) in explicit.fairness.iter().enumerate() {
        let strength = match fairness.strength {
            StrengthCase::Weak => property::Strength::Weak,
            StrengthCase::Strong => property::Strength::Strong,
        };
        let name = format!("{i}: {}", fairness.labels.join(", "));
        system = system.fair(&name, strength, move |m, _, via| m.graph.in_set(i, via.0));
    }
    if explicit.stuttering { system.stuttering() } else { system }
}
