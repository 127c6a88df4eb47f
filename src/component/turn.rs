//! A component's turn: what arrives in a tick is collected, and acted upon once, at the end of the tick.
//!
//! [`Component::act`] is an ordinary function from a state and what arrived to a new state and what is sent. Where it needs to
//! know what the model leaves open it asks [`Turn::choose`], and every answer is explored. It is written as if the answer were
//! known: the first time the question is met the turn ends with it, and once an answer is chosen the turn runs again from
//! its beginning, with that answer. So a component never has a state "between two choices", and questions are asked one after
//! the other: their orders multiply nothing.
//!
//! What arrives is collected in bags, which do not know an order, so every component is `order_free`; between two ticks its
//! inbox is empty. What controls (triggers and operators) do may depend on their order: where several arrive in one tick, each
//! order that makes a difference is explored.
//!
//! A component acts in every tick from the first on, driven by a heartbeat that is not shown.

use super::bag::Bag;
use super::msg::{Answer, Control, Msg, Request, Response};
use crate::actor::{next_tick, send_n};
use crate::model::refuse;
use stateright::actor::{Actor, Id, Out};
use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::hash::Hash;
use std::ops::{Deref, DerefMut, RangeInclusive};

/// What a component does, once a tick.
pub trait Component: Send + Sync + 'static {
    /// What it remembers from tick to tick.
    type Memory: Clone + Debug + Eq + Hash + Send + Sync + 'static;

    /// Its state before the first tick.
    fn start(&self) -> Self::Memory;

    /// What a trigger or an operator does to it, before it acts in the tick.
    fn control(&self, state: &mut Self::Memory, control: Control);

    /// Its tick.
    ///
    /// # Errors
    /// What it must know first: pass on what [`Turn::choose`] and the like return, with `?`.
    fn act(&self, state: &mut Self::Memory, arrived: &Inbox, turn: &mut Turn) -> Result<(), Ask>;
}

/// What arrived in a tick, in no order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Inbox {
    /// Requests.
    pub requests: Bag<Request>,
    /// Answers, with who sent them.
    pub responses: Bag<(usize, Response)>,
    /// Pings and pongs, with who sent them.
    pub probes: Bag<(usize, Msg)>,
    /// What triggers and operators do.
    controls: Bag<Control>,
}

impl Inbox {
    fn put(&mut self, src: Id, msg: Msg, n: u32) {
        match msg {
            Msg::Request(request) => self.requests.add(request, n),
            Msg::Response(response) => self.responses.add((src.into(), response), n),
            Msg::Ping(_) | Msg::Pong(_) => self.probes.add((src.into(), msg), n),
            Msg::Control(control) => self.controls.add(control, n),
        }
    }
}

/// A question that a turn has met: what it is about, and what the answer may be.
#[derive(Debug)]
pub struct Ask {
    about: String,
    options: Vec<Chosen>,
}

/// An answer to a question, shown as its text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chosen {
    index: u32,
    text: String,
}

impl Debug for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// How some of what is there are picked, where not all can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pick {
    /// In every way.
    #[default]
    Any,
    /// Each kind in proportion to its number, rounded down or up; each way of rounding is explored. An abstraction: it leaves out
    /// the unlucky streaks.
    Even,
    /// Each kind in proportion to its number, rounded by the largest remainder: one way. The same abstraction, for volumes so
    /// large that the ways of rounding are too many; where whole numbers are coarse, a kind of few may always lose.
    Fair,
    /// As [`Pick::Even`], of requests by class alone; of a class, first attempts before second ones, and so on. An abstraction for
    /// large volumes: it leaves out who of a class is unlucky. Of anything but requests it is [`Pick::Even`].
    ByClass,
    /// [`Pick::ByClass`] rounded as [`Pick::Fair`]: one way. Of anything but requests it is [`Pick::Fair`].
    FairByClass,
}

/// One turn of one component.
#[derive(Debug)]
pub struct Turn {
    id: Id,
    made: Vec<u32>,
    met: usize,
    sends: Vec<(Id, Msg, u32)>,
}

impl Turn {
    fn new(id: Id, made: &[u32]) -> Self {
        Self { id, made: made.to_vec(), met: 0, sends: Vec::new() }
    }

