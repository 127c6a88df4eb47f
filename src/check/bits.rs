//! One bit per state.

/// A growable set of state ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// A set that can hold ids below `len` without growing; empty.
    pub fn new(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)] }
    }

    /// Whether the set contains `id`.
    pub fn get(&self, id: u32) -> bool {
        self.words.get(id as usize / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
    }

    /// Adds `id`; true if it was not there before.
    pub fn insert(&mut self, id: u32) -> bool {
        let word = id as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let bit = 1 << (id % 64);
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Removes `id`.
    pub fn remove(&mut self, id: u32) {
        if let Some(word) = self.words.get_mut(id as usize / 64) {
            *word &= !(1 << (id % 64));
        }
    }

    /// The ids below `len` that are not in the set.
    #[must_use]
    pub fn complement(&self, len: u32) -> Self {
        let words = (len as usize).div_ceil(64);
        let mut complement: Vec<u64> = (0..words).map(|i| !self.words.get(i).copied().unwrap_or(0)).collect();
        if let Some(last) = complement.last_mut().filter(|_| !len.is_multiple_of(64)) {
            *last &= (1 << (len % 64)) - 1;
        }
        Self { words: complement }
    }

    /// The ids in both sets.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self { words: self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect() }
    }

    /// The ids in either set.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let (long, short) = if self.words.len() >= other.words.len() { (self, other) } else { (other, self) };
        let mut words = long.words.clone();
        words.iter_mut().zip(&short.words).for_each(|(a, b)| *a |= b);
        Self { words }
    }

    /// How many ids the set contains.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|w| u64::from(w.count_ones())).sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|w| *w == 0)
    }

    /// The ids in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| {
                let rest = w & (w - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |w| (i as u32) * 64 + w.trailing_zeros())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn sets_combine() {
        let set = |ids: &[u32]| {
            let mut bits = Bits::default();
            ids.iter().for_each(|id| {
                bits.insert(*id);
            });
            bits
        };
        let ids = |bits: Bits| bits.iter().collect::<Vec<_>>();
        assert_eq!(ids(set(&[1, 70]).and(&set(&[1, 2]))), [1]);
        assert_eq!(ids(set(&[1, 70]).or(&set(&[1, 2]))), [1, 2, 70]);
        assert_eq!(ids(set(&[1]).complement(3)), [0, 2]);
        assert_eq!(set(&[]).complement(64).count(), 64);
        assert_eq!(set(&[200]).complement(65).count(), 65);
    }

    #[test]
    fn a_set_of_ids_knows_its_members() {
        let mut bits = Bits::new(10);
        for id in [3, 64, 200, 3] {
            bits.insert(id);
        }
        bits.remove(64);
        bits.remove(1000);
        assert_eq!(bits.iter().collect::<Vec<_>>(), [3, 200]);
        assert_eq!(
            (bits.count(), bits.get(3), bits.get(64), bits.get(999), bits.is_empty()),
            (2, true, false, false, false)
        );
    }
}
