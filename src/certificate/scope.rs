//! Which states a claim is about, and the claims that one list of numbers proves.

use super::CertificateError;
use super::graph::Graph;

/// The states that a claim is about.
pub(super) struct Scope {
    /// Those in which a path can be when it first meets the antecedent (without one: the initial states).
    pub(super) first: Vec<bool>,
    /// Those that can follow, the first ones included.
    pub(super) covered: Vec<bool>,
}

impl Scope {
    /// The scope of a claim with this antecedent.
    pub(super) fn new(graph: &Graph, antecedent: Option<&[bool]>) -> Self {
        let met = |s: u32| antecedent.is_none_or(|a| a[s as usize]);
        let before = graph.reach(0..graph.initial, |s| !met(s));
        let mut first = vec![false; graph.size() as usize];
        let after = members(&before).into_iter().flat_map(|s| graph.edges(s)).map(|(next, _)| next);
        for state in (0..graph.initial).chain(after).filter(|s| met(*s)) {
            first[state as usize] = true;
        }
        let covered = graph.reach(members(&first).into_iter(), |_| true);
        Self { first, covered }
    }

    /// The states on paths that start in `seeds` and go on without a state of `goal`.
    pub(super) fn without(&self, graph: &Graph, seeds: &[bool], goal: &[bool]) -> Vec<bool> {
        graph.reach(members(seeds).into_iter(), |s| !goal[s as usize])
    }

    /// Whether every covered state is good.
    pub(super) fn all_covered(&self, good: &[bool]) -> Result<(), CertificateError> {
        match members(&self.covered).into_iter().find(|s| !good[*s as usize]) {
            None => Ok(()),
            Some(state) => Err(CertificateError::Refuted(state)),
        }
    }

    /// Whether from every covered state without the goal some step leads to a state with a smaller number. Numbers cannot fall
    /// for ever, so a path of such steps meets the goal.
    pub(super) fn comes_nearer(
        &self,
        graph: &Graph,
        goal: &[bool],
        distances: &[u32],
    ) -> Result<(), CertificateError> {
        let numbers = self.numbers(distances)?;
        for state in members(&self.covered) {
            let own = numbers[state as usize];
            let nearer = || graph.edges(state).any(|(next, _)| numbers[next as usize] < own);
            // The distance 0 is reserved for the goal, so that one state has one distance.
            if if goal[state as usize] { own != Some(0) } else { own == Some(0) || !nearer() } {
                return Err(CertificateError::Number(state));
            }
        }
        Ok(())
    }

    /// Whether every path from a first state meets the goal for good after at most `within` steps: a state with ticks left can
    /// only be left, for a state with fewer; one with none left has the goal, and so has all that follows.
    pub(super) fn counts_down(
        &self,
        graph: &Graph,
        goal: &[bool],
        within: u64,
        ticks: &[u64],
    ) -> Result<(), CertificateError> {
        let numbers = self.numbers(ticks)?;
        for state in members(&self.covered) {
            let left = numbers[state as usize].unwrap_or(u64::MAX);
            let late = self.first[state as usize] && left > within;
            if late || left == 0 && !goal[state as usize] {
                return Err(CertificateError::Number(state));
            }
            if left > 0 && graph.stays(state) {
                return Err(CertificateError::Stays(state));
            }
            for (next, _) in graph.edges(state) {
                let next_left = numbers[next as usize].unwrap_or(u64::MAX);
                if if left == 0 { next_left > 0 } else { next_left >= left } {
                    return Err(CertificateError::Step { from: state, to: next });
                }
            }
        }
        Ok(())
    }

    /// The numbers of the covered states, by state.
    fn numbers<N: Copy>(&self, list: &[N]) -> Result<Vec<Option<N>>, CertificateError> {
        let covered = members(&self.covered);
        if covered.len() != list.len() {
            let (found, expected) = (list.len(), covered.len());
            return Err(CertificateError::Length { ranking: 0, found, expected });
        }
        let mut numbers = vec![None; self.covered.len()];
        for (state, number) in covered.into_iter().zip(list) {
            numbers[state as usize] = Some(*number);
        }
        Ok(numbers)
    }
}

/// The states in a set, ascending.
pub(super) fn members(set: &[bool]) -> Vec<u32> {
    (0_u32..).zip(set).filter(|(_, in_it)| **in_it).map(|(s, _)| s).collect()
}

/// How many states are in a set.
pub(super) fn count(set: &[bool]) -> usize {
    set.iter().filter(|in_it| **in_it).count()
}

/// The states in both sets.
pub(super) fn both(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| *a && *b).collect()
}

/// The states not in the set.
pub(super) fn not(set: &[bool]) -> Vec<bool> {
    set.iter().map(|in_it| !in_it).collect()
}
