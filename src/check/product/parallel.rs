//! The search on several threads: the same graph, number by number, as on one.
//!
//! The states of a level are expanded in blocks. Within a block the threads take chunks of states; what they find is looked up
//! in the states known before the block, and what is not known is kept, once for each chunk. Then the chunks are entered one after
//! the other, so that new states get their numbers in the order of one thread. The atoms of the new states are computed by all
//! threads again.
//!
//! The tables are shared: read by all, and written by the thread that learned something while the others wait. What goes wrong
//! in a block (a fault, a number that outgrows its field) makes it void; it is done again, by one thread after a fault, so that the
//! fault is told in its place.
//!
//! Cost: the entering of new states, about a tenth of all work, is not shared out.

use super::buffer::{Buffer, Scene};
use super::expand::Expander;
use super::run::Run;
use super::store::Store;
use super::tables::{Miss, Tables};
use super::values::Function;
use crate::check::limits::{Limits, Stop};
use crate::check::search::End;
use crate::model::{Fault, guard};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Instant;

/// A block is cut into about so many chunks for each thread.
const CHUNKS: usize = 4;

/// How a block ended.
pub enum Block {
    /// It is in the graph.
    Done,
    /// A number has outgrown its field; nothing was entered.
    Outgrown,
    /// Something failed, or it is time to end; nothing was entered.
    Failed,
}

/// What came of some states.
struct Chunk<const N: usize> {
    /// Without the words of the successors.
    buffer: Buffer<N>,
    /// The successors; a place in `new` for those that were not known.
    ids: Vec<u32>,
    /// The places in `ids` of those.
    unknown: Vec<usize>,
    new: Vec<[u64; N]>,
    classes: u128,
}

/// What the threads share.
struct Shared<'a, 'b, const N: usize> {
    run: Scene<'a>,
    store: &'a Store<N>,
    tables: RwLock<&'b mut Tables>,
    unseen: u128,
    marks: bool,
    asked: u64,
    limits: &'a Limits,
    started: Instant,
    outgrown: AtomicBool,
    failed: AtomicBool,
}

