//! What can be enforced about the tree mechanically.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules from left to right; those in one group are on one level. A module may use those to its left, and its own level
/// only where it is alone on it.
const LEVELS: [&[&str]; 10] = [
    &["model"],
    &["actor", "policy"],
    &["component"],
    &["property"],
    &["witness", "certificate"],
    &["check"],
    &["report"],
    &["explore", "spec"],
    &["harness"],
    &["cli"],
];

/// The modules that may touch files, processes, the environment and the terminal.
const WITH_IO: [&str; 4] = ["report", "explore", "harness", "cli"];

/// A file longer than this does more than one thing.
const LINES_MAX: usize = 800;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Each source file with the top module that it belongs to.
fn sources() -> Vec<(String, PathBuf, String)> {
    let src = root().join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    files.sort();
    let module = |path: &Path| {
        let first = path.strip_prefix(&src).unwrap().components().next().unwrap();
        first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned()
    };
    files.iter().map(|f| (module(f), f.clone(), fs::read_to_string(f).unwrap())).collect()
}

/// The lines of code: without comments, and without the unit tests at the end of a file.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().take_while(|l| l.trim() != "#[cfg(test)]").enumerate();
    lines.map(|(i, l)| (i + 1, l.split("//").next().unwrap_or("").trim())).filter(|(_, l)| !l.is_empty())
}

fn level(module: &str) -> Option<usize> {
    LEVELS.iter().position(|group| group.contains(&module))
}

#[test]
fn a_module_uses_only_modules_to_its_left() {
    let mut wrong = Vec::new();
    let mut uses = 0;
    for (module, path, text) in sources() {
        if module == "lib" || module == "main" {
            continue;
        }
        let own = level(&module).unwrap_or_else(|| panic!("{module} has no place in the order of modules"));
        for (line, code) in code(&text) {
            for used in code.split("crate::").skip(1) {
                let used: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                uses += 1;
                if used != module && level(&used).is_some_and(|l| l >= own) {
                    wrong.push(format!("{}:{line}: {module} uses {used}", path.display()));
                }
            }
        }
    }
    assert!(uses > 10, "the scan sees the imports");
    assert!(wrong.is_empty(), "imports that go to the right:\n{}", wrong.join("\n"));
}

#[test]
fn only_the_outermost_modules_do_io() {
    let io =
        ["std::fs", "std::net", "std::process", "std::env", "println!", "eprintln!", "print!(", "std::io"];
    let mut wrong = Vec::new();
    for (module, path, text) in sources() {
        if WITH_IO.contains(&module.as_str()) || module == "main" {
            continue;
        }
        for (line, code) in code(&text) {
            for word in io.iter().filter(|word| code.contains(**word)) {
                wrong.push(format!("{}:{line}: {word}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "I/O where none belongs:\n{}", wrong.join("\n"));
}

#[test]
fn what_judges_the_search_does_not_know_it() {
    let judges = |module: &str| module == "witness" || module == "certificate";
    for (module, path, text) in sources().into_iter().filter(|(m, ..)| judges(m)) {
        assert!(
            !code(&text).any(|(_, l)| l.contains("check")),
            "{module}: {} mentions the search",
            path.display()
        );
    }
}

#[test]
fn every_file_says_what_it_is_for_and_does_one_thing() {
    let mut wrong = Vec::new();
    for (_, path, text) in sources() {
        if !text.starts_with("//!") {
            wrong.push(format!("{}: does not open with what it is for", path.display()));
        }
        let lines = text.lines().count();
        if lines > LINES_MAX {
            wrong.push(format!("{}: {lines} lines, more than {LINES_MAX}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_model_is_a_declared_example() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    for entry in fs::read_dir(root().join("models")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".rs") {
            assert!(
                manifest.contains(&format!("path = \"models/{name}\"")),
                "models/{name} is no declared example"
            );
        }
    }
}
