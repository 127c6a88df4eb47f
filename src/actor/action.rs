//! One tick, as an action: what happened to each actor.

use super::moment::Event;
use super::outcome::{Mishap, Outcome, Part};
use super::system::Handle;
use stateright::actor::Actor;
use std::fmt;
use std::sync::Arc;

/// One tick: one outcome for each actor. It shows as a line for a reader, such as `clients <- 2 Error from database, timer Retry;
/// database <- 4 Query from clients`.
#[derive(Clone)]
pub struct Tick {
    /// The state in which it was found, part by part.
    pub(crate) from: Arc<[Part]>,
    pub(crate) chosen: Box<[Arc<Outcome>]>,
    pub(crate) names: Arc<[Arc<str>]>,
}

impl Tick {
    /// What the actor is after it.
    pub(crate) fn after<A: Actor<State: 'static>>(&self, actor: Handle<A>) -> Option<&A::State> {
        self.chosen.get(actor.index())?.local.state.get()
    }
}

impl PartialEq for Tick {
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.from, &other.from) || self.from == other.from)
            && self.chosen.len() == other.chosen.len()
            && self.chosen.iter().zip(&other.chosen).all(|(a, b)| Arc::ptr_eq(a, b) || a == b)
    }
}

impl Eq for Tick {}

impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told: Vec<String> = self
            .chosen
            .iter()
            .enumerate()
            .filter_map(|(id, outcome)| told(id, outcome, &self.names))
            .collect();
        f.write_str(if told.is_empty() { "time passes" } else { "" })?;
        f.write_str(&told.join("; "))
    }
}

impl fmt::Debug for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What happened to one actor, in the order in which it happened; none if nothing did.
fn told(id: usize, outcome: &Outcome, names: &[Arc<str>]) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    let mut events = outcome.events.as_slice();
    while let Some(event) = events.first() {
        let run = match event {
            Event::Message { src, .. } => {
                let run = events
                    .iter()
                    .take_while(|e| matches!(e, Event::Message { src: s, .. } if s == src))
                    .count();
                told.push(format!("{} from {}", counted(&events[..run]), names[*src]));
                run
            }
            Event::Timer(timer) if timer.text().is_empty() => 1,
            Event::Timer(timer) => {
                told.push(if timer.text() == "()" {
                    "timer".into()
                } else {
                    format!("timer {}", timer.text())
                });
                1
            }
            Event::Choice { key, choice } => {
                let key = if key.is_empty() { String::new() } else { format!("{key} = ") };
                told.push(format!("chose {key}{}", choice.text()));
                1
            }
        };
        events = &events[run..];
    }
    for (dst, msg, n, mishap) in &outcome.mishaps {
        let n = if *n == 1 { String::new() } else { format!("{n} ") };
        let how = match mishap {
            Mishap::Lost => "lost",
            Mishap::Duplicated => "duplicated",
            Mishap::Cut => "cut off",
        };
        told.push(format!("{n}{} to {} {how}", msg.text(), names[*dst]));
    }
    if told.is_empty() {
        return None;
    }
    let arrow = if matches!(outcome.events.first(), Some(Event::Message { .. })) { " <-" } else { ":" };
    Some(format!("{}{arrow} {}", names[id], told.join(", ")))
}

/// Messages in the order of their arrival: `2 Error, Ok and 3 Error`.
fn counted(events: &[Event]) -> String {
    let mut runs: Vec<(&str, usize)> = Vec::new();
    for event in events {
        let Event::Message { msg, .. } = event else { continue };
        match runs.last_mut() {
            Some((text, n)) if *text == msg.text() => *n += 1,
            _ => runs.push((msg.text(), 1)),
        }
    }
    let runs: Vec<String> = runs
        .into_iter()
        .map(|(text, n)| if n == 1 { text.to_owned() } else { format!("{n} {text}") })
        .collect();
    match runs.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => runs.concat(),
    }
}
