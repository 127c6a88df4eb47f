//! Certificates of claims that hold are verified; those of claims that do not hold cannot be had, however they are forged.
//!
//! What holds is told by the oracle, or by the definition tried path by path; neither knows the search or the verification.

#[allow(dead_code)]
#[path = "../random/case.rs"]
mod case;
mod forge;
#[allow(dead_code)]
#[path = "../common/graph.rs"]
mod graph;
mod inclusion;
mod known;
#[allow(dead_code, unused_imports)]
#[path = "../oracle/mod.rs"]
mod oracle;
#[allow(dead_code)]
#[path = "../linear/paths.rs"]
mod paths;

use aftercalm::certificate::{Certificate, Proof, verify};
use aftercalm::check::{Limits, check_certified};
use aftercalm::property::{self, Draft, System, Verdict, ltl, recovers};
use case::{Case, Cut};
use forge::{Forger, altered, corrupted};
use graph::{GraphModel, draft, system};
use oracle::{Claim, Form, Graph, Oracle, Strength, covered, decide};
use std::collections::BTreeMap;

const MODELS: u64 = 120;

fn models() -> u64 {
    std::env::var("AFTERCALM_RANDOM_MODELS").map_or(MODELS, |text| text.parse().expect("a number of models"))
}

/// Whether everything must have occurred: not where a few seeds are run again.
fn is_whole_run() -> bool {
    models() >= MODELS
}

fn random_case(seed: u64) -> Case {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut case =
        if seed % 3 == 2 { Case::random_long(&mut rng) } else { Case::random(&mut rng, Cut::Nothing) };
    if !seed.is_multiple_of(3) {
        // Many claims that hold by fairness, also where several sets are kept away from in turn.
        let strength =
            |rng: &mut fastrand::Rng| if rng.u8(..3) == 0 { Strength::Weak } else { Strength::Strong };
        case.graph.fairness = (0..rng.usize(2..=4)).map(|_| strength(&mut rng)).collect();
        let sets = case.graph.fairness.len();
        for edge in &mut case.graph.edges {
            edge.sets = if rng.u8(..3) > 0 { 1 << rng.usize(..sets) } else { 0 };
        }
    }
    case
}

/// Claims with what is true of them on the graph of the case: the case's own, the same as formulas, and with a time.
fn claims(case: &Case) -> Vec<(Draft, Verdict)> {
    let oracle = Oracle::new(case.graph.clone());
    let mut all = Vec::new();
    for claim in &case.claims {
        let verdict = decide(&oracle, claim).verdict;
        all.push((draft(claim), verdict));
        let is_covered = covered(&case.graph, claim) != 0;
        let after = |draft: Draft| match &claim.after {
            Some(after) => draft.after(&after.to_string()),
            None => draft,
        };
        if let Some(body) = formula(claim) {
            // Only the antecedent makes a formula vacuous.
            let verdict = if verdict == Verdict::Vacuous && is_covered { Verdict::Holds } else { verdict };
            all.push((after(ltl(&body)), verdict));
        }
        if claim.form == Form::Stabilizes {
            let worst = paths::worst(&case.graph, claim);
            for ticks in worst.map_or(vec![1, 3], |w| vec![w, w.saturating_sub(1), w + 1]) {
                let verdict = match worst {
                    _ if !is_covered => Verdict::Vacuous,
                    Some(worst) if worst <= ticks => Verdict::Holds,
                    _ => Verdict::Violated,
                };
                all.push((after(recovers(&claim.p.to_string(), ticks)), verdict));
            }
        }
    }
    all
}

fn formula(claim: &Claim) -> Option<String> {
    let (p, q) = (&claim.p, &claim.q);
    match claim.form {
        Form::Always => Some(format!("G {p}")),
        Form::Eventually => Some(format!("F {p}")),
        Form::LeadsTo => Some(format!("G ({p} implies F {q})")),
        Form::Recurs => Some(format!("G F {p}")),
        Form::Stabilizes => Some(format!("F G {p}")),
        Form::Reachable | Form::Recoverable => None,
    }
}

fn with_claims(graph: &Graph, drafts: impl Iterator<Item = Draft>) -> System<GraphModel> {
    let drafts = drafts.enumerate().map(|(i, draft)| draft.named(&format!("claim {i}")));
    drafts.fold(system(graph, graph.all(), &[]), System::claim)
}

/// The certificates of the claims that hold of a system.
fn certificates(system: &System<GraphModel>) -> Vec<Option<Certificate>> {
    let (outcome, certificates) = check_certified(system, &Limits::default()).unwrap();
    for (decision, certificate) in outcome.decisions.iter().zip(&certificates) {
        assert_eq!(decision.verdict == Verdict::Holds, certificate.is_some(), "{}", decision.claim.text());
    }
    certificates
}

fn form(claim: &property::Claim) -> String {
    let text = claim.temporal.to_string();
    let words = ["always", "reachable", "eventually", "leads_to", "recurs", "stabilizes", "recoverable"];
    let words = words.into_iter().chain(["recovers", "ltl"]);
    words.into_iter().find(|w| text.starts_with(w) || text.contains(&format!(" {w} "))).unwrap().to_owned()
}

