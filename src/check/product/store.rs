//! The set of packed states, exact: a table of tagged ids finds candidates, the words themselves decide.
//!
//! Open addressing with linear probing, at most three quarters full (Knuth, TAOCP 6.4). An entry is 32 bits: as many bits of id as the
//! table has ids for, and what is left of the hash as a tag above them, so that few candidates are looked at in vain.
//! States are looked up in batches: first the table is read for all of a batch, then the candidates' words, and only then is
//! anything decided. The reads of a batch do not wait for each other, which is most of the time that a look-up takes.
//!
//! Cost: the words of a state, and 5.3 to 10.7 bytes in the table.

/// The most states looked up at once.
pub const BATCH: usize = 64;

/// An entry that is none. No id reaches it, since a table is never full.
const EMPTY: u32 = u32::MAX;

/// The smallest table has two to the power of so many entries.
const BITS_MIN: u32 = 8;

/// All states found so far, numbered from 0 in the order in which they came.
pub struct Store<const N: usize> {
    states: Vec<[u64; N]>,
    table: Vec<u32>,
    bits: u32,
}

/// The hash of a packed state. Each step multiplies to 128 bits and folds them (as wyhash does), so every bit counts.
#[inline]
pub fn hash<const N: usize>(words: &[u64; N]) -> u64 {
    const KEYS: [u64; 2] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db];
    let mut hash = KEYS[1];
    for word in words {
        let product = u128::from(word ^ hash) * u128::from(KEYS[0]);
        hash = (product as u64) ^ ((product >> 64) as u64) ^ KEYS[1];
    }
    let product = u128::from(hash) * u128::from(KEYS[1]);
    (product as u64) ^ ((product >> 64) as u64)
}

