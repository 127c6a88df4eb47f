//! `bounded` in timed systems: clients that send again what was not served, and a server that serves nothing once too much is
//! asked of it.

use crate::setup::{TICK, ticks};
use aftercalm::actor::{Handle, Phase, TimedState, TimedSystem, Trigger, between};
use aftercalm::check::{Decision, Limits, check};
use aftercalm::model::guard;
use aftercalm::property::{Draft, Kind, ModelExt, System, Verdict, bounded};
use stateright::Model;
use stateright::actor::{Actor, Id, Out};
use std::borrow::Cow;

/// Requests that the server can bear in a tick; it loses all of them if there are more.
const CAPACITY: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Msg {
    Load(u32),
    Served(u32),
    Down,
    Up,
}

/// One new request each tick, and all that still wait again; with a budget, no more than that many wait.
struct Clients {
    server: Id,
    budget: Option<u32>,
}

impl Actor for Clients {
    type Msg = Msg;
    type Timer = ();
    type State = u32;
    type Storage = ();
    type Random = ();

    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> u32 {
        out.set_timer((), ticks(1)..ticks(1));
        0
    }

    fn on_timeout(&self, _: Id, waiting: &mut Cow<'_, u32>, (): &(), out: &mut Out<Self>) {
        let now = (**waiting + 1).min(self.budget.unwrap_or(u32::MAX));
        *waiting.to_mut() = now;
        out.send(self.server, Msg::Load(now));
        out.set_timer((), ticks(1)..ticks(1));
    }

    fn on_msg(&self, _: Id, waiting: &mut Cow<'_, u32>, _: Id, msg: Msg, _: &mut Out<Self>) {
        if let Msg::Served(count) = msg {
            *waiting.to_mut() = waiting.saturating_sub(count);
        }
    }
}

struct Server;

impl Actor for Server {
    type Msg = Msg;
    type Timer = ();
    type State = bool;
    type Storage = ();
    type Random = ();

    fn on_start(&self, _: Id, _: &Option<()>, _: &mut Out<Self>) -> bool {
        true
    }

    fn on_msg(&self, _: Id, up: &mut Cow<'_, bool>, src: Id, msg: Msg, out: &mut Out<Self>) {
        match msg {
            Msg::Load(count) if **up && count <= CAPACITY => out.send(src, Msg::Served(count)),
            Msg::Down => *up.to_mut() = false,
            Msg::Up => *up.to_mut() = true,
            Msg::Load(_) | Msg::Served(_) => {}
        }
    }
}

struct Load {
    system: TimedSystem<Msg>,
    clients: Handle<Clients>,
    trigger: Handle<Trigger<Msg>>,
}

fn load(outage_ticks: u32, budget: Option<u32>) -> Load {
    let mut system = TimedSystem::new(TICK);
    let server = system.add("server", Server);
    let clients = system.add("clients", Clients { server: server.id(), budget });
    let outage = Trigger::lasting(between(ticks(outage_ticks), ticks(outage_ticks)))
        .at_start(server, Msg::Down)
        .at_end(server, Msg::Up);
    let trigger = system.add("outage", outage);
    Load { system, clients, trigger }
}

fn offered(state: &TimedState<Msg>) -> i64 {
    let load = |msg: &Msg| if let Msg::Load(count) = msg { i64::from(*count) } else { 0 };
    state.in_flight().map(|m| i64::from(m.count) * load(m.msg)).sum()
}

fn claimed(load: Load, claim: Draft) -> System<TimedSystem<Msg>> {
    let Load { system, clients, trigger } = load;
    system
        .system()
        .atom("over", move |_, s| s[trigger] == Phase::Over)
        .counter("waiting", "requests", move |_, s| i64::from(s[clients]), move |_, s| s.set(clients, 0))
        .counter(
            "offered",
            "requests per tick",
            |_, s| offered(s),
            |_, s| {
                s.update_in_flight(|msg, _| {
                    if let Msg::Load(count) = msg {
                        *count = 0;
                    }
                });
            },
        )
        .claim(claim)
}

