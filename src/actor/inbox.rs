//! Phase 1 of a tick: which of the messages under way arrive, and in which order.
//!
//! Which arrive: of n identical messages that may arrive in this tick, any number from 0 to n does; all, where they must.
//! In which order: every distinct order of the multiset that arrives. The orders are not enumerated. What an actor is
//! after some of its messages depends on *which* it has had and on what they made of it, so a table over the delivered
//! sub-multisets (dynamic programming), with at most one entry for each distinct moment, covers all orders: for k messages
//! of different kinds, k * 2^(k-1) deliveries instead of k!, and n + 1 cells, not 2^n, for n identical ones.
//!
//! An actor that only collects messages ([`Collects`](super::Collects)) is handed all of them at once: there is nothing to order.
//!
//! An actor whose order is declared not to matter gets one canonical order: by sender, then by message. The
//! declaration is tested wherever it is used: against every order where that takes at most [`FREE_DELIVERIES_MAX`]
//! deliveries; beyond, against the reverse order, each kind of message first, each last, and [`SHUFFLES`] shuffles, so that a false
//! declaration may then go unnoticed.

use super::distinct::Distinct;
use super::moment::{Event, Moment, Stage};
use super::pipeline::{Envelope, Pipeline};
use super::value::Value;
use crate::model::refuse;
use std::sync::Arc;

/// The most sub-multisets of one inbox that are looked at in one tick.
pub(crate) const INBOX_CELLS_MAX: usize = 1 << 18;

/// The most ways in which messages under way to one actor may arrive or not in one tick.
pub(crate) const ARRIVALS_MAX: usize = 1 << 18;

/// The most deliveries for which an `order_free` declaration is tested against every order.
pub(crate) const FREE_DELIVERIES_MAX: usize = 4096;

/// How many shuffled orders an `order_free` declaration is tested against where there are too many orders.
pub(crate) const SHUFFLES: usize = 64;

/// One possibility for phase 1: what the actor may be after it, and what is still under way.
pub(crate) struct Arrival {
    pub(crate) moments: Vec<Moment>,
    pub(crate) remains: Arc<Pipeline>,
}

/// Messages that cannot be told apart once they arrive.
#[derive(PartialEq)]
struct Kind {
    src: usize,
    msg: Value,
}

/// All possibilities for phase 1, from `start`, with the pipeline as it was before the tick.
pub(crate) fn arrivals(
    stage: &Stage<'_>,
    start: &Moment,
    pipeline: &Pipeline,
    order_free: bool,
) -> Vec<Arrival> {
    if pipeline.envelopes().is_empty() {
        return vec![Arrival { moments: vec![start.clone()], remains: Arc::default() }];
    }
    let aged = aged(stage, pipeline);
    let aged = aged.envelopes();
    let mut kinds: Vec<Kind> = Vec::new();
    let mut most: Vec<u32> = Vec::new();
    for e in aged.iter().filter(|e| e.left.may_be_now()) {
        let kind = Kind { src: e.src, msg: e.msg.clone() };
        match kinds.iter().position(|k| *k == kind) {
            Some(at) => most[at] += e.count,
            None => {
                kinds.push(kind);
                most.push(e.count);
            }
        }
    }
    let orders = Orders::new(stage, start, &kinds, &most, order_free);
    numbers_that_arrive(stage, aged)
        .iter()
        .map(|numbers| {
            let mut had = vec![0; kinds.len()];
            let mut remains = Pipeline::default();
            for (e, n) in aged.iter().zip(numbers) {
                if let Some(at) = kinds.iter().position(|k| k.src == e.src && k.msg == e.msg) {
                    had[at] += n;
                }
                remains.add(Envelope { left: e.left.not_now(), count: e.count - n, ..e.clone() });
            }
            Arrival { moments: orders.after(&had), remains: Arc::new(remains) }
        })
        .collect()
}

