//! The semantics of a tick once more, as plainly as possible: every message a unit of its own, every subset of those that may
//! arrive, every permutation, every run written out, nothing shared, nothing remembered. It knows the runtime's
//! documentation, and none of its code.

use crate::setup::{Setup, TICK};
use aftercalm::actor::{Handle, Message, TimedActor, TimedState};
use stateright::actor::{Actor, Command, Id, Out};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// One message under way. `hi` ticks from now at the latest, `lo` at the earliest.
#[derive(Clone, Debug)]
pub struct Unit<M> {
    src: usize,
    dst: usize,
    msg: M,
    lo: u64,
    hi: u64,
}

pub struct One<A: Actor> {
    pub state: A::State,
    timers: BTreeMap<String, (A::Timer, u64, u64)>,
    saved: Option<A::Storage>,
}

/// A state: every actor, and every message under way.
pub struct Whole<A: Actor> {
    pub actors: Vec<One<A>>,
    pub flight: Vec<Unit<A::Msg>>,
}

/// One actor in the middle of a tick.
struct Run<A: Actor> {
    one: One<A>,
    choices: BTreeMap<String, Vec<A::Random>>,
    sends: Vec<(usize, A::Msg)>,
}

impl<A: Actor> Clone for One<A> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), timers: self.timers.clone(), saved: self.saved.clone() }
    }
}

impl<A: Actor> Clone for Whole<A> {
    fn clone(&self) -> Self {
        Self { actors: self.actors.clone(), flight: self.flight.clone() }
    }
}

impl<A: Actor> Clone for Run<A> {
    fn clone(&self) -> Self {
        Self { one: self.one.clone(), choices: self.choices.clone(), sends: self.sends.clone() }
    }
}

const FOREVER: u64 = u64::MAX;

/// The semantics. `eager`: latencies and timers are sampled when they begin, not left open.
pub struct Naive<'a, A: Actor> {
    pub setup: &'a Setup<A>,
    pub eager: bool,
}

