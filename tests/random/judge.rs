//! Judges what the checker says about a case, and counts what was seen.

use crate::case::{Case, Cut};
use crate::graph::{GraphModel, path, system};
use crate::oracle::{Answer, Claim, Form, Oracle, decide, judge_lasso};
use aftercalm::check::{Decision, Limits, Note, Outcome, check};
use aftercalm::property::{Kind, System, Verdict};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How often each answer was given, and how good the witnesses were.
#[derive(Debug, Default)]
pub struct Tally {
    answers: BTreeMap<(Form, String), usize>,
    /// Claims of searches that were cut short and that the oracle decides.
    cut_short: usize,
    violated_but_inconclusive: usize,
    lassos: usize,
    /// Loops that are longer than the shortest through the same state.
    pub long_loops: usize,
}

impl Tally {
    /// How often claims of this form got this answer.
    pub fn count(&self, form: Form, answer: &str) -> usize {
        self.answers.get(&(form, answer.to_owned())).copied().unwrap_or(0)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((form, answer), count) in &self.answers {
            writeln!(f, "{count:6} {form:?} {answer}")?;
        }
        writeln!(f, "{} loops, {} of them not the shortest", self.lassos, self.long_loops)?;
        write!(
            f,
            "{} claims of truncated searches; of those that are violated {} inconclusive",
            self.cut_short, self.violated_but_inconclusive
        )
    }
}

/// Has the case checked and compares every answer with the oracle's. The error says what is wrong.
pub fn judge(case: &Case, tally: &mut Tally) -> Result<(), String> {
    let oracle = Oracle::new(case.graph.clone());
    let boundary = if let Cut::Boundary(states) = case.cut { states } else { case.graph.all() };
    let mut limits = Limits::default();
    match case.cut {
        Cut::States(states) => limits.states_max = states,
        Cut::Depth(depth) => limits.depth_max = Some(depth),
        Cut::Boundary(_) | Cut::Nothing => {}
    }
    let system = system(&case.graph, boundary, &case.claims);
    let outcome = catch_unwind(AssertUnwindSafe(|| check(&system, &limits)))
        .map_err(|_| "the checker panicked".to_owned())?
        .map_err(|error| error.to_string())?;
    if case.graph.initial() & boundary == 0 {
        return if outcome.fault.is_some() { Ok(()) } else { Err("no initial state, and no fault".into()) };
    }
    if let Some(fault) = &outcome.fault {
        return Err(format!("a fault of a model that has none: {fault}"));
    }
    if outcome.decisions.len() != case.claims.len() {
        return Err("not one decision for each claim".into());
    }
    judge_repetition(&system, &limits, &outcome)?;
    if outcome.stops.is_empty() {
        judge_counts(case, &oracle, &outcome)?;
    } else if case.cut == Cut::Nothing {
        return Err(format!("the search stopped without a reason: {:?}", outcome.stops));
    }
    for (claim, decision) in case.claims.iter().zip(&outcome.decisions) {
        let answer = decide(&oracle, claim);
        let judged = if outcome.stops.is_empty() {
            judge_decision(&oracle, claim, answer, decision, tally)
        } else {
            tally.cut_short += 1;
            judge_truncated(&oracle, claim, answer, decision, tally)
        };
        judged.map_err(|error| {
            format!("{claim}: {error}\nthe oracle says {answer:?}\nthe checker {decision:?}")
        })?;
        let words = [
            Some(decision.verdict.to_string()),
            decision.kind.map(|k| k.to_string()),
            decision.lasso.filter(|_| decision.kind == Some(Kind::Lasso)).map(|l| l.to_string()),
        ];
        let words = words.into_iter().flatten().collect::<Vec<_>>().join(" ");
        *tally.answers.entry((claim.form, words)).or_default() += 1;
    }
    Ok(())
}

/// The same model gives the same answers and the same witnesses.
fn judge_repetition(
    system: &System<GraphModel>,
    limits: &Limits,
    outcome: &Outcome<GraphModel>,
) -> Result<(), String> {
    let again = check(system, limits).map_err(|error| error.to_string())?;
    let told = |o: &Outcome<GraphModel>| format!("{:?}", (o.states, o.transitions, &o.stops, &o.decisions));
    if told(outcome) == told(&again) {
        Ok(())
    } else {
        Err(format!("a second run says\n{}\nthe first\n{}", told(&again), told(outcome)))
    }
}

