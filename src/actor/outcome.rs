//! One actor's whole tick: from what it was and what was under way to it, to everything that can come of it.
//!
//! [`outcomes`] is a pure function of (actor, local state, pipeline, links cut). Nothing sent in a tick arrives in it, so it
//! needs to know nothing of the other actors, and the successors of a state are the combinations of the actors'
//! outcomes.

use super::distinct::Distinct;
use super::inbox;
use super::link::Link;
use super::local::Local;
use super::moment::{Event, Moment, Stage};
use super::pipeline::Pipeline;
use super::settle::settle;
use super::span::Span;
use super::value::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// One actor's part of a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    pub(crate) local: Arc<Local>,
    pub(crate) pipeline: Arc<Pipeline>,
}

/// Messages that have entered their link.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sent {
    pub(crate) dst: usize,
    pub(crate) msg: Value,
    pub(crate) left: Span,
    pub(crate) count: u32,
}

/// What happened to messages on entry into their link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mishap {
    Lost,
    Duplicated,
    Cut,
}

/// What can come of one actor's tick.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// What the actor will be.
    pub(crate) local: Arc<Local>,
    /// What will still be under way to it of what was.
    pub(crate) remains: Arc<Pipeline>,
    /// What it sends, as far as it has entered its link.
    pub(crate) sent: Vec<Sent>,
    /// What happened, in order: for the reader, no part of the outcome's identity.
    pub(crate) events: Vec<Event>,
    /// What became of messages on entry into their links: (to, message, how many, what).
    pub(crate) mishaps: Vec<(usize, Value, u32, Mishap)>,
}

impl PartialEq for Outcome {
    fn eq(&self, other: &Self) -> bool {
        self.local == other.local && self.remains == other.remains && self.sent == other.sent
    }
}

impl Eq for Outcome {}

impl std::hash::Hash for Outcome {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.local.hash(state);
        self.remains.hash(state);
        self.sent.hash(state);
    }
}

/// The links that lead away from one actor, and which of them are cut in this tick.
pub(crate) struct Links<'a> {
    pub(crate) to: &'a dyn Fn(usize) -> &'a Link,
    /// Sorted.
    pub(crate) cut: &'a [usize],
}

/// Everything that can come of one tick of one actor, distinct, in a fixed order.
pub(crate) fn outcomes(
    stage: &Stage<'_>,
    part: &Part,
    order_free: bool,
    links: &Links<'_>,
) -> Vec<Arc<Outcome>> {
    let start = Moment::new(part.local.aged());
    let mut settled: HashMap<Moment, Vec<(Arc<Local>, Moment)>> = HashMap::new();
    let mut found = Distinct::new();
    for arrival in inbox::arrivals(stage, &start, &part.pipeline, order_free) {
        let remains = if *arrival.remains == *part.pipeline { &part.pipeline } else { &arrival.remains };
        for moment in &arrival.moments {
            let ends = settled.entry(moment.clone()).or_insert_with(|| {
                settle(stage, moment)
                    .into_iter()
                    .map(|end| (shared(&end.core.local, &part.local), end))
                    .collect()
            });
            for (local, end) in &*ends {
                enter_links(local, remains, end, links, &mut found);
            }
        }
    }
    found.into_items().into_iter().map(Arc::new).collect()
}

/// Everything that can come of an actor's start.
pub(crate) fn starts(stage: &Stage<'_>, start: &Moment, links: &Links<'_>) -> Vec<Arc<Outcome>> {
    let mut found = Distinct::new();
    for end in settle(stage, start) {
        let local = Arc::new(end.core.local.clone());
        enter_links(&local, &Arc::default(), &end, links, &mut found);
    }
    found.into_items().into_iter().map(Arc::new).collect()
}

/// The local state before, if nothing has changed: comparing shared values is cheap.
fn shared(local: &Local, before: &Arc<Local>) -> Arc<Local> {
    if *local == **before { Arc::clone(before) } else { Arc::new(local.clone()) }
}

/// Phase 4: what was sent enters its link, in every way in which that can go.
fn enter_links(
    local: &Arc<Local>,
    remains: &Arc<Pipeline>,
    end: &Moment,
    links: &Links<'_>,
    found: &mut Distinct<Outcome>,
) {
    let mut ways = vec![Outcome {
        local: Arc::clone(local),
        remains: Arc::clone(remains),
        sent: Vec::new(),
        events: end.trail.events(),
        mishaps: Vec::new(),
    }];
    for (dst, msg, n) in &end.sends {
        if links.cut.binary_search(dst).is_ok() {
            ways.iter_mut().for_each(|way| way.mishaps.push((*dst, msg.clone(), *n, Mishap::Cut)));
            continue;
        }
        let link = (links.to)(*dst);
        ways = ways
            .iter()
            .flat_map(|way| {
                link.passes(*n).map(move |passed| passing(way, *dst, msg, *n, passed, link.latency))
            })
            .collect();
    }
    for way in ways {
        found.insert(way);
    }
}

fn passing(way: &Outcome, dst: usize, msg: &Value, n: u32, passed: u32, left: Span) -> Outcome {
    let mut way = way.clone();
    if passed > 0 {
        way.sent.push(Sent { dst, msg: msg.clone(), left, count: passed });
    }
    if passed < n {
        way.mishaps.push((dst, msg.clone(), n - passed, Mishap::Lost));
    }
    if passed > n {
        way.mishaps.push((dst, msg.clone(), passed - n, Mishap::Duplicated));
    }
    way
}
