//! The README tells the truth: its outputs are what the commands print, and its program does what it says.

use crate::run::{Folder, Ran};
use std::path::Path;

fn readme() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap()
}

/// What stands between the first line that starts with `open` and the end of that block.
fn block(text: &str, open: &str) -> String {
    let lines =
        text.lines().skip_while(|l| !l.starts_with(open)).skip(1).take_while(|l| !l.starts_with("```"));
    lines.map(|l| format!("{l}\n")).collect()
}

/// A run of the command in the checkout.
fn check_here(arguments: &[&str]) -> Ran {
    let mut command = Folder::shared().command(&[&["check"], arguments].concat());
    command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap().into()
}

/// The text without the seconds, which differ from run to run.
fn timeless(text: &str) -> String {
    let word =
        |w: &str| if w.parse::<f64>().is_ok() && w.contains('.') { "T".to_owned() } else { w.to_owned() };
    text.lines().map(|l| l.split(' ').map(word).collect::<Vec<_>>().join(" ") + "\n").collect()
}

#[test]
fn the_readme_shows_what_the_first_command_prints() {
    let ran = check_here(&["models/fb-config.rs"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(timeless(&ran.stdout), timeless(&block(&readme(), "```text")));
}

#[test]
fn the_changes_that_the_readme_names_do_what_it_says() {
    let mut named = 0;
    for line in
        readme().lines().filter(|l| l.trim().starts_with("cargo run -- check models/fb-config.rs --set"))
    {
        let (command, says) = line.split_once('#').unwrap();
        let setting = command.trim().rsplit(' ').next().unwrap();
        let ran = check_here(&["models/fb-config.rs", "--set", setting]);
        let expected = i32::from(says.trim().starts_with("violated"));
        assert_eq!(ran.code, expected, "{setting}: {}", ran.stdout);
        assert!(!ran.stdout.contains("trap: cannot recover"), "{setting}");
        named += 1;
    }
    assert_eq!(named, 5);
}

#[test]
fn json_of_the_incident_is_one_object_with_the_fixed_keys() {
    let ran = check_here(&["models/fb-config.rs", "--format", "json"]);
    assert_eq!(ran.code, 1);
    let object: serde_json::Value = serde_json::from_str(ran.stdout.trim()).unwrap();
    let claim = &object["claims"][0];
    for key in ["name", "claim", "verdict", "kind", "states_covered", "worst_ticks", "peak", "witness"] {
        assert!(claim.get(key).is_some(), "{key}");
    }
    assert_eq!((claim["verdict"].as_str(), claim["kind"].as_str()), (Some("violated"), Some("trap")));
    let step = &claim["witness"]["loop"][0];
    for key in ["action", "changes", "atoms", "measures"] {
        assert!(step.get(key).is_some(), "{key}");
    }
    assert_eq!(claim["witness"]["stem"].as_array().unwrap().len(), 6);
}

#[test]
fn the_program_in_the_readme_runs_and_finds_the_boundary() {
    let folder = Folder::new("readme");
    folder.write("orders.rs", &block(&readme(), "```rust"));
    for (setting, code) in
        [("timeout=4", 1), ("capacity=3", 0), ("queue=8", 0), ("queue=9", 1), ("retries=1", 1)]
    {
        let ran = folder.check(&["orders.rs", "--set", setting]);
        assert_eq!(ran.code, code, "{setting}: {}\n{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn the_suite_in_the_readme_drifts_as_it_shows() {
    let folder = Folder::new("readme");
    folder.write("orders.rs", &block(&readme(), "```rust"));
    folder.write("specs/orders.toml", &block(&readme(), "```toml"));
    let ran = folder.check(&["specs/"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(timeless(&ran.stdout), timeless(&block(&readme(), "```console")));
}