/// The numbers of a search that has seen everything.
fn judge_counts(case: &Case, oracle: &Oracle, outcome: &Outcome<GraphModel>) -> Result<(), String> {
    let graph = &oracle.graph;
    let reached = graph.reach(graph.initial(), graph.all());
    if let Cut::Boundary(inside) = case.cut
        && reached & !inside != 0
    {
        return Err("the boundary cut states off, and the search does not say so".into());
    }
    let reached = |s: usize| reached >> s & 1 == 1;
    let states = (0..graph.states).filter(|s| reached(*s)).count() as u64;
    let transitions = graph.edges.iter().filter(|e| reached(e.from) && e.to.is_some()).count() as u64;
    let is_end = |s: &usize| reached(*s) && !graph.edges.iter().any(|e| e.from == *s && e.to.is_some());
    let ends = (0..graph.states).filter(is_end).count() as u64;
    let counted = (outcome.states, outcome.transitions, outcome.end_states);
    if counted != (states, transitions, ends) {
        return Err(format!("counted {counted:?}, and it should be {:?}", (states, transitions, ends)));
    }
    // States 2i and 2i + 1 hash alike.
    let alike = (0..graph.states / 2).filter(|i| reached(2 * i) && reached(2 * i + 1)).count() as u64;
    let pairs = |note: &Note| if let Note::CoarseHash { pairs, .. } = note { *pairs } else { 0 };
    let remarked = outcome.notes.iter().map(pairs).sum::<u64>();
    if remarked == alike {
        Ok(())
    } else {
        Err(format!("{alike} pairs hash alike, {remarked} were remarked"))
    }
}

/// A decision of a search that has seen everything.
fn judge_decision(
    oracle: &Oracle,
    claim: &Claim,
    answer: Answer,
    decision: &Decision<GraphModel>,
    tally: &mut Tally,
) -> Result<(), String> {
    if (decision.verdict, decision.kind) != (answer.verdict, answer.kind) {
        return Err("another verdict or kind".into());
    }
    let covered = Some(u64::from(answer.covered));
    if decision.states_covered != covered
        && !(decision.verdict == Verdict::Vacuous && decision.states_covered.is_none())
    {
        return Err("another number of states covered".into());
    }
    judge_witness(oracle, claim, decision, true, tally)
}

/// A decision of a search that has not seen everything: it may claim only what the whole model confirms.
fn judge_truncated(
    oracle: &Oracle,
    claim: &Claim,
    answer: Answer,
    decision: &Decision<GraphModel>,
    tally: &mut Tally,
) -> Result<(), String> {
    match decision.verdict {
        Verdict::Inconclusive => {
            tally.violated_but_inconclusive += usize::from(answer.verdict == Verdict::Violated);
            if decision.witness.is_some() || decision.kind.is_some() {
                return Err("inconclusive, yet with a witness or a kind".into());
            }
            if decision.detail.is_none() {
                return Err("inconclusive, and it does not say why".into());
            }
            Ok(())
        }
        Verdict::Vacuous => Err("vacuous after a truncated search".into()),
        Verdict::Holds if claim.form != Form::Reachable => Err("holds after a truncated search".into()),
        Verdict::Violated if claim.form == Form::Reachable => {
            Err("unreachable after a truncated search".into())
        }
        Verdict::Holds | Verdict::Violated if decision.verdict != answer.verdict => {
            Err("the whole model does not confirm this".into())
        }
        Verdict::Holds | Verdict::Violated => {
            // The shortest witness may lie beyond the limit, and so may the way back that a trap has not.
            judge_witness(oracle, claim, decision, false, &mut Tally::default())
        }
    }
}

/// Whether the verdict has the witness that it should have, and whether that shows it; `whole` where the search has seen
/// everything, so that the witness must be the shortest of its kind.
fn judge_witness(
    oracle: &Oracle,
    claim: &Claim,
    decision: &Decision<GraphModel>,
    whole: bool,
    tally: &mut Tally,
) -> Result<(), String> {
    let wanted = match (decision.verdict, claim.form) {
        (Verdict::Holds, form) => form == Form::Reachable,
        (Verdict::Violated, form) => form != Form::Reachable,
        _ => false,
    };
    let Some(trace) = decision.witness.as_ref().filter(|_| wanted) else {
        return match (&decision.witness, wanted) {
            (None, true) => Err("there is no witness".into()),
            (Some(_), false) => Err("there is a witness for what needs none".into()),
            _ => Ok(()),
        };
    };
    let path = path(trace, &oracle.graph)?;
    let measured = judge_lasso(oracle, claim, decision.kind, decision.lasso, whole, &path)?;
    if whole && measured.stem_excess > 0 {
        return Err(format!("the stem is {} steps longer than need be", measured.stem_excess));
    }
    if decision.lasso.is_some() && decision.kind == Some(Kind::Safety) {
        return Err("a finite path with a loop's shape".into());
    }
    tally.lassos += usize::from(measured.has_loop);
    tally.long_loops += usize::from(measured.loop_excess > 0);
    Ok(())
}
