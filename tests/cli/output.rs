//! Where results go, and what happens when they cannot.

use crate::run::{Folder, Ran, target_folder};
use std::process::{Command, Stdio};

#[test]
fn json_lines_are_pure_whatever_the_model_prints() {
    let folder = Folder::shared();
    folder.model("counter");
    let ran = folder.check(&["counter.rs", "counter.rs", "--format", "json", "--set", "limit=3"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("printed by the model"), "{}", ran.stderr);
    let lines: Vec<serde_json::Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    for key in ["model", "case", "parameters", "states", "transitions", "seconds", "claims"] {
        assert!(lines[0].get(key).is_some(), "{key}");
    }
    assert_eq!(lines[0]["model"], "counter.rs");
    assert_eq!(lines[0]["parameters"], serde_json::json!({ "size": 5, "limit": 3 }));
    assert_eq!(lines[0]["claims"][0]["verdict"], "violated");
}

#[test]
#[cfg(target_os = "linux")]
fn results_that_cannot_be_written_are_an_error() {
    let folder = Folder::shared();
    folder.model("counter");
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let ran: Ran = folder.command(&["check", "counter.rs"]).stdout(full()).output().unwrap().into();
    ran.fails(2, &["cannot be written to standard output", "No space left"]);
    let mut command = folder.command(&["check", "missing.rs"]);
    let status = command.stdout(Stdio::null()).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_and_a_closed_output_are_taken_quietly() {
    let folder = Folder::shared();
    folder.model("counter");
    let shell = |script: &str| -> Ran {
        let command = folder.command(&[]);
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).arg(command.get_program()).current_dir(&folder.path);
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                shell.env(name, value);
            }
        }
        shell.output().unwrap().into()
    };
    let piped = shell(r#"{ "$0" check counter.rs counter.rs; echo "exit $?" >&2; } | true"#);
    assert!(piped.stderr.contains("exit 0"), "{piped:?}");
    assert!(!piped.stderr.contains("panic") && !piped.stderr.contains("error"), "{piped:?}");
    assert_eq!(shell(r#""$0" check counter.rs --set limit=3 >&-"#).code, 1);
    assert_eq!(shell(r#""$0" check missing.rs 2>&-"#).code, 2);
}

#[test]
fn colours_come_when_asked_for() {
    let folder = Folder::shared();
    assert!(folder.check(&["missing.rs", "--color", "always"]).stderr.contains("\x1b["));
    assert!(!folder.check(&["missing.rs"]).stderr.contains("\x1b["));
    let forced = folder.command(&["check", "missing.rs"]).env("NO_COLOR", "1").output().unwrap();
    assert!(!Ran::from(forced).stderr.contains("\x1b["));
}

#[test]
fn without_cargo_it_is_said_what_to_do() {
    let folder = Folder::shared();
    folder.model("counter");
    let run = |name: &str, value: &str| -> Ran {
        let mut command = folder.command(&["check", "counter.rs"]);
        command.env_remove("CARGO").env("PATH", "/nonexistent").env(name, value).output().unwrap().into()
    };
    run("PATH", "/nonexistent").fails(2, &["cannot start `cargo`", "rustup.rs"]);
    run("CARGO", "/no/such/cargo").fails(2, &["cannot start `/no/such/cargo`", "CARGO"]);
}

#[test]
fn a_target_folder_that_cannot_be_written_is_an_error() {
    let folder = Folder::shared();
    folder.model("counter");
    let below_a_file = folder.write("file", "").join("target");
    let run = |name: &str| -> Ran {
        folder.command(&["check", "counter.rs"]).env(name, &below_a_file).output().unwrap().into()
    };
    run("CARGO_TARGET_DIR").fails(2, &["building counter.rs", "file"]);
    run("XDG_CACHE_HOME").fails(2, &["cannot be written", "file/target/aftercalm"]);
    run("TMPDIR").fails(2, &["no place for the results"]);
}

#[test]
#[cfg(unix)]
fn a_model_run_by_hand_takes_the_same_options_and_prints_the_same() {
    let folder = Folder::shared();
    folder.model("counter");
    let checked = folder.check(&["counter.rs", "--set", "limit=3"]);
    let built = std::fs::read_dir(target_folder().join("model")).unwrap().map(|e| e.unwrap().path());
    let mut built: Vec<_> = built
        .filter(|path| path.extension().is_none())
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("model-counter-"))
        .collect();
    built.sort_by_key(|path| std::fs::metadata(path).unwrap().modified().unwrap());
    let run = |arguments: &[&str]| -> Ran {
        let mut command = Command::new(built.last().unwrap());
        command.args(arguments).env("COLUMNS", "100").env("LC_ALL", "C.UTF-8").output().unwrap().into()
    };
    let by_hand = run(&["--set", "limit=3"]);
    assert_eq!(by_hand.code, 1);
    let verdict =
        |ran: &Ran| ran.stdout.lines().find(|line| line.contains("violated")).map(ToOwned::to_owned).unwrap();
    assert_eq!(verdict(&by_hand), verdict(&checked));
    assert_eq!(run(&["--set", "limit=5"]).code, 0);
    assert_eq!(run(&["--max-states", "3"]).code, 4);
    run(&["--set", "size=99"]).fails(2, &["nobody counts to 99"]);
    run(&["--nonsense"]).fails(2, &["--nonsense"]);
    run(&["--help"]).ends(0, &["--set", "Exit codes"]);
}

#[test]
fn certificates_are_written_and_verified_and_what_they_took_is_said() {
    let folder = Folder::shared();
    folder.model("counter");
    let certificates = folder.path.join("certificates/deep");
    let ran = folder.check(&["counter.rs", "--certify", "certificates/deep"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let line = ran.stdout.lines().find(|l| l.starts_with("certified: ")).expect("a line for the claim");
    assert!(line.contains("5 states, 5 edges checked in ") && line.contains(" bytes in "), "{line}");
    let files: Vec<_> = std::fs::read_dir(&certificates).unwrap().map(|f| f.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let text = std::fs::read_to_string(&files[0]).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(line.contains(&format!("; {} bytes in ", text.len())), "{line}");
    assert_eq!((&file["model"], &file["parameters"]["limit"]), (&"counter.rs".into(), &5.into()));
    assert_eq!(file["certificate"]["states"], 5);
    // What does not hold is not certified, and objects stay alone on standard output.
    let ran = folder.check(&["counter.rs", "--certify", "certificates/deep", "--set", "limit=3"]);
    assert!(ran.code == 1 && !ran.stdout.contains("certified"), "{ran:?}");
    let ran = folder.check(&["counter.rs", "--certify", "certificates/deep", "--format", "json"]);
    assert!(ran.stdout.lines().count() == 1 && ran.stderr.contains("certified: "), "{ran:?}");
    // A folder that cannot be made is an error; the verdict is shown all the same.
    let ran = folder.check(&["counter.rs", "--certify", "counter.rs/no"]);
    assert!(ran.code == 2 && ran.stderr.contains("cannot be written"), "{ran:?}");
    assert!(ran.stdout.contains("holds"), "{ran:?}");
}
