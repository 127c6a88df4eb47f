//! How long an entry is fresh, and what may be done with a stale one (RFC 9111, RFC 5861).

use crate::policy::{Policy, PolicyError, Ticks};

/// How long an entry may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Freshness {
    /// It is fresh for so long (`max-age`).
    pub ttl: Ticks,
    /// For so long after that it may be served while it is fetched anew (`stale-while-revalidate`).
    pub while_revalidate: Ticks,
    /// For so long after its time it may be served where fetching it anew fails (`stale-if-error`).
    pub if_error: Ticks,
}

/// How old an entry is; ages of which none may be used are all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Age(pub Ticks);

/// What may be done with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lookup {
    /// Serve it.
    Fresh,
    /// Serve it, and fetch it anew.
    Revalidate,
    /// Fetch it anew; serve it if that fails.
    IfError,
    /// Fetch it anew.
    Gone,
}

impl Freshness {
    /// Fresh for `ttl`, then gone.
    #[must_use]
    pub const fn ttl(ttl: Ticks) -> Self {
        Self { ttl, while_revalidate: Ticks::ZERO, if_error: Ticks::ZERO }
    }

    /// What may be done with an entry of this age.
    #[must_use]
    pub fn lookup(&self, age: Age) -> Lookup {
        if age.0 < self.ttl {
            Lookup::Fresh
        } else if age.0 < self.ttl + self.while_revalidate {
            Lookup::Revalidate
        } else if age.0 < self.ttl + self.if_error {
            Lookup::IfError
        } else {
            Lookup::Gone
        }
    }

    /// Whether an entry of this age may be served where fetching it anew has failed.
    #[must_use]
    pub fn may_serve_on_error(&self, age: Age) -> bool {
        age.0 < self.ttl + self.if_error
    }
}

impl Policy for Freshness {
    type State = Age;

    fn validate(&self) -> Result<(), PolicyError> {
        Ok(())
    }

    fn initial(&self) -> Age {
        Age::default()
    }

    fn tick(&self, age: &mut Age) {
        age.0 = (age.0 + Ticks(1)).min(self.ttl + self.while_revalidate.max(self.if_error));
    }
}
