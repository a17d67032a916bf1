//! One block of each of many chains in each lane, eight vectors in flight.
//!
//! A message's blocks lie one behind the other, and a vector wants blocks of different messages: a square of as
//! many blocks as a vector has, of as many messages, is transposed on its way in and on its way out. That is as
//! much work as AES itself for ports that AES leaves free, so it must be done at the same time: while one square of
//! each vector is encrypted step by step, the one before it goes out and the one after it comes in, a share of
//! both in each step.

use crate::{
    BLOCK,
    chains::Chains,
    key::RoundKeys,
    lanes::Lanes,
    rounds::{Keys, crypt},
};

/// Chains in `N` vectors of lanes.
struct Weave<'a, const N: usize> {
    chains: &'a mut Chains,
    /// Bytes taken of each message so far.
    at: usize,
}

/// The two halves of the room, by turns the squares in work and those that come and go.
#[derive(Clone, Copy)]
struct Half(*mut u8);

impl Half {
    /// Where vector `group` stands at `step`.
    #[inline(always)]
    unsafe fn place<L: Lanes>(self, step: usize, group: usize) -> *mut u8 {
        // SAFETY: a half has room for the squares of eight vectors.
        unsafe { self.0.add((step * 8 + group) * L::BYTES) }
    }
}

impl<const N: usize> Weave<'_, N> {
    /// Brings `blocks` blocks from `at` on of each message of a vector in.
    #[inline(always)]
    unsafe fn bring<L: Lanes>(&self, half: Half, group: usize, at: usize, blocks: usize) {
        // SAFETY: the caller's messages have those blocks.
        unsafe {
            let mut rows = [L::splat(0); 4];
            for (i, row) in rows.iter_mut().enumerate().take(L::BLOCKS) {
                *row = L::load_first(self.chains.src[group * L::BLOCKS + i].add(at), blocks * BLOCK);
            }
            L::transpose(&mut rows);
            for (i, row) in rows.into_iter().enumerate().take(L::BLOCKS) {
                row.store(half.place::<L>(i, group));
            }
        }
    }

    /// Sends `blocks` blocks of each message of a vector out, to `at` and on.
    #[inline(always)]
    unsafe fn send<L: Lanes>(&self, half: Half, group: usize, at: usize, blocks: usize) {
        // SAFETY: the caller's messages have room for those blocks.
        unsafe {
            let mut rows = [L::splat(0); 4];
            for (i, row) in rows.iter_mut().enumerate().take(L::BLOCKS) {
                *row = L::load(half.place::<L>(i, group));
            }
            L::transpose(&mut rows);
            for (i, row) in rows.into_iter().enumerate().take(L::BLOCKS) {
                row.store_first(self.chains.dst[group * L::BLOCKS + i].add(at), blocks * BLOCK);
            }
        }
    }

    /// Encrypts one block of each chain, from and to its place in `half`.
    #[inline(always)]
    unsafe fn encrypt<L: Lanes, K: Keys<L>>(keys: K, half: Half, step: usize, values: [L; N]) -> [L; N] {
        // SAFETY: as the caller.
        unsafe {
            let whitening = keys.front(0);
            let mut states = values;
            for (group, state) in states.iter_mut().enumerate() {
                *state = state.xor(L::load(half.place::<L>(step, group))).xor(whitening);
            }
            let values = crypt::<L, K, N, false>(keys, states);
            for (group, value) in values.into_iter().enumerate() {
                value.store(half.place::<L>(step, group));
            }
            values
        }
    }
}

/// Takes `blocks` blocks of each chain, in the first `N` vectors of lanes.
///
/// # Safety
/// As [`Lanes`]; each chain has that many blocks left and, where there is output, room for them.
#[inline(always)]
pub(crate) unsafe fn run<L: Lanes, const N: usize, const OUT: bool>(
    keys: &RoundKeys,
    chains: &mut Chains,
    blocks: usize,
) {
    let room = chains.room.as_mut_ptr().cast::<u8>();
    // SAFETY: each half has room for squares of eight vectors. Addresses stay within the blocks of the messages,
    // and in place a block is read before it is written.
    unsafe {
        let keys = L::Keys::of(keys);
        let (mut work, mut other) = (Half(room), Half(room.add(8 * L::BLOCKS * L::BYTES)));
        let mut values = [L::splat(0); N];
        for (i, value) in values.iter_mut().enumerate() {
            *value = L::load(chains.values.as_ptr().add(i * L::BLOCKS).cast());
        }
        let mut weave = Weave::<N> { chains, at: 0 };
        let side = L::BLOCKS * BLOCK;
        let end = blocks * BLOCK;

        for group in 0..N {
            weave.bring::<L>(work, group, 0, blocks.min(L::BLOCKS));
        }
        // A square, while the one before it goes and the one after it comes.
        macro_rules! square {
            ($out:expr) => {
                let coming = (end - weave.at - side).min(side) / BLOCK;
                let keys = keys.anew();
                for step in 0..L::BLOCKS {
                    for group in step * N / L::BLOCKS..(step + 1) * N / L::BLOCKS {
                        if $out {
                            weave.send::<L>(other, group, weave.at - side, L::BLOCKS);
                        }
                        weave.bring::<L>(other, group, weave.at + side, coming);
                    }
                    values = Weave::<N>::encrypt::<L, _>(keys, work, step, values);
                }
                (work, other) = (other, work);
                weave.at += side;
            };
        }
        if weave.at + side < end {
            square!(false);
            while weave.at + side < end {
                square!(OUT);
            }
        }
        // The last square, perhaps in part.
        let last = (end - weave.at) / BLOCK;
        for step in 0..last {
            values = Weave::<N>::encrypt::<L, _>(keys, work, step, values);
        }
        if OUT {
            for group in 0..N {
                if weave.at > 0 {
                    weave.send::<L>(other, group, weave.at - side, L::BLOCKS);
                }
                weave.send::<L>(work, group, weave.at, last);
            }
        }

        for (i, value) in values.into_iter().enumerate() {
            value.store(chains.values.as_mut_ptr().add(i * L::BLOCKS).cast());
        }
        for lane in 0..N * L::BLOCKS {
            chains.src[lane] = chains.src[lane].wrapping_add(end);
            chains.dst[lane] = chains.dst[lane].wrapping_add(end);
        }
    }
}
