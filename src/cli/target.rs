//! From a model file to something that Cargo can build.
//!
//! 1. The file is the source of a binary or an example of the package around it: that target.
//! 2. It lies in a package, but is no target of it: a generated package that stands in for a new target there.
//! 3. It lies in no package (a workspace's root without one counts as none): a generated package in the cache.

use super::cargo::{CargoError, Metadata, metadata};
use super::generate::{self, GenerateError};
use super::path::ModelFile;
use std::path::{Path, PathBuf};

/// Something that Cargo can build, and that is the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buildable {
    /// The manifest of its package.
    pub manifest: PathBuf,
    /// The name of the package.
    pub package: String,
    /// Which sort of target it is.
    pub sort: Sort,
    /// Its name.
    pub name: String,
    /// Features without which it is not built.
    pub features: Vec<String>,
    /// Where to build it.
    pub target_folder: PathBuf,
    /// Whether the model lies in no package, so that it can use what we declare and nothing else.
    pub lone: bool,
}

/// The sorts of targets that are programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A binary.
    Bin,
    /// An example.
    Example,
}

impl Sort {
    /// The word for it in Cargo's options and messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bin => "bin",
            Self::Example => "example",
        }
    }
}

/// Why a model file has no target.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// Cargo cannot say what there is.
    #[error(transparent)]
    Cargo(#[from] CargoError),
    /// No package can be generated.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// Several targets have this source.
    #[error(
        "is the source of {} targets ({}), so it is not clear which one to build: keep one of them",
        .targets.len(), .targets.join(", "))]
    Ambiguous {
        /// The targets, in words.
        targets: Vec<String>,
    },
    /// The only target with this source is no program.
    #[error(
        "is the source of {target}, not of a program: a model is a binary, an example, or a file of its own"
    )]
    NoProgram {
        /// The target, in words.
        target: String,
    },
}

/// Finds, or makes, what builds `file`.
///
/// # Errors
/// Where it is not clear what that is, or a package has to be generated and cannot be.
pub fn locate(file: &ModelFile) -> Result<Buildable, TargetError> {
    let Some(manifest) = nearest_manifest(file.folder()) else {
        return Ok(generate::lone(file)?);
    };
    let workspace = metadata(&manifest)?;
    if let Some(target) = declared(file, &workspace)? {
        return Ok(target);
    }
    let manifest = resolved(&manifest);
    match workspace.packages.iter().find(|package| resolved(&package.manifest_path) == manifest) {
        Some(owner) => Ok(generate::owned(file, &workspace, owner)?),
        None => Ok(generate::lone(file)?),
    }
}

fn nearest_manifest(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join("Cargo.toml")).find(|manifest| manifest.is_file())
}

fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The declared target whose source is `file`, if there is one.
fn declared(file: &ModelFile, workspace: &Metadata) -> Result<Option<Buildable>, TargetError> {
    let mut programs = Vec::new();
    let mut others = Vec::new();
    for package in &workspace.packages {
        for target in &package.targets {
            // Comparing names first saves resolving the path of every target of a large workspace.
            let same_name = target.src_path.file_name() == file.path.file_name();
            let is_link = || target.src_path.is_symlink();
            if !(same_name || is_link()) || resolved(&target.src_path) != file.path {
                continue;
            }
            let in_words = |kind: &str| format!("{kind} `{}` of package `{}`", target.name, package.name);
            let sort = target.kind.iter().find_map(|kind| match kind.as_str() {
                "bin" => Some(Sort::Bin),
                "example" => Some(Sort::Example),
                _ => None,
            });
            match sort {
                Some(sort) => programs.push((in_words(sort.word()), package, target, sort)),
                None => others.push(in_words(&target.kind.join("/"))),
            }
        }
    }
    match programs.as_slice() {
        [] => match others.into_iter().next() {
            Some(target) => Err(TargetError::NoProgram { target }),
            None => Ok(None),
        },
        [(_, package, target, sort)] => Ok(Some(Buildable {
            manifest: package.manifest_path.clone(),
            package: package.name.clone(),
            sort: *sort,
            name: target.name.clone(),
            features: target.required_features.clone(),
            target_folder: workspace.target_directory.clone(),
            lone: false,
        })),
        several => Err(TargetError::Ambiguous {
            targets: several.iter().map(|(in_words, ..)| in_words.clone()).collect(),
        }),
    }
}
