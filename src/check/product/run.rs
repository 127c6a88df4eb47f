//! The search itself: states in the order of their numbers are expanded into a buffer, and the buffer is looked up as a whole.
//!
//! The result is the graph that the generic search makes: the same states under the same numbers, the same edges in the same
//! order. What goes wrong is told as there: a state whose expansion or whose values fail is handed to the functions of the generic
//! search, which name what failed.

use super::buffer::{Buffer, Scene};
use super::expand::Expander;
use super::host::{Host, View};
use super::layout::Layout;
use super::parallel::Block;
use super::store::Store;
use super::tables::{Miss, Tables};
use super::values::Function;
use crate::actor::outcome::Part;
use crate::check::graph::{NONE, StateGraph};
use crate::check::limits::{Limits, Stop};
use crate::check::search::End;
use crate::model::{Fault, guard};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// So many successors are looked up at a time.
const BUFFER: usize = 1024;
/// Memory is looked at once in so many states.
const LOOK_EACH: u32 = 1 << 14;
/// The generic search is asked about each of the first so many states, and what it says is compared.
pub const ASK_FIRST: u32 = 128;
/// And about one state in so many after that.
pub const ASK_EACH: u32 = 1024;

/// A search in the making.
pub struct Run<'a> {
    pub host: &'a dyn Host,
    pub limits: &'a Limits,
    pub started: Instant,
    pub tables: Tables,
    pub layout: Layout,
    /// The atoms and measures, as each thread knows them; the first is this one.
    pub functions: Vec<Vec<Function>>,
    pub view: Box<dyn View + 'a>,
    pub graph: StateGraph,
    /// The index of each distinct edge mask.
    pub labels: HashMap<u128, u32>,
    /// The first state of the next level, and the depth of the states before it.
    pub level_end: u32,
    pub depth: u64,
    pub memory_seen: u32,
    /// Whether the actions may have to be looked at.
    pub marks: bool,
    /// How many threads expand states.
    pub threads: usize,
    /// How often the states were packed anew.
    pub packings: u32,
}

/// Why a stretch of the search is over.
pub enum Pause {
    /// All is explored.
    Done,
    /// A number has outgrown its field.
    Outgrown,
}

