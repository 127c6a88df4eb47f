//! Packages for model files that are no target of their own: one `[[bin]]` whose source is the file where it lies.
//!
//! Their folders and names carry a hash of the file's path, so that files of the same name do not meet. Every file is
//! written under another name and renamed, and only where its text changes, so that two runs at once write the same or
//! nothing. Cargo's own lock on the target folder does the rest.

use super::cargo::{Dependency, Metadata, Package};
use super::path::ModelFile;
use super::target::{Buildable, Sort};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The version of stateright that a lone file gets, the one that aftercalm itself depends on.
const STATERIGHT: &str = "=0.31.0";

/// Where aftercalm was built from.
const CHECKOUT: &str = env!("CARGO_MANIFEST_DIR");

/// Why a package cannot be generated.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// A file of it cannot be written.
    #[error("the package that builds it cannot be written: `{}`: {error}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// There is no cache folder.
    #[error("there is no folder to build it in: set HOME or XDG_CACHE_HOME")]
    NoCache,
    /// The workspace's manifest, which Cargo has read before, cannot be read.
    #[error("`{}` cannot be read: {reason}", .path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A manifest cannot be written as TOML.
    #[error("the package that builds it cannot be described: {0}")]
    Toml(#[from] toml::ser::Error),
}

/// A package for a file that lies in no package: it can use aftercalm, stateright and serde.
///
/// It is built in the cache folder, together with all other such files, so that their dependencies are compiled once; or
/// where CARGO_TARGET_DIR says.
///
/// # Errors
/// Where it cannot be written.
pub fn lone(file: &ModelFile) -> Result<Buildable, GenerateError> {
    let cache = cache_folder().ok_or(GenerateError::NoCache)?;
    let mut dependencies = Table::new();
    add_own(&mut dependencies);
    let lock = Path::new(CHECKOUT).join("Cargo.lock");
    let given = std::env::var_os("CARGO_TARGET_DIR").filter(|folder| !folder.is_empty());
    let target_folder = match given.map(std::path::absolute) {
        Some(Ok(folder)) => folder,
        _ => cache.join("target"),
    };
    let parts = Parts { edition: "2024", dependencies, platforms: Table::new(), patches: None, lock };
    parts.write(file, &cache.join("packages"), target_folder, true)
}

/// A package for a file that lies in `owner`, but is no target of it: it can use what an example there could, the
/// package's own library included, and aftercalm, stateright and serde in any case.
///
/// # Errors
/// Where it cannot be written.
pub fn owned(file: &ModelFile, workspace: &Metadata, owner: &Package) -> Result<Buildable, GenerateError> {
    let mut dependencies = Table::new();
    let mut platforms = Table::new();
    let enabled = enabled_by_default(owner);
    for dependency in &owner.dependencies {
        let used_as = dependency.rename.as_ref().unwrap_or(&dependency.name);
        if dependency.kind.as_deref() == Some("build")
            || (dependency.optional && !enabled.contains(used_as.as_str()))
        {
            continue;
        }
        let table = match &dependency.target {
            None => &mut dependencies,
            Some(platform) => child(child(&mut platforms, platform), "dependencies"),
        };
        add(table, used_as, dependency);
    }
    if owner.targets.iter().any(|target| target.kind.iter().any(|kind| kind.ends_with("lib"))) {
        let folder = owner.manifest_path.parent().unwrap_or(Path::new("/"));
        dependencies.insert(owner.name.clone(), by_path(folder));
    }
    add_own(&mut dependencies);
    let parts = Parts {
        edition: &owner.edition,
        dependencies,
        platforms,
        patches: patches(&workspace.workspace_root)?,
        lock: workspace.workspace_root.join("Cargo.lock"),
    };
    let target_folder = workspace.target_directory.clone();
    parts.write(file, &target_folder.join("aftercalm"), target_folder.clone(), false)
}

/// What a generated package is made of.
struct Parts<'a> {
    edition: &'a str,
    dependencies: Table,
    platforms: Table,
    patches: Option<Value>,
    /// A lock file to start from.
    lock: PathBuf,
}

