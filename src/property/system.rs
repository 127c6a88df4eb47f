//! A model together with its atoms, measures, fairness and claims.

use super::claim::{Claim, ClaimError, Draft, Temporal};
use super::expr::StateExpr;
use crate::actor::factored::{self, Factored};
use crate::model::{Atom, Checkable, Measure};
use std::fmt;
use std::sync::Arc;

/// The most fairness constraints a system can have: one bit each in the graph's edge labels.
pub const FAIRNESS_MAX: usize = 128;

/// The most measures by which a trigger can be weighed.
pub const TRIGGER_COST_MAX: usize = 4;

/// The most action classes a system can have: one bit each in what the search has seen taken.
pub const CLASSES_MAX: usize = 128;

/// Weak or strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    /// If the set is enabled in all states from some point on, one of its actions is taken again and again.
    Weak,
    /// If the set is enabled again and again, one of its actions is taken again and again.
    Strong,
}

type Membership<M> =
    dyn Fn(&M, &<M as stateright::Model>::State, &<M as stateright::Model>::Action) -> bool + Send + Sync;

/// A fairness constraint over a named set of actions.
///
/// A set is enabled in a state where one of its actions leads to a *different* state; a step that leaves the state
/// unchanged neither takes nor enables it (as in TLA).
pub struct Fairness<M: Checkable> {
    /// The name of the set.
    pub name: String,
    /// Weak or strong.
    pub strength: Strength,
    member: Arc<Membership<M>>,
}

impl<M: Checkable> Fairness<M> {
    /// Whether `action`, taken in `state`, belongs to the set.
    pub fn contains(&self, model: &M, state: &M::State, action: &M::Action) -> bool {
        (self.member)(model, state, action)
    }
}

impl<M: Checkable> Clone for Fairness<M> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), strength: self.strength, member: Arc::clone(&self.member) }
    }
}

impl<M: Checkable> fmt::Debug for Fairness<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fairness")
            .field("name", &self.name)
            .field("strength", &self.strength)
            .finish_non_exhaustive()
    }
}

type Erasure<M> = dyn Fn(&M, &mut <M as stateright::Model>::State) + Send + Sync;

/// A measure that may grow without bound.
pub struct Counter<M: Checkable> {
    /// Its place among the system's measures.
    pub measure: usize,
    erase: Arc<Erasure<M>>,
}

impl<M: Checkable> Counter<M> {
    /// Sets the counter to a fixed value in `state`.
    pub fn erase(&self, model: &M, state: &mut M::State) {
        (self.erase)(model, state);
    }
}

impl<M: Checkable> fmt::Debug for Counter<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counter").field("measure", &self.measure).finish_non_exhaustive()
    }
}

/// A model with what is to be said about it. Made with [`ModelExt::system`].
pub struct System<M: Checkable> {
    /// The model.
    pub model: M,
    /// Named predicates.
    pub atoms: Vec<Atom<M>>,
    /// Named numbers.
    pub measures: Vec<Measure<M>>,
    /// Fairness constraints; a path that breaks one is no behaviour.
    pub fairness: Vec<Fairness<M>>,
    /// Whether a behaviour may stay in any state for ever (as in TLA). End states always stutter.
    pub stutters: bool,
    /// Measures that may grow without bound, with how to leave them out of a state.
    pub counters: Vec<Counter<M>>,
    /// Named sets of actions, each of which is expected to be taken somewhere; shown where one never is.
    pub classes: Vec<Fairness<M>>,
    /// Named sets of actions that an operator may take. Nothing but interventions counts on them: see [`System::operator`].
    pub operators: Vec<Fairness<M>>,
    /// The measures by whose sums along a path a trigger is weighed, the first one first: see [`System::trigger_cost`].
    pub trigger_cost: Vec<String>,
    /// Pairs of measures: offered load and fresh load. See [`System::amplification`].
    pub amplifications: Vec<(String, String)>,
    /// Variants of the system in which the one named behaves, for `isolated`.
    pub behaving: Vec<(String, System<M>)>,
    /// What is to be verified.
    pub claims: Vec<Claim>,
    errors: Vec<SystemError>,
    /// How the model's states are made of parts, if it is a timed system.
    pub(crate) factored: Option<Factored<M>>,
}