impl Run<'_> {
    /// Fewer states are left to one thread.
    pub fn states_min(&self) -> u32 {
        (self.limits.block_edges >> 5).max(1) as u32
    }

    /// Expands a block of states of this level.
    pub fn block<const N: usize>(
        &mut self,
        store: &mut Store<N>,
        buffer: &mut Buffer<N>,
    ) -> Result<Block, End> {
        let first = buffer.first;
        let degree = (self.graph.targets.len() / first.max(1) as usize).max(1);
        let states = (self.limits.block_edges / degree).clamp(self.states_min() as usize, 1 << 30) as u32;
        let end = self.level_end.min(first.saturating_add(states));
        let size = (states as usize / (CHUNKS * self.threads)).max(1) as u32;
        let chunks = match self.expand_chunks(store, first..end, size) {
            Ok(chunks) => chunks,
            Err(ended) => return Ok(ended),
        };
        let known = store.len();
        let mut full = false;
        for chunk in chunks {
            full = !self.enter(store, chunk);
            if full {
                break;
            }
        }
        self.values(store, known)?;
        if full {
            return Err(End::Stop(Stop::States(store.len() as u64)));
        }
        *buffer = Buffer::new(end);
        self.ask_again(store, first..end)?;
        Ok(Block::Done)
    }

    /// Has all threads expand states, chunk by chunk.
    fn expand_chunks<const N: usize>(
        &mut self,
        store: &Store<N>,
        states: Range<u32>,
        size: u32,
    ) -> Result<Vec<Chunk<N>>, Block> {
        let number = (states.len() as u32).div_ceil(size) as usize;
        let slots: Vec<Mutex<Option<Chunk<N>>>> = (0..number).map(|_| Mutex::new(None)).collect();
        let (threads, unseen, asked) = (self.threads, self.unseen(), u64::from(self.graph.expanded()));
        let none = Tables::default();
        let shared = Shared {
            run: Scene { host: self.host, tables: &none, layout: &self.layout },
            store,
            tables: RwLock::new(&mut self.tables),
            unseen,
            marks: self.marks,
            asked,
            limits: self.limits,
            started: self.started,
            outgrown: AtomicBool::new(false),
            failed: AtomicBool::new(false),
        };
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let done = guard("`Clone` or another function of its states", || {
                        let actors = shared.run.layout.fields.len();
                        let mut expander = Expander::new(actors);
                        loop {
                            let place = next.fetch_add(1, Ordering::Relaxed);
                            let Some(slot) = slots.get(place) else { return };
                            let start = states.start + place as u32 * size;
                            let chunk = shared.chunk(start..states.end.min(start + size), &mut expander);
                            let Some(chunk) = chunk else { return };
                            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(chunk);
                        }
                    });
                    if done.is_err() {
                        shared.failed.store(true, Ordering::Relaxed);
                    }
                });
            }
        });
        let [failed, outgrown] = [&shared.failed, &shared.outgrown].map(|flag| flag.load(Ordering::Relaxed));
        if failed {
            return Err(Block::Failed);
        }
        if outgrown {
            return Err(Block::Outgrown);
        }
        let chunks = slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner));
        chunks.collect::<Option<Vec<_>>>().ok_or(Block::Failed)
    }

    /// Enters what came of some states; false if the states were too many.
    fn enter<const N: usize>(&mut self, store: &mut Store<N>, mut chunk: Chunk<N>) -> bool {
        let mut new = Vec::with_capacity(chunk.new.len());
        store.insert_all(&chunk.new, self.most(), &mut new);
        let full = new.len() < chunk.new.len();
        for &place in &chunk.unknown {
            match new.get(chunk.ids[place] as usize) {
                Some(id) => chunk.ids[place] = *id,
                None => {
                    chunk.ids.truncate(place);
                    break;
                }
            }
        }
        self.graph.classes |= chunk.classes;
        self.add_rows(&chunk.buffer, &chunk.ids);
        !full
    }

    /// Computes the atoms and measures of the states from `known` on, on all threads.
    pub fn values_parallel<const N: usize>(&mut self, store: &Store<N>, known: usize) -> Result<(), End> {
        let scene = Scene { host: self.host, tables: &self.tables, layout: &self.layout };
        let share = (store.len() - known).div_ceil(self.threads);
        let atoms = self.graph.atoms.len();
        let found: Vec<Option<Values>> = std::thread::scope(|scope| {
            let workers = self.functions.iter_mut().enumerate().map(|(nth, functions)| {
                let start = (known + nth * share).min(store.len());
                let states = start as u32..(start + share).min(store.len()) as u32;
                scope.spawn(move || {
                    guard("an atom or a measure", || values(scene, store, states, functions, atoms))
                        .ok()?
                        .ok()
                })
            });
            let workers: Vec<_> = workers.collect();
            workers.into_iter().map(|worker| worker.join().ok().flatten()).collect()
        });
        let Some(found) = found.into_iter().collect::<Option<Vec<Values>>>() else {
            // One thread tells the fault in its place.
            return self.values_alone(store, known);
        };
        for values in found {
            for (bits, holds) in self.graph.atoms.iter_mut().zip(values.holds) {
                holds.into_iter().for_each(|id| {
                    bits.insert(id);
                });
            }
            for (all, values) in self.graph.measures.iter_mut().zip(values.measures) {
                all.extend(values);
            }
        }
        Ok(())
    }
}

/// The values of some states.
struct Values {
    /// For each atom, where it holds.
    holds: Vec<Vec<u32>>,
    measures: Vec<Vec<i64>>,
}

