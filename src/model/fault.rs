//! The ways in which a model can fail while it is being run, and how a panic in it is caught.
//!
//! A model is somebody else's code. Whatever it does (a panic, an overflow, a `HashMap` iterated in random order) must
//! end as a sentence that names the state and the action, never as a backtrace and never as a wrong verdict.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, panic_any};
use std::sync::Once;

/// A fault of the model itself. It ends the search; claims that need the whole graph are then inconclusive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The model panicked.
    #[error("the model panicked in {during}{place}: {message}{context}",
        place = .location.as_ref().map(|l| format!(" at {l}")).unwrap_or_default(),
        context = context(.state.as_deref(), .action.as_deref()))]
    Panic {
        /// The function of the model that was running, for example `next_state`.
        during: String,
        /// The panic's message.
        message: String,
        /// `file:line:column` of the panic, where known.
        location: Option<String>,
        /// The state in which it happened, as `Debug` shows it.
        state: Option<String>,
        /// The action that was being taken, as `Debug` shows it.
        action: Option<String>,
    },
    /// The model refused to go on, with a reason in its own words ([`refuse`]).
    #[error("{error}{context}", context = context(.state.as_deref(), .action.as_deref()))]
    Refused {
        /// What is wrong and what would be right.
        error: ModelError,
        /// The state in which it happened.
        state: Option<String>,
        /// The action that was being taken.
        action: Option<String>,
    },
    /// The model has no initial state, or none within its boundary.
    #[error("the model has no initial state{}", if *.outside > 0 { format!(" within its boundary ({} outside it)", .outside) } else { String::new() })]
    NoInitialState {
        /// Initial states that `within_boundary` rejects.
        outside: usize,
    },
    /// A function of the model gave two different answers for the same state.
    #[error(
        "the model is not deterministic: {name} gave two different answers for the same state, so no verdict about it can be trusted. \
         A usual cause is iterating over a `HashMap` or `HashSet`, a clock, or a random number{context}\n  first answer: {first}\n  second answer: {second}",
        name = if .function.contains(' ') { .function.clone() } else { format!("`{function}`") },
        context = context(.state.as_deref(), None))]
    NotDeterministic {
        /// Which: `init_states`, `actions`, `next_state`, an atom, a measure.
        function: String,
        /// The state asked about (none for `init_states`).
        state: Option<String>,
        /// What the first call gave.
        first: String,
        /// What the second call gave.
        second: String,
    },
    /// Two equal states have different hashes, so the search could not know that they are one.
    #[error("`Hash` of the model's state disagrees with `==`: two equal states hash differently, so they cannot be recognised as one{context}",
        context = context(Some(.state), None))]
    HashFinerThanEq {
        /// The state whose copy hashed differently.
        state: String,
    },
    /// A state is not equal to its own copy.
    #[error("`==` of the model's state is not reflexive: a state differs from its own copy (a NaN?){context}", context = context(Some(.state), None))]
    EqNotReflexive {
        /// The state.
        state: String,
    },
}

/// Why a model refused to go on, raised by [`refuse`] inside `init_states`, `actions` or `next_state`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ModelError(pub String);

fn context(state: Option<&str>, action: Option<&str>) -> String {
    let mut text = String::new();
    if let Some(state) = state {
        text.push_str("\n  state: ");
        text.push_str(state);
    }
    if let Some(action) = action {
        text.push_str("\n  action: ");
        text.push_str(action);
    }
    text
}

impl Fault {
    /// The same fault, with the state and action in which it happened filled in where it had none.
    #[must_use]
    pub fn at(mut self, in_state: Option<String>, in_action: Option<String>) -> Self {
        if let Self::Panic { state, action, .. } | Self::Refused { state, action, .. } = &mut self {
            *state = state.take().or(in_state);
            *action = action.take().or(in_action);
        }
        self
    }
}

/// Ends the current call into the model with an error in the model's own words.
///
/// For use inside `init_states`, `actions` and `next_state`, which cannot return errors: [`guard`] turns it into
/// [`Fault::Refused`]. Outside a guarded call it is an ordinary panic.
pub fn refuse(message: impl Into<String>) -> ! {
    panic_any(ModelError(message.into()))
}

thread_local! {
    static GUARDED: Cell<u32> = const { Cell::new(0) };
    static LAST_LOCATION: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `call`, which calls the model's function `during`, and turns a panic into a [`Fault`].
///
/// The panic is not printed. The fault names no state yet; see [`Fault::at`].
pub fn guard<T>(during: &str, call: impl FnOnce() -> T) -> Result<T, Fault> {
    install_hook();
    GUARDED.set(GUARDED.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(call));
    GUARDED.set(GUARDED.get() - 1);
    result.map_err(|payload| fault_of(during, payload.as_ref()))
}

/// What a guarded call gives for display only: its value, or the panic's message in angle brackets.
pub fn guard_quietly(during: &str, call: impl FnOnce() -> String) -> String {
    guard(during, call).unwrap_or_else(|fault| match fault {
        Fault::Panic { during, message, .. } => format!("<{during} panicked: {message}>"),
        other => format!("<{other}>"),
    })
}

fn fault_of(during: &str, payload: &(dyn Any + Send)) -> Fault {
    if let Some(error) = payload.downcast_ref::<ModelError>() {
        return Fault::Refused { error: error.clone(), state: None, action: None };
    }
    let message = payload
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "(a panic without a text)".to_owned());
    let location = LAST_LOCATION.with_borrow_mut(Option::take);
    Fault::Panic { during: during.to_owned(), message, location, state: None, action: None }
}

/// Panics inside a guarded call are recorded instead of printed; all others go to the hook that was there before.
fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if GUARDED.get() == 0 {
                previous(info);
            } else {
                LAST_LOCATION.set(info.location().map(ToString::to_string));
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_fault_that_names_message_and_place() {
        let fault = guard("next_state", || -> u32 { panic!("queue underflow") }).unwrap_err();
        let text = fault.at(Some("S".into()), Some("A".into())).to_string();
        assert!(text.contains("next_state") && text.contains("queue underflow"), "{text}");
        assert!(
            text.contains("fault.rs:") && text.contains("state: S") && text.contains("action: A"),
            "{text}"
        );
    }

    #[test]
    fn a_refusal_keeps_its_own_words() {
        let fault =
            guard("next_state", || -> u32 { refuse("1500 µs is no whole number of ticks") }).unwrap_err();
        assert_eq!(fault.to_string(), "1500 µs is no whole number of ticks");
    }
}
