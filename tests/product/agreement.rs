//! The same graph, the same verdicts and the same counterexamples on random systems, on the systems of `tests/timed` and on the
//! models.

use crate::fb_config;
use crate::random::random_setup;
use crate::retry_storm;
use crate::same::{same_space, same_verdicts};
use crate::setup::{Act, Setup};
use crate::systems::systems;
use aftercalm::actor::{Handle, TimedState, TimedSystem};
use aftercalm::check::Limits;
use aftercalm::model::assign;
use aftercalm::property::{
    ModelExt, System, always, eventually, leads_to, reachable, recoverable, recurs, stabilizes,
};

type State = TimedState<char>;

/// Atoms and measures that look at one actor, at several, at one depending on another, at messages, at everything.
pub fn questions(setup: Setup<Act>) -> System<TimedSystem<char>> {
    let (system, handles) = setup.build();
    let first = handles[0];
    let last = handles[handles.len() - 1];
    let one = move |s: &State| s[first].contains('1');
    let all = handles.clone();
    let alike = move |s: &State| all.windows(2).all(|two| s[two[0]] == s[two[1]]);
    let chosen = handles.clone();
    let switched = move |s: &State| {
        let at = s[first].len() % chosen.len();
        s.timers(chosen[at]).any(|t| t.ticks_min == 1)
    };
    let lengths = handles.clone();
    let ids: Vec<Handle<Act>> = handles;
    system
        .system()
        .atom("one", move |_, s| one(s))
        .atom("alike", move |_, s| alike(s))
        .atom("switched", move |_, s| switched(s))
        .atom("saved", move |_, s| s.saved(last).is_some())
        .atom("silent", |_, s| s.in_flight().next().is_none())
        .atom("shown", |_, s| format!("{s:?}").len() % 2 == 0)
        .atom("never", |_, _| false)
        .measure("length", "characters", move |_, s| lengths.iter().map(|h| s[*h].len() as i64).sum())
        .measure("flight", "messages", |_, s| i64::from(s.count_in_flight(|_| true)))
        .measure("to last", "messages", move |_, s| {
            s.in_flight_to(ids[ids.len() - 1]).map(|m| i64::from(m.count)).sum()
        })
}

fn claimed(system: System<TimedSystem<char>>) -> System<TimedSystem<char>> {
    system
        .claim(always("not one or not silent"))
        .claim(reachable("alike and silent"))
        .claim(eventually("one"))
        .claim(recurs("switched"))
        .claim(stabilizes("not switched"))
        .claim(recoverable("one"))
        .claim(leads_to("silent", "not silent"))
}

#[test]
fn small_systems_have_the_same_graph() {
    for (i, setup) in systems().into_iter().enumerate() {
        let name = setup.name;
        let (states, edges) = same_space(name, &questions(setup), &Limits::default());
        assert!(states > 1 && edges > 0, "{name}");
        same_verdicts(name, &claimed(questions(systems().swap_remove(i))), &Limits::default());
    }
}

#[test]
fn random_systems_have_the_same_graph() {
    let (mut all_states, mut all_edges, mut ended) = (0, 0, 0);
    let limits = Limits { states_max: 600, depth_max: Some(8), ..Limits::default() };
    for seed in 0..60 {
        let (states, edges) = same_space(&format!("seed {seed}"), &questions(random_setup(seed)), &limits);
        all_states += states;
        all_edges += edges;
        ended += u32::from(states < 600);
    }
    println!("{all_states} states, {all_edges} edges; {ended} systems explored to their end");
    assert!(all_states > 5_000 && ended > 8);
}

#[test]
fn random_systems_have_the_same_verdicts_and_counterexamples() {
    let limits = Limits { states_max: 200, depth_max: Some(8), ..Limits::default() };
    let mut violated = 0;
    for seed in 200..216 {
        let system = claimed(questions(random_setup(seed)));
        let told = same_verdicts(&format!("seed {seed}"), &system, &limits);
        violated += told.matches("verdict: Violated").count();
    }
    assert!(violated > 6, "{violated}");
}

#[test]
fn the_facebook_incident_is_the_same_in_all_its_cases() {
    for case in [
        "clients=4",
        "clients=3",
        "clients=4 fixing=false",
        "clients=4 on_error=keep-key",
        "clients=4 lease=true",
        "clients=3 latency_max=2",
        "clients=4 overload=serve-capacity",
        "clients=3 mend=stop-and-admit",
        "clients=3 mend=stop-and-admit admit=3",
    ] {
        let assignments: Vec<String> = case.split_whitespace().map(str::to_owned).collect();
        let system = fb_config::system(&assign(&assignments).unwrap()).unwrap();
        let (states, edges) = same_space(case, &system, &Limits::default());
        println!("{case}: {states} states, {edges} edges");
        same_verdicts(case, &system, &Limits::default());
    }
}

#[test]
fn components_whose_messages_age_give_the_same_graphs() {
    for case in ["", "drop_expired=true", "order=lifo queue=3", "breaker=true queue=3", "budget=true queue=3"]
    {
        let assignments: Vec<String> =
            case.split_whitespace().chain(["retries=1"]).map(str::to_owned).collect();
        let system = retry_storm::system(&assign(&assignments).unwrap()).unwrap();
        let (states, edges) = same_space(case, &system, &Limits::default());
        assert!(states > 20 && edges > 20, "{case}: {states} states, {edges} edges");
        same_verdicts(case, &system, &Limits::default());
    }
}
