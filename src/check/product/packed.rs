//! The states that a product search found, as they are kept after it: packed words, and what their numbers stand for.

use super::layout::Layout;
use super::tables::{Meanings, Tables};
use crate::actor::outcome::Part;
use crate::check::states::recorded;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Packed states, by id.
pub struct Packed {
    words: Vec<u64>,
    stride: usize,
    layout: Layout,
    /// For each actor, what the numbers of its local states and of its pipelines stand for.
    values: Vec<Meanings>,
}

impl Packed {
    /// These states, in words of this layout.
    pub fn new(words: Vec<u64>, layout: Layout, tables: Tables) -> Self {
        Self { words, stride: super::stride(&layout), layout, values: tables.into_values() }
    }

    /// The number of states.
    pub fn len(&self) -> u32 {
        (self.words.len() / self.stride) as u32
    }

    fn numbers(&self, id: u32) -> impl Iterator<Item = [u32; 2]> {
        let start = id as usize * self.stride;
        self.layout.unpack(&self.words[start..start + self.stride])
    }

    /// The parts of the state with this id.
    pub fn parts(&self, id: u32) -> Box<[Part]> {
        let parts = self.values.iter().zip(self.numbers(id));
        parts
            .map(|((locals, pipes), [local, pipe])| Part {
                local: Arc::clone(&locals[local as usize]),
                pipeline: Arc::clone(&pipes[pipe as usize]),
            })
            .collect()
    }

    /// How many states differ from an earlier one that their `Hash` feeds to its hasher byte for byte alike, with the first such
    /// pair. A state feeds its parts one after the other, so only parts that do so can make one.
    pub fn coarse_hash(&self) -> Option<(u64, u32, u32)> {
        let classes: Vec<[Vec<u32>; 2]> =
            self.values.iter().map(|(locals, pipes)| [classes(locals), classes(pipes)]).collect();
        let coarse = |classes: &Vec<u32>| classes.iter().enumerate().any(|(i, class)| *class != i as u32);
        if !classes.iter().flatten().any(coarse) {
            return None;
        }
        let mut first: HashMap<Vec<[u32; 2]>, u32> = HashMap::new();
        let (mut pairs, mut example) = (0, None);
        for id in 0..self.len() {
            let numbers = self.numbers(id).zip(&classes);
            let class = numbers.map(|([l, p], [locals, pipes])| [locals[l as usize], pipes[p as usize]]);
            let earlier = *first.entry(class.collect()).or_insert(id);
            if earlier != id {
                pairs += 1;
                example.get_or_insert((earlier, id));
            }
        }
        example.map(|(a, b)| (pairs, a, b))
    }
}

/// For each value, the first that feeds the same to a hasher.
fn classes<T: Hash>(values: &[Arc<T>]) -> Vec<u32> {
    let mut first: HashMap<Vec<u8>, u32> = HashMap::with_capacity(values.len());
    let classes = values.iter().enumerate();
    classes.map(|(i, value)| *first.entry(recorded(&**value)).or_insert(i as u32)).collect()
}