/// A system that cannot be checked as it is written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SystemError {
    /// A claim does not parse.
    #[error("a claim cannot be read: {0}")]
    Claim(#[from] ClaimError),
    /// A claim refers to an atom that the system does not have.
    #[error("claim `{claim}` refers to `{atom}`, which is no atom of this model; it has: {}", if .known.is_empty() { "none".to_owned() } else { .known.join(", ") })]
    UnknownAtom {
        /// The claim's name.
        claim: String,
        /// The name it refers to.
        atom: String,
        /// The atoms there are.
        known: Vec<String>,
    },
    /// A claim is about a measure that the system does not have, or that is no counter where it has to be one.
    #[error("claim `{claim}` is about `{measure}`, which is no {sort} of this model; it has: {}", if .known.is_empty() { "none".to_owned() } else { .known.join(", ") })]
    UnknownMeasure {
        /// The claim's name.
        claim: String,
        /// The name it refers to.
        measure: String,
        /// `measure`, or `counter` (added with `.counter(..)`).
        sort: &'static str,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A claim of isolation from somebody for whom there is no variant in which they behave.
    #[error(
        "claim `{claim}` needs a variant of the model in which `{from}` behaves: add `.behaving(\"{from}\", model)`"
    )]
    NoVariant {
        /// The claim's name.
        claim: String,
        /// The one to be isolated from.
        from: String,
    },
    /// A trigger cost or an amplification names a measure that there is not.
    #[error("`{measure}`, by which a trigger or an amplification is measured, is no measure of this model; it has: {}", if .known.is_empty() { "none".to_owned() } else { .known.join(", ") })]
    UnknownQuantity {
        /// The name.
        measure: String,
        /// The measures there are.
        known: Vec<String>,
    },
    /// Too many measures in a trigger's cost.
    #[error("a trigger is weighed by {0} measures; at most {max} are supported", max = TRIGGER_COST_MAX)]
    TooManyCosts(usize),
    /// An atom whose name cannot stand in a claim.
    #[error(
        "an atom is named `{0}`, which cannot stand in a claim: `true`, `false` and names with double quotes are taken"
    )]
    BadName(String),
    /// An antecedent where none can be.
    #[error(
        "claim `{0}` compares two systems from their initial states on: it cannot be said `after` something"
    )]
    NoAfter(String),
    /// Two things of the same sort have the same name.
    #[error("two {sort} are named `{name}`; names must differ")]
    Twice {
        /// `atoms`, `measures`, `claims`, `fairness sets` or `action classes`.
        sort: &'static str,
        /// The name.
        name: String,
    },
    /// There is nothing to check.
    #[error(
        "the model claims nothing: add a claim, for example `.claim(stabilizes(\"healthy\"))`, or stateright `properties()`"
    )]
    NoClaims,
    /// More fairness constraints than the graph has room for.
    #[error("the model has {0} fairness constraints and operator actions; at most {max} are supported", max = FAIRNESS_MAX)]
    TooMuchFairness(usize),
    /// More action classes than the search keeps track of.
    #[error("the model has {0} action classes; at most {max} are supported", max = CLASSES_MAX)]
    TooManyClasses(usize),
}

/// Adds [`System`] construction to every model.
pub trait ModelExt: Checkable + Sized {
    /// This model with its own stateright `properties()` as claims, ready to be given atoms, measures, fairness and
    /// further claims.
    ///
    /// `always` becomes `always`, `sometimes` becomes `reachable`, `eventually` becomes `eventually`; each is decided
    /// over all paths, cycles and joins included.
    fn system(self) -> System<Self>
    where
        Self: 'static,
    {
        System::new(self)
    }
}

