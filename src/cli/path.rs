//! What a user named on the command line: is it a model file, and if not, what might have been meant?

use crate::model::edits;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

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
        /// Model files nearby with a name like it.
        near: Vec<String>,
    },
    /// A folder.
    #[error(
        "is a folder; folders of specs are not supported yet. `aftercalm check` accepts model files: FILE.rs, a Rust program that ends in `aftercalm::run(system)`"
    )]
    Folder,
    /// A TOML file.
    #[error(
        "is a TOML file; specs and declared systems are not supported yet. `aftercalm check` accepts model files: FILE.rs, a Rust program that ends in `aftercalm::run(system)`"
    )]
    Toml,
    /// Another file.
    #[error("is no Rust file; `aftercalm check` accepts model files, whose names end in .rs")]
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

impl ModelFile {
    /// The model file that `given` names.
    ///
    /// # Errors
    /// Where it is none.
    pub fn find(given: &Path) -> Result<Self, PathError> {
        let metadata = match std::fs::metadata(given) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(PathError::Missing { near: near(given) });
            }
            Err(error) => return Err(error.into()),
        };
        let extension = given.extension().unwrap_or_default();
        if metadata.is_dir() {
            return Err(PathError::Folder);
        } else if extension == "toml" {
            return Err(PathError::Toml);
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

/// The model files in the folder of `given` whose names are most like its own: at most a third of the letters changed.
fn near(given: &Path) -> Vec<String> {
    let folder = given.parent().unwrap_or(Path::new(""));
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let wanted = stem(given);
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut found: Vec<(usize, String)> = std::fs::read_dir(listed)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| PathBuf::from(entry.file_name()))
        .filter(|name| name.extension() == Some(OsStr::new("rs")))
        .map(|name| (edits(&wanted, &stem(&name)), folder.join(name).display().to_string()))
        .filter(|(distance, _)| *distance <= wanted.chars().count().max(3) / 3)
        .collect();
    found.sort();
    found.into_iter().take(3).map(|(_, name)| name).collect()
}
