//! One actor that holds everything: there is nothing to be gained from what it did before, since it is never again where it was.
//!
//! Each tick it adds to one of three numbers, whichever it likes.

use aftercalm::actor::{TimedState, TimedSystem, exactly};
use aftercalm::property::{ModelExt, System, always};
use stateright::actor::{Actor, Id, Out};
use std::borrow::Cow;
use std::time::Duration;

const TICK: Duration = Duration::from_millis(100);

/// Up to which number it counts.
#[derive(Clone, Copy, Debug)]
pub struct Mono(pub u32);

impl Actor for Mono {
    type Msg = u8;
    type State = [u32; 3];
    type Timer = ();
    type Random = usize;
    type Storage = ();

    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> [u32; 3] {
        out.set_timer((), exactly(TICK));
        [0; 3]
    }

    fn on_msg(&self, _: Id, _: &mut Cow<'_, [u32; 3]>, _: Id, _: u8, _: &mut Out<Self>) {}

    fn on_timeout(&self, _: Id, state: &mut Cow<'_, [u32; 3]>, _: &(), out: &mut Out<Self>) {
        out.set_timer((), exactly(TICK));
        let open: Vec<usize> = (0..3).filter(|at| state[*at] + 1 < self.0).collect();
        if !open.is_empty() {
            out.choose_random("which", open);
        }
    }

    fn on_random(&self, _: Id, state: &mut Cow<'_, [u32; 3]>, at: &usize, _: &mut Out<Self>) {
        state.to_mut()[*at] += 1;
    }
}

impl Mono {
    /// The actor alone.
    pub fn timed(self) -> TimedSystem<u8> {
        self.build().0
    }

    fn build(self) -> (TimedSystem<u8>, aftercalm::actor::Handle<Self>) {
        let mut system = TimedSystem::new(TICK);
        let mono = system.add("mono", self);
        // stateright's checker stops as soon as no property is left to be decided.
        system.add_property(stateright::Expectation::Always, "anything", |_, _| true);
        (system, mono)
    }

    /// The system with something to compute of each state.
    pub fn system(self) -> System<TimedSystem<u8>> {
        let (system, mono) = self.build();
        system
            .system()
            .atom("even", move |_, s: &TimedState<u8>| s[mono].iter().sum::<u32>().is_multiple_of(2))
            .measure("sum", "steps", move |_, s| i64::from(s[mono].iter().sum::<u32>()))
            .claim(always("even or not even"))
    }
}
