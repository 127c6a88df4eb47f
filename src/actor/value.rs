//! A value of a type that only its actor knows: local states, timers, random choices, stored values and messages.
//!
//! The runtime is compiled once, not once for each model, so it must handle values whose types it does not know. It
//! needs four things of them: equality, a hash, a text, and an order. stateright asks no `Ord` of messages and timers, so
//! the order is made of what there is: the `Debug` text, then a hash with a fixed seed. Two *different* values that agree
//! in both cannot be put in a canonical order; that is refused by name instead of being guessed at.
//!
//! Hash and text are kept beside the value; values are shared and never change.

use crate::model::refuse;
use std::any::Any;
use std::cmp::Ordering;
use std::fmt::{self, Debug};
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// What the runtime asks of states, messages, timers, random choices and stored values, beyond what stateright asks:
/// that they can be shared between threads. Implemented for every type that meets the bounds.
pub trait Data: Debug + PartialEq + Hash + Send + Sync + 'static {}

impl<T: Debug + PartialEq + Hash + Send + Sync + 'static> Data for T {}

/// A shared value of an erased type.
#[derive(Clone)]
pub(crate) struct Value(Arc<dyn Erased>);

trait Erased: Send + Sync {
    fn hash(&self) -> u64;
    fn text(&self) -> &str;
    fn equals(&self, other: &dyn Erased) -> bool;
    fn as_any(&self) -> &dyn Any;
    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

struct Typed<T> {
    value: T,
    hash: u64,
    text: OnceLock<Box<str>>,
}

impl<T: Data> Erased for Typed<T> {
    fn hash(&self) -> u64 {
        self.hash
    }

    fn text(&self) -> &str {
        self.text.get_or_init(|| format!("{:?}", self.value).into())
    }

    fn equals(&self, other: &dyn Erased) -> bool {
        other.as_any().downcast_ref::<T>().is_some_and(|other| self.value == *other)
    }

    fn as_any(&self) -> &dyn Any {
        &self.value
    }

    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// A hash that is the same in every run.
fn fixed_hash(value: &impl Hash) -> u64 {
    foldhash::quality::FixedState::with_seed(0).hash_one(value)
}

impl Value {
    pub(crate) fn new(value: impl Data) -> Self {
        let hash = fixed_hash(&value);
        Self(Arc::new(Typed { value, hash, text: OnceLock::new() }))
    }

    /// The value as what it is, if it is a `T`.
    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        self.0.as_any().downcast_ref()
    }

    /// Its `Debug` text.
    pub(crate) fn text(&self) -> &str {
        self.0.text()
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.hash() == other.0.hash() && self.0.equals(&*other.0))
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash());
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        if self == other {
            return Ordering::Equal;
        }
        // The hash before the text: equal values have equal hashes, but they need not show alike (a `HashSet` shows its elements
        // in any order), and an order by texts alone would put a third value between two equal ones.
        let order = self.0.hash().cmp(&other.0.hash()).then_with(|| self.text().cmp(other.text()));
        if order == Ordering::Equal {
            refuse(format!(
                "two messages or timers differ, but both `Debug` and `Hash` show them alike, so they cannot be put in order: {}. \
                 Let `Debug` or `Hash` tell them apart",
                self.text()
            ));
        }
        order
    }
}

impl Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::guard;

    #[test]
    fn values_are_compared_by_eq_and_their_order_agrees_with_it() {
        let (a, b) = (Value::new("a"), Value::new("b"));
        assert!(a == Value::new("a") && a != b && a.cmp(&b) == b.cmp(&a).reverse());
        assert_eq!((a.text(), a.get::<&str>(), a.get::<u8>()), ("\"a\"", Some(&"a"), None));
        assert_ne!(Value::new(1_u8), Value::new(1_u16));
    }

    #[test]
    fn different_values_that_look_alike_are_refused() {
        #[derive(PartialEq)]
        struct Opaque(u8);
        impl Debug for Opaque {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("Opaque")
            }
        }
        impl Hash for Opaque {
            fn hash<H: Hasher>(&self, _: &mut H) {}
        }
        let fault = guard("test", || Value::new(Opaque(1)).cmp(&Value::new(Opaque(2)))).unwrap_err();
        assert!(fault.to_string().contains("Opaque"), "{fault}");
        assert_eq!(Value::new(Opaque(1)).cmp(&Value::new(Opaque(1))), Ordering::Equal);
    }
}
