//! Known answers: each rule of the semantics, by an example worked out by hand.

use crate::setup::{Act, LinkSpec, Setup, TICK, range, ticks};
use aftercalm::actor::{
    Handle, Link, Phase, TimedState, TimedSystem, Trigger, between, exactly, later, not_before, send_n,
};
use stateright::Model;
use stateright::actor::{Actor, Id, Out};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::time::Duration;

fn id(n: usize) -> Id {
    n.into()
}

type Built = (TimedSystem<char>, Vec<Handle<Act>>);

fn built(actors: Vec<Act>, link: LinkSpec<String>) -> Built {
    Setup { default_link: link, ..Setup::new("", actors) }.build()
}

/// The states after `n` ticks.
fn after(system: &TimedSystem<char>, n: usize) -> Vec<TimedState<char>> {
    let mut states: HashSet<_> = system.init_states().into_iter().collect();
    for _ in 0..n {
        states = states.iter().flat_map(|s| system.next_states(s)).collect();
    }
    states.into_iter().collect()
}

/// The states of one actor after `n` ticks.
fn logs((system, handles): &Built, actor: usize, n: usize) -> BTreeSet<String> {
    after(system, n).iter().map(|s| s[handles[actor]].clone()).collect()
}

#[track_caller]
fn check(built: &Built, actor: usize, n: usize, expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(|s| (*s).to_owned()).collect();
    assert_eq!(logs(built, actor, n), expected, "after {n} ticks");
}

/// One actor that sets timers at its start and logs them.
fn timers(set: impl Fn(&mut Out<Act>) + Send + Sync + 'static) -> Built {
    built(vec![Act::log(set)], LinkSpec::latency(1, 1))
}

#[test]
fn a_message_takes_exactly_its_latency() {
    for latency in 1..4 {
        let sender = Act::log(|out| out.send(id(1), 'm'));
        let system = built(vec![sender, Act::log(|_| {})], LinkSpec::latency(latency, latency));
        check(&system, 1, latency as usize - 1, &[""]);
        check(&system, 1, latency as usize, &["m"]);
    }
}

#[test]
fn a_range_of_latency_delivers_in_every_tick_of_it_and_in_no_other() {
    let sender = Act::log(|out| out.send(id(1), 'm'));
    let system = built(vec![sender, Act::log(|_| {})], LinkSpec::latency(2, 4));
    check(&system, 1, 1, &[""]);
    check(&system, 1, 2, &["", "m"]);
    check(&system, 1, 3, &["", "m"]);
    check(&system, 1, 4, &["m"]);
}

#[test]
fn each_unit_of_an_envelope_has_its_own_latency() {
    let sender = Act::log(|out| send_n(out, id(1), 'm', 3));
    let system = built(vec![sender, Act::log(|_| {})], LinkSpec::latency(1, 2));
    check(&system, 1, 1, &["", "m", "mm", "mmm"]);
    check(&system, 1, 2, &["mmm"]);
}

#[test]
fn messages_that_arrive_together_come_in_every_distinct_order() {
    let sender = Act::log(|out| {
        send_n(out, id(1), 'a', 2);
        out.send(id(1), 'b');
    });
    let system = built(vec![sender, Act::log(|_| {})], LinkSpec::latency(1, 1));
    check(&system, 1, 1, &["aab", "aba", "baa"]);
}

#[test]
fn sending_the_same_message_n_times_is_one_envelope_of_count_n() {
    let sender = Act::log(|out| {
        out.send(id(0), 'a');
        out.send(id(0), 'b');
        out.send(id(0), 'a');
    });
    let (system, handles) = built(vec![sender], LinkSpec::latency(2, 3));
    let states = system.init_states();
    let counts: Vec<_> =
        states[0].in_flight_to(handles[0]).map(|m| (*m.msg, m.count, m.ticks_min, m.ticks_max)).collect();
    assert_eq!(counts, [('a', 2, 2, 3), ('b', 1, 2, 3)]);
    assert_eq!(states[0].count_in_flight(|m| *m.msg == 'a'), 2);
}

#[test]
fn equal_situations_are_equal_states_whatever_their_history() {
    // One sends now what the other sent a tick ago over a slower link, in another order.
    let early = Act::new(|out| {
        out.send(id(2), 'a');
        out.send(id(2), 'b');
        String::new()
    });
    let late = Act::new(|out| {
        out.choose_random("", vec!['1', '2']);
        String::new()
    })
    .on_random(|_, random, out| {
        for msg in if random == '1' { ['a', 'b'] } else { ['b', 'a'] } {
            out.send(id(2), msg);
        }
    });
    let (system, _) = built(vec![early, late, Act::new(|_| String::new())], LinkSpec::latency(1, 1));
    let states = system.init_states();
    assert_eq!(states.len(), 1, "the two random choices come to the same: {states:?}");
    let hash = |s: &TimedState<char>| {
        let mut hasher = DefaultHasher::new();
        s.hash(&mut hasher);
        hasher.finish()
    };
    assert_eq!(hash(&states[0]), hash(&system.init_states()[0]));
}

