//! The corpus: small systems with known answers, in TOML, which know nothing of how they are decided.
//!
//! Each case is an explicit graph, a counter machine, or names one of the systems of `tests/peers` with its parameters. Every engine decides every
//! case, with every number of threads that it can use. Graphs that are small enough are decided by the oracle as well, which
//! also judges the witnesses; so a wrong expectation is found, whoever agrees with it.
//!
//! A new case needs no Rust: a `[[case]]` in one of the files, with the sentence `why` that says what would go wrong.

#[allow(dead_code)]
#[path = "../peers/allocator.rs"]
mod allocator;
#[allow(dead_code)]
#[path = "../peers/alternating_bit.rs"]
mod alternating_bit;
mod answer;
mod arbiter;
#[allow(dead_code)]
#[path = "../peers/cache.rs"]
mod cache;
#[allow(dead_code)]
#[path = "../peers/coffee_can.rs"]
mod coffee_can;
#[allow(dead_code)]
#[path = "../peers/dining.rs"]
mod dining;
mod engine;
mod explicit;
mod format;
#[allow(dead_code)]
#[path = "../common/graph.rs"]
mod graph;
mod machine;
#[allow(dead_code, unused_imports)]
#[path = "../oracle/mod.rs"]
mod oracle;
#[allow(dead_code)]
#[path = "../peers/peer.rs"]
mod peer;
#[allow(dead_code)]
#[path = "../peers/retry.rs"]
mod retry;
mod systems;
#[allow(dead_code)]
#[path = "../peers/two_phase.rs"]
mod two_phase;

use engine::engines;
use format::{Case, File};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Fewer cases than this are no corpus.
const CASES_MIN: usize = 80;

/// Every case, with the name of its file.
fn corpus() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = File::parse(&fs::read_to_string(&path).unwrap());
        let file = file.unwrap_or_else(|error| panic!("{name}: {error}"));
        cases.extend(file.case.into_iter().map(|case| (name.clone(), case)));
    }
    cases
}

/// What is wrong with the case on this engine.
fn judge(case: &Case, engine: engine::Engine) -> Vec<String> {
    match (&case.graph, &case.machine, &case.system) {
        (Some(graph), None, None) => explicit::judge(case, graph, engine),
        (None, Some(machine), None) => machine::judge(case, machine, engine),
        (None, None, Some(system)) => systems::judge(case, system, engine),
        _ => vec!["a case is either a `graph`, a `machine` or a `system`".to_owned()],
    }
}

#[test]
fn every_engine_gives_every_case_its_known_answer() {
    let mut wrong = Vec::new();
    for (file, case) in corpus() {
        for engine in engines() {
            let faults = judge(&case, engine);
            wrong.extend(faults.iter().map(|fault| format!("{file}: {} ({engine:?}): {fault}", case.name)));
        }
    }
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_case_has_a_name_of_its_own_and_says_why_it_is_there() {
    let cases = corpus();
    assert!(cases.len() >= CASES_MIN, "{} cases", cases.len());
    let mut names = BTreeSet::new();
    for (file, case) in &cases {
        assert!(names.insert(&case.name), "{file}: two cases are named `{}`", case.name);
        assert!(case.why.len() > 30 && case.why.ends_with('.'), "{file}: {}: why?", case.name);
        assert!(!case.claim.is_empty(), "{file}: {} claims nothing", case.name);
    }
}

#[test]
fn the_oracle_decides_a_good_part_of_the_corpus() {
    let decided: usize =
        corpus().iter().filter_map(|(_, case)| Some(arbiter::decidable(case, case.graph.as_ref()?))).sum();
    assert!(decided >= 50, "{decided} claims");
}

#[test]
fn a_key_that_means_nothing_is_an_error() {
    let case = "[[case]]\nname = 'n'\nwhy = 'w'\n";
    for (text, key) in [
        (format!("{case}stats = 3\n"), "stats"),
        (format!("{case}[case.graph]\nstates = 1\ninitial = [0]\nedges = []\nboundry = [0]\n"), "boundry"),
        (format!("{case}[[case.claim]]\nclaim = 'always p'\nverdict = 'holds'\nlenght = 1\n"), "lenght"),
        (format!("{case}[case.limits]\ndeph = 1\n"), "deph"),
        (
            format!(
                "{case}[case.machine]\ncounters = {{ x = 0 }}\nrules = [{{ from = 0, to = 0, ad = {{}} }}]\n"
            ),
            "ad",
        ),
        ("cases = []\n".to_owned(), "cases"),
    ] {
        let error = File::parse(&text).unwrap_err().to_string();
        assert!(error.contains(key) && error.contains("unknown field"), "{error}");
    }
}

#[test]
fn every_engine_has_a_number_of_threads() {
    let all: BTreeSet<engine::Engine> = engines().collect();
    assert!(!all.is_empty());
    assert_eq!(all.len(), engines().count(), "an engine is listed twice");
}

#[test]
fn a_wrong_expectation_of_a_machine_is_found() {
    let cases = corpus();
    let (_, case) = cases.iter().find(|(_, c)| c.machine.is_some() && c.claim[0].stem.is_some()).unwrap();
    let changes: [fn(&mut Case); 4] = [
        |c| c.claim[0].detail = Some("+99 a loop".to_owned()),
        |c| c.claim[0].cycle = Some(99),
        |c| c.claim[0].kind = None,
        |c| c.machine.as_mut().unwrap().rules[0].from = 99,
    ];
    for change in changes {
        let mut changed = case.clone();
        change(&mut changed);
        assert!(engines().all(|engine| !judge(&changed, engine).is_empty()));
    }
}

#[test]
fn a_wrong_expectation_is_found() {
    let cases = corpus();
    let (_, case) = cases.iter().find(|(_, c)| c.graph.is_some() && c.claim[0].stem.is_some()).unwrap();
    let changes: [fn(&mut Case); 7] = [
        |c| c.states = Some(99),
        |c| c.transitions = Some(99),
        |c| c.stops = vec!["a limit".to_owned()],
        |c| c.claim[0].verdict = aftercalm::property::Verdict::Vacuous,
        |c| c.claim[0].kind = Some(aftercalm::property::Kind::Growth),
        |c| c.claim[0].stem = Some(99),
        |c| c.claim[0].worst_ticks = Some(99),
    ];
    for change in changes {
        let mut changed = case.clone();
        change(&mut changed);
        assert!(engines().all(|engine| !judge(&changed, engine).is_empty()));
    }
}
