//! The product search: every state of a timed system, from what can come of each of its actors. Exact.
//!
//! Nothing sent in a tick arrives in it, so what comes of an actor depends on its own state, on what is under way to it and on which
//! of its links are cut; and the successors of a state are the combinations of the actors' outcomes. So each actor is run
//! once for each situation that it is in, not once for each state of the system: `tables` remembers what came of it. A state is
//! two small numbers for each actor, packed into a few words (`layout`), and told from others by these words (`store`). A
//! successor is made by changing a few fields (`expand`).
//!
//! Invariant: two states have the same words exactly if they are equal, since equal parts have one number. The graph is, state
//! by state and edge by edge, that of the generic search; tests compare the two, and so does every search on a sample
//! (`run`).
//!
//! Method: interning of components is the collapse compression of SPIN (Holzmann 1997); the batched look-ups hide the latency of the
//! memory as in the join of Chen, Ailamaki, Gibbons and Mowry (2004).
//!
//! Cost: for each edge some 50 ns and 4 bytes, for each state its words, 13 to 19 bytes for parent, row and table, and its atoms and
//! measures. The actors' own work is paid once for each of their situations.

mod buffer;
mod expand;
mod host;
mod ids;
mod layout;
mod packed;
mod parallel;
mod run;
mod store;
mod tables;
mod values;

pub use packed::Packed;

use super::graph::{NONE, StateGraph};
use super::limits::{Limits, Stop};
use super::search::{End, Explored, Operator, PackedStates};
use super::states::States;
use crate::actor::factored::Factored;
use crate::model::{Checkable, Fault, guard};
use crate::property::System;
use host::{Host, Hosted};
use layout::Layout;
use run::{Pause, Run};
use std::collections::HashMap;
use std::time::Instant;
use store::Store;
use tables::Tables;
use values::Function;

/// Explores a system whose states are made of parts.
pub fn explore<M: Checkable>(
    system: &System<M>,
    factored: Factored<M>,
    limits: &Limits,
    operator: Operator,
) -> Explored<M> {
    let host = Hosted { system, factored, operator };
    let ran = run(&host, limits);
    Explored {
        graph: ran.graph,
        states: States::new(),
        packed: Some(PackedStates { packed: ran.packed, state: factored.state }),
        stops: ran.stops,
        fault: ran.fault,
        pumps: Vec::new(),
    }
}

/// What a search found, free of the model's type.
struct Ran {
    graph: StateGraph,
    packed: Packed,
    stops: Vec<Stop>,
    fault: Option<Fault>,
    #[cfg(test)]
    packings: u32,
}

fn run(host: &dyn Host, limits: &Limits) -> Ran {
    let [atoms, measures] = host.functions();
    let threads = limits.threads();
    let mut run = Run {
        host,
        limits,
        started: Instant::now(),
        tables: Tables::new(host.machine()),
        layout: Layout::default(),
        functions: (0..threads).map(|_| (0..atoms + measures).map(|_| Function::new()).collect()).collect(),
        view: host.view(),
        graph: StateGraph::new(atoms, measures),
        labels: HashMap::from([(0, 0)]),
        level_end: 0,
        depth: 0,
        memory_seen: 0,
        marks: host.looks_at_actions(0) || host.classes() > 0,
        threads,
        packings: 0,
    };
    let mut words = Vec::new();
    let mut outside = 0;
    // The calls into the model are guarded one by one; this catches the rest.
    let ended = guard("`Clone` or another function of its states", || run.all(&mut words, &mut outside))
        .unwrap_or_else(|fault| Err(End::Fault(fault)));
    let (mut stops, mut fault) = (Vec::new(), None);
    match ended {
        Ok(()) => {}
        Err(End::Stop(stop)) => stops.push(stop),
        Err(End::Fault(told)) => {
            stops.push(Stop::Fault);
            fault = Some(told);
        }
    }
    if outside > 0 {
        stops.push(Stop::Boundary(outside));
    }
    #[cfg(test)]
    let packings = run.packings;
    let Run { layout, tables, graph, .. } = run;
    let packed = Packed::new(words, layout, tables);
    Ran {
        graph,
        packed,
        stops,
        fault,
        #[cfg(test)]
        packings,
    }
}

/// Calls a function with the number of words as a constant.
macro_rules! with_words {
    ($words:expr, $self:ident . $stretch:ident ( $($argument:expr),* )) => {
        match $words {
            1 => $self.$stretch::<1>($($argument),*),
            2 => $self.$stretch::<2>($($argument),*),
            3 => $self.$stretch::<3>($($argument),*),
            4 => $self.$stretch::<4>($($argument),*),
            5 | 6 => $self.$stretch::<6>($($argument),*),
            7 | 8 => $self.$stretch::<8>($($argument),*),
            9..=12 => $self.$stretch::<12>($($argument),*),
            13..=16 => $self.$stretch::<16>($($argument),*),
            17..=32 => $self.$stretch::<32>($($argument),*),
            _ => $self.$stretch::<WORDS_MAX>($($argument),*),
        }
    };
}

/// The most words of a state.
const WORDS_MAX: usize = 64;

/// The most actors for which the words surely do: 2 fields of 32 bits each take a word.
pub const ACTORS_MAX: usize = WORDS_MAX;

