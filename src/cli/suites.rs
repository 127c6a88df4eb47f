//! Checking suites: every model is built once, every case runs as a process of its own, several at a time; what comes out is
//! compared with what is expected. A suite that cannot be checked does not stop the others.

use super::args::{CheckArgs, Shard};
use super::path::{ModelFile, PathError, lexical};
use super::{CheckError, build, changed, child, replace, target};
use crate::harness::handover::{Answer, Request, Task};
use crate::harness::output::{self, Output};
use crate::harness::{Exit, LimitArgs, interrupt, memory_bytes_default};
use crate::model::{Field, guard};
use crate::property::Verdict;
use crate::report::{CaseResult, Checked, Ended};
use crate::spec::{self, Case, Complaint, Suite};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

/// A suite with where it came from.
struct Loaded {
    /// As the user named it.
    shown: String,
    /// Absolute, symbolic links resolved.
    path: PathBuf,
    text: String,
    suite: Suite,
    /// The model file, absolute as far as it is there, and as reports name it.
    model: PathBuf,
    model_shown: String,
}

/// Suites that could be read, and how badly those that could not ended.
pub struct Suites {
    loaded: Vec<Loaded>,
    exit: Exit,
}

/// What came out of all suites.
pub struct Outcome {
    /// The worst of it.
    pub exit: Exit,
    /// The result of every case that was checked.
    pub results: Vec<CaseResult>,
}

impl Suites {
    /// Reads the suites; what is wrong with one is told at once.
    pub fn load(files: &[PathBuf], output: &mut Output) -> Self {
        let mut suites = Self { loaded: Vec::new(), exit: Exit::Expected };
        for file in files {
            let shown = file.display().to_string();
            match load(file) {
                Ok(loaded) if suites.loaded.iter().any(|l| l.path == loaded.path) => {}
                Ok(loaded) => suites.loaded.push(loaded),
                Err(Unreadable::File(message)) => {
                    output::error(&format!("{shown}: {message}"));
                    output.failed(&shown, &message);
                    suites.exit = Exit::Usage;
                }
                Err(Unreadable::Text(text, complaints)) => {
                    complain(&shown, &text, &complaints);
                    output.failed(&shown, &complaints[0].message);
                    suites.exit = Exit::Usage;
                }
            }
        }
        suites
    }
}

enum Unreadable {
    File(String),
    Text(String, Vec<Complaint>),
}

fn load(file: &Path) -> Result<Loaded, Unreadable> {
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Unreadable::File(PathError::missing(file, "toml").to_string()),
        std::io::ErrorKind::InvalidData => Unreadable::File("is no text in UTF-8".to_owned()),
        _ => Unreadable::File(format!("cannot be read: {error}")),
    };
    let text = std::fs::read_to_string(file).map_err(unreadable)?;
    let path = file.canonicalize().map_err(unreadable)?;
    let suite = spec::read(&text).map_err(|complaints| Unreadable::Text(text.clone(), complaints))?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let model = folder.join(&suite.model.value);
    let model = model.canonicalize().unwrap_or(model);
    let shown_folder = file.parent().unwrap_or(Path::new(""));
    let model_shown = lexical(&shown_folder.join(&suite.model.value)).display().to_string();
    Ok(Loaded { shown: file.display().to_string(), path, text, suite, model, model_shown })
}

fn complain(shown: &str, text: &str, complaints: &[Complaint]) {
    output::plain(&spec::rendered(complaints, shown, text, output::error_colors()));
}

/// A case that was run.
struct Done {
    ended: Ended,
    exit: Exit,
    complaints: Vec<Complaint>,
    certified: Vec<String>,
}

impl Done {
    fn failed(exit: Exit, message: String) -> Self {
        Self { ended: Ended::Failed(message), exit, complaints: Vec::new(), certified: Vec::new() }
    }
}

