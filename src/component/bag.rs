//! A multiset: what is there, and how often. Equal contents are equal bags, whatever the history that led to them.
//!
//! Requests that nobody can tell apart are kept as one entry with a count. Where only some of them can be taken,
//! [`Bag::draws`] lists every choice *of counts*: two ways of taking the same number of each kind lead to states that are
//! equal up to the names of identical requests, so the list is an exact quotient of all permutations.

use crate::model::refuse;
use std::fmt;

/// The most ways of taking some of a bag that are listed.
pub const DRAWS_MAX: usize = 1 << 16;

/// A multiset.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bag<T> {
    /// Sorted, each at most once, each count at least one.
    items: Vec<(T, u32)>,
}

impl<T> Default for Bag<T> {
    fn default() -> Self {
        Self { items: Vec::new() }
    }
}

impl<T: Clone + Ord> Bag<T> {
    /// Nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `n` more of `item`.
    pub fn add(&mut self, item: T, n: u32) {
        if n == 0 {
            return;
        }
        match self.items.binary_search_by(|(i, _)| i.cmp(&item)) {
            Ok(at) => self.items[at].1 += n,
            Err(at) => self.items.insert(at, (item, n)),
        }
    }

    /// Adds all of `other`.
    pub fn add_all(&mut self, other: &Self) {
        other.iter().for_each(|(item, n)| self.add(item.clone(), n));
    }

    /// Removes up to `n` of `item`; returns how many there were to remove.
    pub fn remove(&mut self, item: &T, n: u32) -> u32 {
        let Ok(at) = self.items.binary_search_by(|(i, _)| i.cmp(item)) else { return 0 };
        let taken = n.min(self.items[at].1);
        self.items[at].1 -= taken;
        if self.items[at].1 == 0 {
            self.items.remove(at);
        }
        taken
    }

    /// Removes all that is in `other`, as far as it is there.
    pub fn remove_all(&mut self, other: &Self) {
        for (item, n) in other.iter() {
            self.remove(item, n);
        }
    }

    /// How many of `item` there are.
    #[must_use]
    pub fn count(&self, item: &T) -> u32 {
        self.items.binary_search_by(|(i, _)| i.cmp(item)).map_or(0, |at| self.items[at].1)
    }

    /// How many there are of all kinds together.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.items.iter().map(|(_, n)| n).sum()
    }

    /// How many satisfy `which`.
    pub fn total_of(&self, which: impl Fn(&T) -> bool) -> u32 {
        self.iter().filter(|(item, _)| which(item)).map(|(_, n)| n).sum()
    }

    /// How many kinds there are.
    #[must_use]
    pub fn kinds(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Each kind with its count, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&T, u32)> {
        self.items.iter().map(|(item, n)| (item, *n))
    }

    /// The same counts of what `f` makes of each kind; kinds that become alike are one.
    #[must_use]
    pub fn map<U: Clone + Ord>(&self, f: impl Fn(&T) -> U) -> Bag<U> {
        self.iter().map(|(item, n)| (f(item), n)).collect()
    }

    /// Those that satisfy `which`, and the others.
    pub fn split(&self, which: impl Fn(&T) -> bool) -> (Self, Self) {
        let (yes, no) = self.items.iter().cloned().partition(|(item, _)| which(item));
        (Self { items: yes }, Self { items: no })
    }

    /// Every way of taking `n` of it (all, if there are no more), by counts of each kind.
    #[must_use]
    pub fn draws(&self, n: u32) -> Vec<Self> {
        let n = n.min(self.total());
        let mut found = Vec::new();
        self.draw_from(0, n, self.total(), &mut Vec::new(), &mut found);
        found
    }

    fn draw_from(
        &self,
        at: usize,
        wanted: u32,
        behind: u32,
        taken: &mut Vec<(T, u32)>,
        found: &mut Vec<Self>,
    ) {
        let Some((item, n)) = self.items.get(at) else {
            if found.len() >= DRAWS_MAX {
                refuse(format!(
                    "some of {} requests of {} kinds can be taken in more than {DRAWS_MAX} ways: use smaller volumes, or a pick that is even",
                    self.total(),
                    self.kinds()
                ));
            }
            found.push(Self { items: taken.clone() });
            return;
        };
        let behind = behind - n;
        // The most of the first kinds first, so that the first draw is the one in the order of the bag.
        for some in (wanted.saturating_sub(behind)..=wanted.min(*n)).rev() {
            if some > 0 {
                taken.push((item.clone(), some));
            }
            self.draw_from(at + 1, wanted - some, behind, taken, found);
            if some > 0 {
                taken.pop();
            }
        }
    }

    /// The one way of taking `n` of it in which each kind gets its share, by the method of the largest remainder (Hamilton);
    /// of equal remainders the first kinds in order are rounded up.
    #[must_use]
    pub fn fair_draw(&self, n: u32) -> Self {
        let (n, total) = (n.min(self.total()), u64::from(self.total().max(1)));
        let part = |count: u32| u64::from(count) * u64::from(n);
        let whole = |parts: u64| u32::try_from(parts / total).unwrap_or(u32::MAX);
        let mut draw: Self = self.iter().map(|(item, count)| (item.clone(), whole(part(count)))).collect();
        let mut by_remainder: Vec<(u64, &T)> = self.iter().map(|(item, n)| (part(n) % total, item)).collect();
        by_remainder.sort_by_key(|(remainder, _)| std::cmp::Reverse(*remainder));
        let open = (n - draw.total()) as usize;
        by_remainder.into_iter().take(open).for_each(|(_, item)| draw.add(item.clone(), 1));
        draw
    }

    /// Every way of taking `n` of it in which each kind gets its share, rounded down or up.
    #[must_use]
    pub fn even_draws(&self, n: u32) -> Vec<Self> {
        let (n, total) = (n.min(self.total()), self.total());
        let floor = |count: u32| {
            let share = u64::from(count) * u64::from(n) / u64::from(total.max(1));
            u32::try_from(share).unwrap_or(u32::MAX)
        };
        let sure: Self = self.iter().map(|(item, count)| (item.clone(), floor(count))).collect();
        let rounded = |(_, count): &(&T, u32)| u64::from(*count) * u64::from(n) % u64::from(total.max(1)) > 0;
        let open: Self = self.iter().filter(rounded).map(|(item, _)| (item.clone(), 1)).collect();
        let with_sure = |mut draw: Self| {
            draw.add_all(&sure);
            draw
        };
        open.draws(n - sure.total()).into_iter().map(with_sure).collect()
    }
}

