//! Suites: every case against its expected verdicts, in every form in which a CI system wants to know.

use crate::run::{Folder, Ran};
use std::path::Path;
use std::process::Command;

/// A counter that goes round: `below` holds where `limit` is not below `size`.
const COUNTER: &str = r#"model = "../../shared/counter.rs"

[[case]]
name = "room enough"
[case.expect]
"always below" = "holds"

[[case]]
name = "one too few"   # the boundary
set = { limit = 4 }
[case.expect]
"always below" = { verdict = "violated", kind = "safety" }
"#;

/// A folder with a suite for the counter, which all tests share so that it is built once.
fn with(name: &str, suite: &str) -> Folder {
    let folder = Folder::new(name);
    Folder::shared().model("counter");
    let _ = std::fs::remove_dir_all(folder.path.join("specs"));
    folder.write("specs/counter.toml", suite);
    folder
}

#[test]
fn a_suite_that_is_met_is_a_table_and_exit_0() {
    let ran = with("suite-met", COUNTER).check(&["specs/"]);
    ran.ends(
        0,
        &[
            "specs/counter.toml: ../shared/counter.rs",
            "ok       room enough  1 holds; 5 states",
            "1 violated (safety)",
        ],
    );
    assert!(ran.stdout.contains("2 cases in 1 suite: 2 as expected"), "{ran:?}");
}

#[test]
fn a_parameter_moved_past_the_boundary_is_drift_and_the_moved_verdict_is_named() {
    let moved = COUNTER.replace("\"room enough\"", "\"room enough\"\nnote = \"all fit\"\nset = { size = 6 }");
    let folder = with("suite-drift", &moved);
    let ran = folder.check(&["specs/counter.toml"]);
    let told = [
        "DRIFT    room enough",
        "claim `always below`: expected holds, found violated (safety) (specs/counter.toml:8)",
        "the case shows: all fit",
        "alone: aftercalm check ../shared/counter.rs --set size=6",
        "2 cases in 1 suite: 1 as expected, 1 drifted",
    ];
    ran.ends(1, &told);
    // The command it names shows the counterexample.
    folder.check(&["../shared/counter.rs", "--set", "size=6"]).ends(1, &["violated: always below"]);
}

#[test]
fn blessing_shows_what_differs_and_then_expects_what_was_found() {
    let folder = with("suite-bless", &COUNTER.replace("limit = 4", "limit = 5"));
    let ran = folder.check(&["specs", "--bless"]);
    ran.ends(0, &["DRIFT", "expected violated (safety), found holds"]);
    let text = std::fs::read_to_string(folder.path.join("specs/counter.toml")).unwrap();
    assert!(
        text.contains("\"always below\" = { verdict = \"holds\" }") && text.contains("# the boundary"),
        "{text}"
    );
    folder.check(&["specs"]).ends(0, &["2 as expected"]);
    // What a limit cut short is not what the model is.
    let before = std::fs::read_to_string(folder.path.join("specs/counter.toml")).unwrap();
    folder.check(&["specs", "--bless", "--max-states", "2"]).ends(1, &["found inconclusive"]);
    assert_eq!(std::fs::read_to_string(folder.path.join("specs/counter.toml")).unwrap(), before);
}

