//! Health checks, as those answer them who are checked.

use super::msg::Msg;
use super::turn::{Inbox, Turn};
use stateright::actor::Id;

/// Answers every ping that has arrived.
pub(super) fn answer(arrived: &Inbox, turn: &mut Turn) {
    for ((src, msg), n) in arrived.probes.iter() {
        if let Msg::Ping(left) = msg {
            turn.send(Id::from(*src), Msg::Pong(*left), n);
        }
    }
}
