//! What is known about each actor: the numbers of what it has been and of what has been under way to it, and what can come of
//! each pair of them in a tick.
//!
//! Expanding a state only reads these tables. Where one has no answer, the expansion ends with a [`Miss`]; the actor is run
//! ([`Tables::learn`]), what comes of it is entered ([`Tables::enter`]), and the state is expanded again.
//!
//! What is under way to an actor after a tick is the union of what remains and of what each actor sends to it. So an outcome is
//! kept as one pipeline for each actor that it sends to, and pipelines are united two by two, each pair once.
//!
//! An actor that hardly ever comes back to where it was (it keeps a log, or holds everything) would fill the memory with
//! outcomes that nobody asks for again: its tables are emptied when they have doubled and few look-ups found anything.

use super::ids::{IdMap, Interned};
use crate::actor::local::Local;
use crate::actor::machine::Machine;
use crate::actor::outcome::{Outcome, Part};
use crate::actor::pipeline::{Envelope, Pipeline};
use std::sync::Arc;

/// The pipeline in which there is nothing.
pub const NOTHING: u32 = 0;

/// Tables with fewer outcomes or unions than this, which take some 50 MB, are never emptied (but in tests, soon).
const KEPT_MIN: usize = if cfg!(test) { 16 } else { 1 << 20 };

/// So many first outcomes of each actor are tested for determinism, and then one in so many where there is little to be remembered.
const TESTED_FIRST: u64 = 1024;
const TESTED_EACH: u64 = 64;

/// One thing that may come of an actor's tick.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What the actor will be.
    pub local: u32,
    start: u32,
    end: u32,
    /// How many outcomes stand from here on, this one included.
    left: u32,
}

/// What an outcome adds to what is under way to an actor.
#[derive(Clone, Copy, Debug)]
pub struct Addition {
    /// The actor.
    pub dst: u32,
    /// What is added; for the actor itself, what remains is among it.
    pub pipe: u32,
}

/// Where the outcomes of one actor stand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// The number of outcomes.
    #[inline]
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }
}

/// What a table has no answer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miss {
    /// The number of the pair of these numbers, for the links of `src`.
    Pair { src: usize, numbers: [u32; 2] },
    /// Which links of `src` are cut, in the state in which its cutters have this number.
    Cut { src: usize, number: u32 },
    /// What can come of this actor's tick.
    Outcomes { actor: usize, local: u32, pipe: u32, cut: u32 },
    /// The union of two pipelines of `dst`.
    Union { dst: usize, pipes: [u32; 2] },
    /// The state has more successors than can be listed.
    TooMany,
}

/// The answer.
pub enum Learned {
    /// A pair has a number now.
    Pair { src: usize, numbers: [u32; 2] },
    /// These links are cut.
    Cut { src: usize, number: u32, cut: Box<[usize]> },
    /// These are the outcomes.
    Outcomes { actor: usize, local: u32, pipe: u32, cut: u32, drafts: Vec<Draft> },
    /// This is the union.
    Union { dst: usize, pipes: [u32; 2], union: Pipeline },
}

/// An outcome, not numbered yet.
pub struct Draft {
    local: Arc<Local>,
    additions: Vec<(usize, Arc<Pipeline>)>,
}

/// What is known about one actor.
struct Seat {
    locals: Interned<Local>,
    pipes: Interned<Pipeline>,
    /// Where the outcomes of (local, pipe, cut) begin in `rows`; a row of which none is left stands where there are none.
    known: IdMap,
    rows: Vec<Row>,
    additions: Vec<Addition>,
    unions: IdMap,
    /// The actors that decide which links away from this one are cut.
    cutters: Vec<usize>,
    pairs: IdMap,
    cuts: IdMap,
    cut_sets: Vec<Box<[usize]>>,
    worth: [Worth; 2],
}