fn values<const N: usize>(
    scene: Scene<'_>,
    store: &Store<N>,
    states: Range<u32>,
    functions: &mut [Function],
    atoms: usize,
) -> Result<Values, Fault> {
    let mut view = scene.host.view();
    let mut found =
        Values { holds: vec![Vec::new(); atoms], measures: vec![Vec::new(); functions.len() - atoms] };
    for id in states {
        scene.values(
            store.get(id),
            functions,
            &mut *view,
            &mut |which, value| match which.checked_sub(atoms) {
                None if value != 0 => found.holds[which].push(id),
                None => {}
                Some(measure) => found.measures[measure].push(value),
            },
        )?;
    }
    Ok(found)
}

impl<const N: usize> Shared<'_, '_, N> {
    /// Expands some states and looks up what comes of them; none if the block is void.
    fn chunk(&self, states: Range<u32>, expander: &mut Expander<N>) -> Option<Chunk<N>> {
        if self.limits.over(self.started) {
            // The caller looks at the limits next, and tells.
            return self.fail();
        }
        let mut buffer = Buffer::new(states.start);
        let mut classes = 0;
        while buffer.next() < states.end {
            if self.failed.load(Ordering::Relaxed) || self.outgrown.load(Ordering::Relaxed) {
                return None;
            }
            let miss = self.expand(&states, expander, &mut buffer, &mut classes)?;
            if let Some(miss) = miss {
                self.teach(miss, &expander.locals)?;
            }
        }
        let mut found = Vec::with_capacity(buffer.words.len());
        self.store.find_all(&buffer.words, &mut found);
        let mut chunk = Chunk {
            ids: Vec::with_capacity(found.len()),
            unknown: Vec::new(),
            new: Vec::new(),
            classes,
            buffer: Buffer { words: Vec::new(), ..buffer },
        };
        let words: Vec<[u64; N]> =
            found.iter().zip(&buffer.words).filter(|(id, _)| id.is_none()).map(|(_, w)| *w).collect();
        let (mut own, mut places) = (Store::<N>::new(Vec::new()), Vec::with_capacity(words.len()));
        own.insert_all(&words, usize::MAX, &mut places);
        let mut places = places.into_iter();
        for (place, id) in found.into_iter().enumerate() {
            chunk.ids.push(match id {
                Some(id) => id,
                None => {
                    chunk.unknown.push(place);
                    places.next()?
                }
            });
        }
        let size = own.len();
        chunk.new = own.into_states(size);
        Some(chunk)
    }

    /// Expands states until all are, or something is not known; none if the block is void.
    fn expand(
        &self,
        states: &Range<u32>,
        expander: &mut Expander<N>,
        buffer: &mut Buffer<N>,
        classes: &mut u128,
    ) -> Option<Option<Miss>> {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        let scene = Scene { tables: &tables, ..self.run };
        while buffer.next() < states.end {
            let (state, start) = (self.store.get(buffer.next()), buffer.words.len());
            if let Err(miss) = expander.expand(&tables, self.run.layout, state, &mut buffer.words) {
                buffer.words.truncate(start);
                return Some(Some(miss));
            }
            if self.marks {
                match scene.mark(state, start, buffer, self.unseen) {
                    Ok(taken) => *classes |= taken,
                    Err(_) => return self.fail(),
                }
            }
            buffer.ends.push(buffer.words.len());
        }
        Some(None)
    }

    /// Has the tables learn what they did not know; none if the block is void.
    fn teach(&self, miss: Miss, locals: &[u32]) -> Option<()> {
        let learned = guard("actions", || {
            let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
            tables.learn(self.run.host.machine(), miss, &|actor| locals[actor], self.asked)
        });
        let Ok(Some(learned)) = learned else { return self.fail() };
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        if guard("`Hash` or `==` of its states", || tables.enter(learned, self.asked)).is_err() {
            return self.fail();
        }
        if !self.run.layout.holds(&tables.counts()) {
            self.outgrown.store(true, Ordering::Relaxed);
            return None;
        }
        Some(())
    }

    fn fail<T>(&self) -> Option<T> {
        self.failed.store(true, Ordering::Relaxed);
        None
    }
}