impl<A: Actor<Msg: Debug, State: Debug>> Naive<'_, A> {
    pub fn starts(&self) -> Vec<Whole<A>> {
        let mut runs = Vec::new();
        for (id, actor) in self.setup.actors.iter().enumerate() {
            let mut out = Out::new();
            let state = actor.on_start(Id::from(id), &None, &mut out);
            let one = One { state, timers: BTreeMap::new(), saved: None };
            let run = Run { one, choices: BTreeMap::new(), sends: Vec::new() };
            runs.push(self.commanded(run, out));
        }
        // The first possibility has the state that on_start returned; all have the same.
        let before: Vec<A::State> = runs.iter().map(|r| r[0].one.state.clone()).collect();
        let ends = runs.into_iter().enumerate().map(|(id, runs)| {
            let mut ends = Vec::new();
            runs.into_iter().for_each(|run| self.finish(id, run, &mut ends));
            ends
        });
        self.joined(&ends.collect::<Vec<_>>(), &[], &before)
    }

    pub fn successors(&self, whole: &Whole<A>) -> Vec<Whole<A>> {
        let before: Vec<A::State> = whole.actors.iter().map(|one| one.state.clone()).collect();
        let mut successors = Vec::new();
        for arrives in subsets(&whole.flight) {
            let mut stays = Vec::new();
            let mut inbox: Vec<Vec<(usize, A::Msg)>> = vec![Vec::new(); whole.actors.len()];
            for (unit, arrives) in whole.flight.iter().zip(arrives) {
                if arrives {
                    inbox[unit.dst].push((unit.src, unit.msg.clone()));
                } else {
                    stays.push(Unit { lo: (unit.lo - 1).max(1), hi: unit.hi - 1, ..unit.clone() });
                }
            }
            let mut ends = Vec::new();
            for (id, inbox) in inbox.iter().enumerate() {
                let mut own = Vec::new();
                for order in permutations(inbox) {
                    let mut one = whole.actors[id].clone();
                    for (_, lo, hi) in one.timers.values_mut() {
                        *lo = lo.saturating_sub(1);
                        *hi = if *hi == FOREVER { FOREVER } else { *hi - 1 };
                    }
                    let mut runs = vec![Run { one, choices: BTreeMap::new(), sends: Vec::new() }];
                    for (src, msg) in order {
                        runs = runs.into_iter().flat_map(|run| self.message(id, &run, src, &msg)).collect();
                    }
                    runs.into_iter().for_each(|run| self.finish(id, run, &mut own));
                }
                ends.push(own);
            }
            successors.extend(self.joined(&ends, &stays, &before));
        }
        successors
    }

    fn message(&self, id: usize, run: &Run<A>, src: usize, msg: &A::Msg) -> Vec<Run<A>> {
        self.reacting(run, |state, out| {
            self.setup.actors[id].on_msg(id.into(), state, src.into(), msg.clone(), out);
        })
    }

    fn reacting(&self, run: &Run<A>, call: impl FnOnce(&mut Cow<A::State>, &mut Out<A>)) -> Vec<Run<A>> {
        let mut run = run.clone();
        let mut out = Out::new();
        let mut cow = Cow::Owned(run.one.state.clone());
        call(&mut cow, &mut out);
        run.one.state = cow.into_owned();
        self.commanded(run, out)
    }

    /// What the commands make of a run: one, or several if timers are sampled at once.
    fn commanded(&self, run: Run<A>, out: Out<A>) -> Vec<Run<A>> {
        let mut runs = vec![run];
        for command in out {
            runs = runs.into_iter().flat_map(|run| self.command(run, &command)).collect();
        }
        runs
    }

    fn command(
        &self,
        mut run: Run<A>,
        command: &Command<A::Msg, A::Timer, A::Random, A::Storage>,
    ) -> Vec<Run<A>> {
        match command {
            Command::Send(dst, msg) => run.sends.push((usize::from(*dst), msg.clone())),
            Command::Save(storage) => run.one.saved = Some(storage.clone()),
            Command::CancelTimer(timer) => drop(run.one.timers.remove(&format!("{timer:?}"))),
            Command::ChooseRandom(key, values) => {
                run.choices.insert(key.clone(), values.clone());
                run.choices.retain(|_, values| !values.is_empty());
            }
            Command::SetTimer(timer, range) => {
                let in_ticks = |d: std::time::Duration| (d.as_nanos() / TICK.as_nanos()) as u64;
                let (lo, hi) = if range.start >= range.end {
                    (in_ticks(range.start), in_ticks(range.start))
                } else {
                    (in_ticks(range.start), in_ticks(range.end) - 1)
                };
                let spans = if self.eager { (lo..=hi).map(|d| (d, d)).collect() } else { vec![(lo, hi)] };
                return spans
                    .into_iter()
                    .map(|(lo, hi)| {
                        let mut run = run.clone();
                        run.one.timers.insert(format!("{timer:?}"), (timer.clone(), lo, hi));
                        run
                    })
                    .collect();
            }
        }
        vec![run]
    }

    /// Phases 2 and 3.
    fn finish(&self, id: usize, run: Run<A>, ends: &mut Vec<Run<A>>) {
        let actor = &self.setup.actors[id];
        for (name, (timer, lo, hi)) in &run.one.timers {
            if *lo == 0 && *hi > 0 {
                for (lo, hi) in [(0, 0), (1, *hi)] {
                    let mut run = run.clone();
                    run.one.timers.insert(name.clone(), (timer.clone(), lo, hi));
                    self.finish(id, run, ends);
                }
                return;
            }
        }
        let due: Vec<&String> =
            run.one.timers.iter().filter(|(_, t)| t.2 == 0).map(|(name, _)| name).collect();
        if !due.is_empty() {
            for name in due {
                let mut run = run.clone();
                let Some((timer, _, _)) = run.one.timers.remove(name) else { unreachable!() };
                for run in self.reacting(&run, |state, out| actor.on_timeout(id.into(), state, &timer, out)) {
                    self.finish(id, run, ends);
                }
            }
        } else if run.choices.is_empty() {
            ends.push(run);
        } else {
            for (key, values) in &run.choices {
                for value in values {
                    let mut run = run.clone();
                    run.choices.remove(key);
                    for run in self.reacting(&run, |state, out| actor.on_random(id.into(), state, value, out))
                    {
                        self.finish(id, run, ends);
                    }
                }
            }
        }
    }

    /// Phase 4 and the cross product.
    fn joined(&self, ends: &[Vec<Run<A>>], stays: &[Unit<A::Msg>], before: &[A::State]) -> Vec<Whole<A>> {
        let mut wholes = vec![Whole { actors: Vec::new(), flight: stays.to_vec() }];
        for (src, ends) in ends.iter().enumerate() {
            let mut longer = Vec::new();
            for whole in &wholes {
                for end in ends {
                    let mut ways = vec![whole.clone()];
                    for (dst, msg) in &end.sends {
                        ways =
                            ways.iter().flat_map(|way| self.entering(way, src, *dst, msg, before)).collect();
                    }
                    for mut way in ways {
                        way.actors.push(end.one.clone());
                        longer.push(way);
                    }
                }
            }
            wholes = longer;
        }
        wholes
    }

    fn entering(
        &self,
        way: &Whole<A>,
        src: usize,
        dst: usize,
        msg: &A::Msg,
        before: &[A::State],
    ) -> Vec<Whole<A>> {
        let link = self.setup.link(src, dst);
        if link.cut.is_some_and(|(actor, cut)| cut(&before[actor])) {
            return vec![way.clone()];
        }
        let mut copies = vec![1];
        if link.lossy {
            copies.push(0);
        }
        if link.duplicating {
            copies.push(2);
        }
        let (lo, hi) = (u64::from(link.lo), u64::from(link.hi));
        let spans = if self.eager { (lo..=hi).map(|d| (d, d)).collect() } else { vec![(lo, hi)] };
        let mut ways = Vec::new();
        for n in copies {
            let mut some = vec![way.clone()];
            for _ in 0..n {
                some = some
                    .iter()
                    .flat_map(|way| {
                        spans.iter().map(move |(lo, hi)| {
                            let mut way = way.clone();
                            way.flight.push(Unit { src, dst, msg: msg.clone(), lo: *lo, hi: *hi });
                            way
                        })
                    })
                    .collect();
            }
            ways.extend(some);
        }
        ways
    }
}

