//! What a user named on the command line: is it a model file, and if not, what might have been meant?

use crate::model::edits;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// A model file: named by the user, and found.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// As the user named it; messages and results use this.
    pub named: String,
    /// Absolute, symbolic links resolved.
    pub path: PathBuf,
}

/// A path that is no model file.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// Nothing is there.
    #[error("no such file{}", hint(.near))]
    Missing {
        /// Files nearby with a name like it.
        near: Vec<String>,
    },
    /// A folder where a model file was to be.
    #[error("is a folder, no model file")]
    Folder,
    /// A folder without suites.
    #[error("is a folder without suites: no file in it, or below it, has a name that ends in .toml")]
    NoSuites,
    /// Another file.
    #[error(
        "is no Rust file; `aftercalm check` accepts model files, whose names end in .rs, suites, whose names end in .toml, and folders of suites"
    )]
    NotRust,
    /// A device, a pipe, a socket.
    #[error("is no regular file")]
    NotRegular,
    /// Cargo reads manifests, which are UTF-8.
    #[error("its absolute path is not valid UTF-8, which Cargo cannot build from")]
    NotUtf8,
    /// The system refuses.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
}

fn hint(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(" or ")),
    }
}

impl PathError {
    /// Nothing is at `given`, where a file with this extension was to be.
    pub fn missing(given: &Path, extension: &str) -> Self {
        Self::Missing { near: near(given, extension) }
    }
}

impl ModelFile {
    /// The model file that `given` names.
    ///
    /// # Errors
    /// Where it is none.
    pub fn find(given: &Path) -> Result<Self, PathError> {
        let metadata = match std::fs::metadata(given) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(PathError::missing(given, "rs"));
            }
            Err(error) => return Err(error.into()),
        };
        let extension = given.extension().unwrap_or_default();
        if metadata.is_dir() {
            return Err(PathError::Folder);
        } else if extension != "rs" {
            return Err(PathError::NotRust);
        } else if !metadata.is_file() {
            return Err(PathError::NotRegular);
        }
        // A file that cannot be opened is told here, in one line, rather than by rustc.
        std::fs::File::open(given)?;
        let path = given.canonicalize()?;
        if path.to_str().is_none() {
            return Err(PathError::NotUtf8);
        }
        Ok(Self { named: given.display().to_string(), path })
    }

    /// The folder that the file is in.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }
}

/// The suites in `folder` and below it, in the order of their names. Hidden files and folders are left out.
///
/// # Errors
/// Where there is none, or a folder cannot be read.
pub fn suites_in(folder: &Path) -> Result<Vec<PathBuf>, PathError> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            } else if entry.file_type()?.is_dir() {
                pending.push(path);
            } else if path.extension() == Some(OsStr::new("toml")) {
                found.push(path);
            }
        }
    }
    found.sort();
    if found.is_empty() { Err(PathError::NoSuites) } else { Ok(found) }
}

/// The path without `.` and, where that is certain, without `..`: for people, not for the system.
pub fn lexical(path: &Path) -> PathBuf {
    let mut simple = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(simple.components().next_back(), Some(Component::Normal(_))) => {
                simple.pop();
            }
            part => simple.push(part),
        }
    }
    simple
}

/// The files with this extension in the folder of `given` whose names are most like its own: at most a third of the letters
/// changed.
fn near(given: &Path, extension: &str) -> Vec<String> {
    let folder = given.parent().unwrap_or(Path::new(""));
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let wanted = stem(given);
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut found: Vec<(usize, String)> = std::fs::read_dir(listed)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| PathBuf::from(entry.file_name()))
        .filter(|name| name.extension() == Some(OsStr::new(extension)))
        .map(|name| (edits(&wanted, &stem(&name)), folder.join(name).display().to_string()))
        .filter(|(distance, _)| *distance <= wanted.chars().count().max(3) / 3)
        .collect();
    found.sort();
    found.into_iter().take(3).map(|(_, name)| name).collect()
}