/// Whether remembering pays: what was learned since the last look, and when to look next.
#[derive(Clone, Copy)]
struct Worth {
    misses: u64,
    misses_before: u64,
    asked: u64,
    look_at: usize,
}

impl Default for Worth {
    fn default() -> Self {
        Self { misses: 0, misses_before: 0, asked: 0, look_at: KEPT_MIN }
    }
}

impl Worth {
    /// Counts a miss; true if the table, which has this size by now, should be emptied. `asked`: the look-ups so far.
    fn miss(&mut self, size: usize, asked: u64) -> bool {
        self.misses += 1;
        if size < self.look_at {
            return false;
        }
        let empty = (self.misses - self.misses_before) * 4 > asked - self.asked;
        (self.misses_before, self.asked) = (self.misses, asked);
        self.look_at = if empty { KEPT_MIN } else { self.look_at * 2 };
        empty
    }

    /// Whether the next miss is one for which the actor is run twice.
    fn tests(&self, asked: u64) -> bool {
        let few = self.misses < TESTED_FIRST || self.misses * 8 < asked;
        few || self.misses.is_multiple_of(TESTED_EACH)
    }
}

/// What the numbers of one actor's local states and pipelines stand for.
pub type Meanings = (Vec<Arc<Local>>, Vec<Arc<Pipeline>>);

/// What is known about all actors.
#[derive(Default)]
pub struct Tables {
    seats: Vec<Seat>,
}

impl Tables {
    /// Nothing is known.
    pub fn new(machine: &Machine) -> Self {
        let seat = |actor| {
            let mut pipes = Interned::new();
            pipes.intern(Arc::new(Pipeline::default()));
            Seat {
                locals: Interned::new(),
                pipes,
                known: IdMap::default(),
                rows: Vec::new(),
                additions: Vec::new(),
                unions: IdMap::default(),
                cutters: machine.cutters(actor),
                pairs: IdMap::default(),
                cuts: IdMap::default(),
                cut_sets: vec![Box::default()],
                worth: [Worth::default(); 2],
            }
        };
        Self { seats: (0..machine.seats.len()).map(seat).collect() }
    }

    /// The number of actors.
    pub fn actors(&self) -> usize {
        self.seats.len()
    }

    /// How many local states and pipelines of each actor there are.
    pub fn counts(&self) -> Vec<[usize; 2]> {
        self.seats.iter().map(|seat| [seat.locals.len(), seat.pipes.len()]).collect()
    }

    /// The numbers of these parts, new ones where they have none.
    pub fn intern(&mut self, parts: &[Part]) -> Vec<[u32; 2]> {
        let seats = self.seats.iter_mut().zip(parts);
        seats
            .map(|(seat, part)| {
                [seat.locals.intern(Arc::clone(&part.local)), seat.pipes.intern(Arc::clone(&part.pipeline))]
            })
            .collect()
    }

    /// The numbers of these parts, if all have one.
    pub fn find(&self, parts: &[Part]) -> Option<Vec<[u32; 2]>> {
        let seats = self.seats.iter().zip(parts);
        seats
            .map(|(seat, part)| Some([seat.locals.find(&part.local)?, seat.pipes.find(&part.pipeline)?]))
            .collect()
    }

    /// The part of an actor that has these numbers.
    pub fn part(&self, actor: usize, [local, pipe]: [u32; 2]) -> Part {
        let seat = &self.seats[actor];
        Part { local: Arc::clone(seat.locals.get(local)), pipeline: Arc::clone(seat.pipes.get(pipe)) }
    }

    /// The number for which links away from `src` are cut, by the local states of all actors. 0: none is.
    #[inline]
    pub fn cut(&self, src: usize, local: impl Fn(usize) -> u32) -> Result<u32, Miss> {
        let seat = &self.seats[src];
        let Some((first, rest)) = seat.cutters.split_first() else { return Ok(0) };
        let mut number = local(*first);
        for cutter in rest {
            let numbers = [number, local(*cutter)];
            number = seat.pairs.get(numbers[0], numbers[1], 0).ok_or(Miss::Pair { src, numbers })?;
        }
        seat.cuts.get(number, 0, 0).ok_or(Miss::Cut { src, number })
    }

