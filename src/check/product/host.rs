//! What the product search needs of the model and its system, free of their types: the search itself is compiled once, not once for
//! each model.

use crate::actor::factored::Factored;
use crate::actor::machine::Machine;
use crate::actor::outcome::Part;
use crate::actor::reads::{Read, Watch};
use crate::check::search::{self, Ask, Mark, Operator, at, initial_states, name_atom, show, successors};
use crate::model::{Checkable, Fault, guard};
use crate::property::System;

/// A state, as the parts of its actors.
pub type Parts = Box<[Part]>;

/// A successor, with the mask of the edge to it.
pub type Edge = (u128, Parts);

/// The initial states within the boundary, and how many are outside.
pub type Initial = (Vec<Parts>, usize);

/// A timed system with what is to be computed of its states.
pub trait Host: Sync {
    /// The actors and links.
    fn machine(&self) -> &Machine;
    /// The number of atoms, and of measures.
    fn functions(&self) -> [usize; 2];
    /// The number of action classes.
    fn classes(&self) -> usize;
    /// Whether each edge has its mask: there is fairness, or the operator acts.
    fn labelled(&self) -> bool;
    /// Whether the actions have to be looked at, be it to leave some out, when `unseen` classes are looked for.
    fn looks_at_actions(&self, unseen: u128) -> bool;
    /// The initial states within the boundary, and how many are outside.
    fn initial(&self) -> Result<Initial, Fault>;
    /// Values of atoms and measures, one state at a time.
    fn view(&self) -> Box<dyn View + '_>;
    /// What is to be said about each action of a state, in their order.
    fn marks(&self, state: Parts, unseen: u128) -> Result<Vec<Mark>, Fault>;
    /// The successors as the generic search finds them, by asking the model.
    fn successors(&self, state: Parts) -> Result<Vec<Edge>, Fault>;
    /// The state as `Debug` shows it.
    fn show(&self, state: Parts) -> String;
}

/// The values of atoms, then of measures.
pub trait View {
    /// Another state is looked at.
    fn enter(&mut self, state: Parts);
    /// The value of the function at this place, an atom's as 0 or 1, and what it looked at.
    fn value(&self, which: usize) -> Result<(i64, Vec<Read>), Fault>;
    /// The function's name, with its sort.
    fn name(&self, which: usize) -> String;
}

/// The system of a timed model.
pub struct Hosted<'a, M: Checkable> {
    /// The system.
    pub system: &'a System<M>,
    /// How its states are made.
    pub factored: Factored<M>,
    /// Whether the operator acts.
    pub operator: Operator,
}

impl<M: Checkable> Hosted<'_, M> {
    fn state(&self, parts: Parts) -> M::State {
        (self.factored.state)(&self.system.model, parts)
    }
}

impl<M: Checkable> Host for Hosted<'_, M> {
    fn machine(&self) -> &Machine {
        (self.factored.machine)(&self.system.model)
    }

    fn functions(&self) -> [usize; 2] {
        [self.system.atoms.len(), self.system.measures.len()]
    }

    fn classes(&self) -> usize {
        self.system.classes.len()
    }

    fn labelled(&self) -> bool {
        search::labelled(self.system, self.operator)
    }

    fn looks_at_actions(&self, unseen: u128) -> bool {
        unseen != 0 || !self.system.fairness.is_empty() || !self.system.operators.is_empty()
    }

    fn initial(&self) -> Result<Initial, Fault> {
        let model = &self.system.model;
        let (mut inside, mut outside) = (Vec::new(), 0);
        for state in initial_states(self.system)? {
            if guard("within_boundary", || model.within_boundary(&state)).map_err(|f| at(f, &state))? {
                inside.push((self.factored.parts)(&state).into());
            } else {
                outside += 1;
            }
        }
        Ok((inside, outside))
    }

    fn view(&self) -> Box<dyn View + '_> {
        Box::new(Viewed { host: self, state: None, watch: Watch::default() })
    }

    fn marks(&self, state: Parts, unseen: u128) -> Result<Vec<Mark>, Fault> {
        let state = self.state(state);
        search::marks(self.system, &state, Ask { operator: self.operator, unseen })
    }

    fn successors(&self, state: Parts) -> Result<Vec<Edge>, Fault> {
        let state = self.state(state);
        let expansion = successors(self.system, &state, Ask { operator: self.operator, unseen: 0 })?;
        Ok((expansion.edges.iter()).map(|(mask, next)| (*mask, (self.factored.parts)(next).into())).collect())
    }

    fn show(&self, state: Parts) -> String {
        show(&self.state(state))
    }
}

struct Viewed<'a, M: Checkable> {
    host: &'a Hosted<'a, M>,
    state: Option<M::State>,
    watch: Watch,
}

impl<M: Checkable> View for Viewed<'_, M> {
    fn enter(&mut self, state: Parts) {
        // Another watch for each state: an atom that keeps a copy looks at the other state with it.
        self.watch = Watch::default();
        let mut state = self.host.state(state);
        (self.host.factored.watch)(&mut state, self.watch.clone());
        self.state = Some(state);
    }

    fn value(&self, which: usize) -> Result<(i64, Vec<Read>), Fault> {
        let system = self.host.system;
        let Some(state) = &self.state else { return Ok((0, vec![Read::All])) };
        let value = || match system.atoms.get(which) {
            Some(atom) => i64::from(atom.holds(&system.model, state)),
            None => system.measures[which - system.atoms.len()].value(&system.model, state),
        };
        guard("an atom or a measure", || self.watch.recorded(value))
            .map_err(|fault| at(name_atom(system, state).unwrap_or(fault), state))
    }

    fn name(&self, which: usize) -> String {
        let system = self.host.system;
        match system.atoms.get(which) {
            Some(atom) => format!("the atom `{}`", atom.name),
            None => format!("the measure `{}`", system.measures[which - system.atoms.len()].name),
        }
    }
}
