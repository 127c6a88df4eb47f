//! Which files changed since a revision, as git says.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files of the repository around `folder` that differ from `revision` in the work tree, new ones included: absolute
/// paths. None: `folder` is in no repository.
///
/// # Errors
/// Where git cannot be run, or does not know the revision.
pub fn since(revision: &str, folder: &Path) -> Result<Option<Vec<PathBuf>>, String> {
    let Ok(top) = git(folder, &["rev-parse", "--show-toplevel"]) else {
        return match Command::new("git").arg("--version").output() {
            Ok(_) => Ok(None),
            Err(error) => Err(format!("--changed needs git, which cannot be run: {error}")),
        };
    };
    let top = PathBuf::from(top.trim_end_matches('\n'));
    let commit = format!("{revision}^{{commit}}");
    if revision.starts_with('-') || git(&top, &["rev-parse", "--verify", "--quiet", &commit]).is_err() {
        return Err(format!("--changed {revision}: the repository {} has no such revision", top.display()));
    }
    let changed = git(&top, &["diff", "--name-only", "--no-renames", "-z", revision, "--"])?;
    let new = git(&top, &["ls-files", "--others", "--exclude-standard", "-z"])?;
    let names = changed.split('\0').chain(new.split('\0')).filter(|name| !name.is_empty());
    Ok(Some(names.map(|name| top.join(OsStr::new(name))).collect()))
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let ran = Command::new("git").arg("-C").arg(folder).args(arguments).output();
    let ran = ran.map_err(|error| format!("git cannot be run: {error}"))?;
    if ran.status.success() {
        Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
    } else {
        Err(format!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&ran.stderr).trim()))
    }
}
