//! What a kernel needs of a vector register that holds AES blocks side by side.

use core::arch::asm;

use crate::{
    few::Few,
    ghash::{Powers, Sum},
    many::Many,
    native::Block,
    rounds::Keys,
    xts::Tweaks,
};

/// A vector of [`Lanes::BLOCKS`] blocks of 16 bytes.
///
/// Methods and the kernels that use them are `#[inline(always)]` and carry no `#[target_feature]`
/// themselves: they take on the features of the thin wrapper that they end up in. For the same reason no
/// kernel may use a closure or an outlined helper that takes vectors.
///
/// # Safety
/// Every method may be called only from code compiled with the CPU features that the implementing type
/// names, on a processor that has them. Pointers need no alignment.
pub(crate) trait Lanes: Copy + Few {
    /// Where long messages take their round keys from, eight vectors at a time.
    type Keys: Keys<Self>;
    /// The same for [`Self::WIDE`] vectors at a time.
    type WideKeys: Keys<Self>;
    /// Where XTS keeps the tweaks of data units with a batch or more.
    type Tweaks: Tweaks<Self>;
    /// The same for data units of [`Self::LONG_UNIT`] bytes and more.
    type LongTweaks: Tweaks<Self>;
    /// How the blocks of many chains come into lanes.
    type Many: Many<Self>;

    /// Blocks a vector.
    const BLOCKS: usize;
    /// Vectors in flight where blocks do not wait for each other: 8, or 16 where there are registers for that.
    const WIDE: usize;
    /// Whether registers are too few for eight states and the keys: then rounds must be pinned.
    const FEW_REGISTERS: bool;
    /// Where XTS has another way for longer data units, from which length on.
    const LONG_UNIT: usize = usize::MAX;
    /// Bytes a vector.
    const BYTES: usize = 16 * Self::BLOCKS;

