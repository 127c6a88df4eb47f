//! The words in which a claim is decided. They are fixed: other people's scripts read them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What was found out about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Proven over every behaviour.
    Holds,
    /// Refuted by a witness.
    Violated,
    /// A limit was hit before the claim was decided.
    Inconclusive,
    /// The antecedent was never reached, so nothing was tested.
    Vacuous,
}

/// How a claim is violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A finite path refutes the claim (or, for `reachable`, no path at all supports it).
    Safety,
    /// An infinite path refutes the claim: a stem and a loop that is taken for ever. The system can fail to recover.
    Lasso,
    /// From some reachable state, recovery cannot be reached by any path. The system cannot recover.
    Trap,
    /// A measure grows without bound.
    Growth,
}

/// What goes on in the loop of a lasso.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lasso {
    /// Healthy again and again, never for good.
    Flaps,
    /// Never healthy in the loop.
    Stalls,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::Violated => "violated",
            Self::Inconclusive => "inconclusive",
            Self::Vacuous => "vacuous",
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Safety => "safety",
            Self::Lasso => "lasso",
            Self::Trap => "trap",
            Self::Growth => "growth",
        })
    }
}

impl fmt::Display for Lasso {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Flaps => "flaps",
            Self::Stalls => "stalls",
        })
    }
}
