//! `Freshness` and `SingleFlight` beside moka, which has no clock but the real one.

use aftercalm::policy::{Freshness, Lookup, Policy, SingleFlight, Ticks};
use moka::sync::Cache;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What ours says of an entry of this real age: a whole number of ticks, rounded down.
fn fresh(freshness: &Freshness, age: Duration, tick: Duration) -> bool {
    let mut ours = freshness.start();
    for _ in 0..age.as_nanos() / tick.as_nanos() {
        freshness.tick(&mut ours);
    }
    freshness.lookup(ours) == Lookup::Fresh
}

#[test]
fn an_entry_is_fresh_as_long_as_mokas() {
    let tick = Duration::from_millis(5);
    let freshness = Freshness::ttl(Ticks(8));
    let (mut hits, mut misses) = (0, 0);
    // More rounds where the machine is too busy to look often enough.
    for round in 0..100 {
        if round >= 4 && hits > 10 && misses > 4 {
            break;
        }
        let cache: Cache<u32, u32> = Cache::builder().time_to_live(tick * 8).build();
        let before = Instant::now();
        cache.insert(1, 1);
        let inserted = Instant::now();
        while inserted.elapsed() < tick * 12 {
            let asked = Instant::now();
            let hit = cache.get(&1).is_some();
            let answered = Instant::now();
            // The age lies between these; where they disagree, the clock ran out just then.
            let (least, most) = (asked - inserted, answered - before);
            if fresh(&freshness, least, tick) == fresh(&freshness, most, tick) {
                assert_eq!(hit, fresh(&freshness, least, tick), "at an age of {least:?} to {most:?}");
                *(if hit { &mut hits } else { &mut misses }) += 1;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
    assert!(hits > 10 && misses > 4, "{hits} hits, {misses} misses");
}

/// `n` threads ask for the same missing key; each tells what it got. With the number of times that it was fetched.
fn ask_together(n: u32, good: bool) -> (Vec<Result<u32, Arc<String>>>, u32) {
    let cache: Cache<u32, u32> = Cache::new(10);
    let (fetched, asking) = (AtomicU32::new(0), AtomicU32::new(0));
    let ask = || {
        asking.fetch_add(1, Ordering::SeqCst);
        cache.try_get_with(1, || {
            let number = fetched.fetch_add(1, Ordering::SeqCst);
            while asking.load(Ordering::SeqCst) < n {
                thread::yield_now();
            }
            // All ask by now, or are about to.
            thread::sleep(Duration::from_millis(50));
            if good { Ok(number) } else { Err("failed".to_owned()) }
        })
    };
    let answers = thread::scope(|scope| {
        let threads: Vec<_> = (0..n).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    (answers, fetched.into_inner())
}

#[test]
fn one_flight_answers_all_with_its_value_or_its_error() {
    for (n, good) in [(1, true), (8, true), (1, false), (8, false)] {
        let flight = SingleFlight;
        let mut state = flight.start();
        let sent: u32 = (0..n).map(|_| flight.join(&mut state, 1)).sum();
        let answered = flight.end(&mut state);
        // A thread may come too late and start a flight of its own: what counts is that once none does.
        let together = (0..20).any(|_| {
            let (answers, fetched) = ask_together(n, good);
            assert!(answers.iter().all(|answer| answer.is_ok() == good));
            (fetched, answers.len() as u32) == (sent, answered)
        });
        assert!(together, "{n} threads share {sent} flight");
    }
}
