//! A random graph with random claims.

use crate::oracle::{Claim, Edge, Expr, Form, Graph, Set, Strength};
use fastrand::Rng;

const ATOMS: usize = 3;
const CLAIMS: usize = 4;
const MOVES_MAX: usize = 12;

/// What ends the search early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    Nothing,
    /// At most so many states.
    States(u64),
    /// At most so many steps.
    Depth(u64),
    /// Only these states.
    Boundary(Set),
}

/// What is judged at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub graph: Graph,
    pub claims: Vec<Claim>,
    pub cut: Cut,
}

impl Case {
    /// A case drawn at random.
    pub fn random(rng: &mut Rng, cut: Cut) -> Self {
        let graph = graph(rng);
        let claims = (0..CLAIMS).map(|_| claim(rng)).collect();
        Self { graph, claims, cut }
    }

    /// A case with a larger graph.
    pub fn random_long(rng: &mut Rng) -> Self {
        let graph = long_graph(rng);
        let claims = (0..CLAIMS).map(|_| claim(rng)).collect();
        Self { graph, claims, cut: Cut::Nothing }
    }
}

/// Larger graphs that hang together by short roads, so that they have many components.
fn long_graph(rng: &mut Rng) -> Graph {
    let states = rng.usize(10..=30);
    let fairness = fairness(rng);
    let sets =
        |rng: &mut Rng| (0..fairness.len()).filter(|_| rng.u8(..6) == 0).fold(0, |all, i| all | 1 << i);
    let mut edges = Vec::new();
    if rng.bool() {
        // No end and a way back, since otherwise most violations are traps.
        edges.extend((0..states).map(|s| Edge { from: s, to: Some((s + 1) % states), sets: sets(rng) }));
    }
    for _ in edges.len()..rng.usize(states..=2 * states) {
        let from = rng.usize(..states);
        let to = (from + rng.usize(..=6)).saturating_sub(2).min(states - 1);
        edges.push(Edge { from, to: Some(to), sets: sets(rng) });
    }
    let rare = rng.u8(1..=4);
    let atom = |rng: &mut Rng| (0..states).filter(|_| rng.u8(..8) < rare).fold(0, |all, s| all | 1 << s);
    Graph {
        states,
        initial: vec![0],
        edges,
        atoms: (0..ATOMS).map(|_| atom(rng)).collect(),
        stutters: rng.u8(..8) == 0,
        fairness,
    }
}

fn fairness(rng: &mut Rng) -> Vec<Strength> {
    let strength = |rng: &mut Rng| if rng.bool() { Strength::Weak } else { Strength::Strong };
    (0..rng.usize(0..=3)).map(|_| strength(rng)).collect()
}

fn graph(rng: &mut Rng) -> Graph {
    let states = rng.usize(1..=6);
    let fairness = fairness(rng);
    let sets = |rng: &mut Rng| (0..fairness.len()).filter(|_| rng.u8(..5) < 2).fold(0, |all, i| all | 1 << i);
    let moves = rng.usize(states / 2..=MOVES_MAX.min(states * 5 / 2));
    let mut edges = Vec::new();
    if rng.bool() {
        // No end and a way back, since otherwise most violations are traps.
        edges.extend((0..states).map(|s| Edge { from: s, to: Some((s + 1) % states), sets: sets(rng) }));
    }
    while edges.len() < moves {
        // A self-loop now and then; parallel edges come by themselves.
        let (from, to) = (rng.usize(..states), rng.usize(..states));
        edges.push(Edge { from, to: Some(to), sets: sets(rng) });
    }
    for _ in 0..rng.usize(..3) {
        edges.push(Edge { from: rng.usize(..states), to: None, sets: sets(rng) });
    }
    rng.shuffle(&mut edges);
    let density = rng.u8(1..=4);
    let atom = |rng: &mut Rng| (0..states).filter(|_| rng.u8(..5) < density).fold(0, |all, s| all | 1 << s);
    Graph {
        states,
        initial: (0..rng.usize(1..=2)).map(|_| rng.usize(..states)).collect(),
        edges,
        atoms: (0..ATOMS).map(|_| atom(rng)).collect(),
        stutters: rng.u8(..4) == 0,
        fairness,
    }
}

fn claim(rng: &mut Rng) -> Claim {
    let form = Form::ALL[rng.usize(..Form::ALL.len())];
    let p = expr(rng, 2);
    let q = if form == Form::LeadsTo { expr(rng, 2) } else { Expr::Const(true) };
    let after = (rng.u8(..5) < 2).then(|| expr(rng, 1));
    Claim { form, p, q, after }
}

fn expr(rng: &mut Rng, depth: u8) -> Expr {
    let operand = |rng: &mut Rng| Box::new(expr(rng, depth - 1));
    match if depth == 0 { 0 } else { rng.u8(..12) } {
        7 => Expr::Not(operand(rng)),
        8 => Expr::And(operand(rng), operand(rng)),
        9 => Expr::Or(operand(rng), operand(rng)),
        10 => Expr::Implies(operand(rng), operand(rng)),
        11 => Expr::Const(rng.bool()),
        _ => Expr::Atom(rng.usize(..ATOMS)),
    }
}
