//! Wrong certificates: of other graphs, invented, corrupted, and improved by what the verification says against them.

use crate::graph::GraphModel;
use crate::oracle::{Graph, Strength};
use aftercalm::certificate::{Certificate, CertificateError, Proof, Ranking, Reason, Why, verify};
use aftercalm::check::{Limits, check};
use aftercalm::property::{Claim, System, Temporal};
use fastrand::Rng;

/// A graph that differs a little, in a way that may make a claim true.
pub fn altered(rng: &mut Rng, graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    for _ in 0..rng.usize(1..=6) {
        alter(rng, &mut graph);
    }
    graph
}

fn alter(rng: &mut Rng, graph: &mut Graph) {
    let edges = graph.edges.len();
    match rng.u8(..9) {
        0 | 1 | 8 if graph.fairness.len() < 5 => {
            graph.fairness.push(if rng.bool() { Strength::Weak } else { Strength::Strong });
            let bit = 1 << (graph.fairness.len() - 1);
            for edge in &mut graph.edges {
                edge.sets |= if rng.u8(..3) == 0 { bit } else { 0 };
            }
        }
        2 if edges > 0 => graph.edges[rng.usize(..edges)].to = None,
        3 if edges > 0 => graph.edges[rng.usize(..edges)].to = Some(rng.usize(..graph.states)),
        4 if edges > 0 => graph.edges[rng.usize(..edges)].sets ^= 1 << rng.u8(..3),
        5 => {
            let atom = rng.usize(..graph.atoms.len());
            graph.atoms[atom] ^= 1 << rng.usize(..graph.states) | 1 << rng.usize(..graph.states);
        }
        6 if !graph.fairness.is_empty() => {
            let set = rng.usize(..graph.fairness.len());
            graph.fairness[set] = Strength::Strong;
        }
        _ => graph.stutters = false,
    }
}

/// A certificate with one thing changed, and what; None if it does not have such a thing.
pub fn corrupted(rng: &mut Rng, certificate: &Certificate) -> Option<(&'static str, Certificate)> {
    let mut wrong = certificate.clone();
    let sort = match (&mut wrong.proof, rng.u8(..8)) {
        (_, 0) => {
            if rng.bool() {
                wrong.states += 1;
            } else {
                wrong.edges += 1;
            }
            "a count changed"
        }
        (Proof::Rankings(rankings), kind) => {
            let which = rng.usize(..rankings.len());
            let count = rankings.len();
            corrupt_ranking(rng, &mut rankings[which], kind, count)?
        }
        (Proof::Distances(list), 1..5) if !list.is_empty() => {
            let i = rng.usize(..list.len());
            list[i] = if list[i] == 0 { 1 } else { 0 };
            "a distance changed"
        }
        (Proof::Distances(list), _) => {
            list.pop()?;
            "a state missing"
        }
        (Proof::Countdown(list), 1..5) if list.iter().any(|n| *n > 0) => {
            let late: Vec<usize> = (0..list.len()).filter(|i| list[*i] > 0).collect();
            list[late[rng.usize(..late.len())]] = 0;
            "ticks changed"
        }
        (Proof::Countdown(list), _) => {
            list.pop()?;
            "a state missing"
        }
        _ => return None,
    };
    (wrong != *certificate).then_some((sort, wrong))
}