    /// Where the outcomes of an actor stand.
    #[inline]
    pub fn outcomes(&self, actor: usize, local: u32, pipe: u32, cut: u32) -> Result<Span, Miss> {
        let seat = &self.seats[actor];
        match seat.known.get(local, pipe, cut) {
            Some(start) => Ok(Span { start, end: start + seat.rows[start as usize].left }),
            None => Err(Miss::Outcomes { actor, local, pipe, cut }),
        }
    }

    /// The outcomes there.
    #[inline]
    pub fn rows(&self, actor: usize, span: Span) -> &[Row] {
        &self.seats[actor].rows[span.start as usize..span.end as usize]
    }

    /// What an outcome of this actor adds to what is under way.
    #[inline]
    pub fn additions(&self, actor: usize, row: Row) -> &[Addition] {
        &self.seats[actor].additions[row.start as usize..row.end as usize]
    }

    /// The union of two pipelines of `dst`.
    #[inline]
    pub fn union(&self, dst: usize, a: u32, b: u32) -> Result<u32, Miss> {
        if a == NOTHING {
            return Ok(b);
        }
        let pipes = [a.min(b), a.max(b)];
        self.seats[dst].unions.get(pipes[0], pipes[1], 0).ok_or(Miss::Union { dst, pipes })
    }

    /// Finds the answer by running the model, which may fail. `locals`: the local state of each actor in the state that is
    /// expanded; `asked`: the states expanded so far. [`Miss::TooMany`] has no answer.
    pub fn learn(
        &self,
        machine: &Machine,
        miss: Miss,
        locals: &dyn Fn(usize) -> u32,
        asked: u64,
    ) -> Option<Learned> {
        Some(match miss {
            Miss::TooMany => return None,
            Miss::Pair { src, numbers } => Learned::Pair { src, numbers },
            Miss::Cut { src, number } => {
                let state = |actor: usize| self.seats[actor].locals.get(locals(actor)).state.clone();
                Learned::Cut { src, number, cut: machine.cut(src, &state) }
            }
            Miss::Outcomes { actor, local, pipe, cut } => {
                let seat = &self.seats[actor];
                // Run twice: one that gives two answers must not have one of them remembered.
                let twice = cfg!(debug_assertions) || seat.worth[0].tests(asked);
                let part = self.part(actor, [local, pipe]);
                let outcomes = machine.run(actor, &part, &seat.cut_sets[cut as usize], twice);
                let drafts = outcomes.iter().map(|outcome| draft(actor, outcome)).collect();
                Learned::Outcomes { actor, local, pipe, cut, drafts }
            }
            Miss::Union { dst, pipes } => {
                let [mut union, more] = pipes.map(|pipe| (**self.seats[dst].pipes.get(pipe)).clone());
                more.envelopes().iter().for_each(|envelope| union.add(envelope.clone()));
                Learned::Union { dst, pipes, union }
            }
        })
    }

    /// Enters an answer, unless it was entered meanwhile. `asked`: the states expanded so far.
    pub fn enter(&mut self, learned: Learned, asked: u64) {
        match learned {
            Learned::Pair { src, numbers: [a, b] } => {
                let pairs = &mut self.seats[src].pairs;
                if pairs.get(a, b, 0).is_none() {
                    pairs.insert(a, b, 0, pairs.len() as u32);
                }
            }
            Learned::Cut { src, number, cut } => {
                let seat = &mut self.seats[src];
                if seat.cuts.get(number, 0, 0).is_none() {
                    let known = seat.cut_sets.iter().position(|set| *set == cut);
                    let at = known.unwrap_or_else(|| {
                        seat.cut_sets.push(cut);
                        seat.cut_sets.len() - 1
                    });
                    seat.cuts.insert(number, 0, 0, at as u32);
                }
            }
            Learned::Outcomes { actor, local, pipe, cut, drafts } => {
                if self.seats[actor].known.get(local, pipe, cut).is_none() {
                    self.enter_outcomes(actor, [local, pipe, cut], drafts, asked);
                }
            }
            Learned::Union { dst, pipes: [a, b], union } => {
                let seat = &mut self.seats[dst];
                if seat.unions.get(a, b, 0).is_none() {
                    if seat.worth[1].miss(seat.unions.len(), asked) {
                        seat.unions.clear();
                    }
                    let union = seat.pipes.intern(Arc::new(union));
                    seat.unions.insert(a, b, 0, union);
                }
            }
        }
    }