    /// The id of the component itself.
    #[must_use]
    pub fn id(&self) -> Id {
        self.id
    }

    /// Sends `n` of `msg` at the end of the tick.
    pub fn send(&mut self, to: Id, msg: Msg, n: u32) {
        if n > 0 {
            self.sends.push((to, msg, n));
        }
    }

    /// Answers `n` requests.
    pub fn answer(&mut self, request: Request, answer: Answer, n: u32) {
        if let Some((to, msg)) = request.answered(answer) {
            self.send(to, msg, n);
        }
    }

    /// One of `options`, each of which is explored.
    ///
    /// # Errors
    /// The question, where the answer is not known yet.
    pub fn choose<T: Clone + Debug>(&mut self, about: &str, options: &[T]) -> Result<T, Ask> {
        if let [only] = options {
            return Ok(only.clone());
        }
        if let Some(at) = self.made.get(self.met) {
            self.met += 1;
            return options.get(*at as usize).cloned().ok_or_else(|| self.lost(about));
        }
        if options.is_empty() {
            return Err(self.lost(about));
        }
        let options = (0..).zip(options).map(|(index, o)| Chosen { index, text: format!("{o:?}") });
        Err(Ask { about: about.to_owned(), options: options.collect() })
    }

    fn lost(&self, about: &str) -> Ask {
        refuse(format!(
            "component {:?} asks for `{about}`, to which there is no answer: `act` must ask the same questions when it is run again",
            self.id
        ))
    }

    /// Any whole number of the range.
    ///
    /// # Errors
    /// The question, where the answer is not known yet.
    pub fn number(&mut self, about: &str, range: RangeInclusive<u32>) -> Result<u32, Ask> {
        self.choose(about, &range.collect::<Vec<_>>())
    }

    /// `n` of a bag (all, if there are no more).
    ///
    /// # Errors
    /// The question, where the answer is not known yet.
    pub fn draw<T: Clone + Ord + Debug>(
        &mut self,
        about: &str,
        bag: &Bag<T>,
        n: u32,
        pick: Pick,
    ) -> Result<Bag<T>, Ask> {
        if n >= bag.total() {
            return Ok(bag.clone());
        }
        let draws = match pick {
            Pick::Any => bag.draws(n),
            Pick::Even | Pick::ByClass => bag.even_draws(n),
            Pick::Fair | Pick::FairByClass => return Ok(bag.fair_draw(n)),
        };
        self.choose(about, &draws)
    }

    /// `n` requests (all, if there are no more).
    ///
    /// # Errors
    /// The question, where the answer is not known yet.
    pub fn draw_requests(
        &mut self,
        about: &str,
        requests: &Bag<Request>,
        n: u32,
        pick: Pick,
    ) -> Result<Bag<Request>, Ask> {
        let classes = requests.map(|request| request.class);
        let mut shares = match pick {
            Pick::ByClass => self.draw(about, &classes, n, pick)?,
            Pick::FairByClass => classes.fair_draw(n),
            Pick::Any | Pick::Even | Pick::Fair => return self.draw(about, requests, n, pick),
        };
        let mut in_order: Vec<(&Request, u32)> = requests.iter().collect();
        in_order.sort_by_key(|(request, _)| request.attempt);
        let of_class = |(request, n): (&Request, u32)| (*request, shares.remove(&request.class, n));
        Ok(in_order.into_iter().map(of_class).collect())
    }
}

/// A component's state between two ticks (and, within a tick, what has arrived and what has been chosen so far).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Local<S> {
    state: S,
    inbox: Inbox,
    made: Vec<u32>,
}

impl<S> Deref for Local<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.state
    }
}

/// For what looks at a state apart from the system, as the erasure of a [counter](crate::property::System::counter) does.
impl<S> DerefMut for Local<S> {
    fn deref_mut(&mut self) -> &mut S {
        &mut self.state
    }
}

impl<S: Debug> Debug for Local<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.fmt(f)
    }
}

/// The beat by which components act. It is not shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Heartbeat;

