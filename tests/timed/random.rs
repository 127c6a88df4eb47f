//! Random systems: actors whose every move is looked up in a random table.

use crate::setup::{Act, LinkSpec, Setup, range};
use stateright::actor::Id;
use std::collections::BTreeMap;

/// A small generator with a fixed seed (Knuth's MMIX constants).
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn char(&mut self, of: &str) -> char {
        let at = self.below(of.len() as u64) as usize;
        of.chars().nth(at).unwrap()
    }
}

/// What an actor does in one situation, as data.
#[derive(Clone, Copy)]
enum Do {
    Send(usize, char),
    Set(char, u32, u32),
    Cancel(char),
    Choose(char, char, char),
    Forget(char),
    Save(char),
}

fn perform(row: &[Do], out: &mut stateright::actor::Out<Act>) {
    for act in row {
        match *act {
            Do::Send(dst, msg) => out.send(Id::from(dst), msg),
            Do::Set(timer, lo, hi) => out.set_timer(timer, range(lo, hi)),
            Do::Cancel(timer) => out.cancel_timer(timer),
            Do::Choose(key, a, b) => out.choose_random(key, vec![a, b]),
            Do::Forget(key) => out.remove_random(key),
            Do::Save(c) => out.save(c),
        }
    }
}

/// A row of actions. Timers of zero ticks are set only by messages and starts, and choices are not made by choices, so that no
/// system is Zeno.
fn row(random: &mut Random, actors: u64, zero: bool, choose: bool) -> Vec<Do> {
    let n = [0, 1, 1, 2][random.below(4) as usize];
    (0..n)
        .filter_map(|_| match random.below(9) {
            0..=2 => Some(Do::Send(random.below(actors) as usize, random.char("ab"))),
            3 | 4 => {
                let lo = random.below(3) as u32 + u32::from(!zero);
                Some(Do::Set(random.char("st"), lo, lo + random.below(3) as u32))
            }
            5 => Some(Do::Cancel(random.char("st"))),
            6 if choose => Some(Do::Choose(random.char("kl"), random.char("uv"), random.char("vw"))),
            7 => Some(Do::Forget(random.char("kl"))),
            8 => Some(Do::Save(random.char("xy"))),
            _ => None,
        })
        .collect()
}

/// An actor whose every move is looked up in a random table of (state, event).
fn table_actor(random: &mut Random, actors: u64) -> Act {
    let mut begin = row(random, actors, true, true);
    begin.push(Do::Send(random.below(actors) as usize, random.char("ab")));
    begin.push(Do::Set('s', 1, 1 + random.below(3) as u32));
    type Rows = BTreeMap<(String, char), (String, Vec<Do>)>;
    let mut table = |events: &str, zero: bool, choose: bool| -> Rows {
        let mut rows = BTreeMap::new();
        for state in ["0", "1", "2"] {
            for event in events.chars() {
                let next = random.char("012").to_string();
                rows.insert((state.to_owned(), event), (next, row(random, actors, zero, choose)));
            }
        }
        rows
    };
    let (msgs, timers, randoms) =
        (table("ab", true, true), table("st", false, true), table("uvw", false, false));
    let go = |rows: Rows| {
        move |state: &mut String, event: char, out: &mut stateright::actor::Out<Act>| {
            let (next, row) = &rows[&(state.clone(), event)];
            *state = next.clone();
            perform(row, out);
        }
    };
    let on_msg = go(msgs);
    Act::new(move |out| {
        perform(&begin, out);
        "0".into()
    })
    .on_msg(move |state, _, msg, out| on_msg(state, msg, out))
    .on_timer(go(timers))
    .on_random(go(randoms))
}

/// A random system: up to three table actors, links with latency ranges, loss, duplication and cuts.
pub fn random_setup(seed: u64) -> Setup<Act> {
    let mut random = Random(seed);
    for _ in 0..5 {
        random.below(2);
    }
    let actors = 1 + random.below(3);
    let mut setup =
        Setup::new("random", (0..actors).map(|_| table_actor(&mut random, actors)).collect::<Vec<_>>());
    let link = |random: &mut Random| {
        let lo = 1 + random.below(2) as u32;
        let mut link = LinkSpec::latency(lo, lo + random.below(3) as u32);
        link.lossy = random.below(4) == 0;
        link.duplicating = random.below(6) == 0;
        if random.below(4) == 0 {
            link.cut = Some((random.below(actors) as usize, |s: &String| s == "1"));
        }
        link
    };
    setup.default_link = link(&mut random);
    setup.links.push(((0, 0), link(&mut random)));
    setup
}
