//! What a model can do wrong, and what becomes of it.

use crate::run::Folder;

fn folder(model: &str) -> (Folder, String) {
    let folder = Folder::shared();
    folder.model(model);
    (folder, format!("{model}.rs"))
}

#[test]
fn a_program_that_hands_nothing_over_is_never_a_success() {
    let (folder, file) = folder("no_handover");
    let ran = folder.check(&[&file]);
    ran.fails(2, &["no_handover.rs: ended without handing over", "exit code 0", "aftercalm::run(system)"]);
    assert_eq!(ran.stdout, "", "what a model prints is no result");
    assert!(ran.stderr.contains("all is well"), "{}", ran.stderr);
    folder.model("panics");
    folder.check(&["panics.rs"]).fails(2, &["before anything", "panics.rs: ended without handing over"]);
    folder.model("twice");
    folder.check(&["twice.rs"]).fails(2, &["more than once"]);
}

#[test]
fn a_program_that_is_killed_is_never_a_success() {
    let (folder, file) = folder("faulty");
    folder.check(&[&file, "--set", "at=exit"]).fails(2, &["ended without handing over", "exit code 0"]);
    folder.check(&[&file, "--set", "at=abort"]).fails(2, &["killed by signal SIGABRT"]);
    folder.check(&[&file, "--set", "at=stack"]).fails(2, &["killed by signal SIGABRT", "stack overflow"]);
}

#[test]
fn another_version_of_aftercalm_is_told() {
    let (folder, file) = folder("other_version");
    folder.check(&[&file]).fails(2, &["built with aftercalm 9.9.9", "this is aftercalm"]);
}

#[test]
fn a_fault_names_the_function_the_state_and_the_action() {
    let (folder, file) = folder("faulty");
    folder.check(&[&file]).ends(0, &["holds"]);
    let at = |place: &str| folder.check(&[&file, "--set", &format!("at={place}")]);
    at("init_states").fails(2, &["panicked in init_states", "told to fail", "faulty.rs:"]);
    at("actions").fails(2, &["panicked in actions", "state: 2"]);
    at("next_state").fails(2, &["panicked in next_state", "state: 2", "action: 'y'"]);
    at("overflow").fails(2, &["attempt to subtract with overflow", "state: 2", "action: 'y'"]);
    at("atom").fails(2, &["atom `small`", "state: 3"]);
    at("next_state").ends(2, &["inconclusive"]);
}

#[test]
fn parameters_that_do_not_fit_are_told() {
    let (folder, file) = folder("counter");
    let set = |assignments: &[&str]| {
        let sets = assignments.iter().flat_map(|a| ["--set", a]);
        folder.check(&[&[file.as_str()], sets.collect::<Vec<_>>().as_slice()].concat())
    };
    set(&["siz=4"]).fails(2, &["unknown parameter `siz`", "did you mean `size`?", "size, limit"]);
    set(&["size=many"]).fails(2, &["bad value `many`", "`size`", "default: 5"]);
    set(&["size=300"]).fails(2, &["bad value `300`"]);
    set(&["size=3", "size=4"]).fails(2, &["`size` is set twice, to `3` and to `4`"]);
    set(&["size"]).fails(2, &["name=value"]);
    set(&["size=0"]).fails(2, &["size: a counter needs at least one value"]);
    set(&["size=99"]).fails(2, &["function that builds the system", "nobody counts to 99"]);
    set(&["size=3", "limit=3"]).ends(0, &["holds"]);
    set(&["size=4", "limit=3"]).ends(1, &["violated"]);
}

#[test]
fn the_parameters_can_be_shown() {
    let (folder, file) = folder("counter");
    folder.check(&[&file, "--help-model"]).ends(0, &["--set size=5", "Values of the counter."]);
    let json = folder.check(&[&file, "--help-model", "--format", "json"]);
    json.ends(0, &[r#""name":"size""#, r#""default":"5""#]);
}

#[test]
fn a_limit_makes_a_claim_inconclusive() {
    let (folder, file) = folder("counter");
    folder.check(&[&file, "--max-states", "3"]).ends(4, &["inconclusive", "3 states"]);
    folder.check(&[&file, "--max-depth", "2"]).ends(4, &["inconclusive", "2 steps"]);
    folder.check(&[&file, "--max-states", "4", "--set", "limit=2"]).ends(1, &["violated"]);
    folder.model("endless");
    folder.check(&["endless.rs", "--max-time", "100ms"]).ends(4, &["inconclusive", "0.1 s"]);
    folder.check(&["endless.rs", "--max-memory", "1MiB"]).ends(4, &["inconclusive", "memory limit"]);
}

#[test]
fn every_kind_of_claim_is_checked_and_every_quantity_told() {
    let folder = Folder::shared();
    folder.model("storm");
    let ran = folder.check(&["storm.rs"]);
    let flat = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(ran.code, 1, "{ran:?}");
    for words in [
        "violated calms down trap: cannot recover",
        "violated as a formula lasso",
        "violated backlog in bounds safety; 4 steps; peak 8",
        "holds backlog does not grow for ever",
        "violated load does not show the outage safety",
        "trigger: outage 3 is the least that tips it; every one up to outage 2 is survived",
        "2 actions bring it back for certain, whatever else happens: stop traffic, then shed the backlog",
        "amplification offered/fresh 3.00 at its peak",
    ] {
        assert!(flat.contains(words), "{words}: {}", ran.stdout);
    }
    let calm = folder.check(&["storm.rs", "--set", "longest=2"]);
    let flat = calm.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["holds calms down soon over", "worst case 4 ticks", "holds as a formula"] {
        assert!(flat.contains(words), "{words}: {}", calm.stdout);
    }
}