impl Run<'_> {
    /// Goes on from the first state that was not expanded, as far as the layout carries.
    pub fn explore<const N: usize>(&mut self, store: &mut Store<N>) -> Result<Pause, End> {
        let mut expander = Expander::new(self.tables.actors());
        let mut buffer = Buffer::new(self.graph.expanded());
        loop {
            if buffer.next() == self.level_end {
                if self.level_end as usize == store.len() {
                    return Ok(Pause::Done);
                }
                self.level_end = store.len() as u32;
                self.depth += 1;
            }
            if let Some(depth_max) = self.limits.depth_max.filter(|max| self.depth >= *max) {
                return Err(End::Stop(Stop::Depth(depth_max)));
            }
            self.look(buffer.first)?;
            if self.threads > 1 && self.level_end - buffer.first >= self.states_min() {
                match self.block(store, &mut buffer)? {
                    Block::Done => continue,
                    Block::Outgrown => return Ok(Pause::Outgrown),
                    // Found again by one thread, which tells it in its place.
                    Block::Failed => {
                        self.threads = 1;
                        self.look(buffer.first)?;
                    }
                }
            }
            let filled = self.fill(store, &mut expander, &mut buffer);
            // What was found before a fault comes first.
            self.flush(store, &mut buffer)?;
            match filled {
                Ok(true) => {}
                Ok(false) => return Ok(Pause::Outgrown),
                Err(fault) => return Err(End::Fault(fault)),
            }
        }
    }

    /// Whether to go on.
    pub fn look(&mut self, id: u32) -> Result<(), End> {
        if self.limits.interrupt.load(Ordering::Relaxed) {
            return Err(End::Stop(Stop::Interrupted));
        }
        if let Some(time_max) = self.limits.time_max.filter(|max| self.started.elapsed() >= *max) {
            return Err(End::Stop(Stop::Time(time_max)));
        }
        if id < self.memory_seen {
            return Ok(());
        }
        self.memory_seen = id.saturating_add(LOOK_EACH);
        if let Some(bytes_max) = self.limits.memory_bytes_max
            && let Some(used) = self.limits.memory_bytes_used.and_then(|probe| probe())
            && used >= bytes_max
        {
            return Err(End::Stop(Stop::Memory(bytes_max)));
        }
        Ok(())
    }

    /// Expands states of this level until the buffer is full; false if a number has outgrown its field.
    fn fill<const N: usize>(
        &mut self,
        store: &Store<N>,
        expander: &mut Expander<N>,
        buffer: &mut Buffer<N>,
    ) -> Result<bool, Fault> {
        while buffer.next() < self.level_end && buffer.words.len() < BUFFER {
            let (id, start) = (buffer.next(), buffer.words.len());
            let state = *store.get(id);
            match expander.expand(&self.tables, &self.layout, &state, &mut buffer.words) {
                Ok(()) => {
                    if self.marks
                        && let Err(fault) = self.mark(&state, start, buffer)
                    {
                        buffer.words.truncate(start);
                        return Err(fault);
                    }
                    buffer.ends.push(buffer.words.len());
                }
                Err(miss) => {
                    buffer.words.truncate(start);
                    if !self.teach(miss, &state, &expander.locals)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Has the tables learn what they did not know; false if a number has outgrown its field.
    fn teach(&mut self, miss: Miss, state: &[u64], locals: &[u32]) -> Result<bool, Fault> {
        let asked = u64::from(self.graph.expanded());
        let learned =
            guard("actions", || self.tables.learn(self.host.machine(), miss, &|actor| locals[actor], asked));
        let entered = learned.and_then(|learned| {
            let Some(learned) = learned else { return Ok(false) };
            guard("`Hash` or `==` of its states", || self.tables.enter(learned, asked)).map(|()| true)
        });
        match entered {
            Ok(true) => Ok(self.layout.holds(&self.tables.counts())),
            Ok(false) => Err(self.blame(state, None)),
            Err(fault) => Err(self.blame(state, Some(fault))),
        }
    }

    /// What fails in this state, as the generic search tells it.
    pub fn blame(&self, state: &[u64], fault: Option<Fault>) -> Fault {
        let parts = self.parts(state);
        let shown = || Some(self.host.show(self.parts(state)));
        match (self.host.successors(parts), fault) {
            (Err(told), _) => told,
            (Ok(_), Some(fault)) => fault.at(shown(), None),
            (Ok(_), None) => Fault::NotDeterministic {
                function: "actions".to_owned(),
                state: shown(),
                first: "a panic".to_owned(),
                second: "no panic".to_owned(),
            },
        }
    }

    /// The parts of a packed state.
    pub fn parts(&self, words: &[u64]) -> Box<[Part]> {
        Scene { host: self.host, tables: &self.tables, layout: &self.layout }.parts(words)
    }

    /// Looks at the actions of a state, whose successors stand in the buffer from `start` on.
    fn mark<const N: usize>(
        &mut self,
        state: &[u64; N],
        start: usize,
        buffer: &mut Buffer<N>,
    ) -> Result<(), Fault> {
        let scene = Scene { host: self.host, tables: &self.tables, layout: &self.layout };
        let classes = scene.mark(state, start, buffer, self.unseen())?;
        self.graph.classes |= classes;
        Ok(())
    }

    /// The action classes that were not seen yet.
    pub fn unseen(&self) -> u128 {
        first_sets(self.host.classes()) & !self.graph.classes
    }

    /// Looks up what the buffer holds, and adds it to the graph.
    fn flush<const N: usize>(&mut self, store: &mut Store<N>, buffer: &mut Buffer<N>) -> Result<(), End> {
        let (known, first) = (store.len(), buffer.first);
        let mut ids = Vec::with_capacity(buffer.words.len());
        store.insert_all(&buffer.words, self.most(), &mut ids);
        self.add_rows(buffer, &ids);
        self.values(store, known)?;
        if ids.len() < buffer.words.len() {
            return Err(End::Stop(Stop::States(store.len() as u64)));
        }
        buffer.clear();
        self.ask_again(store, first..buffer.first)
    }

    /// The most states that may be found.
    pub fn most(&self) -> usize {
        self.limits.states_max.min(u64::from(NONE - 1)) as usize
    }

    /// Adds the edges to the looked-up states to the graph; a row that is not complete is left out, but not what it found.
    pub fn add_rows<const N: usize>(&mut self, buffer: &Buffer<N>, ids: &[u32]) {
        let graph = &mut self.graph;
        let mut start = 0;
        for (from, &end) in (buffer.first..).zip(&buffer.ends) {
            let row = &ids[start.min(ids.len())..end.min(ids.len())];
            for &id in row {
                if id as usize == graph.parents.len() {
                    graph.parents.push(from);
                }
            }
            if end > ids.len() {
                return;
            }
            graph.targets.extend_from_slice(row);
            for mask in buffer.masks.get(start..end).unwrap_or_default() {
                let label = *self.labels.entry(*mask).or_insert_with(|| {
                    graph.masks.push(*mask);
                    (graph.masks.len() - 1) as u32
                });
                graph.labels.push(label);
            }
            graph.rows.push(graph.targets.len() as u64);
            start = end;
        }
    }

    /// Computes the atoms and measures of the states from `known` on.
    pub fn values<const N: usize>(&mut self, store: &Store<N>, known: usize) -> Result<(), End> {
        if self.functions[0].is_empty() {
            return Ok(());
        }
        if self.threads > 1 && store.len() - known >= self.states_min() as usize {
            return self.values_parallel(store, known);
        }
        self.values_alone(store, known)
    }

    /// The same, by one thread.
    pub fn values_alone<const N: usize>(&mut self, store: &Store<N>, known: usize) -> Result<(), End> {
        for id in known as u32..store.len() as u32 {
            if let Err(fault) = self.value_all(id, store.get(id)) {
                self.cut_back(id, id + 1);
                return Err(End::Fault(fault));
            }
        }
        Ok(())
    }

    fn value_all(&mut self, id: u32, words: &[u64]) -> Result<(), Fault> {
        let Self { host, tables, layout, functions, graph, view, .. } = self;
        let scene = Scene { host: *host, tables, layout };
        let (atoms, measures) = (&mut graph.atoms, &mut graph.measures);
        scene.values(words, &mut functions[0], &mut **view, &mut |which, value| match which
            .checked_sub(atoms.len())
        {
            None if value != 0 => drop(atoms[which].insert(id)),
            None => {}
            Some(measure) => measures[measure].push(value),
        })
    }

    /// Takes back all rows from that on in which state `found` was found, and all states from `size` on.
    pub fn cut_back(&mut self, found: u32, size: u32) {
        let parent = self.graph.parents[found as usize];
        if parent != NONE {
            self.keep_rows(parent);
        }
        self.keep_states(size);
    }

    /// Takes back the rows from this on.
    fn keep_rows(&mut self, rows: u32) {
        let graph = &mut self.graph;
        graph.rows.truncate(rows as usize + 1);
        let edges = graph.rows.last().copied().unwrap_or(0) as usize;
        graph.targets.truncate(edges);
        graph.labels.truncate(edges);
    }

    /// Takes back the states from this on.
    fn keep_states(&mut self, size: u32) {
        let graph = &mut self.graph;
        for id in size..graph.size() {
            graph.atoms.iter_mut().for_each(|bits| bits.remove(id));
        }
        graph.parents.truncate(size as usize);
        graph.measures.iter_mut().for_each(|values| values.truncate(size as usize));
    }

    /// Compares some of these states, their successors and their values with what the model says when it is asked without this
    /// search.
    pub fn ask_again<const N: usize>(
        &mut self,
        store: &Store<N>,
        states: std::ops::Range<u32>,
    ) -> Result<(), End> {
        for id in states.filter(|id| *id < ASK_FIRST || id.is_multiple_of(ASK_EACH)) {
            if let Err(fault) = self.compare(store, id) {
                self.keep_rows(id);
                let parents = &self.graph.parents;
                let size = parents.partition_point(|parent| *parent == NONE || *parent < id);
                self.keep_states(size as u32);
                return Err(End::Fault(fault));
            }
        }
        Ok(())
    }

    fn compare<const N: usize>(&self, store: &Store<N>, id: u32) -> Result<(), Fault> {
        let words = store.get(id);
        let differs = |function: &str, first: String, second: String| Fault::NotDeterministic {
            function: function.to_owned(),
            state: Some(self.host.show(self.parts(words))),
            first,
            second,
        };
        let again = self.host.successors(self.parts(words))?;
        let edges = self.graph.edges(id);
        if again.len() != edges.len() {
            let count = |n| format!("{n} successors");
            return Err(differs("actions", count(edges.len()), count(again.len())));
        }
        for (position, (mask, next)) in edges.zip(again) {
            let known = store.get(self.graph.targets[position]);
            let numbers = guard("`Hash` or `==` of its states", || self.tables.find(&next))?;
            if numbers.is_none_or(|numbers| self.layout.pack(numbers) != *known) {
                let first = self.host.show(self.parts(known));
                return Err(differs("next_state", first, self.host.show(next)));
            }
            if self.host.labelled() && mask != self.graph.mask(position) {
                let shown = [self.graph.mask(position), mask].map(|mask| format!("{mask:#b}"));
                let [first, second] = shown;
                return Err(differs("the membership of a fairness set", first, second));
            }
        }
        let mut view = self.host.view();
        view.enter(self.parts(words));
        for which in 0..self.functions[0].len() {
            let (again, _) = view.value(which)?;
            let first = match which.checked_sub(self.graph.atoms.len()) {
                None => i64::from(self.graph.atoms[which].get(id)),
                Some(measure) => self.graph.measures[measure][id as usize],
            };
            if again != first {
                let [first, second] = [first, again].map(|value| match which < self.graph.atoms.len() {
                    true => (value != 0).to_string(),
                    false => value.to_string(),
                });
                return Err(differs(&view.name(which), first, second));
            }
        }
        Ok(())
    }
}

/// The first so many sets, as bits.
fn first_sets(count: usize) -> u128 {
    u128::MAX.checked_shr(u128::BITS - count as u32).unwrap_or(0)
}