    /// `block` in every lane, its least significant byte first.
    unsafe fn splat(block: u128) -> Self;
    /// The 16 bytes at `from`, in every lane.
    unsafe fn broadcast(from: *const u128) -> Self;
    /// The same by ports that AES leaves free. For what is used at once: the compiler cannot do it again where it runs
    /// out of registers.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn broadcast_beside(from: *const u128) -> Self {
        // SAFETY: as the caller.
        unsafe { Self::broadcast(from) }
    }
    /// [`Self::BYTES`] bytes from `from`.
    unsafe fn load(from: *const u8) -> Self;
    /// [`Self::BYTES`] bytes to `to`.
    unsafe fn store(self, to: *mut u8);
    /// As [`Lanes::store`], past the caches; `to` is aligned to a vector. Needs [`Lanes::fence`] afterwards.
    unsafe fn store_past_caches(self, to: *mut u8);
    /// Puts what was stored past the caches in its place before anything that is stored later, as other processors
    /// see it: a lock that is released or a flag that is set does not wait for such stores.
    unsafe fn fence();
    /// Asks for the cache line at `line` early. Nothing is read: it may lie behind the end of its buffer.
    fn prefetch(line: *const u8);
    /// The first `n` bytes from `from`, zero above; 1 ≤ `n` ≤ [`Self::BYTES`], and no other byte is touched.
    unsafe fn load_first(from: *const u8, n: usize) -> Self;
    /// The first `n` bytes to `to`; 1 ≤ `n` ≤ [`Self::BYTES`], and no other byte is touched.
    unsafe fn store_first(self, to: *mut u8, n: usize);

    /// Whether [`Self::load_first`], [`Self::store_first`] and [`Self::join`] take any length by the same few instructions.
    const MASKS: bool = false;
    /// A vector from byte `at` on of two, one behind the other; `at` ≤ [`Self::BYTES`].
    unsafe fn join(first: Self, second: Self, at: usize) -> Self;

    /// The same vector, at this point of the program: what is pinned stays in the order in which it was
    /// written. Where registers are few the compiler would otherwise finish one state after the other and, to
    /// do so, spill round keys to the stack, where nobody wipes them.
    unsafe fn pin(self) -> Self;

    unsafe fn xor(self, other: Self) -> Self;
    /// One middle round of AES in every lane (FIPS 197: SubBytes, ShiftRows, MixColumns, AddRoundKey).
    unsafe fn round(self, key: Self) -> Self;
    /// The last round, without MixColumns.
    unsafe fn last_round(self, key: Self) -> Self;

    /// `first`, `first + 1`, … lane by lane as counter blocks that can be counted on with [`Self::count`]:
    /// the last four bytes are in the processor's byte order.
    ///
    /// Only those four bytes ever count: they wrap modulo 2^32 without a carry.
    #[inline(always)]
    unsafe fn counters(first: u128) -> Self {
        // By itself, since callers keep the number from call to call and add to its halves.
        let (low, high) = (by_itself(first as u64), by_itself((first >> 64) as u64));
        // SAFETY: as the caller.
        unsafe {
            Self::splat(u128::from(high) << 64 | u128::from(low))
                .of_numbers()
                .in_lanes()
        }
    }
    /// As [`Self::counters`], from a block that has its last four bytes in the processor's order already.
    #[inline(always)]
    unsafe fn counters_of(first: u128) -> Self {
        // SAFETY: as the caller.
        unsafe { Self::splat(first).in_lanes() }
    }
    /// Numbers as counter blocks that can be counted on.
    unsafe fn of_numbers(self) -> Self;
    /// Adds to each lane's counter how many lanes are before it.
    unsafe fn in_lanes(self) -> Self;
    /// Adds `n` to each lane's counter, modulo 2^32.
    unsafe fn count(self, n: u32) -> Self;
    /// Counters as the blocks that AES takes: big-endian.
    unsafe fn to_blocks(self) -> Self;

    /// One middle round of the equivalent inverse cipher in every lane (FIPS 197, section 5.3.5).
    unsafe fn inv_round(self, key: Self) -> Self;
    /// Its last round, without InvMixColumns.
    unsafe fn inv_last_round(self, key: Self) -> Self;

    /// The blocks one place on: the last of `previous`, then all but the last of `self`.
    unsafe fn after(self, previous: Self) -> Self;
    /// In each lane, the block without its first `BYTES` bytes and then the first of `next`; at most 15.
    unsafe fn slide<const BYTES: i32>(self, next: Self) -> Self;

    /// Lane j times α^(`i`·[`Self::BLOCKS`] + j) in GF(2¹²⁸) as XTS writes it, for `i` < 8.
    unsafe fn alphas(self, i: usize) -> Self;
    /// Every lane times α^(8·[`Self::BLOCKS`]).
    unsafe fn alpha_batch(self) -> Self;
}

/// Lanes that can be multiplied without carries: what GHASH needs.
///
/// A block's low half is the first eight bytes of it in the processor's order.
///
/// # Safety
/// As [`Lanes`].
pub(crate) trait Multiply: Lanes {
    /// So many vectors at the end of a message, the tag's among them, are done with in registers alone; of more the
    /// compiler keeps some on the stack, which is to be wiped.
    const TINY: usize;

    /// [`Powers::grow`], apart, and with nothing left on the stack.
    unsafe fn grow(powers: &mut Powers, blocks: usize);

    /// The product of the low halves in every lane.
    unsafe fn mul_low(self, other: Self) -> Self;
    /// The product of the high halves in every lane.
    unsafe fn mul_high(self, other: Self) -> Self;
    /// In every lane the low halves of both.
    unsafe fn low_halves(self, other: Self) -> Self;
    /// In every lane the high halves of both.
    unsafe fn high_halves(self, other: Self) -> Self;
    /// The halves of every lane exchanged.
    unsafe fn swap_halves(self) -> Self;
    /// The bytes of every lane in reverse.
    unsafe fn reflect(self) -> Self;
    /// Low and high halves of both vectors after [`Self::reflect`].
    #[inline(always)]
    unsafe fn halves(a: Self, b: Self) -> (Self, Self) {
        // SAFETY: as the caller.
        unsafe {
            let (a, b) = (a.reflect(), b.reflect());
            (a.low_halves(b), a.high_halves(b))
        }
    }
    /// [`Self::halves`] of one vector, beside zeros.
    #[inline(always)]
    unsafe fn halves_of(self) -> (Self, Self) {
        // SAFETY: as the caller.
        unsafe { Self::halves(self, Self::splat(0)) }
    }

