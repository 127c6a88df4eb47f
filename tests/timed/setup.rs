//! Systems written once, to be run by the runtime and by the naive semantics alike.

use aftercalm::actor::{Handle, Link, Message, TimedActor, TimedSystem};
use stateright::Expectation;
use stateright::actor::{Actor, Id, Out};
use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

/// The tick of all systems here.
pub const TICK: Duration = Duration::from_millis(100);

/// This many ticks.
pub fn ticks(n: u32) -> Duration {
    TICK * n
}

/// `start..end` ticks, half open.
pub fn range(start: u32, end: u32) -> Range<Duration> {
    ticks(start)..ticks(end)
}

/// What cuts a link: an actor, and a predicate on its state.
pub type Cut<S> = (usize, fn(&S) -> bool);

/// The sender and the receiver.
pub type Ends = (usize, usize);

/// A link, as plain data.
#[derive(Clone, Copy, Debug)]
pub struct LinkSpec<S> {
    pub lo: u32,
    pub hi: u32,
    pub lossy: bool,
    pub duplicating: bool,
    pub cut: Option<Cut<S>>,
}

impl<S> LinkSpec<S> {
    pub fn latency(lo: u32, hi: u32) -> Self {
        Self { lo, hi, lossy: false, duplicating: false, cut: None }
    }
}

/// Actors of one type and the links between them.
pub struct Setup<A: Actor> {
    pub name: &'static str,
    pub actors: Vec<A>,
    pub links: Vec<(Ends, LinkSpec<A::State>)>,
    pub default_link: LinkSpec<A::State>,
    pub order_free: Vec<usize>,
}

impl<A: Actor> Setup<A> {
    pub fn new(name: &'static str, actors: Vec<A>) -> Self {
        Self {
            name,
            actors,
            links: Vec::new(),
            default_link: LinkSpec::latency(1, 1),
            order_free: Vec::new(),
        }
    }

    pub fn link(&self, src: usize, dst: usize) -> &LinkSpec<A::State> {
        self.links.iter().find(|(ends, _)| *ends == (src, dst)).map_or(&self.default_link, |(_, link)| link)
    }

    /// The same for the runtime.
    pub fn system(self) -> TimedSystem<A::Msg>
    where
        A: TimedActor<Msg: Message>,
    {
        self.build().0
    }

    /// The same, with the handles of the actors.
    pub fn build(self) -> (TimedSystem<A::Msg>, Vec<Handle<A>>)
    where
        A: TimedActor<Msg: Message>,
    {
        let mut system = TimedSystem::new(TICK);
        let handles: Vec<_> =
            self.actors.into_iter().enumerate().map(|(i, a)| system.add(&format!("a{i}"), a)).collect();
        let link = |spec: &LinkSpec<A::State>| {
            let mut link = Link::latency(spec.lo..=spec.hi);
            if spec.lossy {
                link = link.lossy();
            }
            if spec.duplicating {
                link = link.duplicating();
            }
            match spec.cut {
                Some((actor, cut)) => link.cut_while(handles[actor], cut),
                None => link,
            }
        };
        for ((src, dst), spec) in &self.links {
            system.link(handles[*src], handles[*dst], link(spec));
        }
        system.default_link(link(&self.default_link));
        for id in self.order_free {
            system.order_free(handles[id]);
        }
        // stateright's checker stops as soon as no property is left to be decided.
        system.add_property(Expectation::Always, "anything", |_, _| true);
        (system, handles)
    }
}

type Start = Box<dyn Fn(&mut Out<Act>) -> String + Send + Sync>;
type OnMsg = Box<dyn Fn(&mut String, usize, char, &mut Out<Act>) + Send + Sync>;
type On = Box<dyn Fn(&mut String, char, &mut Out<Act>) + Send + Sync>;

/// An actor made of closures. Its state is a text, so that it can be a log of what happened.
pub struct Act {
    start: Start,
    msg: OnMsg,
    timer: On,
    random: On,
}

impl Act {
    /// Logs everything: messages as they are, timers and random choices with a mark.
    pub fn log(start: impl Fn(&mut Out<Self>) + Send + Sync + 'static) -> Self {
        Self::new(move |out| {
            start(out);
            String::new()
        })
        .on_msg(|log, _, msg, _| log.push(msg))
        .on_timer(|log, timer, _| log.extend(['!', timer]))
        .on_random(|log, random, _| log.extend(['?', random]))
    }

    /// Does nothing but what is added.
    pub fn new(start: impl Fn(&mut Out<Self>) -> String + Send + Sync + 'static) -> Self {
        Self {
            start: Box::new(start),
            msg: Box::new(|_, _, _, _| {}),
            timer: Box::new(|_, _, _| {}),
            random: Box::new(|_, _, _| {}),
        }
    }

    pub fn on_msg(
        mut self,
        f: impl Fn(&mut String, usize, char, &mut Out<Self>) + Send + Sync + 'static,
    ) -> Self {
        self.msg = Box::new(f);
        self
    }

    pub fn on_timer(mut self, f: impl Fn(&mut String, char, &mut Out<Self>) + Send + Sync + 'static) -> Self {
        self.timer = Box::new(f);
        self
    }

    pub fn on_random(
        mut self,
        f: impl Fn(&mut String, char, &mut Out<Self>) + Send + Sync + 'static,
    ) -> Self {
        self.random = Box::new(f);
        self
    }
}

#[allow(clippy::owned_cow)] // this is what stateright's `Actor` has for a state of type `String`
fn changing(state: &mut Cow<'_, String>, f: impl FnOnce(&mut String)) {
    let mut next = (**state).clone();
    f(&mut next);
    if next != **state {
        *state = Cow::Owned(next);
    }
}

impl Actor for Act {
    type Msg = char;
    type Timer = char;
    type State = String;
    type Storage = char;
    type Random = char;

    fn on_start(&self, _: Id, _: &Option<char>, out: &mut Out<Self>) -> String {
        (self.start)(out)
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, String>, src: Id, msg: char, out: &mut Out<Self>) {
        changing(state, |s| (self.msg)(s, src.into(), msg, out));
    }

    fn on_timeout(&self, _: Id, state: &mut Cow<'_, String>, timer: &char, out: &mut Out<Self>) {
        changing(state, |s| (self.timer)(s, *timer, out));
    }

    fn on_random(&self, _: Id, state: &mut Cow<'_, String>, random: &char, out: &mut Out<Self>) {
        changing(state, |s| (self.random)(s, *random, out));
    }
}
