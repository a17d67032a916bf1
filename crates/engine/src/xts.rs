//! XTS (IEEE 1619; SP 800-38E): block i of a data unit is encrypted between two additions of αⁱ·E(tweak).
//!
//! All tweaks of a batch move on to the next batch's, each where it stands: α to the power of the blocks of a batch is a
//! shift by as many bits, and a product of what leaves. Where registers are many they stay there, and some round keys make
//! room for them; where they are few, tweaks lie in memory that is wiped.

use core::mem::MaybeUninit;

use crate::{
    BLOCK,
    batch::{self, Mode, bytes, each},
    gf128::{alphas, before_stealing, double},
    key::RoundKeys,
    lanes::{Lanes, Multiply},
    rounds::{Keys, Stored, crypt, last_round, middle},
    span::Span,
    wipe::wipe,
};

/// Vectors in flight.
const WIDE: usize = 8;

/// The tweaks of [`WIDE`] vectors.
///
/// # Safety
/// As [`Lanes`].
pub(crate) trait Tweaks<L: Lanes> {
    /// Where there is room for round keys beside them.
    type Keys: Keys<L>;

    /// From the first one, in every lane.
    unsafe fn of(first: L) -> Self;
    /// Those of vector `i`.
    unsafe fn at(&self, i: usize) -> L;
    /// Moves those of vector `i` on to the next batch.
    unsafe fn advance(&mut self, i: usize);
}

#[cfg(target_arch = "x86_64")]
pub(crate) struct InRegisters<L>([L; WIDE]);

#[cfg(target_arch = "x86_64")]
impl<L: Lanes> Tweaks<L> for InRegisters<L> {
    type Keys = crate::rounds::LastTen<L>;

    #[inline(always)]
    unsafe fn of(first: L) -> Self {
        let mut all = [first; WIDE];
        for (i, tweaks) in all.iter_mut().enumerate() {
            // SAFETY: as the caller.
            *tweaks = unsafe { first.alphas(i) };
        }
        Self(all)
    }

    #[inline(always)]
    unsafe fn at(&self, i: usize) -> L {
        self.0[i]
    }

    #[inline(always)]
    unsafe fn advance(&mut self, i: usize) {
        // SAFETY: as the caller.
        unsafe { self.0[i] = self.0[i].alpha_batch().pin() }
    }
}

/// Wiped on drop.
#[repr(align(64))]
pub(crate) struct InMemory<L>(MaybeUninit<[L; WIDE]>);

impl<L: Lanes> InMemory<L> {
    #[inline(always)]
    unsafe fn set(&mut self, i: usize, tweaks: L) {
        // SAFETY: there are eight.
        unsafe { self.0.as_mut_ptr().cast::<L>().add(i).write(tweaks) }
    }
}

impl<L: Lanes> Tweaks<L> for InMemory<L> {
    type Keys = L::Keys;

    #[inline(always)]
    unsafe fn of(first: L) -> Self {
        let mut all = Self(MaybeUninit::uninit());
        for i in 0..WIDE {
            // SAFETY: as the caller.
            unsafe { all.set(i, first.alphas(i)) }
        }
        all
    }

    #[inline(always)]
    unsafe fn at(&self, i: usize) -> L {
        // SAFETY: all eight were written.
        unsafe { self.0.as_ptr().cast::<L>().add(i).read() }
    }

    #[inline(always)]
    unsafe fn advance(&mut self, i: usize) {
        // SAFETY: as the caller.
        unsafe { self.set(i, self.at(i).alpha_batch()) }
    }
}

