//! Many chains by squares of their blocks: [`crate::many`] for vectors of which a permutation costs little.
//!
//! A message's blocks lie one behind the other, and a vector wants blocks of different messages: a square of as
//! many blocks as a vector has, of as many messages, is transposed on its way in and on its way out. That is as
//! much work as AES itself for ports that AES leaves free, so it must be done at the same time: while one square of
//! each vector is encrypted step by step, the one before it goes out and the one after it comes in, a share of
//! both in each step.

use core::{marker::PhantomData, ptr};

use crate::{
    BLOCK,
    chains::{Chains, Lane, Places},
    key::RoundKeys,
    lanes::Lanes,
    many::Many,
    rounds::{Filler, Round, Schedule, crypt},
};

/// Vectors whose blocks can be transposed.
///
/// # Safety
/// As [`Lanes`].
pub(crate) trait Square: Lanes {
    /// The columns of the square whose rows are the vectors at the first [`Lanes::BLOCKS`] addresses; the others
    /// are not touched.
    unsafe fn load_square(rows: [*const u8; 4]) -> [Self; 4];
}

/// How far ahead the messages are asked for, in bytes: 128 to 1024 were tried, and this is the best.
const AHEAD: usize = 256;
/// Longer than this, in bytes, messages are asked for: so many at once are more than the processor's own prefetching
/// follows. What lies in its caches already is only held up by that.
const LONG: usize = 1 << 16;

/// Where the messages of the first `N` vectors of lanes lie.
#[derive(Clone, Copy)]
struct Messages<const N: usize> {
    lanes: *const Lane,
}

/// Squares of blocks, as many as there are vectors.
#[derive(Clone, Copy)]
struct Squares(*mut u8);

impl Squares {
    /// Where vector `group` stands at `step`.
    #[inline(always)]
    unsafe fn place<L: Lanes>(self, step: usize, group: usize) -> *mut u8 {
        // SAFETY: there is room for the squares of eight vectors.
        unsafe { self.0.add((step * 8 + group) * L::BYTES) }
    }
}

impl<const N: usize> Messages<N> {
    /// Brings `blocks` blocks from `at` on of each message of a vector into its square.
    #[inline(always)]
    unsafe fn bring<L: Square>(self, squares: Squares, group: usize, at: usize, blocks: usize) {
        // SAFETY: the caller's messages have those blocks.
        unsafe {
            let mut rows = [ptr::null(); 4];
            for (i, row) in rows.iter_mut().enumerate().take(L::BLOCKS) {
                *row = (*self.lanes.add(group * L::BLOCKS + i)).src.add(at);
                if is_part::<L>(blocks) {
                    // As far as there is something; the rest of the square counts for nothing.
                    let place = squares.place::<L>(i, group);
                    L::load_first(*row, blocks * BLOCK).store(place);
                    *row = place;
                }
            }
            let columns = L::load_square(rows);
            for (i, column) in columns.into_iter().enumerate().take(L::BLOCKS) {
                column.store(squares.place::<L>(i, group));
            }
        }
    }

    /// Asks for what each message of a vector has [`AHEAD`] of `at`.
    #[inline(always)]
    unsafe fn ask<L: Square>(self, group: usize, at: usize) {
        for i in 0..L::BLOCKS {
            // SAFETY: the caller's lanes are as many.
            let message = unsafe { (*self.lanes.add(group * L::BLOCKS + i)).src };
            L::prefetch(message.wrapping_add(at + AHEAD));
        }
    }

    /// Sends the first `blocks` blocks of each message of a vector from its square to `at` and on.
    #[inline(always)]
    unsafe fn send<L: Square>(self, squares: Squares, group: usize, at: usize, blocks: usize) {
        // SAFETY: the caller's messages have room for those blocks.
        unsafe {
            let mut columns = [ptr::null(); 4];
            for (i, column) in columns.iter_mut().enumerate().take(L::BLOCKS) {
                *column = squares.place::<L>(i, group).cast_const();
            }
            let rows = L::load_square(columns);
            for (i, row) in rows.into_iter().enumerate().take(L::BLOCKS) {
                let to = (*self.lanes.add(group * L::BLOCKS + i)).dst.add(at);
                if is_part::<L>(blocks) {
                    row.store_first(to, blocks * BLOCK);
                } else {
                    row.store(to);
                }
            }
        }
    }
}

/// Whether so many blocks, at least one, are less than a vector has.
#[inline(always)]
fn is_part<L: Lanes>(blocks: usize) -> bool {
    // The compiler cannot know that a block is the least.
    L::BLOCKS > 1 && blocks < L::BLOCKS
}

/// A step's share of sending what is in `squares` and bringing what comes.
struct Turnaround<L, const N: usize, const OUT: bool> {
    messages: Messages<N>,
    squares: Squares,
    step: usize,
    /// Bytes of each message before the square in work.
    at: usize,
    /// Blocks of each message that go: all of a square, or none.
    going: usize,
    /// Blocks of each message that come.
    coming: usize,
    /// Whether the messages are longer than [`LONG`].
    is_long: bool,
    lanes: PhantomData<L>,
}

