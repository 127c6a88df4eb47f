//! The set of distinct states, exact: candidates are found by a 64-bit hash, and told apart by `==`.
//!
//! Cost: the state itself, 8 bytes for its hash and 4 to 8 for its place in the table.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::{BuildHasher, Hash, Hasher};

/// All states found so far, numbered from 0 in the order of insertion.
pub struct States<S> {
    states: Vec<S>,
    hashes: Vec<u64>,
    table: HashTable<u32>,
    hasher: foldhash::quality::FixedState,
    /// Pairs of different states with the same 64-bit hash, and the first such pair.
    collisions: u64,
    first_collision: Option<(u32, u32)>,
}

/// Where a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It was not known; it has this id now.
    New(u32),
    /// It was known under this id.
    Known(u32),
}

impl Place {
    /// The id, new or known.
    pub fn id(self) -> u32 {
        match self {
            Self::New(id) | Self::Known(id) => id,
        }
    }
}

impl<S: Hash + PartialEq> States<S> {
    /// No states.
    pub fn new() -> Self {
        Self {
            states: Vec::new(),
            hashes: Vec::new(),
            table: HashTable::new(),
            // A fixed seed: the same model gives the same numbers in every run.
            hasher: foldhash::quality::FixedState::with_seed(0x5ca1_ab1e),
            collisions: 0,
            first_collision: None,
        }
    }

    /// The number of states.
    pub fn len(&self) -> u32 {
        self.states.len() as u32
    }

    /// The state with this id.
    pub fn get(&self, id: u32) -> &S {
        &self.states[id as usize]
    }

    /// The hash by which `state` would be looked up.
    fn hash(&self, state: &S) -> u64 {
        self.hasher.hash_one(state)
    }

    /// The id of `state`, if it is known.
    pub fn find(&self, state: &S) -> Option<u32> {
        let hash = self.hash(state);
        let same = |id: &u32| self.hashes[*id as usize] == hash && self.states[*id as usize] == *state;
        self.table.find(hash, same).copied()
    }

    /// Finds `state`, or adds it.
    pub fn insert(&mut self, state: S) -> Place {
        let hash = self.hash(&state);
        let mut collided = None;
        let entry = self.table.entry(
            hash,
            |&id| {
                let same_hash = self.hashes[id as usize] == hash;
                let same = same_hash && self.states[id as usize] == state;
                if same_hash && !same {
                    collided = Some(id);
                }
                same
            },
            |&id| self.hashes[id as usize],
        );
        match entry {
            Entry::Occupied(entry) => Place::Known(*entry.get()),
            Entry::Vacant(entry) => {
                let id = self.states.len() as u32;
                entry.insert(id);
                self.states.push(state);
                self.hashes.push(hash);
                if let Some(other) = collided {
                    self.collisions += 1;
                    self.first_collision.get_or_insert((other, id));
                }
                Place::New(id)
            }
        }
    }

    /// How many states differ from an earlier one that the state's `Hash` feeds to its hasher byte for byte alike, with
    /// the first such pair. None where the few collisions met were chance.
    pub fn coarse_hash(&self) -> Option<(u64, &S, &S)> {
        let (a, b) = self.first_collision?;
        let (a, b) = (self.get(a), self.get(b));
        (recorded(a) == recorded(b)).then_some((self.collisions, a, b))
    }
}

/// All that `Hash` says about a state, or a part of one.
pub fn recorded<S: Hash>(state: &S) -> Vec<u8> {
    struct Recorder(Vec<u8>);
    impl Hasher for Recorder {
        fn finish(&self) -> u64 {
            // Containers that combine the hashes of their elements read this; a digest of all bytes so far serves.
            foldhash::quality::FixedState::with_seed(1).hash_one(&self.0)
        }
        fn write(&mut self, bytes: &[u8]) {
            self.0.extend_from_slice(bytes);
        }
    }
    let mut recorder = Recorder(Vec::new());
    state.hash(&mut recorder);
    recorder.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Coarse(u32);
    impl Hash for Coarse {
        fn hash<H: Hasher>(&self, state: &mut H) {
            (self.0 % 2).hash(state);
        }
    }

    #[test]
    fn states_that_hash_alike_are_told_apart_and_noticed() {
        let mut states = States::new();
        for n in [0, 1, 2, 3, 2, 0] {
            states.insert(Coarse(n));
        }
        assert_eq!(states.len(), 4);
        assert_eq!(states.insert(Coarse(2)), Place::Known(2));
        let (pairs, a, b) = states.coarse_hash().unwrap();
        assert_eq!((pairs, a, b), (2, &Coarse(0), &Coarse(2)));
    }

    #[test]
    fn an_exact_hash_is_not_called_coarse() {
        let mut states = States::new();
        for n in 0..1000_u64 {
            assert_eq!(states.insert(n * n), Place::New(n as u32));
        }
        assert!(states.coarse_hash().is_none());
    }
}
