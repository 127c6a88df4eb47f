//! The line before a server: batches in the order of their arrival, and the queue discipline over them.
//!
//! A batch is the requests of one tick, as counts by label; in which order they stand is left open until some, but not all, of them
//! are taken. Disciplines that go by how long a request has waited ([`QueueTimeout`], [`Order::AdaptiveLifo`]) treat the requests of one
//! batch alike. So the policy's own [`Queue`] is asked *how many* of each batch are served and dropped, and which of a batch those
//! are is drawn. For [`Order::Fifo`] and [`Order::Lifo`] without a timeout the batches alone say all, and nothing more is kept.

use super::bag::Bag;
use super::msg::Request;
use super::turn::{Ask, Pick, Turn};
use crate::policy::{Order, Policy, Queue, QueueState, QueueTimeout};
use std::fmt;

/// The requests that wait at a server.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Line {
    /// By the tick of their arrival, the oldest first; none is empty.
    pub batches: Vec<Bag<Request>>,
    /// What the discipline remembers, with the numbers of the batches for requests; None: nothing but their order.
    memory: Option<QueueState<u32>>,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.batches.fmt(f)
    }
}

/// What is taken out of a line.
pub(super) struct Out {
    pub(super) served: Bag<Request>,
    pub(super) dropped: Bag<Request>,
}

impl Line {
    pub(super) fn new(order: Order, timeout: QueueTimeout) -> Self {
        let plain = timeout == QueueTimeout::None && matches!(order, Order::Fifo | Order::Lifo);
        Self { batches: Vec::new(), memory: (!plain).then(|| queue(order, timeout).start()) }
    }

    /// How many wait.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.batches.iter().map(Bag::total).sum()
    }

    /// Whether nobody waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// A tick passes, and requests arrive at the end of the line.
    pub(super) fn tick(
        &mut self,
        (order, timeout): (Order, QueueTimeout),
        aged: impl Fn(&Request) -> Request,
        arrived: &Bag<Request>,
    ) {
        self.batches.iter_mut().for_each(|batch| *batch = batch.map(&aged));
        if let Some(memory) = &mut self.memory {
            let queue = queue(order, timeout);
            queue.tick(memory);
            let _ = queue.offer(memory, self.batches.len() as u32, None, arrived.total());
        }
        self.batches.push(arrived.clone());
        self.tidy();
    }

    /// Takes away all that satisfy `which`.
    pub(super) fn drop_all(&mut self, which: impl Fn(&Request) -> bool) {
        for (at, batch) in self.batches.iter_mut().enumerate() {
            let (gone, stay) = batch.split(&which);
            *batch = stay;
            if let Some(memory) = &mut self.memory {
                memory.withdraw(&(at as u32), gone.total());
            }
        }
        self.tidy();
    }

    /// Takes up to `n` to be served, as the discipline says, and what it drops on the way.
    pub(super) fn take(
        &mut self,
        (order, timeout): (Order, QueueTimeout),
        n: u32,
        pick: Pick,
        turn: &mut Turn,
    ) -> Result<Out, Ask> {
        let mut out = Out { served: Bag::new(), dropped: Bag::new() };
        let Some(memory) = &mut self.memory else {
            out.served = self.cut(n, order != Order::Lifo, "served", pick, turn)?;
            return Ok(out);
        };
        let taken = queue(order, timeout).take(memory, n);
        for (about, taken, into) in
            [("served", taken.served, &mut out.served), ("dropped", taken.dropped, &mut out.dropped)]
        {
            let of_batch: Bag<u32> = taken.into_iter().collect();
            for (at, n) in of_batch.iter() {
                let batch = &mut self.batches[*at as usize];
                let some = turn.draw_requests(about, batch, n, pick)?;
                batch.remove_all(&some);
                into.add_all(&some);
            }
        }
        self.tidy();
        Ok(out)
    }

    /// Takes `n` from the front or the back.
    pub(super) fn cut(
        &mut self,
        n: u32,
        front: bool,
        about: &str,
        pick: Pick,
        turn: &mut Turn,
    ) -> Result<Bag<Request>, Ask> {
        let mut taken = Bag::new();
        while taken.total() < n && !self.batches.is_empty() {
            let at = if front { 0 } else { self.batches.len() - 1 };
            let some = turn.draw_requests(about, &self.batches[at], n - taken.total(), pick)?;
            self.batches[at].remove_all(&some);
            if let Some(memory) = &mut self.memory {
                memory.withdraw(&(at as u32), some.total());
            }
            taken.add_all(&some);
            self.tidy();
        }
        Ok(taken)
    }

    /// Leaves out batches that have become empty, and numbers the others anew.
    fn tidy(&mut self) {
        let kept: Vec<bool> = self.batches.iter().map(|batch| !batch.is_empty()).collect();
        if let Some(memory) = &mut self.memory {
            memory.update(|at| *at = kept[..*at as usize].iter().map(|kept| u32::from(*kept)).sum());
        }
        self.batches.retain(|batch| !batch.is_empty());
    }
}

/// The policy, over batches; the limit and the expired are the server's own affair.
fn queue(order: Order, timeout: QueueTimeout) -> Queue<u32> {
    Queue { order, timeout, ..Queue::fifo() }
}
