//! A network that services share: beyond its capacity it loses packets, and with the collapse of [`Overload`] the more the more is
//! offered.
//!
//! A link of the runtime has a latency and may lose messages one by one; this is for what they do to each other. Requests
//! pass it on the way out; answers pass it too if they are declared to ([`Network::both_ways`]), else they go straight back.
//! What is lost is lost silently: the client's timeout is what tells.
//!
//! What is kept: nothing but the capacity. A message is passed on or lost in the tick in which it arrives.

use super::bag::Bag;
use super::msg::{Class, Control, Msg, Request};
use super::server::Overload;
use super::turn::{Ask, Component, Inbox, Pick, Turn};
use crate::component_actor;
use stateright::actor::Id;

/// A shared network.
#[derive(Clone, Debug)]
pub struct Network {
    target: Id,
    routes: Vec<(Class, Id)>,
    capacity: u32,
    overload: Overload,
    both_ways: bool,
    pick: Pick,
}

/// The state of a network.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Carrying {
    /// Messages that it carries in a tick without loss.
    pub capacity: u32,
}

impl Network {
    /// A network to `target` that carries `capacity` messages a tick, and loses all beyond that.
    #[must_use]
    pub fn new(target: impl Into<Id>, capacity: u32) -> Self {
        Self {
            target: target.into(),
            routes: Vec::new(),
            capacity,
            overload: Overload::Keeps,
            both_ways: false,
            pick: Pick::Any,
        }
    }

    /// Requests of this class go to another service.
    #[must_use]
    pub fn route(mut self, class: impl Into<Class>, to: impl Into<Id>) -> Self {
        self.routes.push((class.into(), to.into()));
        self
    }

    /// What overload does to its goodput. Default: [`Overload::Keeps`].
    #[must_use]
    pub fn overload(mut self, overload: Overload) -> Self {
        self.overload = overload;
        self
    }

    /// Answers pass it, too, and count. Default: they go straight back.
    #[must_use]
    pub fn both_ways(mut self) -> Self {
        self.both_ways = true;
        self
    }

    /// How it is picked what is carried. Default: [`Pick::Any`].
    #[must_use]
    pub fn pick(mut self, pick: Pick) -> Self {
        self.pick = pick;
        self
    }

    fn target(&self, request: &Request) -> Id {
        self.routes.iter().find(|(class, _)| *class == request.class).map_or(self.target, |(_, to)| *to)
    }
}

impl Component for Network {
    type Memory = Carrying;

    fn start(&self) -> Carrying {
        Carrying { capacity: self.capacity }
    }

    fn control(&self, state: &mut Carrying, control: Control) {
        match control {
            Control::SetCapacity(n) => state.capacity = n,
            Control::AddCapacity(n) => state.capacity += n,
            Control::ResetCapacity => state.capacity = self.capacity,
            _ => {}
        }
    }

    fn act(&self, state: &mut Carrying, arrived: &Inbox, turn: &mut Turn) -> Result<(), Ask> {
        super::probe::answer(arrived, turn);
        let mut offered: Bag<Msg> = arrived.requests.map(|request| Msg::Request(*request));
        for ((_, response), n) in arrived.responses.iter() {
            offered.add(Msg::Response(*response), n);
        }
        let carried = self.overload.served(state.capacity, offered.total());
        for (msg, n) in turn.draw("carried", &offered, carried, self.pick)?.iter() {
            match msg {
                Msg::Request(request) => {
                    let sent = if self.both_ways { request.via(turn.id()) } else { *request };
                    turn.send(self.target(request), Msg::Request(sent), n);
                }
                Msg::Response(response) => turn.answer(response.request, response.answer, n),
                _ => {}
            }
        }
        Ok(())
    }
}

component_actor!(Network);
