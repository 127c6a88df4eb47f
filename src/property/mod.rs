//! What is to be verified: boolean expressions over atoms, claims, fairness, verdicts, and the [`System`] that holds
//! a model together with them.

mod claim;
mod expr;
mod system;
mod verdict;

pub use claim::{
    Claim, ClaimError, Draft, Temporal, always, eventually, leads_to, reachable, recoverable, recurs,
    stabilizes,
};
pub use expr::{ExprError, StateExpr};
pub use system::{FAIRNESS_MAX, Fairness, ModelExt, Strength, System, SystemError};
pub use verdict::{Kind, Lasso, Verdict};
