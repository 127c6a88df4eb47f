//! A cache of many buckets before a store: what is warm is answered at once, what is not goes to the store, and a served miss warms
//! a bucket.
//!
//! What is kept: its buckets, see [`LookAside`]. Requests under way are not kept: a miss is passed on with the cache on its way
//! back, and the answer says that it was one.
//!
//! One hot key, its leases and stampedes: [`HotKey`](super::HotKey).

use super::bag::Bag;
use super::look_aside::{Buckets, LookAside};
use super::msg::{Answer, Control, Msg, Request};
use super::turn::{Ask, Component, Inbox, Pick, Turn};
use crate::component_actor;
use stateright::actor::Id;

/// A cache of many buckets before a store.
#[derive(Clone, Debug)]
pub struct Cache {
    store: Id,
    buckets: LookAside,
    pick: Pick,
}

impl Cache {
    /// A cache with these buckets before `store`.
    #[must_use]
    pub fn new(store: impl Into<Id>, buckets: LookAside) -> Self {
        Self { store: store.into(), buckets, pick: Pick::Any }
    }

    /// Which requests hit. Default: [`Pick::Any`].
    #[must_use]
    pub fn pick(mut self, pick: Pick) -> Self {
        self.pick = pick;
        self
    }

    /// Misses go to the store, and their answers come back through the cache.
    fn pass_on(&self, misses: &Bag<Request>, turn: &mut Turn) {
        for (request, n) in misses.iter() {
            turn.send(self.store, Msg::Request(request.via(turn.id())), n);
        }
    }
}

impl Component for Cache {
    type Memory = Buckets;

    fn start(&self) -> Buckets {
        self.buckets.start()
    }

    fn control(&self, state: &mut Buckets, control: Control) {
        LookAside::control(state, control);
    }

    fn act(&self, state: &mut Buckets, arrived: &Inbox, turn: &mut Turn) -> Result<(), Ask> {
        let mut served = 0;
        for ((_, response), n) in arrived.responses.iter() {
            served += if response.answer == Answer::Ok { n } else { 0 };
            turn.answer(response.request, response.answer, n);
        }
        self.buckets.tick(state, served, turn)?;
        if state.up {
            super::probe::answer(arrived, turn);
        }
        let requests = &arrived.requests;
        let hits = self.buckets.hits(state, requests.total(), turn)?;
        let hits = turn.draw_requests("hits", requests, hits, self.pick)?;
        hits.iter().for_each(|(request, n)| turn.answer(*request, Answer::Ok, n));
        let mut misses = requests.clone();
        misses.remove_all(&hits);
        self.pass_on(&misses, turn);
        Ok(())
    }
}

component_actor!(Cache);