#[test]
fn loss_and_duplication_are_each_units_own() {
    let passes = |lossy, duplicating| {
        let sender = Act::log(|out| send_n(out, id(1), 'm', 2));
        let link = LinkSpec { lossy, duplicating, ..LinkSpec::latency(1, 1) };
        let system = built(vec![sender, Act::log(|_| {})], link);
        logs(&system, 1, 1).iter().map(String::len).collect::<Vec<_>>()
    };
    assert_eq!(passes(false, false), [2]);
    assert_eq!(passes(true, false), [0, 1, 2]);
    assert_eq!(passes(false, true), [2, 3, 4]);
    assert_eq!(passes(true, true), [0, 1, 2, 3, 4]);
}

#[test]
fn a_cut_drops_what_is_sent_while_it_lasts_and_nothing_else() {
    // Down from tick 2 to tick 4: the state at the beginning of a tick counts, so ticks 3 and 4 are cut.
    let trigger = Act::new(|out| {
        out.set_timer('s', range(2, 2));
        "up".into()
    })
    .on_timer(|state, timer, out| {
        *state = if timer == 's' { "down".into() } else { "over".into() };
        if timer == 's' {
            out.set_timer('e', range(2, 2));
        }
    });
    let sender = Act::new(|out| {
        out.set_timer('1', range(1, 1));
        String::new()
    })
    .on_timer(|_, timer, out| {
        let next = (timer as u8 + 1) as char;
        out.send(id(2), timer);
        out.set_timer(next, range(1, 1));
    });
    let link = LinkSpec { cut: Some((0, |s: &String| s == "down")), ..LinkSpec::latency(2, 2) };
    let system = built(vec![trigger, sender, Act::log(|_| {})], link);
    check(&system, 2, 8, &["1256"]);
}

#[test]
fn at_time_0_a_cut_goes_by_the_state_that_on_start_returned() {
    let down = |state: &'static str| {
        let trigger = Act::new(move |_| state.into());
        let sender = Act::log(|out| out.send(id(2), 'm'));
        let link = LinkSpec { cut: Some((0, |s: &String| s == "down")), ..LinkSpec::latency(1, 1) };
        built(vec![trigger, sender, Act::log(|_| {})], link)
    };
    check(&down("down"), 2, 3, &[""]);
    check(&down("up"), 2, 3, &["m"]);
}

#[test]
fn a_timer_fires_exactly_when_it_is_due() {
    let system = timers(|out| out.set_timer('t', range(3, 3)));
    check(&system, 0, 2, &[""]);
    check(&system, 0, 3, &["!t"]);
    check(&system, 0, 9, &["!t"]);
}

#[test]
fn a_range_of_a_timer_is_half_open() {
    let system = timers(|out| out.set_timer('t', range(1, 3)));
    check(&system, 0, 1, &["", "!t"]);
    check(&system, 0, 2, &["!t"]);
    let one = timers(|out| out.set_timer('t', range(2, 3)));
    check(&one, 0, 1, &[""]);
    check(&one, 0, 2, &["!t"]);
}

#[test]
fn the_helpers_mean_what_they_say() {
    let fires = |range: Range<Duration>| {
        let system = timers(move |out| out.set_timer('t', range.clone()));
        let states = |n| logs(&system, 0, n).iter().map(String::len).collect::<Vec<_>>();
        (1..5).map(states).collect::<Vec<_>>()
    };
    assert_eq!(fires(exactly(ticks(2))), [vec![0], vec![2], vec![2], vec![2]]);
    assert_eq!(fires(between(ticks(2), ticks(3))), [vec![0], vec![0, 2], vec![2], vec![2]]);
    assert_eq!(fires(later()), [vec![0, 2], vec![0, 2], vec![0, 2], vec![0, 2]]);
    assert_eq!(fires(not_before(ticks(3))), [vec![0], vec![0], vec![0, 2], vec![0, 2]]);
}

