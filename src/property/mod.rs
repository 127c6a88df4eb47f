//! What is to be verified: boolean expressions over atoms, claims, fairness, verdicts, and the [`System`] that holds
//! a model together with them.

mod claim;
mod expr;
mod ltl;
mod system;
mod token;
mod verdict;

pub use claim::{
    Claim, ClaimError, Draft, Temporal, always, at_most, bounded, eventually, isolated, leads_to, ltl,
    reachable, recoverable, recovers, recurs, stabilizes,
};
pub use expr::StateExpr;
pub use ltl::Ltl;
pub use system::{
    Counter, FAIRNESS_MAX, Fairness, ModelExt, Strength, System, SystemError, TRIGGER_COST_MAX,
};
pub use token::ExprError;
pub use verdict::{Kind, Lasso, Verdict};