impl Run<'_> {
    /// The whole search. `flat`: where the states are left.
    fn all(&mut self, flat: &mut Vec<u64>, outside_all: &mut u64) -> Result<(), End> {
        let (states, outside) = self.host.initial()?;
        let numbers: Vec<Vec<[u32; 2]>> = guard("`Hash` or `==` of its states", || {
            states.iter().map(|state| self.tables.intern(state)).collect()
        })?;
        self.layout = Layout::new(&self.tables.counts());
        let started = with_words!(self.layout.words, self.begin(flat, &numbers));
        *outside_all += outside as u64;
        started?;
        if self.graph.initial == 0 {
            return Err(End::Fault(Fault::NoInitialState { outside }));
        }
        loop {
            match with_words!(self.layout.words, self.stretch(flat))? {
                Pause::Done => return Ok(()),
                Pause::Outgrown => {
                    let grown = Layout::new(&self.tables.counts());
                    *flat = with_words!(grown.words, self.packed_anew(flat, &grown));
                    self.layout = grown;
                    self.packings += 1;
                }
            }
        }
    }

    /// Enters the initial states.
    fn begin<const N: usize>(&mut self, flat: &mut Vec<u64>, numbers: &[Vec<[u32; 2]>]) -> Result<(), End> {
        let mut store = Store::<N>::new(Vec::new());
        let states: Vec<[u64; N]> =
            numbers.iter().map(|state| self.layout.pack(state.iter().copied())).collect();
        let mut ids = Vec::new();
        store.insert_all(&states, self.most(), &mut ids);
        self.graph.parents.resize(store.len(), NONE);
        let valued = self.values(&store, 0);
        *flat = store.into_states(self.graph.parents.len()).into_flattened();
        valued?;
        if ids.len() < states.len() {
            return Err(End::Stop(Stop::States(self.graph.parents.len() as u64)));
        }
        self.graph.initial = self.graph.size();
        self.level_end = self.graph.initial;
        Ok(())
    }

    /// Searches as far as the layout carries.
    fn stretch<const N: usize>(&mut self, flat: &mut Vec<u64>) -> Result<Pause, End> {
        let (states, _) = flat.as_chunks::<N>();
        let mut store = Store::<N>::new(states.to_vec());
        *flat = Vec::new();
        let ended = self.explore(&mut store);
        *flat = store.into_states(self.graph.parents.len()).into_flattened();
        ended
    }

    /// The states in another layout.
    fn packed_anew<const N: usize>(&self, flat: &[u64], layout: &Layout) -> Vec<u64> {
        let mut anew: Vec<u64> = Vec::with_capacity(self.graph.parents.len() * N);
        for words in flat.chunks_exact(stride(&self.layout)) {
            anew.extend_from_slice(&layout.pack::<N>(self.layout.unpack(words)));
        }
        anew
    }
}

/// How many words each state takes with this layout: as `with_words` rounds them.
fn stride(layout: &Layout) -> usize {
    const fn same<const N: usize>() -> usize {
        N
    }
    struct Stride;
    impl Stride {
        fn of<const N: usize>(&self) -> usize {
            same::<N>()
        }
    }
    with_words!(layout.words, Stride.of())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::{TimedSystem, exactly};
    use crate::check::search;
    use crate::property::ModelExt;
    use stateright::actor::{Actor, Id, Out};
    use std::borrow::Cow;
    use std::time::Duration;

    const TICK: Duration = Duration::from_millis(100);

    /// Counts ticks up to a number, and begins again.
    struct Counter(u32);

    impl Actor for Counter {
        type Msg = u8;
        type State = u32;
        type Timer = ();
        type Random = ();
        type Storage = ();

        fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> u32 {
            out.set_timer((), exactly(TICK));
            0
        }

        fn on_msg(&self, _: Id, _: &mut Cow<'_, u32>, _: Id, _: u8, _: &mut Out<Self>) {}

        fn on_timeout(&self, id: Id, state: &mut Cow<'_, u32>, _: &(), out: &mut Out<Self>) {
            *state = Cow::Owned((**state + 1) % self.0);
            if **state == 0 {
                out.send(id, 7);
            }
            out.set_timer((), exactly(TICK));
        }
    }

    #[test]
    fn states_that_outgrow_their_fields_and_words_are_packed_anew_and_stay_the_same() {
        let mut system = TimedSystem::<u8>::new(TICK);
        for (i, limit) in [60, 61].into_iter().chain([2; 40]).enumerate() {
            system.add(&format!("a{i}"), Counter(limit));
        }
        let system = system.system();
        let host = Hosted { system: &system, factored: system.factored.unwrap(), operator: Operator::Absent };
        assert!(stride(&Layout::new(&[[2, 2]; 42])) > 1);
        let expected = search::explore(&system, &Limits::default(), Operator::Absent);
        for threads in [1, 3] {
            // In tests the tables are emptied soon, and an actor that counts to sixty finds nothing in them.
            let limits = Limits { threads: Some(threads), block_edges: 100, ..Limits::default() };
            let ran = run(&host, &limits);
            assert_eq!((ran.stops.as_slice(), ran.fault), ([].as_slice(), None));
            assert!(ran.packings > 5, "{}", ran.packings);
            // The initial state has no message under way, unlike all those that come back.
            assert_eq!((ran.graph.size(), expected.graph.size()), (60 * 61 + 1, 60 * 61 + 1));
            assert!(ran.graph.targets == expected.graph.targets);
            for id in 0..ran.graph.size() {
                let state = (host.factored.state)(&system.model, ran.packed.parts(id));
                assert_eq!(state, *expected.states.get(id), "{id}");
            }
        }
    }
}
