//! The messages under way to one actor, in one canonical order.
//!
//! Equal multisets of messages are equal pipelines, whatever the history that led to them: an envelope is sorted by
//! sender, message and time left, and envelopes that agree in all three are one with a count.

use super::span::Span;
use super::value::Value;

/// `count` identical messages from one sender, each with its own latency in the same range.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Envelope {
    pub(crate) src: usize,
    pub(crate) msg: Value,
    pub(crate) left: Span,
    /// At least one.
    pub(crate) count: u32,
}

/// All messages under way to one actor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Pipeline {
    envelopes: Vec<Envelope>,
}

impl Pipeline {
    pub(crate) fn envelopes(&self) -> &[Envelope] {
        &self.envelopes
    }

    /// Adds messages; none, if the count is zero.
    pub(crate) fn add(&mut self, envelope: Envelope) {
        if envelope.count == 0 {
            return;
        }
        let place = self.envelopes.binary_search_by(|e| {
            (e.src.cmp(&envelope.src))
                .then_with(|| e.msg.cmp(&envelope.msg))
                .then_with(|| e.left.cmp(&envelope.left))
        });
        match place {
            Ok(at) => self.envelopes[at].count += envelope.count,
            Err(at) => self.envelopes.insert(at, envelope),
        }
    }
}
