//! What a verification refuses, one reason at a time.

use crate::graph::{GraphModel, system};
use crate::oracle::{Edge, Graph, Strength};
use aftercalm::certificate::{Certificate, CertificateError, Proof, Ranking, Reason, Why, verify};
use aftercalm::property::{
    Draft, System, eventually, leads_to, ltl, recoverable, recovers, recurs, stabilizes,
};

/// 0 -> 1 -> 2, where 1 can go back to 0 and 2 stays; `a0` holds in 2. The step from 1 to 2 is in set 0, which is fair.
fn graph(strength: Strength) -> Graph {
    let edge = |from, to, sets| Edge { from, to: Some(to), sets };
    Graph {
        states: 3,
        initial: vec![0],
        edges: vec![edge(0, 1, 0), edge(1, 0, 0), edge(1, 2, 1), edge(2, 2, 0)],
        atoms: vec![0b100, 0, 0],
        fairness: vec![strength],
        stutters: false,
    }
}

fn claimed(graph: &Graph, draft: Draft) -> System<GraphModel> {
    system(graph, graph.all(), &[]).claim(draft)
}

fn verdict(system: &System<GraphModel>, proof: Proof) -> Result<(), CertificateError> {
    let claim = &system.claims[0];
    let certificate = Certificate { claim: claim.text(), states: 3, edges: 4, proof };
    verify(system, claim, &certificate).map(|_| ())
}

fn reason(rank: u32, why: Why) -> Reason {
    Reason { rank, why }
}

fn fair0() -> String {
    "fair 0".to_owned()
}

/// 0 and 1 are one component, left by strong fairness; what is left of it, 0, has no step within it.
fn left_by_strong_fairness() -> Vec<Ranking> {
    let why = Why::Strong { sets: vec![fair0()], rest: 1 };
    vec![
        Ranking { order: vec![5, 5], reasons: vec![reason(5, why)] },
        Ranking { order: vec![0], reasons: Vec::new() },
    ]
}

#[test]
fn a_proof_by_strong_fairness_needs_strong_fairness() {
    let strong = claimed(&graph(Strength::Strong), eventually("a0"));
    assert_eq!(verdict(&strong, Proof::Rankings(left_by_strong_fairness())), Ok(()));
    let weak = claimed(&graph(Strength::Weak), eventually("a0"));
    let untrue = Err(CertificateError::Untrue { ranking: 0, rank: 5 });
    assert_eq!(verdict(&weak, Proof::Rankings(left_by_strong_fairness())), untrue);
    // Set 0 is not enabled in state 0, so weak fairness does not help either.
    let weakly = vec![Ranking { order: vec![5, 5], reasons: vec![reason(5, Why::Weak(fair0()))] }];
    assert_eq!(verdict(&weak, Proof::Rankings(weakly)), untrue);
}

#[test]
fn a_set_that_is_taken_within_a_rank_is_no_reason() {
    let mut graph = graph(Strength::Strong);
    graph.edges[1].sets = 1;
    let system = claimed(&graph, eventually("a0"));
    let untrue = Err(CertificateError::Untrue { ranking: 0, rank: 5 });
    assert_eq!(verdict(&system, Proof::Rankings(left_by_strong_fairness())), untrue);
    // A weak set that is enabled all the time, and taken by going back and forth.
    graph.fairness[0] = Strength::Weak;
    graph.edges[0].sets = 1;
    let weakly = || vec![Ranking { order: vec![5, 5], reasons: vec![reason(5, Why::Weak(fair0()))] }];
    assert_eq!(verdict(&claimed(&graph, eventually("a0")), Proof::Rankings(weakly())), untrue);
    // Enabled all the time and never taken; and enabled in 0 by nothing but a step that stays there, which is not enabled.
    graph.edges[0] = Edge { from: 0, to: Some(1), sets: 0 };
    graph.edges[1].sets = 0;
    graph.edges[3] = Edge { from: 0, to: Some(2), sets: 1 };
    assert_eq!(verdict(&claimed(&graph, eventually("a0")), Proof::Rankings(weakly())), Ok(()));
    graph.edges[3].to = Some(0);
    assert_eq!(verdict(&claimed(&graph, eventually("a0")), Proof::Rankings(weakly())), untrue);
}

#[test]
fn what_is_left_must_be_ranked_in_turn() {
    let system = claimed(&graph(Strength::Strong), eventually("a0"));
    let mut rankings = left_by_strong_fairness();
    rankings.truncate(1);
    assert_eq!(verdict(&system, Proof::Rankings(rankings.clone())), Err(CertificateError::Rankings(1)));
    let Why::Strong { rest, .. } = &mut rankings[0].reasons[0].why else { unreachable!() };
    *rest = 0;
    let circular = Err(CertificateError::Rankings(0));
    assert_eq!(verdict(&system, Proof::Rankings(rankings)), circular);
    // Where paths may stutter, what is left can be stayed in.
    let mut graph = graph(Strength::Strong);
    graph.stutters = true;
    let stutters = claimed(&graph, eventually("a0"));
    let stays = Err(CertificateError::Stays(0));
    assert_eq!(verdict(&stutters, Proof::Rankings(left_by_strong_fairness())), stays);
}

