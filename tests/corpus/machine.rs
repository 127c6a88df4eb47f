//! Cases that are counter machines: control states, rules between them, and counters that the rules add to, test and set.

use crate::answer::{answer, with_claims};
use crate::engine::Engine;
use crate::format::{Case, MachineCase, RuleCase};
use aftercalm::property::{ModelExt, System};
use stateright::Model;

/// The machine as a model.
#[derive(Clone, Debug)]
struct Machine {
    case: MachineCase,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    at: usize,
    /// In the order of the counters' names.
    counters: Vec<i64>,
}

impl Machine {
    fn place(&self, counter: &str) -> usize {
        self.case.counters.keys().position(|known| known == counter).expect("checked before")
    }

    /// Where the rule leads, if it can be taken: no counter falls below zero.
    fn follow(&self, rule: &RuleCase, state: &State) -> Option<State> {
        let within = |(counter, range): (&String, &[i64; 2])| {
            (range[0]..=range[1]).contains(&state.counters[self.place(counter)])
        };
        if rule.from != state.at || !rule.within.iter().all(within) {
            return None;
        }
        let mut next = State { at: rule.to, counters: state.counters.clone() };
        for (counter, gain) in &rule.add {
            let cap = self.case.caps.get(counter).copied().unwrap_or(i64::MAX);
            let value = &mut next.counters[self.place(counter)];
            *value = (*value + gain).min(cap);
        }
        for (counter, value) in &rule.set {
            next.counters[self.place(counter)] = *value;
        }
        next.counters.iter().all(|value| *value >= 0).then_some(next)
    }
}

impl Model for Machine {
    type State = State;
    type Action = usize;

    fn init_states(&self) -> Vec<State> {
        vec![State { at: 0, counters: self.case.counters.values().copied().collect() }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<usize>) {
        let rules = self.case.rules.iter().enumerate();
        actions.extend(rules.filter(|(_, rule)| self.follow(rule, state).is_some()).map(|(i, _)| i));
    }

    fn next_state(&self, state: &State, rule: usize) -> Option<State> {
        self.follow(&self.case.rules[rule], state)
    }
}

/// What is wrong with the answers of the engine, and of the case itself.
pub fn judge(case: &Case, machine: &MachineCase, engine: Engine) -> Vec<String> {
    let judged = || -> Result<Vec<String>, String> {
        let system = with_claims(system(machine)?, case)?;
        answer(&system, case, engine, true).map(|(_, wrong)| wrong)
    };
    judged().unwrap_or_else(|error| vec![error])
}

fn system(machine: &MachineCase) -> Result<System<Machine>, String> {
    let named = machine.rules.iter().flat_map(|r| r.add.keys().chain(r.within.keys()).chain(r.set.keys()));
    if let Some(name) = named.chain(machine.caps.keys()).find(|name| !machine.counters.contains_key(*name)) {
        return Err(format!("there is no counter `{name}`"));
    }
    let mut system = Machine { case: machine.clone() }.system();
    for (i, name) in machine.counters.keys().enumerate() {
        let value = move |_: &Machine, s: &State| s.counters[i];
        system = if machine.undeclared.contains(name) {
            system.measure(name, "", value)
        } else {
            system.counter(name, "", value, move |_, s| s.counters[i] = 0)
        };
    }
    for (name, states) in &machine.atoms {
        let states = states.clone();
        system = system.atom(name, move |_, s| states.contains(&s.at));
    }
    Ok(system)
}