#[test]
fn setting_a_timer_again_replaces_it_and_cancelling_ends_it() {
    let again = timers(|out| {
        out.set_timer('t', range(1, 1));
        out.set_timer('t', range(3, 3));
        out.set_timer('u', range(2, 2));
        out.cancel_timer('u');
    });
    check(&again, 0, 2, &[""]);
    check(&again, 0, 4, &["!t"]);
}

#[test]
fn a_message_may_cancel_or_reset_a_timer_of_the_same_tick() {
    let on = |msg| {
        let actor = Act::log(move |out| {
            out.send(id(0), msg);
            out.set_timer('t', range(1, 1));
        });
        let actor = actor.on_msg(|_, _, msg, out| match msg {
            'c' => out.cancel_timer('t'),
            _ => out.set_timer('t', range(1, 1)),
        });
        built(vec![actor], LinkSpec::latency(1, 1))
    };
    check(&on('c'), 0, 5, &[""]);
    check(&on('r'), 0, 1, &[""]);
    check(&on('r'), 0, 2, &["!t"]);
}

#[test]
fn timers_that_are_due_together_fire_in_every_order() {
    let system = timers(|out| ['a', 'b', 'c'].iter().for_each(|t| out.set_timer(*t, range(1, 1))));
    assert_eq!(logs(&system, 0, 1).len(), 6);
    let cancelling = Act::log(|out| ['a', 'b'].iter().for_each(|t| out.set_timer(*t, range(1, 1)))).on_timer(
        |log, timer, out| {
            log.extend(['!', timer]);
            if timer == 'a' {
                out.cancel_timer('b');
            }
        },
    );
    check(&built(vec![cancelling], LinkSpec::latency(1, 1)), 0, 1, &["!a", "!b!a"]);
}

#[test]
fn a_timer_of_zero_ticks_fires_in_the_same_tick_before_open_choices() {
    let actor = Act::log(|out| {
        out.choose_random("k", vec!['r']);
        out.set_timer('z', range(0, 0));
    });
    check(&built(vec![actor], LinkSpec::latency(1, 1)), 0, 0, &["!z?r"]);
    let maybe = timers(|out| out.set_timer('z', range(0, 2)));
    check(&maybe, 0, 0, &["", "!z"]);
    check(&maybe, 0, 1, &["!z"]);
}

#[test]
fn random_choices_branch_by_value_key_and_order() {
    let actor = Act::log(|out| {
        out.choose_random("k", vec!['x']);
        out.choose_random("k", vec!['a', 'b']);
        out.choose_random("l", vec!['c']);
        out.choose_random("gone", vec!['d']);
        out.choose_random("gone", vec![]);
    });
    check(&built(vec![actor], LinkSpec::latency(1, 1)), 0, 0, &["?a?c", "?b?c", "?c?a", "?c?b"]);
}

#[test]
fn what_is_saved_is_part_of_the_state() {
    let actor = Act::new(|out| {
        out.save('s');
        String::new()
    });
    let (system, handles) = built(vec![actor], LinkSpec::latency(1, 1));
    let state = &system.init_states()[0];
    assert_eq!(state.saved(handles[0]), Some(&'s'));
    assert_eq!(format!("{state:?}"), "State { a0: \"\", timers: {}, saved: {a0: 's'}, in_flight: {} }");
}

#[test]
fn successors_are_distinct_and_are_the_cross_product() {
    let chooser = || {
        Act::log(|out| out.set_timer('t', range(1, 1)))
            .on_timer(|_, _, out| out.choose_random("", vec!['a', 'b', 'c']))
    };
    let (system, _) = built(vec![chooser(), chooser()], LinkSpec::latency(1, 1));
    let start = &system.init_states()[0];
    let next = system.next_states(start);
    assert_eq!((next.len(), next.iter().collect::<HashSet<_>>().len()), (9, 9));
}

#[test]
fn an_action_of_another_state_leads_nowhere() {
    let (system, _) = timers(|out| out.set_timer('t', range(2, 2)));
    let start = &system.init_states()[0];
    let mut actions = Vec::new();
    system.actions(start, &mut actions);
    let next = system.next_state(start, actions[0].clone()).unwrap();
    assert_eq!(system.next_state(&next, actions[0].clone()), None);
    let mut again = Vec::new();
    system.actions(start, &mut again);
    assert_eq!(actions, again);
}

/// A database and its clients, of different types.
struct Clients {
    database: Id,
}