fn corrupt_ranking(rng: &mut Rng, ranking: &mut Ranking, kind: u8, count: usize) -> Option<&'static str> {
    let reasons = ranking.reasons.len();
    match kind {
        1 if !ranking.order.is_empty() => {
            let i = rng.usize(..ranking.order.len());
            ranking.order[i] = rng.u32(..8);
            Some("a rank changed")
        }
        2 if ranking.order.len() > 1 => {
            let (from, to) = (ranking.order[0], ranking.order[rng.usize(1..ranking.order.len())]);
            ranking.order.iter_mut().filter(|r| **r == from).for_each(|r| *r = to);
            Some("ranks merged")
        }
        3 => {
            ranking.order.pop()?;
            Some("a state missing")
        }
        4 if reasons > 0 => {
            ranking.reasons.swap_remove(rng.usize(..reasons));
            Some("a reason missing")
        }
        5 if reasons > 0 => {
            ranking.reasons[rng.usize(..reasons)].why = why(rng, count);
            Some("a reason replaced")
        }
        6 if reasons > 0 => {
            let names = match &mut ranking.reasons[rng.usize(..reasons)].why {
                Why::Weak(name) => vec![name],
                Why::Strong { sets, .. } => sets.iter_mut().collect(),
                Why::Unvisited(_) => return None,
            };
            names.into_iter().for_each(|name| name.push('x'));
            Some("a set renamed")
        }
        _ => None,
    }
}

fn why(rng: &mut Rng, rankings: usize) -> Why {
    let set = |rng: &mut Rng| format!("fair {}", rng.u8(..3));
    match rng.u8(..5) {
        0 | 1 => Why::Weak(set(rng)),
        2 => Why::Unvisited(rng.usize(..2)),
        _ => {
            let sets = (0..rng.usize(1..=2)).map(|_| set(rng)).collect();
            Why::Strong { sets, rest: rng.usize(1..=rankings + 1) }
        }
    }
}

/// Somebody who wants a claim to be certified, whether it holds or not, and knows all that the verification says.
pub struct Forger<'a> {
    system: &'a System<GraphModel>,
    size: (u64, u64),
}

const ATTEMPTS: usize = 60;

impl<'a> Forger<'a> {
    pub fn new(system: &'a System<GraphModel>) -> Self {
        let outcome = check(system, &Limits::default()).unwrap();
        Self { system, size: (outcome.states, outcome.transitions) }
    }

    /// A certificate of the right form, with numbers that are drawn at random.
    pub fn invented(&self, rng: &mut Rng, claim: &Claim) -> Certificate {
        let n = self.size.0 as usize;
        let (mut states, mut edges) = self.size;
        let proof = match &claim.temporal {
            Temporal::Always(_) => Proof::Invariant,
            Temporal::Reachable(_) => {
                let steps: Vec<u32> = (0..rng.usize(..4)).map(|_| rng.u32(..3)).collect();
                (states, edges) = (steps.len() as u64 + 1, steps.len() as u64);
                Proof::Path { start: rng.u32(..2), steps }
            }
            Temporal::Recoverable(_) => Proof::Distances((0..n).map(|_| rng.u32(..4)).collect()),
            Temporal::Recovers { .. } => Proof::Countdown((0..n).map(|_| rng.u64(..4)).collect()),
            _ => {
                let order = (0..n).map(|_| rng.u32(..n as u32)).collect();
                Proof::Rankings(vec![Ranking { order, reasons: Vec::new() }])
            }
        };
        Certificate { claim: claim.text(), states, edges, proof }
    }

    /// Changes what the verification complains of until it accepts; gives the attempts that it took, or None if it never does.
    pub fn improve(&self, rng: &mut Rng, claim: &Claim, certificate: &mut Certificate) -> Option<usize> {
        for attempt in 0..ATTEMPTS {
            match verify(self.system, claim, certificate) {
                Ok(_) => return Some(attempt),
                Err(CertificateError::Fault(fault)) => panic!("the verification fails: {fault}"),
                Err(CertificateError::Vacuous | CertificateError::Refuted(_)) => return None,
                Err(error) => self.mend(rng, claim, &error, certificate),
            }
        }
        None
    }

