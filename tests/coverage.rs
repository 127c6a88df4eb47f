//! What no behaviour exercises is shown, since it is how a model lies without anybody noticing.

#[allow(dead_code)]
#[path = "pitfalls/roads.rs"]
mod roads;

use aftercalm::check::{Limits, Note, check};
use aftercalm::property::{
    CLASSES_MAX, ModelExt, System, SystemError, Verdict, always, eventually, reachable, recurs, stabilizes,
};
use aftercalm::report::case_result;
use roads::{Roads, run};

/// 0 <-> 1 -> 2, where 2 is an end; 3 -> 4 is not reachable.
fn places() -> System<Roads> {
    Roads::new(&[(0, 1), (1, 0), (1, 2), (2, 2), (3, 4)])
        .bare()
        .atom("start", |_, s| *s == 0)
        .claim(eventually("start"))
}

fn notes(system: &System<Roads>) -> Vec<Note> {
    run(system).notes
}

/// The notes as they stand in the report.
fn told(system: &System<Roads>) -> Vec<String> {
    case_result(system, &run(system), "models/places.rs", Default::default()).notes
}

#[test]
fn nothing_is_said_where_everything_is_exercised() {
    let system = places()
        .weakly_fair("on", |_, _, road| *road == (1, 2))
        .action_class("back", |_, _, road| *road == (1, 0));
    assert_eq!(notes(&system), []);
}

#[test]
fn atoms_that_never_change_are_shown_in_one_note_each_with_its_value() {
    let system =
        places().atom("small", |_, s| *s < 3).atom("far", |_, s| *s > 3).atom("farther", |_, s| *s > 4);
    let atoms = vec![("small".to_owned(), true), ("far".to_owned(), false), ("farther".to_owned(), false)];
    assert_eq!(notes(&system), [Note::AtomsNeverChange { atoms, states: 3 }]);
    assert_eq!(
        told(&system),
        ["atoms never change: `small` is true, `far` and `farther` are false in all 3 reachable states"]
    );
    assert_eq!(
        told(&places().atom("far", |_, s| *s > 3)),
        ["an atom never changes: `far` is false in all 3 reachable states"]
    );
}

#[test]
fn a_constant_atom_is_not_told_twice_where_a_verdict_tells_it() {
    let system = || places().atom("small", |_, s| *s < 3).atom("far", |_, s| *s > 3);
    let silent = [
        vec![always("small"), always("not far")],
        vec![always("small"), reachable("far")],
        vec![reachable("not small"), reachable("far"), recurs("small")],
    ];
    for claims in silent {
        let system = claims.into_iter().fold(system(), System::claim);
        assert_eq!(notes(&system), [], "{:?}", system.claims);
    }
    // These hold too, but not because of what the atom is there for: they would hold of any claim.
    for claim in [
        stabilizes("small"),
        always("far implies start"),
        always("small").after("start"),
        always("not small"),
    ] {
        let system = system().claim(claim);
        assert!(matches!(notes(&system).as_slice(), [Note::AtomsNeverChange { .. }]), "{:?}", system.claims);
    }
}

#[test]
fn a_fairness_set_that_is_never_enabled_is_shown() {
    // One whose road is never reached, one without a road, and one whose only road leads nowhere else.
    let system = places()
        .weakly_fair("on", |_, _, road| *road == (1, 2))
        .weakly_fair("unreached", |_, _, road| *road == (3, 4))
        .strongly_fair("none", |_, _, _| false)
        .strongly_fair("spin", |_, _, road| *road == (2, 2));
    let names = ["unreached", "none", "spin"].map(str::to_owned).to_vec();
    assert_eq!(notes(&system), [Note::FairnessNeverEnabled { names }]);
    assert_eq!(
        told(&system),
        [
            "fairness sets `unreached`, `none` and `spin` are never enabled: no action in them leads from one reachable state to \
          another"
        ]
    );
}

#[test]
fn an_action_class_that_is_never_taken_is_shown() {
    let system = places()
        .action_class("back", |_, _, road| *road == (1, 0))
        .action_class("unreached", |_, _, road| *road == (3, 4));
    assert_eq!(notes(&system), [Note::ActionClassNeverTaken { names: vec!["unreached".to_owned()] }]);
    assert_eq!(
        told(&system),
        [
            "action class `unreached` is never taken: no action in it leads from one reachable state to another"
        ]
    );
    let spin = places().action_class("spin", |_, _, road| *road == (2, 2));
    assert_eq!(notes(&spin), [Note::ActionClassNeverTaken { names: vec!["spin".to_owned()] }]);
}

#[test]
fn a_class_is_asked_about_until_it_was_seen_and_then_no_more() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let system = places().action_class("first", move |_, _, road| {
        counter.fetch_add(1, Ordering::Relaxed);
        *road == (0, 1)
    });
    assert_eq!(notes(&system), []);
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[test]
fn nothing_is_said_of_what_a_truncated_search_has_not_seen() {
    let everything = || {
        places()
            .atom("far", |_, s| *s > 1)
            .weakly_fair("on", |_, _, road| *road == (1, 2))
            .action_class("on", |_, _, road| *road == (1, 2))
    };
    for limits in
        [Limits { depth_max: Some(1), ..Limits::default() }, Limits { states_max: 2, ..Limits::default() }]
    {
        let outcome = check(&everything(), &limits).unwrap();
        assert!(!outcome.stops.is_empty());
        assert_eq!(outcome.notes, []);
    }
    let bounded = Roads::new(&[(0, 1), (1, 2)]).within(1).bare().atom("far", |_, s| *s > 1);
    assert_eq!(notes(&bounded.action_class("on", |_, _, r| *r == (1, 2)).claim(always("far"))), []);
}

#[test]
fn an_antecedent_that_is_never_reached_is_a_verdict() {
    let system = places().atom("far", |_, s| *s > 3).claim(recurs("start").after("far"));
    let outcome = run(&system);
    assert_eq!(outcome.decisions[1].verdict, Verdict::Vacuous);
    assert!(matches!(outcome.notes.as_slice(), [Note::AtomsNeverChange { .. }]));
}

#[test]
fn a_class_that_panics_is_a_fault_that_names_it() {
    let outcome = run(&places().action_class("broken", |_, _, _| panic!("no such road")));
    let fault = outcome.fault.expect("a fault").to_string();
    assert!(fault.contains("action class `broken`") && fault.contains("no such road"), "{fault}");
}

#[test]
fn too_many_classes_are_refused_and_as_many_as_there_may_be_are_not() {
    let with = |count: usize| {
        (0..count).fold(places(), |s, i| s.action_class(&format!("class {i}"), |_, _, _| false))
    };
    let error = with(CLASSES_MAX + 1).validate().unwrap_err();
    assert_eq!(error, SystemError::TooManyClasses(CLASSES_MAX + 1));
    assert!(
        matches!(notes(&with(CLASSES_MAX)).as_slice(), [Note::ActionClassNeverTaken { names }] if names.len() == 128)
    );
    let model = Roads::new(&[]);
    assert!(model.system().validate().is_ok());
}
