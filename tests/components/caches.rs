//! Caches: buckets that warm, expire and are flushed; one key with its stampedes and what is done against them.

use crate::setup::{Script, TICK, after, expect, heard, patient};
use aftercalm::actor::{Handle, TimedState, TimedSystem};
use aftercalm::component::{
    Answer, Assemble, Cache, ComponentActor, Control, Entry, HotKey, LookAside, Misses, Msg, OnError, Server,
    store, system,
};
use aftercalm::policy::{Freshness, NegativeCaching, Ticks};
use stateright::actor::Id;
use std::collections::BTreeSet;

struct Built<C> {
    sys: TimedSystem<Msg>,
    log: Handle<Script>,
    cache: Handle<C>,
    store: Handle<Server>,
}

/// A cache before a store, what is sent to it, and what happens to the store. The script's id is 0.
fn built<C: ComponentActor>(
    store: Server,
    cache: impl FnOnce(Handle<Server>) -> C,
    script: &[(u32, Msg, usize)],
    fates: &[(u32, Control)],
) -> Built<C> {
    let mut sys = system(TICK);
    let log = sys.reserve("script");
    let store = sys.install("store", store);
    let cache = sys.install("cache", cache(store));
    let sends = script.iter().map(|(at, msg, n)| (*at, cache.id(), *msg, *n));
    let fates = fates.iter().map(|(at, control)| (*at, store.id(), (*control).into(), 1));
    sys.fill(log, Script(sends.chain(fates).collect()));
    Built { sys, log, cache, store }
}

fn ask() -> Msg {
    patient(Id::from(0), "a")
}

fn seen<C: ComponentActor, T: Ord>(
    b: &Built<C>,
    n: usize,
    of: impl Fn(&TimedState<Msg>) -> T,
) -> BTreeSet<T> {
    after(&b.sys, n).iter().map(of).collect()
}

#[test]
fn a_hit_is_answered_at_once_and_a_miss_by_the_store_and_warms_a_bucket() {
    let b = built(Server::new(9), |s| Cache::new(s, LookAside::new(1)), &[(0, ask(), 2)], &[]);
    expect(&b.sys, b.log, 6, &["2 Ok(a #1); 2 Ok(a #1)"]);
    let b = built(
        Server::new(9),
        |s| Cache::new(s, LookAside::new(2).warm(0)),
        &[(0, ask(), 1), (4, ask(), 1)],
        &[],
    );
    // One of two buckets is warm in tick 5: the second request hits or misses.
    expect(&b.sys, b.log, 10, &["4 Ok(a #1); 6 Ok(a #1)", "4 Ok(a #1); 8 Ok(a #1)"]);
    assert_eq!(seen(&b, 3, |s| s[b.cache].warm()), [1].into());
}

#[test]
fn misses_of_one_tick_warm_one_bucket_or_more_and_one_each_where_each_has_its_own() {
    let b = built(Server::new(9), |s| Cache::new(s, LookAside::new(4).warm(0)), &[(0, ask(), 3)], &[]);
    assert_eq!(seen(&b, 3, |s| s[b.cache].warm()), [1, 2, 3].into());
    let b = built(
        Server::new(9),
        |s| Cache::new(s, LookAside::new(4).warm(0).one_bucket_each()),
        &[(0, ask(), 3)],
        &[],
    );
    assert_eq!(seen(&b, 3, |s| s[b.cache].warm()), [3].into());
    // With each its own bucket, 4 requests on 4 buckets of which 3 are warm hit 3; 6 requests hit 4 or 5.
    let hits = |n: usize| {
        let b = built(
            Server::new(9),
            |s| Cache::new(s, LookAside::new(4).warm(3).one_bucket_each()),
            &[(0, ask(), n)],
            &[],
        );
        heard(&b.sys, b.log, 2).iter().map(|h| h.matches("Ok").count()).collect::<BTreeSet<_>>()
    };
    assert_eq!((hits(1), hits(4), hits(6)), ([0, 1].into(), [3].into(), [4, 5].into()));
}

#[test]
fn a_store_that_fails_warms_nothing() {
    let b = built(
        store(1),
        |s| Cache::new(s, LookAside::new(4).warm(0).one_bucket_each()),
        &[(0, ask(), 3)],
        &[],
    );
    assert_eq!(seen(&b, 3, |s| s[b.cache].warm()), [1].into());
    expect(&b.sys, b.log, 6, &["4 Error(a #1); 4 Error(a #1); 4 Ok(a #1)"]);
}

