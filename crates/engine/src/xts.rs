//! XTS (IEEE 1619; SP 800-38E): block i of a data unit is encrypted between two additions of αⁱ·E(tweak).
//!
//! A batch's tweaks lie in memory, a vector each, and all of them move on together: α to the power of the blocks
//! of a batch is a shift by as many bits, which is a whole number of bytes. In registers they would leave no room
//! for round keys, and where the compiler put what does not fit nobody would wipe it.

use core::{arch::asm, mem::MaybeUninit, ptr};

use crate::{
    BLOCK,
    batch::{self, Mode, Span, WIDE, bytes},
    gf128::{before_stealing, double},
    key::RoundKeys,
    lanes::Lanes,
    rounds::{Keys, Stored, crypt},
};

/// Tweaks of the next [`WIDE`] vectors, wiped on drop.
#[repr(align(64))]
struct Tweaks<L: Lanes>([MaybeUninit<L>; WIDE]);

impl<L: Lanes> Tweaks<L> {
    /// Makes those of the first `n` vectors from the encrypted tweak, in every lane.
    #[inline(always)]
    unsafe fn new(first: L, n: usize) -> Self {
        let mut tweaks = Self([const { MaybeUninit::uninit() }; WIDE]);
        // SAFETY: as [`Lanes`].
        unsafe {
            for (i, tweak) in tweaks.0.iter_mut().enumerate() {
                if i == n {
                    break;
                }
                tweak.write(first.alphas(i));
            }
        }
        tweaks
    }
}

impl<L: Lanes> Drop for Tweaks<L> {
    #[inline(always)]
    fn drop(&mut self) {
        let memory = &raw mut self.0;
        // SAFETY: all zeros are valid for what may be uninitialised.
        unsafe { ptr::write_bytes(memory, 0, 1) };
        // SAFETY: the instruction sequence is empty. As far as the compiler can tell it reads the zeros.
        unsafe { asm!("/* {0} */", in(reg) memory, options(nostack, preserves_flags, readonly)) };
    }
}

struct Xts<L: Lanes, const DECRYPT: bool> {
    tweaks: Tweaks<L>,
}

impl<L: Lanes, const DECRYPT: bool> Mode<L> for Xts<L, DECRYPT> {
    #[inline(always)]
    unsafe fn batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span, last: usize) {
        // SAFETY: as the caller; there are tweaks for every vector of the span.
        unsafe {
            let mut states = [keys.front(0); N];
            for (i, state) in states.iter_mut().enumerate() {
                let tweak = self.tweaks.0[i].assume_init_read();
                *state = state.xor(tweak).xor(span.load(i, bytes::<L>(i, N, last)));
            }
            let states = crypt::<L, K, N, DECRYPT>(keys, states);
            for (i, state) in states.into_iter().enumerate() {
                let tweak = self.tweaks.0[i].assume_init_read();
                span.store(i, bytes::<L>(i, N, last), state.xor(tweak));
            }
        }
    }

    #[inline(always)]
    unsafe fn advance(&mut self) {
        for tweak in &mut self.tweaks.0 {
            // SAFETY: as the caller; after a batch of eight vectors there are eight tweaks.
            unsafe { tweak.write(tweak.assume_init_read().alpha_batch()) };
        }
    }
}

/// Encrypts or decrypts a data unit of at least a block; `keys` are those of the direction.
///
/// # Safety
/// As [`Lanes`]; `src` and `dst` are valid for `len` bytes.
#[inline(always)]
pub(crate) unsafe fn run<L: Lanes, const DECRYPT: bool>(
    keys: &RoundKeys,
    tweak_keys: &RoundKeys,
    tweak: u128,
    span: Span,
) {
    let before = before_stealing(span.len);
    // SAFETY: as the caller. One tweak more than there are blocks is made, for what steals.
    unsafe {
        let tweak_keys = Stored::new(tweak_keys);
        let tweak = L::splat(tweak).xor(tweak_keys.front(0));
        let [first] = crypt::<L, _, 1, false>(tweak_keys, [tweak]);
        let mut mode = Xts::<L, DECRYPT> {
            tweaks: Tweaks::new(first, WIDE.min(before / L::BYTES + 1)),
        };
        let blocks = Span { len: before, ..span };
        batch::run(&mut mode, keys, blocks);
        if before < span.len {
            let next = before % (WIDE * L::BYTES) / BLOCK;
            let next = mode.tweaks.0.as_ptr().cast::<u128>().add(next).read();
            steal::<L, DECRYPT>(keys, next, span.after(before));
        }
    }
}

/// The last whole block and the part of one behind it (IEEE 1619, section 5.3.2). The block takes its turn, gives
/// its first bytes away as the part's and takes the part's own in their place, then takes the other turn.
///
/// # Safety
/// As [`run`]; 17 to 31 bytes are left.
#[inline(always)]
unsafe fn steal<L: Lanes, const DECRYPT: bool>(keys: &RoundKeys, tweak: u128, span: Span) {
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
        block.store_first(span.dst, BLOCK);
        block.store_first(span.dst.add(BLOCK), part);
        stolen.store_first(span.dst, part);
        let block = once::<L, DECRYPT>(keys, other, L::load_first(span.dst, BLOCK));
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
        let [state] = crypt::<L, _, 1, DECRYPT>(keys, [block.xor(tweak).xor(keys.front(0))]);
        state.xor(tweak)
    }
}