#[test]
fn every_claim_that_holds_has_a_certificate_that_is_verified() {
    let mut verified: BTreeMap<String, usize> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..6 * models() {
        let case = random_case(seed);
        let claims = claims(&case);
        let system = with_claims(&case.graph, claims.iter().map(|(draft, _)| draft.clone()));
        for ((claim, certificate), (_, verdict)) in
            system.claims.iter().zip(certificates(&system)).zip(&claims)
        {
            let text = claim.text();
            assert_eq!(certificate.is_some(), *verdict == Verdict::Holds, "seed {seed}: {text} {verdict}");
            let Some(certificate) = certificate else { continue };
            let looked_at = verify(&system, claim, &certificate);
            let looked_at = looked_at.unwrap_or_else(|error| {
                panic!("seed {seed}: {text}: {error}\n{certificate:#?}\n{:#?}", case.graph)
            });
            assert_eq!((looked_at.states, looked_at.edges), (certificate.states, certificate.edges));
            let json = serde_json::to_string(&certificate).unwrap();
            assert_eq!(serde_json::from_str::<Certificate>(&json).unwrap(), certificate);
            for word in ["weak", "strong", "unvisited"] {
                *reasons.entry(word).or_default() += usize::from(json.contains(&format!("{{\"{word}\":")));
            }
            if let Proof::Rankings(rankings) = &certificate.proof {
                *reasons.entry("nested").or_default() += usize::from(rankings.len() > 2);
            }
            *verified.entry(form(claim)).or_default() += 1;
        }
    }
    println!("{verified:?}\n{reasons:?}");
    if !is_whole_run() {
        return;
    }
    assert_eq!(verified.len(), 9);
    assert!(verified.values().chain(reasons.values()).all(|n| *n >= 15), "{verified:?} {reasons:?}");
}

#[test]
fn no_forged_certificate_of_a_claim_that_does_not_hold_is_accepted() {
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    let mut borrowed = 0;
    for seed in 0..models() {
        let case = random_case(seed);
        let mut rng = fastrand::Rng::with_seed(seed ^ 0xabcd);
        let claims = claims(&case);
        let drafts = || claims.iter().map(|(draft, _)| draft.clone());
        let system = with_claims(&case.graph, drafts());
        let forger = Forger::new(&system);
        let mut forged: Vec<Vec<Certificate>> = vec![Vec::new(); claims.len()];
        for _ in 0..24 {
            // A system in which the claim may hold, so that its certificate is as good as one can get.
            let other = altered(&mut rng, &case.graph);
            for (list, certificate) in forged.iter_mut().zip(certificates(&with_claims(&other, drafts()))) {
                list.extend(certificate);
            }
        }
        for ((claim, (_, verdict)), list) in system.claims.iter().zip(&claims).zip(&mut forged) {
            if *verdict == Verdict::Holds {
                continue;
            }
            borrowed += list.len();
            list.extend((0..2).map(|_| forger.invented(&mut rng, claim)));
            for start in list {
                for _ in 0..2 {
                    let mut certificate = start.clone();
                    if let Some(attempts) = forger.improve(&mut rng, claim, &mut certificate) {
                        panic!(
                            "seed {seed}: {} is {verdict}, and certified after {attempts} attempts\n{certificate:#?}\n{:#?}",
                            claim.text(),
                            case.graph
                        );
                    }
                    *tried.entry(form(claim)).or_default() += 1;
                }
            }
        }
    }
    println!("{borrowed} borrowed; {tried:?}");
    if !is_whole_run() {
        return;
    }
    assert!(borrowed > 200 && tried.len() == 9, "{borrowed} {tried:?}");
}

#[test]
fn the_forger_can_prove_what_is_true() {
    // Otherwise the test above would show nothing but its clumsiness.
    let (mut proven, mut tried) = (BTreeMap::<String, usize>::new(), 0);
    for seed in 0..models() {
        let case = random_case(seed);
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x1234);
        let claims = claims(&case);
        let system = with_claims(&case.graph, claims.iter().map(|(draft, _)| draft.clone()));
        let forger = Forger::new(&system);
        for (claim, _) in system.claims.iter().zip(&claims).filter(|(_, (_, v))| *v == Verdict::Holds) {
            let mut certificate = forger.invented(&mut rng, claim);
            tried += 1;
            let done = forger.improve(&mut rng, claim, &mut certificate).is_some();
            *proven.entry(form(claim)).or_default() += usize::from(done);
        }
    }
    println!("of {tried}: {proven:?}");
    assert!(proven.values().sum::<usize>() * 3 > tried, "of {tried} only {proven:?}");
}

#[test]
fn most_corruptions_of_a_certificate_are_refused() {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for seed in 0..4 * models() {
        let case = random_case(seed);
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x77);
        let claims = claims(&case);
        let system = with_claims(&case.graph, claims.iter().map(|(draft, _)| draft.clone()));
        for (claim, certificate) in system.claims.iter().zip(certificates(&system)) {
            let Some(certificate) = certificate else { continue };
            for _ in 0..6 {
                let Some((sort, wrong)) = corrupted(&mut rng, &certificate) else { continue };
                let (refused, all) = counts.entry(sort).or_default();
                *refused += usize::from(verify(&system, claim, &wrong).is_err());
                *all += 1;
            }
        }
    }
    println!("{counts:#?}");
    if !is_whole_run() {
        return;
    }
    for (sort, (refused, all)) in &counts {
        // A rank may change where nothing depends on it, and there is more than one reason for some things.
        let least = match *sort {
            "a rank changed" | "ranks merged" => all / 4,
            "a reason replaced" => all / 2,
            _ => *all,
        };
        assert!(*all > 15 && *refused >= least, "{sort}: {refused} of {all}");
    }
    assert_eq!(counts.len(), 9, "{counts:?}");
}
