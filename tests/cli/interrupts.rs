//! Ctrl-C, as it arrives from another program: at the parent alone.
#![cfg(unix)]

use crate::run::{Folder, Ran, signal, wait_for};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

fn counting() -> Child {
    started("endless", "counting", &[])
}

/// A check of the model `name` (twice), which has said `word`.
fn started(name: &str, word: &str, options: &[&str]) -> Child {
    let folder = Folder::shared();
    folder.model(name);
    let file = format!("{name}.rs");
    let mut command = folder.command(&[&["check", &file, &file], options].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(word, &mut child);
    child
}

#[test]
fn a_model_that_does_not_come_back_is_killed_after_an_interrupt() {
    let child = started("stuck", "stuck\n", &[]);
    signal("-TERM", &child);
    let start = Instant::now();
    let ran = Ran::from(child.wait_with_output().unwrap());
    ran.fails(4, &["did not come back from one of its functions", "5s after the interrupt", "not checked"]);
    assert!(start.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_model_that_does_not_come_back_is_killed_after_the_time_for_it() {
    let folder = Folder::shared();
    folder.model("stuck");
    folder
        .check(&["stuck.rs", "--max-time", "1s"])
        .fails(4, &["did not come back from one of its functions", "10s after --max-time 1s"]);
}

#[test]
fn an_interrupt_ends_the_search_and_what_is_known_is_reported() {
    for name in ["-INT", "-TERM"] {
        let child = counting();
        std::thread::sleep(Duration::from_millis(100));
        signal(name, &child);
        let start = Instant::now();
        let ran = Ran::from(child.wait_with_output().unwrap());
        ran.ends(4, &["inconclusive", "interrupted"]);
        assert!(ran.stderr.contains("not checked"), "the second file: {}", ran.stderr);
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn a_second_interrupt_ends_at_once() {
    let child = counting();
    signal("-INT", &child);
    signal("-INT", &child);
    let start = Instant::now();
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
#[cfg(target_os = "linux")]
fn a_model_does_not_outlive_its_parent() {
    does_not_outlive(counting());
    does_not_outlive(started("stuck", "stuck\n", &[]));
}

#[cfg(target_os = "linux")]
fn does_not_outlive(mut child: Child) {
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let model = std::fs::read_to_string(children).unwrap().trim().to_owned();
    assert!(!model.is_empty());
    signal("-KILL", &child);
    child.wait().unwrap();
    let start = Instant::now();
    let lives = || {
        let stat = std::fs::read_to_string(format!("/proc/{model}/stat")).unwrap_or_default();
        !(stat.is_empty() || stat.contains(") Z "))
    };
    while lives() {
        assert!(start.elapsed() < Duration::from_secs(20), "the model still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}
