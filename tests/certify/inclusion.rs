//! Certificates of isolation and of bounds. What holds is told by comparing the sequences of values one by one.

use crate::graph::GraphModel;
use crate::oracle::{Edge, Graph};
use aftercalm::certificate::{Certificate, CertificateError, Inclusion, Proof, verify};
use aftercalm::check::{Limits, check, check_certified};
use aftercalm::property::{ModelExt, System, Verdict, always, bounded, isolated};
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const PAIRS: u64 = 400;
/// Sequences of so many values are compared; with at most three states each side, longer ones hardly ever decide.
const LENGTH: usize = 10;

/// A graph whose states show 0 or 1.
#[derive(Clone, Debug)]
struct Shown {
    graph: Graph,
    values: Vec<i64>,
}

impl Shown {
    fn random(rng: &mut Rng) -> Self {
        let states = rng.usize(1..=3);
        let edge = |rng: &mut Rng| Edge { from: rng.usize(..states), to: Some(rng.usize(..states)), sets: 0 };
        let graph = Graph {
            states,
            initial: (0..rng.usize(1..=states.min(2))).collect(),
            edges: (0..rng.usize(1..=6)).map(|_| edge(rng)).collect(),
            atoms: vec![],
            fairness: vec![],
            stutters: rng.u8(..6) == 0,
        };
        Self { values: (0..states).map(|_| i64::from(rng.bool())).collect(), graph }
    }

    fn system(&self) -> System<GraphModel> {
        let model = GraphModel { graph: Arc::new(self.graph.clone()), boundary: self.graph.all() };
        let values = self.values.clone();
        let system = model.system().measure("m", "", move |_, s| values[s.0]);
        if self.graph.stutters { system.stuttering() } else { system }
    }

    fn isolated_from(&self, variant: &Self) -> System<GraphModel> {
        self.system().behaving("b", variant.system()).claim(isolated("m", "b"))
    }

    fn next(&self, state: usize) -> Vec<usize> {
        let edges = self.graph.edges.iter().filter(|e| e.from == state);
        let mut next: Vec<usize> = edges.filter_map(|e| e.to).collect();
        if next.is_empty() || self.graph.stutters {
            next.push(state);
        }
        next
    }

    /// All sequences of so many values.
    fn sequences(&self) -> BTreeSet<Vec<i64>> {
        let start = |s: &usize| (vec![self.values[*s]], *s);
        let mut paths: BTreeSet<(Vec<i64>, usize)> = self.graph.initial.iter().map(start).collect();
        for _ in 1..LENGTH {
            let steps = paths.iter().flat_map(|(values, s)| {
                self.next(*s).into_iter().map(move |to| ([&values[..], &[self.values[to]]].concat(), to))
            });
            paths = steps.collect();
        }
        paths.into_iter().map(|(values, _)| values).collect()
    }
}

fn certificate(system: &System<GraphModel>) -> (Verdict, Option<Certificate>) {
    let (outcome, mut certificates) = check_certified(system, &Limits::default()).unwrap();
    (outcome.decisions[0].verdict, certificates.remove(0))
}