impl Parts<'_> {
    fn write(
        self,
        file: &ModelFile,
        folder: &Path,
        target_folder: PathBuf,
        lone: bool,
    ) -> Result<Buildable, GenerateError> {
        let name = package_name(&file.path);
        let folder = folder.join(&name);
        let manifest = folder.join("Cargo.toml");
        let text = self.manifest(&name, &file.path)?;
        let at = |path: &Path| {
            let path = path.to_owned();
            move |error| GenerateError::Write { path, error }
        };
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        write_if_changed(&manifest, &text).map_err(at(&manifest))?;
        if let Ok(lock) = fs::read_to_string(&self.lock) {
            // Cargo adds the generated package to its copy, so whether the original has changed since is told by a
            // second one.
            let (copy, original) = (folder.join("Cargo.lock"), folder.join("Cargo.lock.original"));
            if fs::read_to_string(&original).ok().as_ref() != Some(&lock) || !copy.exists() {
                write_if_changed(&copy, &lock).map_err(at(&copy))?;
                write_if_changed(&original, &lock).map_err(at(&original))?;
            }
        }
        let package = name.clone();
        Ok(Buildable { manifest, package, sort: Sort::Bin, name, features: Vec::new(), target_folder, lone })
    }

    fn manifest(&self, name: &str, source: &Path) -> Result<String, GenerateError> {
        let mut package = Table::new();
        package.insert("name".into(), name.into());
        package.insert("version".into(), "0.0.0".into());
        package.insert("edition".into(), self.edition.into());
        package.insert("publish".into(), false.into());
        package.insert("autobins".into(), false.into());
        let mut bin = Table::new();
        bin.insert("name".into(), name.into());
        bin.insert("path".into(), source.display().to_string().into());
        let mut manifest = Table::new();
        manifest.insert("package".into(), package.into());
        manifest.insert("bin".into(), Value::Array(vec![bin.into()]));
        manifest.insert("dependencies".into(), self.dependencies.clone().into());
        if !self.platforms.is_empty() {
            manifest.insert("target".into(), self.platforms.clone().into());
        }
        if let Some(patches) = &self.patches {
            manifest.insert("patch".into(), patches.clone());
        }
        manifest.insert("workspace".into(), Table::new().into());
        Ok(toml::to_string(&manifest)?)
    }
}

/// `$XDG_CACHE_HOME/aftercalm`, or `~/.cache/aftercalm`.
fn cache_folder() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || absolute("HOME").map(|home| home.join(".cache"));
    Some(absolute("XDG_CACHE_HOME").or_else(home)?.join("aftercalm"))
}

/// aftercalm, stateright and serde, where nothing else is declared by these names.
fn add_own(dependencies: &mut Table) {
    let aftercalm = if Path::new(CHECKOUT).join("Cargo.toml").is_file() {
        by_path(Path::new(CHECKOUT))
    } else {
        Value::from(concat!("=", env!("CARGO_PKG_VERSION")))
    };
    let mut serde = Table::new();
    serde.insert("version".into(), "1".into());
    serde.insert("features".into(), Value::Array(vec!["derive".into()]));
    for (name, value) in
        [("aftercalm", aftercalm), ("stateright", STATERIGHT.into()), ("serde", serde.into())]
    {
        dependencies.entry(name).or_insert(value);
    }
}

fn by_path(folder: &Path) -> Value {
    let mut table = Table::new();
    table.insert("path".into(), folder.display().to_string().into());
    table.into()
}

