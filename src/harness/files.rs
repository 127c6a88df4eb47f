//! What is written to files of its own: the page, and paths in the forms of other tools.

use super::options::FileArgs;
use crate::property::Verdict;
use crate::report::{self, CaseResult, ClaimResult};
use std::path::{Path, PathBuf};

/// Writes what was asked for. `cases` are all results of the run, each with the command that repeats it.
///
/// # Errors
/// A sentence that says what could not be written, and why.
pub fn write(args: &FileArgs, cases: &[(CaseResult, String)]) -> Result<(), String> {
    if let Some(file) = &args.html {
        put(file, &report::html(cases))?;
    }
    type Form = fn(&CaseResult, &ClaimResult) -> Option<String>;
    let forms: [(&Option<PathBuf>, Form, &str); 3] = [
        (&args.mermaid, report::mermaid, "the model is no timed system, or no message is on the path"),
        (&args.itf, report::itf, ""),
        (&args.shiviz, report::shiviz, "the model is no timed system, or no message is on the path"),
    ];
    for (file, form, otherwise) in forms {
        let Some(file) = file else { continue };
        let (case, claim) = chosen(cases, args.claim.as_deref())
            .map_err(|why| format!("nothing was written to {}: {why}", file.display()))?;
        match form(case, claim) {
            Some(text) => put(file, &text)?,
            None => return Err(format!("nothing was written to {}: {otherwise}", file.display())),
        }
    }
    Ok(())
}

/// The claim whose path is wanted.
fn chosen<'a>(
    cases: &'a [(CaseResult, String)],
    name: Option<&str>,
) -> Result<(&'a CaseResult, &'a ClaimResult), String> {
    let all = || cases.iter().flat_map(|(case, _)| case.claims.iter().map(move |claim| (case, claim)));
    let Some(name) = name else {
        let violated = all().find(|(_, claim)| claim.verdict == Verdict::Violated && claim.witness.is_some());
        return violated.ok_or_else(|| "no claim is violated by a path".to_owned());
    };
    let names: Vec<&str> = all().map(|(_, claim)| claim.name.as_str()).collect();
    if !names.contains(&name) {
        return Err(format!("there is no claim `{name}`; there are: {}", names.join(", ")));
    }
    let with_path = all().find(|(_, claim)| claim.name == name && claim.witness.is_some());
    with_path.ok_or_else(|| format!("no path shows the verdict on `{name}`"))
}

/// Written beside its name and renamed, so that a full disk leaves no half of it.
fn put(file: &Path, text: &str) -> Result<(), String> {
    let mut part = file.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let written = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, file));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&part);
        format!("`{}` cannot be written: {error}", file.display())
    })
}
