//! An operator: actions in a declared order, each at any moment, or never.
//!
//! Nothing makes an operator act. A claim that counts on the actions says so in its antecedent (`after "mended"`, with
//! [`Operator::done`]). Where a system declares the actions themselves (`System::operator` with [`Operator::acts`]), claims are
//! decided as if there were no operator, and for each violated one the report says how few of the actions bring the system back.

use super::msg::{Control, Msg};
use crate::actor::{Handle, Tick, TimedState, TimedSystem, later};
use stateright::actor::{Actor, Id, Out};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

/// An operator.
#[derive(Clone, Debug, Default)]
pub struct Operator {
    actions: Vec<Action>,
    on_call: bool,
}

#[derive(Clone, Debug)]
struct Action {
    name: &'static str,
    when: Range<Duration>,
    orders: Vec<(Id, Control)>,
}

/// How far an operator is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duty {
    /// Whether it may act: from the start, or since it was called.
    pub called: bool,
    /// How many of its actions it has taken.
    pub taken: usize,
}

/// The next action, as a timer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Next(&'static str);

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Operator {
    /// An operator who does nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The next action: at any moment after the one before it, or never, all of these orders at once.
    #[must_use]
    pub fn then<I: Into<Id>>(
        self,
        name: &'static str,
        orders: impl IntoIterator<Item = (I, Control)>,
    ) -> Self {
        self.then_within(later(), name, orders)
    }

    /// The next action, within a range of time after the one before it (see [`later`] and its like).
    #[must_use]
    pub fn then_within<I: Into<Id>>(
        mut self,
        when: Range<Duration>,
        name: &'static str,
        orders: impl IntoIterator<Item = (I, Control)>,
    ) -> Self {
        let orders = orders.into_iter().map(|(id, control)| (id.into(), control)).collect();
        self.actions.push(Action { name, when, orders });
        self
    }

    /// It does nothing until it gets [`Control::Call`], from a trigger, say. Default: it may act from the start, so that it may waste
    /// its actions before anything has happened.
    #[must_use]
    pub fn on_call(mut self) -> Self {
        self.on_call = true;
        self
    }

    /// How many actions there are.
    #[must_use]
    pub fn actions(&self) -> usize {
        self.actions.len()
    }

    /// Whether, in a state, this many actions have been taken and their orders have arrived: for an atom.
    pub fn done(
        operator: Handle<Self>,
        actions: usize,
    ) -> impl Fn(&TimedSystem<Msg>, &TimedState<Msg>) -> bool + Send + Sync + Clone + 'static {
        move |_, state| {
            state[operator].taken >= actions && state.count_in_flight(|m| m.src == operator.id()) == 0
        }
    }

    /// Whether a step takes action number `action` (0 for the first): for `System::operator`.
    pub fn acts(
        operator: Handle<Self>,
        action: usize,
    ) -> impl Fn(&TimedSystem<Msg>, &TimedState<Msg>, &Tick) -> bool + Send + Sync + Clone + 'static {
        move |_, state, tick| {
            state[operator].taken == action && tick.after(operator).is_some_and(|duty| duty.taken > action)
        }
    }

    fn expect(&self, taken: usize, out: &mut Out<Self>) {
        if let Some(action) = self.actions.get(taken) {
            out.set_timer(Next(action.name), action.when.clone());
        }
    }
}

impl Actor for Operator {
    type Msg = Msg;
    type State = Duty;
    type Timer = Next;
    type Random = ();
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> Duty {
        if !self.on_call {
            self.expect(0, out);
        }
        Duty { called: !self.on_call, taken: 0 }
    }

    fn on_msg(&self, _: Id, duty: &mut Cow<'_, Duty>, _: Id, msg: Msg, out: &mut Out<Self>) {
        if msg == Msg::Control(Control::Call) && !duty.called {
            duty.to_mut().called = true;
            self.expect(0, out);
        }
    }

    fn on_timeout(&self, _: Id, duty: &mut Cow<'_, Duty>, _: &Next, out: &mut Out<Self>) {
        if let Some(action) = self.actions.get(duty.taken) {
            action.orders.iter().for_each(|(id, control)| out.send(*id, Msg::Control(*control)));
        }
        duty.to_mut().taken += 1;
        self.expect(duty.taken, out);
    }
}
