//! Phases 2 and 3 of a tick: timers that reach zero fire, then random choices resolve, until nothing is left to do.
//!
//! A timer whose range lets it fire now or later is decided first, both ways. Then every order of the timers that are due
//! is tried; when none is due, every order of the random choices and every value of each. A timer of zero ticks that is
//! set meanwhile is due at once, before the choices that are still open.
//!
//! This is a depth-first search over moments. A core that comes back on the way within one tick could come back for
//! ever without time passing: the model is Zeno and is refused with that cycle. The same core with more sent is a return
//! too, since what an actor does never depends on what it has sent.

use super::distinct::Distinct;
use super::moment::{Event, Moment, Stage};
use super::span::Span;
use crate::model::refuse;

/// The most steps that one actor may take within one tick.
pub(crate) const STEPS_MAX: usize = 1000;

/// All moments in which the actor may end its tick, distinct, in order of discovery.
pub(crate) fn settle(stage: &Stage<'_>, start: &Moment) -> Vec<Moment> {
    if at_rest(start) {
        return vec![start.clone()];
    }
    let mut seen = Distinct::new();
    let mut ends = Vec::new();
    let mut path: Vec<(Moment, std::vec::IntoIter<Moment>)> = Vec::new();
    let mut enter = |moment: Moment, path: &mut Vec<(Moment, std::vec::IntoIter<Moment>)>| {
        if let Some(at) = path.iter().position(|(m, _)| m.core == moment.core) {
            refuse_zeno(stage, &path[at].0, &moment);
        }
        if path.len() >= STEPS_MAX {
            refuse_steps(stage, &moment);
        }
        if seen.insert(moment.clone()).1 {
            if at_rest(&moment) {
                ends.push(moment);
            } else {
                let next = steps(stage, &moment);
                path.push((moment, next.into_iter()));
            }
        }
    };
    enter(start.clone(), &mut path);
    while let Some((_, rest)) = path.last_mut() {
        match rest.next() {
            Some(moment) => enter(moment, &mut path),
            None => drop(path.pop()),
        }
    }
    ends
}

fn at_rest(moment: &Moment) -> bool {
    moment.core.choices.is_empty() && moment.core.local.timers.iter().all(|timer| !timer.left.may_be_now())
}

/// What may happen next; at least one thing, unless the moment is at rest.
fn steps(stage: &Stage<'_>, moment: &Moment) -> Vec<Moment> {
    let timers = &moment.core.local.timers;
    if let Some(at) = timers.iter().position(|t| t.left.may_be_now() && !t.left.must_be_now()) {
        return [Span::NOW, timers[at].left.not_now()]
            .map(|left| {
                let mut decided = moment.clone();
                decided.core.local.timers[at].left = left;
                decided
            })
            .into();
    }
    let due: Vec<usize> = (0..timers.len()).filter(|at| timers[*at].left.must_be_now()).collect();
    if !due.is_empty() {
        return due.into_iter().map(|at| stage.fire(moment, at)).collect();
    }
    let choices = moment.core.choices.iter().enumerate();
    choices
        .flat_map(|(at, (_, values))| values.iter().map(move |value| stage.choose(moment, at, value)))
        .collect()
}

fn refuse_zeno(stage: &Stage<'_>, first: &Moment, again: &Moment) -> ! {
    let events = again.trail.events();
    let cycle = told(&events[first.trail.events().len()..]);
    refuse(format!(
        "`{}` is Zeno: time need not pass. Within one tick it can go round this cycle for ever: {cycle}, and is in {:?} again. \
         Let at least one tick pass on the way, for example by a timer of one tick in place of one of zero",
        stage.name(),
        again.core.local.state,
    ))
}

fn refuse_steps(stage: &Stage<'_>, moment: &Moment) -> ! {
    let events = moment.trail.events();
    refuse(format!(
        "`{}` does not come to rest within one tick: it has taken {STEPS_MAX} steps, the last of them {}, and is in {:?}. \
         Let at least one tick pass on the way",
        stage.name(),
        told(&events[events.len().saturating_sub(3)..]),
        moment.core.local.state,
    ))
}

fn told(events: &[Event]) -> String {
    let told: Vec<String> = events
        .iter()
        .map(|event| match event {
            Event::Message { msg, .. } => format!("message {}", msg.text()),
            Event::Timer(timer) => format!("timer {}", timer.text()),
            Event::Choice { key, choice } => format!("choice {key} = {}", choice.text()),
        })
        .collect();
    told.join(", ")
}