/// The pipeline as a tick begins: each message one tick nearer, and older itself if messages age. Ageing may make messages alike
/// that were not; they are one envelope then.
fn aged(stage: &Stage<'_>, pipeline: &Pipeline) -> Pipeline {
    let mut aged = Pipeline::default();
    for e in pipeline.envelopes() {
        let msg = stage.ageing.map_or_else(|| e.msg.clone(), |ageing| ageing(&e.msg));
        aged.add(Envelope { src: e.src, msg, left: e.left.aged(), count: e.count });
    }
    aged
}

/// For each choice, how many of each envelope's messages arrive; the most first.
fn numbers_that_arrive(stage: &Stage<'_>, aged: &[Envelope]) -> Vec<Vec<u32>> {
    let open = aged.iter().filter(|e| e.left.may_be_now() && !e.left.must_be_now());
    let ways = open.fold(1, |ways: usize, e| ways.saturating_mul(e.count as usize + 1));
    if ways > ARRIVALS_MAX {
        refuse(format!(
            "the messages under way to `{}` may arrive in this tick or later in {ways} ways; the limit is {ARRIVALS_MAX}. Let fewer messages \
             be under way at once, or give their links a single latency",
            stage.name()
        ));
    }
    let mut all = vec![Vec::new()];
    for e in aged {
        let lo = if e.left.must_be_now() { e.count } else { 0 };
        let hi = if e.left.may_be_now() { e.count } else { 0 };
        all = all
            .iter()
            .flat_map(|numbers| {
                (lo..=hi).rev().map(move |n| {
                    let mut numbers = numbers.clone();
                    numbers.push(n);
                    numbers
                })
            })
            .collect();
    }
    all
}

/// The moments that the orders of an inbox lead to.
struct Orders<'a> {
    stage: &'a Stage<'a>,
    start: &'a Moment,
    kinds: &'a [Kind],
    order_free: bool,
    /// A sub-multiset is the number whose digits, with these weights, are its counts.
    weights: Vec<usize>,
    /// The distinct moments after each sub-multiset; empty if the orders are too many for a table.
    table: Vec<Vec<Moment>>,
}

impl<'a> Orders<'a> {
    fn new(
        stage: &'a Stage<'a>,
        start: &'a Moment,
        kinds: &'a [Kind],
        most: &[u32],
        order_free: bool,
    ) -> Self {
        let mut weights = Vec::with_capacity(kinds.len());
        let mut cells: usize = 1;
        for n in most {
            weights.push(cells);
            cells = cells.saturating_mul(*n as usize + 1);
        }
        let mut orders = Self { stage, start, kinds, order_free, weights, table: Vec::new() };
        if stage.behaviour.collects() {
            return orders;
        }
        let within = if order_free {
            cells.saturating_mul(kinds.len()) <= FREE_DELIVERIES_MAX
        } else if cells > INBOX_CELLS_MAX {
            refuse(format!(
                "{} messages of {} kinds may reach `{}` in one tick, in too many orders to try ({cells} partial deliveries; the limit is \
                 {INBOX_CELLS_MAX}); if their order does not matter, declare it with `order_free`",
                most.iter().sum::<u32>(),
                kinds.len(),
                stage.name()
            ))
        } else {
            true
        };
        if within {
            orders.fill(most, cells);
        }
        orders
    }

    /// Fills the table; a sub-multiset's predecessors, each less by one message, have smaller numbers.
    fn fill(&mut self, most: &[u32], cells: usize) {
        self.table.push(vec![self.start.clone()]);
        let mut had = vec![0; most.len()];
        for cell in 1..cells {
            advance(&mut had, most);
            let mut moments = Distinct::new();
            // The last kind first, so that the moment kept for its trail came about in the canonical order.
            for (at, kind) in self.kinds.iter().enumerate().rev().filter(|(at, _)| had[*at] > 0) {
                for before in &self.table[cell - self.weights[at]] {
                    moments.insert(self.stage.deliver(before, kind.src, &kind.msg));
                }
            }
            self.table.push(moments.into_items());
        }
    }

