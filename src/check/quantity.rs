//! Quantities: how long a recovery can take, and how large a measure can become.
//!
//! The worst case of a claim is counted in steps of the model (ticks, in a timed system): for `eventually p` from the first state
//! with the antecedent (or an initial state) to p; for `p leads_to q` from p to q; for `stabilizes p` and `recovers p within n
//! ticks` from the antecedent to the state from which on p holds for good. It is the longest path in the region in which
//! recovery is outstanding (`longest.rs`), and is given for complete graphs alone. If a path can stay in the region for ever,
//! then, although fairness may forbid that for ever, no number of ticks is enough: there is no worst case, and the report
//! says so.

use super::bits::Bits;
use super::decide::{Decider, Finding, Shape};
use super::lasso::{EdgeStep, Stage, Walk, stem};
use super::longest::{Longest, longest};
use crate::property::{Kind, StateExpr, Temporal, Verdict};

impl Decider<'_> {
    /// Decides `measure at_most max`.
    pub(super) fn at_most(&self, shape: &Shape<'_>, measure: &str, max: i64, finding: &mut Finding) {
        let Some(index) = self.measures.iter().position(|m| *m == measure) else { return };
        let values = &self.graph.measures[index];
        let value = |s: u32| values.get(s as usize).copied().unwrap_or(i64::MIN);
        let peak = shape.covered.iter().map(value).max();
        let mut bad = Bits::new(values.len());
        (0..self.graph.size()).filter(|s| value(*s) > max).for_each(|s| {
            bad.insert(s);
        });
        self.safety(shape, &bad, finding);
        if self.complete || finding.verdict == Verdict::Violated {
            finding.peak = peak;
        }
        if finding.verdict == Verdict::Violated && !self.complete {
            finding.detail = Some("the search was not complete, so the peak may be larger".to_owned());
        }
    }

    /// Adds the worst case to the finding of a liveness claim, and decides `recovers p within n ticks` by it.
    pub(super) fn quantify(
        &self,
        shape: &Shape<'_>,
        temporal: &Temporal,
        goal: &StateExpr,
        finding: &mut Finding,
    ) {
        if finding.verdict != Verdict::Holds {
            return;
        }
        let unhealthy = self.states_with(goal).complement(self.graph.size());
        let (region, starts) = match temporal {
            Temporal::Eventually(_) => (unhealthy.clone(), None),
            Temporal::LeadsTo(p, _) => {
                (unhealthy.clone(), Some(shape.covered.and(&self.states_with(p)).and(&unhealthy)))
            }
            Temporal::Stabilizes(_) | Temporal::Recovers { .. } => {
                (self.before_good(&unhealthy).and(shape.covered), None)
            }
            _ => return,
        };
        let seeds = starts.clone().unwrap_or_else(|| self.first(shape));
        // Whatever leads to an unhealthy state is there with its component, and follows some seed.
        let whole = matches!(temporal, Temporal::Stabilizes(_) | Temporal::Recovers { .. });
        let worst = longest(self.place(), whole.then(|| self.components()), &region, &seeds);
        let within = match temporal {
            Temporal::Recovers { within_ticks, .. } => Some(*within_ticks),
            _ => None,
        };
        match worst {
            Longest::Steps { ticks, walk } => {
                finding.worst_ticks = Some(ticks);
                let path = walk.and_then(|(seed, walk)| self.lead_in(shape, starts, seed, walk));
                if within.is_some_and(|n| ticks > n) {
                    (finding.verdict, finding.kind) = (Verdict::Violated, Some(Kind::Safety));
                    // The last step leads into the good: the path that refutes the claim ends before it.
                    finding.witness = path.map(|mut walk| {
                        walk.steps.pop();
                        (walk, Vec::new())
                    });
                } else {
                    finding.worst = path;
                }
            }
            Longest::Unbounded(state) => match within {
                None => finding.detail = Some(NO_BOUND.to_owned()),
                Some(n) => {
                    let shown = n <= PATH_TICKS_MAX;
                    let path = shown.then(|| self.too_long(shape, &region, &unhealthy, state, n)).flatten();
                    (finding.verdict, finding.kind) = (Verdict::Violated, Some(Kind::Safety));
                    finding.detail = Some(NO_BOUND.to_owned());
                    finding.witness = path.map(|walk| (walk, Vec::new()));
                    if n > PATH_TICKS_MAX {
                        finding.detail = Some(format!(
                            "{NO_BOUND}; a path of more than {n} ticks is too long to be shown"
                        ));
                    }
                }
            },
        }
    }

    /// The states from which an unhealthy state can follow, or that are unhealthy.
    pub(super) fn before_good(&self, unhealthy: &Bits) -> Bits {
        self.leading_to(|s| unhealthy.get(s))
    }

    /// A walk from an initial state to `seed`, and on along `walk`.
    fn lead_in(&self, shape: &Shape<'_>, starts: Option<Bits>, seed: u32, walk: Vec<usize>) -> Option<Walk> {
        let mut goal = Bits::new(self.graph.size() as usize);
        goal.insert(seed);
        let stages = match starts {
            Some(starts) => shape.stages(vec![starts], Some(&goal)),
            None => self.up_to_first(shape, &goal),
        };
        let (mut path, _) = stem(self.graph, &stages, &goal)?;
        path.steps.extend(walk.into_iter().map(Some));
        Some(path)
    }

    /// Stages of a path that ends in the first state with the antecedent (or an initial state), which is in `goal`.
    fn up_to_first<'b>(&self, shape: &Shape<'b>, goal: &'b Bits) -> Vec<Stage<'b>> {
        match shape.antecedent {
            Some(_) => shape.stages(Vec::new(), Some(goal)),
            // Without an antecedent the first state is the initial one, and `goal` holds one of them.
            None => vec![Stage { enter: Box::new(|_| true), inside: Box::new(move |s| goal.get(s)) }],
        }
    }

    /// A path on which an unhealthy state comes `n` ticks or more after the antecedent: to `stay`, around a cycle of the region
    /// until there are enough ticks, and on to an unhealthy state.
    fn too_long(
        &self,
        shape: &Shape<'_>,
        region: &Bits,
        unhealthy: &Bits,
        stay: u32,
        n: u64,
    ) -> Option<Walk> {
        let inside = |s: u32| region.get(s);
        let one = |s: u32| {
            let mut set = Bits::new(self.graph.size() as usize);
            set.insert(s);
            set
        };
        let (mut walk, _) = stem(self.graph, &shape.stages(Vec::new(), None), &one(stay))?;
        let turn: Vec<EdgeStep> = if self.fair.may_stay(self.graph, stay) {
            vec![None]
        } else {
            let first = self.graph.edges(stay).filter(|p| inside(self.graph.targets[*p]));
            let back = first.filter_map(|p| {
                let rest = self.between(self.graph.targets[p], &one(stay), &inside)?;
                Some(std::iter::once(Some(p)).chain(rest).collect::<Vec<_>>())
            });
            back.min_by_key(Vec::len)?
        };
        // Counting from the stay alone is enough: ticks before it only make the path longer.
        let turns = n.div_ceil(turn.len() as u64).max(1);
        for _ in 0..turns {
            walk.steps.extend(&turn);
        }
        walk.steps.extend(self.between(stay, unhealthy, &inside)?);
        Some(walk)
    }

    /// A shortest walk from `from` to a state in `goal`, within `inside`; empty if it is there already.
    fn between(&self, from: u32, goal: &Bits, inside: &dyn Fn(u32) -> bool) -> Option<Vec<EdgeStep>> {
        if goal.get(from) {
            return Some(Vec::new());
        }
        let mut before: std::collections::HashMap<u32, (u32, usize), foldhash::fast::FixedState> =
            Default::default();
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            for position in self.graph.edges(state) {
                let next = self.graph.targets[position];
                if !inside(next) || next == from || before.contains_key(&next) {
                    continue;
                }
                before.insert(next, (state, position));
                if goal.get(next) {
                    let mut steps = Vec::new();
                    let mut at = next;
                    while let Some((state, position)) = before.get(&at) {
                        steps.push(Some(*position));
                        at = *state;
                    }
                    steps.reverse();
                    return Some(steps);
                }
                queue.push_back(next);
            }
        }
        None
    }
}

/// A path that takes longer than this many ticks is not shown.
const PATH_TICKS_MAX: u64 = 10_000;

const NO_BOUND: &str = "there is no worst case in ticks: a path can stay unrecovered for any number of them, and only \
                        fairness ends that";
