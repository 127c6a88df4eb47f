//! Who sent what to whom: the messages of a path as arrows from the step in which they were sent to the step in which they
//! arrived. What every sequence diagram is drawn from.
//!
//! A reception is matched with the earliest sending between the same two, due in that tick, that has anything left: of the
//! same message where there is one; otherwise, since a message may age under way, of the one of the same name that looks most
//! alike. So it is exact but for the identity of messages that look alike. What was under way before the path
//! began has no sending; what is under way at its end, no reception.

use super::result::{ActorText, StepText, WitnessText};
use crate::actor::TickEvent;
use std::collections::BTreeMap;

/// Identical messages that travelled together, or one half of their journey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arrow {
    /// The places of the two actors.
    pub from: usize,
    /// The receiver.
    pub to: usize,
    /// The step in which they were sent; none if that was before the path began.
    pub sent: Option<usize>,
    /// The step in which they arrived; none if that is after the path ends.
    pub arrived: Option<usize>,
    /// The message, and how many of it.
    pub message: String,
    /// How many.
    pub count: u32,
    /// `lost`, `duplicated` or `cut`, for what did not come through as it was sent.
    pub mishap: Option<String>,
}

/// Something that an actor did by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deed {
    /// The step.
    pub step: usize,
    /// Whose.
    pub actor: usize,
    /// `timer Retry`, `chose readers = 3`.
    pub text: String,
}

/// A path as a sequence diagram. Steps are counted from 0, the initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sequence {
    /// The actors' names.
    pub actors: Vec<String>,
    /// The number of steps, the initial state included.
    pub steps: usize,
    /// The first step of the loop, if there is one.
    pub loop_start: Option<usize>,
    /// The messages, in the order of their sending.
    pub arrows: Vec<Arrow>,
    /// What actors did by themselves, in order.
    pub deeds: Vec<Deed>,
    /// The steps during which some trigger is active.
    pub triggered: Vec<bool>,
}

impl Sequence {
    /// The sequence of a witness; none where nothing in it is a message.
    pub fn of(witness: &WitnessText, actors: &[ActorText]) -> Option<Self> {
        let steps: Vec<&StepText> = witness.stem.iter().chain(&witness.cycle).collect();
        let mut sequence = Self {
            actors: actors.iter().map(|a| a.name.clone()).collect(),
            steps: steps.len(),
            loop_start: (!witness.cycle.is_empty()).then_some(witness.stem.len()),
            triggered: triggered(&steps, actors),
            ..Self::default()
        };
        let mut under_way = UnderWay::default();
        for (number, step) in steps.iter().enumerate() {
            // What arrives was sent before.
            for event in &step.events {
                sequence.receive(number, event, &mut under_way);
            }
            for event in &step.events {
                sequence.send(number, event, &mut under_way);
            }
        }
        for ((from, to), sendings) in under_way.0 {
            for Sending { step, message, count, .. } in sendings.into_iter().filter(|s| s.count > 0) {
                let sent = Some(step);
                sequence.arrows.push(Arrow { from, to, sent, arrived: None, message, count, mishap: None });
            }
        }
        sequence.arrows.sort_by(|a, b| {
            let key = |x: &Arrow| (x.sent.or(x.arrived), x.arrived, x.from, x.to, x.message.clone());
            key(a).cmp(&key(b))
        });
        (!sequence.arrows.is_empty()).then_some(sequence)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.actors.iter().position(|a| a == name)
    }

    fn receive(&mut self, number: usize, event: &TickEvent, under_way: &mut UnderWay) {
        match event {
            TickEvent::Received { actor, from, message, count } => {
                let (Some(to), Some(from)) = (self.place(actor), self.place(from)) else { return };
                for (sent, count) in under_way.take((from, to), message, number, *count) {
                    let message = message.clone();
                    self.arrows.push(Arrow {
                        from,
                        to,
                        sent,
                        arrived: Some(number),
                        message,
                        count,
                        mishap: None,
                    });
                }
            }
            // The heartbeat of a component, which says nothing.
            TickEvent::Timer { timer, .. } if timer.is_empty() => {}
            TickEvent::Timer { actor, timer } => {
                let text = if timer == "()" { "timer".to_owned() } else { format!("timer {timer}") };
                self.deed(number, actor, text);
            }
            TickEvent::Chose { actor, about, choice } => {
                let about = if about.is_empty() { String::new() } else { format!("{about} = ") };
                self.deed(number, actor, format!("chose {about}{choice}"));
            }
            TickEvent::Sent { .. } | TickEvent::Mishap { .. } => {}
        }
    }

    fn deed(&mut self, step: usize, actor: &str, text: String) {
        if let Some(actor) = self.place(actor) {
            self.deeds.push(Deed { step, actor, text });
        }
    }

    fn send(&mut self, number: usize, event: &TickEvent, under_way: &mut UnderWay) {
        match event {
            TickEvent::Sent { actor, to, message, count, ticks } => {
                if let (Some(from), Some(to)) = (self.place(actor), self.place(to)) {
                    let sending =
                        Sending { step: number, message: message.clone(), count: *count, ticks: *ticks };
                    under_way.0.entry((from, to)).or_default().push(sending);
                }
            }
            TickEvent::Mishap { actor, to, message, count, what } => {
                if let (Some(from), Some(to)) = (self.place(actor), self.place(to)) {
                    let (message, mishap) = (message.clone(), Some(what.clone()));
                    let sent = Some(number);
                    self.arrows.push(Arrow { from, to, sent, arrived: None, message, count: *count, mishap });
                }
            }
            _ => {}
        }
    }
}