    fn enter_outcomes(&mut self, actor: usize, key: [u32; 3], drafts: Vec<Draft>, asked: u64) {
        let seat = &mut self.seats[actor];
        if seat.worth[0].miss(seat.rows.len(), asked) {
            seat.known.clear();
            seat.rows.clear();
            seat.additions.clear();
        }
        let (begin, number) = (seat.rows.len() as u32, drafts.len() as u32);
        for (nth, draft) in (0..).zip(drafts) {
            let numbered: Vec<Addition> = (draft.additions.into_iter())
                .map(|(dst, pipe)| Addition { dst: dst as u32, pipe: self.seats[dst].pipes.intern(pipe) })
                .collect();
            let seat = &mut self.seats[actor];
            let start = seat.additions.len() as u32;
            seat.additions.extend(numbered);
            let local = seat.locals.intern(draft.local);
            seat.rows.push(Row { local, start, end: seat.additions.len() as u32, left: number - nth });
        }
        let seat = &mut self.seats[actor];
        if number == 0 {
            seat.rows.push(Row { local: 0, start: 0, end: 0, left: 0 });
        }
        seat.known.insert(key[0], key[1], key[2], begin);
    }

    /// What the numbers of each actor stand for, when nothing else is asked any more.
    pub fn into_values(self) -> Vec<Meanings> {
        self.seats.into_iter().map(|seat| (seat.locals.into_values(), seat.pipes.into_values())).collect()
    }
}

/// An outcome as what it adds to what is under way to each actor.
fn draft(actor: usize, outcome: &Outcome) -> Draft {
    let mut additions: Vec<(usize, Arc<Pipeline>)> = Vec::new();
    if !outcome.remains.envelopes().is_empty() {
        additions.push((actor, Arc::clone(&outcome.remains)));
    }
    for sent in &outcome.sent {
        let envelope = Envelope { src: actor, msg: sent.msg.clone(), left: sent.left, count: sent.count };
        match additions.iter_mut().find(|(dst, _)| *dst == sent.dst) {
            Some((_, pipe)) => Arc::make_mut(pipe).add(envelope),
            None => {
                let mut pipe = Pipeline::default();
                pipe.add(envelope);
                additions.push((sent.dst, Arc::new(pipe)));
            }
        }
    }
    Draft { local: Arc::clone(&outcome.local), additions }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_emptied_where_few_look_ups_find_anything_and_kept_where_most_do() {
        let (mut poor, mut rich) = (Worth::default(), Worth::default());
        assert!((1..KEPT_MIN).all(|n| !poor.miss(n, n as u64) && !rich.miss(n, 100 * n as u64)));
        assert!(poor.miss(KEPT_MIN, KEPT_MIN as u64));
        assert!(!rich.miss(KEPT_MIN, 100 * KEPT_MIN as u64));
        // What was learned before the last look does not count.
        assert!(!rich.miss(2 * KEPT_MIN - 1, 101 * KEPT_MIN as u64));
        assert!((0..100).all(|_| !rich.miss(KEPT_MIN, 101 * KEPT_MIN as u64)));
        assert!(rich.miss(2 * KEPT_MIN, 101 * KEPT_MIN as u64));
    }
}
