//! What happened in a tick, as plain data: for reports that show who sent what to whom.

use super::action::Tick;
use super::moment::Event;
use super::outcome::{Mishap, Outcome};
use super::value::Value;
use serde::{Deserialize, Serialize};

/// Something that happened in a tick. Messages, timers and choices are given as their `Debug` texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "event")]
pub enum TickEvent {
    /// Identical messages were delivered, one after the other.
    Received {
        /// To whom.
        actor: String,
        /// From whom.
        from: String,
        /// The message.
        message: String,
        /// How many.
        count: u32,
    },
    /// A timer fired.
    Timer {
        /// Whose.
        actor: String,
        /// Which.
        timer: String,
    },
    /// A random choice was resolved.
    Chose {
        /// Whose.
        actor: String,
        /// What it was about; may be empty.
        about: String,
        /// What came out.
        choice: String,
    },
    /// Identical messages entered their link.
    Sent {
        /// By whom.
        actor: String,
        /// To whom.
        to: String,
        /// The message.
        message: String,
        /// How many.
        count: u32,
        /// The fewest and the most ticks until they arrive.
        ticks: [u32; 2],
    },
    /// Identical messages were sent, and lost, duplicated or cut off on entry into their link.
    Mishap {
        /// By whom they were sent.
        actor: String,
        /// To whom.
        to: String,
        /// The message.
        message: String,
        /// How many; of duplicated ones, how many more than were sent.
        count: u32,
        /// `lost`, `duplicated` or `cut`.
        what: String,
    },
}

impl Tick {
    /// Everything that happened in it, actor by actor: first what each met, in order, then what it sent.
    pub fn events(&self) -> Vec<TickEvent> {
        self.chosen.iter().enumerate().flat_map(|(id, outcome)| self.of_actor(id, outcome)).collect()
    }

    fn of_actor(&self, id: usize, outcome: &Outcome) -> Vec<TickEvent> {
        let name = |id: usize| self.names.get(id).map_or_else(|| format!("Id({id})"), ToString::to_string);
        let text = |value: &Value| value.text().to_owned();
        let actor = name(id);
        let mut told: Vec<TickEvent> = Vec::new();
        for run in outcome.events.chunk_by(|a, b| a == b && matches!(a, Event::Message { .. })) {
            told.push(match &run[0] {
                Event::Message { src, msg } => TickEvent::Received {
                    actor: actor.clone(),
                    from: name(*src),
                    message: text(msg),
                    count: u32::try_from(run.len()).unwrap_or(u32::MAX),
                },
                Event::Timer(timer) => TickEvent::Timer { actor: actor.clone(), timer: text(timer) },
                Event::Choice { key, choice } => {
                    TickEvent::Chose { actor: actor.clone(), about: key.clone(), choice: text(choice) }
                }
            });
        }
        told.extend(outcome.sent.iter().map(|sent| TickEvent::Sent {
            actor: actor.clone(),
            to: name(sent.dst),
            message: text(&sent.msg),
            count: sent.count,
            ticks: [sent.left.lo, sent.left.hi],
        }));
        told.extend(outcome.mishaps.iter().map(|(dst, msg, count, mishap)| {
            TickEvent::Mishap {
                actor: actor.clone(),
                to: name(*dst),
                message: text(msg),
                count: *count,
                what: match mishap {
                    Mishap::Lost => "lost",
                    Mishap::Duplicated => "duplicated",
                    Mishap::Cut => "cut",
                }
                .to_owned(),
            }
        }));
        told
    }
}