impl<const N: usize> Store<N> {
    /// These states, which differ.
    pub fn new(states: Vec<[u64; N]>) -> Self {
        let mut store = Self { states, table: Vec::new(), bits: 0 };
        store.rehash();
        store
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// The state with this id.
    #[inline]
    pub fn get(&self, id: u32) -> &[u64; N] {
        &self.states[id as usize]
    }

    /// Forgets how states are looked up, and all states from `len` on.
    pub fn into_states(mut self, len: usize) -> Vec<[u64; N]> {
        self.states.truncate(len);
        self.states
    }

    /// Makes the table large enough for twice the states.
    fn rehash(&mut self) {
        let room = (self.states.len() * 2).max(1 << BITS_MIN);
        self.bits = room.next_power_of_two().trailing_zeros().clamp(BITS_MIN, u32::BITS);
        // The old table goes before the new one comes.
        self.table = Vec::new();
        self.table = vec![EMPTY; 1 << self.bits];
        for id in 0..self.states.len() {
            let hash = hash(&self.states[id]);
            let mut at = self.home(hash);
            while self.table[at] != EMPTY {
                at = self.next(at);
            }
            self.table[at] = self.entry(hash, id as u32);
        }
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        (hash >> (u64::BITS - self.bits)) as usize
    }

    #[inline]
    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.table.len() - 1)
    }

    /// The bits of an entry that are its id.
    #[inline]
    fn id_mask(&self) -> u32 {
        ((1_u64 << self.bits) - 1) as u32
    }

    #[inline]
    fn entry(&self, hash: u64, id: u32) -> u32 {
        (hash as u32 & !self.id_mask()) | id
    }

    /// The id of the first candidate for this hash from `at` on; `EMPTY` if there is none. And where it stands.
    #[inline]
    fn candidate(&self, hash: u64, mut at: usize) -> (u32, usize) {
        let mask = self.id_mask();
        loop {
            let entry = self.table[at];
            if entry == EMPTY {
                return (EMPTY, at);
            }
            if (entry ^ hash as u32) & !mask == 0 {
                return (entry & mask, at);
            }
            at = self.next(at);
        }
    }

    /// The candidates for a batch, and whether each is the state sought. All reads of one sort go out together.
    #[inline]
    fn probe(&self, batch: &[[u64; N]], hashes: &mut [u64; BATCH], ids: &mut [u32; BATCH]) -> [bool; BATCH] {
        let mut first = [0_u32; BATCH];
        for ((words, hash_), entry) in batch.iter().zip(hashes.iter_mut()).zip(&mut first) {
            *hash_ = hash(words);
            *entry = self.table[self.home(*hash_)];
        }
        let mask = self.id_mask();
        for ((hash, id), entry) in hashes.iter().zip(ids.iter_mut()).zip(&first).take(batch.len()) {
            let fits = *entry == EMPTY || (entry ^ *hash as u32) & !mask == 0;
            *id = match (fits, *entry) {
                (true, EMPTY) => EMPTY,
                (true, entry) => entry & mask,
                (false, _) => self.candidate(*hash, self.next(self.home(*hash))).0,
            };
        }
        let mut same = [false; BATCH];
        let last = self.states.len().saturating_sub(1);
        for ((words, id), same) in batch.iter().zip(ids.iter()).zip(&mut same) {
            // One read for all, so that the compiler makes no branch of it; what is not there is told by its id.
            let at = (*id as usize).min(last);
            *same = *id != EMPTY && self.states.get(at).is_some_and(|known| known == words);
        }
        same
    }

    /// The id of one state, if it is known.
    pub fn find(&self, words: &[u64; N]) -> Option<u32> {
        let hash = hash(words);
        let mut at = self.home(hash);
        loop {
            let (id, place) = self.candidate(hash, at);
            if id == EMPTY {
                return None;
            }
            if self.states[id as usize] == *words {
                return Some(id);
            }
            at = self.next(place);
        }
    }

    /// The id of each state of the batch, or `None` where it is not known; nothing is added.
    pub fn find_all(&self, batch: &[[u64; N]], found: &mut Vec<Option<u32>>) {
        for batch in batch.chunks(BATCH) {
            let (mut hashes, mut ids) = ([0; BATCH], [0; BATCH]);
            let same = self.probe(batch, &mut hashes, &mut ids);
            for (i, words) in batch.iter().enumerate() {
                found.push(match (same[i], ids[i]) {
                    (true, id) => Some(id),
                    (false, EMPTY) => None,
                    (false, _) => self.find(words),
                });
            }
        }
    }

    /// Finds or adds the states of the batch in their order, and appends the id of each to `found`. Ends before the first that is new
    /// when there are `most` states already.
    pub fn insert_all(&mut self, batch: &[[u64; N]], most: usize, found: &mut Vec<u32>) {
        for batch in batch.chunks(BATCH) {
            if (self.states.len() + batch.len()) * 4 > self.table.len() * 3 && self.bits < u32::BITS {
                self.rehash();
            }
            let (mut hashes, mut ids) = ([0; BATCH], [0; BATCH]);
            let same = self.probe(batch, &mut hashes, &mut ids);
            for (i, words) in batch.iter().enumerate() {
                if same[i] {
                    found.push(ids[i]);
                    continue;
                }
                match self.insert(words, hashes[i], most) {
                    Some(id) => found.push(id),
                    None => return,
                }
            }
        }
    }

    /// Finds or adds one state; none if it is new and there are `most` already.
    fn insert(&mut self, words: &[u64; N], hash: u64, most: usize) -> Option<u32> {
        let mut at = self.home(hash);
        loop {
            let (id, place) = self.candidate(hash, at);
            if id == EMPTY {
                if self.states.len() >= most {
                    return None;
                }
                let id = self.states.len() as u32;
                self.table[place] = self.entry(hash, id);
                self.states.push(*words);
                return Some(id);
            }
            if self.states[id as usize] == *words {
                return Some(id);
            }
            at = self.next(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn ids_are_those_of_the_first_occurrences_whatever_the_batches() {
        let mut rng = fastrand::Rng::with_seed(5);
        let (mut store, mut expected) = (Store::<2>::new(Vec::new()), HashMap::new());
        let mut met = Vec::new();
        for _ in 0..300 {
            let batch: Vec<[u64; 2]> =
                (0..rng.usize(..200)).map(|_| [rng.u64(..40), rng.u64(..400) << 55]).collect();
            let mut known = Vec::new();
            store.find_all(&batch, &mut known);
            for (words, known) in batch.iter().zip(&known) {
                assert_eq!(expected.get(words), known.as_ref());
            }
            let mut ids = Vec::new();
            store.insert_all(&batch, usize::MAX, &mut ids);
            assert_eq!(ids.len(), batch.len());
            for (words, id) in batch.iter().zip(ids) {
                let next = expected.len() as u32;
                assert_eq!(*expected.entry(*words).or_insert(next), id);
                if id == next {
                    met.push(*words);
                }
                assert_eq!((store.get(id), store.find(words)), (words, Some(id)));
            }
        }
        assert!(met.len() > 10_000 && store.into_states(met.len()) == met);
    }

    #[test]
    fn a_full_store_still_finds_what_it_has() {
        let mut store = Store::<1>::new(vec![[7], [8]]);
        let mut ids = Vec::new();
        store.insert_all(&[[8], [9], [7], [10], [8]], 3, &mut ids);
        assert_eq!((ids.as_slice(), store.len()), ([1, 2, 0].as_slice(), 3));
    }
}
