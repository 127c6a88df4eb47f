//! Linear-time formulas and worst cases on random graphs, against definitions that are tried out path by path.

#[allow(dead_code)]
#[path = "../random/case.rs"]
mod case;
#[allow(dead_code)]
#[path = "../common/graph.rs"]
mod graph;
#[allow(dead_code, unused_imports)]
#[path = "../oracle/mod.rs"]
mod oracle;
mod paths;

use aftercalm::check::{Decision, Limits, check};
use aftercalm::property::{Kind, Ltl, StateExpr, Verdict, ltl, recovers};
use case::{Case, Cut};
use graph::{GraphModel, system};
use oracle::{Claim, Expr, Form, Graph};
use paths::{first, outstanding, refuting_lasso, worst};

const MODELS: u64 = 600;

fn models() -> u64 {
    std::env::var("AFTERCALM_RANDOM_MODELS").map_or(MODELS, |text| text.parse().expect("a number of models"))
}

fn small(seed: u64) -> Case {
    Case::random(&mut fastrand::Rng::with_seed(seed), Cut::Nothing)
}

/// The formula that says the same as the claim.
fn formula(claim: &Claim) -> Option<String> {
    let (p, q) = (&claim.p, &claim.q);
    let body = match claim.form {
        Form::Always => format!("G {p}"),
        Form::Eventually => format!("F {p}"),
        Form::LeadsTo => format!("G ({p} implies F {q})"),
        Form::Recurs => format!("G F {p}"),
        Form::Stabilizes => format!("F G {p}"),
        Form::Reachable | Form::Recoverable => return None,
    };
    Some(match &claim.after {
        Some(after) => format!("(not {after}) W ({after} and {body})"),
        None => body,
    })
}

fn decide(graph: &Graph, drafts: Vec<aftercalm::property::Draft>) -> Vec<Decision<GraphModel>> {
    let mut checked = system(graph, graph.all(), &[]);
    for (i, draft) in drafts.into_iter().enumerate() {
        checked = checked.claim(draft.named(&format!("claim {i}")));
    }
    let outcome = check(&checked, &Limits::default()).unwrap();
    assert_eq!((outcome.stops.len(), &outcome.fault), (0, &None));
    outcome.decisions
}

#[test]
fn named_claims_agree_with_their_formulas() {
    let mut violated = 0;
    for seed in 0..models() {
        let case = small(seed);
        let claims: Vec<&Claim> = case.claims.iter().filter(|c| formula(c).is_some()).collect();
        if claims.is_empty() {
            continue;
        }
        let named = system(&case.graph, case.graph.all(), &case.claims);
        let outcome = check(&named, &Limits::default()).unwrap();
        let named = outcome.decisions.iter().zip(&case.claims).filter(|(_, c)| formula(c).is_some());
        let formulas = decide(&case.graph, claims.iter().map(|c| ltl(&formula(c).unwrap())).collect());
        for ((named, claim), as_formula) in named.zip(formulas) {
            // A formula is never vacuous: what tests nothing holds.
            let expected = if named.verdict == Verdict::Vacuous { Verdict::Holds } else { named.verdict };
            assert_eq!(as_formula.verdict, expected, "seed {seed}: {claim}\n{:#?}", case.graph);
            violated += u32::from(expected == Verdict::Violated);
        }
    }
    assert!(violated > 300, "{violated} claims are violated");
}

fn random_formula(rng: &mut fastrand::Rng, depth: u32) -> Ltl {
    if depth == 0 || rng.u32(0..7) == 0 {
        return Ltl::Literal(format!("a{}", rng.u32(0..3)), rng.bool());
    }
    let (a, b) = (random_formula(rng, depth - 1), random_formula(rng, depth - 1));
    match rng.u32(0..10) {
        0 => a.and(b),
        1 => a.or(b),
        2 => a.next(),
        3 | 4 => a.until(b),
        5 => a.release(b),
        6 => a.weak_until(b),
        7 | 8 => a.finally(),
        _ => a.globally(),
    }
}

