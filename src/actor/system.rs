//! Building a timed system, and the system as a [`stateright::Model`].

use super::action::Tick;
use super::ageing::{Ageing, ageing_of};
use super::behaviour::{Collects, TimedActor, Typed};
use super::factored::{Factored, register};
use super::link::Link;
use super::machine::{Machine, combinations, refuse_too_many};
use super::outcome::Outcome;
use super::reads::Read;
use super::state::TimedState;
use super::trigger::Trigger;
use stateright::actor::{Actor, Id};
use stateright::{Expectation, Model, Property};
use std::any::TypeId;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

/// What a message must be. Implemented for every type that meets the bounds.
pub trait Message: Clone + fmt::Debug + Eq + Hash + Send + Sync + 'static {}

impl<M: Clone + fmt::Debug + Eq + Hash + Send + Sync + 'static> Message for M {}

/// An actor of a system: its id, with its type.
pub struct Handle<A> {
    index: usize,
    of: PhantomData<fn() -> A>,
}

impl<A> Handle<A> {
    /// The id by which other actors send to it.
    pub fn id(self) -> Id {
        self.index.into()
    }

    pub(crate) fn index(self) -> usize {
        self.index
    }
}

impl<A> Clone for Handle<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Handle<A> {}

impl<A> fmt::Debug for Handle<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({})", self.index)
    }
}

impl<A> From<Handle<A>> for Id {
    fn from(handle: Handle<A>) -> Self {
        handle.id()
    }
}

/// Actors, the links between them, and the tick. A [`Model`] whose transitions are ticks; see the [module](super) for
/// what happens in one.
///
/// What is wrong with a system as it is written (two actors of one name, a latency of zero) is refused when it is run;
/// [`TimedSystem::validate`] says it before.
pub struct TimedSystem<Msg: Message> {
    machine: Machine,
    properties: Vec<Property<Self>>,
    of: PhantomData<fn() -> Msg>,
}

impl<Msg: Message> TimedSystem<Msg> {
    /// A system without actors, whose clock has this tick.
    #[must_use]
    pub fn new(tick: Duration) -> Self {
        register(Factored::<Self> {
            machine: |system| &system.machine,
            parts: |state| &state.parts,
            tick: |action| action,
            state: |system, parts| TimedState {
                parts,
                names: Arc::clone(&system.machine.names),
                watch: None,
                of: PhantomData,
            },
            watch: |state, watch| state.watch = Some(watch),
        });
        Self { machine: Machine::new(tick), properties: Vec::new(), of: PhantomData }
    }

    /// Adds an actor. Ids are given in the order of adding, from 0.
    pub fn add<A: TimedActor + Actor<Msg = Msg>>(&mut self, name: &str, actor: A) -> Handle<A> {
        let trigger = TypeId::of::<A>() == TypeId::of::<Trigger<Msg>>();
        let index = self.machine.add(name, Some(Box::new(Typed::new(actor))));
        self.machine.seats[index].trigger = trigger;
        Handle { index, of: PhantomData }
    }

    /// Adds a place for an actor that comes later by [`TimedSystem::fill`], so that others can know its id before.
    pub fn reserve<A: TimedActor + Actor<Msg = Msg>>(&mut self, name: &str) -> Handle<A> {
        Handle { index: self.machine.add(name, None), of: PhantomData }
    }

    /// Puts an actor in its reserved place.
    pub fn fill<A: TimedActor + Actor<Msg = Msg>>(&mut self, place: Handle<A>, actor: A) {
        self.occupy(place, Typed::new(actor));
    }

    /// The same for an actor that only collects its messages.
    pub fn fill_collecting<A: Collects + Actor<Msg = Msg>>(&mut self, place: Handle<A>, actor: A) {
        self.occupy(place, Typed::collecting(actor));
    }

    fn occupy<A: TimedActor>(&mut self, place: Handle<A>, behaviour: Typed<A>) {
        match self.machine.seats.get_mut(place.index) {
            Some(seat) if seat.behaviour.is_none() => seat.behaviour = Some(Box::new(behaviour)),
            Some(_) => {
                self.machine.errors.push(format!("`{}` is filled twice", self.machine.names[place.index]))
            }
            None => self.machine.errors.push(format!("{place:?} is a handle of another system")),
        }
    }

