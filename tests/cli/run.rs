//! A folder of one's own, and the command run in it.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// No test builds longer than this, even when everything has to be compiled first.
const PATIENCE: Duration = Duration::from_secs(900);

/// A folder outside of any package.
pub struct Folder {
    pub path: PathBuf,
}

/// What a run printed, and its exit code.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    /// The folder of the test `name`, which no other test may use.
    pub fn new(name: &str) -> Self {
        // Two checkouts on one machine must not meet.
        let checkout = env!("CARGO_MANIFEST_DIR").replace(['/', '\\', ':'], "-");
        let path = std::env::temp_dir().join(format!("aftercalm-cli{checkout}")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self { path: path.canonicalize().unwrap() }
    }

    /// A folder that the tests share which only read the models in it, so that each model is built once for all.
    pub fn shared() -> Self {
        Self::new("shared")
    }

    /// Puts a file there, as a whole, if it is not there already.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            let part = path.with_extension(format!("{:?}", std::thread::current().id()));
            fs::write(&part, text).unwrap();
            fs::rename(part, &path).unwrap();
        }
        path
    }

    /// Puts a copy of `tests/cli/models/NAME.rs` there.
    pub fn model(&self, name: &str) -> PathBuf {
        self.write(&format!("{name}.rs"), &source(name))
    }

    /// The command, with these arguments, in this folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aftercalm"));
        command.args(arguments).current_dir(&self.path).stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", cache()).env("CARGO_TARGET_DIR", target_folder());
        command.env("RUST_BACKTRACE", "1").env("COLUMNS", "100").env("LC_ALL", "C.UTF-8");
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command
    }

    /// Runs the command to its end.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).output().unwrap().into()
    }

    /// `aftercalm check` with these arguments.
    pub fn check(&self, arguments: &[&str]) -> Ran {
        self.run(&[&["check"], arguments].concat())
    }
}

/// The source of `tests/cli/models/NAME.rs`.
pub fn source(name: &str) -> String {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/models");
    fs::read_to_string(models.join(format!("{name}.rs"))).unwrap()
}

fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

/// Where lone files are built by default, given the cache folder above.
pub fn target_folder() -> PathBuf {
    cache().join("aftercalm/target")
}

/// Ends `child` as a person at a terminal would not: it alone gets the signal.
pub fn signal(name: &str, child: &Child) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
}

/// Reads what `child` says on standard error until `word` is there.
pub fn wait_for(word: &str, child: &mut Child) -> String {
    let mut said = Vec::new();
    let stderr = child.stderr.as_mut().unwrap();
    let start = Instant::now();
    let mut byte = [0];
    while !String::from_utf8_lossy(&said).contains(word) {
        assert!(start.elapsed() < PATIENCE);
        assert_eq!(stderr.read(&mut byte).unwrap(), 1, "ended early: {}", String::from_utf8_lossy(&said));
        said.push(byte[0]);
    }
    String::from_utf8(said).unwrap()
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("the command is never killed"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// Asserts the exit code, that standard error has each of `words`, and that nothing looks like a backtrace.
    #[track_caller]
    pub fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{self:#?}");
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in\n{}", self.stderr);
        }
        assert!(self.stderr.contains("error"), "{}", self.stderr);
        assert!(!self.stderr.contains("stack backtrace"), "{}", self.stderr);
        assert!(!self.stderr.contains("src/cli/"), "an error of ours:\n{}", self.stderr);
    }

    /// Asserts the exit code and that standard output has each of `words`.
    #[track_caller]
    pub fn ends(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{self:#?}");
        for word in words {
            assert!(self.stdout.contains(word), "no {word:?} in\n{}", self.stdout);
        }
    }
}
