//! Caches: freshness, leases, single flight, negative caching.

use aftercalm::policy::{Age, Freshness, Lease, LeaseToken, Lookup, Policy, SingleFlight, Ticks, preset};
use std::time::Duration;

#[test]
fn an_entry_goes_through_the_ages_of_rfc_5861() {
    // The RFC's example: max-age=600, stale-while-revalidate=30; and stale-if-error=1200. In ticks of 10 s.
    let freshness = Freshness { ttl: Ticks(60), while_revalidate: Ticks(3), if_error: Ticks(120) };
    for (age, lookup, on_error) in [
        (0, Lookup::Fresh, true),
        (59, Lookup::Fresh, true),
        (60, Lookup::Revalidate, true),
        (62, Lookup::Revalidate, true),
        (63, Lookup::IfError, true),
        (179, Lookup::IfError, true),
        (180, Lookup::Gone, false),
        (1000, Lookup::Gone, false),
    ] {
        let mut state = freshness.start();
        (0..age).for_each(|_| freshness.tick(&mut state));
        assert_eq!(
            (freshness.lookup(state), freshness.may_serve_on_error(state)),
            (lookup, on_error),
            "{age}"
        );
    }
    assert_eq!(Freshness::ttl(Ticks(2)).lookup(Age(Ticks(2))), Lookup::Gone);
}

/// The paper: a token at most once in a period; the newest may fill the key, once, unless it was deleted since.
#[test]
fn leases_keep_their_promises_whatever_happens() {
    for period in [1, 3, 10] {
        let lease = Lease { period: Ticks(period) };
        let (mut filled, mut refused) = (0, 0);
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut state = lease.start();
            let mut held: Vec<LeaseToken> = Vec::new();
            // By definition: when a token was given last, and which may fill.
            let (mut given, mut valid) = (None::<u32>, None);
            for now in 0..400u32 {
                match random.u8(0..6) {
                    0..3 => {
                        let token = lease.miss(&mut state);
                        let may = given.is_none_or(|at| now - at >= period);
                        assert_eq!(token.is_some(), may, "at {now}");
                        if let Some(token) = token {
                            assert!(!held.contains(&token), "a token that is held is not given again");
                            held.push(token);
                            (given, valid) = (Some(now), Some(token));
                        }
                    }
                    3 if !held.is_empty() => {
                        let token = held.swap_remove(random.usize(0..held.len()));
                        let good = lease.fill(&mut state, token);
                        assert_eq!(good, valid == Some(token));
                        if good {
                            valid = None;
                            filled += 1;
                        } else {
                            refused += 1;
                        }
                    }
                    4 => {
                        lease.delete(&mut state);
                        valid = None;
                    }
                    5 if !held.is_empty() => {
                        let token = held.swap_remove(0);
                        lease.abandon(&mut state, token);
                        valid = valid.filter(|v| *v != token);
                    }
                    _ => {}
                }
                if random.bool() {
                    lease.tick(&mut state);
                } else {
                    // Several things in one tick: put the clock back.
                    given = given.map(|at| at + 1);
                }
            }
        }
        assert!(filled > 50 && refused > 50, "{filled} filled, {refused} refused");
    }
    let lease = preset::facebook::lease(Duration::from_secs(1)).unwrap();
    let mut state = lease.start();
    let token = lease.miss(&mut state).unwrap();
    assert!(lease.fill(&mut state, token) && !lease.fill(&mut state, token), "once");
}

#[test]
fn a_flight_answers_everyone_who_joined_it_and_nobody_else() {
    let flight = SingleFlight;
    let mut random = fastrand::Rng::with_seed(2);
    let (mut state, mut joined, mut under_way) = (flight.start(), 0, 0);
    for _ in 0..1000 {
        let n = random.u32(0..5);
        under_way += flight.join(&mut state, n);
        joined += n;
        assert!(under_way <= 1 && (under_way == 1) == (joined > 0));
        if under_way == 1 && random.u8(0..4) == 0 {
            assert_eq!(flight.end(&mut state), joined);
            (joined, under_way) = (0, 0);
        }
        flight.tick(&mut state);
    }
}

#[test]
fn resolution_failures_are_remembered_for_a_second_at_least_and_five_minutes_at_most() {
    let negative = preset::dns::resolution_failures(Duration::from_secs(1)).unwrap();
    let mut state = negative.start();
    assert!(!negative.answers(&state));
    let mut remembered = Vec::new();
    for _ in 0..12 {
        negative.failure(&mut state);
        let mut ticks = 0;
        while negative.answers(&state) {
            negative.tick(&mut state);
            ticks += 1;
        }
        remembered.push(ticks);
    }
    assert_eq!(remembered, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
    negative.success(&mut state);
    assert_eq!(state, negative.start());
    assert_eq!(preset::dns::no_such_name(Ticks(9), Ticks(4)).first, Ticks(4));
}