fn decide(outage_ticks: u32, budget: Option<u32>) -> Decision<TimedSystem<Msg>> {
    let system = claimed(load(outage_ticks, budget), bounded("offered").after("over"));
    let limits = Limits { states_max: 5_000, ..Limits::default() };
    check(&system, &limits).unwrap().decisions.remove(0)
}

#[test]
fn an_offered_load_that_an_outage_tips_grows_without_bound() {
    let decision = decide(4, None);
    assert_eq!(
        (decision.verdict, decision.kind),
        (Verdict::Violated, Some(Kind::Growth)),
        "{:?}",
        decision.detail
    );
    assert!(decision.detail.unwrap().starts_with("+1 a loop"));
    let trace = decision.witness.unwrap();
    let last = trace.cycle.last().unwrap();
    assert_eq!((offered(&last.state) - offered(trace.joint()), trace.cycle.len()), (1, 1));
}

#[test]
fn the_same_load_is_bounded_with_a_budget_and_after_a_short_outage() {
    let with_budget = decide(4, Some(CAPACITY));
    assert_eq!((with_budget.verdict, with_budget.peak), (Verdict::Holds, Some(i64::from(CAPACITY))));
    assert!(with_budget.witness.is_none());
    // Not by the outage alone, then.
    let tipped = decide(4, Some(10));
    assert_eq!((tipped.verdict, tipped.peak), (Verdict::Holds, Some(10)));
}

#[test]
fn what_is_set_in_a_state_is_seen_and_nothing_else_changes() {
    let Load { system, clients, .. } = load(1, None);
    let mut states = system.init_states();
    for _ in 0..3 {
        let mut actions = Vec::new();
        system.actions(&states[0], &mut actions);
        states[0] = system.next_state(&states[0], actions.remove(0)).unwrap();
    }
    let before = states.remove(0);
    let mut after = before.clone();
    after.set(clients, 77);
    assert_eq!((after[clients], after == before), (77, false));
    assert_eq!(format!("{after:?}"), format!("{before:?}").replacen("clients: 2", "clients: 77", 1));
    after.update(clients, |waiting| *waiting = before[clients]);
    assert_eq!(after, before);
}

/// Sends three requests to itself, of two sizes.
struct Sender;

impl Actor for Sender {
    type Msg = Msg;
    type Timer = ();
    type State = ();
    type Storage = ();
    type Random = ();

    fn on_start(&self, id: Id, _: &Option<()>, out: &mut Out<Self>) {
        [1, 2, 1].into_iter().for_each(|count| out.send(id, Msg::Load(count)));
    }
}

#[test]
fn messages_that_become_equal_are_one_and_without_a_count_they_are_gone() {
    let mut system = TimedSystem::new(TICK);
    system.add("sender", Sender);
    let mut state = system.init_states().remove(0);
    let groups = |state: &TimedState<Msg>| -> Vec<(Msg, u32)> {
        let mut groups: Vec<_> = state.in_flight().map(|m| (*m.msg, m.count)).collect();
        groups.sort_by_key(|group| group.1);
        groups
    };
    let before = state.clone();
    assert_eq!(groups(&state), [(Msg::Load(2), 1), (Msg::Load(1), 2)]);
    state.update_in_flight(|_, _| {});
    assert_eq!(state, before);
    state.update_in_flight(|msg, _| *msg = Msg::Load(7));
    assert_eq!(groups(&state), [(Msg::Load(7), 3)]);
    state.update_in_flight(|_, count| *count = 0);
    assert!(groups(&state).is_empty() && state != before);
}

#[test]
fn a_handle_of_another_system_is_refused() {
    let Load { system, trigger, .. } = load(1, None);
    let mut other = TimedSystem::new(TICK);
    let alone = other.add("server", Server);
    let mut state = other.init_states().remove(0);
    assert_eq!(system.names().count(), 3);
    state.set(alone, false);
    let refused = guard("test", || state.set(trigger, Phase::Over)).unwrap_err();
    assert!(refused.to_string().contains("another system"), "{refused}");
}
