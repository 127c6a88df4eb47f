//! Messages that age while they are under way, and what is shown of an actor's heartbeat.

use crate::setup::TICK;
use aftercalm::actor::{Ageing, Link, TimedSystem, next_tick, send_n};
use stateright::Model;
use stateright::actor::{Actor, Id, Out};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

/// A countdown that stops at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Left(u8);

impl Ageing for Left {
    fn aged(&self) -> Option<Self> {
        self.0.checked_sub(1).map(Self)
    }
}

/// Sends what it is given at its start, and logs what it receives with the tick of its arrival.
struct Post(Vec<(usize, Left, usize)>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Heartbeat;

impl fmt::Debug for Heartbeat {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl Actor for Post {
    type Msg = Left;
    type State = (u8, Vec<(u8, u8)>);
    type Timer = Heartbeat;
    type Random = ();
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> Self::State {
        for (dst, left, n) in &self.0 {
            send_n(out, Id::from(*dst), *left, *n);
        }
        out.set_timer(Heartbeat, next_tick());
        (1, Vec::new())
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, Self::State>, _: Id, msg: Left, _: &mut Out<Self>) {
        let (now, log) = state.to_mut();
        log.push((*now, msg.0));
    }

    fn on_timeout(&self, _: Id, state: &mut Cow<'_, Self::State>, _: &Heartbeat, out: &mut Out<Self>) {
        state.to_mut().0 += 1;
        out.set_timer(Heartbeat, next_tick());
    }
}

fn system(
    ageing: bool,
    latency: std::ops::RangeInclusive<u32>,
    sends: Vec<(usize, Left, usize)>,
) -> (TimedSystem<Left>, aftercalm::actor::Handle<Post>) {
    let mut system = TimedSystem::new(TICK);
    system.add("sender", Post(sends));
    let receiver = system.add("receiver", Post(Vec::new()));
    system.default_link(Link::latency(latency));
    if ageing {
        system.ageing();
    }
    (system, receiver)
}

/// The receiver's logs after six ticks.
fn logs(ageing: bool, latency: std::ops::RangeInclusive<u32>, left: u8) -> BTreeSet<Vec<(u8, u8)>> {
    let (system, receiver) = system(ageing, latency, vec![(1, Left(left), 1)]);
    let mut states: BTreeSet<_> = BTreeSet::new();
    let mut now = system.init_states();
    for _ in 0..6 {
        now = now.iter().flat_map(|s| system.next_states(s)).collect();
    }
    states.extend(now.iter().map(|s| s[receiver].1.clone()));
    states
}

#[test]
fn a_message_delivered_d_ticks_after_it_was_sent_has_been_aged_d_times() {
    for d in 1..=4 {
        let latency = u32::from(d)..=u32::from(d);
        assert_eq!(logs(true, latency.clone(), 9), [vec![(d, 9 - d)]].into());
        assert_eq!(logs(false, latency, 9), [vec![(d, 9)]].into());
    }
    assert_eq!(logs(true, 1..=3, 2), [vec![(1, 1)], vec![(2, 0)], vec![(3, 0)]].into());
}

#[test]
fn messages_that_ageing_makes_alike_are_one_envelope() {
    let (system, receiver) = system(true, 3..=3, vec![(1, Left(0), 2), (1, Left(1), 1), (1, Left(4), 1)]);
    let start = system.init_states().remove(0);
    let next = system.next_states(&start).remove(0);
    let mut under_way: Vec<_> = next.in_flight_to(receiver).map(|m| (*m.msg, m.count, m.ticks_min)).collect();
    under_way.sort();
    assert_eq!(under_way, [(Left(0), 3, 2), (Left(3), 1, 2)]);
}

#[test]
fn a_heartbeat_is_not_shown() {
    let (system, _) = system(true, 1..=1, vec![]);
    let start = system.init_states().remove(0);
    assert!(format!("{start:?}").contains("timers: {}"), "{start:?}");
    let mut actions = Vec::new();
    system.actions(&start, &mut actions);
    assert_eq!(system.format_action(&actions[0]), "time passes");
}