#[test]
fn a_random_formula_is_violated_exactly_where_some_fair_lasso_refutes_it() {
    let (mut violated, mut holds) = (0, 0);
    for seed in 0..models() {
        let case = small(seed);
        let mut rng = fastrand::Rng::with_seed(seed ^ 0xf0f0);
        let formulas: Vec<Ltl> = (0..4).map(|_| random_formula(&mut rng, 3)).collect();
        let after = rng.bool().then_some("a0");
        let drafts = formulas.iter().map(|f| {
            let draft = ltl(&f.to_string());
            after.map_or(draft.clone(), |a| draft.after(a))
        });
        for (formula, decision) in formulas.iter().zip(decide(&case.graph, drafts.collect())) {
            assert!(decision.claim.text().starts_with("ltl "));
            if decision.verdict == Verdict::Vacuous {
                continue;
            }
            let antecedent = after.map(|_| Expr::Atom(0));
            let refuted = refuting_lasso(&case.graph, antecedent.as_ref(), formula, 6);
            match decision.verdict {
                // Its witness was replayed, and the replay reads the formula by its definition.
                Verdict::Violated => violated += 1,
                Verdict::Holds => {
                    assert_eq!(refuted, None, "seed {seed}: {formula} after {after:?}\n{:#?}", case.graph);
                    holds += 1;
                }
                other => panic!("seed {seed}: {other}"),
            }
        }
    }
    assert!(violated > 500 && holds > 200, "{violated} violated, {holds} hold");
}

#[test]
fn worst_cases_are_the_longest_paths_without_recovery() {
    let (mut finite, mut unbounded, mut late) = (0, 0, 0);
    for seed in 0..3 * models() {
        let case =
            if seed % 2 == 0 { small(seed) } else { Case::random_long(&mut fastrand::Rng::with_seed(seed)) };
        let graph = &case.graph;
        let outcome = check(&system(graph, graph.all(), &case.claims), &Limits::default()).unwrap();
        for (claim, decision) in case.claims.iter().zip(&outcome.decisions) {
            let timed = matches!(claim.form, Form::Eventually | Form::LeadsTo | Form::Stabilizes);
            if !timed || decision.verdict != Verdict::Holds {
                assert_eq!(decision.worst_ticks, None);
                continue;
            }
            let expected = worst(graph, claim);
            assert_eq!(decision.worst_ticks, expected, "seed {seed}: {claim}\n{graph:#?}");
            match expected {
                Some(ticks) => {
                    finite += u32::from(ticks > 0);
                    if let Some(path) = &decision.worst {
                        let states: Vec<usize> = path.stem.iter().map(|s| s.state.0).collect();
                        let outside = outstanding(graph, claim);
                        let tail = &states[states.len() - 1 - ticks as usize..];
                        assert!(tail[..ticks as usize].iter().all(|s| outside >> s & 1 == 1), "{states:?}");
                        assert!(outside >> tail[ticks as usize] & 1 == 0, "{states:?}");
                    }
                }
                None => {
                    unbounded += 1;
                    assert!(decision.detail.as_ref().is_some_and(|d| d.contains("no worst case")));
                }
            }
            if claim.form == Form::Stabilizes {
                late += recovers_agrees(graph, claim, expected);
            }
        }
    }
    assert!(
        finite > 100 && unbounded > 20 && late > 20,
        "{finite} finite, {unbounded} unbounded, {late} late"
    );
}

/// `recovers p within n ticks` is violated exactly for n below the worst case.
fn recovers_agrees(graph: &Graph, claim: &Claim, worst: Option<u64>) -> u32 {
    let p = claim.p.to_string();
    let draft = |n: u64| {
        let draft = recovers(&p, n);
        claim.after.as_ref().map_or(draft.clone(), |a| draft.after(&a.to_string()))
    };
    let bounds: Vec<u64> = (0..4).chain(worst).chain(worst.and_then(|w| w.checked_sub(1))).collect();
    let mut late = 0;
    for (n, decision) in bounds.iter().zip(decide(graph, bounds.iter().map(|n| draft(*n)).collect())) {
        let violated = worst.is_none_or(|w| *n < w);
        let expected =
            if violated { (Verdict::Violated, Some(Kind::Safety)) } else { (Verdict::Holds, None) };
        assert_eq!((decision.verdict, decision.kind), expected, "{n} ticks: {claim}\n{graph:#?}");
        late += u32::from(violated);
    }
    assert!(first(graph, claim.after.as_ref()) != 0);
    assert!(StateExpr::parse(&p).is_ok());
    late
}