/// Tries the pairs of all states with all sets, and gives up whatever pair is complained of: what is left in the end, if anything
/// is, shows all that can be shown. True if it is accepted.
fn best_attempt(system: &System<GraphModel>) -> bool {
    let size = |system: &System<GraphModel>| {
        let plain = system.model.clone().system().claim(always("true"));
        let outcome = check(&plain, &Limits::default()).unwrap();
        (outcome.states, outcome.transitions)
    };
    let (states, edges) = size(system);
    let (variant_states, variant_edges) = size(&system.behaving[0].1);
    let sets: Vec<Vec<u32>> = (1..1_u32 << variant_states)
        .map(|set| (0..variant_states as u32).filter(|s| set >> s & 1 == 1).collect())
        .collect();
    let pairs = vec![(0..sets.len() as u32).collect::<Vec<u32>>(); states as usize];
    let mut inclusion = Inclusion { variant_states, variant_edges, sets, pairs };
    loop {
        let proof = Proof::Inclusion(inclusion.clone());
        let certificate = Certificate { claim: system.claims[0].text(), states, edges, proof };
        match verify(system, &system.claims[0], &certificate) {
            Ok(_) => return true,
            Err(CertificateError::Pair { state, set }) => {
                inclusion.pairs[state as usize].retain(|s| *s != set);
            }
            Err(CertificateError::Unpaired(_)) => return false,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn isolation_is_certified_exactly_where_it_holds() {
    let mut counts: BTreeMap<bool, u32> = BTreeMap::new();
    let mut borrowed = 0;
    for seed in 0..PAIRS {
        let mut rng = Rng::with_seed(seed);
        let (shown, variant) = (Shown::random(&mut rng), Shown::random(&mut rng));
        let system = shown.isolated_from(&variant);
        let holds = shown.sequences().is_subset(&variant.sequences());
        let (verdict, certificate) = certificate(&system);
        let told = format!("seed {seed}: {verdict} {shown:?} {variant:?}");
        assert_eq!(verdict, if holds { Verdict::Holds } else { Verdict::Violated }, "{told}");
        assert_eq!(certificate.is_some(), holds, "{told}");
        if let Some(certificate) = &certificate {
            let verified = verify(&system, &system.claims[0], certificate);
            assert!(verified.is_ok(), "{told}: {verified:?}\n{certificate:?}");
            let json = serde_json::to_string(certificate).unwrap();
            assert_eq!(serde_json::from_str::<Certificate>(&json).unwrap(), *certificate);
        }
        assert_eq!(best_attempt(&system), holds, "{told}");
        for _ in 0..6 {
            // Good certificates of other systems.
            let (other, other_variant) = (Shown::random(&mut rng), Shown::random(&mut rng));
            let Some(wrong) = self::certificate(&other.isolated_from(&other_variant)).1 else { continue };
            borrowed += 1;
            let accepted = verify(&system, &system.claims[0], &wrong).is_ok();
            assert!(!accepted || holds, "{told} {wrong:?}");
        }
        *counts.entry(holds).or_default() += 1;
    }
    println!("{counts:?}, {borrowed} borrowed");
    assert!(counts[&true] > 60 && counts[&false] > 60 && borrowed > 300, "{counts:?} {borrowed}");
}

fn shown(states: usize, edges: &[(usize, usize)], values: &[i64]) -> Shown {
    let edges = edges.iter().map(|(from, to)| Edge { from: *from, to: Some(*to), sets: 0 }).collect();
    let (atoms, fairness) = (Vec::new(), Vec::new());
    let graph = Graph { states, initial: vec![0], edges, atoms, fairness, stutters: false };
    Shown { graph, values: values.to_vec() }
}

#[test]
fn each_condition_of_an_inclusion_is_needed() {
    // 0 shows 0 and then 1 or 2 for ever; the variant chooses between them one step earlier.
    let system = shown(4, &[(0, 1), (1, 2), (1, 3), (2, 2), (3, 3)], &[0, 1, 2, 3]);
    let variant = shown(5, &[(0, 1), (0, 2), (1, 3), (2, 4), (3, 3), (4, 4)], &[0, 1, 1, 2, 3]);
    let system = system.isolated_from(&variant);
    let good = Inclusion {
        variant_states: 5,
        variant_edges: 6,
        sets: vec![vec![0], vec![1, 2], vec![3], vec![4]],
        pairs: vec![vec![0], vec![1], vec![2], vec![3]],
    };
    let verdict = |change: &dyn Fn(&mut Inclusion)| {
        let mut inclusion = good.clone();
        change(&mut inclusion);
        let proof = Proof::Inclusion(inclusion);
        let certificate = Certificate { claim: system.claims[0].text(), states: 4, edges: 5, proof };
        verify(&system, &system.claims[0], &certificate).map(|_| ())
    };
    assert_eq!(verdict(&|_| {}), Ok(()));
    assert_eq!(verdict(&|i| i.sets[1] = vec![1]), Err(CertificateError::Pair { state: 1, set: 1 }));
    assert_eq!(verdict(&|i| i.sets[1] = vec![1, 3]), Err(CertificateError::Pair { state: 1, set: 1 }));
    assert_eq!(verdict(&|i| i.sets[1] = vec![2, 1]), Err(CertificateError::Set(1)));
    assert_eq!(verdict(&|i| i.sets[2] = vec![]), Err(CertificateError::Set(2)));
    assert_eq!(verdict(&|i| i.sets[2] = vec![9]), Err(CertificateError::Set(2)));
    assert_eq!(verdict(&|i| i.pairs[2] = vec![7]), Err(CertificateError::Set(7)));
    assert_eq!(verdict(&|i| i.pairs[3] = vec![]), Err(CertificateError::Pair { state: 1, set: 1 }));
    assert_eq!(verdict(&|i| i.pairs[0] = vec![]), Err(CertificateError::Unpaired(0)));
    let length = CertificateError::Length { ranking: 0, found: 3, expected: 4 };
    assert_eq!(verdict(&|i| i.pairs.truncate(3)), Err(length));
    let other = CertificateError::OtherModel { states: 4, edges: 6 };
    assert_eq!(verdict(&|i| i.variant_states = 4), Err(other));
    let other = CertificateError::OtherModel { states: 5, edges: 5 };
    assert_eq!(verdict(&|i| i.variant_edges = 5), Err(other));
}

/// Counts up to a limit, if there is one.
#[derive(Clone, Debug)]
struct Count {
    max: Option<i64>,
}

impl stateright::Model for Count {
    type State = i64;
    type Action = ();
    fn init_states(&self) -> Vec<i64> {
        vec![0]
    }
    fn actions(&self, state: &i64, actions: &mut Vec<()>) {
        if self.max.is_none_or(|max| *state < max) {
            actions.push(());
        }
    }
    fn next_state(&self, state: &i64, (): ()) -> Option<i64> {
        Some(state + 1)
    }
}

fn count(max: Option<i64>) -> System<Count> {
    Count { max }.system().atom("late", |_, s| *s >= 3).counter("n", "", |_, s| *s, |_, s| *s = 0).counter(
        "left",
        "",
        |m, s| m.max.map_or(0, |max| max - s),
        |_, s| *s = 0,
    )
}

#[test]
fn a_bound_is_certified_by_the_end_of_the_model_and_its_peak() {
    let system = count(Some(7)).claim(bounded("n")).claim(bounded("left").after("late"));
    let (outcome, certificates) = check_certified(&system, &Limits::default()).unwrap();
    for ((claim, peak), made) in system.claims.iter().zip([7, 4]).zip(certificates) {
        let made = made.unwrap();
        assert_eq!((made.states, made.edges, &made.proof), (8, 7, &Proof::Peak(peak)));
        assert!(verify(&system, claim, &made).is_ok());
        for wrong in [peak - 1, peak + 1] {
            let wrong = Certificate { proof: Proof::Peak(wrong), ..made.clone() };
            assert!(matches!(verify(&system, claim, &wrong), Err(CertificateError::Peak(_))));
        }
        let wrong = Certificate { proof: Proof::Invariant, ..made };
        assert_eq!(verify(&system, claim, &wrong), Err(CertificateError::WrongForm));
    }
    assert!(outcome.decisions.iter().all(|d| d.verdict == Verdict::Holds));
    let never = count(Some(2)).claim(bounded("n").after("late"));
    let claim = &never.claims[0];
    let made = Certificate { claim: claim.text(), states: 3, edges: 2, proof: Proof::Peak(2) };
    assert_eq!(verify(&never, claim, &made), Err(CertificateError::Vacuous));
}

#[test]
fn no_number_of_states_certifies_what_grows_without_bound() {
    let system = count(None).claim(bounded("n"));
    let claim = &system.claims[0];
    for states in 1..40 {
        for peak in [states - 1, states] {
            let proof = Proof::Peak(peak as i64);
            let forged = Certificate { claim: claim.text(), states, edges: states - 1, proof };
            let refused = verify(&system, claim, &forged);
            assert!(matches!(refused, Err(CertificateError::OtherModel { .. })), "{refused:?}");
        }
    }
}
