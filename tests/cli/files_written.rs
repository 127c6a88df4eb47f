//! The files that a check writes beside its results: the page, and paths in the forms of other tools.

use crate::run::Folder;

/// What was written to a file of the folder.
fn written(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn storm() -> Folder {
    let folder = Folder::shared();
    folder.model("storm");
    folder
}

#[test]
fn the_page_needs_nothing_else_and_tells_the_path() {
    let folder = storm();
    let ran = folder.check(&["storm.rs", "--html", "page.html"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let page = written(&folder, "page.html");
    for forbidden in ["http://", "https://", "src=", "@import", "url("] {
        let allowed = ["http://www.w3.org/2000/svg", "url(#c"];
        let found =
            page.match_indices(forbidden).find(|(at, _)| !allowed.iter().any(|a| page[*at..].starts_with(a)));
        assert!(
            found.is_none(),
            "{forbidden} in {:?}",
            found.map(|(at, _)| &page[at..(at + 80).min(page.len())])
        );
    }
    for needed in ["default-src 'none'", "<html lang=\"en\">", "data-step=\"0\"", "aftercalm check storm.rs"]
    {
        assert!(page.contains(needed), "{needed}");
    }
}

#[test]
fn a_path_is_written_for_other_tools() {
    let folder = storm();
    let ran = folder.check(&["storm.rs", "--itf", "path.itf.json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let trace: serde_json::Value = serde_json::from_str(&written(&folder, "path.itf.json")).unwrap();
    let states = trace["states"].as_array().unwrap();
    let vars = trace["vars"].as_array().unwrap();
    assert!(states.len() > 1 && trace["#meta"]["format"] == "ITF");
    assert!(states.iter().all(|state| vars.iter().all(|var| state.get(var.as_str().unwrap()).is_some())));
}

#[test]
fn what_cannot_be_written_is_an_error_and_the_results_are_shown_all_the_same() {
    let folder = storm();
    let ran = folder.check(&["storm.rs", "--html", "nowhere/page.html"]);
    assert!(ran.code == 2 && ran.stderr.contains("`nowhere/page.html` cannot be written"), "{ran:?}");
    assert!(ran.stdout.contains("violated"), "{ran:?}");
    let ran = folder.check(&["storm.rs", "--itf", "path.json", "--path-of", "no such"]);
    assert!(ran.code == 2 && ran.stderr.contains("there is no claim `no such`; there are: "), "{ran:?}");
}
