//! What is wrong with a model is refused, in words that name it.

use crate::setup::{Act, LinkSpec, Setup, TICK, range};
use aftercalm::actor::{Link, TimedSystem, send_n};
use aftercalm::check::{Limits, check};
use aftercalm::model::guard;
use aftercalm::property::ModelExt;
use stateright::Model;
use stateright::actor::{Id, model_timeout};
use std::time::Duration;

fn id(n: usize) -> Id {
    n.into()
}

/// The fault that ends a check.
fn fault(setup: Setup<Act>) -> String {
    let outcome = check(&setup.system().system(), &Limits::default()).unwrap();
    outcome.fault.map_or_else(|| panic!("the model is not refused"), |fault| fault.to_string())
}

#[track_caller]
fn refused(setup: Setup<Act>, parts: &[&str]) {
    let text = fault(setup);
    for part in parts {
        assert!(text.contains(part), "{text}\ndoes not contain\n{part}");
    }
}

#[test]
fn a_timeout_of_zero_that_sets_itself_again_is_zeno() {
    let actor = Act::new(|out| {
        out.set_timer('t', range(1, 1));
        "polling".into()
    })
    .on_timer(|_, timer, out| {
        out.send(id(0), 'm');
        out.set_timer(if timer == 't' { 'u' } else { 't' }, model_timeout());
    });
    refused(
        Setup::new("", vec![actor]),
        &["`a0` is Zeno", "timer 't', timer 'u'", "\"polling\"", "Let at least one tick pass"],
    );
}

#[test]
fn a_choice_that_asks_for_itself_is_zeno() {
    let actor = Act::new(|out| {
        out.choose_random("again", vec!['y', 'n']);
        String::new()
    })
    .on_random(|_, random, out| {
        if random == 'y' {
            out.choose_random("again", vec!['y', 'n']);
        }
    });
    refused(Setup::new("", vec![actor]), &["`a0` is Zeno", "choice again = 'y'"]);
}

#[test]
fn a_tick_that_never_ends_is_refused_even_if_nothing_repeats() {
    let actor = Act::log(|out| out.set_timer('t', range(0, 0))).on_timer(|log, _, out| {
        log.push('.');
        out.set_timer('t', range(0, 0));
    });
    refused(
        Setup::new("", vec![actor]),
        &["`a0` does not come to rest within one tick", "1000 steps", "timer 't'"],
    );
}

#[test]
fn a_fraction_of_a_tick_is_refused_by_name() {
    let actor = |range: std::ops::Range<Duration>| {
        Setup::new("", vec![Act::log(move |out| out.set_timer('t', range.clone()))])
    };
    let ms = Duration::from_millis;
    refused(
        actor(ms(150)..ms(150)),
        &["`a0` sets timer 't' to 150ms, which is no whole number of ticks of 100ms"],
    );
    refused(actor(ms(100)..ms(130)), &["to 130ms"]);
}

#[test]
fn an_untrue_order_free_is_refused_with_two_orders_that_show_it() {
    let sender = |msg| Act::log(move |out| out.send(id(2), msg));
    let mut setup = Setup::new("", vec![sender('a'), sender('b'), Act::log(|_| {})]);
    setup.order_free.push(2);
    refused(
        setup,
        &[
            "`a2` is declared order free",
            "after 'a' from a0, 'b' from a1 it is \"ab\"",
            "after 'b' from a1, 'a' from a0 it is \"ba\"",
        ],
    );
}

#[test]
fn an_order_that_matters_only_to_what_is_sent_is_found() {
    let sender = |msg| Act::log(move |out| out.send(id(2), msg));
    let server = Act::new(|_| "free".into()).on_msg(|state, src, _, out| {
        out.send(id(src), if state == "free" { 'o' } else { 'e' });
        *state = "busy".into();
    });
    let mut setup = Setup::new("", vec![sender('a'), sender('b'), server]);
    setup.order_free.push(2);
    refused(setup, &["order free", "1 'o' sent to a0", "1 'o' sent to a1"]);
}

