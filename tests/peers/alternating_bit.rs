//! The alternating bit protocol over lossy first-in-first-out channels, as among the TLA+ examples.
//!
//! Two data values, channels of length two. TLC runs it with a state constraint on the lengths, which here is a guard:
//! what does not fit is not sent. A resend that is refused so is not enabled, where TLA+ would call it enabled; no
//! verdict depends on that, since a full channel enables its receiver.

use crate::peer::Peer;
use aftercalm::property::{ModelExt, Strength, System};
use stateright::Model;

const LENGTH_MAX: usize = 2;

/// The system, with the fairness of the two receivers.
#[derive(Clone, Copy, Debug)]
pub struct AlternatingBit(pub Strength);

/// A channel: what is in flight, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Channel<T> {
    length: usize,
    items: [T; LENGTH_MAX],
}

impl<T: Copy + Default> Channel<T> {
    fn put(&mut self, item: T) -> Option<()> {
        *self.items.get_mut(self.length)? = item;
        self.length += 1;
        Some(())
    }

    fn take(&mut self, at: usize) -> T {
        let item = self.items[at];
        self.items.copy_within(at + 1.., at);
        self.length -= 1;
        self.items[self.length..].fill(T::default());
        item
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct State {
    messages: Channel<(bool, u8)>,
    acks: Channel<bool>,
    sender_bit: bool,
    sender_ack: bool,
    receiver_bit: bool,
    sent: u8,
    received: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    SendNew(u8),
    Resend,
    Receive,
    SendAck,
    ReceiveAck,
    LoseMessage(usize),
    LoseAck(usize),
}

impl Model for AlternatingBit {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let mut states = Vec::new();
        for bit in [false, true] {
            for (sent, received) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                states.push(State {
                    sender_bit: bit,
                    sender_ack: bit,
                    receiver_bit: bit,
                    sent,
                    received,
                    ..State::default()
                });
            }
        }
        states
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.sender_ack == state.sender_bit {
            actions.extend([Action::SendNew(0), Action::SendNew(1)]);
        } else {
            actions.push(Action::Resend);
        }
        actions.push(Action::SendAck);
        if state.messages.length > 0 {
            actions.push(Action::Receive);
        }
        if state.acks.length > 0 {
            actions.push(Action::ReceiveAck);
        }
        actions.extend((0..state.messages.length).map(Action::LoseMessage));
        actions.extend((0..state.acks.length).map(Action::LoseAck));
    }

    /// None where the channel is full.
    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = *state;
        match action {
            Action::SendNew(value) => {
                next.sent = value;
                next.sender_bit = !state.sender_bit;
                next.messages.put((next.sender_bit, value))?;
            }
            Action::Resend => next.messages.put((state.sender_bit, state.sent))?,
            Action::Receive => (next.receiver_bit, next.received) = next.messages.take(0),
            Action::SendAck => next.acks.put(state.receiver_bit)?,
            Action::ReceiveAck => next.sender_ack = next.acks.take(0),
            Action::LoseMessage(at) => drop(next.messages.take(at)),
            Action::LoseAck(at) => drop(next.acks.take(at)),
        }
        Some(next)
    }
}

impl Peer for AlternatingBit {
    fn fair(self) -> System<Self> {
        let mut system = self
            .system()
            .stuttering()
            .weakly_fair("resend", |_, _, a| *a == Action::Resend)
            .weakly_fair("send ack", |_, _, a| *a == Action::SendAck)
            .fair("receive", self.0, |_, _, a| *a == Action::Receive)
            .fair("receive ack", self.0, |_, _, a| *a == Action::ReceiveAck);
        for value in [0, 1] {
            system = system
                .atom(&format!("sends_{value}"), move |_, s: &State| {
                    s.sent == value && s.sender_bit != s.sender_ack
                })
                .atom(&format!("received_{value}"), move |_, s: &State| s.received == value);
        }
        system
    }
}
