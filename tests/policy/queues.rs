//! Queues beside a naive one that knows the time of day and treats every request for itself.

use aftercalm::policy::{Order, Policy, Queue, QueueTimeout, Ticks};

/// A request as the naive queue knows it.
#[derive(Clone, Debug)]
struct Request {
    what: u8,
    came: u32,
    /// The last tick in which its deadline is not over.
    deadline: Option<u32>,
    /// How long it may wait, decided when it came.
    patience: u32,
}

/// The definitions, with times.
struct Naive {
    queue: Queue<u8>,
    now: u32,
    waiting: Vec<Request>,
    /// When it was last empty at some moment.
    empty: u32,
    /// CoDel: the end of its interval, the shortest wait in it, whether to begin anew, whether the last one was bad.
    interval_end: u32,
    shortest: u32,
    reset: bool,
    overloaded: bool,
}

impl Naive {
    fn new(queue: Queue<u8>) -> Self {
        Self {
            queue,
            now: 0,
            waiting: Vec::new(),
            empty: 0,
            interval_end: 0,
            shortest: 0,
            reset: true,
            overloaded: false,
        }
    }

    fn offer(&mut self, what: u8, expires: Option<u32>) -> bool {
        if self.queue.limit.is_some_and(|limit| self.waiting.len() as u32 >= limit) {
            return false;
        }
        let patience = match self.queue.timeout {
            QueueTimeout::Controlled { interval, target } if self.empty + interval.0 < self.now => target.0,
            QueueTimeout::Controlled { interval, .. } => interval.0,
            _ => u32::MAX,
        };
        let deadline = expires.map(|ticks| self.now + ticks);
        self.waiting.push(Request { what, came: self.now, deadline, patience });
        true
    }

    fn take(&mut self, n: u32) -> (Vec<u8>, Vec<u8>) {
        let (mut served, mut dropped) = (Vec::new(), Vec::new());
        while (served.len() as u32) < n && !self.waiting.is_empty() {
            let newest = match self.queue.order {
                Order::Fifo => false,
                Order::Lifo => true,
                Order::AdaptiveLifo(after) => self.now - self.empty > after.0,
            };
            let request = if newest { self.waiting.pop().unwrap() } else { self.waiting.remove(0) };
            let waited = self.now - request.came;
            let late = match self.queue.timeout {
                QueueTimeout::None => false,
                QueueTimeout::After(most) => waited > most.0,
                QueueTimeout::Controlled { .. } => waited >= request.patience,
                QueueTimeout::Codel { interval, target } => self.codel(waited, interval.0, target.0),
            };
            let expired = self.queue.drop_expired && request.deadline.is_some_and(|at| at <= self.now);
            if late || expired { &mut dropped } else { &mut served }.push(request.what);
        }
        if self.waiting.is_empty() {
            self.empty = self.now;
        }
        (served, dropped)
    }

    /// folly's `Codel::overloaded`, by its description.
    fn codel(&mut self, waited: u32, interval: u32, target: u32) -> bool {
        let shortest = self.shortest;
        if self.now > self.interval_end && !self.reset {
            self.reset = true;
            self.interval_end = self.now + interval;
            self.overloaded = shortest > target;
        }
        if self.reset {
            self.reset = false;
            self.shortest = waited;
            return false;
        }
        self.shortest = self.shortest.min(waited);
        self.overloaded && waited > 2 * target
    }

    fn tick(&mut self) {
        self.now += 1;
        if self.waiting.is_empty() {
            self.empty = self.now;
        }
    }
}

fn flat(counted: &[(u8, u32)]) -> Vec<u8> {
    counted.iter().flat_map(|(what, n)| std::iter::repeat_n(*what, *n as usize)).collect()
}

fn disciplines() -> Vec<Queue<u8>> {
    let orders = [Order::Fifo, Order::Lifo, Order::AdaptiveLifo(Ticks(3)), Order::AdaptiveLifo(Ticks(0))];
    let timeouts = [
        QueueTimeout::None,
        QueueTimeout::After(Ticks(0)),
        QueueTimeout::After(Ticks(4)),
        QueueTimeout::Controlled { interval: Ticks(6), target: Ticks(2) },
        QueueTimeout::Codel { interval: Ticks(5), target: Ticks(1) },
    ];
    let mut all = Vec::new();
    for order in orders {
        for timeout in timeouts {
            for (limit, drop_expired) in [(None, false), (Some(7), true)] {
                all.push(Queue { limit, order, timeout, drop_expired, ..Queue::fifo() });
            }
        }
    }
    all
}

