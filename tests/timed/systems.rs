//! Small systems with finitely many states, one for each rule of the semantics and some for several at once.

use crate::setup::{Act, LinkSpec, Setup, range};
use aftercalm::actor::send_n;
use stateright::actor::Id;

fn id(n: usize) -> Id {
    n.into()
}

/// All of them.
pub fn systems() -> Vec<Setup<Act>> {
    vec![
        order_dependent_inbox(),
        counted_messages(),
        latency_ranges(),
        several_timers(),
        timer_ranges(),
        random_choices(),
        lossy_link(),
        duplicating_link(),
        cut_link(),
        several_initial_states(),
        zero_timers(),
        retries(),
        order_free_counter(),
    ]
}

/// Three senders, one receiver whose state is the order in which it heard of them.
fn order_dependent_inbox() -> Setup<Act> {
    let sender = |msg| {
        Act::log(move |out| {
            out.send(id(3), msg);
            out.send(id(3), 'x');
        })
    };
    Setup::new("order dependent inbox", vec![sender('a'), sender('b'), sender('c'), Act::log(|_| {})])
}

/// Four of one message, two of another, all at once.
fn counted_messages() -> Setup<Act> {
    let sender = Act::new(|out| {
        send_n(out, id(1), 'q', 4);
        send_n(out, id(1), 'r', 2);
        String::new()
    });
    Setup::new("counted messages", vec![sender, Act::log(|_| {})])
}

fn latency_ranges() -> Setup<Act> {
    let sender = Act::new(|out| {
        send_n(out, id(1), 'a', 3);
        out.send(id(1), 'b');
        String::new()
    });
    let mut setup = Setup::new("latency ranges", vec![sender, Act::log(|_| {})]);
    setup.links.push(((0, 1), LinkSpec::latency(1, 3)));
    setup
}

fn several_timers() -> Setup<Act> {
    let alarm = Act::log(|out| {
        for timer in ['a', 'b', 'c'] {
            out.set_timer(timer, range(2, 2));
        }
        out.set_timer('d', range(1, 1));
    })
    .on_timer(|log, timer, out| {
        log.extend(['!', timer]);
        if timer == 'a' {
            out.cancel_timer('b');
        }
        if timer == 'd' {
            out.set_timer('c', range(1, 3));
        }
    });
    Setup::new("several timers at once", vec![alarm])
}

/// Two polls with ranges, for ever.
fn timer_ranges() -> Setup<Act> {
    let poll = || {
        Act::new(|out| {
            out.set_timer('p', range(1, 4));
            "0".into()
        })
        .on_timer(|state, _, out| {
            *state = if state == "0" { "1".into() } else { "0".into() };
            out.set_timer('p', range(2, 5));
            out.send(id(1), 'm');
        })
        .on_msg(|state, _, _, _| *state = if state == "1" { "2".into() } else { "0".into() })
    };
    Setup::new("timer ranges", vec![poll(), poll()])
}

fn random_choices() -> Setup<Act> {
    let chooser = Act::log(|out| {
        out.choose_random("one", vec!['a', 'b']);
        out.choose_random("two", vec!['c', 'd', 'c']);
        out.choose_random("gone", vec!['e']);
        out.remove_random("gone");
    })
    .on_random(|log, random, out| {
        log.push(random);
        if random == 'a' {
            out.choose_random("two", vec!['f']);
        }
        if random == 'd' {
            out.send(id(0), 'm');
        }
    });
    Setup::new("random choices", vec![chooser])
}

/// Pings until it hears; every message may be lost.
fn pinging(name: &'static str, link: LinkSpec<String>) -> Setup<Act> {
    let client = Act::new(|out| {
        send_n(out, id(1), 'p', 2);
        out.set_timer('r', range(2, 2));
        "asking".into()
    })
    .on_timer(|_, _, out| {
        out.send(id(1), 'p');
        out.set_timer('r', range(2, 2));
    })
    .on_msg(|state, _, _, out| {
        *state = "done".into();
        out.cancel_timer('r');
    });
    let server = Act::new(|_| "0".into()).on_msg(|state, src, _, out| {
        *state = if state == "0" { "1".into() } else { "0".into() };
        out.send(id(src), 'o');
    });
    Setup { default_link: link, ..Setup::new(name, vec![client, server]) }
}

