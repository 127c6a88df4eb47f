//! How a state is packed into words: for each actor one field for the number of what it is and one for the number of what is
//! under way to it.
//!
//! A field lies within one word. It is one bit wider than it has to be, so that it is outgrown only when the numbers have
//! doubled; what is left of a word is shared out among the fields in it. A number that there is only one of takes no bits.

/// Where a number lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    word: u8,
    shift: u8,
    bits: u8,
}

impl Field {
    /// The number in this field.
    #[inline]
    pub fn read(self, words: &[u64]) -> u32 {
        (words[usize::from(self.word)] >> self.shift) as u32 & self.mask()
    }

    #[inline]
    fn mask(self) -> u32 {
        ((1_u64 << self.bits) - 1) as u32
    }

    /// Changes the field by what `old ^ new` is of the number before and the one after.
    #[inline]
    pub fn patch(self, words: &mut [u64], change: u32) {
        words[usize::from(self.word)] ^= u64::from(change) << self.shift;
    }

    /// Whether so many numbers, from 0 on, can be told apart in it.
    fn holds(self, count: usize) -> bool {
        count as u64 <= 1 << self.bits
    }
}

/// The fields of all actors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The local state and the pipeline of each actor.
    pub fields: Vec<[Field; 2]>,
    /// The number of words.
    pub words: usize,
}

impl Layout {
    /// A layout for so many local states and pipelines of each actor.
    pub fn new(counts: &[[usize; 2]]) -> Self {
        let counts: Vec<usize> = counts.iter().flatten().copied().collect();
        let mut bits: Vec<u8> = counts.iter().map(|count| needed(*count)).collect();
        // The widest first, each into the first word with room.
        let mut order: Vec<usize> = (0..bits.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(bits[*at]));
        let mut words: Vec<(u8, Vec<usize>)> = vec![(0, Vec::new())];
        for at in order {
            let word = match words.iter().position(|(used, _)| used + bits[at] <= 64) {
                Some(word) => word,
                None => {
                    words.push((0, Vec::new()));
                    words.len() - 1
                }
            };
            words[word].0 += bits[at];
            words[word].1.push(at);
        }
        let mut fields = vec![Field::default(); bits.len()];
        for (word, (used, members)) in words.iter().enumerate() {
            share_out(64 - used, members, &mut bits);
            let mut shift = 0;
            for &at in members {
                // A field of no bits at the end of a full word must not be shifted out of it.
                let place = if bits[at] == 0 { 0 } else { shift };
                fields[at] = Field { word: word as u8, shift: place, bits: bits[at] };
                shift += bits[at];
            }
        }
        Self { fields: fields.chunks_exact(2).map(|two| [two[0], two[1]]).collect(), words: words.len() }
    }

    /// Whether so many numbers can still be told apart.
    pub fn holds(&self, counts: &[[usize; 2]]) -> bool {
        self.fields.iter().flatten().zip(counts.iter().flatten()).all(|(field, count)| field.holds(*count))
    }

    /// Packs numbers.
    pub fn pack<const N: usize>(&self, numbers: impl IntoIterator<Item = [u32; 2]>) -> [u64; N] {
        let mut words = [0; N];
        for (fields, numbers) in self.fields.iter().zip(numbers) {
            fields[0].patch(&mut words, numbers[0]);
            fields[1].patch(&mut words, numbers[1]);
        }
        words
    }

    /// The numbers that were packed.
    pub fn unpack(&self, words: &[u64]) -> impl Iterator<Item = [u32; 2]> {
        self.fields.iter().map(|[local, pipe]| [local.read(words), pipe.read(words)])
    }
}

/// The bits of a field for so many numbers, with one to spare.
fn needed(count: usize) -> u8 {
    match count {
        0 | 1 => 0,
        // Numbers are `u32`: 32 bits always do.
        n => (usize::BITS - (n - 1).leading_zeros() + 1).min(32) as u8,
    }
}

/// Gives spare bits to the fields that use any, one each in turn.
fn share_out(mut spare: u8, members: &[usize], bits: &mut [u8]) {
    let mut given = true;
    while spare > 0 && given {
        given = false;
        for &at in members {
            if spare > 0 && bits[at] > 0 && bits[at] < 32 {
                bits[at] += 1;
                spare -= 1;
                given = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_again() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..2000 {
            let counts: Vec<[usize; 2]> = (0..rng.usize(1..8))
                .map(|_| [0; 2].map(|_| 1 + (rng.u64(..) >> rng.u32(32..64)) as usize))
                .collect();
            let layout = Layout::new(&counts);
            assert!(layout.holds(&counts));
            let numbers: Vec<[u32; 2]> =
                counts.iter().map(|two| two.map(|count| rng.usize(..count) as u32)).collect();
            assert!(layout.words <= 8);
            let words: [u64; 8] = layout.pack(numbers.iter().copied());
            assert_eq!(layout.unpack(&words).collect::<Vec<_>>(), numbers, "{counts:?} {layout:?}");
        }
    }

    #[test]
    fn a_field_is_outgrown_when_its_numbers_are() {
        let layout = Layout::new(&[[1, 3]; 20]);
        assert_eq!(layout.words, 1);
        assert!(layout.holds(&[[1, 8]; 20]));
        assert!(!layout.holds(&[[1, 9]; 20]) && !layout.holds(&[[2, 3]; 20]));
    }
}
