//! The successors of a packed state: every combination of what can come of each actor, the last actor's outcomes varying
//! fastest, which is the order of the model's actions.
//!
//! Actors with one outcome are applied once, the others in nested loops; each level starts from the words of the level above and
//! changes only the fields that its outcome touches.
//!
//! Cost: a few reads and one exclusive or for each field that changes, and the writing of the words.

use super::layout::Layout;
use super::tables::{Miss, NOTHING, Row, Span, Tables};
use crate::actor::machine::SUCCESSORS_MAX;

/// Where states are expanded; kept from state to state.
pub struct Expander<const N: usize> {
    /// The local state of each actor.
    pub locals: Vec<u32>,
    /// The actors with several outcomes, and these.
    several: Vec<(usize, Span)>,
    /// For each level: the words so far, and what is under way to each actor so far.
    words: Vec<[u64; N]>,
    pipes: Vec<u32>,
}

impl<const N: usize> Expander<N> {
    /// For so many actors.
    pub fn new(actors: usize) -> Self {
        Self {
            locals: vec![0; actors],
            several: Vec::with_capacity(actors),
            words: vec![[0; N]; actors + 1],
            pipes: vec![NOTHING; actors * (actors + 1)],
        }
    }

    /// Appends the successors of `state` to `out`; on a miss, some of them.
    ///
    /// # Errors
    /// What the tables do not know.
    pub fn expand(
        &mut self,
        tables: &Tables,
        layout: &Layout,
        state: &[u64; N],
        out: &mut Vec<[u64; N]>,
    ) -> Result<(), Miss> {
        let actors = self.locals.len();
        for (local, fields) in self.locals.iter_mut().zip(&layout.fields) {
            *local = fields[0].read(state);
        }
        self.several.clear();
        self.words[0] = [0; N];
        self.pipes[..actors].fill(NOTHING);
        let mut number: usize = 1;
        for actor in 0..actors {
            let cut = tables.cut(actor, |other| self.locals[other])?;
            let pipe = layout.fields[actor][1].read(state);
            let span = tables.outcomes(actor, self.locals[actor], pipe, cut)?;
            match *tables.rows(actor, span) {
                [] => number = 0,
                [row] => {
                    let mut words = self.words[0];
                    apply(tables, layout, (actor, row), &mut words, &mut self.pipes[..actors])?;
                    self.words[0] = words;
                }
                _ => {
                    number = number.saturating_mul(span.len());
                    self.several.push((actor, span));
                }
            }
        }
        if number > SUCCESSORS_MAX {
            return Err(Miss::TooMany);
        }
        if number > 0 {
            out.reserve(number);
            self.level(tables, layout, 0, out)?;
        }
        Ok(())
    }

    /// The combinations of all levels from `depth` on.
    fn level(
        &mut self,
        tables: &Tables,
        layout: &Layout,
        depth: usize,
        out: &mut Vec<[u64; N]>,
    ) -> Result<(), Miss> {
        let Some(&(actor, span)) = self.several.get(depth) else {
            out.push(self.words[depth]);
            return Ok(());
        };
        let actors = self.locals.len();
        if depth + 1 == self.several.len() {
            let pipes = &self.pipes[depth * actors..(depth + 1) * actors];
            return innermost(tables, layout, (actor, span), (&self.words[depth], pipes), out);
        }
        for &row in tables.rows(actor, span) {
            let (above, below) = self.pipes.split_at_mut((depth + 1) * actors);
            let pipes = &mut below[..actors];
            pipes.copy_from_slice(&above[depth * actors..]);
            let mut words = self.words[depth];
            apply(tables, layout, (actor, row), &mut words, pipes)?;
            self.words[depth + 1] = words;
            self.level(tables, layout, depth + 1, out)?;
        }
        Ok(())
    }
}

/// Adds an outcome to the words and to what is under way.
#[inline]
fn apply<const N: usize>(
    tables: &Tables,
    layout: &Layout,
    (actor, row): (usize, Row),
    words: &mut [u64; N],
    pipes: &mut [u32],
) -> Result<(), Miss> {
    layout.fields[actor][0].patch(words, row.local);
    for addition in tables.additions(actor, row) {
        let dst = addition.dst as usize;
        let union = tables.union(dst, pipes[dst], addition.pipe)?;
        layout.fields[dst][1].patch(words, pipes[dst] ^ union);
        pipes[dst] = union;
    }
    Ok(())
}

/// The last level: one successor for each outcome. An outcome adds at most once to each actor, so `pipes` need not be kept up.
#[inline]
fn innermost<const N: usize>(
    tables: &Tables,
    layout: &Layout,
    (actor, span): (usize, Span),
    (words, pipes): (&[u64; N], &[u32]),
    out: &mut Vec<[u64; N]>,
) -> Result<(), Miss> {
    let own = layout.fields[actor][0];
    for &row in tables.rows(actor, span) {
        let mut next = *words;
        own.patch(&mut next, row.local);
        for addition in tables.additions(actor, row) {
            let dst = addition.dst as usize;
            let union = tables.union(dst, pipes[dst], addition.pipe)?;
            layout.fields[dst][1].patch(&mut next, pipes[dst] ^ union);
        }
        out.push(next);
    }
    Ok(())
}
