//! Which parts of a timed state a function has looked at.
//!
//! An atom is a function of the whole state, but mostly looks at one actor. While [`recorded`] runs it, every accessor of a
//! [`TimedState`](super::TimedState) notes what it gives away, so the caller knows on which parts the answer may depend:
//! the first part that a deterministic function reads is always the same, and which is the next follows from what it found
//! in those before.
//!
//! The notes are kept by thread, not by state: a copy of the state that the function makes is watched as well.

use std::cell::{Cell, RefCell};

/// One actor's part of a state, in two halves: what it is, and what is under way to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// The state, the timers and the stored value of the actor at this place.
    Local(usize),
    /// The messages under way to it.
    Pipeline(usize),
    /// Everything.
    All,
}

thread_local! {
    static RECORDING: Cell<bool> = const { Cell::new(false) };
    static READS: RefCell<Vec<Read>> = const { RefCell::new(Vec::new()) };
}

/// Notes that something was looked at.
pub(crate) fn note(read: Read) {
    if RECORDING.get() {
        READS.with_borrow_mut(|reads| {
            if !reads.contains(&read) {
                reads.push(read);
            }
        });
    }
}

/// Stops recording when it goes, be it by a panic.
struct Recording;

impl Drop for Recording {
    fn drop(&mut self) {
        RECORDING.set(false);
    }
}

/// Runs `call` and says what it looked at, each part once, in the order of the first look.
pub(crate) fn recorded<T>(call: impl FnOnce() -> T) -> (T, Vec<Read>) {
    READS.with_borrow_mut(Vec::clear);
    RECORDING.set(true);
    let recording = Recording;
    let value = call();
    drop(recording);
    (value, READS.take())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::guard;

    #[test]
    fn reads_are_recorded_once_each_in_order_and_only_while_asked_for() {
        note(Read::Local(9));
        let (value, reads) = recorded(|| {
            note(Read::Local(1));
            note(Read::Pipeline(1));
            note(Read::Local(1));
            7
        });
        assert_eq!((value, reads), (7, vec![Read::Local(1), Read::Pipeline(1)]));
        assert!(guard("test", || recorded(|| panic!("in an atom"))).is_err());
        note(Read::All);
        assert_eq!(recorded(|| ()).1, []);
    }
}
