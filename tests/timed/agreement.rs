//! The runtime against the naive semantics, and the searches against each other.

use crate::naive::{Naive, Whole, text_of_naive, text_of_runtime};
use crate::setup::{Act, LinkSpec, Setup, range};
use crate::systems::systems;
use aftercalm::actor::TimedState;
use aftercalm::check::{Limits, check};
use aftercalm::property::ModelExt;
use stateright::actor::Id;
use stateright::{Checker, Model};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Plain breadth-first search by `==`: (states, transitions).
fn bfs<M: Model<State: Clone + Eq + std::hash::Hash>>(model: &M) -> (u64, u64) {
    let mut seen: HashSet<M::State> = model.init_states().into_iter().collect();
    let mut queue: Vec<M::State> = seen.iter().cloned().collect();
    let mut transitions = 0;
    while let Some(state) = queue.pop() {
        for next in model.next_states(&state) {
            transitions += 1;
            if seen.insert(next.clone()) {
                queue.push(next);
            }
        }
    }
    (seen.len() as u64, transitions)
}

#[test]
fn all_searches_count_the_same_states_and_transitions() {
    let mut counts = Vec::new();
    for (i, setup) in systems().into_iter().enumerate() {
        let (name, system) = (setup.name, setup.system());
        let (states, transitions) = bfs(&system);
        let outcome = check(&system.system(), &Limits::default()).unwrap();
        assert_eq!(outcome.fault, None, "{name}");
        assert_eq!((outcome.states, outcome.transitions), (states, transitions), "{name}");
        let stateright = systems().swap_remove(i).system().checker().spawn_bfs().join();
        assert_eq!(stateright.unique_state_count() as u64, states, "{name}");
        counts.push((name, states, transitions));
    }
    println!("{counts:#?}");
    assert!(counts.iter().all(|(_, states, _)| *states > 1));
}

/// Walks both semantics side by side and compares the successors of each state: of at most `pairs_max` states, none of which has
/// more than `units_max` messages under way.
fn compare(setup: Setup<Act>, again: Setup<Act>, units_max: usize, pairs_max: usize) -> usize {
    let name = setup.name;
    let naive = Naive { setup: &again, eager: false };
    let (system, handles) = setup.build();
    let text = |state: &TimedState<char>| text_of_runtime(&handles, state);
    let mut queue = paired(name, "start", &text, system.init_states(), naive.starts());
    let mut seen: BTreeSet<String> = queue.iter().map(|(state, _)| text(state)).collect();
    let mut compared = 0;
    while let Some((state, whole)) = queue.pop() {
        if whole.flight.len() > units_max || compared >= pairs_max {
            continue;
        }
        compared += 1;
        let here = text(&state);
        for (next, whole) in paired(name, &here, &text, system.next_states(&state), naive.successors(&whole))
        {
            if seen.insert(text(&next)) {
                queue.insert(0, (next, whole));
            }
        }
    }
    compared
}

/// The two lists of states, which must be the same set, side by side.
fn paired(
    name: &str,
    here: &str,
    text: &impl Fn(&TimedState<char>) -> String,
    states: Vec<TimedState<char>>,
    wholes: Vec<Whole<Act>>,
) -> Vec<(TimedState<char>, Whole<Act>)> {
    let count = states.len();
    let states: BTreeMap<String, TimedState<char>> = states.into_iter().map(|s| (text(&s), s)).collect();
    let mut wholes: BTreeMap<String, Whole<Act>> =
        wholes.into_iter().map(|w| (text_of_naive(&w), w)).collect();
    let (ours, theirs): (Vec<&String>, Vec<&String>) = (states.keys().collect(), wholes.keys().collect());
    assert_eq!(ours, theirs, "{name}: successors differ from\n{here}");
    assert_eq!(count, states.len(), "{name}: a successor comes twice from\n{here}");
    states.into_iter().map(|(t, state)| (state, wholes.remove(&t).unwrap())).collect()
}

#[test]
fn small_systems_have_the_successors_of_the_naive_semantics() {
    for (i, setup) in systems().into_iter().enumerate() {
        let name = setup.name;
        let compared = compare(setup, systems().swap_remove(i), 6, 300);
        assert!(compared > 0, "{name}");
    }
}

/// All sequences of the actors' states over `n` ticks.
fn traces<S>(
    starts: Vec<S>,
    next: impl Fn(&S) -> Vec<S>,
    key: impl Fn(&S) -> String,
    shown: impl Fn(&S) -> String,
    n: usize,
) -> BTreeSet<Vec<String>> {
    let begin = |s: S| ((key(&s), vec![shown(&s)]), s);
    let mut layer: BTreeMap<(String, Vec<String>), S> = starts.into_iter().map(begin).collect();
    for _ in 0..n {
        let mut further = BTreeMap::new();
        for ((_, trace), state) in &layer {
            for state in next(state) {
                let trace = [trace.as_slice(), &[shown(&state)]].concat();
                further.insert((key(&state), trace), state);
            }
        }
        layer = further;
    }
    layer.into_keys().map(|(_, trace)| trace).collect()
}

#[test]
fn what_is_resolved_late_behaves_as_what_is_sampled_at_once() {
    let ranged =
        ["latency ranges", "timer ranges", "cut link", "several initial states", "several timers at once"];
    for (i, setup) in systems().into_iter().enumerate().filter(|(_, s)| ranged.contains(&s.name)) {
        let again = systems().swap_remove(i);
        let naive = Naive { setup: &again, eager: true };
        let name = setup.name;
        let (system, handles) = setup.build();
        let shown = |s: &TimedState<char>| handles.iter().map(|h| format!("{} ", s[*h])).collect::<String>();
        let ours = traces(
            system.init_states(),
            |s| system.next_states(s),
            |s| text_of_runtime(&handles, s),
            shown,
            4,
        );
        let theirs = traces(
            naive.starts(),
            |w| naive.successors(w),
            text_of_naive,
            |w| w.actors.iter().map(|a| format!("{} ", a.state)).collect(),
            4,
        );
        assert!(ours.len() > 1, "{name}");
        assert_eq!(ours, theirs, "{name}");
    }
}

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

fn random_setup(seed: u64) -> Setup<Act> {
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

#[test]
fn random_systems_have_the_successors_of_the_naive_semantics() {
    let mut compared = 0;
    for seed in 0..250 {
        compared += compare(random_setup(seed), random_setup(seed), 5, 25);
    }
    println!("compared the successors of {compared} states");
    assert!(compared > 2000, "{compared}");
}