/// Checks the suites.
///
/// # Errors
/// Where standard output takes no more.
pub fn check(suites: Suites, args: &CheckArgs, output: &mut Output) -> std::io::Result<Outcome> {
    let started = Instant::now();
    let mut outcome = Outcome { exit: suites.exit, results: Vec::new() };
    if let Some(message) = misused(args) {
        output::error(&message);
        outcome.exit = outcome.exit.max(Exit::Usage);
        return Ok(outcome);
    }
    let loaded = match selected(suites.loaded, args) {
        Ok(loaded) => loaded,
        Err(message) => {
            output::error(&message);
            outcome.exit = outcome.exit.max(Exit::Usage);
            return Ok(outcome);
        }
    };
    let programs = Programs::build(&loaded, output, &mut outcome.exit);
    let jobs: Vec<(usize, usize)> =
        (0..loaded.len()).flat_map(|s| (0..loaded[s].suite.cases.len()).map(move |c| (s, c))).collect();
    let mut run: Vec<Vec<Option<Done>>> =
        loaded.iter().map(|l| l.suite.cases.iter().map(|_| None).collect()).collect();
    let mut told: Vec<Checked> = Vec::new();
    let mut next = 0;
    pool(
        &jobs,
        workers(args, jobs.len()),
        |(s, c)| run_case(&loaded[s], c, &programs, args),
        |(s, c), done| {
            run[s][c] = Some(done);
            while next < loaded.len() && run[next].iter().all(Option::is_some) {
                let done: Vec<Done> = run[next].iter_mut().filter_map(Option::take).collect();
                run[next].clear();
                tell(&loaded[next], done, args, output, &mut outcome, &mut told)?;
                next += 1;
            }
            Ok(())
        },
    )?;
    output.remark(&crate::report::total(&told, loaded.len(), started.elapsed().as_secs_f64()))?;
    Ok(outcome)
}

/// Options that make no sense with suites.
fn misused(args: &CheckArgs) -> Option<String> {
    if !args.options.assignments.is_empty() {
        return Some("--set is for model files: a suite sets the parameters of its cases itself".to_owned());
    }
    args.options.help_model.then(|| "--help-model is for model files".to_owned())
}

fn selected(mut loaded: Vec<Loaded>, args: &CheckArgs) -> Result<Vec<Loaded>, String> {
    if let Some(revision) = &args.suites.changed {
        loaded = touched(loaded, revision)?;
    }
    if let Some(Shard { part, of }) = args.suites.shard {
        loaded.sort_by(|a, b| a.path.cmp(&b.path));
        loaded = loaded.into_iter().enumerate().filter(|(i, _)| i % of == part - 1).map(|(_, l)| l).collect();
    }
    Ok(loaded)
}

/// The suites that a change since `revision` can have moved. Suites outside of any repository are among them.
fn touched(loaded: Vec<Loaded>, revision: &str) -> Result<Vec<Loaded>, String> {
    let own: Vec<PathBuf> = loaded.iter().flat_map(|l| [l.path.clone(), l.model.clone()]).collect();
    let mut kept = Vec::new();
    for suite in loaded {
        let folder = suite.path.parent().unwrap_or(Path::new("/"));
        let concerns = |file: &PathBuf| {
            let file = &file.canonicalize().unwrap_or_else(|_| file.clone());
            *file == suite.path
                || *file == suite.model
                || (!own.contains(file) && file.extension().is_none_or(|e| e != "md"))
        };
        if changed::since(revision, folder)?.is_none_or(|files| files.iter().any(concerns)) {
            kept.push(suite);
        }
    }
    Ok(kept)
}

/// The program of each model, or why there is none.
struct Programs(BTreeMap<PathBuf, Result<Program, (Exit, String)>>);

struct Program {
    path: PathBuf,
    fields: Vec<Field>,
}

impl Programs {
    fn build(loaded: &[Loaded], output: &mut Output, worst: &mut Exit) -> Self {
        let mut programs = Self(BTreeMap::new());
        for suite in loaded {
            if programs.0.contains_key(&suite.model) || interrupt::count() > 0 {
                continue;
            }
            let program = program(suite).map_err(|error| {
                if let Some(rendered) = error.rendered() {
                    output::plain(rendered);
                }
                let message = format!("{}: {error}", suite.model_shown);
                if matches!(error, CheckError::Path(_)) {
                    let complaint = Complaint::new(
                        suite.suite.model.span.clone(),
                        message.clone(),
                        "relative to this file",
                    );
                    complain(&suite.shown, &suite.text, &[complaint]);
                } else {
                    output::error(&message);
                }
                *worst = error.exit().max(*worst);
                output.failed(&suite.shown, &message);
                (error.exit(), message)
            });
            programs.0.insert(suite.model.clone(), program);
        }
        programs
    }
}

fn program(suite: &Loaded) -> Result<Program, CheckError> {
    let file = ModelFile::find(&suite.model)?;
    let file = ModelFile { named: suite.model_shown.clone(), ..file };
    let target = target::locate(&file)?;
    let path = build::build(&file, &target)?;
    let request = Request {
        model: suite.model_shown.clone(),
        assignments: Vec::new(),
        task: Task::Describe,
        certify: None,
    };
    let fields = child::run(&path, &request)?.answer.fields.unwrap_or_default();
    Ok(Program { path, fields })
}

fn workers(args: &CheckArgs, jobs: usize) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    args.suites.jobs.map_or(processors, |n| n as usize).min(jobs).max(1)
}

