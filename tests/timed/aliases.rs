//! What the order of messages must not depend on, and declarations and handles that are not what they seem.

use aftercalm::actor::{Link, TimedSystem, Trigger, later};
use aftercalm::check::{Limits, Outcome, check};
use aftercalm::property::{ModelExt, System, Verdict, always, eventually, reachable};
use stateright::actor::{Actor, Id, Out};
use stateright::util::HashableHashSet;
use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::time::Duration;

/// A message with a trace id that is no part of what it is, but is shown, and first.
#[derive(Clone)]
struct Traced {
    trace: u8,
    kind: char,
}

impl PartialEq for Traced {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Traced {}

impl Hash for Traced {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
    }
}

impl Debug for Traced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.trace, self.kind)
    }
}

/// Sends these once.
struct Sender<M> {
    to: Id,
    messages: Vec<M>,
}

impl<M: Clone + Debug + Eq + Hash> Actor for Sender<M> {
    type Msg = M;
    type State = ();
    type Timer = ();
    type Storage = ();
    type Random = ();
    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) {
        self.messages.iter().for_each(|m| out.send(self.to, m.clone()));
    }
}

/// Counts messages for which `first` holds, and others; remembers whether one of the former came first.
struct Receiver<M> {
    first: fn(&M) -> bool,
    remembers: bool,
}

impl<M: Clone + Debug + Eq + Hash> Actor for Receiver<M> {
    type Msg = M;
    type State = (u8, u8, bool);
    type Timer = ();
    type Storage = ();
    type Random = ();
    fn on_start(&self, _: Id, _: &Option<()>, _: &mut Out<Self>) -> (u8, u8, bool) {
        (0, 0, false)
    }
    fn on_msg(&self, _: Id, state: &mut Cow<'_, (u8, u8, bool)>, _: Id, msg: M, _: &mut Out<Self>) {
        let state = state.to_mut();
        if (self.first)(&msg) {
            state.2 |= self.remembers && (state.0, state.1) == (0, 0);
            state.0 += 1;
        } else {
            state.1 += 1;
        }
    }
}

fn run<M: aftercalm::actor::Message>(system: &System<TimedSystem<M>>) -> Outcome<TimedSystem<M>> {
    check(system, &Limits::default()).unwrap()
}

/// All messages arrive: two of the first kind and one of the others.
fn arrive<M: aftercalm::actor::Message>(messages: Vec<M>, first: fn(&M) -> bool, free: bool) -> Vec<Verdict> {
    let mut sys = TimedSystem::new(Duration::from_millis(1));
    let receiver = sys.add("receiver", Receiver { first, remembers: false });
    sys.add("sender", Sender { to: receiver.id(), messages });
    if free {
        sys.order_free(receiver);
    }
    let system = sys
        .system()
        .atom("other", move |_, s| s[receiver].1 > 0)
        .atom("all", move |_, s| s[receiver] == (2, 1, false))
        .claim(always("not other"))
        .claim(eventually("all"))
        .claim(reachable("other"));
    let outcome = run(&system);
    assert_eq!(outcome.fault, None);
    outcome.decisions.iter().map(|d| d.verdict).collect()
}

const ALL_ARRIVE: [Verdict; 3] = [Verdict::Violated, Verdict::Holds, Verdict::Holds];

#[test]
fn equal_messages_that_show_differently_are_one_kind_and_none_is_lost() {
    for trace in 0..7 {
        for free in [false, true] {
            let message = |trace, kind| Traced { trace, kind };
            let messages = vec![message(0, 'A'), message(3, 'B'), message(trace, 'A')];
            assert_eq!(arrive(messages, |m| m.kind == 'A', free), ALL_ARRIVE, "trace {trace}, free {free}");
        }
    }
}

#[test]
fn messages_that_are_sets_arrive_whatever_order_their_elements_show_in() {
    for _ in 0..20 {
        let set = |elements: &[u8]| elements.iter().copied().collect::<HashableHashSet<u8>>();
        let messages = vec![set(&[0, 1]), set(&[0]), set(&[1, 0])];
        assert_eq!(arrive(messages, |m| m.len() == 2, false), ALL_ARRIVE);
    }
}

#[test]
fn a_declaration_that_one_message_of_many_makes_false_is_refused() {
    for senders in [4, 9, 12] {
        let mut sys = TimedSystem::new(Duration::from_millis(1));
        let receiver = sys.add("receiver", Receiver { first: |m: &u8| *m == 4, remembers: true });
        for i in 0..senders {
            sys.add(&format!("sender{i}"), Sender { to: receiver.id(), messages: vec![i + 2] });
        }
        sys.order_free(receiver);
        let system = sys.system().atom("four", move |_, s| s[receiver].2).claim(always("not four"));
        let outcome = run(&system);
        let fault = outcome.fault.expect("the declaration is false").to_string();
        assert!(fault.contains("declared order free"), "{senders} senders: {fault}");
        assert_eq!(outcome.decisions[0].verdict, Verdict::Inconclusive);
    }
}

#[test]
fn a_link_cut_by_a_handle_of_another_system_is_refused() {
    let mut other = TimedSystem::<u8>::new(Duration::from_millis(1));
    let trigger = other.add("trigger", Trigger::for_good().starting(later()));
    let mut sys = TimedSystem::new(Duration::from_millis(1));
    let receiver = sys.add("receiver", Receiver { first: |_: &u8| true, remembers: false });
    let sender = sys.add("sender", Sender { to: receiver.id(), messages: vec![1_u8] });
    sys.link(sender, receiver, Link::latency(1..=1).cut_while(trigger, |_| true));
    let system = sys.system().atom("got", move |_, s| s[receiver].0 > 0).claim(eventually("got"));
    let fault = run(&system).fault.expect("the handle is foreign").to_string();
    assert!(fault.contains("another system"), "{fault}");
}
