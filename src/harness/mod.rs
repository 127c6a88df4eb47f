//! What a model file's `main` hands over to: [`run`].
//!
//! A model program does the same whoever starts it. By hand it reads its own command line and prints the report; under
//! `aftercalm check` it takes its orders and hands over its results by a private channel ([`handover`]), and the parent
//! prints. What both sides share lives here: options, limits, exit codes, output.
//!
//! Everything that is generic over the model is compiled again with every model file, so there is as little of it as can
//! be: the private trait `Case` and the two functions that make one.

mod certify;
mod exit;
mod files;
pub mod handover;
pub mod interrupt;
mod limits;
mod options;
pub mod output;
mod quantity;

pub use exit::{EXIT_HELP, Exit};
pub use limits::{EngineArg, LimitArgs, memory_bytes_default};
pub use options::{CheckOptions, Color, FileArgs, Format, ModelCommandLine};

use crate::check::{CheckError, Limits, check, check_certified};
use crate::model::{Checkable, Fault, Field, ParameterError, Parameters, assign, guard};
use crate::property::System;
use crate::report::case_result;
use clap::Parser;
use handover::{Answer, Failure, Request, Task};
use serde_json::{Map, Value};
use std::fmt::Display;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The stack of the thread that checks, in bytes. Only what is used of it takes memory; models may recurse.
const STACK_BYTES: usize = 256 << 20;

/// Checks the system that `build` makes from its parameters, and reports. The last line of every model file:
///
/// ```no_run
/// # use aftercalm::property::{ModelExt, System, always};
/// # use std::process::ExitCode;
/// # #[derive(Clone, Debug)] struct Light;
/// # impl stateright::Model for Light {
/// #     type State = bool; type Action = ();
/// #     fn init_states(&self) -> Vec<bool> { vec![false] }
/// #     fn actions(&self, _: &bool, actions: &mut Vec<()>) { actions.push(()) }
/// #     fn next_state(&self, on: &bool, _: ()) -> Option<bool> { Some(!on) }
/// # }
/// aftercalm::parameters! {
///     /// The parameters of a light.
///     pub struct Parameters {
///         /// Watts.
///         power: u32 = 60,
///     }
/// }
///
/// fn system(p: &Parameters) -> Result<System<Light>, String> {
///     if p.power == 0 {
///         return Err("power: a light needs some".to_owned());
///     }
///     Ok(Light.system().atom("on", |_, on| *on).claim(always("on")))
/// }
///
/// fn main() -> ExitCode {
///     aftercalm::run(system)
/// }
/// ```
///
/// The exit code is that of `aftercalm check` ([`Exit`]). Print from a model to standard error: by hand, standard output
/// belongs to the report.
#[must_use = "the exit code is the verdict: return it from `main`"]
pub fn run<P, M, E>(build: impl FnOnce(&P) -> Result<System<M>, E>) -> ExitCode
where
    P: Parameters,
    M: Checkable + 'static,
    E: Display,
{
    let mut build = Some(build);
    run_case(&P::fields, &mut |assignments| match build.take() {
        Some(build) => prepare(build, assignments),
        None => Err(Failure::internal("the system was to be built twice")),
    })
}

/// A system with its parameters set, free of the model's type.
trait Case: Sync {
    fn check(&self, request: &Request, limits: &Limits) -> Result<Answer, CheckError>;
}

struct Prepared<M: Checkable> {
    system: System<M>,
    parameters: Map<String, Value>,
}

impl<M: Checkable> Case for Prepared<M> {
    fn check(&self, request: &Request, limits: &Limits) -> Result<Answer, CheckError> {
        let model = &request.model;
        let result = |outcome| case_result(&self.system, outcome, model, self.parameters.clone());
        let Some(folder) = &request.certify else {
            let outcome = check(&self.system, limits)?;
            return Ok(Answer { cases: vec![result(&outcome)], ..Answer::default() });
        };
        let (outcome, certificates) = check_certified(&self.system, limits)?;
        let cases = vec![result(&outcome)];
        let verdicts = outcome.decisions.iter().map(|decision| decision.verdict);
        let certificates: Vec<_> = verdicts.zip(certificates).collect();
        drop(outcome);
        Ok(match certify::certify(&self.system, &certificates, folder, model, &self.parameters) {
            Ok(certified) => Answer { cases, certified, ..Answer::default() },
            Err(failure) => Answer { cases, failure: Some(failure), ..Answer::default() },
        })
    }
}

fn prepare<P, M, E>(
    build: impl FnOnce(&P) -> Result<System<M>, E>,
    assignments: &[String],
) -> Result<Box<dyn Case>, Failure>
where
    P: Parameters,
    M: Checkable + 'static,
    E: Display,
{
    let parameters: P = assign(assignments).map_err(|error| Failure::usage(error.to_string()))?;
    let system = guard("the function that builds the system", || build(&parameters))
        .map_err(|fault| Failure::usage(fault.to_string()))?
        .map_err(|error| refused(&error.to_string()))?;
    let parameters = values(serde_json::to_value(&parameters))?;
    Ok(Box::new(Prepared { system, parameters }))
}

fn refused(reason: &str) -> Failure {
    Failure::usage(format!("the model cannot be built: {reason}"))
}

fn values(parameters: Result<Value, serde_json::Error>) -> Result<Map<String, Value>, Failure> {
    match parameters {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(Failure::usage("the model's parameter struct has no named fields")),
        Err(error) => Err(Failure::usage(format!("the model's parameters cannot be shown: {error}"))),
    }
}