impl Debug for Heartbeat {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// Implements stateright's `Actor` for a [`Component`], so that any system can hold it.
#[macro_export]
macro_rules! component_actor {
    ($component:ty) => {
        impl $crate::stateright::actor::Actor for $component {
            type Msg = $crate::component::Msg;
            type State = $crate::component::Local<<$component as $crate::component::Component>::Memory>;
            type Timer = $crate::component::Heartbeat;
            type Random = $crate::component::Chosen;
            type Storage = ();

            fn on_start(
                &self,
                _: $crate::stateright::actor::Id,
                _: &Option<()>,
                out: &mut $crate::stateright::actor::Out<Self>,
            ) -> Self::State {
                $crate::component::turn::start(self, out)
            }

            fn on_msg(
                &self,
                _: $crate::stateright::actor::Id,
                local: &mut std::borrow::Cow<'_, Self::State>,
                src: $crate::stateright::actor::Id,
                msg: Self::Msg,
                _: &mut $crate::stateright::actor::Out<Self>,
            ) {
                $crate::component::turn::arrive(local.to_mut(), src, msg, 1);
            }

            fn on_timeout(
                &self,
                id: $crate::stateright::actor::Id,
                local: &mut std::borrow::Cow<'_, Self::State>,
                _: &Self::Timer,
                out: &mut $crate::stateright::actor::Out<Self>,
            ) {
                $crate::component::turn::act(self, id, local, out);
            }

            fn on_random(
                &self,
                id: $crate::stateright::actor::Id,
                local: &mut std::borrow::Cow<'_, Self::State>,
                chosen: &Self::Random,
                out: &mut $crate::stateright::actor::Out<Self>,
            ) {
                $crate::component::turn::go_on(self, id, local, chosen, out);
            }
        }

        impl $crate::actor::Collects for $component {
            fn collect(
                local: &mut <Self as $crate::stateright::actor::Actor>::State,
                src: $crate::stateright::actor::Id,
                msg: &$crate::component::Msg,
                n: u32,
            ) {
                $crate::component::turn::arrive(local, src, *msg, n);
            }
        }
    };
}

/// The start of a component.
#[doc(hidden)]
pub fn start<C>(component: &C, out: &mut Out<C>) -> Local<C::Memory>
where
    C: Component + Actor<Timer = Heartbeat, State = Local<C::Memory>>,
{
    out.set_timer(Heartbeat, next_tick());
    Local { state: Component::start(component), inbox: Inbox::default(), made: Vec::new() }
}

/// The arrival of a message.
#[doc(hidden)]
pub fn arrive<S>(local: &mut Local<S>, src: Id, msg: Msg, n: u32) {
    local.inbox.put(src, msg, n);
}

/// The turn, as far as it gets with what has been chosen.
#[doc(hidden)]
pub fn act<C>(component: &C, id: Id, local: &mut Cow<'_, Local<C::Memory>>, out: &mut Out<C>)
where
    C: Component + Actor<Msg = Msg, Timer = Heartbeat, Random = Chosen>,
{
    let mut turn = Turn::new(id, &local.made);
    let mut state = local.state.clone();
    match run(component, &mut state, &local.inbox, &mut turn) {
        Ok(()) => {
            for (to, msg, n) in turn.sends {
                send_n(out, to, msg, n as usize);
            }
            out.set_timer(Heartbeat, next_tick());
            let unchanged = local.state == state && local.inbox == Inbox::default() && local.made.is_empty();
            if !unchanged {
                *local = Cow::Owned(Local { state, inbox: Inbox::default(), made: Vec::new() });
            }
        }
        Err(ask) => out.choose_random(ask.about, ask.options),
    }
}

/// The turn again, with one more choice made.
#[doc(hidden)]
pub fn go_on<C>(
    component: &C,
    id: Id,
    local: &mut Cow<'_, Local<C::Memory>>,
    chosen: &Chosen,
    out: &mut Out<C>,
) where
    C: Component + Actor<Msg = Msg, Timer = Heartbeat, Random = Chosen>,
{
    local.to_mut().made.push(chosen.index);
    act(component, id, local, out);
}

fn run<C: Component>(
    component: &C,
    state: &mut C::Memory,
    inbox: &Inbox,
    turn: &mut Turn,
) -> Result<(), Ask> {
    let controls: Vec<Control> =
        inbox.controls.iter().flat_map(|(c, n)| std::iter::repeat_n(*c, n as usize)).collect();
    let after = |order: &[Control]| {
        let mut state = state.clone();
        order.iter().for_each(|c| component.control(&mut state, *c));
        state
    };
    // One order for each state that the orders lead to.
    let mut ways: Vec<(Vec<Control>, C::Memory)> = Vec::new();
    for order in orders(&controls) {
        let end = after(&order);
        if !ways.iter().any(|(_, known)| *known == end) {
            ways.push((order, end));
        }
    }
    let told: Vec<Vec<Control>> = ways.iter().map(|(order, _)| order.clone()).collect();
    let order = turn.choose("order", &told)?;
    if let Some((_, end)) = ways.into_iter().find(|(o, _)| *o == order) {
        *state = end;
    }
    component.act(state, inbox, turn)
}

/// Every order of some controls. There are few: each comes from a trigger or an operator.
fn orders(controls: &[Control]) -> Vec<Vec<Control>> {
    let Some((last, before)) = controls.split_last() else { return vec![Vec::new()] };
    let insert = |order: &Vec<Control>, at: usize| [&order[..at], &[*last], &order[at..]].concat();
    orders(before).iter().flat_map(|order| (0..=order.len()).map(move |at| insert(order, at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::TimedSystem;
    use crate::component::Assemble;
    use stateright::Model;
    use std::collections::BTreeSet;
    use std::time::Duration;

    /// Draws two numbers a tick and adds them up, as long as the sum is small; capacities multiply, so that orders matter.
    struct Sum;

    impl Component for Sum {
        type Memory = u32;
        fn start(&self) -> u32 {
            0
        }
        fn control(&self, state: &mut u32, control: Control) {
            match control {
                Control::AddCapacity(n) => *state += n,
                Control::SetCapacity(n) => *state *= n,
                _ => {}
            }
        }
        fn act(&self, state: &mut u32, _: &Inbox, turn: &mut Turn) -> Result<(), Ask> {
            if *state == 0 {
                let a = turn.number("a", 1..=2)?;
                let b = turn.number("b", 10 * a..=10 * a + 1)?;
                *state = a * 100 + b;
            }
            Ok(())
        }
    }
    component_actor!(Sum);

    fn after(sys: &TimedSystem<Msg>, n: usize) -> Vec<crate::actor::TimedState<Msg>> {
        let mut states = sys.init_states();
        for _ in 0..n {
            states = states.iter().flat_map(|s| sys.next_states(s)).collect();
        }
        states
    }

    #[test]
    fn a_turn_explores_every_answer_to_every_question_it_meets() {
        let mut sys = crate::component::system(Duration::from_millis(100));
        let sum = sys.install("sum", Sum);
        assert_eq!(*after(&sys, 0)[0][sum], 0, "nothing happens at time 0");
        let states = after(&sys, 1);
        assert_eq!(states.iter().map(|s| *s[sum]).collect::<BTreeSet<_>>(), [110, 111, 220, 221].into());
        assert_eq!(format!("{:?}", states[0][sum]), "110", "a state shows as what it is");
        assert_eq!(after(&sys, 3).len(), 4);
    }

    #[test]
    fn controls_of_one_tick_are_tried_in_every_order_that_makes_a_difference() {
        use crate::actor::{Trigger, exactly};
        let mut sys = crate::component::system(Duration::from_millis(100));
        let sum = sys.install("sum", Sum);
        let at = |tick: u32| exactly(Duration::from_millis(100) * tick);
        let control = |c: Control| Trigger::for_good().starting(at(2)).at_start(sum, Msg::from(c));
        sys.add("one", control(Control::AddCapacity(1)));
        sys.add("two", control(Control::SetCapacity(2)));
        sys.add("three", control(Control::AddCapacity(1)));
        let ends: BTreeSet<u32> = after(&sys, 3).iter().map(|s| *s[sum]).collect();
        let expected = [110, 111, 220, 221].iter().flat_map(|n| [2 * n + 2, 2 * n + 3, 2 * n + 4]);
        assert_eq!(ends, expected.collect());
    }
}
