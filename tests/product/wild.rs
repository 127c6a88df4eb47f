//! Random systems of everything that the runtime has at once: messages that age, with counts; timers with ranges and for ever;
//! choices; saved values; actors that collect; triggers that cut links; more actors than two or three.

use crate::same::{same_space, same_verdicts};
use crate::setup::{TICK, range};
use aftercalm::actor::{
    Ageing, Collects, Link, Phase, TimedSystem, Trigger, exactly, later, not_before, send_n,
};
use aftercalm::check::Limits;
use aftercalm::property::{
    ModelExt, System, always, eventually, leads_to, reachable, recoverable, recurs, stabilizes,
};
use stateright::actor::{Actor, Id, Out};
use std::borrow::Cow;

/// A message, with the ticks that it is still worth something.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Msg {
    kind: u8,
    left: u8,
}

impl Ageing for Msg {
    fn aged(&self) -> Option<Self> {
        Some(Self { left: self.left.checked_sub(1)?, ..self.clone() })
    }
}

/// An actor whose moves are drawn from a hash of its seed, its state and what happens.
struct Wild {
    seed: u64,
    actors: u64,
}

/// Mixes numbers (the finalizer of splitmix64).
fn mixed(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0x9e37_79b9_7f4a_7c15, |sum, n| {
        let mut z = sum ^ n.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

impl Wild {
    /// What it does now. Choices are made by messages and timers alone and no timer is at once, so nothing goes on for ever in a tick.
    fn act(&self, state: &mut u8, event: u64, choose: bool, out: &mut Out<Self>) {
        let mut draw = mixed(&[self.seed, u64::from(*state), event]);
        let mut below = |n: u64| {
            draw = mixed(&[draw]);
            draw % n
        };
        for _ in 0..below(3) {
            match below(8) {
                0..=2 => {
                    let msg = Msg { kind: below(2) as u8, left: below(3) as u8 };
                    send_n(out, Id::from(below(self.actors) as usize), msg, 1 + below(2) as usize);
                }
                3 => {
                    let lo = 1 + below(3) as u32;
                    out.set_timer(below(2) as u8, range(lo, lo + below(2) as u32));
                }
                4 => out.set_timer(2, if below(2) == 0 { later() } else { not_before(TICK * 2) }),
                5 => out.cancel_timer(below(3) as u8),
                6 if choose => out.choose_random(format!("k{}", below(2)), vec![0, 1]),
                _ => out.save(below(2) as u8),
            }
        }
        *state = below(3) as u8;
        if choose {
            out.set_timer(3, exactly(TICK * (1 + below(2) as u32)));
        }
    }
}

impl Actor for Wild {
    type Msg = Msg;
    type Timer = u8;
    type State = u8;
    type Storage = u8;
    type Random = u8;

    fn on_start(&self, _: Id, _: &Option<u8>, out: &mut Out<Self>) -> u8 {
        let mut state = 0;
        self.act(&mut state, 0, true, out);
        state
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, u8>, src: Id, msg: Msg, out: &mut Out<Self>) {
        let event = mixed(&[1, usize::from(src) as u64, msg.kind.into(), u64::from(msg.left == 0)]);
        self.act(state.to_mut(), event, true, out);
    }

    fn on_timeout(&self, _: Id, state: &mut Cow<'_, u8>, timer: &u8, out: &mut Out<Self>) {
        self.act(state.to_mut(), mixed(&[2, (*timer).into()]), true, out);
    }

    fn on_random(&self, _: Id, state: &mut Cow<'_, u8>, random: &u8, out: &mut Out<Self>) {
        self.act(state.to_mut(), mixed(&[3, (*random).into()]), false, out);
    }
}

/// Collects what comes, and answers once a tick with what it still has.
struct Desk;

impl Actor for Desk {
    type Msg = Msg;
    type Timer = ();
    type State = [u8; 2];
    type Storage = ();
    type Random = bool;

    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> [u8; 2] {
        out.set_timer((), exactly(TICK));
        [0; 2]
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, [u8; 2]>, src: Id, msg: Msg, _: &mut Out<Self>) {
        Self::collect(state.to_mut(), src, &msg, 1);
    }

    fn on_timeout(&self, _: Id, state: &mut Cow<'_, [u8; 2]>, (): &(), out: &mut Out<Self>) {
        out.set_timer((), exactly(TICK));
        if state[0] > 0 {
            state.to_mut()[0] -= 1;
            send_n(out, Id::from(0), Msg { kind: 1, left: state[1] }, 2);
            out.choose_random("again", vec![false, true]);
        }
    }

    fn on_random(&self, id: Id, state: &mut Cow<'_, [u8; 2]>, again: &bool, out: &mut Out<Self>) {
        if *again {
            *state.to_mut() = [0; 2];
            out.send(id, Msg { kind: 0, left: 1 });
        }
    }
}

impl Collects for Desk {
    fn collect(state: &mut [u8; 2], _: Id, msg: &Msg, n: u32) {
        state[0] = state[0].saturating_add(n as u8).min(2);
        state[1] = state[1].max(msg.left.min(1));
    }
}

/// Two wild actors, a desk and a trigger, and what is asked of them.
fn wild(seed: u64) -> System<TimedSystem<Msg>> {
    let mut draws = 0;
    let mut below = |n: u64| {
        draws += 1;
        mixed(&[seed, draws, 77]) % n
    };
    let mut system = TimedSystem::<Msg>::new(TICK);
    let wilds: Vec<_> =
        (0..2).map(|i| system.add(&format!("w{i}"), Wild { seed: seed * 10 + i, actors: 4 })).collect();
    let desk = system.reserve::<Desk>("desk");
    let ends = Msg { kind: 1, left: 2 };
    let trigger = Trigger::lasting(range(1, 2 + below(2) as u32)).starting(if below(2) == 0 {
        later()
    } else {
        range(1, 4)
    });
    let trigger = system.add("trigger", trigger.at_start(wilds[0], ends.clone()).at_end(desk, ends));
    system.fill_collecting(desk, Desk);
    for src in [wilds[0].id(), wilds[1].id(), desk.id(), trigger.id()] {
        for dst in [wilds[0].id(), wilds[1].id(), desk.id()] {
            let lo = 1 + below(2) as u32;
            let mut link = Link::latency(lo..=lo + below(2) as u32);
            if below(5) == 0 {
                link = link.lossy();
            }
            if below(6) == 0 {
                link = link.duplicating();
            }
            if below(3) == 0 {
                link = link.cut_while(trigger, |phase| *phase == Phase::Active);
            }
            if below(3) == 0 {
                link = link.cut_while(wilds[0], |state| *state == 1).cut_while(desk, |desk| desk[0] == 2);
            }
            system.link(src, dst, link);
        }
    }
    system.ageing();
    let (one, other) = (wilds[0], wilds[1]);
    system
        .system()
        .atom("calm", move |_, s| s[trigger] != Phase::Active)
        .atom("mixed", move |_, s| {
            if s[one] == 0 { s[desk][0] > 0 } else { s.in_flight_to(other).any(|m| m.msg.left == 0) }
        })
        .atom("saved", move |_, s| s.saved(other).copied() == Some(1) && s[one] != 2)
        .atom("timed", move |_, s| s.timers(one).any(|t| t.ticks_max.is_none()) || s[desk] == [0; 2])
        .measure("load", "messages", move |_, s| i64::from(s.count_in_flight(|m| m.msg.kind == 0)))
        .measure("desk", "messages", move |_, s| if s[one] == 1 { 0 } else { s[desk][0].into() })
}

fn claimed(system: System<TimedSystem<Msg>>) -> System<TimedSystem<Msg>> {
    system
        .weakly_fair("desk chooses", |_, _, a| a.to_string().contains("chose true"))
        .strongly_fair("messages arrive", |_, _, a| a.to_string().contains("<-"))
        .action_class("lost", |_, _, a| a.to_string().contains("lost"))
        .operator("cuts", |_, _, a| a.to_string().contains("cut"))
        .claim(always("calm or mixed"))
        .claim(reachable("saved and timed"))
        .claim(eventually("mixed"))
        .claim(recurs("timed"))
        .claim(stabilizes("not saved"))
        .claim(recoverable("calm"))
        .claim(leads_to("saved", "mixed"))
}

#[test]
fn wild_systems_have_the_same_graph() {
    let (mut states, mut edges) = (0, 0);
    // In the last one, a limit ends the search amid the edges of a state, after a mask that no other edge has.
    for seed in (0..12).chain([89]) {
        let limits = Limits { states_max: 100 + 20 * (seed % 7), ..Limits::default() };
        let (s, e) = same_space(&format!("wild {seed}"), &wild(seed), &limits);
        states += s;
        edges += e;
        same_space(&format!("wild {seed}, claimed"), &claimed(wild(seed)), &limits);
    }
    println!("{states} states, {edges} edges");
    assert!(states > 1000 && edges > 1000, "{states} {edges}");
}

#[test]
fn wild_systems_have_the_same_verdicts() {
    let mut violated = 0;
    for seed in 100..105 {
        let limits = Limits { states_max: 80, depth_max: Some(7), ..Limits::default() };
        violated += same_verdicts(&format!("wild {seed}"), &claimed(wild(seed)), &limits)
            .matches("verdict: Violated")
            .count();
    }
    assert!(violated > 2, "{violated}");
}
