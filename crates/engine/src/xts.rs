//! XTS (IEEE 1619; SP 800-38E): block i of a data unit is encrypted between two additions of αⁱ·E(tweak).
//!
//! A batch's tweaks lie in memory, a vector each, and all of them move on together: α to the power of the blocks
//! of a batch is a shift by as many bits, which is a whole number of bytes. In registers they would leave no room
//! for round keys, and where the compiler put what does not fit nobody would wipe it.

use core::mem::MaybeUninit;

use crate::{
    BLOCK,
    batch::{self, Mode, WIDE, bytes},
    gf128::{before_stealing, double},
    key::RoundKeys,
    lanes::Lanes,
    rounds::{Filler, Keys, Stored, crypt},
    span::Span,
    wipe::wipe,
};

/// The tweaks of a batch's vectors, and room for those of the next. Wiped on drop.
#[repr(align(64))]
struct Tweaks<L: Lanes>(MaybeUninit<[[L; WIDE]; 2]>);

impl<L: Lanes> Tweaks<L> {
    /// One half of them.
    #[inline(always)]
    fn half(&mut self, half: usize) -> *mut L {
        // SAFETY: either half lies within.
        unsafe { self.0.as_mut_ptr().cast::<L>().add(half * WIDE) }
    }
}

impl<L: Lanes> Drop for Tweaks<L> {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

struct Xts<L: Lanes, const DECRYPT: bool> {
    tweaks: Tweaks<L>,
    /// Which half of them is this batch's.
    half: usize,
}

impl<L: Lanes, const DECRYPT: bool> Xts<L, DECRYPT> {
    /// Takes the first `N` vectors, as [`Mode::batch`], and does something else meanwhile.
    #[inline(always)]
    unsafe fn crypt<K: Keys<L>, const N: usize>(
        tweaks: *const L,
        keys: K,
        span: Span,
        last: usize,
        filler: &mut impl Filler,
    ) {
        // SAFETY: as the caller; there are tweaks for every vector of the span.
        unsafe {
            let mut states = [keys.front(0); N];
            for (i, state) in states.iter_mut().enumerate() {
                let vector = span.load(i, bytes::<L>(i, N, last));
                *state = state.xor(vector).xor(tweaks.add(i).read());
            }
            let states = crypt::<L, K, N, DECRYPT>(keys, states, filler);
            for (i, state) in states.into_iter().enumerate() {
                span.store(i, bytes::<L>(i, N, last), state.xor(tweaks.add(i).read()));
            }
        }
    }
}

impl<L: Lanes, const DECRYPT: bool> Mode<L> for Xts<L, DECRYPT> {
    #[inline(always)]
    unsafe fn batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span, last: usize) {
        let tweaks = self.tweaks.half(self.half);
        // SAFETY: as the caller.
        unsafe { Self::crypt::<K, N>(tweaks, keys, span, last, &mut ()) }
    }

    #[inline(always)]
    unsafe fn full_batch<K: Keys<L>>(&mut self, keys: K, span: Span) {
        let this = self.tweaks.half(self.half);
        self.half ^= 1;
        let next = self.tweaks.half(self.half);
        // SAFETY: as the caller; this batch's tweaks are all there.
        unsafe { Self::crypt::<K, WIDE>(this, keys, span, L::BYTES, &mut Advance { this, next }) }
    }
}

/// Makes the next batch's tweaks.
struct Advance<L> {
    this: *const L,
    next: *mut L,
}

impl<L: Lanes> Filler for Advance<L> {
    #[inline(always)]
    unsafe fn fill(&mut self, slot: usize) {
        // SAFETY: as the caller; there are eight of both.
        unsafe {
            self.next
                .add(slot)
                .write(self.this.add(slot).read().alpha_batch())
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
        let [first] = crypt::<L, _, 1, false>(tweak_keys, [tweak], &mut ());
        let mut mode = Xts::<L, DECRYPT> {
            tweaks: Tweaks(MaybeUninit::uninit()),
            half: 0,
        };
        for i in 0..WIDE {
            if i * L::BYTES <= before {
                mode.tweaks.half(0).add(i).write(first.alphas(i));
            }
        }
        let blocks = Span { len: before, ..span };
        batch::run(&mut mode, keys, blocks);
        if before < span.len {
            let next = before % (WIDE * L::BYTES) / BLOCK;
            let next = mode.tweaks.half(mode.half).cast::<u128>().add(next).read();
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
        let [state] = crypt::<L, _, 1, DECRYPT>(keys, [block.xor(tweak).xor(keys.front(0))], &mut ());
        state.xor(tweak)
    }
}
