//! An automatic protection against too much traffic: above a capacity it shunts a share of each class aside (a CAPTCHA, a refusal),
//! until the traffic has been calm for a while.
//!
//! It looks at what is asked, retries of what it has shunted included. So if clients retry what they are shunted with, the
//! protection can keep up the traffic that keeps it on.
//!
//! Told to stop ([`Control::Restart`]) it is off, and on again as soon as the traffic speaks for it.
//!
//! What is kept: whether it is on and for how long the traffic has spoken for a change ([`Hysteresis`]). A share of a whole
//! number is rounded down or up, both explored: what is shunted differs from the share by less than one request a class and tick.

use super::msg::{Answer, Class, Control, Msg};
use super::turn::{Ask, Component, Inbox, Pick, Turn};
use crate::component_actor;
use crate::policy::{Hysteresis, Policy, Ratio, SwitchState, Ticks};
use stateright::actor::Id;

/// The protection.
#[derive(Clone, Debug)]
pub struct Protector {
    target: Id,
    capacity: u32,
    on_after: Ticks,
    off_after: Ticks,
    shunts: Vec<(Class, Ratio)>,
    answer: Answer,
    pick: Pick,
}

/// The state of the protection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Protecting {
    /// Whether it is on, and for how long traffic has spoken for a change.
    pub switch: SwitchState,
    /// The traffic above which it turns on (requests per tick).
    pub capacity: u32,
    /// Whether it may be on at all.
    pub enabled: bool,
}

impl Protecting {
    /// Whether it shunts requests.
    #[must_use]
    pub fn on(&self) -> bool {
        self.enabled && self.switch.on
    }
}

impl Protector {
    /// A protection that turns on in a tick with more than `capacity` requests, off in one with no more, and passes on to `target`
    /// what it does not shunt. Answers go straight back.
    #[must_use]
    pub fn new(target: impl Into<Id>, capacity: u32) -> Self {
        Self {
            target: target.into(),
            capacity,
            on_after: Ticks(1),
            off_after: Ticks(1),
            shunts: Vec::new(),
            answer: Answer::Challenge,
            pick: Pick::Any,
        }
    }

    /// It turns on after so many ticks in a row with more than its capacity. Default: 1.
    #[must_use]
    pub fn on_after(mut self, ticks: u32) -> Self {
        self.on_after = Ticks(ticks);
        self
    }

    /// It turns off after so many ticks in a row with no more than its capacity. Default: 1.
    #[must_use]
    pub fn off_after(mut self, ticks: u32) -> Self {
        self.off_after = Ticks(ticks);
        self
    }

    /// While it is on, this share of a class is shunted. Classes that are not named pass.
    #[must_use]
    pub fn shunting(mut self, class: impl Into<Class>, share: Ratio) -> Self {
        self.shunts.push((class.into(), share));
        self
    }

    /// What those are told who are shunted. Default: [`Answer::Challenge`].
    #[must_use]
    pub fn answering(mut self, answer: Answer) -> Self {
        self.answer = answer;
        self
    }

    /// How requests are picked for being shunted. Default: [`Pick::Any`].
    #[must_use]
    pub fn pick(mut self, pick: Pick) -> Self {
        self.pick = pick;
        self
    }

    fn hysteresis(&self, capacity: u32) -> Hysteresis {
        let (on_after, off_after) = (self.on_after, self.off_after);
        Hysteresis { on_level: capacity + 1, on_after, off_level: capacity, off_after }
    }
}

impl Component for Protector {
    type Memory = Protecting;

    fn start(&self) -> Protecting {
        Protecting { switch: self.hysteresis(self.capacity).start(), capacity: self.capacity, enabled: true }
    }

    fn control(&self, state: &mut Protecting, control: Control) {
        match control {
            Control::SetCapacity(n) => state.capacity = n,
            Control::AddCapacity(n) => state.capacity += n,
            Control::ResetCapacity => state.capacity = self.capacity,
            Control::Restart => state.switch = SwitchState::default(),
            Control::Disable => (state.enabled, state.switch) = (false, SwitchState::default()),
            Control::Enable => state.enabled = true,
            _ => {}
        }
    }

    fn act(&self, state: &mut Protecting, arrived: &Inbox, turn: &mut Turn) -> Result<(), Ask> {
        super::probe::answer(arrived, turn);
        let mut passed = arrived.requests.clone();
        if state.enabled {
            let _ = self.hysteresis(state.capacity).observe(&mut state.switch, passed.total());
        }
        if state.on() {
            for (class, share) in &self.shunts {
                let (of_class, _) = passed.split(|request| request.class == *class);
                let parts = of_class.total() * share.num;
                let n =
                    turn.number("shunted", parts / share.den.max(1)..=parts.div_ceil(share.den.max(1)))?;
                let shunted = turn.draw_requests("shunted", &of_class, n, self.pick)?;
                shunted.iter().for_each(|(request, n)| turn.answer(*request, self.answer, n));
                passed.remove_all(&shunted);
            }
        }
        passed.iter().for_each(|(request, n)| turn.send(self.target, Msg::Request(*request), n));
        Ok(())
    }
}

component_actor!(Protector);
