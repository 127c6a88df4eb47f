//! An explicit graph: states are numbers, sets of states are bit masks.

/// A set of states, one bit each.
pub type Set = u32;

/// Whether the set has the state.
pub fn contains(set: Set, state: usize) -> bool {
    set >> state & 1 == 1
}

/// The states of the set.
pub fn members(set: Set) -> impl Iterator<Item = usize> {
    (0..32).filter(move |s| contains(set, *s))
}

/// How strong a fairness constraint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    Weak,
    Strong,
}

/// One action in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: usize,
    /// None: the model ignores the action.
    pub to: Option<usize>,
    /// Bit i: the action belongs to fairness set i.
    pub sets: u32,
}

/// A graph with everything that a claim can depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    pub states: usize,
    pub initial: Vec<usize>,
    pub edges: Vec<Edge>,
    /// For each atom the states in which it holds.
    pub atoms: Vec<Set>,
    pub fairness: Vec<Strength>,
    pub stutters: bool,
}

impl Graph {
    /// All states.
    pub fn all(&self) -> Set {
        (1 << self.states) - 1
    }

    /// The initial states.
    pub fn initial(&self) -> Set {
        self.initial.iter().fold(0, |set, s| set | 1 << s)
    }

    /// The transitions that change the state: edge, source, target.
    pub fn moves(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let edges = self.edges.iter().enumerate();
        edges.filter_map(|(i, e)| e.to.filter(|to| *to != e.from).map(|to| (i, e.from, to)))
    }

    /// Whether a path may be in this state twice in a row.
    pub fn can_stay(&self, state: usize) -> bool {
        let mut targets = self.edges.iter().filter(|e| e.from == state).filter_map(|e| e.to).peekable();
        self.stutters || targets.peek().is_none() || targets.any(|to| to == state)
    }

    /// Whether a path may stay in this state without taking any action.
    pub fn can_stutter(&self, state: usize) -> bool {
        self.stutters || !self.edges.iter().any(|e| e.from == state && e.to.is_some())
    }

    /// Whether an action of fairness set `set` leads from `state` to a different state.
    pub fn enabled(&self, set: usize, state: usize) -> bool {
        self.moves().any(|(edge, from, _)| from == state && self.in_set(set, edge))
    }

    /// Whether the edge belongs to fairness set `set`.
    pub fn in_set(&self, set: usize, edge: usize) -> bool {
        self.edges[edge].sets >> set & 1 == 1
    }

    /// The states on paths that start in `from` and stay within `within`.
    pub fn reach(&self, from: Set, within: Set) -> Set {
        let mut reached = from & within;
        loop {
            let step = self.moves().filter(|m| contains(reached, m.1)).fold(0, |set, m| set | 1 << m.2);
            if step & within & !reached == 0 {
                return reached;
            }
            reached |= step & within;
        }
    }
}
