//! Systems with a scripted actor in them, run tick by tick.

use aftercalm::actor::{Handle, TimedState, TimedSystem, next_tick};
use aftercalm::check::{Limits, Outcome, check};
use aftercalm::component::{Class, Msg, NEVER, Request};
use aftercalm::property::{Kind, System, Verdict};
use stateright::Model;
use stateright::actor::{Actor, Id, Out};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

pub const TICK: Duration = Duration::from_millis(100);

/// Sends what its script says, tick by tick, and logs what it receives: what, and in which tick.
#[derive(Clone, Default)]
pub struct Script(pub Vec<(u32, Id, Msg, usize)>);

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Log {
    now: u32,
    pub heard: Vec<(u32, String)>,
}

impl Actor for Script {
    type Msg = Msg;
    type State = Log;
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> Log {
        self.act(0, out);
        Log { now: 1, heard: Vec::new() }
    }

    fn on_msg(&self, _: Id, log: &mut Cow<'_, Log>, _: Id, msg: Msg, _: &mut Out<Self>) {
        let log = log.to_mut();
        log.heard.push((log.now, format!("{msg:?}")));
        log.heard.sort();
    }

    fn on_timeout(&self, _: Id, log: &mut Cow<'_, Log>, (): &(), out: &mut Out<Self>) {
        self.act(log.now, out);
        log.to_mut().now += 1;
    }
}

impl Script {
    fn act(&self, now: u32, out: &mut Out<Self>) {
        for (_, dst, msg, n) in self.0.iter().filter(|(at, ..)| *at == now) {
            aftercalm::actor::send_n(out, *dst, *msg, *n);
        }
        if self.0.iter().any(|(at, ..)| *at > now) || now < 30 {
            out.set_timer((), next_tick());
        }
    }
}

/// A first attempt of `client` with a timeout.
pub fn request(client: impl Into<Id>, class: &'static str, timeout: u16) -> Msg {
    Msg::Request(Request::new(client.into(), Class(class), timeout))
}

/// The states after `n` ticks.
pub fn after(system: &TimedSystem<Msg>, n: usize) -> Vec<TimedState<Msg>> {
    let mut states = system.init_states();
    for _ in 0..n {
        let mut next: Vec<TimedState<Msg>> = Vec::new();
        for state in states.iter().flat_map(|s| system.next_states(s)) {
            if !next.contains(&state) {
                next.push(state);
            }
        }
        states = next;
    }
    states
}

/// What the scripted actor may have heard after `n` ticks: each possibility as lines of `tick text`.
pub fn heard(system: &TimedSystem<Msg>, script: Handle<Script>, n: usize) -> BTreeSet<String> {
    let told = |(at, text): &(u32, String)| format!("{at} {text}");
    let of = |s: &TimedState<Msg>| s[script].heard.iter().map(told).collect::<Vec<_>>().join("; ");
    after(system, n).iter().map(of).collect()
}

#[track_caller]
pub fn expect(system: &TimedSystem<Msg>, script: Handle<Script>, n: usize, expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(|s| (*s).to_owned()).collect();
    assert_eq!(heard(system, script, n), expected);
}

/// A request without an end of patience.
pub fn patient(client: impl Into<Id>, class: &'static str) -> Msg {
    request(client, class, NEVER)
}

pub fn checked(system: &System<TimedSystem<Msg>>) -> Outcome<TimedSystem<Msg>> {
    let outcome = check(system, &Limits::default()).unwrap();
    assert!(outcome.fault.is_none(), "{:?}", outcome.fault);
    assert!(outcome.stops.is_empty(), "{:?}", outcome.stops);
    outcome
}

/// The verdict of each claim in one word.
pub fn verdicts(system: &System<TimedSystem<Msg>>) -> Vec<&'static str> {
    let word = |verdict: Verdict, kind: Option<Kind>| match (verdict, kind) {
        (Verdict::Holds, None) => "holds",
        (Verdict::Violated, Some(Kind::Lasso)) => "lasso",
        (Verdict::Violated, Some(Kind::Trap)) => "trap",
        (Verdict::Violated, _) => "violated",
        (Verdict::Vacuous, _) => "vacuous",
        _ => "inconclusive",
    };
    checked(system).decisions.iter().map(|d| word(d.verdict, d.kind)).collect()
}