#[test]
fn buckets_expire_by_their_ttl_or_so_many_a_tick_and_are_flushed_by_share() {
    let b = built(Server::new(9), |s| Cache::new(s, LookAside::new(4).ttl(3)), &[], &[]);
    assert_eq!((1..5).map(|n| after(&b.sys, n)[0][b.cache].warm()).collect::<Vec<_>>(), [4, 4, 0, 0]);
    let b = built(Server::new(9), |s| Cache::new(s, LookAside::new(4).expiring(1..=2)), &[], &[]);
    assert_eq!(seen(&b, 2, |s| s[b.cache].warm()), [0, 1, 2].into());
    for (percent, left) in [(0, 10), (45, 5), (50, 5), (100, 0)] {
        let b = built(
            Server::new(9),
            |s| Cache::new(s, LookAside::new(10)),
            &[(0, Control::Flush(percent).into(), 1)],
            &[],
        );
        assert_eq!(seen(&b, 1, |s| s[b.cache].warm()), [left].into(), "{percent} %");
    }
}

/// A key whose value is gone, and three requests for it at once, then one more two ticks later.
fn stampede(key: impl FnOnce(HotKey) -> HotKey) -> Built<HotKey> {
    let script = [(0, Control::Flush(100).into(), 1), (0, ask(), 3), (1, ask(), 1)];
    built(Server::new(9), |s| key(HotKey::new(s)), &script, &[])
}

#[test]
fn a_stampede_asks_the_store_for_each_miss_single_flight_once_and_a_lease_turns_the_others_away() {
    let asked = |b: &Built<HotKey>| {
        (1..4).map(|n| after(&b.sys, n)[0].count_in_flight(|m| m.dst == b.store.id())).collect::<Vec<_>>()
    };
    let all = stampede(|k| k);
    assert_eq!(asked(&all), [3, 1, 0]);
    expect(&all.sys, all.log, 8, &["4 Ok(a #1); 4 Ok(a #1); 4 Ok(a #1); 5 Ok(a #1)"]);
    let one = stampede(|k| k.misses(Misses::One));
    assert_eq!(asked(&one), [1, 0, 0]);
    expect(&one.sys, one.log, 8, &["4 Ok(a #1); 4 Ok(a #1); 4 Ok(a #1); 4 Ok(a #1)"]);
    let lease = stampede(|k| k.misses(Misses::Lease));
    assert_eq!(asked(&lease), [1, 0, 0]);
    expect(&lease.sys, lease.log, 8, &["2 Rejected(a #1); 2 Rejected(a #1); 3 Rejected(a #1); 4 Ok(a #1)"]);
}

#[test]
fn single_flight_shares_an_error_and_a_timeout_too() {
    let script = [(0, Control::Flush(100).into(), 1), (0, ask(), 2)];
    let b = built(store(0), |s| HotKey::new(s).misses(Misses::One), &script, &[]);
    expect(&b.sys, b.log, 8, &["4 Error(a #1); 4 Error(a #1)"]);
    let silent = Server::new(0).queue(0).rejecting(None);
    let b = built(silent, |s| HotKey::new(s).misses(Misses::One).fetch_timeout(3), &script, &[]);
    // Asked in tick 1, given up in tick 4.
    expect(&b.sys, b.log, 8, &["5 Error(a #1); 5 Error(a #1)"]);
}

#[test]
fn an_error_deletes_the_key_or_leaves_it_and_an_invalid_value_is_fetched_anew() {
    let entries = |on_error, n| {
        let script = [(0, Control::SetValue(Answer::Invalid).into(), 1), (0, ask(), 1)];
        let b = built(store(0), |s| HotKey::new(s).on_error(on_error), &script, &[]);
        after(&b.sys, n)[0][b.cache].entry
    };
    assert_eq!((entries(OnError::Keep, 1), entries(OnError::Keep, 3)), (Entry::Invalid, Entry::Invalid));
    assert_eq!(entries(OnError::Delete, 3), Entry::Missing);
    let script = [(0, Control::SetValue(Answer::Invalid).into(), 1), (0, ask(), 1)];
    let b = built(store(9), |s| HotKey::new(s).not_fixing(), &script, &[]);
    expect(&b.sys, b.log, 8, &["2 Invalid(a #1)"]);
    let fixing = built(store(9), HotKey::new, &script, &[]);
    expect(&fixing.sys, fixing.log, 8, &["4 Ok(a #1)"]);
}