impl<L: Square, const N: usize, const OUT: bool> Filler for Turnaround<L, N, OUT> {
    #[inline(always)]
    unsafe fn fill(&mut self, slot: usize) {
        let side = L::BLOCKS * BLOCK;
        let parts = 2 * N / L::BLOCKS;
        for part in slot * parts / 8..(slot + 1) * parts / 8 {
            let group = self.step * N / L::BLOCKS + part / 2;
            // SAFETY: as the caller. A square is sent before its place is taken.
            unsafe {
                if part % 2 == 1 {
                    if self.coming > 0 {
                        let at = self.at + side;
                        if self.is_long {
                            self.messages.ask::<L>(group, at);
                        }
                        self.messages.bring::<L>(self.squares, group, at, self.coming);
                    }
                } else if OUT && self.going > 0 {
                    let at = self.at - side;
                    self.messages.send::<L>(self.squares, group, at, L::BLOCKS);
                }
            }
        }
    }
}

/// Encrypts one block of each chain, from its place in its square and, if `OUT`, to it.
#[inline(always)]
unsafe fn encrypt<L: Lanes, S: Schedule<L>, const N: usize, const OUT: bool>(
    keys: S,
    squares: Squares,
    step: usize,
    values: [L; N],
    filler: &mut impl Filler,
) -> [L; N] {
    // SAFETY: as the caller.
    unsafe {
        let keys = keys.anew();
        let first = keys.front(0);
        let mut states = values;
        for (group, state) in states.iter_mut().enumerate() {
            let block = L::load(squares.place::<L>(step, group));
            *state = state.xor(block.xor(first.of(group)));
        }
        let values = crypt::<L, S, N, false>(keys, states, filler);
        if OUT {
            for (group, value) in values.into_iter().enumerate() {
                value.store(squares.place::<L>(step, group));
            }
        }
        values
    }
}

/// Square by square.
pub(crate) struct InSquares;

impl<L: Square> Many<L> for InSquares {
    #[inline(always)]
    unsafe fn run<S: Schedule<L>, const N: usize, const OUT: bool>(
        keys: S,
        chains: &mut Chains,
        blocks: usize,
    ) {
        chains.has_text |= !OUT;
        let Places {
            lanes,
            values: ends,
            room,
            ..
        } = chains.places();
        let messages = Messages::<N> { lanes };
        let side = L::BLOCKS * BLOCK;
        let end = blocks * BLOCK;
        // SAFETY: there is room for the squares of eight vectors twice. Addresses stay within the blocks of the
        // messages, and in place a block is read before it is written.
        unsafe {
            let (mut work, mut other) = (Squares(room), Squares(room.add(8 * L::BLOCKS * L::BYTES)));
            let mut values = [L::splat(0); N];
            for (i, value) in values.iter_mut().enumerate() {
                *value = L::load(ends.add(i * L::BLOCKS).cast());
            }
            for group in 0..N {
                messages.bring::<L>(work, group, 0, blocks.min(L::BLOCKS));
            }

            // The squares in work, while those before them go and those after them come.
            let mut at = 0;
            macro_rules! steps {
                ($steps:expr, $going:expr, $coming:expr) => {
                    for step in 0..$steps {
                        let mut turnaround = Turnaround::<L, N, OUT> {
                            messages,
                            squares: other,
                            step,
                            at,
                            going: $going,
                            coming: $coming,
                            is_long: end > LONG,
                            lanes: PhantomData,
                        };
                        values = encrypt::<L, _, N, OUT>(keys, work, step, values, &mut turnaround);
                    }
                };
            }
            macro_rules! squares {
                ($going:expr) => {
                    let coming = (end - at - side).min(side) / BLOCK;
                    steps!(L::BLOCKS, $going, coming);
                    (work, other) = (other, work);
                    at += side;
                };
            }
            if at + side < end {
                squares!(0);
                while at + side < end {
                    squares!(L::BLOCKS);
                }
            }

            // The last ones, perhaps in part.
            let last = (end - at) / BLOCK;
            let going = if at > 0 { L::BLOCKS } else { 0 };
            steps!(last, going, 0);
            if OUT {
                for group in 0..N {
                    // What there was no step for.
                    if going > 0 && group >= last * N / L::BLOCKS {
                        messages.send::<L>(other, group, at - side, L::BLOCKS);
                    }
                    messages.send::<L>(work, group, at, last);
                }
            }

            for (i, value) in values.into_iter().enumerate() {
                value.store(ends.add(i * L::BLOCKS).cast());
            }
        }
    }
    #[inline(always)]
    unsafe fn place_keys(keys: [*const RoundKeys; 4], start: usize, to: *mut u8) {
        // From the last place on, as many at a time as a square has, and the first ones with some of those again.
        let mut end = 15;
        while end > start {
            let first = end.saturating_sub(L::BLOCKS);
            let mut rows = [ptr::null(); 4];
            // SAFETY: as the caller; places below fifteen.
            unsafe {
                for (row, key) in rows.iter_mut().zip(keys).take(L::BLOCKS) {
                    *row = (&raw const (*key).blocks[first]).cast();
                }
                let columns = L::load_square(rows);
                for (i, column) in columns.into_iter().enumerate().take(L::BLOCKS) {
                    column.store(to.add((first + i) * 8 * L::BYTES));
                }
            }
            end = first;
        }
    }
}