    /// The distinct moments after this multiset, in any order.
    fn after(&self, had: &[u32]) -> Vec<Moment> {
        if self.stage.behaviour.collects() {
            let had = self.kinds.iter().zip(had).filter(|(_, n)| **n > 0);
            let messages: Vec<_> = had.map(|(kind, n)| (kind.src, &kind.msg, *n)).collect();
            return if messages.is_empty() {
                vec![self.start.clone()]
            } else {
                vec![self.stage.collect(self.start, &messages)]
            };
        }
        let moments = if self.table.is_empty() {
            self.sampled(had)
        } else {
            let cell: usize = had.iter().zip(&self.weights).map(|(n, weight)| *n as usize * weight).sum();
            self.table[cell].clone()
        };
        if self.order_free
            && let [first, second, ..] = moments.as_slice()
        {
            self.refuse_order(first, second);
        }
        moments
    }

    /// After some orders where there are too many to try: the canonical one, its reverse, each kind first, each kind last, and
    /// [`SHUFFLES`] more; the first moment, and the first that differs from it. A declaration that is false in none of them
    /// is believed.
    fn sampled(&self, had: &[u32]) -> Vec<Moment> {
        let canonical: Vec<usize> =
            had.iter().enumerate().flat_map(|(kind, n)| (0..*n).map(move |_| kind)).collect();
        let first = self.in_order(&canonical);
        let moved = (0..had.len()).flat_map(|kind| {
            let (of_kind, others): (Vec<usize>, Vec<usize>) = canonical.iter().partition(|k| **k == kind);
            [[of_kind.clone(), others.clone()].concat(), [others, of_kind].concat()]
        });
        let reverse = std::iter::once(canonical.iter().rev().copied().collect::<Vec<usize>>());
        // A fixed sequence, so that every run tries the same orders (Knuth's multiplier for a linear congruential generator).
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let shuffled = (0..SHUFFLES).map(|_| {
            let mut order = canonical.clone();
            for i in (1..order.len()).rev() {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                order.swap(i, ((seed >> 33) % (i as u64 + 1)) as usize);
            }
            order
        });
        let other =
            reverse.chain(moved).chain(shuffled).map(|order| self.in_order(&order)).find(|m| *m != first);
        std::iter::once(first).chain(other).collect()
    }

    fn in_order(&self, order: &[usize]) -> Moment {
        order.iter().fold(self.start.clone(), |moment, at| {
            let kind = &self.kinds[*at];
            self.stage.deliver(&moment, kind.src, &kind.msg)
        })
    }

    fn refuse_order(&self, first: &Moment, second: &Moment) -> ! {
        refuse(format!(
            "`{name}` is declared order free, but the order of the messages that reach it in one tick does matter. From {state:?},\n  \
             after {one} it is {a}\n  after {two} it is {b}\nRemove `order_free`, or make it true",
            name = self.stage.name(),
            state = self.start.core.local.state,
            one = self.told(first),
            two = self.told(second),
            a = self.shown(first),
            b = self.shown(second),
        ))
    }

    fn told(&self, moment: &Moment) -> String {
        let told: Vec<String> = (moment.trail.events().iter())
            .filter_map(|event| match event {
                Event::Message { src, msg } => {
                    Some(format!("{} from {}", msg.text(), self.stage.names[*src]))
                }
                _ => None,
            })
            .collect();
        told.join(", ")
    }

    fn shown(&self, moment: &Moment) -> String {
        let mut shown = moment.core.local.state.text().to_owned();
        for timer in &moment.core.local.timers {
            shown.push_str(&format!(", timer {} {}", timer.timer.text(), timer.left));
        }
        for (dst, msg, count) in &moment.sends {
            shown.push_str(&format!(", {count} {} sent to {}", msg.text(), self.stage.names[*dst]));
        }
        shown
    }
}

/// The next sub-multiset in the order of their numbers.
fn advance(had: &mut [u32], most: &[u32]) {
    for (digit, most) in had.iter_mut().zip(most) {
        if *digit < *most {
            *digit += 1;
            return;
        }
        *digit = 0;
    }
}
