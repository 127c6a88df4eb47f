//! The oracle as the arbiter of explicit graphs: it decides the claims by their definition, and judges the witnesses.

use crate::explicit::{boundary, graph};
use crate::format::{Case, ClaimCase, GraphCase};
use crate::graph::{GraphModel, path};
use crate::oracle::{self, Expr, Form, Graph, Oracle, judge_lasso};
use aftercalm::check::{Decision, Outcome};
use aftercalm::property::{Claim, StateExpr, Temporal, Verdict};

/// The number of claims of the case that the oracle decides.
pub fn decidable(case: &Case, explicit: &GraphCase) -> usize {
    let Ok(graph) = graph(explicit) else { return 0 };
    let claims = case.claim.iter().filter_map(|claim| translated(explicit, claim));
    if whole(case, explicit, &graph) { claims.count() } else { 0 }
}

/// What is wrong with the case or with the answers, in the eyes of the oracle.
pub fn judge(case: &Case, explicit: &GraphCase, graph: &Graph, outcome: &Outcome<GraphModel>) -> Vec<String> {
    let mut wrong = Vec::new();
    if !whole(case, explicit, graph) {
        return wrong;
    }
    let oracle = Oracle::new(graph.clone());
    for (expected, decision) in case.claim.iter().zip(&outcome.decisions) {
        let Some(claim) = translated(explicit, expected) else { continue };
        let answer = oracle::decide(&oracle, &claim);
        if (answer.verdict, answer.kind) != (expected.verdict, expected.kind) {
            wrong.push(format!("`{}`: the oracle says {answer:?}", expected.claim));
        }
        if let Err(error) = witness(&oracle, &claim, decision) {
            wrong.push(format!("`{}`: its witness: {error}", expected.claim));
        }
    }
    wrong
}

/// Whether a search of the case sees the whole graph.
fn whole(case: &Case, explicit: &GraphCase, graph: &Graph) -> bool {
    let reached = graph.reach(graph.initial(), graph.all());
    case.stops.is_empty() && reached & !boundary(explicit) == 0
}

/// Whether the witness shows what it should, by a shortest stem and a shortest loop.
fn witness(oracle: &Oracle, claim: &oracle::Claim, decision: &Decision<GraphModel>) -> Result<(), String> {
    let Some(trace) = &decision.witness else {
        let needed = decision.verdict == Verdict::Violated && claim.form != Form::Reachable;
        return if needed { Err("there is none".to_owned()) } else { Ok(()) };
    };
    let path = path(trace, &oracle.graph)?;
    let measured = judge_lasso(oracle, claim, decision.kind, decision.lasso, true, &path)?;
    match (measured.stem_excess, measured.loop_excess) {
        (0, 0) => Ok(()),
        excess => Err(format!("stem and loop are {excess:?} steps longer than need be")),
    }
}

/// The claim in the oracle's form, where it has one.
fn translated(explicit: &GraphCase, claim: &ClaimCase) -> Option<oracle::Claim> {
    let Claim { temporal, after, .. } = Claim::parse(&claim.claim).ok()?;
    let (form, p, q) = match temporal {
        Temporal::Always(p) => (Form::Always, p, None),
        Temporal::Reachable(p) => (Form::Reachable, p, None),
        Temporal::Eventually(p) => (Form::Eventually, p, None),
        Temporal::LeadsTo(p, q) => (Form::LeadsTo, p, Some(q)),
        Temporal::Recurs(p) => (Form::Recurs, p, None),
        Temporal::Stabilizes(p) => (Form::Stabilizes, p, None),
        Temporal::Recoverable(p) => (Form::Recoverable, p, None),
        _ => return None,
    };
    let q = q.map_or(Some(Expr::Const(true)), |q| expr(explicit, &q))?;
    let after = match after {
        None => None,
        Some(after) => Some(expr(explicit, &after)?),
    };
    Some(oracle::Claim { form, p: expr(explicit, &p)?, q, after })
}

fn expr(explicit: &GraphCase, p: &StateExpr) -> Option<Expr> {
    let of = |p: &StateExpr| expr(explicit, p).map(Box::new);
    Some(match p {
        StateExpr::Const(value) => Expr::Const(*value),
        StateExpr::Atom(name) => Expr::Atom(explicit.atoms.keys().position(|known| known == name)?),
        StateExpr::Not(p) => Expr::Not(of(p)?),
        StateExpr::And(p, q) => Expr::And(of(p)?, of(q)?),
        StateExpr::Or(p, q) => Expr::Or(of(p)?, of(q)?),
    })
}