impl<T: Clone + Ord> FromIterator<(T, u32)> for Bag<T> {
    fn from_iter<I: IntoIterator<Item = (T, u32)>>(items: I) -> Self {
        let mut bag = Self::new();
        items.into_iter().for_each(|(item, n)| bag.add(item, n));
        bag
    }
}

impl<T: fmt::Debug> fmt::Debug for Bag<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.items.iter().map(|(item, n)| Counted(item, *n))).finish()
    }
}

struct Counted<'a, T>(&'a T, u32);

impl<T: fmt::Debug> fmt::Debug for Counted<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.1, self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn bag(items: &[(char, u32)]) -> Bag<char> {
        items.iter().copied().collect()
    }

    #[test]
    fn draws_are_the_distinct_counts_of_all_permutations() {
        for counts in [[3, 0, 0], [2, 1, 0], [1, 1, 1], [2, 2, 1]] {
            let bag = bag(&[('a', counts[0]), ('b', counts[1]), ('c', counts[2])]);
            let units: Vec<char> = bag.iter().flat_map(|(c, n)| vec![c; n as usize]).copied().collect();
            for n in 0..=units.len() {
                // By definition: the units that a bit mask picks.
                let expected: BTreeSet<Bag<char>> = (0_u32..1 << units.len())
                    .filter(|mask| mask.count_ones() as usize == n)
                    .map(|mask| {
                        (0..units.len()).filter(|i| mask >> i & 1 == 1).map(|i| (units[i], 1)).collect()
                    })
                    .collect();
                let draws = bag.draws(n as u32);
                assert_eq!(draws.iter().cloned().collect::<BTreeSet<_>>(), expected);
                assert_eq!(draws.len(), expected.len(), "none twice");
            }
        }
    }

    #[test]
    fn an_even_draw_gives_each_kind_its_share_rounded_down_or_up() {
        let bag = bag(&[('a', 6), ('b', 3), ('c', 1)]);
        assert_eq!(bag.even_draws(10), std::slice::from_ref(&bag));
        let draws = bag.even_draws(5);
        assert_eq!(draws.len(), 2, "b gets 1.5 and c 0.5: one of them is rounded up: {draws:?}");
        for draw in draws {
            assert_eq!((draw.total(), draw.count(&'a')), (5, 3));
        }
        assert_eq!(Bag::<char>::new().even_draws(3), [Bag::new()]);
        for n in 0..=10 {
            let fair = bag.fair_draw(n);
            assert!(fair.total() == n && bag.even_draws(n).contains(&fair), "{fair:?}");
        }
        assert_eq!(bag.fair_draw(4), [('a', 3), ('b', 1)].into_iter().collect(), "2.4, 1.2 and 0.4");
    }

    #[test]
    fn the_fair_draw_is_an_even_draw_and_no_other_is_nearer() {
        assert_eq!(bag(&[('a', 91), ('b', 9)]).fair_draw(82), bag(&[('a', 75), ('b', 7)]));
        assert_eq!(bag(&[('a', 1), ('b', 1)]).fair_draw(1), bag(&[('a', 1)]), "of equals the first");
        for counts in [[6, 3, 1], [5, 5, 5], [90, 9, 1], [0, 7, 2]] {
            let bag = bag(&[('a', counts[0]), ('b', counts[1]), ('c', counts[2])]);
            let total = i64::from(bag.total());
            for n in 0..=bag.total() + 1 {
                // The sum of squares of what each kind has beyond its exact share, in parts of the total.
                let taken = i64::from(n.min(bag.total()));
                let off = |draw: &Bag<char>| {
                    let each = |(c, k)| i64::from(draw.count(c)) * total - i64::from(k) * taken;
                    bag.iter().map(|item| each(item).pow(2)).sum::<i64>()
                };
                let shares = bag.fair_draw(n);
                assert!(bag.even_draws(n).contains(&shares), "{bag:?} {n}");
                assert_eq!(Some(off(&shares)), bag.draws(n).iter().map(off).min(), "{bag:?} {n}");
            }
        }
    }

    #[test]
    fn a_bag_reads_as_a_set_of_counts() {
        let mut some = bag(&[('b', 2), ('a', 1), ('b', 1)]);
        assert_eq!(format!("{some:?}"), "{1 'a', 3 'b'}");
        assert_eq!((some.remove(&'b', 5), some.remove(&'c', 1), some.total()), (3, 0, 1));
    }
}