/// For every unit whether it arrives, in every way in which that can go.
fn subsets<M>(flight: &[Unit<M>]) -> Vec<Vec<bool>> {
    let mut all = vec![Vec::new()];
    for unit in flight {
        let mut longer = Vec::new();
        for some in &all {
            for arrives in [true, false] {
                if (arrives && unit.lo <= 1) || (!arrives && unit.hi > 1) {
                    longer.push([some.as_slice(), &[arrives]].concat());
                }
            }
        }
        all = longer;
    }
    all
}

fn permutations<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for i in 0..items.len() {
        let mut rest = items.to_vec();
        let first = rest.remove(i);
        for mut order in permutations(&rest) {
            order.insert(0, first.clone());
            all.push(order);
        }
    }
    all
}

/// A state as a text that is the same for equal situations.
pub fn text_of_naive<A: Actor<Msg: Debug, State: Debug, Storage: Debug>>(whole: &Whole<A>) -> String {
    let mut lines = Vec::new();
    for (id, one) in whole.actors.iter().enumerate() {
        lines.push(format!("{id} {:?} {:?}", one.state, one.saved));
        for (name, (_, lo, hi)) in &one.timers {
            lines.push(format!("{id} timer {name} {lo}..={hi}"));
        }
    }
    let units = whole.flight.iter().map(|u| format!("{}->{} {:?} {}..={}", u.src, u.dst, u.msg, u.lo, u.hi));
    sorted(lines, units.collect())
}

/// The same for a state of the runtime.
pub fn text_of_runtime<A: TimedActor<Msg: Message>>(
    handles: &[Handle<A>],
    state: &TimedState<A::Msg>,
) -> String {
    let mut lines = Vec::new();
    for (id, handle) in handles.iter().enumerate() {
        lines.push(format!("{id} {:?} {:?}", state[*handle], state.saved(*handle)));
        let mut timers: Vec<String> = (state.timers(*handle))
            .map(|t| {
                let hi = t.ticks_max.map_or(FOREVER, u64::from);
                format!("{id} timer {:?} {}..={hi}", t.timer, t.ticks_min)
            })
            .collect();
        timers.sort();
        lines.extend(timers);
    }
    let units = state.in_flight().flat_map(|m| {
        let (src, dst) = (usize::from(m.src), usize::from(m.dst));
        let text = format!("{src}->{dst} {:?} {}..={}", m.msg, m.ticks_min, m.ticks_max);
        vec![text; m.count as usize]
    });
    sorted(lines, units.collect())
}

fn sorted(mut lines: Vec<String>, mut units: Vec<String>) -> String {
    units.sort();
    lines.extend(units);
    lines.join("\n")
}