#[test]
fn ranks_do_not_rise() {
    let system = claimed(&graph(Strength::Strong), eventually("a0"));
    let rankings = vec![Ranking { order: vec![1, 0], reasons: Vec::new() }];
    let rises = Err(CertificateError::Step { from: 1, to: 0 });
    assert_eq!(verdict(&system, Proof::Rankings(rankings)), rises);
}

#[test]
fn unvisited_counts_only_what_the_claim_must_visit() {
    let order = |reasons| Proof::Rankings(vec![Ranking { order: vec![1, 1, 0], reasons }]);
    let system = claimed(&graph(Strength::Strong), stabilizes("a0"));
    let wrong = vec![reason(0, Why::Unvisited(0)), reason(1, Why::Unvisited(0))];
    assert_eq!(verdict(&system, order(wrong)), Err(CertificateError::Untrue { ranking: 0, rank: 1 }));
    let none = vec![reason(0, Why::Unvisited(1)), reason(1, Why::Unvisited(0))];
    assert_eq!(verdict(&system, order(none)), Err(CertificateError::Untrue { ranking: 0, rank: 0 }));
    let mut rankings = left_by_strong_fairness();
    rankings[0].order.push(0);
    rankings[0].reasons.push(reason(0, Why::Unvisited(0)));
    assert_eq!(verdict(&system, Proof::Rankings(rankings)), Ok(()));
}

#[test]
fn numbers_lead_to_the_goal() {
    let system = claimed(&graph(Strength::Weak), recoverable("a0"));
    assert_eq!(verdict(&system, Proof::Distances(vec![2, 1, 0])), Ok(()));
    assert_eq!(verdict(&system, Proof::Distances(vec![1, 1, 0])), Err(CertificateError::Number(0)));
    assert_eq!(verdict(&system, Proof::Distances(vec![0, 1, 0])), Err(CertificateError::Number(0)));
    let length = Err(CertificateError::Length { ranking: 0, found: 2, expected: 3 });
    assert_eq!(verdict(&system, Proof::Distances(vec![2, 1])), length);
    let mut straight = graph(Strength::Weak);
    straight.edges[1].to = Some(2);
    let within = |ticks| claimed(&straight, recovers("a0", ticks));
    assert_eq!(verdict(&within(2), Proof::Countdown(vec![2, 1, 0])), Ok(()));
    assert_eq!(verdict(&within(1), Proof::Countdown(vec![2, 1, 0])), Err(CertificateError::Number(0)));
    let step = Err(CertificateError::Step { from: 0, to: 1 });
    assert_eq!(verdict(&within(1), Proof::Countdown(vec![1, 1, 0])), step);
    assert_eq!(verdict(&within(1), Proof::Countdown(vec![1, 0, 0])), Err(CertificateError::Number(1)));
}

#[test]
fn a_certificate_is_for_one_claim_of_one_whole_model() {
    let graph = graph(Strength::Strong);
    let system = claimed(&graph, eventually("a0"));
    let proof = || Proof::Rankings(left_by_strong_fairness());
    let made = Certificate { claim: system.claims[0].text(), states: 3, edges: 4, proof: proof() };
    let other = claimed(&graph, eventually("a0 or a1"));
    let refused = verify(&other, &other.claims[0], &made);
    assert!(matches!(refused, Err(CertificateError::OtherClaim { .. })), "{refused:?}");
    let more = Certificate { states: 4, ..made.clone() };
    assert!(matches!(verify(&system, &system.claims[0], &more), Err(CertificateError::OtherModel { .. })));
    assert_eq!(verdict(&claimed(&graph, recoverable("a0")), proof()), Err(CertificateError::WrongForm));
    let cut = crate::graph::system(&graph, 0b011, &[]).claim(eventually("a0"));
    assert_eq!(verdict(&cut, proof()), Err(CertificateError::Boundary));
}

#[test]
fn what_tests_nothing_is_not_certified() {
    let graph = graph(Strength::Strong);
    let nothing = || Proof::Rankings(vec![Ranking { order: Vec::new(), reasons: Vec::new() }]);
    for draft in [recurs("a0").after("a1"), leads_to("a1", "a0"), ltl("G F a0").after("a1")] {
        assert_eq!(verdict(&claimed(&graph, draft), nothing()), Err(CertificateError::Vacuous));
    }
}

#[test]
fn an_operator_helps_no_claim_and_hurts_none() {
    // The operator could go on to 2 for ever; without fairness nobody else has to.
    let mut graph = graph(Strength::Strong);
    graph.fairness.clear();
    let operated = |graph: &Graph, edge: usize, draft| {
        claimed(graph, draft).operator("hand", move |_, _, via| via.0 == edge)
    };
    let (states, edges) = (2, 2);
    let system = operated(&graph, 2, recoverable("a0"));
    let claim = &system.claims[0];
    let made = |proof| Certificate { claim: claim.text(), states, edges, proof };
    let refused = verify(&system, claim, &made(Proof::Distances(vec![2, 1])));
    assert_eq!(refused, Err(CertificateError::Number(1)));
    // Nor does a claim have to bear what the operator alone can do: going back from 1 to 0.
    let system = operated(&graph, 1, eventually("a0"));
    let claim = &system.claims[0];
    let proof = Proof::Rankings(vec![Ranking { order: vec![1, 0], reasons: Vec::new() }]);
    let made = Certificate { claim: claim.text(), states: 3, edges: 3, proof };
    assert!(verify(&system, claim, &made).is_ok());
}