#[test]
fn a_broken_suite_does_not_stop_the_others() {
    let folder = with("suite-broken", COUNTER);
    folder.write("specs/a.toml", "modle = \"../counter.rs\"\n");
    folder.write("specs/b.toml", &COUNTER.replace("counter.rs", "conter.rs"));
    folder.write("specs/c.toml", &COUNTER.replace("limit = 4", "limt = 4"));
    folder.write("specs/d.toml", &COUNTER.replace("limit = 4", "limit = \"four\""));
    folder.write("specs/e.toml", &COUNTER.replace("\"always below\" =", "\"always belw\" ="));
    let ran = folder.check(&["specs", "specs/gone.toml"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    let told = [
        "specs/a.toml:1:1",
        "did you mean `model`?",
        "specs/b.toml:1:9",
        "did you mean",
        "specs/c.toml:10:9",
        "did you mean `limit`?",
        "specs/d.toml:10:17",
        "bad value `four` for parameter `limit`",
        "specs/e.toml:6:1",
        "it has: always below",
        "specs/gone.toml: no such file",
    ];
    for words in told {
        assert!(ran.stderr.contains(words), "{words} is not in\n{}", ran.stderr);
    }
    assert!(ran.stdout.contains("ok       one too few") && ran.stdout.contains("FAILED"), "{}", ran.stdout);
}

#[test]
fn a_model_that_does_not_compile_fails_its_suite_alone() {
    let folder = with("suite-compile", COUNTER);
    Folder::shared().model("not_rust");
    folder.write("specs/broken.toml", &COUNTER.replace("counter.rs", "not_rust.rs"));
    let ran = folder.check(&["specs"]);
    assert!(ran.code == 3 && ran.stderr.contains("did not compile") && ran.stdout.contains("ok "), "{ran:?}");
}

#[test]
fn a_model_that_fails_while_it_runs_fails_its_case() {
    let folder = Folder::new("suite-fault");
    Folder::shared().model("faulty");
    folder.write(
        "specs/faulty.toml",
        "model = \"../../shared/faulty.rs\"\n[[case]]\nname = \"a\"\nset = { at = \"next_state\" }\nexpect = {}\n",
    );
    let ran = folder.check(&["specs"]);
    assert!(ran.code == 2 && ran.stdout.contains("FAILED   a"), "{ran:?}");
}

#[test]
fn results_are_json_lines_and_a_baseline_tells_what_moved_and_why() {
    let folder = with("suite-json", COUNTER);
    let ran = folder.check(&["specs", "--format", "json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<serde_json::Value> =
        ran.stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.iter().map(|l| &l["case"]).collect::<Vec<_>>(), ["room enough", "one too few"]);
    assert_eq!(
        (&lines[0]["model"], &lines[0]["drift"]),
        (&"../shared/counter.rs".into(), &serde_json::json!([]))
    );
    folder.write("before.json", &ran.stdout);
    folder.check(&["specs", "--baseline", "before.json"]).ends(0, &["nothing has moved since before.json"]);
    folder.write("specs/counter.toml", &COUNTER.replace("limit = 4", "limit = 5"));
    let told =
        "../shared/counter.rs, case one too few: always below: violated (safety) -> holds (limit 4 -> 5)";
    folder.check(&["specs", "--baseline", "before.json"]).ends(1, &["moved since before.json:", told]);
    folder.write("before.json", "{}\n");
    folder.check(&["specs", "--baseline", "before.json"]).fails(2, &["line 1", "--format json"]);
    folder.check(&["specs", "--baseline", "nowhere.json"]).fails(2, &["nowhere.json", "cannot be read"]);
}

#[test]
fn junit_sarif_and_annotations_point_at_the_expectation() {
    let drifting = COUNTER.replace("limit = 4", "limit = 5");
    let folder = with("suite-formats", &drifting);
    let junit = folder.check(&["specs", "--format", "junit"]);
    assert_eq!(junit.code, 1, "{junit:?}");
    for words in [
        "<testsuites name=\"aftercalm\" tests=\"2\"",
        "failures=\"1\"",
        "classname=\"specs/counter.toml\"",
        "one too few: always below",
    ] {
        assert!(junit.stdout.contains(words), "{words} is not in\n{}", junit.stdout);
    }
    let sarif = folder.check(&["specs", "--format", "sarif"]);
    let document: serde_json::Value = serde_json::from_str(&sarif.stdout).unwrap();
    let result = &document["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!((&document["version"], &result["ruleId"]), (&"2.1.0".into(), &"drift".into()));
    assert_eq!(place["artifactLocation"]["uri"], "specs/counter.toml");
    assert_eq!(place["region"]["startLine"], 12);
    let github = folder.check(&["specs", "--format", "github"]);
    let start = "::error file=specs/counter.toml,line=12,title=one too few%3A claim `always below`::";
    assert!(github.stdout.starts_with(start) && github.stdout.lines().count() == 1, "{}", github.stdout);
}

#[test]
fn on_github_actions_annotations_come_by_themselves() {
    let folder = with("suite-actions", &COUNTER.replace("limit = 4", "limit = 5"));
    let ran = |arguments: &[&str]| -> Ran {
        folder
            .command(&[&["check"], arguments].concat())
            .env("GITHUB_ACTIONS", "true")
            .output()
            .unwrap()
            .into()
    };
    let both = ran(&["specs"]);
    assert!(
        both.stdout.contains("DRIFT") && both.stdout.contains("\n::error file=specs/counter.toml"),
        "{both:?}"
    );
    assert!(!ran(&["specs", "--format", "json"]).stdout.contains("::error"));
    // A model points at the line that makes the claim.
    let model = ran(&["../shared/counter.rs", "--set", "limit=4"]);
    assert!(model.stdout.contains("\n::error file=../shared/counter.rs,line="), "{model:?}");
}

#[test]
fn shards_together_are_all_suites_and_none_twice() {
    let folder = with("suite-shards", COUNTER);
    for name in ["a", "b", "c"] {
        folder.write(&format!("specs/{name}.toml"), COUNTER);
    }
    let mut seen: Vec<String> = Vec::new();
    for part in ["1/3", "2/3", "3/3"] {
        let ran = folder.check(&["specs", "--shard", part]);
        assert_eq!(ran.code, 0, "{ran:?}");
        seen.extend(ran.stdout.lines().filter(|l| l.starts_with("specs/")).map(str::to_owned));
    }
    seen.sort();
    let all = ["a", "b", "c", "counter"].map(|name| format!("specs/{name}.toml: ../shared/counter.rs"));
    assert_eq!(seen, all);
    folder.check(&["specs", "--shard", "4/3"]).fails(2, &["K/N", "2/4"]);
}

#[test]
fn only_suites_that_a_change_concerns_are_checked_with_changed() {
    let own = COUNTER.replace("../../shared/", "../");
    let folder = with("suite-changed", &own);
    let source = crate::run::source("counter");
    folder.write("counter.rs", &source);
    folder.write("other.rs", &source);
    let _ = std::fs::remove_file(folder.path.join("new.rs"));
    folder.write("specs/other.toml", &own.replace("counter.rs", "other.rs"));
    folder.write("README.md", "one");
    folder.write("library.txt", "one");
    let _ = std::fs::remove_dir_all(folder.path.join(".git"));
    for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "one"]] {
        git(&folder.path, arguments);
    }
    let checked = || {
        let ran = folder.check(&["specs", "--changed", "HEAD"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stdout.lines().filter(|l| l.starts_with("specs/")).count()
    };
    assert_eq!(checked(), 0);
    folder.write("README.md", "two");
    assert_eq!(checked(), 0, "Markdown concerns nobody");
    folder.write("specs/other.toml", &own.replace("counter.rs", "other.rs").replace("one too few", "few"));
    assert_eq!(checked(), 1, "a suite concerns itself");
    git(&folder.path, &["commit", "-qam", "two"]);
    folder.write("counter.rs", &(source + "\n"));
    assert_eq!(checked(), 1, "a model concerns its suite");
    git(&folder.path, &["commit", "-qam", "three"]);
    folder.write("new.rs", "// A library.");
    assert_eq!(checked(), 2, "anything else concerns all");
    folder.check(&["specs", "--changed", "no-such"]).fails(2, &["no-such", "no such revision"]);
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
    let ran = Command::new("git").arg("-C").arg(folder).args(identity).args(arguments).output().unwrap();
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn options_for_model_files_are_refused_with_suites() {
    let folder = with("suite-options", COUNTER);
    folder.check(&["specs", "--set", "limit=4"]).fails(2, &["--set is for model files"]);
    folder.check(&["specs", "--help-model"]).fails(2, &["--help-model is for model files"]);
}

#[test]
fn certificates_of_suites_have_a_folder_for_each_case() {
    let folder = with("suite-certify", COUNTER);
    let ran = folder.check(&["specs", "--certify", "certificates"]);
    ran.ends(0, &["certified: always below: 5 states"]);
    assert!(folder.path.join("certificates/counter/room-enough/counter-1-always-below.json").is_file());
}

/// `check` with these arguments in the checkout.
fn check_here(arguments: &[&str]) -> Ran {
    let mut command = Folder::shared().command(&[&["check"], arguments].concat());
    command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap().into()
}

#[test]
fn the_suites_of_this_repository_are_met() {
    let ran = check_here(&["specs/"]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    let cases = ran.stdout.lines().filter(|line| line.starts_with("  ok ")).count();
    assert!(cases >= 40, "{cases} cases\n{}", ran.stdout);
}

#[test]
fn an_incident_that_loses_its_protection_fails_with_the_verdict_that_moved() {
    let checkout = env!("CARGO_MANIFEST_DIR");
    let suite = std::fs::read_to_string(Path::new(checkout).join("specs/fb-config.toml")).unwrap();
    let copy = suite.replace("\"../models/", &format!("\"{checkout}/models/"));
    let unprotected = copy.replace("set = { lease = true }", "set = { lease = false }");
    assert_ne!(copy, unprotected, "the suite has a case with a lease");
    let folder = Folder::new("suite-incident");
    folder.write("specs/fb-config.toml", &unprotected);
    let path = folder.path.join("specs/fb-config.toml");
    let ran = check_here(&[path.to_str().unwrap()]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(ran.stdout.matches("DRIFT").count(), 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("claim `stays valid`: expected holds, found violated"), "{}", ran.stdout);
}