impl<M: Checkable> ModelExt for M {}

impl<M: Checkable + 'static> System<M> {
    fn new(model: M) -> Self {
        let mut system = Self {
            model,
            atoms: Vec::new(),
            measures: Vec::new(),
            fairness: Vec::new(),
            stutters: false,
            counters: Vec::new(),
            classes: Vec::new(),
            operators: Vec::new(),
            trigger_cost: Vec::new(),
            amplifications: Vec::new(),
            behaving: Vec::new(),
            claims: Vec::new(),
            errors: Vec::new(),
            factored: factored::lookup(),
        };
        for property in system.model.properties() {
            let condition = property.condition;
            system.atoms.push(Atom::new(property.name, condition));
            let p = StateExpr::atom(property.name);
            let temporal = match property.expectation {
                stateright::Expectation::Always => Temporal::Always(p),
                stateright::Expectation::Sometimes => Temporal::Reachable(p),
                stateright::Expectation::Eventually => Temporal::Eventually(p),
            };
            system.claims.push(Claim::new(Some(property.name.to_owned()), temporal, None));
        }
        system
    }

    /// Adds a named predicate.
    #[must_use]
    pub fn atom(mut self, name: &str, eval: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static) -> Self {
        self.atoms.push(Atom::new(name, eval));
        self
    }

    /// Adds a named number with its unit (`requests`, `requests per tick`, `ticks`).
    #[must_use]
    pub fn measure(
        mut self,
        name: &str,
        unit: &str,
        eval: impl Fn(&M, &M::State) -> i64 + Send + Sync + 'static,
    ) -> Self {
        self.measures.push(Measure::new(name, unit, eval));
        self
    }

    /// Adds atoms, such as those that a component brings with it.
    #[must_use]
    pub fn atoms(mut self, atoms: impl IntoIterator<Item = Atom<M>>) -> Self {
        self.atoms.extend(atoms);
        self
    }

    /// Adds measures, such as those that a component brings with it.
    #[must_use]
    pub fn measures(mut self, measures: impl IntoIterator<Item = Measure<M>>) -> Self {
        self.measures.extend(measures);
        self
    }

    /// Adds a measure that may grow without bound, so that `bounded` can be claimed of it. `erase` sets it to a fixed value in
    /// a state, so that two states which differ in counters alone become equal: the rest is the control part. In a timed system
    /// it does so with [`TimedState::update`](crate::actor::TimedState::update) and
    /// [`TimedState::update_in_flight`](crate::actor::TimedState::update_in_flight), since what grows there is often under way as well.
    ///
    /// Counters should not be negative: growth is found as a path from a state to one with the same control part, all
    /// counters at least as large, and this one larger.
    #[must_use]
    pub fn counter(
        mut self,
        name: &str,
        unit: &str,
        eval: impl Fn(&M, &M::State) -> i64 + Send + Sync + 'static,
        erase: impl Fn(&M, &mut M::State) + Send + Sync + 'static,
    ) -> Self {
        self.counters.push(Counter { measure: self.measures.len(), erase: Arc::new(erase) });
        self.measure(name, unit, eval)
    }

    /// Names a set of actions that is expected to be taken somewhere. One that never is tested nothing, and is shown. A step
    /// that leaves the state unchanged takes none, as with fairness.
    #[must_use]
    pub fn action_class(
        mut self,
        name: &str,
        member: impl Fn(&M, &M::State, &M::Action) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.classes.push(Fairness {
            name: name.to_owned(),
            strength: Strength::Weak,
            member: Arc::new(member),
        });
        self
    }

    /// Names a set of actions that an operator may take. Claims never count on them: they are decided as if no operator
    /// existed. For each violated `stabilizes` and `recoverable`, the report says how few of them, in which order, bring the
    /// system back for certain from the worst state that it can come to.
    #[must_use]
    pub fn operator(
        mut self,
        name: &str,
        member: impl Fn(&M, &M::State, &M::Action) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.operators.push(Fairness {
            name: name.to_owned(),
            strength: Strength::Weak,
            member: Arc::new(member),
        });
        self
    }

    /// Weighs triggers by the sums of these measures over the states of a path, for example the ticks of an outage and then
    /// its size: the report says which is the least trigger that can tip the system. At most four; none may be negative.
    #[must_use]
    pub fn trigger_cost(mut self, measures: &[&str]) -> Self {
        self.trigger_cost = measures.iter().map(|m| (*m).to_owned()).collect();
        self
    }

    /// Reports the amplification: the largest ratio of offered to fresh load (two measures, in requests per tick), and the
    /// ratio of their sums over each loop.
    #[must_use]
    pub fn amplification(mut self, offered: &str, fresh: &str) -> Self {
        self.amplifications.push((offered.to_owned(), fresh.to_owned()));
        self
    }

    /// Gives the variant of the system in which `name` behaves, for claims `isolated .. from name`. It needs the measure that
    /// the claim is about, under the same name; its claims play no part.
    #[must_use]
    pub fn behaving(mut self, name: &str, variant: System<M>) -> Self {
        self.behaving.push((name.to_owned(), variant));
        self
    }

    /// Requires weak fairness of a set of actions: enabled for ever from some point on, then taken again and again.
    #[must_use]
    pub fn weakly_fair(
        self,
        name: &str,
        member: impl Fn(&M, &M::State, &M::Action) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.fair(name, Strength::Weak, member)
    }

    /// Requires strong fairness of a set of actions: enabled again and again, then taken again and again.
    #[must_use]
    pub fn strongly_fair(
        self,
        name: &str,
        member: impl Fn(&M, &M::State, &M::Action) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.fair(name, Strength::Strong, member)
    }

    /// Requires fairness of a set of actions.
    #[must_use]
    pub fn fair(
        mut self,
        name: &str,
        strength: Strength,
        member: impl Fn(&M, &M::State, &M::Action) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.fairness.push(Fairness { name: name.to_owned(), strength, member: Arc::new(member) });
        self
    }

    /// Lets a behaviour stay in any state for ever unless fairness forbids it, as in TLA.
    #[must_use]
    pub fn stuttering(mut self) -> Self {
        self.stutters = true;
        self
    }

    /// Adds a claim, for example `stabilizes("valid").after("repaired").named("stays valid")`. One that cannot be used
    /// is reported by [`System::validate`].
    #[must_use]
    pub fn claim(mut self, draft: Draft) -> Self {
        match draft.build() {
            Ok(claim) => self.claims.push(claim),
            Err(error) => self.errors.push(error.into()),
        }
        self
    }
}

