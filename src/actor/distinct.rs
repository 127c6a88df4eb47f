//! A list without repeats, in the order in which its items were first met.

use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

/// Distinct items in order of discovery.
pub(crate) struct Distinct<T> {
    items: Vec<T>,
    table: HashTable<usize>,
    hasher: foldhash::fast::FixedState,
}

impl<T: Eq + Hash> Distinct<T> {
    pub(crate) fn new() -> Self {
        let hasher = foldhash::fast::FixedState::with_seed(0);
        Self { items: Vec::new(), table: HashTable::new(), hasher }
    }

    /// Adds the item unless an equal one is there; says where it is, and whether it is new.
    pub(crate) fn insert(&mut self, item: T) -> (usize, bool) {
        let hash = self.hasher.hash_one(&item);
        if let Some(at) = self.table.find(hash, |at| self.items[*at] == item) {
            return (*at, false);
        }
        let at = self.items.len();
        self.items.push(item);
        let (items, hasher) = (&self.items, &self.hasher);
        self.table.insert_unique(hash, at, |at| hasher.hash_one(&items[*at]));
        (at, true)
    }

    pub(crate) fn into_items(self) -> Vec<T> {
        self.items
    }
}