/// Identical messages that entered their link together.
struct Sending {
    step: usize,
    message: String,
    /// Those that have not arrived.
    count: u32,
    ticks: [u32; 2],
}

/// What is under way from one actor to another, in the order of its sending.
#[derive(Default)]
struct UnderWay(BTreeMap<(usize, usize), Vec<Sending>>);

impl UnderWay {
    /// Takes `count` of a message that arrive in step `now`: from which steps, and how many from each.
    fn take(
        &mut self,
        way: (usize, usize),
        message: &str,
        now: usize,
        mut count: u32,
    ) -> Vec<(Option<usize>, u32)> {
        let mut taken = Vec::new();
        let sendings = self.0.entry(way).or_default();
        while count > 0 {
            let due = sendings.iter_mut().filter(|sending| {
                let waited = now.saturating_sub(sending.step);
                let in_time = sending.ticks[0] as usize <= waited && waited <= sending.ticks[1] as usize;
                in_time && sending.count > 0 && name(&sending.message) == name(message)
            });
            // The one that looks most alike; of several, the earliest.
            let likeness =
                |sending: &Sending| (sending.message == message, common(&sending.message, message));
            let best = due.rev().max_by_key(|sending| likeness(sending));
            let Some(sending) = best else { break };
            let n = count.min(sending.count);
            sending.count -= n;
            count -= n;
            taken.push((Some(sending.step), n));
        }
        sendings.retain(|sending| sending.count > 0);
        if count > 0 {
            taken.push((None, count));
        }
        taken
    }
}

/// How many characters two texts have in common at their beginning.
fn common(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// The name that a message begins with.
fn name(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(text)
}

/// For each step, whether a trigger is active after it.
pub(super) fn triggered(steps: &[&StepText], actors: &[ActorText]) -> Vec<bool> {
    let triggers: Vec<&str> = actors.iter().filter(|a| a.trigger).map(|a| a.name.as_str()).collect();
    let mut active: Vec<bool> = vec![false; triggers.len()];
    steps
        .iter()
        .map(|step| {
            for change in &step.changes {
                if let Some(at) = triggers.iter().position(|name| *name == change.path) {
                    active[at] = change.to.as_deref() == Some("Active");
                }
            }
            active.contains(&true)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::result::Change;
    use super::*;
    use serde_json::Map;

    fn step(events: Vec<TickEvent>, trigger: Option<&str>) -> StepText {
        let change = |to: &str| Change { path: "outage".into(), from: None, to: Some(to.to_owned()) };
        StepText {
            action: String::new(),
            changes: trigger.map(change).into_iter().collect(),
            atoms: Map::new(),
            measures: Map::new(),
            events,
        }
    }

    fn sent(message: &str, count: u32, ticks: [u32; 2]) -> TickEvent {
        TickEvent::Sent { actor: "a".into(), to: "b".into(), message: message.into(), count, ticks }
    }

    fn received(message: &str, count: u32) -> TickEvent {
        TickEvent::Received { actor: "b".into(), from: "a".into(), message: message.into(), count }
    }

    fn sequence(stem: Vec<StepText>) -> Sequence {
        let actors =
            ["a", "b", "outage"].map(|name| ActorText { name: name.into(), trigger: name == "outage" });
        Sequence::of(&WitnessText { stem, cycle: Vec::new() }, &actors).unwrap()
    }

    /// (sent, arrived, count) of each arrow.
    fn ways(sequence: &Sequence) -> Vec<(Option<usize>, Option<usize>, u32)> {
        sequence.arrows.iter().map(|a| (a.sent, a.arrived, a.count)).collect()
    }

    #[test]
    fn a_message_that_ages_under_way_is_one_arrow() {
        let steps = vec![
            step(vec![sent("Request(#1, 1 left)", 2, [1, 2]), sent("Request(#2, 3 left)", 1, [1, 1])], None),
            step(vec![received("Request(#2, 2 left)", 1), received("Request(#1, 0 left)", 1)], None),
            step(vec![received("Request(#1, given up)", 1)], None),
        ];
        assert_eq!(
            ways(&sequence(steps)),
            [(Some(0), Some(1), 1), (Some(0), Some(1), 1), (Some(0), Some(2), 1)]
        );
    }

    #[test]
    fn what_has_no_other_end_keeps_the_end_it_has() {
        let lost = TickEvent::Mishap {
            actor: "a".into(),
            to: "b".into(),
            message: "M".into(),
            count: 1,
            what: "lost".into(),
        };
        let steps = vec![step(vec![received("Before", 3), sent("M", 2, [1, 5]), lost], None)];
        let sequence = sequence(steps);
        let mut told = ways(&sequence);
        told.sort();
        assert_eq!(told, [(None, Some(0), 3), (Some(0), None, 1), (Some(0), None, 2)]);
        assert_eq!(sequence.arrows.iter().filter(|a| a.mishap.is_some()).count(), 1);
    }

    #[test]
    fn the_time_of_a_trigger_is_from_its_start_to_its_end() {
        let to = |trigger| step(vec![sent("M", 1, [1, 1])], trigger);
        let steps = vec![to(Some("Waiting")), to(Some("Active")), to(None), to(Some("Over")), to(None)];
        assert_eq!(sequence(steps).triggered, [false, true, true, false, false]);
    }
}