type Fields<'a> = &'a dyn Fn() -> Result<Vec<Field>, ParameterError>;
type Prepare<'a> = &'a mut dyn FnMut(&[String]) -> Result<Box<dyn Case>, Failure>;

fn run_case(fields: Fields, prepare: Prepare) -> ExitCode {
    let interrupt = Arc::new(AtomicBool::new(false));
    interrupt::install(Arc::clone(&interrupt));
    let exit = match handover::request() {
        Some((request, path)) => under_parent(fields, prepare, &interrupt, request, &path),
        None => by_hand(fields, prepare, &interrupt),
    };
    exit.into()
}

fn by_hand(fields: Fields, prepare: Prepare, interrupt: &Arc<AtomicBool>) -> Exit {
    let options = ModelCommandLine::parse().options;
    let mut output = output::Output::new(&options);
    let request = request_of(&program_name(), &options);
    let answer = answer(fields, prepare, interrupt, &request);
    let printed = output.answer(&request.model, &answer).map_err(|error| unwritable(&error));
    match printed.and_then(|()| output.finish()) {
        Ok(()) => answer.exit(),
        Err(error) => {
            output::error(&error);
            Exit::Usage.max(answer.exit())
        }
    }
}

/// What to say when standard output takes no more.
pub fn unwritable(error: &std::io::Error) -> String {
    format!("the results cannot be written to standard output: {error}")
}

/// What `options` ask of the model `model`.
pub fn request_of(model: &str, options: &CheckOptions) -> Request {
    let task = if options.help_model { Task::Describe } else { Task::Check(options.limits.clone()) };
    // The model runs in the same folder now, but nothing promises that it will.
    let certify =
        options.certify.as_ref().map(|dir| std::path::absolute(dir).unwrap_or_else(|_| dir.clone()));
    Request { model: model.to_owned(), assignments: options.assignments.clone(), task, certify }
}

fn program_name() -> String {
    let program = std::env::args_os().next().unwrap_or_default();
    Path::new(&program).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn under_parent(
    fields: Fields,
    prepare: Prepare,
    interrupt: &Arc<AtomicBool>,
    request: Result<Request, handover::HandoverError>,
    path: &Path,
) -> Exit {
    static DONE: AtomicBool = AtomicBool::new(false);
    let answer = match request {
        Err(error) => Failure::usage(error.to_string()).into(),
        Ok(_) if DONE.swap(true, Ordering::Relaxed) => {
            Failure::usage("`main` calls `aftercalm::run` more than once; a model file checks one system")
                .into()
        }
        Ok(request) => {
            watch_parent(Arc::clone(interrupt));
            answer(fields, prepare, interrupt, &request)
        }
    };
    match handover::write(&answer, path) {
        Ok(()) => answer.exit(),
        Err(error) => {
            output::error(&format!("the results cannot be handed over: {error}"));
            Exit::Usage.max(answer.exit())
        }
    }
}

/// Ends the search when the parent closes its end of standard input, on purpose or by dying; and the process, should a
/// function of the model's not come back then. A parent that lives kills it earlier, and says so.
fn watch_parent(interrupt: Arc<AtomicBool>) {
    let started = Instant::now();
    std::thread::spawn(move || {
        let mut ignored = [0; 64];
        while std::io::stdin().read(&mut ignored).is_ok_and(|n| n > 0) {}
        interrupt.store(true, Ordering::Relaxed);
        std::thread::sleep(interrupt::grace(started.elapsed()) + Duration::from_secs(1));
        std::process::exit(Exit::Inconclusive.code().into());
    });
}

fn answer(fields: Fields, prepare: Prepare, interrupt: &Arc<AtomicBool>, request: &Request) -> Answer {
    let Task::Check(limits) = &request.task else {
        return match fields() {
            Ok(fields) => Answer { fields: Some(fields), ..Answer::default() },
            Err(error) => Failure::usage(error.to_string()).into(),
        };
    };
    let limits = limits.limits(Arc::clone(interrupt));
    let answer = prepare(&request.assignments).and_then(|case| check_case(case.as_ref(), request, &limits));
    answer.unwrap_or_else(Answer::from)
}

/// Checks in a thread that has a large stack.
fn check_case(case: &dyn Case, request: &Request, limits: &Limits) -> Result<Answer, Failure> {
    std::thread::scope(|scope| {
        let check = || guard("check", || case.check(request, limits));
        let thread = std::thread::Builder::new().name("check".into()).stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, check);
        let thread = thread.map_err(|error| Failure::usage(format!("no thread can be started: {error}")))?;
        match thread.join() {
            Ok(Ok(Ok(result))) => Ok(result),
            Ok(Ok(Err(error @ CheckError::System(_)))) => Err(Failure::usage(error.to_string())),
            Ok(Ok(Err(error @ CheckError::Replay { .. }))) => Err(Failure::internal(error.to_string())),
            Ok(Err(fault)) => Err(internal(&fault)),
            Err(_) => Err(Failure::internal("internal error: the check ended in a panic")),
        }
    })
}

/// A panic that is none of the model's documented functions'.
pub fn internal(fault: &Fault) -> Failure {
    let text = match fault {
        Fault::Panic { message, location, .. } => {
            format!("{message} (at {})", location.as_deref().unwrap_or("an unknown place"))
        }
        other => other.to_string(),
    };
    Failure::internal(format!(
        "internal error: {text}. This is a fault of aftercalm; please report it with the model"
    ))
}
