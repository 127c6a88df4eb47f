//! The engines: every way in which a system can be explored. Each case is decided by each of them.

use aftercalm::check::{CheckError, Limits, Outcome, check};
use aftercalm::model::Checkable;
use aftercalm::property::System;

/// One way of exploring a system.
#[derive(Clone, Copy, Debug)]
pub enum Engine {
    /// The generic search.
    Generic {
        /// How many threads it uses; there is one so far.
        threads: usize,
    },
}

/// All engines.
pub const ENGINES: [Engine; 1] = [Engine::Generic { threads: 1 }];

impl Engine {
    /// Decides the claims of the system.
    pub fn check<M: Checkable>(self, system: &System<M>, limits: &Limits) -> Result<Outcome<M>, CheckError> {
        match self {
            Self::Generic { threads } => {
                assert_eq!(threads, 1, "the generic search has one thread");
                check(system, limits)
            }
        }
    }
}