fn lossy_link() -> Setup<Act> {
    pinging("lossy link", LinkSpec { lossy: true, ..LinkSpec::latency(1, 1) })
}

fn duplicating_link() -> Setup<Act> {
    pinging("duplicating link", LinkSpec { lossy: true, duplicating: true, ..LinkSpec::latency(1, 2) })
}

/// The link to the receiver is cut while a third actor is "down", which starts at any of three moments.
fn cut_link() -> Setup<Act> {
    let trigger = Act::new(|out| {
        out.set_timer('s', range(1, 4));
        "up".into()
    })
    .on_timer(|state, timer, out| {
        *state = if timer == 's' { "down".into() } else { "over".into() };
        if timer == 's' {
            out.set_timer('e', range(1, 3));
        }
    });
    let sender = Act::new(|out| {
        out.set_timer('t', range(1, 1));
        String::new()
    })
    .on_timer(|_, _, out| {
        out.set_timer('t', range(1, 1));
        out.send(id(2), 'm');
    });
    let receiver = Act::new(|_| "0".into()).on_msg(|state, _, _, _| {
        *state = if state == "0" { "1".into() } else { "0".into() };
    });
    let mut setup = Setup::new("cut link", vec![trigger, sender, receiver]);
    setup.links.push(((1, 2), LinkSpec { cut: Some((0, |s| s == "down")), ..LinkSpec::latency(2, 3) }));
    setup
}

fn several_initial_states() -> Setup<Act> {
    let chooser = || {
        Act::log(|out| {
            out.choose_random("", vec!['a', 'b']);
            out.set_timer('z', range(0, 3));
            out.save('s');
        })
        .on_random(|log, random, out| {
            log.push(random);
            out.send(id(1), random);
        })
    };
    Setup::new("several initial states", vec![chooser(), chooser()])
}

fn zero_timers() -> Setup<Act> {
    let busy = Act::log(|out| {
        out.set_timer('z', range(0, 0));
        out.choose_random("k", vec!['r']);
    })
    .on_timer(|log, timer, out| {
        log.push(timer);
        if timer == 'z' {
            out.set_timer('y', range(0, 0));
            out.set_timer('x', range(0, 2));
            out.send(id(0), 'm');
        }
    })
    .on_msg(|log, _, _, out| {
        log.push('m');
        out.set_timer('y', range(0, 0));
        out.set_timer('x', range(0, 0));
    });
    Setup::new("zero timers", vec![busy])
}

/// Retries with jitter over a slow link to a server that drops what it cannot serve.
fn retries() -> Setup<Act> {
    let client = || {
        Act::new(|out| {
            out.choose_random("begin", vec!['n', 'w']);
            "new".into()
        })
        .on_random(|state, random, out| {
            *state = "wait".into();
            out.set_timer('t', if random == 'n' { range(1, 3) } else { range(3, 3) });
        })
        .on_timer(|_, _, out| {
            out.send(id(2), 'q');
            out.set_timer('t', range(3, 5));
        })
        .on_msg(|state, _, _, out| {
            *state = "done".into();
            out.cancel_timer('t');
        })
    };
    let server = Act::new(|_| "free".into())
        .on_msg(|state, src, _, out| {
            if state == "free" {
                *state = "busy".into();
                out.set_timer('f', range(2, 2));
                out.send(id(src), 'a');
            }
        })
        .on_timer(|state, _, _| *state = "free".into());
    let mut setup = Setup::new("retries", vec![client(), client(), server]);
    setup.default_link = LinkSpec { lossy: true, ..LinkSpec::latency(1, 2) };
    setup
}

/// An actor that only counts: the order of its messages does not matter.
fn order_free_counter() -> Setup<Act> {
    let sender = |msg| {
        Act::new(move |out| {
            send_n(out, id(2), msg, 3);
            String::new()
        })
    };
    let counter = Act::new(|_| String::new()).on_msg(|state, src, _, out| {
        let mut seen: Vec<char> = state.chars().collect();
        seen.push('x');
        *state = seen.into_iter().collect();
        out.send(id(src), 'o');
    });
    let mut setup = Setup::new("order free counter", vec![sender('a'), sender('b'), counter]);
    setup.default_link = LinkSpec::latency(1, 2);
    setup.order_free.push(2);
    setup
}
