//! What stands between a population and its retries: retry budget, circuit breaker, adaptive throttling, all shared by the
//! population as they are by the requests of one process.
//!
//! They hear of the attempts that end in a tick one after the other, and what they make of them may depend on the order. Every
//! order is covered: a search over (attempts still to be told, what the policies remember, retries granted so far), in which
//! orders that come to the same are one. Cost: at most one step for each distinct such triple.

use super::bag::Bag;
use super::msg::Request;
use super::turn::{Ask, Pick, Turn};
use crate::model::refuse;
use crate::policy::{
    AdaptiveThrottle, Attempt, BreakerMode, BreakerState, BudgetState, CircuitBreaker, Outcome, Policy,
    RetryBudget, ThrottleState,
};
use std::collections::HashSet;
use std::fmt;

/// The most ways in which the attempts that end in one tick are told to the policies.
const WAYS_MAX: usize = 1 << 16;

/// Policies over all requests of a population.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    pub(super) budget: Option<RetryBudget>,
    pub(super) breaker: Option<CircuitBreaker>,
    pub(super) throttle: Option<AdaptiveThrottle>,
}

/// What the policies over all requests of a population remember.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Guarded {
    /// The retry budget, if there is one.
    pub budget: Option<BudgetState>,
    /// The circuit breaker, if there is one.
    pub breaker: Option<BreakerState>,
    /// Adaptive throttling, if there is any.
    pub throttle: Option<ThrottleState>,
}

impl Guarded {
    /// The mode of the breaker, if there is one.
    #[must_use]
    pub fn breaker_mode(&self) -> Option<BreakerMode> {
        self.breaker.as_ref().map(BreakerState::mode)
    }

    /// Whether there is no such policy.
    #[must_use]
    pub fn is_none(&self) -> bool {
        (&self.budget, &self.breaker, &self.throttle) == (&None, &None, &None)
    }
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Guard");
        if let Some(budget) = &self.budget {
            shown.field("budget", budget);
        }
        if let Some(breaker) = &self.breaker {
            shown.field("breaker", breaker);
        }
        if let Some(throttle) = &self.throttle {
            shown.field("throttle", &throttle.counts());
        }
        shown.finish()
    }
}

/// Attempts that ended alike.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) request: Request,
    pub(super) outcome: Outcome,
    pub(super) n: u32,
    /// Whether they are to be made again, if the budget lets them.
    pub(super) wants: bool,
}

/// What came of the attempts of a tick.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Told {
    granted: Vec<u32>,
    memory: Guarded,
}

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.granted.iter().sum::<u32>())
    }
}

impl Guard {
    pub(super) fn start(&self) -> Guarded {
        Guarded {
            budget: self.budget.as_ref().map(Policy::start),
            breaker: self.breaker.as_ref().map(Policy::start),
            throttle: self.throttle.as_ref().map(Policy::start),
        }
    }

    pub(super) fn tick(&self, memory: &mut Guarded) {
        if let (Some(policy), Some(state)) = (&self.budget, &mut memory.budget) {
            policy.tick(state);
        }
        if let (Some(policy), Some(state)) = (&self.breaker, &mut memory.breaker) {
            policy.tick(state);
        }
        if let (Some(policy), Some(state)) = (&self.throttle, &mut memory.throttle) {
            policy.tick(state);
        }
    }

    /// `n` first attempts begin.
    pub(super) fn request(&self, memory: &mut Guarded, n: u32) {
        if let (Some(budget), Some(state)) = (&self.budget, &mut memory.budget) {
            budget.request(state, n);
        }
    }

    /// `n` retries that were granted are made.
    pub(super) fn retry_sent(&self, memory: &mut Guarded, n: u32) {
        if let (Some(budget), Some(state)) = (&self.budget, &mut memory.budget) {
            budget.retry_sent(state, n);
        }
    }

    /// `n` retries that were granted are not made: the deadline of their operation is over.
    pub(super) fn forgone(&self, memory: &mut Guarded, kind: Attempt, n: u32) {
        self.retry_sent(memory, n);
        if let (Some(budget), Some(state)) = (&self.budget, &mut memory.budget) {
            budget.failure(state, kind, Outcome::Timeout, n);
        }
    }

    /// Tells the policies of all attempts that have ended, in every order that makes a difference: how many of each are made
    /// again.
    pub(super) fn granted(
        &self,
        memory: &mut Guarded,
        ended: &[Ended],
        turn: &mut Turn,
    ) -> Result<Vec<u32>, Ask> {
        if memory.is_none() {
            return Ok(ended.iter().map(|e| if e.wants { e.n } else { 0 }).collect());
        }
        let mut ends: Vec<Told> = Vec::new();
        let mut seen = HashSet::new();
        let start = Told { granted: vec![0; ended.len()], memory: memory.clone() };
        let mut open = vec![(ended.iter().map(|e| e.n).collect::<Vec<u32>>(), start)];
        while let Some((left, told)) = open.pop() {
            if left.iter().all(|n| *n == 0) {
                if !ends.contains(&told) {
                    ends.push(told);
                }
                continue;
            }
            for at in (0..left.len()).filter(|at| left[*at] > 0) {
                let (mut left, mut told) = (left.clone(), told.clone());
                left[at] -= 1;
                told.granted[at] += self.tell(&mut told.memory, &ended[at]);
                if seen.insert((left.clone(), told.clone())) {
                    open.push((left, told));
                }
            }
            if seen.len() > WAYS_MAX {
                refuse(format!(
                    "the attempts that end in one tick can reach a retry budget or breaker in more than {WAYS_MAX} ways: use smaller volumes"
                ));
            }
        }
        let told = turn.choose("retries granted", &ends)?;
        *memory = told.memory;
        Ok(told.granted)
    }

    /// Tells the policies of one attempt that has ended: whether it is made again, as 0 or 1.
    fn tell(&self, memory: &mut Guarded, ended: &Ended) -> u32 {
        let Ended { request, outcome, wants, .. } = ended;
        if let (Some(breaker), Some(state)) = (&self.breaker, &mut memory.breaker) {
            breaker.record(state, *outcome, 1);
        }
        if let (Some(throttle), Some(state)) = (&self.throttle, &mut memory.throttle)
            && !matches!(
                outcome,
                Outcome::Throttled | Outcome::Timeout | Outcome::Unreachable | Outcome::Refused
            )
        {
            throttle.accept(state, 1);
        }
        let kind = request.memo.kind;
        match (&self.budget, &mut memory.budget) {
            (Some(budget), Some(state)) if outcome.is_success() => {
                budget.success(state, kind, 1);
                0
            }
            (Some(budget), Some(state)) if *wants => budget.try_retry(state, kind, *outcome, 1),
            (Some(budget), Some(state)) => {
                budget.failure(state, kind, *outcome, 1);
                0
            }
            _ => u32::from(*wants),
        }
    }

    /// Of the attempts that are to be sent now, those that are let pass.
    pub(super) fn admitted(
        &self,
        memory: &mut Guarded,
        wanted: &Bag<Request>,
        turn: &mut Turn,
    ) -> Result<Bag<Request>, Ask> {
        let mut n = wanted.total();
        if let (Some(throttle), Some(state)) = (&self.throttle, &mut memory.throttle) {
            let pass = turn.number("let pass", throttle.may_pass(state, n))?;
            throttle.request(state, n);
            n = pass;
        }
        if let (Some(breaker), Some(state)) = (&self.breaker, &mut memory.breaker) {
            n = breaker.admit(state, n);
        }
        turn.draw("let pass", wanted, n, Pick::Any)
    }
}
