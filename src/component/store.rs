//! A store: what is behind the caches. A [`Server`] without a queue, whose value can be bad.
//!
//! Its atoms and measures are the server's; [`Serving::value`](super::Serving::value) is what is stored.

use super::server::Server;

/// A store that serves `capacity` requests a tick, and fails the others with [`Answer::Error`](super::Answer::Error).
///
/// [`Control::SetValue`](super::Control::SetValue) makes what it stores invalid and valid again. It can be given whatever a
/// [`Server`] can: an [`Overload`](super::Overload) that collapses, a queue, a cold start.
#[must_use]
pub fn store(capacity: u32) -> Server {
    Server::new(capacity).queue(0).rejecting(Some(super::Answer::Error))
}
