//! A storm with every kind of claim: a backlog that grows in an outage, and that retries keep up once it is over the brink.

use aftercalm::property::{
    ModelExt, System, at_most, bounded, isolated, ltl, recoverable, recovers, stabilizes,
};
use aftercalm::stateright::Model;

aftercalm::parameters! {
    /// The parameters of the storm.
    pub struct Parameters {
        /// Backlog (requests) from which retries keep it as it is.
        brink: u8 = 6,
        /// The longest outage, in ticks.
        longest: u8 = 4,
    }
}

/// A backlog that grows by two in each tick of an outage. Afterwards two units are worked off and one comes in each tick,
/// unless the backlog is at or over the brink, from where retries keep it as it is. The operator can shed the backlog, which
/// helps only while traffic is stopped.
#[derive(Clone, Debug)]
struct Storm {
    brink: u8,
    longest: u8,
    can_stop: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Before,
    Outage(u8),
    After,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct State {
    phase: Phase,
    backlog: u8,
    stopped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Tick,
    Fail,
    Mend,
    Stop,
    Shed,
}

impl Model for Storm {
    type State = State;
    type Action = Action;
    fn init_states(&self) -> Vec<State> {
        vec![State { phase: Phase::Before, backlog: 0, stopped: false }]
    }
    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.push(Action::Tick);
        match state.phase {
            Phase::Before => actions.push(Action::Fail),
            Phase::Outage(_) => actions.push(Action::Mend),
            Phase::After => actions.extend([Action::Stop, Action::Shed]),
        }
    }
    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = *state;
        match (action, state.phase) {
            (Action::Fail, _) => (next.phase, next.backlog) = (Phase::Outage(1), 2),
            (Action::Mend, _) => next.phase = Phase::After,
            (Action::Tick, Phase::Outage(n)) if n < self.longest => {
                (next.phase, next.backlog) = (Phase::Outage(n + 1), state.backlog + 2);
            }
            (Action::Tick, Phase::Outage(_)) => next.phase = Phase::After,
            (Action::Tick, _) if state.stopped => {}
            (Action::Tick, _) if state.backlog < self.brink => next.backlog = state.backlog.saturating_sub(1),
            (Action::Tick, _) => {}
            (Action::Stop, _) => next.stopped = self.can_stop,
            // Shed with the traffic on, the backlog is back at once.
            (Action::Shed, _) if state.stopped => (next.backlog, next.stopped) = (0, false),
            (Action::Shed, _) => {}
        }
        Some(next)
    }
}

fn storm(brink: u8, longest: u8) -> System<Storm> {
    Storm { brink, longest, can_stop: true }
        .system()
        .atom("over", |_, s| s.phase == Phase::After)
        .atom("calm", |_, s| s.backlog == 0)
        .measure("outage", "ticks", |_, s| i64::from(matches!(s.phase, Phase::Outage(_))))
        .counter("backlog", "requests", |_, s| i64::from(s.backlog), |_, s| s.backlog = 0)
        .measure("offered", "requests per tick", |m, s| if s.backlog >= m.brink { 3 } else { 1 })
        .measure("fresh", "requests per tick", |_, _| 1)
        .operator("stop traffic", |_, _, a| *a == Action::Stop)
        .operator("shed the backlog", |_, _, a| *a == Action::Shed)
        .trigger_cost(&["outage"])
        .amplification("offered", "fresh")
}

fn system(p: &Parameters) -> Result<System<Storm>, String> {
    let longest = p.longest;
    // The variant in which the trigger behaves: an outage of one tick.
    let short = storm(p.brink, 1);
    Ok(storm(p.brink, longest)
        .behaving("outage", short)
        .claim(stabilizes("calm").after("over").named("calms down"))
        .claim(recoverable("calm").after("over").named("can calm down"))
        .claim(recovers("calm", 4).after("over").named("calms down soon"))
        .claim(ltl("G (over implies F G calm)").named("as a formula"))
        .claim(at_most("backlog", 7).named("backlog in bounds"))
        .claim(bounded("backlog").named("backlog does not grow for ever"))
        .claim(isolated("offered", "outage").named("load does not show the outage")))
}

fn main() -> std::process::ExitCode {
    aftercalm::run(system)
}