    fn mend(&self, rng: &mut Rng, claim: &Claim, error: &CertificateError, certificate: &mut Certificate) {
        if let CertificateError::OtherModel { .. } = error {
            (certificate.states, certificate.edges) = self.size;
            return;
        }
        match &mut certificate.proof {
            Proof::Invariant | Proof::Peak(_) | Proof::Inclusion(_) => {}
            Proof::Path { .. } => *certificate = self.invented(rng, claim),
            Proof::Distances(list) => mend_list(rng, list, error, |rng| rng.u32(..6)),
            Proof::Countdown(list) => mend_list(rng, list, error, |rng| rng.u64(..6)),
            Proof::Rankings(rankings) => mend_rankings(rng, rankings, error),
        }
    }
}

fn mend_list<N>(rng: &mut Rng, list: &mut Vec<N>, error: &CertificateError, draw: impl Fn(&mut Rng) -> N) {
    match error {
        CertificateError::Length { expected, .. } => {
            list.truncate(*expected);
            list.extend((list.len()..*expected).map(|_| draw(rng)));
        }
        _ if list.is_empty() => {}
        _ => {
            let guess = match error {
                CertificateError::Number(s) | CertificateError::Stays(s) => *s as usize,
                CertificateError::Step { from, .. } => *from as usize,
                _ => 0,
            };
            let i = if guess < list.len() && rng.u8(..3) > 0 { guess } else { rng.usize(..list.len()) };
            list[i] = draw(rng);
        }
    }
}

fn mend_rankings(rng: &mut Rng, rankings: &mut Vec<Ranking>, error: &CertificateError) {
    let count = rankings.len();
    match error {
        CertificateError::Length { ranking, expected, .. } => {
            let order = &mut rankings[*ranking].order;
            let most = *expected as u32 + 1;
            order.truncate(*expected);
            order.extend((order.len()..*expected).map(|_| rng.u32(..most)));
        }
        CertificateError::Rankings(number) if *number >= count => {
            rankings.resize_with(number + 1, || Ranking { order: Vec::new(), reasons: Vec::new() });
        }
        CertificateError::Rankings(_) => {
            rankings.pop();
            for reason in rankings.iter_mut().flat_map(|r| &mut r.reasons) {
                if rng.u8(..3) == 0 {
                    reason.why = why(rng, count);
                }
            }
        }
        CertificateError::Untrue { ranking, rank } => {
            let reasons = &mut rankings[*ranking].reasons;
            if let Some(i) = reasons.iter().position(|r| r.rank == *rank) {
                if rng.u8(..4) == 0 {
                    reasons.swap_remove(i);
                } else {
                    reasons[i].why = why(rng, count);
                }
            }
        }
        // The number of a state is its place where all states are ranked; elsewhere this is a guess.
        CertificateError::Step { from, to } => {
            let ranking = &mut rankings[if rng.u8(..4) == 0 { count - 1 } else { 0 }];
            let place = |s: u32, rng: &mut Rng| {
                let n = ranking.order.len();
                if (s as usize) < n && rng.u8(..4) > 0 { s as usize } else { rng.usize(..n.max(1)) }
            };
            let (from, to) = (place(*from, rng), place(*to, rng));
            if from < ranking.order.len() && to < ranking.order.len() {
                // Up one, or into one rank, or down one.
                match rng.u8(..3) {
                    0 => ranking.order[from] = ranking.order[to] + 1,
                    1 => ranking.order[to] = ranking.order[from],
                    _ => ranking.order[from] = ranking.order[to],
                }
            }
        }
        CertificateError::Stays(state) => {
            let ranking = &mut rankings[if rng.u8(..4) == 0 { count - 1 } else { 0 }];
            let n = ranking.order.len();
            if n == 0 {
                return;
            }
            let i = if (*state as usize) < n && rng.u8(..4) > 0 { *state as usize } else { rng.usize(..n) };
            if rng.bool() {
                ranking.order[i] = rng.u32(..n as u32 + 1);
            } else {
                let rank = ranking.order[i];
                ranking.reasons.retain(|r| r.rank != rank);
                ranking.reasons.push(Reason { rank, why: why(rng, count) });
            }
        }
        _ => {}
    }
}
