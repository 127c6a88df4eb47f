//! Successors on their way from their states to the graph, and what is to be said about a single state.

use super::host::{Host, Parts, View};
use super::layout::Layout;
use super::tables::Tables;
use super::values::Function;
use crate::actor::reads::Read;
use crate::model::Fault;

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
    /// For the successors of the states from this on.
    pub fn new(first: u32) -> Self {
        Self { first, words: Vec::new(), ends: Vec::new(), masks: Vec::new() }
    }

    /// The state whose successors come next.
    pub fn next(&self) -> u32 {
        self.first + self.ends.len() as u32
    }

    /// Goes on with the next state.
    pub fn clear(&mut self) {
        self.first = self.next();
        self.words.clear();
        self.ends.clear();
        self.masks.clear();
    }
}

/// What is needed to look at a packed state.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub host: &'a dyn Host,
    pub tables: &'a Tables,
    pub layout: &'a Layout,
}

impl Scene<'_> {
    /// The parts of a packed state.
    pub fn parts(self, words: &[u64]) -> Parts {
        let numbers = self.layout.unpack(words).enumerate();
        numbers.map(|(actor, numbers)| self.tables.part(actor, numbers)).collect()
    }

    /// Looks at the actions of `state`, whose successors stand in the buffer from `start` on: leaves out those that are not to be
    /// explored, notes the masks of the others, and gives the classes among `unseen` that are taken.
    pub fn mark<const N: usize>(
        self,
        state: &[u64; N],
        start: usize,
        buffer: &mut Buffer<N>,
        unseen: u128,
    ) -> Result<u128, Fault> {
        if !self.host.looks_at_actions(unseen) {
            return Ok(0);
        }
        let marks = self.host.marks(self.parts(state), unseen)?;
        let number = buffer.words.len() - start;
        if marks.len() != number {
            return Err(Fault::NotDeterministic {
                function: "actions".to_owned(),
                state: Some(self.host.show(self.parts(state))),
                first: format!("{number} actions"),
                second: format!("{} actions", marks.len()),
            });
        }
        let (mut end, mut classes) = (start, 0);
        for (i, mark) in marks.iter().enumerate().filter(|(_, mark)| mark.explored) {
            let next = buffer.words[start + i];
            if next != *state {
                classes |= mark.classes;
            }
            if self.host.labelled() {
                buffer.masks.push(mark.mask);
            }
            buffer.words[end] = next;
            end += 1;
        }
        buffer.words.truncate(end);
        Ok(classes)
    }

    /// Gives the value of each function in a packed state.
    pub fn values(
        self,
        words: &[u64],
        functions: &mut [Function],
        view: &mut dyn View,
        each: &mut dyn FnMut(usize, i64),
    ) -> Result<(), Fault> {
        let number = |read| match read {
            Read::Local(actor) => self.layout.fields[actor][0].read(words),
            Read::Pipeline(actor) => self.layout.fields[actor][1].read(words),
            Read::All => 0,
        };
        let mut entered = false;
        for (which, function) in functions.iter_mut().enumerate() {
            let value = match function.value(number) {
                Some(value) => value,
                None => {
                    if !entered {
                        view.enter(self.parts(words));
                        entered = true;
                    }
                    let (value, reads) = view.value(which)?;
                    function.learn(value, &reads, number);
                    value
                }
            };
            each(which, value);
        }
        Ok(())
    }
}
