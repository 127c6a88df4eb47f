//! Systems whose actions are looked at: fairness, action classes, an operator.

use crate::agreement::questions;
use crate::random::random_setup;
use crate::same::{same_space, same_verdicts};
use crate::systems::systems;
use aftercalm::actor::TimedSystem;
use aftercalm::check::Limits;
use aftercalm::property::{System, recoverable, recurs, stabilizes};

fn shown(action: &impl std::fmt::Display, text: &str) -> bool {
    action.to_string().contains(text)
}

fn fair(system: System<TimedSystem<char>>) -> System<TimedSystem<char>> {
    system
        .weakly_fair("first moves", |_, _, a| shown(a, "a0"))
        .strongly_fair("a message", |_, _, a| shown(a, "<-"))
        .strongly_fair("lost", |_, s, a| shown(a, "lost") && s.in_flight().next().is_some())
}

#[test]
fn fairness_labels_are_the_same() {
    let limits = Limits { states_max: 200, ..Limits::default() };
    let mut labelled = 0;
    for seed in 300..310 {
        let system = fair(questions(random_setup(seed)));
        labelled += same_space(&format!("seed {seed}"), &system, &limits).1;
        let claimed = system.claim(recurs("one")).claim(stabilizes("not switched"));
        same_verdicts(&format!("seed {seed}"), &claimed, &limits);
    }
    assert!(labelled > 700, "{labelled}");
}

#[test]
fn an_operator_and_action_classes_are_the_same() {
    let limits = Limits { states_max: 120, ..Limits::default() };
    let mut violated = 0;
    for (name, system) in (0..6)
        .map(|seed| (format!("seed {seed}"), questions(random_setup(400 + seed))))
        .chain(systems().into_iter().map(|setup| (setup.name.to_owned(), questions(setup))))
    {
        let system = system
            .action_class("a timer", |_, _, a| shown(a, "timer"))
            .action_class("a choice", |_, _, a| shown(a, "chose"))
            .action_class("a miracle", |_, _, a| shown(a, "miracle"))
            .operator("loses", |_, _, a| shown(a, "lost"))
            .operator("chooses", |_, _, a| shown(a, "chose u"))
            .claim(stabilizes("one"))
            .claim(recoverable("silent"));
        same_space(&name, &system, &limits);
        violated += same_verdicts(&name, &system, &limits).matches("verdict: Violated").count();
        same_verdicts(&name, &fair(system), &limits);
    }
    assert!(violated > 4, "{violated}");
}