impl<M: Checkable> System<M> {
    /// Whether the system can be checked as it is written.
    ///
    /// # Errors
    /// A claim that does not parse or refers to an unknown atom, a name given twice, no claim at all, too much fairness, too
    /// many action classes.
    pub fn validate(&self) -> Result<(), SystemError> {
        if let Some(error) = self.errors.first() {
            return Err(error.clone());
        }
        unique("atoms", self.atoms.iter().map(|a| a.name.as_str()))?;
        if let Some(atom) =
            self.atoms.iter().find(|a| a.name == "true" || a.name == "false" || a.name.contains('"'))
        {
            return Err(SystemError::BadName(atom.name.clone()));
        }
        unique("measures", self.measures.iter().map(|m| m.name.as_str()))?;
        unique("fairness sets", self.fairness.iter().map(|f| f.name.as_str()))?;
        unique("action classes", self.classes.iter().map(|c| c.name.as_str()))?;
        unique("claims", self.claims.iter().map(|c| c.name.as_str()))?;
        for claim in &self.claims {
            for atom in claim.atoms() {
                if !self.atoms.iter().any(|a| a.name == atom) {
                    return Err(SystemError::UnknownAtom {
                        claim: claim.name.clone(),
                        atom: atom.to_owned(),
                        known: self.atoms.iter().map(|a| a.name.clone()).collect(),
                    });
                }
            }
        }
        for claim in &self.claims {
            self.validate_measure(claim)?;
        }
        if self.claims.is_empty() {
            return Err(SystemError::NoClaims);
        }
        if self.fairness.len() + self.operators.len() > FAIRNESS_MAX {
            return Err(SystemError::TooMuchFairness(self.fairness.len() + self.operators.len()));
        }
        unique("operator actions", self.operators.iter().map(|o| o.name.as_str()))?;
        let pairs = self.amplifications.iter().flat_map(|(offered, fresh)| [offered, fresh]);
        for name in self.trigger_cost.iter().chain(pairs) {
            if self.measure_index(name).is_none() {
                let known = self.measures.iter().map(|m| m.name.clone()).collect();
                return Err(SystemError::UnknownQuantity { measure: name.clone(), known });
            }
        }
        if self.trigger_cost.len() > TRIGGER_COST_MAX {
            return Err(SystemError::TooManyCosts(self.trigger_cost.len()));
        }
        if self.classes.len() > CLASSES_MAX {
            return Err(SystemError::TooManyClasses(self.classes.len()));
        }
        Ok(())
    }

