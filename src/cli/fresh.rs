//! The file on disk is what is checked, never a stale build.
//!
//! Cargo rebuilds what was modified after the last build, by modification time. What is put in place with an older time
//! (`mv` of a file or of the folder around it, `cp -p`, `rsync -t`, an unpacked archive, a link that leads elsewhere now)
//! escapes it. So with each program goes a record of the contents that it was built from: a hash for each source that
//! Cargo lists in the program's dependency file, which are those of the model's package and of all packages it depends on
//! by path. A source that differs from its record, and is not so new that Cargo must see it, makes Cargo forget the
//! packages before it builds.
//!
//! Programs in one target folder share the libraries they are built with. What a library was last built from, the newest
//! record tells that names the source, whosever it is; so all of them are looked at.
//!
//! Cost: reading the sources, about a megabyte, and the records.

use super::build::profile_arguments;
use super::cargo::{CargoError, cargo};
use super::generate::write_if_changed;
use super::path::ModelFile;
use super::target::{Buildable, Sort};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A package that a program is built from and that lies in a folder, so that it can change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PathPackage {
    /// How Cargo calls it.
    pub id: String,
    /// Where it lies.
    pub folder: PathBuf,
    /// Whether it is aftercalm, which takes long to build and has no source outside of its folder.
    pub own: bool,
}

/// What a program was built from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    /// When that was known, in nanoseconds since 1970: no part of the program is newer.
    time: u64,
    /// The contents of its sources; none where they are unknown.
    sources: BTreeMap<PathBuf, Option<Content>>,
    packages: BTreeSet<PathPackage>,
}

/// The length of a file and a hash of what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Content(u64, u64);

impl Content {
    /// None for what is no file, or is not there; Cargo sees by itself when a source is gone.
    fn of(path: &Path) -> Option<Self> {
        let bytes = fs::read(path).ok()?;
        let mut hasher = foldhash::quality::FixedState::with_seed(0).build_hasher();
        hasher.write(&bytes);
        Some(Self(bytes.len() as u64, hasher.finish()))
    }
}

/// The records of a target folder, and the one of the program that is to be built.
pub struct Freshness<'a> {
    file: &'a ModelFile,
    target: &'a Buildable,
    path: PathBuf,
    own: Option<Record>,
    others: Vec<Record>,
    /// Whether a source of the program has changed since the record was made.
    changed: bool,
}

impl<'a> Freshness<'a> {
    /// Makes Cargo forget what it was to build `target` from, where a source was put in place unnoticed.
    ///
    /// # Errors
    /// Where Cargo cannot be started, or the run is interrupted.
    pub fn ensure(file: &'a ModelFile, target: &'a Buildable) -> Result<Self, CargoError> {
        let profile = target.target_folder.join("model");
        let folder = profile.join(".aftercalm");
        let path = folder.join(format!("{}-{}.json", target.sort.word(), target.name));
        let files = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let others = files.filter(|other| *other != path).filter_map(|other| read(&other)).collect();
        let mut this = Self { file, target, own: read(&path), path, others, changed: false };
        let Some(own) = this.own.clone() else {
            let folder = if target.sort == Sort::Example { profile.join("examples") } else { profile };
            if folder.join(format!("{}{}", target.name, std::env::consts::EXE_SUFFIX)).exists() {
                // Built without a record, so nobody knows from what.
                this.forget(&[OsString::from(&target.package)])?;
            }
            return Ok(this);
        };
        let records = || this.others.iter().chain([&own]);
        let changed: Vec<&Path> = own
            .sources
            .iter()
            .filter(|(path, content)| {
                let now = Content::of(path);
                now != **content || newest(records(), path).is_some_and(|(_, newest)| newest != now)
            })
            .map(|(path, _)| path.as_path())
            .collect();
        if changed.is_empty() {
            return Ok(this);
        }
        let unseen: Vec<&Path> = changed.iter().copied().filter(|path| unseen(records(), path)).collect();
        let packages = concerned(&own.packages, &unseen);
        // Should the build fail, then nobody knows what the libraries among the packages were built from.
        let mut unknown = own.clone();
        unknown.sources.extend(changed.iter().map(|path| ((*path).to_owned(), None)));
        unknown.time = nanoseconds(SystemTime::now());
        this.write(&unknown);
        this.changed = true;
        if !unseen.is_empty() {
            this.forget(&packages)?;
        }
        Ok(this)
    }

