//! A witness as a log for ShiViz, which draws space-time diagrams from vector clocks (Beschastnikh et al., CACM 2020).
//!
//! Every step of an actor in which something happened to it is one event: the line that tells it, then its host and its vector
//! clock. The parser expression for ShiViz is `(?<event>.*)\n(?<host>\S*) (?<clock>{.*})`.

use super::result::{CaseResult, ClaimResult};
use super::sequence::Sequence;
use std::collections::BTreeMap;

/// The log of one claim's witness, with a line end. None: it has none, or the model is no timed system.
pub fn shiviz(case: &CaseResult, claim: &ClaimResult) -> Option<String> {
    let sequence = Sequence::of(claim.witness.as_ref()?, &case.actors)?;
    let mut clocks: Vec<BTreeMap<usize, usize>> = vec![BTreeMap::new(); sequence.actors.len()];
    // The clock that each actor had when it sent in a step.
    let mut at_step: Vec<Vec<BTreeMap<usize, usize>>> = Vec::with_capacity(sequence.steps);
    let mut text = String::new();
    for step in 0..sequence.steps {
        for actor in 0..sequence.actors.len() {
            let told = told(&sequence, step, actor);
            if told.is_empty() {
                continue;
            }
            for arrow in sequence.arrows.iter().filter(|a| a.to == actor && a.arrived == Some(step)) {
                let sender =
                    arrow.sent.and_then(|sent| at_step.get(sent)).and_then(|clocks| clocks.get(arrow.from));
                for (host, time) in sender.into_iter().flatten() {
                    let own = clocks[actor].entry(*host).or_default();
                    *own = (*own).max(*time);
                }
            }
            *clocks[actor].entry(actor).or_default() += 1;
            let clock: Vec<String> = clocks[actor]
                .iter()
                .map(|(host, time)| format!("\"{}\":{time}", sequence.actors[*host]))
                .collect();
            text.push_str(&format!(
                "{step}: {}\n{} {{{}}}\n",
                told.join("; ").replace('\n', " "),
                sequence.actors[actor],
                clock.join(", ")
            ));
        }
        at_step.push(clocks.clone());
    }
    Some(text)
}

/// What an actor did in a step.
fn told(sequence: &Sequence, step: usize, actor: usize) -> Vec<String> {
    let name = |place: usize| sequence.actors[place].as_str();
    let count = |n: u32| if n == 1 { String::new() } else { format!("{n} ") };
    let received = sequence.arrows.iter().filter(|a| a.to == actor && a.arrived == Some(step));
    let sent = sequence.arrows.iter().filter(|a| a.from == actor && a.sent == Some(step));
    let deeds = sequence.deeds.iter().filter(|d| d.actor == actor && d.step == step);
    received
        .map(|a| format!("receives {}{} from {}", count(a.count), a.message, name(a.from)))
        .chain(deeds.map(|d| d.text.clone()))
        .chain(sent.map(|a| {
            let mishap = a.mishap.as_ref().map(|what| format!(" ({what})")).unwrap_or_default();
            format!("sends {}{} to {}{mishap}", count(a.count), a.message, name(a.to))
        }))
        .collect()
}
