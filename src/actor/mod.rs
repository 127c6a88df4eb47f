//! The timed actor runtime: actors that implement [`stateright::actor::Actor`], unchanged, under a discrete clock.
//!
//! ```
//! use aftercalm::actor::{Link, TimedSystem, exactly};
//! use stateright::actor::{Actor, Id, Out};
//! use std::{borrow::Cow, time::Duration};
//!
//! /// Asks a server, and asks again every 300 ms until it has an answer.
//! struct Client { server: Id }
//! struct Server;
//!
//! #[derive(Clone, Debug, PartialEq, Eq, Hash)]
//! enum Msg { Ask, Answer }
//!
//! impl Actor for Client {
//!     type Msg = Msg;
//!     type State = bool; // whether it has its answer
//!     type Timer = &'static str;
//!     type Random = ();
//!     type Storage = ();
//!     fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> bool {
//!         out.send(self.server, Msg::Ask);
//!         out.set_timer("Retry", exactly(Duration::from_millis(300)));
//!         false
//!     }
//!     fn on_msg(&self, _: Id, answered: &mut Cow<bool>, _: Id, _: Msg, out: &mut Out<Self>) {
//!         *answered.to_mut() = true;
//!         out.cancel_timer("Retry");
//!     }
//!     fn on_timeout(&self, id: Id, _: &mut Cow<bool>, _: &&'static str, out: &mut Out<Self>) {
//!         self.on_start(id, &None, out);
//!     }
//! }
//!
//! impl Actor for Server {
//!     type Msg = Msg;
//!     type State = ();
//!     type Timer = ();
//!     type Random = ();
//!     type Storage = ();
//!     fn on_start(&self, _: Id, _: &Option<()>, _: &mut Out<Self>) {}
//!     fn on_msg(&self, _: Id, _: &mut Cow<()>, src: Id, _: Msg, out: &mut Out<Self>) {
//!         out.send(src, Msg::Answer);
//!     }
//! }
//!
//! let mut system = TimedSystem::<Msg>::new(Duration::from_millis(100));
//! let server = system.add("server", Server);
//! let client = system.add("client", Client { server: server.id() });
//! system.link(client, server, Link::latency(1..=2).lossy());
//!
//! use stateright::Model;
//! let start = &system.init_states()[0];
//! assert!(!start[client]);
//! assert_eq!(
//!     format!("{start:?}"),
//!     "State { server: (), client: false, timers: {client \"Retry\": in 3 ticks}, in_flight: {client -> server: {1 Ask in 1 to 2 ticks}} }"
//! );
//! ```
//!
//! # State
//!
//! For each actor: its local state, its running timers with the ticks left, and what it has saved; and the messages under
//! way to it, with their sender, the ticks left and a count. Never the time of day: the same situation at another time is the
//! same state. Messages under way are a multiset, kept in one canonical order, so equal situations are equal states
//! whatever led to them.
//!
//! # One transition is one tick
//!
//! 1. **Messages that are due are delivered.** One `on_msg` for each. Those that reach one actor in the same tick are tried
//!    in every distinct order, unless it is declared [`order_free`](TimedSystem::order_free) (which is tested, by samples
//!    where there are too many orders).
//! 2. **Timers that reach zero fire**, in every order. A message of phase 1 may cancel or reset a timer before it fires.
//! 3. **Random choices resolve**: every value of each, in every order. Asking again under the same key replaces; an empty
//!    list removes.
//! 4. **What was sent enters its link.** Loss, duplication and cuts are decided here.
//!
//! Nothing sent in a tick arrives in it: a message takes at least one tick. So the actors' steps within a tick are
//! independent, and the successors of a state are exactly the combinations of each actor's distinct outcomes.
//!
//! At time 0 `on_start` runs in place of phase 1; phases 2 to 4 follow, so random choices and timers of zero ticks give
//! several initial states, and what is sent enters its link at time 0.
//!
//! # Time
//!
//! - A **link** of latency `lo..=hi` delivers a message sent in tick t in tick t + d for some d in the range; each message
//!   has its own. A range is resolved as late as possible: from `lo` on a message may arrive or not, at `hi` it must.
//! - A **timer** set in tick t to d ticks fires in tick t + d; setting it again replaces it. `Out::set_timer` takes a
//!   half-open range of durations: start == end means exactly that, otherwise every whole tick d with start <= d < end is
//!   explored. [`exactly`], [`between`] (both ends included), [`not_before`], [`later`] (no upper bound: perhaps never) and
//!   [`next_tick`] (whatever the tick is) write such ranges. A bound that is no whole number of ticks is refused.
//! - A timer of **zero ticks** fires in the same tick, before random choices that are still open. A timer set in phase 2 or 3
//!   to zero is due at once.
//! - A timer whose `Debug` text is empty is an actor's heartbeat: it runs like any other, and is not shown.
//! - **Time always passes.** If an actor can come back within one tick to where it was (a timer of zero ticks that sets itself again,
//!   such as `model_timeout()`; a choice that asks for itself), the model is Zeno, and is refused with that cycle. So is one
//!   that takes more than a thousand steps in one tick.
//!
//! # Messages that age
//!
//! A message may carry a countdown, such as the ticks until its sender gives up. Where [`TimedSystem::ageing`] is declared, what
//! is under way grows one tick older at the beginning of each tick ([`Ageing`]), so that a message delivered d ticks after
//! it was sent has been aged d times.
//!
//! # Counts
//!
//! Sending the same message n times in a tick ([`send_n`]) makes one envelope of count n. This is a notation for n
//! messages, not an abstraction: each of them arrives, is lost or is duplicated for itself, and each that arrives is one
//! `on_msg`. So n identical clients can be one actor whose state counts them.
//!
//! # Limits
//!
//! Sends to an id that nobody has, durations that are no whole ticks, an `order_free` that is not true, and everything
//! else that is wrong with a model is [refused](crate::model::refuse) by name. Actors do not crash: `Out::save` is kept and
//! shown, but no `on_start` ever reads it.

mod action;
mod ageing;
mod behaviour;
mod distinct;
mod duration;
mod event;
pub(crate) mod factored;
mod inbox;
mod link;
pub(crate) mod local;
pub(crate) mod machine;
mod moment;
pub(crate) mod outcome;
pub(crate) mod pipeline;
pub(crate) mod reads;
mod settle;
mod span;
mod state;
mod system;
mod trigger;
mod value;

pub use action::Tick;
pub use ageing::Ageing;
pub use behaviour::{Collects, TimedActor, send_n};
pub use duration::{between, exactly, later, next_tick, not_before};
pub use event::TickEvent;
pub use link::Link;
pub use state::{InFlight, Running, TimedState};
pub use system::{Handle, Message, TimedSystem};
pub use trigger::{Phase, Trigger, TriggerTimer};
pub use value::Data;