    unsafe fn and(self, other: Self) -> Self;
    #[inline(always)]
    unsafe fn xor3(self, a: Self, b: Self) -> Self {
        // SAFETY: as the caller.
        unsafe { self.xor(a).xor(b) }
    }

    /// `sum` and the products of low halves and of high halves.
    #[inline(always)]
    unsafe fn add_products(self, other: Self, sum: Self) -> Self {
        // SAFETY: as the caller.
        unsafe { sum.xor3(self.mul_low(other), self.mul_high(other)) }
    }
    /// [`Self::add_products`] for code whose order is pinned.
    #[inline(always)]
    unsafe fn add_products_in_order(self, other: Self, sum: Self) -> Self {
        // SAFETY: as the caller.
        unsafe { self.add_products(other, sum) }
    }

    /// The sum of all lanes in the first one, zero in the others.
    unsafe fn fold(self) -> Self;
    /// The one block in every lane.
    unsafe fn broadcast_block(block: Block) -> Self;
    /// The first lane's block.
    unsafe fn first_block(self) -> Block;
    /// All ones in the given lane, zero in the others.
    #[inline(always)]
    unsafe fn lane(lane: usize) -> Self {
        static LANES: [u128; 7] = [0, 0, 0, u128::MAX, 0, 0, 0];
        // SAFETY: `lane` is below `BLOCKS`, at most four.
        unsafe { Self::load(LANES.as_ptr().add(3 - lane).cast()) }
    }

    /// As [`Lanes::load_first`], and zero if `n` is.
    #[inline(always)]
    unsafe fn load_part(from: *const u8, n: usize) -> Self {
        // SAFETY: as the caller.
        unsafe {
            if n == 0 {
                return Self::splat(0);
            }
            Self::load_first(from, n)
        }
    }

    /// As [`Lanes::store_first`], and nothing if `n` is zero.
    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, n: usize) {
        // SAFETY: as the caller.
        unsafe {
            if n > 0 {
                self.store_first(to, n);
            }
        }
    }

    /// The first `n` bytes, zero above; 0 ≤ `n` ≤ [`Lanes::BYTES`].
    unsafe fn keep_first(self, n: usize) -> Self;

    /// [`Lanes::pin`] for a sum.
    #[inline(always)]
    unsafe fn pin_sum(sum: Sum<Self>) -> Sum<Self> {
        // SAFETY: as the caller.
        unsafe {
            Sum {
                low: sum.low.pin(),
                both: sum.both.pin(),
                high: sum.high.pin(),
            }
        }
    }

    /// [`Lanes::pin`] for a batch's states and sums together, also where registers are many: the order is what
    /// keeps multiplications between the rounds. There it also keeps in registers what else a batch needs: its page
    /// of counters, and a hash that is being reduced.
    unsafe fn pin_batch(
        states: &mut [Self; 8],
        sum: &mut Sum<Self>,
        page: &mut Self,
        reduced: Option<&mut Self>,
    );
}

/// The first `n` of 32 bytes are ones from `32 - n` on.
pub(crate) static FIRST_BYTES: [u8; 64] = {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 32 {
        bytes[i] = 0xff;
        i += 1;
    }
    bytes
};

/// The same word. It is loaded by itself: a load that is wider than the store before it, or crosses it, has to wait.
#[inline(always)]
pub(crate) fn by_itself(mut word: u64) -> u64 {
    if cfg!(miri) {
        return word;
    }
    // SAFETY: the instruction sequence is empty.
    unsafe { asm!("/* {0} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags)) };
    word
}