impl<L> Drop for InMemory<L> {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

/// Encrypts or decrypts a data unit of at least a block; `keys` are those of the direction.
///
/// # Safety
/// As [`Lanes`]; `src` and `dst` are valid for `len` bytes.
#[inline(always)]
pub(crate) unsafe fn run<L: Multiply, const DECRYPT: bool>(
    keys: &RoundKeys,
    tweak_keys: &RoundKeys,
    tweak: u128,
    span: Span,
) {
    let before = before_stealing(span.len);
    let mut blocks = Span { len: before, ..span };
    // SAFETY: as the caller.
    unsafe {
        let tweak_keys = Stored::new(tweak_keys);
        let tweak = L::splat(tweak).xor(tweak_keys.front(0));
        let [mut first] = crypt::<L, _, 1, false>(tweak_keys, [tweak], &mut ());
        if blocks.len >= WIDE * L::BYTES {
            let keys = <L::Tweaks as Tweaks<L>>::Keys::of(keys);
            let mut tweaks = L::Tweaks::of(first);
            while blocks.len >= WIDE * L::BYTES {
                full_batch::<L, _, DECRYPT>(keys.anew(), &mut tweaks, blocks);
                blocks = blocks.after(WIDE * L::BYTES);
            }
            first = L::broadcast_block(tweaks.at(0).first_block());
        }
        batch::short(&mut Rest::<L, DECRYPT> { first }, keys, blocks);
        if before < span.len {
            let next = alphas(first.first_block().to_u128(), blocks.len / BLOCK);
            steal::<L, DECRYPT>(keys, next, span.after(before));
        }
    }
}

/// Vectors that the last round but one is ahead of the last.
const AHEAD: usize = 2;

/// Takes a batch of full vectors, and moves the tweaks on.
///
/// # Safety
/// As [`run`]; there are eight full vectors.
#[inline(always)]
unsafe fn full_batch<L: Lanes, K: Keys<L>, const DECRYPT: bool>(keys: K, tweaks: &mut L::Tweaks, span: Span) {
    // SAFETY: as the caller.
    unsafe {
        let mut states = [keys.front(0); WIDE];
        for (i, state) in states.iter_mut().enumerate() {
            *state = state.xor(span.load(i, L::BYTES)).xor(tweaks.at(i));
        }
        // The two last rounds overlap what is between them and the next batch: as one lump, products would keep it
        // waiting.
        let mut states = middle::<L, K, WIDE, 0, 1, DECRYPT>(keys, states, true, &mut ());
        let (key, last_key) = (keys.place(13), keys.place(14));
        each!(i in 0..WIDE => {
            states[i] = if DECRYPT {
                states[i].inv_round(key).pin()
            } else {
                states[i].round(key).pin()
            };
            if i >= AHEAD {
                finish::<L, DECRYPT>(states[i - AHEAD], last_key, tweaks, i - AHEAD, span);
            }
        });
        each!(i in 0..AHEAD => {
            let i = WIDE - AHEAD + i;
            finish::<L, DECRYPT>(states[i], last_key, tweaks, i, span);
        });
    }
}

/// The last round of vector `i`, and its tweaks for the next batch.
#[inline(always)]
unsafe fn finish<L: Lanes, const DECRYPT: bool>(
    state: L,
    key: L,
    tweaks: &mut L::Tweaks,
    i: usize,
    span: Span,
) {
    // SAFETY: as the caller.
    unsafe {
        let key = key.xor(tweaks.at(i));
        span.store(i, L::BYTES, last_round::<L, DECRYPT>(state, key).pin());
        tweaks.advance(i);
    }
}

/// Less than a batch.
struct Rest<L, const DECRYPT: bool> {
    /// The first block's tweak, in every lane.
    first: L,
}

impl<L: Lanes, const DECRYPT: bool> Rest<L, DECRYPT> {
    /// Those of vector `i`. Where registers are few, pinned: one vector's at a time, and made again after the rounds.
    #[inline(always)]
    unsafe fn tweaks(&self, i: usize) -> L {
        // SAFETY: as the caller.
        unsafe {
            if L::FEW_REGISTERS {
                self.first.pin().alphas(i).pin()
            } else {
                self.first.alphas(i)
            }
        }
    }
}

impl<L: Lanes, const DECRYPT: bool> Mode<L> for Rest<L, DECRYPT> {
    #[inline(always)]
    unsafe fn batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span, last: usize) {
        // SAFETY: as the caller.
        unsafe {
            let whitening = keys.front(0);
            let mut states = [whitening; N];
            each!(i in 0..N => {
                let tweaks = self.tweaks(i);
                let vector = span.load::<L>(i, bytes::<L>(i, N, last));
                states[i] = vector.xor(whitening).xor(tweaks).pin();
            });
            let states = crypt::<L, K, N, DECRYPT>(keys, states, &mut ());
            each!(i in 0..N => {
                let tweaks = self.tweaks(i);
                span.store(i, bytes::<L>(i, N, last), states[i].xor(tweaks).pin());
            });
        }
    }
}

/// The last whole block and the part of one behind it (IEEE 1619, section 5.3.2). The block takes its turn, gives
/// its first bytes away as the part's and takes the part's own in their place, then takes the other turn.
///
/// # Safety
/// As [`run`]; 17 to 31 bytes are left.
#[inline(always)]
unsafe fn steal<L: Multiply, const DECRYPT: bool>(keys: &RoundKeys, tweak: u128, span: Span) {
    // Decryption meets the turns in reverse.
    let (this, other) = if DECRYPT {
        (double(tweak), tweak)
    } else {
        (tweak, double(tweak))
    };
    let part = span.len - BLOCK;
    // SAFETY: as the caller. In place, each byte is read before it is written.
    unsafe {
        let block = once::<L, DECRYPT>(keys, this, span.load(0, BLOCK));
        let stolen = L::load_first(span.src.add(BLOCK), part);
        block.store_first(span.dst.add(BLOCK), part);
        let block = block.xor(block.keep_first(part)).xor(stolen);
        let block = once::<L, DECRYPT>(keys, other, block);
        block.store_first(span.dst, BLOCK);
    }
}

/// One block, in the first lane.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn once<L: Lanes, const DECRYPT: bool>(keys: &RoundKeys, tweak: u128, block: L) -> L {
    // SAFETY: as the caller.
    unsafe {
        let keys = Stored::new(keys);
        let tweak = L::splat(tweak);
        let [state] = crypt::<L, _, 1, DECRYPT>(keys, [block.xor(tweak).xor(keys.front(0))], &mut ());
        state.xor(tweak)
    }
}
