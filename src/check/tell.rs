//! From walks through the graph to paths of the model, by running the model along them.

use super::graph::{self, StateGraph};
use super::lasso::{EdgeStep, Walk};
use super::search::{Explored, Operator, follow, show};
use crate::model::{Checkable, Fault, guard};
use crate::property::System;
use crate::witness::{Step, Trace};
use std::borrow::Cow;

/// What walks go through: a system, what was explored of it, and whether with the operator's actions.
pub struct Told<'a, M: Checkable> {
    /// The system.
    pub system: &'a System<M>,
    /// What was explored.
    pub explored: &'a Explored<M>,
    /// As explored.
    pub operator: Operator,
}

impl<M: Checkable> Told<'_, M> {
    /// The path of the model along a stem and a loop.
    ///
    /// # Errors
    /// Where the model no longer does what it did during the search.
    pub fn trace(&self, stem: &Walk, cycle: &[EdgeStep]) -> Result<Trace<M>, Fault> {
        guard("`Clone` or `==` of its states", || {
            let mut at = stem.start;
            let mut steps = |walk: &[EdgeStep]| {
                walk.iter().map(|s| self.step(&mut at, *s)).collect::<Result<Vec<_>, _>>()
            };
            let start = self.state(stem.start).into_owned();
            let mut told = vec![Step { action: None, state: start }];
            told.extend(steps(&stem.steps)?);
            Ok(Trace { stem: told, cycle: steps(cycle)? })
        })
        .flatten()
    }

    fn state(&self, id: u32) -> Cow<'_, M::State> {
        self.explored.state(&self.system.model, id)
    }

    /// One step of a walk, which leads from the state `at` to a new one.
    fn step(&self, at: &mut u32, step: EdgeStep) -> Result<Step<M>, Fault> {
        let from = self.state(*at);
        let Some(position) = step else {
            return Ok(Step { action: None, state: from.into_owned() });
        };
        let nth = position - self.explored.graph.edges(*at).start;
        *at = self.explored.graph.targets[position];
        let expected = self.state(*at);
        match follow(self.system, &from, nth, self.operator)? {
            Some((action, state)) if state == *expected => Ok(Step { action: Some(action), state }),
            other => Err(Fault::NotDeterministic {
                function: "next_state".to_owned(),
                state: Some(show(&*from)),
                first: show(&*expected),
                second: other.map_or_else(|| "no state".to_owned(), |(_, state)| show(&state)),
            }),
        }
    }
}

/// The path along which the search first came to `state`.
pub fn ancestry(graph: &StateGraph, state: u32) -> Walk {
    let mut steps = Vec::new();
    let mut at = state;
    while graph.parents[at as usize] != graph::NONE {
        let parent = graph.parents[at as usize];
        steps.push(graph.edges(parent).find(|p| graph.targets[*p] == at));
        at = parent;
    }
    steps.reverse();
    Walk { start: at, steps }
}