/// A receiver that many messages of many kinds reach in one tick.
fn crowd(receiver: Act, order_free: bool) -> Setup<Act> {
    let sender = || {
        Act::log(|out| {
            send_n(out, id(10), 'a', 3);
            send_n(out, id(10), 'b', 3);
        })
    };
    let mut actors: Vec<Act> = (0..10).map(|_| sender()).collect();
    actors.push(receiver);
    let mut setup = Setup::new("", actors);
    setup.order_free.extend(order_free.then_some(10));
    setup
}

#[test]
fn large_inboxes_need_a_declaration_and_it_is_tested_there_too() {
    refused(
        crowd(Act::log(|_| {}), false),
        &["60 messages of 20 kinds", "`a10`", "declare it with `order_free`"],
    );
    refused(crowd(Act::log(|_| {}), true), &["`a10` is declared order free", "does matter"]);
    let counter = Act::new(|_| String::new()).on_msg(|state, _, _, _| state.push('x'));
    let system = crowd(counter, true).system();
    assert_eq!(system.next_states(&system.init_states()[0]).len(), 1);
}

#[test]
fn too_many_ways_are_refused_before_they_are_listed() {
    let sender = Act::log(|out| "abcdefgh".chars().for_each(|msg| send_n(out, id(0), msg, 5)));
    let mut setup = Setup::new("", vec![sender]);
    setup.default_link = LinkSpec::latency(1, 2);
    setup.order_free.push(0);
    refused(setup, &["under way to `a0`", "in 1679616 ways"]);
    let chooser = || Act::log(|out| out.choose_random("", ('a'..='z').collect()));
    refused(
        Setup::new("", (0..6).map(|_| chooser()).collect()),
        &["a state has too many successors", "26 of a0, 26 of a1"],
    );
}

#[test]
fn a_send_to_nobody_is_refused_with_both_ids() {
    let actor = Act::log(|out| out.send(id(7), 'm'));
    refused(
        Setup::new("", vec![actor]),
        &["`a0` sends 'm' to Id(7), but there is no such actor; there are: 0 a0"],
    );
}

#[test]
fn an_actor_that_is_not_deterministic_is_refused() {
    let ticks = std::sync::atomic::AtomicU8::new(0);
    let actor = Act::log(|out| out.set_timer('t', range(1, 1))).on_timer(move |log, _, _| {
        log.push((b'a' + ticks.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) as char);
    });
    refused(Setup::new("", vec![actor]), &["not deterministic"]);
}

#[test]
fn a_system_that_is_written_wrong_says_so() {
    let wrong = |build: &dyn Fn(&mut TimedSystem<char>)| {
        let mut system = TimedSystem::new(TICK);
        build(&mut system);
        let error = system.validate().unwrap_err();
        let fault = guard("init_states", || system.init_states()).unwrap_err();
        assert_eq!(fault.to_string(), error);
        error
    };
    let actor = || Act::log(|_| {});
    let twice = wrong(&|s| {
        s.add("one", actor());
        s.add("one", actor());
    });
    assert_eq!(twice, "two actors are named `one`; names must differ");
    let reserved = wrong(&|s| {
        s.reserve::<Act>("late");
    });
    assert_eq!(reserved, "`late` was reserved, but never given an actor with `fill`");
    let latency = wrong(&|s| {
        let one = s.add("one", actor());
        s.link(one, one, Link::latency(0..=1));
    });
    assert_eq!(latency, "the link one -> one has a latency of 0 ticks; a message takes at least one tick");
    let nobody = wrong(&|s| {
        let one = s.add("one", actor());
        s.link(one, id(3), Link::latency(1..=1));
    });
    assert_eq!(nobody, "the link one -> Id(3) refers to Id(3), but there is no such actor");
    let mut system = TimedSystem::<char>::new(Duration::ZERO);
    system.add("one", actor());
    assert_eq!(system.validate().unwrap_err(), "the tick must be longer than zero");
}

#[test]
fn a_link_that_is_never_used_costs_nothing() {
    let mut setup = Setup::new("", vec![Act::log(|_| {})]);
    setup.links.push(((0, 0), LinkSpec { lossy: true, ..LinkSpec::latency(1, 9) }));
    let system = setup.system();
    assert_eq!(system.next_states(&system.init_states()[0]), system.init_states());
}
