//! Makes a failing case smaller for as long as it fails.

use crate::case::{Case, Cut};
use crate::oracle::{Claim, Expr};

/// The smallest case that `fails` (with its error), reached by removing one thing at a time.
pub fn shrink(case: &Case, fails: impl Fn(&Case) -> Option<String>) -> (Case, String) {
    let mut small = case.clone();
    let mut error = fails(case).unwrap_or_else(|| "the failure does not repeat".into());
    while let Some((next, next_error)) = smaller(&small).into_iter().find_map(|c| fails(&c).map(|e| (c, e))) {
        (small, error) = (next, next_error);
    }
    (small, error)
}

/// Every case with one thing less.
fn smaller(case: &Case) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut push = |change: &dyn Fn(&mut Case)| {
        let mut next = case.clone();
        change(&mut next);
        cases.push(next);
    };
    if case.claims.len() > 1 {
        (0..case.claims.len()).for_each(|i| push(&|c| c.claims = vec![case.claims[i].clone()]));
    }
    for state in (0..case.graph.states).filter(|_| case.graph.states > 1) {
        if case.graph.initial.iter().any(|s| *s != state) {
            push(&|c| remove_state(c, state));
        }
    }
    for i in 0..case.graph.edges.len() {
        push(&|c| _ = c.graph.edges.remove(i));
    }
    for i in 0..case.graph.fairness.len() {
        push(&|c| remove_fairness(c, i));
    }
    if case.graph.initial.len() > 1 {
        (0..case.graph.initial.len()).for_each(|i| push(&|c| _ = c.graph.initial.remove(i)));
    }
    if case.graph.stutters {
        push(&|c| c.graph.stutters = false);
    }
    if case.cut != Cut::Nothing {
        push(&|c| c.cut = Cut::Nothing);
    }
    for (i, claim) in case.claims.iter().enumerate() {
        for simpler in simpler_claims(claim) {
            push(&|c| c.claims[i] = simpler.clone());
        }
    }
    cases
}

fn remove_state(case: &mut Case, state: usize) {
    let rename = |s: usize| if s > state { s - 1 } else { s };
    let squeeze = |set: u32| set & ((1 << state) - 1) | set >> (state + 1) << state;
    let graph = &mut case.graph;
    graph.states -= 1;
    graph.initial.retain(|s| *s != state);
    graph.edges.retain(|e| e.from != state && e.to != Some(state));
    graph.initial.iter_mut().for_each(|s| *s = rename(*s));
    for edge in &mut graph.edges {
        (edge.from, edge.to) = (rename(edge.from), edge.to.map(rename));
    }
    graph.atoms.iter_mut().for_each(|set| *set = squeeze(*set));
    if let Cut::Boundary(set) = &mut case.cut {
        *set = squeeze(*set);
    }
}

fn remove_fairness(case: &mut Case, set: usize) {
    case.graph.fairness.remove(set);
    for edge in &mut case.graph.edges {
        edge.sets = edge.sets & ((1 << set) - 1) | edge.sets >> (set + 1) << set;
    }
}

fn simpler_claims(claim: &Claim) -> Vec<Claim> {
    let mut claims = Vec::new();
    claims.extend(simpler_exprs(&claim.p).into_iter().map(|p| Claim { p, ..claim.clone() }));
    claims.extend(simpler_exprs(&claim.q).into_iter().map(|q| Claim { q, ..claim.clone() }));
    if let Some(after) = &claim.after {
        claims.push(Claim { after: None, ..claim.clone() });
        claims.extend(
            simpler_exprs(after).into_iter().map(|after| Claim { after: Some(after), ..claim.clone() }),
        );
    }
    claims
}

fn simpler_exprs(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::Const(_) | Expr::Atom(_) => Vec::new(),
        Expr::Not(p) => vec![(**p).clone()],
        Expr::And(p, q) | Expr::Or(p, q) | Expr::Implies(p, q) => vec![(**p).clone(), (**q).clone()],
    }
}
