//! Model files in a user's own package: declared targets, undeclared files, and manifests that are wrong.

use crate::run::{Folder, source};

const AFTERCALM: &str = concat!("{ path = '", env!("CARGO_MANIFEST_DIR"), "' }");

/// A package with a library that says how far to count, an example, and a file that is no target.
fn package(test: &str) -> Folder {
    let folder = Folder::new(test);
    let manifest = format!(
        "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\nmembers = [\"helper\"]\n\n\
         [dependencies]\nhelper = {{ workspace = true }}\n\n[dev-dependencies]\naftercalm = {AFTERCALM}\nstateright = \"=0.31.0\"\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\n\n[workspace.dependencies]\nhelper = {{ path = \"helper\" }}\n\n\
         [profile.release]\npanic = \"abort\"\noverflow-checks = false\n"
    );
    folder.write("Cargo.toml", &manifest);
    let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock")).unwrap();
    if !folder.path.join("Cargo.lock").exists() {
        folder.write("Cargo.lock", &lock);
    }
    folder.write(
        "helper/Cargo.toml",
        "[package]\nname = \"helper\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    folder.write("helper/src/lib.rs", "pub const LIMIT: u8 = 3;\n");
    folder.write("src/lib.rs", "pub fn limit() -> u8 { helper::LIMIT }\n");
    folder.write("examples/storm.rs", &source("counter").replace("limit: 5", "limit: shop::limit()"));
    let undeclared = source("counter").replace("limit: 5", "limit: shop::limit() + helper::LIMIT");
    folder.write("models/calm.rs", &undeclared);
    folder.write("models/faulty.rs", &source("faulty"));
    folder
}

#[test]
fn a_declared_example_is_found_by_its_source() {
    let folder = package("package");
    folder.check(&["examples/storm.rs"]).ends(1, &["examples/storm.rs", "violated"]);
    let path = folder.path.join("examples/storm.rs");
    Folder::new("elsewhere").check(&[path.to_str().unwrap()]).ends(1, &["violated"]);
}

#[test]
fn a_file_that_is_no_target_can_use_the_package_and_its_dependencies() {
    let folder = package("package-undeclared");
    folder.check(&["models/calm.rs"]).ends(0, &["models/calm.rs", "holds"]);
    folder
        .check(&["models/faulty.rs", "--set", "at=overflow"])
        .fails(2, &["attempt to subtract with overflow"]);
}

#[test]
fn two_targets_with_the_same_source_are_told() {
    let folder = package("two-targets");
    let manifest = std::fs::read_to_string(folder.path.join("Cargo.toml")).unwrap();
    if !manifest.contains("tempest") {
        let more = "\n[[example]]\nname = \"tempest\"\npath = \"examples/storm.rs\"\n\n[[bin]]\nname = \"gale\"\npath = \"examples/storm.rs\"\n";
        std::fs::write(folder.path.join("Cargo.toml"), manifest + more).unwrap();
    }
    let ran = folder.check(&["examples/storm.rs"]);
    ran.fails(2, &["example `tempest` of package `shop`", "bin `gale` of package `shop`", "keep one"]);
}

#[test]
fn a_library_is_no_model() {
    let folder = package("library");
    folder.check(&["src/lib.rs"]).fails(2, &["lib `shop` of package `shop`", "not of a program"]);
}

#[test]
fn a_broken_manifest_shows_what_cargo_says_and_what_we_wanted() {
    let folder = Folder::new("broken-manifest");
    folder.write("Cargo.toml", "[package]\nname = \"shop\nversion = \"0.1.0\"\n");
    folder.model("counter");
    folder
        .check(&["counter.rs"])
        .fails(2, &["looking for the model's target", "Cargo.toml", "invalid basic string"]);
}

#[test]
fn dependencies_that_cannot_be_resolved_are_no_compile_error() {
    let folder = Folder::new("broken-dependency");
    let manifest = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n\n[dependencies]\n";
    folder.write("Cargo.toml", &format!("{manifest}helper = {{ path = \"helper\", version = \"2\" }}\n"));
    folder.write(
        "helper/Cargo.toml",
        "[package]\nname = \"helper\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    folder.write("helper/src/lib.rs", "");
    folder.write("src/main.rs", "fn main() {}\n");
    folder.check(&["src/main.rs"]).fails(2, &["while building src/main.rs", "helper = \"^2\""]);
}

#[test]
fn a_library_that_does_not_compile_is_a_compile_error() {
    let folder = package("broken-library");
    folder.write("src/lib.rs", "pub fn limit() -> u8 { \"many\" }\n");
    folder.check(&["models/calm.rs"]).fails(3, &["mismatched types", "models/calm.rs: did not compile"]);
}

#[test]
fn the_root_of_a_workspace_without_a_package_owns_no_file() {
    let folder = Folder::new("virtual");
    folder.write("Cargo.toml", "[workspace]\nmembers = [\"helper\"]\nresolver = \"3\"\n");
    folder.write(
        "helper/Cargo.toml",
        "[package]\nname = \"helper\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    folder.write("helper/src/lib.rs", "");
    folder.model("counter");
    folder.check(&["counter.rs"]).ends(0, &["holds"]);
}