#[test]
fn every_discipline_serves_and_drops_what_its_definition_says() {
    let mut dropped_all = 0;
    for queue in disciplines() {
        for seed in 0..30 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (mut state, mut naive) = (queue.start(), Naive::new(queue.clone()));
            // Busy times and quiet ones.
            let mut busy = true;
            for step in 0..300 {
                if random.u8(0..25) == 0 {
                    busy = !busy;
                }
                for _ in 0..random.u32(0..3) {
                    let (what, n) = (random.u8(0..2), random.u32(0..if busy { 4 } else { 2 }));
                    let expires = random.bool().then(|| random.u32(0..6));
                    let accepted = queue.offer(&mut state, what, expires.map(Ticks), n);
                    assert_eq!(accepted, (0..n).map(|_| u32::from(naive.offer(what, expires))).sum::<u32>());
                }
                let n = random.u32(0..if busy { 3 } else { 5 });
                let (served, dropped) = naive.take(n);
                let taken = queue.take(&mut state, n);
                let ours = (flat(&taken.served), flat(&taken.dropped));
                assert_eq!(ours, (served, dropped), "step {step}, seed {seed}: {queue:?} {state:?}");
                assert_eq!(state.len() as usize, naive.waiting.len());
                dropped_all += ours.1.len();
                queue.tick(&mut state);
                naive.tick();
            }
        }
    }
    assert!(dropped_all > 1000, "dropping is seen");
}

#[test]
fn a_queue_remembers_of_time_only_what_its_discipline_asks_for() {
    // Requests of different ages are one entry where nobody asks for the age.
    let queue: Queue<u8> = Queue::fifo();
    let mut state = queue.start();
    for _ in 0..10 {
        assert_eq!(queue.offer(&mut state, 1, Some(Ticks(3)), 2), 2);
        queue.tick(&mut state);
    }
    assert_eq!(state.iter().collect::<Vec<_>>(), [(&1, 20)]);
    // An emptied queue is as new (CoDel remembers its interval, and forgets nothing of it by idleness alone).
    for queue in disciplines() {
        let mut state = queue.start();
        let _ = queue.offer(&mut state, 1, Some(Ticks(2)), 3);
        (0..3).for_each(|_| queue.tick(&mut state));
        let _ = queue.take(&mut state, 10);
        queue.tick(&mut state);
        if !matches!(queue.timeout, QueueTimeout::Codel { .. }) {
            assert_eq!(state, queue.start(), "{queue:?}");
        }
    }
}

#[test]
fn a_standing_queue_has_finitely_many_states() {
    for queue in disciplines() {
        let mut state = queue.start();
        let _ = queue.offer(&mut state, 1, Some(Ticks(2)), 3);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..100 {
            seen.insert(state.clone());
            queue.tick(&mut state);
        }
        assert!(seen.len() < 20, "waiting for ever is one state at last: {queue:?}");
    }
}

/// folly: while only long waits were seen in an interval, what waited for more than twice the target is dropped in the next,
/// but for its first.
#[test]
fn codel_drops_during_an_interval_that_follows_a_bad_one() {
    let queue: Queue<u8> =
        Queue::fifo().with_timeout(QueueTimeout::Codel { interval: Ticks(10), target: Ticks(2) });
    let mut state = queue.start();
    let mut fates = Vec::new();
    for _ in 0..30 {
        // Each request waits for five ticks.
        let _ = queue.offer(&mut state, 1, None, 1);
        if state.len() > 5 {
            let taken = queue.take(&mut state, 1);
            fates.push(if taken.dropped.is_empty() { 's' } else { 'd' });
        }
        queue.tick(&mut state);
    }
    let fates: String = fates.into_iter().collect();
    // The first sets the record, the second (a bad interval is over) passes; then all that waited five ticks go, until waits
    // are short again because of that.
    assert!(fates.starts_with("ssd"), "{fates}");
}
