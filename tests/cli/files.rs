//! What a user can name on the command line that is no model file.

use crate::run::{Folder, source};
use std::process::Command;

#[test]
fn a_missing_file_is_told_with_names_like_it() {
    let folder = Folder::new("missing");
    folder.write("fb-config.rs", "");
    folder.check(&["fb-confg.rs"]).fails(2, &["fb-confg.rs: no such file", "did you mean fb-config.rs?"]);
    folder.check(&["fb-config"]).fails(2, &["did you mean fb-config.rs?"]);
    let far = folder.check(&["storm.rs"]);
    far.fails(2, &["storm.rs: no such file"]);
    assert!(!far.stderr.contains("did you mean"), "{}", far.stderr);
    folder.check(&["nowhere/storm.rs"]).fails(2, &["nowhere/storm.rs: no such file"]);
}

#[test]
fn what_is_no_model_file_is_told_with_what_is_accepted() {
    let folder = Folder::shared();
    folder.write("notes.txt", "");
    folder.write("empty/notes.txt", "");
    folder.check(&["empty"]).fails(2, &["is a folder without suites", ".toml"]);
    folder.check(&["notes.txt"]).fails(2, &["is no Rust file"]);
    folder.check(&["/dev/null"]).fails(2, &["is no Rust file"]);
}

#[test]
#[cfg(unix)]
fn a_pipe_is_not_waited_for() {
    let folder = Folder::shared();
    let _ = std::fs::remove_file(folder.path.join("pipe.rs"));
    assert!(Command::new("mkfifo").arg(folder.path.join("pipe.rs")).status().unwrap().success());
    folder.check(&["pipe.rs"]).fails(2, &["no regular file"]);
}

#[test]
fn wrong_usage_is_told_by_the_option() {
    let folder = Folder::shared();
    folder.run(&[]).fails_usage();
    folder.check(&[]).fails(2, &["<PATH>"]);
    folder.check(&["a.rs", "--max-memory", "8"]).fails(2, &["--max-memory", "8GiB"]);
    folder.check(&["a.rs", "--max-time", "soon"]).fails(2, &["--max-time", "30s"]);
    folder.check(&["a.rs", "--max-states", "0"]).fails(2, &["--max-states"]);
    folder.check(&["a.rs", "--format", "xml"]).fails(2, &["--format", "json"]);
    folder.check(&["a.rs", "--colour", "always"]).fails(2, &["--color"]);
    folder.run(&["chekc", "a.rs"]).fails(2, &["check"]);
}

#[test]
fn the_exit_codes_are_in_the_help() {
    let help = Folder::shared().check(&["--help"]);
    help.ends(0, &["Exit codes:", "4   nothing is violated, but", "70  internal error", "--max-memory"]);
}

impl crate::run::Ran {
    fn fails_usage(&self) {
        assert_eq!(self.code, 2, "{self:#?}");
        assert!(self.stderr.contains("Usage:"), "{}", self.stderr);
    }
}

#[test]
fn a_file_that_does_not_compile_shows_what_rustc_says() {
    let folder = Folder::shared();
    folder.model("not_rust");
    folder
        .check(&["not_rust.rs"])
        .fails(3, &["unclosed delimiter", "not_rust.rs:2", "not_rust.rs: did not compile"]);
    folder.model("no_main");
    folder
        .check(&["no_main.rs"])
        .fails(3, &["E0601", "no `main`", "fn main() -> ExitCode { aftercalm::run(system) }"]);
    folder.model("undeclared");
    folder.check(&["undeclared.rs"]).fails(3, &["`tokio`", "hint", "aftercalm, stateright and serde"]);
}

#[test]
fn one_broken_file_does_not_stop_the_others_and_the_worst_decides() {
    let folder = Folder::shared();
    folder.model("counter");
    folder.model("not_rust");
    let ran = folder.check(&["missing.rs", "counter.rs", "not_rust.rs", "counter.rs"]);
    ran.fails(2, &["missing.rs: no such file", "not_rust.rs: did not compile"]);
    assert_eq!(ran.stdout.matches("counter.rs").count(), 2, "{}", ran.stdout);
    folder.check(&["not_rust.rs", "counter.rs", "--set", "limit=3"]).fails(3, &["did not compile"]);
}

#[test]
fn blanks_letters_of_any_script_and_links_are_fine_in_names() {
    let folder = Folder::new("names");
    folder.write("a dir/größe \"und\" 嵐.rs", &source("counter"));
    folder.check(&["a dir/größe \"und\" 嵐.rs"]).ends(0, &["a dir/größe \"und\" 嵐.rs"]);
    let link = folder.path.join("link.rs");
    let _ = std::fs::remove_file(&link);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a dir/größe \"und\" 嵐.rs", &link).unwrap();
        folder.check(&["link.rs"]).ends(0, &["link.rs"]);
    }
}

#[test]
fn files_of_the_same_name_do_not_meet() {
    let folder = Folder::new("same-name");
    folder.write("a/counter.rs", &source("counter"));
    folder.write("b/counter.rs", &source("counter").replace("limit: 5", "limit: 3"));
    folder.check(&["a/counter.rs"]).ends(0, &[]);
    folder.check(&["b/counter.rs"]).ends(1, &[]);
    folder.check(&["a/counter.rs"]).ends(0, &[]);
}

#[test]
fn what_is_checked_is_the_file_on_disk() {
    let folder = Folder::new("edit");
    let (good, bad) = (source("counter"), source("counter").replace("limit: 5", "limit: 3"));
    std::fs::write(folder.path.join("edit.rs"), &good).unwrap();
    std::fs::write(folder.path.join("older.rs"), &bad).unwrap();
    folder.check(&["edit.rs"]).ends(0, &[]);
    std::fs::write(folder.path.join("edit.rs"), &bad).unwrap();
    folder.check(&["edit.rs"]).ends(1, &[]);
    std::fs::write(folder.path.join("edit.rs"), &good).unwrap();
    folder.check(&["edit.rs"]).ends(0, &[]);
    // Put in place by renaming, with a time of change from before the last build.
    std::fs::rename(folder.path.join("older.rs"), folder.path.join("edit.rs")).unwrap();
    folder.check(&["edit.rs"]).ends(1, &[]);
}

#[test]
fn a_renamed_folder_brings_its_files_along() {
    let folder = Folder::new("renamed");
    let _ = std::fs::remove_dir_all(folder.path.join("old"));
    let bad = source("counter").replace("limit: 5", "limit: 3");
    folder.write("new/model.rs", &bad);
    folder.write("now/model.rs", &source("counter"));
    folder.check(&["now/model.rs"]).ends(0, &[]);
    let at = |name: &str| folder.path.join(name);
    std::fs::rename(at("now"), at("old")).unwrap();
    std::fs::rename(at("new"), at("now")).unwrap();
    folder.check(&["now/model.rs"]).ends(1, &[]);
}

#[test]
fn two_checks_at_the_same_time_do_not_disturb_each_other() {
    let folder = Folder::new("at-once");
    std::fs::write(folder.path.join("counter.rs"), source("counter")).unwrap();
    let start = |arguments: &[&str]| {
        let mut command = folder.command(arguments);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let good = start(&["check", "counter.rs"]);
    let bad = start(&["check", "counter.rs", "--set", "limit=3"]);
    let ran = |child: std::process::Child| crate::run::Ran::from(child.wait_with_output().unwrap());
    ran(good).ends(0, &[]);
    ran(bad).ends(1, &[]);
}