    fn validate_measure(&self, claim: &Claim) -> Result<(), SystemError> {
        let Some(measure) = claim.measure() else { return Ok(()) };
        let counters = matches!(claim.temporal, Temporal::Bounded(_));
        let is_counter = |i: usize| self.counters.iter().any(|c| c.measure == i);
        let measures = self.measures.iter().enumerate().filter(|(i, _)| !counters || is_counter(*i));
        let known: Vec<String> = measures.map(|(_, m)| m.name.clone()).collect();
        if !known.iter().any(|name| name == measure) {
            let sort = if counters { "counter" } else { "measure" };
            let (claim, measure) = (claim.name.clone(), measure.to_owned());
            return Err(SystemError::UnknownMeasure { claim, measure, sort, known });
        }
        match &claim.temporal {
            Temporal::Isolated { from, .. } if self.variant(from, measure).is_none() => {
                Err(SystemError::NoVariant { claim: claim.name.clone(), from: from.clone() })
            }
            Temporal::Isolated { .. } if claim.after.is_some() => {
                Err(SystemError::NoAfter(claim.name.clone()))
            }
            _ => Ok(()),
        }
    }

    /// The operator actions to which `action`, taken in `state`, belongs, as bits in the system's order.
    pub fn operator_acts(&self, state: &M::State, action: &M::Action) -> u128 {
        let sets = self.operators.iter().enumerate();
        sets.fold(0, |mask, (i, set)| mask | u128::from(set.contains(&self.model, state, action)) << i)
    }

    /// The variant in which `from` behaves, if it has the measure, with the measure's place in it.
    pub fn variant(&self, from: &str, measure: &str) -> Option<(&Self, usize)> {
        let (_, variant) = self.behaving.iter().find(|(name, _)| name == from)?;
        Some((variant, variant.measure_index(measure)?))
    }

    /// The place of the measure `name`.
    pub fn measure_index(&self, name: &str) -> Option<usize> {
        self.measures.iter().position(|m| m.name == name)
    }

    /// Whether `expr` holds in `state`. Unknown atoms count as false; [`System::validate`] excludes them.
    pub fn holds(&self, expr: &StateExpr, state: &M::State) -> bool {
        expr.eval(&|name| {
            self.atoms.iter().find(|a| a.name == name).is_some_and(|a| a.holds(&self.model, state))
        })
    }
}

fn unique<'a>(sort: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), SystemError> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(SystemError::Twice { sort, name: name.to_owned() });
        }
    }
    Ok(())
}
