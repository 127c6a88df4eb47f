//! Messages that grow older while they are under way.
//!
//! A message that carries a countdown (the ticks until its sender gives up, a deadline that is passed on) must count down in
//! flight as well as in the actors that hold it: time is in a state as countdowns alone, so nobody could subtract the time of
//! sending on arrival. The runtime ages what is under way by one tick at the beginning of each tick, whether or not it
//! arrives in that tick; a message that was sent in tick t and is delivered in tick t + d has been aged d times.
//!
//! Ageing is a function of the message alone, so the outcomes of an actor stay a function of its part of the state.

use super::system::Message;
use super::value::Value;

/// A message that knows what it is one tick later.
pub trait Ageing: Sized {
    /// The same message, one tick older; None if it does not change any more.
    fn aged(&self) -> Option<Self>;
}

/// Ageing of messages whose type is erased.
pub(crate) type Aged = dyn Fn(&Value) -> Value + Send + Sync;

/// The ageing of messages of this type.
pub(crate) fn ageing_of<Msg: Message + Ageing>() -> Box<Aged> {
    Box::new(|value| match value.get::<Msg>().and_then(Ageing::aged) {
        Some(aged) => Value::new(aged),
        None => value.clone(),
    })
}
