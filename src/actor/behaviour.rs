//! An actor as the runtime sees it: one object for actors of every type.
//!
//! Everything that depends on the actor's type is in this file, so that little is compiled anew for each model.

use super::value::{Data, Value};
use stateright::actor::{Actor, Command, Id, Out};
use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

/// What an actor does when something happens to it.
pub(crate) trait Behaviour: Send + Sync {
    fn start(&self, id: usize) -> Reaction;
    fn message(&self, id: usize, state: &Value, src: usize, msg: &Value) -> Reaction;
    fn timeout(&self, id: usize, state: &Value, timer: &Value) -> Reaction;
    fn random(&self, id: usize, state: &Value, choice: &Value) -> Reaction;
    /// Whether messages are only collected, see [`Collects`].
    fn collects(&self) -> bool;
    /// All messages of a tick at once, each with its sender and count.
    fn collect(&self, state: &Value, messages: &[(usize, &Value, u32)]) -> Value;
}

/// A new state, if it changed, and what the actor asked for.
pub(crate) struct Reaction {
    pub(crate) state: Option<Value>,
    pub(crate) effects: Vec<Effect>,
}

/// What an actor asked for.
pub(crate) enum Effect {
    Send {
        dst: usize,
        msg: Value,
        count: u32,
    },
    SetTimer(Value, Range<Duration>),
    CancelTimer(Value),
    /// Sorted, without repeats; none removes the choice.
    Choose(String, Vec<Value>),
    Save(Value),
}

/// The bounds of an actor that the timed runtime can run: stateright's, and that its types can be shared.
pub trait TimedActor:
    Actor<Msg: Data, State: Data, Timer: Data, Random: Data, Storage: Data> + Send + Sync + 'static
{
}

impl<A> TimedActor for A where
    A: Actor<Msg: Data, State: Data, Timer: Data, Random: Data, Storage: Data> + Send + Sync + 'static
{
}

/// An actor that does nothing with a message but put it aside, to act on all of them at the end of the tick. Their order cannot
/// matter then, and they are handed over all at once.
pub trait Collects: TimedActor {
    /// Puts aside `n` of `msg`. Must do what `n` calls of `on_msg` do, and no more for any order of messages: it is not tested as
    /// [`order_free`](super::TimedSystem::order_free) is.
    fn collect(state: &mut Self::State, src: Id, msg: &Self::Msg, n: u32);
}

/// Records `n` sends of the same message: one envelope that stands for n identical messages.
pub fn send_n<A: Actor>(out: &mut Out<A>, dst: impl Into<Id>, msg: A::Msg, n: usize) {
    let dst = dst.into();
    for _ in 0..n {
        out.send(dst, msg.clone());
    }
}

/// The actor of this type.
pub(crate) struct Typed<A: Actor> {
    actor: A,
    collect: Option<Collect<A>>,
}

type Collect<A> = fn(&mut <A as Actor>::State, Id, &<A as Actor>::Msg, u32);

const TYPES: &str = "the runtime gives an actor only values of that actor's own types";

impl<A: TimedActor> Typed<A> {
    pub(crate) fn new(actor: A) -> Self {
        Self { actor, collect: None }
    }

    pub(crate) fn collecting(actor: A) -> Self
    where
        A: Collects,
    {
        Self { actor, collect: Some(A::collect) }
    }

    fn react(state: &Value, call: impl FnOnce(&mut Cow<'_, A::State>, &mut Out<A>)) -> Reaction {
        let mut out = Out::new();
        let mut cow = Cow::Borrowed(state.get::<A::State>().expect(TYPES));
        call(&mut cow, &mut out);
        let state = match cow {
            Cow::Borrowed(_) => None,
            Cow::Owned(state) => Some(Value::new(state)),
        };
        Reaction { state, effects: effects(out) }
    }
}

impl<A: TimedActor> Behaviour for Typed<A> {
    fn start(&self, id: usize) -> Reaction {
        let mut out = Out::new();
        let state = self.actor.on_start(id.into(), &None, &mut out);
        Reaction { state: Some(Value::new(state)), effects: effects(out) }
    }

    fn message(&self, id: usize, state: &Value, src: usize, msg: &Value) -> Reaction {
        let msg = msg.get::<A::Msg>().expect(TYPES).clone();
        Self::react(state, |state, out| self.actor.on_msg(id.into(), state, src.into(), msg, out))
    }

    fn timeout(&self, id: usize, state: &Value, timer: &Value) -> Reaction {
        let timer = timer.get::<A::Timer>().expect(TYPES);
        Self::react(state, |state, out| self.actor.on_timeout(id.into(), state, timer, out))
    }

    fn random(&self, id: usize, state: &Value, choice: &Value) -> Reaction {
        let choice = choice.get::<A::Random>().expect(TYPES);
        Self::react(state, |state, out| self.actor.on_random(id.into(), state, choice, out))
    }

    fn collects(&self) -> bool {
        self.collect.is_some()
    }

    fn collect(&self, state: &Value, messages: &[(usize, &Value, u32)]) -> Value {
        let mut state = state.get::<A::State>().expect(TYPES).clone();
        for (src, msg, n) in messages {
            if let Some(collect) = self.collect {
                collect(&mut state, (*src).into(), msg.get::<A::Msg>().expect(TYPES), *n);
            }
        }
        Value::new(state)
    }
}

fn effects<A: TimedActor>(out: Out<A>) -> Vec<Effect> {
    let mut effects = Vec::with_capacity(out.len());
    for command in out {
        match command {
            Command::Send(dst, msg) => {
                let to = usize::from(dst);
                // Runs of one message become one counted send without being wrapped one by one.
                if let Some(Effect::Send { dst, msg: last, count }) = effects.last_mut()
                    && *dst == to
                    && last.get::<A::Msg>() == Some(&msg)
                {
                    *count += 1;
                } else {
                    effects.push(Effect::Send { dst: to, msg: Value::new(msg), count: 1 });
                }
            }
            Command::SetTimer(timer, range) => effects.push(Effect::SetTimer(Value::new(timer), range)),
            Command::CancelTimer(timer) => effects.push(Effect::CancelTimer(Value::new(timer))),
            Command::ChooseRandom(key, mut choices) => {
                choices.sort();
                choices.dedup();
                effects.push(Effect::Choose(key, choices.into_iter().map(Value::new).collect()));
            }
            Command::Save(storage) => effects.push(Effect::Save(Value::new(storage))),
        }
    }
    effects
}
