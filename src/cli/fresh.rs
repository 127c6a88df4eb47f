//! The file on disk is what is checked, never a stale build.
//!
//! Cargo rebuilds what was modified after the last build, by modification time. A file that was put in place with an older
//! time (`mv`, `cp -p`, `rsync -t`, an unpacked archive) escapes it. The time of the last change of the *inode* cannot be
//! set by any of these; so a source that is older than the program by the one clock and newer by the other makes Cargo
//! forget the package before it builds. In the worst case that is one needless build (after a `chmod`, say). Cost: one
//! `stat` for each source file.

use super::build::profile_arguments;
use super::cargo::{CargoError, cargo};
use super::path::ModelFile;
use super::target::{Buildable, Sort};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Makes Cargo forget the model's package where a source of it was put in place unnoticed.
///
/// # Errors
/// Where Cargo cannot be started, or the run is interrupted.
pub fn forget_if_stale(file: &ModelFile, target: &Buildable) -> Result<(), CargoError> {
    let folder = target.target_folder.join("model");
    let folder = if target.sort == Sort::Example { folder.join("examples") } else { folder };
    let program = folder.join(format!("{}{}", target.name, std::env::consts::EXE_SUFFIX));
    let Ok(built) = fs::metadata(&program) else { return Ok(()) };
    let listed = fs::read_to_string(folder.join(format!("{}.d", target.name))).unwrap_or_default();
    let package = target.manifest.parent().unwrap_or(Path::new("/"));
    let own = |source: &PathBuf| source.starts_with(file.folder()) || source.starts_with(package);
    if !sources(&listed).iter().filter(|source| own(source)).any(|source| put_in_place_since(source, &built))
    {
        return Ok(());
    }
    let mut arguments: Vec<OsString> =
        ["clean", "--quiet", "--profile", "model", "--package"].map(Into::into).to_vec();
    arguments.push(target.package.clone().into());
    arguments.extend(profile_arguments());
    arguments.extend(["--manifest-path".into(), target.manifest.clone().into()]);
    arguments.extend(["--target-dir".into(), target.target_folder.clone().into()]);
    let doing = format!("removing the stale build of {}", file.named);
    let ran = cargo(file.folder(), &arguments, &doing, |_| ())?;
    if ran.status.success() { Ok(()) } else { Err(CargoError::Failed { doing, said: ran.stderr }) }
}

#[cfg(unix)]
fn put_in_place_since(source: &Path, built: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let built = (built.mtime(), built.mtime_nsec());
    fs::metadata(source).is_ok_and(|source| {
        (source.mtime(), source.mtime_nsec()) <= built && (source.ctime(), source.ctime_nsec()) > built
    })
}

#[cfg(not(unix))]
fn put_in_place_since(_: &Path, _: &fs::Metadata) -> bool {
    false
}

/// The sources that a dependency file of Cargo's lists: `program: source source`, blanks in names escaped.
fn sources(listed: &str) -> Vec<PathBuf> {
    let line = listed.lines().next().unwrap_or_default();
    let Some((_, names)) = line.split_once(": ") else { return Vec::new() };
    let mut sources = vec![String::new()];
    let mut characters = names.chars();
    while let Some(c) = characters.next() {
        match (c, sources.last_mut()) {
            (' ', _) => sources.push(String::new()),
            ('\\', Some(last)) => last.extend(characters.next()),
            (c, Some(last)) => last.push(c),
            (_, None) => {}
        }
    }
    sources.into_iter().filter(|source| !source.is_empty()).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_file_lists_names_with_blanks() {
        let sources = sources("/t/model/x: /a/my\\ storm.rs /a/b.rs\n");
        assert_eq!(sources, [PathBuf::from("/a/my storm.rs"), PathBuf::from("/a/b.rs")]);
    }
}
