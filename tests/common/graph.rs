//! An explicit graph as a model, so that any graph can be checked.

use crate::oracle::{Claim, Expr, Form, Graph, Path, Set, Strength, contains};
use aftercalm::property::{
    self, Draft, ModelExt, System, always, eventually, leads_to, reachable, recoverable, recurs, stabilizes,
};
use aftercalm::witness::Trace;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A state of the graph. Two at a time hash alike, which a checker has to bear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node(pub usize);

impl Hash for Node {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.0 / 2).hash(hasher);
    }
}

/// An edge of the graph, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Via(pub usize);

/// The model of a graph, within a boundary.
#[derive(Clone, Debug)]
pub struct GraphModel {
    pub graph: Arc<Graph>,
    pub boundary: Set,
}

impl stateright::Model for GraphModel {
    type State = Node;
    type Action = Via;

    fn init_states(&self) -> Vec<Node> {
        self.graph.initial.iter().map(|s| Node(*s)).collect()
    }

    fn actions(&self, state: &Node, actions: &mut Vec<Via>) {
        let edges = self.graph.edges.iter().enumerate();
        actions.extend(edges.filter(|(_, e)| e.from == state.0).map(|(i, _)| Via(i)));
    }

    fn next_state(&self, _: &Node, action: Via) -> Option<Node> {
        self.graph.edges[action.0].to.map(Node)
    }

    fn within_boundary(&self, state: &Node) -> bool {
        contains(self.boundary, state.0)
    }
}

/// The graph with its atoms (`a0`, `a1`, ..), its fairness and the claims.
pub fn system(graph: &Graph, boundary: Set, claims: &[Claim]) -> System<GraphModel> {
    let mut system = GraphModel { graph: Arc::new(graph.clone()), boundary }.system();
    for (i, states) in graph.atoms.iter().copied().enumerate() {
        system = system.atom(&format!("a{i}"), move |_, s| contains(states, s.0));
    }
    for (i, strength) in graph.fairness.iter().enumerate() {
        let strength = match strength {
            Strength::Weak => property::Strength::Weak,
            Strength::Strong => property::Strength::Strong,
        };
        system = system.fair(&format!("fair {i}"), strength, move |m, _, via| m.graph.in_set(i, via.0));
    }
    if graph.stutters {
        system = system.stuttering();
    }
    for (i, claim) in claims.iter().enumerate() {
        system = system.claim(draft(claim).named(&format!("claim {i}")));
    }
    system
}

/// The claim in aftercalm's words.
pub fn draft(claim: &Claim) -> Draft {
    let (p, q) = (claim.p.to_string(), claim.q.to_string());
    let draft = match claim.form {
        Form::Always => always(&p),
        Form::Reachable => reachable(&p),
        Form::Eventually => eventually(&p),
        Form::LeadsTo => leads_to(&p, &q),
        Form::Recurs => recurs(&p),
        Form::Stabilizes => stabilizes(&p),
        Form::Recoverable => recoverable(&p),
    };
    match &claim.after {
        Some(after) => draft.after(&Expr::to_string(after)),
        None => draft,
    }
}

/// The trace as a path of the graph, or what is wrong with it as a trace. Whether it is a path is judged elsewhere.
pub fn path(trace: &Trace<GraphModel>, graph: &Graph) -> Result<Path, String> {
    let (first, stem) = trace.stem.split_first().ok_or("the stem is empty")?;
    if first.action.is_some() {
        return Err("the initial state has an action".into());
    }
    let edge = |i: usize| graph.edges.get(i).ok_or(format!("there is no edge {i}"));
    let mut edges = Vec::new();
    for step in stem {
        let Via(i) = step.action.ok_or("a stem that stays in a state is not the shortest")?;
        if edge(i)?.to != Some(step.state.0) {
            return Err(format!("edge {i} does not lead to {:?}", step.state));
        }
        edges.push(i);
    }
    let mut cycle = Vec::new();
    for step in &trace.cycle {
        let to = match step.action {
            Some(Via(i)) => edge(i)?.to,
            None => Some(trace.joint().0),
        };
        if to != Some(step.state.0) {
            return Err(format!("{:?} does not lead to {:?}", step.action, step.state));
        }
        cycle.push(step.action.map(|Via(i)| i));
    }
    Ok(Path { start: first.state.0, stem: edges, cycle })
}
