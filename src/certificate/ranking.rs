//! Verifies rankings: that no fair path stays in some states for ever.
//!
//! No step within the states goes up in rank, so a path that stays among them is within one rank from some point on. A rank
//! without a reason has no step within it and no state that may be stayed in, so no path ends up there. A rank with a reason can
//! only be left, or (strong fairness) is lived in among the states that enable none of the sets, which are then ranked in turn.
//! Ranks need not be components: whatever ranks pass these conditions, the argument holds.
//!
//! Every ranking refers to later ones only, so there is no circular argument. Cost: each ranking looks once at the edges of its
//! states.

use super::graph::Graph;
use super::{CertificateError, Ranking, Why};
use crate::model::Checkable;
use crate::property::{Fairness, Strength};
use std::collections::BTreeMap;

/// The rank of a state that is not among those ranked.
const OUTSIDE: u32 = u32::MAX;

/// What the states of one rank that has a reason have in common.
struct Rank<'a> {
    why: &'a Why,
    states: Vec<u32>,
    /// The fairness sets enabled in all of its states, and those taken by a step within it.
    always_enabled: u128,
    taken: u128,
}

/// Whether the rankings show that no fair path which visits each set of `visits` again and again stays in `region` for ever.
pub(super) fn never_stayed_in<M: Checkable>(
    graph: &Graph,
    fairness: &[Fairness<M>],
    visits: &[Vec<bool>],
    region: Vec<u32>,
    rankings: &[Ranking],
) -> Result<(), CertificateError> {
    let mut ranks = vec![OUTSIDE; graph.size() as usize];
    let mut used = vec![false; rankings.len()];
    let mut pending = vec![(0, region)];
    while let Some((number, states)) = pending.pop() {
        let ranking = rankings.get(number).filter(|_| !used[number]);
        let ranking = ranking.ok_or(CertificateError::Rankings(number))?;
        used[number] = true;
        if ranking.order.len() != states.len() {
            let (found, expected) = (ranking.order.len(), states.len());
            return Err(CertificateError::Length { ranking: number, found, expected });
        }
        for (state, rank) in states.iter().zip(&ranking.order) {
            if *rank == OUTSIDE {
                return Err(CertificateError::Number(*state));
            }
            ranks[*state as usize] = *rank;
        }
        for (rank, found) in descend(graph, number, &states, &ranks, ranking)? {
            let untrue = CertificateError::Untrue { ranking: number, rank };
            let mask = |name: &String, strength| {
                let i = fairness.iter().position(|set| set.name == *name && set.strength == strength);
                i.map(|i| 1_u128 << i).ok_or_else(|| untrue.clone())
            };
            match found.why {
                Why::Weak(set) => {
                    if found.always_enabled & !found.taken & mask(set, Strength::Weak)? == 0 {
                        return Err(untrue);
                    }
                }
                Why::Unvisited(set) => {
                    let set = visits.get(*set).ok_or_else(|| untrue.clone())?;
                    if found.states.iter().any(|s| set[*s as usize]) {
                        return Err(untrue);
                    }
                }
                Why::Strong { sets, rest } => {
                    let mut never_taken = 0;
                    for set in sets {
                        never_taken |= mask(set, Strength::Strong)?;
                    }
                    if found.taken & never_taken != 0 {
                        return Err(untrue);
                    }
                    if *rest <= number {
                        return Err(CertificateError::Rankings(*rest));
                    }
                    let left = found.states.into_iter().filter(|s| graph.enabled(*s) & never_taken == 0);
                    pending.push((*rest, left.collect()));
                }
            }
        }
        states.iter().for_each(|s| ranks[*s as usize] = OUTSIDE);
    }
    match used.iter().position(|used| !used) {
        None => Ok(()),
        Some(number) => Err(CertificateError::Rankings(number)),
    }
}

/// Looks at every step within the states ranked. Gives the ranks that have a reason.
fn descend<'a>(
    graph: &Graph,
    number: usize,
    states: &[u32],
    ranks: &[u32],
    ranking: &'a Ranking,
) -> Result<BTreeMap<u32, Rank<'a>>, CertificateError> {
    let mut found: BTreeMap<u32, Rank<'a>> = BTreeMap::new();
    for reason in &ranking.reasons {
        let rank = Rank { why: &reason.why, states: Vec::new(), always_enabled: u128::MAX, taken: 0 };
        if found.insert(reason.rank, rank).is_some() {
            return Err(CertificateError::Untrue { ranking: number, rank: reason.rank });
        }
    }
    for &state in states {
        let own = ranks[state as usize];
        let mut stays = graph.stays(state);
        let mut taken = 0;
        for (next, sets) in graph.edges(state) {
            let rank = ranks[next as usize];
            if rank == OUTSIDE || rank < own {
                continue;
            }
            if rank > own {
                return Err(CertificateError::Step { from: state, to: next });
            }
            stays = true;
            taken |= sets;
        }
        match found.get_mut(&own) {
            Some(rank) => {
                rank.states.push(state);
                rank.always_enabled &= graph.enabled(state);
                rank.taken |= taken;
            }
            None if stays => return Err(CertificateError::Stays(state)),
            None => {}
        }
    }
    match found.iter().find(|(_, rank)| rank.states.is_empty()) {
        None => Ok(found),
        Some((rank, _)) => Err(CertificateError::Untrue { ranking: number, rank: *rank }),
    }
}