/// Runs all jobs on some threads; `done` is told of each on this one, in the order in which they end.
fn pool<J: Copy + Send + Sync>(
    jobs: &[J],
    workers: usize,
    run: impl Fn(J) -> Done + Sync,
    mut done: impl FnMut(J, Done) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let sender = sender.clone();
            let (next, run) = (&next, &run);
            scope.spawn(move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ended = guard("a case", || run(*job)).unwrap_or_else(|fault| {
                        let failure = crate::harness::internal(&fault);
                        Done::failed(failure.exit, failure.message)
                    });
                    if sender.send((*job, ended)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        receiver.iter().try_for_each(|(job, ended)| done(job, ended))
    })
}

fn run_case(suite: &Loaded, place: usize, programs: &Programs, args: &CheckArgs) -> Done {
    if interrupt::count() > 0 {
        let ended = Ended::NotRun("interrupted before it was its turn".to_owned());
        return Done { ended, ..Done::failed(Exit::Inconclusive, String::new()) };
    }
    let case = &suite.suite.cases[place];
    let program = match programs.0.get(&suite.model) {
        Some(Ok(program)) => program,
        Some(Err((exit, message))) => return Done::failed(*exit, message.clone()),
        None => return Done::failed(Exit::Inconclusive, "its model was not built: interrupted".to_owned()),
    };
    let unknown = unknown_parameters(case, &program.fields);
    if !unknown.is_empty() {
        return Done { complaints: unknown.clone(), ..Done::failed(Exit::Usage, unknown[0].message.clone()) };
    }
    match child::run(&program.path, &request(suite, case, args)) {
        Ok(ended) => {
            let done = judge(suite, case, ended.answer);
            match ended.afterwards {
                None => done,
                Some(error) => {
                    let message = format!("after it had handed over, the model {error}");
                    Done::failed(CheckError::from(error).exit(), message)
                }
            }
        }
        Err(error) => {
            let error = CheckError::from(error);
            Done::failed(error.exit(), error.to_string())
        }
    }
}

fn unknown_parameters(case: &Case, fields: &[Field]) -> Vec<Complaint> {
    let known: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
    let unknown = case.sets.iter().filter(|set| !known.contains(&set.name.value.as_str()));
    unknown
        .map(|set| {
            let near = spec::did_you_mean(&set.name.value, known.iter().copied());
            let message = format!("the model has no parameter `{}`{near}", set.name.value);
            let listed = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Complaint::new(set.name.span.clone(), message, format!("it has: {listed}"))
        })
        .collect()
}

fn request(suite: &Loaded, case: &Case, args: &CheckArgs) -> Request {
    let given = &args.options.limits;
    let at_once = workers(args, usize::MAX) as u64;
    let limits = LimitArgs {
        states_max: least(given.states_max, case.states_max),
        depth_max: least(given.depth_max, case.depth_max),
        // What is available is shared by all that run at once.
        memory_bytes_max: given
            .memory_bytes_max
            .or_else(|| memory_bytes_default().map(|bytes| bytes / at_once)),
        ..given.clone()
    };
    let slug =
        |text: &str| text.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect::<String>();
    let stem = suite.path.file_stem().unwrap_or_default().to_string_lossy();
    let certify = args.options.certify.as_ref().map(|dir| dir.join(slug(&stem)).join(slug(&case.name.value)));
    let certify = certify.map(|dir| std::path::absolute(&dir).unwrap_or(dir));
    Request {
        model: suite.model_shown.clone(),
        assignments: case.assignments(),
        task: Task::Check(limits),
        certify,
    }
}

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.into_iter().chain(b).min()
}

/// What a model's answer amounts to in its suite.
fn judge(suite: &Loaded, case: &Case, answer: Answer) -> Done {
    if let Some(failure) = answer.failure {
        let complaints = misplaced(case, &failure.message);
        return Done {
            complaints,
            certified: answer.certified,
            ..Done::failed(failure.exit, failure.message)
        };
    }
    let Some(mut result) = answer.cases.into_iter().next() else {
        return Done::failed(Exit::Internal, "the model handed over no result".to_owned());
    };
    result.case = Some(case.name.value.clone());
    if result.fault.is_some() {
        return Done { ended: Ended::Result(Box::new(result)), ..Done::failed(Exit::Usage, String::new()) };
    }
    let drift = match spec::compare(case, &result, &suite.text) {
        Ok(drift) => drift,
        Err(complaints) => {
            return Done {
                complaints: complaints.clone(),
                ..Done::failed(Exit::Usage, complaints[0].message.clone())
            };
        }
    };
    let cut_short =
        interrupt::count() > 0 && result.claims.iter().any(|c| c.verdict == Verdict::Inconclusive);
    // A case that an interrupt cut short says nothing, even where it is expected to be inconclusive.
    let exit = match (drift.is_empty(), cut_short) {
        (_, true) => Exit::Inconclusive,
        (true, false) => Exit::Expected,
        (false, false) => Exit::Violated,
    };
    result.drift = Some(drift);
    Done { ended: Ended::Result(Box::new(result)), exit, complaints: Vec::new(), certified: answer.certified }
}

