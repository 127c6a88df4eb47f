//! Numbers for things: each distinct value gets one, and pairs of numbers are looked up.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

/// Distinct values, numbered from 0 in the order in which they came.
pub struct Interned<T> {
    values: Vec<Arc<T>>,
    table: HashTable<u32>,
    hasher: foldhash::fast::FixedState,
}

impl<T: Eq + Hash> Interned<T> {
    /// No values.
    pub fn new() -> Self {
        Self { values: Vec::new(), table: HashTable::new(), hasher: foldhash::fast::FixedState::with_seed(0) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The value with this number.
    pub fn get(&self, id: u32) -> &Arc<T> {
        &self.values[id as usize]
    }

    /// The number of the value, if it has one.
    pub fn find(&self, value: &T) -> Option<u32> {
        let hash = self.hasher.hash_one(value);
        self.table.find(hash, |id| *self.values[*id as usize] == *value).copied()
    }

    /// The number of the value, a new one if it has none.
    pub fn intern(&mut self, value: Arc<T>) -> u32 {
        let hash = self.hasher.hash_one(&*value);
        let (values, hasher) = (&self.values, &self.hasher);
        let same = |id: &u32| {
            let known = &values[*id as usize];
            Arc::ptr_eq(known, &value) || **known == *value
        };
        match self.table.entry(hash, same, |id| hasher.hash_one(&*values[*id as usize])) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let id = self.values.len() as u32;
                entry.insert(id);
                self.values.push(value);
                id
            }
        }
    }

    /// The values alone, for when nothing is looked up any more.
    pub fn into_values(self) -> Vec<Arc<T>> {
        self.values
    }
}

/// A map from pairs of numbers with a third to a number, made for looking up: open addressing, linear probing, at most three
/// quarters full.
#[derive(Default)]
pub struct IdMap {
    slots: Vec<Slot>,
    /// What is left of 64 bits above the place of a slot.
    shift: u32,
    len: usize,
}

#[derive(Clone, Copy)]
struct Slot {
    key: u64,
    third: u32,
    value: u32,
}

/// No value.
const NONE: u32 = u32::MAX;

/// The fractional part of the golden ratio, as a multiplier that spreads the key over the high bits (Knuth, TAOCP 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl IdMap {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The first slot to look at; there must be slots.
    #[inline]
    fn home(&self, key: u64, third: u32) -> usize {
        let mixed = (key ^ u64::from(third).rotate_left(16)).wrapping_mul(GOLDEN);
        (mixed >> self.shift) as usize
    }

    /// The value of (`a`, `b`, `third`).
    #[inline]
    pub fn get(&self, a: u32, b: u32, third: u32) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let key = u64::from(a) << 32 | u64::from(b);
        let mask = self.slots.len() - 1;
        let mut at = self.home(key, third);
        loop {
            let slot = &self.slots[at & mask];
            if slot.value == NONE {
                return None;
            }
            if slot.key == key && slot.third == third {
                return Some(slot.value);
            }
            at += 1;
        }
    }

    /// Sets the value of (`a`, `b`, `third`), which had none.
    pub fn insert(&mut self, a: u32, b: u32, third: u32, value: u32) {
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            let larger = vec![Slot { key: 0, third: 0, value: NONE }; (self.slots.len() * 2).max(16)];
            self.shift = u64::BITS - larger.len().trailing_zeros();
            for slot in std::mem::replace(&mut self.slots, larger) {
                if slot.value != NONE {
                    self.place(slot);
                }
            }
        }
        self.place(Slot { key: u64::from(a) << 32 | u64::from(b), third, value });
        self.len += 1;
    }

    fn place(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = self.home(slot.key, slot.third) & mask;
        while self.slots[at].value != NONE {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn equal_values_have_one_number() {
        let mut interned = Interned::new();
        let ids: Vec<u32> = ["a", "b", "a"].map(|s| interned.intern(Arc::new(s))).into();
        assert_eq!(ids, [0, 1, 0]);
        assert_eq!((interned.len(), **interned.get(1), interned.find(&"c")), (2, "b", None));
    }

    #[test]
    fn a_map_of_numbers_agrees_with_a_hash_map() {
        let mut rng = fastrand::Rng::with_seed(1);
        let (mut map, mut expected) = (IdMap::default(), HashMap::new());
        for n in 0..20_000 {
            let key = (rng.u32(..300), rng.u32(..30), rng.u32(..2));
            assert_eq!(map.get(key.0, key.1, key.2), expected.get(&key).copied());
            if !expected.contains_key(&key) && rng.bool() {
                expected.insert(key, n);
                map.insert(key.0, key.1, key.2, n);
            }
        }
        assert_eq!(map.len(), expected.len());
        map.clear();
        assert_eq!((map.len(), map.get(0, 0, 0)), (0, None));
    }
}
