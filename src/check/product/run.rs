//! The search itself: states in the order of their numbers are expanded into a buffer, and the buffer is looked up as a whole.
//!
//! The result is the graph that the generic search makes: the same states under the same numbers, the same edges in the same
//! order. What goes wrong is told as there: a state whose expansion or whose values fail is handed to the functions of the generic
//! search, which name what failed.

use super::expand::Expander;
use super::host::{Host, View};
use super::layout::Layout;
use super::store::Store;
use super::tables::{Miss, Tables};
use super::values::Function;
use crate::actor::outcome::Part;
use crate::actor::reads::Read;
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
pub const ASK_FIRST: u32 = 256;
/// And about one state in so many after that.
pub const ASK_EACH: u32 = 1024;

/// A search in the making.
pub struct Run<'a> {
    pub host: &'a dyn Host,
    pub limits: &'a Limits,
    pub started: Instant,
    pub tables: Tables,
    pub layout: Layout,
    pub functions: Vec<Function>,
    pub view: Box<dyn View + 'a>,
    pub graph: StateGraph,
    /// The index of each distinct edge mask.
    pub labels: HashMap<u128, u32>,
    /// The first state of the next level, and the depth of the states before it.
    pub level_end: u32,
    pub depth: u64,
    pub memory_seen: u32,
    /// How often the states were packed anew.
    pub packings: u32,
}

/// Successors that were not looked up yet, of the states from `first` on.
pub struct Buffer<const N: usize> {
    pub first: u32,
    pub words: Vec<[u64; N]>,
    /// Where the successors of each state end.
    pub ends: Vec<usize>,
    /// The mask of each, where edges have labels.
    pub masks: Vec<u128>,
}

impl<const N: usize> Buffer<N> {
    pub fn new() -> Self {
        Self { first: 0, words: Vec::new(), ends: Vec::new(), masks: Vec::new() }
    }

    /// The state whose successors come next.
    pub fn next(&self) -> u32 {
        self.first + self.ends.len() as u32
    }

    fn clear(&mut self) {
        self.first = self.next();
        self.words.clear();
        self.ends.clear();
        self.masks.clear();
    }
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
        let mut buffer = Buffer::new();
        buffer.first = self.graph.expanded();
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
                    if let Err(fault) = self.mark(id, &state, start, buffer) {
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
        let numbers = self.layout.unpack(words).enumerate();
        numbers.map(|(actor, numbers)| self.tables.part(actor, numbers)).collect()
    }

    /// Looks at the actions of state `id`, whose successors stand in the buffer from `start` on: leaves out those that are not to be
    /// explored, and notes the masks of the others.
    fn mark<const N: usize>(
        &mut self,
        id: u32,
        state: &[u64; N],
        start: usize,
        buffer: &mut Buffer<N>,
    ) -> Result<(), Fault> {
        let unseen = first_sets(self.host.classes()) & !self.graph.classes;
        if !self.host.looks_at_actions(unseen) {
            return Ok(());
        }
        let marks = self.host.marks(self.parts(state), unseen)?;
        if marks.len() != buffer.words.len() - start {
            return Err(self.differs(id, "actions", buffer.words.len() - start, marks.len()));
        }
        let mut end = start;
        for (i, mark) in marks.iter().enumerate().filter(|(_, mark)| mark.explored) {
            let next = buffer.words[start + i];
            if next != *state {
                self.graph.classes |= mark.classes;
            }
            if self.host.labelled() {
                buffer.masks.push(mark.mask);
            }
            buffer.words[end] = next;
            end += 1;
        }
        buffer.words.truncate(end);
        Ok(())
    }

    fn differs(&self, id: u32, function: &str, first: usize, second: usize) -> Fault {
        Fault::NotDeterministic {
            function: function.to_owned(),
            state: Some(format!("state {id}")),
            first: format!("{first} actions"),
            second: format!("{second} actions"),
        }
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
        if self.functions.is_empty() {
            return Ok(());
        }
        for id in known as u32..store.len() as u32 {
            if let Err(fault) = self.value_all(id, store.get(id)) {
                self.cut_back(id, id + 1);
                return Err(End::Fault(fault));
            }
        }
        Ok(())
    }

    fn value_all(&mut self, id: u32, words: &[u64]) -> Result<(), Fault> {
        let Self { layout, functions, graph, .. } = self;
        let number = |read| number(layout, words, read);
        let mut entered = false;
        for (which, function) in functions.iter_mut().enumerate() {
            let value = match function.value(number) {
                Some(value) => value,
                None => {
                    if !entered {
                        let numbers = layout.unpack(words).enumerate();
                        let parts = numbers.map(|(actor, numbers)| self.tables.part(actor, numbers));
                        self.view.enter(parts.collect());
                        entered = true;
                    }
                    let (value, reads) = self.view.value(which)?;
                    function.learn(value, &reads, number);
                    value
                }
            };
            match which.checked_sub(graph.atoms.len()) {
                None if value != 0 => drop(graph.atoms[which].insert(id)),
                None => {}
                Some(measure) => graph.measures[measure].push(value),
            }
        }
        Ok(())
    }

    /// Takes back all rows from that on in which state `found` was found, and all states from `size` on.
    fn cut_back(&mut self, found: u32, size: u32) {
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
        for which in 0..self.functions.len() {
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

/// The number of a part of a packed state.
#[inline]
pub fn number(layout: &Layout, words: &[u64], read: Read) -> u32 {
    match read {
        Read::Local(actor) => layout.fields[actor][0].read(words),
        Read::Pipeline(actor) => layout.fields[actor][1].read(words),
        Read::All => 0,
    }
}

/// The first so many sets, as bits.
fn first_sets(count: usize) -> u128 {
    u128::MAX.checked_shr(u128::BITS - count as u32).unwrap_or(0)
}