struct Database;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Msg {
    Query,
    Error,
    Ok,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Waiting {
    waiting: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Timer {
    Retry,
}

impl Actor for Clients {
    type Msg = Msg;
    type State = Waiting;
    type Timer = Timer;
    type Random = ();
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> Waiting {
        send_n(out, self.database, Msg::Query, 3);
        out.set_timer(Timer::Retry, exactly(TICK * 2));
        Waiting { waiting: 3 }
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, Waiting>, _: Id, msg: Msg, _: &mut Out<Self>) {
        if msg == Msg::Ok {
            state.to_mut().waiting -= 1;
        }
    }
}

impl Actor for Database {
    type Msg = Msg;
    type State = u32;
    type Timer = ();
    type Random = bool;
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, _: &mut Out<Self>) -> u32 {
        0
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, u32>, src: Id, _: Msg, out: &mut Out<Self>) {
        *state.to_mut() += 1;
        out.send(src, if **state > 1 { Msg::Error } else { Msg::Ok });
        out.choose_random("slow", vec![true, false]);
    }

    fn on_random(&self, _: Id, state: &mut Cow<'_, u32>, _: &bool, _: &mut Out<Self>) {
        *state.to_mut() = 0;
    }
}

#[test]
fn a_tick_is_told_in_one_line_and_a_state_by_names() {
    let mut system = TimedSystem::<Msg>::new(TICK);
    let database = system.reserve("database");
    let clients = system.add("clients", Clients { database: database.id() });
    system.fill(database, Database);
    system.link(database, clients, Link::latency(1..=1).lossy());
    let start = system.init_states().remove(0);
    assert_eq!(
        format!("{start:?}"),
        "State { database: 0, clients: Waiting { waiting: 3 }, timers: {clients Retry: in 2 ticks}, \
         in_flight: {clients -> database: {3 Query in 1 tick}} }"
    );
    let step = |state: &TimedState<Msg>, which: usize| {
        let mut actions = Vec::new();
        system.actions(state, &mut actions);
        let told: Vec<String> = actions.iter().map(|a| system.format_action(a)).collect();
        (told, system.next_state(state, actions[which].clone()).unwrap())
    };
    let (told, next) = step(&start, 0);
    assert_eq!(
        told,
        [
            "database <- 3 Query from clients, chose slow = false",
            "database <- 3 Query from clients, chose slow = false, Error to clients lost",
            "database <- 3 Query from clients, chose slow = false, 2 Error to clients lost",
            "database <- 3 Query from clients, chose slow = false, Ok to clients lost",
            "database <- 3 Query from clients, chose slow = false, Ok to clients lost, Error to clients lost",
            "database <- 3 Query from clients, chose slow = false, Ok to clients lost, 2 Error to clients lost",
        ]
    );
    let (told, next) = step(&next, 0);
    assert_eq!(told, ["clients <- Ok and 2 Error from database, timer Retry"]);
    assert_eq!(next[clients].waiting, 2);
    assert_eq!(step(&next, 0).0, ["time passes"]);
}

#[test]
fn a_trigger_starts_at_any_moment_lasts_within_its_bounds_and_waits_in_one_state() {
    let mut system = TimedSystem::<char>::new(TICK);
    let log = system.add("log", Act::log(|_| {}));
    let trigger = system
        .add("trigger", Trigger::lasting(between(ticks(1), ticks(2))).at_start(log, 's').at_end(log, 'e'));
    let phases = |n| {
        let mut phases: Vec<(Phase, String)> =
            after(&system, n).iter().map(|s| (s[trigger], s[log].clone())).collect();
        phases.sort();
        phases.dedup();
        phases
    };
    let (waiting, active, over) = (Phase::Waiting, Phase::Active, Phase::Over);
    let at = |phase, log: &str| (phase, log.to_owned());
    assert_eq!(phases(0), [at(waiting, "")]);
    assert_eq!(phases(1), [at(waiting, ""), at(active, "")]);
    assert_eq!(phases(2), [at(waiting, ""), at(active, ""), at(active, "s"), at(over, "s")]);
    let waits: HashSet<_> =
        (0..5).flat_map(|n| after(&system, n)).filter(|s| s[trigger] == waiting).collect();
    assert_eq!(waits.len(), 1);
    assert!(phases(9).contains(&at(over, "se")));
}

#[test]
fn a_trigger_can_have_declared_bounds() {
    let mut system = TimedSystem::<char>::new(TICK);
    let once = Trigger::for_good().starting(between(ticks(2), ticks(3)));
    let trigger = system.add("trigger", once);
    let active = |n| after(&system, n).iter().map(|s| s[trigger]).collect::<BTreeSet<_>>();
    assert_eq!(active(1), [Phase::Waiting].into());
    assert_eq!(active(2), [Phase::Waiting, Phase::Active].into());
    assert_eq!(active(9), [Phase::Active].into());
}
