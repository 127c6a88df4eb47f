//! `aftercalm check`: model files one after the other, then all suites.

use super::args::CheckArgs;
use super::path::{ModelFile, suites_in};
use super::suites::Suites;
use super::{CheckError, build, child, suites, target};
use crate::harness::output::{self, Output};
use crate::harness::{Exit, interrupt, request_of, unwritable};
use crate::report::CaseResult;
use crate::spec::{Move, moves};
use std::path::Path;
use std::sync::Arc;

/// Checks every file, whatever becomes of the others, and ends as badly as the worst.
pub fn check(args: &CheckArgs) -> Exit {
    let mut output = Output::new(&args.options);
    interrupt::install(Arc::default());
    let before = match args.suites.baseline.as_deref().map(baseline).transpose() {
        Ok(before) => before,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    let mut all = All { args, output: &mut output, worst: Exit::Expected, results: Vec::new() };
    let checked = all.check().and_then(|()| all.tell_moves(before.as_deref()));
    let worst = all.worst;
    match checked.map_err(|error| unwritable(&error)).and_then(|()| output.finish()) {
        Ok(()) => worst,
        Err(error) => {
            output::error(&error);
            worst.max(Exit::Usage)
        }
    }
}

struct All<'a> {
    args: &'a CheckArgs,
    output: &'a mut Output,
    worst: Exit,
    results: Vec<CaseResult>,
}

impl All<'_> {
    fn check(&mut self) -> std::io::Result<()> {
        let mut suite_files = Vec::new();
        let mut any_suite = false;
        for given in &self.args.paths {
            let is_suite = given.extension().is_some_and(|e| e == "toml") && !given.is_dir();
            any_suite |= is_suite || given.is_dir();
            if is_suite {
                suite_files.push(given.clone());
            } else if given.is_dir() {
                match suites_in(given) {
                    Ok(found) => suite_files.extend(found),
                    Err(error) => self.failed(given, &error.into()),
                }
            } else {
                self.model(given)?;
            }
        }
        if any_suite {
            let suites = Suites::load(&suite_files, self.output);
            let checked = suites::check(suites, self.args, self.output)?;
            self.worst = self.worst.max(checked.exit);
            self.results.extend(checked.results);
        }
        Ok(())
    }

    fn model(&mut self, given: &Path) -> std::io::Result<()> {
        if interrupt::count() > 0 {
            output::error(&format!("{}: not checked, interrupted", given.display()));
            self.worst = self.worst.max(Exit::Inconclusive);
            return Ok(());
        }
        let ended = match check_file(given, self.args) {
            Ok(ended) => ended,
            Err(error) => {
                self.failed(given, &error);
                return Ok(());
            }
        };
        let model = given.display().to_string();
        self.output.answer(&model, &ended.answer)?;
        self.worst = self.worst.max(ended.answer.exit());
        if let Some(error) = ended.afterwards {
            output::error(&format!("{model}: after it had handed over, the model {error}"));
            self.worst = self.worst.max(CheckError::from(error).exit());
        }
        self.results.extend(ended.answer.cases);
        Ok(())
    }

    fn failed(&mut self, given: &Path, error: &CheckError) {
        if let Some(rendered) = error.rendered() {
            output::plain(rendered);
        }
        let given = given.display().to_string();
        output::error(&format!("{given}: {error}"));
        self.output.failed(&given, &error.to_string());
        self.worst = self.worst.max(error.exit());
    }

    fn tell_moves(&mut self, before: Option<&[CaseResult]>) -> std::io::Result<()> {
        let (Some(before), Some(file)) = (before, &self.args.suites.baseline) else { return Ok(()) };
        let moved = moves(before, &self.results);
        self.output.remark_anyway(&told(&moved, file))
    }
}

fn check_file(given: &Path, args: &CheckArgs) -> Result<child::Ended, CheckError> {
    let file = ModelFile::find(given)?;
    let target = target::locate(&file)?;
    let program = build::build(&file, &target)?;
    Ok(child::run(&program, &request_of(&file.named, &args.options))?)
}

/// The results of an earlier run, from its JSON Lines.
fn baseline(file: &Path) -> Result<Vec<CaseResult>, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("the baseline `{}` cannot be read: {error}", file.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(i, line)| {
            serde_json::from_str(line).map_err(|error| {
                format!(
                    "the baseline `{}` is wrong in line {}: {error}; it is to be what `aftercalm check --format json` printed",
                    file.display(),
                    i + 1
                )
            })
        })
        .collect()
}

fn told(moved: &[Move], file: &Path) -> String {
    let file = file.display();
    if moved.is_empty() {
        return format!("nothing has moved since {file}\n");
    }
    let mut text = format!("moved since {file}:\n");
    for m in moved {
        let case = m.case.as_ref().map(|case| format!(", case {case}")).unwrap_or_default();
        text.push_str(&format!("  {}{case}: {}: {} -> {}", m.model, m.claim, m.from, m.to));
        let parameters: Vec<String> =
            m.parameters.iter().map(|(name, from, to)| format!("{name} {from} -> {to}")).collect();
        let by = if parameters.is_empty() {
            "no parameter differs: the model did".to_owned()
        } else {
            parameters.join(", ")
        };
        text.push_str(&format!(" ({by})\n"));
    }
    text
}