    /// Sets the link from one actor to another; replaces what was set before.
    pub fn link(&mut self, from: impl Into<Id>, to: impl Into<Id>, link: Link) {
        self.machine.links.insert((from.into().into(), to.into().into()), link);
    }

    /// Sets the links between two actors in both directions.
    pub fn link_both(&mut self, one: impl Into<Id>, other: impl Into<Id>, link: Link) {
        let (one, other) = (one.into(), other.into());
        self.link(one, other, link.clone());
        self.link(other, one, link);
    }

    /// Sets the link between all actors that have none of their own: one tick and nothing lost, if this is not called.
    pub fn default_link(&mut self, link: Link) {
        self.machine.default_link = link;
    }

    /// Declares that the order of the messages that reach this actor in one tick does not matter: it gets one canonical
    /// order. The declaration is tested wherever it is used, and a false one is refused with two orders that show it.
    pub fn order_free(&mut self, actor: impl Into<Id>) {
        let id = usize::from(actor.into());
        match self.machine.seats.get_mut(id) {
            Some(seat) => seat.order_free = true,
            None => self
                .machine
                .errors
                .push(format!("Id({id}) is declared order free, but there is no such actor")),
        }
    }

    /// Lets messages age while they are under way: by one tick at the beginning of each tick, see [`Ageing`].
    pub fn ageing(&mut self)
    where
        Msg: Ageing,
    {
        self.machine.ageing = Some(ageing_of::<Msg>());
    }

    /// Adds a stateright property.
    pub fn add_property(
        &mut self,
        expectation: Expectation,
        name: &'static str,
        condition: fn(&Self, &TimedState<Msg>) -> bool,
    ) {
        self.properties.push(Property { expectation, name, condition });
    }

    /// The tick.
    pub fn tick(&self) -> Duration {
        self.machine.tick
    }

    /// The actors' names, by id.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.machine.names.iter().map(|name| &**name)
    }

    /// Whether the system can be run as it is written.
    ///
    /// # Errors
    /// What is wrong: a place that was not filled, a name given twice, a latency that is none, a link to nobody.
    pub fn validate(&self) -> Result<(), String> {
        self.machine.validate()
    }

    fn combine(&self, chosen: &[Arc<Outcome>]) -> TimedState<Msg> {
        let parts = self.machine.combine(chosen);
        TimedState { parts, names: Arc::clone(&self.machine.names), watch: None, of: PhantomData }
    }

    fn cut(&self, state: &TimedState<Msg>, id: usize) -> Box<[usize]> {
        self.machine.cut(id, &|other| state.parts[other].local.state.clone())
    }
}

impl<Msg: Message> Model for TimedSystem<Msg> {
    type State = TimedState<Msg>;
    type Action = Tick;

    fn init_states(&self) -> Vec<Self::State> {
        let mut states = Vec::new();
        let starts = self.machine.starts();
        refuse_too_many(&self.machine.names, &starts);
        combinations(&starts, |chosen| states.push(self.combine(&chosen)));
        states
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>) {
        state.note(Read::All);
        let outcomes: Vec<_> = (state.parts.iter().enumerate())
            .map(|(id, part)| self.machine.outcomes(id, part, self.cut(state, id)))
            .collect();
        refuse_too_many(&self.machine.names, &outcomes);
        let from: Arc<[_]> = state.parts.clone().into();
        let names = &self.machine.names;
        combinations(&outcomes, |chosen| {
            actions.push(Tick { from: Arc::clone(&from), chosen, names: Arc::clone(names) });
        });
    }

    fn next_state(&self, state: &Self::State, action: Self::Action) -> Option<Self::State> {
        state.note(Read::All);
        // An outcome says all that becomes of its actor in a state, and nothing of any other state.
        (*action.from == *state.parts).then(|| self.combine(&action.chosen))
    }

    fn format_action(&self, action: &Self::Action) -> String {
        action.to_string()
    }

    fn properties(&self) -> Vec<Property<Self>> {
        self.properties.clone()
    }
}

impl<Msg: Message> fmt::Debug for TimedSystem<Msg> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimedSystem")
            .field("tick", &self.machine.tick)
            .field("actors", &self.machine.names)
            .field("links", &self.machine.links)
            .field("default_link", &self.machine.default_link)
            .finish_non_exhaustive()
    }
}
