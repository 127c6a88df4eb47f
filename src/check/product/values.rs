//! Atoms and measures, computed once for each combination of the parts that they look at.
//!
//! What a function of the state looks at is recorded ([`reads`](crate::actor::reads)), and kept as a decision tree: the first part that
//! it reads is always the same; which is the next follows from what the first one was. So the inner nodes say what is read, their
//! branches are the numbers of the part, and the leaves hold the value. That is exact for every function of the state that is
//! deterministic. One that reads in another order than before, or everything, is computed for each state; so is one that hardly ever
//! finds what it looks up.

use super::ids::IdMap;
use crate::actor::reads::Read;

/// A look back is taken after so many look-ups, and then each time they have doubled.
const LOOK_FIRST: u64 = 1 << 12;

/// What a function does when it comes to some point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    /// Nobody has come here yet.
    Unknown,
    /// It reads this part.
    Reads(Read),
    /// It has this value.
    Value(i64),
    /// It cannot be foretold.
    Open,
}

/// One function of the state.
pub struct Function {
    nodes: Vec<Node>,
    branches: IdMap,
    asked: u64,
    missed: u64,
    look_at: u64,
}

impl Function {
    /// A function that nothing is known about.
    pub fn new() -> Self {
        Self {
            nodes: vec![Node::Unknown],
            branches: IdMap::default(),
            asked: 0,
            missed: 0,
            look_at: LOOK_FIRST,
        }
    }

    /// Its value in the state whose parts have these numbers, if it is known.
    #[inline]
    pub fn value(&mut self, number: impl Fn(Read) -> u32) -> Option<i64> {
        self.asked += 1;
        let mut at = 0;
        loop {
            match self.nodes[at as usize] {
                Node::Value(value) => return Some(value),
                Node::Reads(read) => match self.branches.get(at, number(read), 0) {
                    Some(next) => at = next,
                    None => break,
                },
                Node::Unknown | Node::Open => break,
            }
        }
        self.missed += 1;
        None
    }

    /// Remembers a value that was computed, with what was read on the way.
    pub fn learn(&mut self, value: i64, reads: &[Read], number: impl Fn(Read) -> u32) {
        if self.asked >= self.look_at {
            if self.missed * 4 > self.asked {
                // It would only grow.
                *self = Self { nodes: vec![Node::Open], ..Self::new() };
                return;
            }
            (self.asked, self.missed, self.look_at) = (0, 0, self.look_at * 2);
        }
        let mut at = 0;
        for read in reads {
            let expected = if *read == Read::All { Node::Open } else { Node::Reads(*read) };
            if !self.settle(at, expected) || expected == Node::Open {
                return;
            }
            let branch = number(*read);
            at = self.branches.get(at, branch, 0).unwrap_or_else(|| {
                let new = self.nodes.len() as u32;
                self.nodes.push(Node::Unknown);
                self.branches.insert(at, branch, 0, new);
                new
            });
        }
        self.settle(at, Node::Value(value));
    }

    /// Makes a node what it is seen to be; one that was something else before cannot be foretold.
    fn settle(&mut self, at: u32, as_seen: Node) -> bool {
        let node = &mut self.nodes[at as usize];
        if *node == Node::Unknown {
            *node = as_seen;
        } else if *node != as_seen {
            *node = Node::Open;
        }
        *node == as_seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks the value up, or computes it; says whether it was known.
    fn ask(
        function: &mut Function,
        state: [u32; 3],
        by: impl Fn([u32; 3]) -> (i64, Vec<Read>),
    ) -> (i64, bool) {
        let number = |read| match read {
            Read::Local(at) => state[at],
            _ => unreachable!(),
        };
        if let Some(value) = function.value(number) {
            return (value, true);
        }
        let (value, reads) = by(state);
        function.learn(value, &reads, number);
        (value, false)
    }

    #[test]
    fn a_function_is_computed_once_for_each_combination_of_what_it_reads() {
        // If the first part is even, the second counts; otherwise the third.
        let by = |s: [u32; 3]| {
            let second = if s[0].is_multiple_of(2) { 1 } else { 2 };
            (i64::from(s[0] + 10 * s[second]), vec![Read::Local(0), Read::Local(second)])
        };
        let (mut function, mut computed) = (Function::new(), 0);
        for n in 0..6 * 5 * 5 {
            let state = [n % 6, n / 6 % 5, n / 30];
            let (value, known) = ask(&mut function, state, by);
            assert_eq!(value, by(state).0);
            computed += usize::from(!known);
        }
        assert_eq!(computed, 6 * 5);
    }

    #[test]
    fn a_function_that_reads_everything_or_now_this_and_now_that_is_computed_each_time() {
        let mut function = Function::new();
        for _ in 0..2 {
            assert_eq!(ask(&mut function, [1, 2, 3], |_| (5, vec![Read::Local(0), Read::All])), (5, false));
        }
        let mut function = Function::new();
        let known: Vec<bool> =
            [0, 1, 0].map(|n| ask(&mut function, [n; 3], |s| (5, vec![Read::Local(s[0] as usize)])).1).into();
        assert_eq!(known, [false; 3]);
        assert_eq!(function.nodes[0], Node::Open);
    }

    #[test]
    fn a_constant_is_computed_once() {
        let mut function = Function::new();
        let known: Vec<bool> = (0..3).map(|n| ask(&mut function, [n; 3], |_| (1, vec![])).1).collect();
        assert_eq!(known, [false, true, true]);
    }

    #[test]
    fn a_function_that_never_comes_back_to_what_it_read_gives_up() {
        let mut function = Function::new();
        let by = |s: [u32; 3]| (i64::from(s[0]), vec![Read::Local(0)]);
        for n in 0..10_000 {
            assert_eq!(ask(&mut function, [n, 0, 0], by).0, i64::from(n));
        }
        assert_eq!(function.nodes, [Node::Open]);
    }
}