    /// Records what `program` was built from. False: it shares a library with other programs that was stale, and has to
    /// be built again.
    ///
    /// # Errors
    /// Where Cargo cannot be started, or the run is interrupted.
    pub fn record(&self, program: &Path, packages: BTreeSet<PathPackage>) -> Result<bool, CargoError> {
        let listed = fs::read_to_string(program.with_extension("d")).unwrap_or_default();
        let registry = registry();
        let below_registry = |path: &PathBuf| registry.as_ref().is_some_and(|r| path.starts_with(r));
        let listed: BTreeSet<PathBuf> =
            sources(&listed).into_iter().filter(|path| !below_registry(path)).collect();
        if let Some(own) = &self.own {
            let built = fs::metadata(program).and_then(|program| program.modified());
            let same = own.sources.keys().eq(listed.iter()) && own.packages == packages;
            if same && !self.changed && built.is_ok_and(|built| nanoseconds(built) <= own.time) {
                return Ok(true);
            }
        }
        let known = |path: &Path| self.own.as_ref().is_some_and(|own| own.sources.contains_key(path));
        let mut sources = BTreeMap::new();
        let mut stale = Vec::new();
        for path in listed {
            let now = Content::of(&path);
            if !known(&path)
                && newest(self.others.iter(), &path).is_some_and(|(_, content)| content != now)
                && unseen(self.others.iter(), &path)
            {
                stale.push(path.clone());
            }
            sources.insert(path, now);
        }
        let stale: Vec<&Path> = stale.iter().map(PathBuf::as_path).collect();
        let again = concerned(&packages, &stale);
        self.write(&Record { time: nanoseconds(SystemTime::now()), sources, packages });
        if !stale.is_empty() {
            self.forget(&again)?;
        }
        Ok(stale.is_empty())
    }

    /// A record that cannot be written is one that is missing: the next build takes longer.
    fn write(&self, record: &Record) {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let written = serde_json::to_string(record).map_err(std::io::Error::from);
        let written = written.and_then(|text| {
            fs::create_dir_all(folder)?;
            write_if_changed(&self.path, &text)
        });
        if written.is_err() {
            let _ = fs::remove_file(&self.path);
        }
    }

    fn forget(&self, packages: &[OsString]) -> Result<(), CargoError> {
        let mut arguments: Vec<OsString> =
            ["clean", "--quiet", "--profile", "model"].map(Into::into).to_vec();
        arguments.extend(packages.iter().flat_map(|package| ["--package".into(), package.clone()]));
        arguments.extend(profile_arguments());
        arguments.extend(["--manifest-path".into(), self.target.manifest.clone().into()]);
        arguments.extend(["--target-dir".into(), self.target.target_folder.clone().into()]);
        let doing = format!("removing the stale build of {}", self.file.named);
        let ran = cargo(self.file.folder(), &arguments, &doing, |_| ())?;
        if ran.status.success() { Ok(()) } else { Err(CargoError::Failed { doing, said: ran.stderr }) }
    }
}

fn read(path: &Path) -> Option<Record> {
    if path.extension()? != "json" {
        return None;
    }
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}

/// When `path` was last built, and from which content.
fn newest<'r>(records: impl Iterator<Item = &'r Record>, path: &Path) -> Option<(u64, Option<Content>)> {
    let builds = records.filter_map(|record| Some((record.time, *record.sources.get(path)?)));
    builds.max_by_key(|(time, _)| *time)
}

/// Whether `path` is not newer than all that was built from it, so that Cargo may take it for what was built.
fn unseen<'r>(records: impl Iterator<Item = &'r Record>, path: &Path) -> bool {
    let Ok(modified) = fs::metadata(path).and_then(|file| file.modified()) else { return false };
    newest(records, path).is_none_or(|(time, _)| nanoseconds(modified) <= time)
}

/// The packages to forget where the sources `changed` have changed. Any package can include a file from anywhere; so
/// these are all, but for aftercalm.
fn concerned(packages: &BTreeSet<PathPackage>, changed: &[&Path]) -> Vec<OsString> {
    let inside = |package: &PathPackage| changed.iter().any(|path| path.starts_with(&package.folder));
    packages.iter().filter(|package| !package.own || inside(package)).map(|p| p.id.clone().into()).collect()
}

fn nanoseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

/// Where Cargo keeps what it has downloaded, which does not change.
fn registry() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    Some(home.join("registry"))
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

    fn record(time: u64, path: &Path, content: Option<Content>) -> Record {
        Record { time, sources: [(path.to_owned(), content)].into(), packages: BTreeSet::new() }
    }

    #[test]
    fn a_source_is_told_by_what_is_in_it_and_the_newest_build_of_it_counts() {
        let folder = std::env::temp_dir().join(format!("aftercalm-fresh-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.rs");
        fs::write(&path, "one").unwrap();
        let one = Content::of(&path);
        let modified = nanoseconds(fs::metadata(&path).unwrap().modified().unwrap());
        fs::write(folder.join("b.rs"), "two").unwrap();
        fs::rename(folder.join("b.rs"), &path).unwrap();
        assert_ne!(Content::of(&path), one);
        let (old, new) = (record(1, &path, one), record(modified + 3_600_000_000_000, &path, None));
        assert_eq!(newest([&old, &new].into_iter(), &path), Some((new.time, None)));
        assert!(!unseen([&old].into_iter(), &path), "Cargo sees that it is newer");
        assert!(unseen([&new, &old].into_iter(), &path));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(Content::of(&path), None);
        assert!(!unseen([&new].into_iter(), &path), "Cargo sees that it is gone");
    }

    #[test]
    fn aftercalm_is_built_again_for_its_own_sources_alone() {
        let package = |id: &str, own| PathPackage { id: id.into(), folder: Path::new("/p").join(id), own };
        let packages = BTreeSet::from([package("aftercalm", true), package("library", false)]);
        assert_eq!(concerned(&packages, &[Path::new("/elsewhere/m.rs")]), ["library"]);
        assert_eq!(concerned(&packages, &[Path::new("/p/aftercalm/a.rs")]), ["aftercalm", "library"]);
    }
}
