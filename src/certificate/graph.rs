//! The graph that a certificate is verified against: edges in rows, with what fairness has to say about them.

/// States by number, and what can be done in each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Graph {
    /// States `0..initial` are the initial ones.
    pub(crate) initial: u32,
    /// The edges of state `s` are at `rows[s]..rows[s + 1]`.
    rows: Vec<usize>,
    targets: Vec<u32>,
    /// For each edge the fairness sets that it takes, for each state those that are enabled. Empty where there is no fairness.
    taken: Vec<u128>,
    enabled: Vec<u128>,
    /// Whether a path may stay in the state without a step.
    stays: Vec<bool>,
}

impl Graph {
    /// No states; with `fair`, edges are told apart by the fairness sets that they take.
    pub(crate) fn new() -> Self {
        Self { rows: vec![0], ..Self::default() }
    }

    /// Adds the next state's edges (target and sets taken), the sets enabled, and whether it may be stayed in.
    pub(crate) fn push(
        &mut self,
        edges: impl IntoIterator<Item = (u32, u128)>,
        enabled: u128,
        stays: bool,
        fair: bool,
    ) {
        for (target, taken) in edges {
            self.targets.push(target);
            if fair {
                self.taken.push(taken);
            }
        }
        if fair {
            self.enabled.push(enabled);
        }
        self.stays.push(stays);
        self.rows.push(self.targets.len());
    }

    /// The number of states.
    pub(crate) fn size(&self) -> u32 {
        self.stays.len() as u32
    }

    /// The number of edges.
    pub(crate) fn edge_count(&self) -> u64 {
        self.targets.len() as u64
    }

    /// The edges of a state: where each leads, and the fairness sets that it takes.
    pub(crate) fn edges(&self, state: u32) -> impl Iterator<Item = (u32, u128)> + '_ {
        let row = self.rows[state as usize]..self.rows[state as usize + 1];
        row.map(|i| (self.targets[i], self.taken.get(i).copied().unwrap_or(0)))
    }

    /// The fairness sets that are enabled in a state.
    pub(crate) fn enabled(&self, state: u32) -> u128 {
        self.enabled.get(state as usize).copied().unwrap_or(0)
    }

    /// Whether a path may stay in a state without a step.
    pub(crate) fn stays(&self, state: u32) -> bool {
        self.stays[state as usize]
    }

    /// Whether there is fairness.
    pub(crate) fn is_fair(&self) -> bool {
        !self.enabled.is_empty()
    }

    /// The states reachable from `seeds` through states of `inside`, seeds outside it left out.
    pub(crate) fn reach(&self, seeds: impl Iterator<Item = u32>, inside: impl Fn(u32) -> bool) -> Vec<bool> {
        let mut reached = vec![false; self.size() as usize];
        let mut pending = Vec::new();
        let mut meet = |state: u32, pending: &mut Vec<u32>| {
            if inside(state) && !std::mem::replace(&mut reached[state as usize], true) {
                pending.push(state);
            }
        };
        seeds.for_each(|s| meet(s, &mut pending));
        while let Some(state) = pending.pop() {
            self.edges(state).for_each(|(next, _)| meet(next, &mut pending));
        }
        reached
    }
}