#[test]
fn an_invalid_answer_is_written_only_where_that_is_declared() {
    let entry = |writes: bool| {
        let key = |s| {
            let key = HotKey::new(s);
            if writes { key.writing_invalid() } else { key }
        };
        let script = [(0, Control::Flush(100).into(), 1), (0, ask(), 1)];
        let b = built(store(9), key, &script, &[(0, Control::SetValue(Answer::Invalid))]);
        after(&b.sys, 3)[0][b.cache].entry
    };
    assert_eq!((entry(false), entry(true)), (Entry::Missing, Entry::Invalid));
}

#[test]
fn which_answer_of_a_tick_comes_last_is_explored() {
    let script = [(0, Control::Flush(100).into(), 1), (0, ask(), 2)];
    let b = built(store(1), |s| HotKey::new(s).on_error(OnError::Delete), &script, &[]);
    let valid = seen(&b, 3, |s| s[b.cache].valid());
    assert_eq!(valid, [false, true].into(), "the error comes first or last");
}

#[test]
fn a_stale_value_is_served_while_it_is_fetched_anew_or_where_that_fails() {
    let fresh = |while_revalidate, if_error| Freshness {
        ttl: Ticks(2),
        while_revalidate: Ticks(while_revalidate),
        if_error: Ticks(if_error),
    };
    let script = [(0, ask(), 1), (2, ask(), 1), (6, ask(), 1)];
    let b = built(Server::new(9), |s| HotKey::new(s).freshness(fresh(5, 0)), &script, &[]);
    // Fresh in tick 1, stale in tick 3: served, and fetched; the new one comes in tick 5 and is fresh, or stale, in tick 7.
    expect(&b.sys, b.log, 9, &["2 Ok(a #1); 4 Ok(a #1); 8 Ok(a #1)"]);
    let b = built(store(0), |s| HotKey::new(s).freshness(fresh(0, 9)), &script, &[]);
    expect(&b.sys, b.log, 12, &["2 Ok(a #1); 6 Ok(a #1); 10 Ok(a #1)"]);
    let b = built(store(0), |s| HotKey::new(s).freshness(fresh(0, 0)), &script, &[]);
    expect(&b.sys, b.log, 12, &["2 Ok(a #1); 6 Error(a #1); 10 Error(a #1)"]);
}

#[test]
fn a_failure_is_remembered_for_a_while() {
    let negative = NegativeCaching { first: Ticks(3), factor: 1, most: Ticks(3) };
    let script = [(0, Control::Flush(100).into(), 1), (0, ask(), 1), (3, ask(), 1), (7, ask(), 1)];
    let b = built(store(0), |s| HotKey::new(s).negative(negative), &script, &[(5, Control::SetCapacity(9))]);
    // The failure comes in tick 3 and is remembered for the requests of ticks 4 and 5.
    expect(&b.sys, b.log, 14, &["4 Error(a #1); 5 Error(a #1); 11 Ok(a #1)"]);
}

#[test]
fn clients_that_look_aside_send_only_what_misses_and_a_good_answer_warms_a_bucket() {
    use aftercalm::component::Population;
    let mut sys = system(TICK);
    let server = sys.install("server", store(2));
    let cache = LookAside::new(4).expiring(0..=0).one_bucket_each();
    let clients = sys.install("clients", Population::open(server, 4..=4).look_aside(cache));
    sys.add("script", Script(vec![(1, clients.id(), Control::Flush(75).into(), 1)]));
    let of = |n: usize| {
        let states = after(&sys, n);
        assert_eq!(states.len(), 1, "tick {n}");
        (states[0][clients].sent.fresh, states[0][clients].cache.as_ref().unwrap().warm())
    };
    // Flushed in tick 2: three miss; two are served, and warm their buckets in tick 4; the third in tick 5.
    assert_eq!((1..7).map(of).collect::<Vec<_>>(), [(0, 4), (3, 1), (3, 1), (1, 3), (0, 4), (0, 4)]);
}