/// Adds one dependency as Cargo has resolved its declaration. One that is declared twice, as normal and for
/// development, gets the features of both, as an example would see it.
fn add(dependencies: &mut Table, used_as: &str, dependency: &Dependency) {
    let mut table = Table::new();
    let mut put = |key: &str, value: Value| {
        table.insert(key.to_owned(), value);
    };
    if used_as != dependency.name {
        put("package", dependency.name.clone().into());
    }
    if let Some(path) = &dependency.path {
        put("path", path.display().to_string().into());
    } else if let Some(git) = dependency.source.as_deref().and_then(|source| source.strip_prefix("git+")) {
        let (url, query) = git.split_once('?').unwrap_or((git, ""));
        put("git", url.into());
        for (key, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            put(key, value.into());
        }
    }
    if dependency.req != "*" || !(dependency.path.is_some() || dependency.source.is_some()) {
        put("version", dependency.req.clone().into());
    } else if dependency.source.as_deref().is_some_and(|source| !source.starts_with("git+")) {
        put("version", "*".into());
    }
    if let Some(index) = &dependency.registry {
        put("registry-index", index.clone().into());
    }
    let earlier = dependencies.get(used_as);
    let earlier_features = earlier.and_then(|d| d.get("features")).and_then(Value::as_array);
    let mut features: BTreeSet<&str> = dependency.features.iter().map(String::as_str).collect();
    features.extend(earlier_features.into_iter().flatten().filter_map(Value::as_str));
    put("features", Value::Array(features.into_iter().map(Value::from).collect()));
    let earlier_default = earlier.and_then(|d| d.get("default-features")).and_then(Value::as_bool);
    put("default-features", (dependency.uses_default_features || earlier_default == Some(true)).into());
    dependencies.insert(used_as.to_owned(), table.into());
}

/// The optional dependencies that the package's default features turn on.
fn enabled_by_default(owner: &Package) -> BTreeSet<&str> {
    let mut seen = BTreeSet::new();
    let mut next = vec!["default"];
    while let Some(feature) = next.pop() {
        // `dep:name`, `name/feature`, or the name of a feature or of a dependency; `name?/feature` turns on nothing.
        let name = feature.trim_start_matches("dep:").split('/').next().unwrap_or_default();
        if !name.ends_with('?') && seen.insert(name) {
            next.extend(owner.features.get(name).into_iter().flatten().map(String::as_str));
        }
    }
    seen
}

/// The `[patch]` table of the workspace, its paths made absolute.
fn patches(root: &Path) -> Result<Option<Value>, GenerateError> {
    let path = root.join("Cargo.toml");
    let unreadable = |reason: String| GenerateError::Manifest { path: path.clone(), reason };
    let text = fs::read_to_string(&path).map_err(|error| unreadable(error.to_string()))?;
    let mut manifest: Table = toml::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
    let mut patches = manifest.remove("patch");
    let sources = patches.iter_mut().filter_map(Value::as_table_mut).flat_map(|table| table.iter_mut());
    for (_, patch) in sources.filter_map(|(_, patches)| patches.as_table_mut()).flat_map(|t| t.iter_mut()) {
        if let Some(Value::String(path)) = patch.get_mut("path") {
            *path = root.join(&*path).display().to_string();
        }
    }
    Ok(patches)
}

fn child<'a>(table: &'a mut Table, key: &str) -> &'a mut Table {
    let value = table.entry(key).or_insert_with(|| Table::new().into());
    match value {
        Value::Table(table) => table,
        _ => unreachable!("only tables are put here"),
    }
}

/// A name that Cargo accepts, tells a reader which file it is, and is of this path alone.
fn package_name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let plain: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
    format!("model-{plain}-{:016x}", fnv1a(path.as_os_str().as_encoded_bytes()))
}

/// FNV-1a (Fowler, Noll, Vo), which is the same in every version of Rust, so that the cache outlives an update.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Writes a file as a whole, unless it is there already.
pub fn write_if_changed(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let part = path.with_extension(format!("part-{}", std::process::id()));
    fs::write(&part, text)?;
    fs::rename(&part, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_same_name_get_different_packages() {
        let (a, b) = (package_name(Path::new("/a/my storm.rs")), package_name(Path::new("/b/my storm.rs")));
        assert_ne!(a, b);
        assert!(a.starts_with("model-my-storm-"), "{a}");
    }

    #[test]
    fn a_lone_file_gets_the_stateright_that_aftercalm_has() {
        let manifest: Table = toml::from_str(include_str!("../../Cargo.toml")).unwrap();
        assert_eq!(manifest["dependencies"]["stateright"].as_str(), Some(STATERIGHT));
    }
}
