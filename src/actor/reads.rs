//! Which parts of a timed state a function has looked at.
//!
//! An atom is a function of the whole state, but mostly looks at one actor. A state that the search hands to it has a
//! [`Watch`], in which every accessor of a [`TimedState`](super::TimedState) notes what it gives away, so the caller knows on
//! which parts the answer may depend: the first part that a deterministic function reads is always the same, and which is the
//! next follows from what it found in those before.
//!
//! The notes are kept with the state, and its copies share them: what is read of it counts on whatever thread it is read, and
//! what is read of another state (one that the function keeps, one of a search within it) does not count.

use std::sync::{Arc, Mutex, PoisonError};

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

/// What was looked at of a state and of its copies.
#[derive(Clone)]
pub(crate) struct Watch(Arc<dyn Notes>);

/// A type without a name, since notes are no part of a state's value: a state may be the key of a map.
trait Notes: Send + Sync {
    fn note(&self, read: Read);
    /// What was noted, forgotten here.
    fn taken(&self) -> Vec<Read>;
}

impl Notes for Mutex<Vec<Read>> {
    fn note(&self, read: Read) {
        let mut reads = self.lock().unwrap_or_else(PoisonError::into_inner);
        if !reads.contains(&read) {
            reads.push(read);
        }
    }

    fn taken(&self) -> Vec<Read> {
        std::mem::take(&mut *self.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for Watch {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Vec::new())))
    }
}

impl Watch {
    /// Notes that something was looked at.
    pub(crate) fn note(&self, read: Read) {
        self.0.note(read);
    }

    /// Runs `call` and says what it looked at, each part once, in the order of the first look.
    pub(crate) fn recorded<T>(&self, call: impl FnOnce() -> T) -> (T, Vec<Read>) {
        self.0.taken();
        let value = call();
        (value, self.0.taken())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::guard;

    #[test]
    fn reads_are_recorded_once_each_in_order_whatever_thread_they_are_made_on() {
        let watch = Watch::default();
        watch.note(Read::Local(9));
        let (value, reads) = watch.recorded(|| {
            watch.note(Read::Local(1));
            let copy = watch.clone();
            std::thread::scope(|scope| scope.spawn(move || copy.note(Read::Pipeline(1))).join()).unwrap();
            watch.note(Read::Local(1));
            7
        });
        assert_eq!((value, reads), (7, vec![Read::Local(1), Read::Pipeline(1)]));
    }

    #[test]
    fn reads_of_another_state_and_those_before_a_panic_do_not_count() {
        let (watch, other) = (Watch::default(), Watch::default());
        let panics = || -> u8 {
            watch.note(Read::All);
            panic!("in an atom")
        };
        assert!(guard("test", || watch.recorded(panics)).is_err());
        let (_, reads) = watch.recorded(|| {
            watch.note(Read::Local(1));
            other.recorded(|| other.note(Read::Local(2)));
            watch.note(Read::Local(3));
        });
        assert_eq!(reads, [Read::Local(1), Read::Local(3)]);
    }
}