/// The place of the parameter that a failure names, if it names one of the case.
fn misplaced(case: &Case, message: &str) -> Vec<Complaint> {
    let named = case.sets.iter().find(|set| message.contains(&format!("parameter `{}`", set.name.value)));
    named.map(|set| Complaint::new(set.value.span.clone(), message, "set here")).into_iter().collect()
}

/// Tells of a suite whose cases have all ended.
fn tell(
    suite: &Loaded,
    done: Vec<Done>,
    args: &CheckArgs,
    output: &mut Output,
    outcome: &mut Outcome,
    told: &mut Vec<Checked>,
) -> std::io::Result<()> {
    let mut checked = Vec::with_capacity(done.len());
    let (mut complaints, mut certified, mut exits) = (Vec::new(), Vec::new(), Vec::new());
    for (case, done) in suite.suite.cases.iter().zip(done) {
        complaints.extend(done.complaints);
        certified.extend(done.certified);
        exits.push(done.exit);
        checked.push(Checked {
            file: suite.shown.clone(),
            model: suite.model_shown.clone(),
            case: Some(case.name.value.clone()),
            note: case.note.clone(),
            line: Some(spec::line_of(&suite.text, case.name.span.start)),
            command: command(&suite.model_shown, case),
            claim_lines: Vec::new(),
            ended: done.ended,
        });
    }
    output.suite(&checked)?;
    output.certified(&certified)?;
    complaints.dedup();
    if !complaints.is_empty() {
        complain(&suite.shown, &suite.text, &complaints);
    }
    if args.suites.bless {
        let blessed = bless(suite, &checked);
        match blessed {
            Ok(places) => places.iter().for_each(|place| exits[*place] = Exit::Expected),
            Err(message) => {
                output::error(&format!("{}: {message}", suite.shown));
                exits.push(Exit::Usage);
            }
        }
    }
    outcome.exit = exits.into_iter().fold(outcome.exit, Exit::max);
    let results = checked.iter().filter_map(|c| match &c.ended {
        Ended::Result(result) => Some((**result).clone()),
        _ => None,
    });
    outcome.results.extend(results);
    told.extend(checked);
    Ok(())
}

/// Rewrites a suite so that it expects what was found; gives the places of the cases that were blessed. Results that a limit
/// cut short are not what the model is, so they are left alone, unless the case sets that limit itself.
fn bless(suite: &Loaded, checked: &[Checked]) -> Result<Vec<usize>, String> {
    let drifted = checked.iter().enumerate().filter_map(|(place, checked)| match &checked.ended {
        Ended::Result(result) if result.drift.as_ref().is_some_and(|d| !d.is_empty()) => {
            let case = &suite.suite.cases[place];
            let own_limit = case.states_max.is_some() || case.depth_max.is_some();
            (result.stops.is_empty() || (own_limit && interrupt::count() == 0)).then_some((place, &**result))
        }
        _ => None,
    });
    let drifted: Vec<(usize, &CaseResult)> = drifted.collect();
    if drifted.is_empty() {
        return Ok(Vec::new());
    }
    let text = spec::bless(&suite.text, &drifted).map_err(|error| error.to_string())?;
    let unblessed = |why: &str| format!("the suite could not be blessed: {why}");
    let read = spec::read(&text).map_err(|complaints| unblessed(&complaints[0].message))?;
    for (place, result) in &drifted {
        match spec::compare(&read.cases[*place], result, &text) {
            Ok(drift) if drift.is_empty() => {}
            _ => return Err(unblessed("what was written would drift again")),
        }
    }
    replace::replace(&suite.path, &suite.text, &text).map_err(|error| unblessed(&error.to_string()))?;
    Ok(drifted.into_iter().map(|(place, _)| place).collect())
}

/// The command that checks a case alone.
fn command(model: &str, case: &Case) -> String {
    let quoted = output::shell_word;
    let sets = case.assignments().iter().map(|set| format!(" --set {}", quoted(set))).collect::<String>();
    let limit = |name: &str, n: Option<u64>| n.map(|n| format!(" --{name} {n}")).unwrap_or_default();
    let (states, depth) = (limit("max-states", case.states_max), limit("max-depth", case.depth_max));
    format!("aftercalm check {}{sets}{states}{depth}", quoted(model))
}
