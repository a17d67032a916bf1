//! GHASH (SP 800-38D, §6.4) over any width of vector: powers of the hash key, and sums of products.
//!
//! **Numbers.** GCM numbers a block's bits from the wrong end. With the bytes of a block reversed, bit i stands
//! for x^(127 − i), and the carry-less product of two such numbers is their product in that order, but for one
//! factor x, which every power of the hash key carries in advance (Gueron and Kounavis, "Intel carry-less
//! multiplication instruction and its usage for computing the GCM mode").
//!
//! **Sections.** Blocks X₁ … Xₙ after the hash Y give (Y + X₁)·Hⁿ + X₂·Hⁿ⁻¹ + … + Xₙ·H: products that are all
//! there at once and are reduced once, as a sum. As many powers as a section has blocks must be known.
//!
//! **Pairs.** Karatsuba needs three products of halves where schoolbook needs four, and for the third one the
//! sum of a block's halves. Two vectors whose blocks stand four apart are taken together: their low halves go
//! into one vector and their high halves into another, so that one xor gives the third operand of both. The
//! powers lie in memory the same way for every width, and any width can go on with what another made.

use core::{mem::MaybeUninit, ops::Range};

use zeroize::{Zeroize, optimization_barrier};

use crate::{
    copy::copy,
    lanes::{Lanes, Multiply},
    native::Block,
};

const MOST: usize = Powers::MOST;
/// Blocks of the widest vectors.
const WIDEST: usize = 4;
/// Room for a vector to be read from any power on.
const SLOTS: usize = MOST + WIDEST;

/// The powers of the hash key, highest first and zeros after the last: in slot `MOST` − n the halves of Hⁿ
/// and Hⁿ⁻⁴. What stands before the highest that was made is not read.
#[repr(C)]
pub(crate) struct Powers {
    /// How many there are.
    ready: usize,
    /// Low halves, then high halves, then their sums.
    slots: Slots,
}

#[repr(C, align(64))]
struct Slots([[MaybeUninit<u128>; SLOTS]; 3]);

impl Powers {
    /// The most blocks that a section may have: four batches of the widest vectors.
    pub(crate) const MOST: usize = 128;
    /// How many there are from the start.
    pub(crate) const FIRST: usize = 2;
    /// For assembly, bytes from here to the end of the low halves of powers, and from there to those of the high halves.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const END: usize = core::mem::offset_of!(Self, slots) + MOST * size_of::<u128>();
    #[cfg(target_arch = "x86_64")]
    pub(crate) const PART: usize = SLOTS * size_of::<u128>();

    /// As [`crate::material::Expanded::make_room`].
    ///
    /// # Safety
    /// As that.
    pub(crate) unsafe fn make_room(place: *mut Self) {
        // SAFETY: as the caller; for what may be uninitialised any memory is as good as another.
        let (slots, ready) = unsafe { (&mut (*place).slots.0, &raw mut (*place).ready) };
        for slots in slots {
            slots[MOST..].fill(MaybeUninit::new(0));
        }
        // SAFETY: as the caller.
        unsafe { ready.write(0) };
    }

    /// Where a section of `blocks` blocks finds its powers, which have been made.
    #[inline(always)]
    pub(crate) fn at(&self, blocks: usize) -> At {
        debug_assert!(blocks <= self.ready);
        At(self.slots.0.as_ptr().cast::<u128>().wrapping_add(MOST - blocks))
    }

    /// How many there are.
    #[inline(always)]
    pub(crate) fn ready(&self) -> usize {
        self.ready
    }

    /// Takes the hash key: a block as AES gave it.
    ///
    /// # Safety
    /// As [`Multiply`].
    #[inline(always)]
    pub(crate) unsafe fn start(&mut self, hash_key: Block) {
        // SAFETY: the caller has the features.
        unsafe {
            let first = hash_key.reflect().times_x();
            self.put(1, first, Block::splat(0));
            let second = square(first);
            self.put(2, second, Block::splat(0));
            self.ready = Self::FIRST;
        }
    }

    /// Makes what is missing for a section of `blocks` blocks.
    ///
    /// That is a call, so that those who need nothing have none of it in their way; vectors that are in use meanwhile are on
    /// the stack.
    ///
    /// # Safety
    /// As [`Multiply`].
    #[inline(always)]
    pub(crate) unsafe fn reach<L: Multiply>(&mut self, blocks: usize) {
        if self.ready < blocks {
            // SAFETY: the caller has the features.
            unsafe { L::grow(self, blocks) }
        }
    }

    /// What [`Multiply::grow`] is to do.
    ///
    /// # Safety
    /// As [`Multiply`].
    #[inline(always)]
    pub(crate) unsafe fn grow<L: Multiply>(&mut self, blocks: usize) {
        // SAFETY: all powers are at most `MOST`, and those read have been made.
        unsafe {
            let mut highest = L::broadcast_block(if self.ready == Self::FIRST {
                self.first_four::<L>(blocks > 4)
            } else {
                self.power::<Block>(self.ready)
            });
            while self.ready < blocks {
                // All there are, times the highest, are as many again. The next highest is its square: nothing that
                // goes through memory is waited for. There are whole vectors of any width, so that none goes beyond
                // `MOST`.
                let made = self.ready;
                let until = (2 * made).min(blocks.next_multiple_of(WIDEST));
                let mut n = made;
                while n < until {
                    n += L::BLOCKS;
                    let power = multiply(self.power::<L>(n - made), highest);
                    let before = self.power::<L>(n - 4);
                    self.put(n, power, before);
                }
                self.ready = until;
                highest = square(highest);
            }
        }
    }

    /// After two powers makes four, or eight. Answers the highest.
    ///
    /// From the first four on they are entered as vectors of `L`: a load of what two stores have just written would wait
    /// until both are in the cache.
    #[inline(always)]
    unsafe fn first_four<L: Multiply>(&mut self, eight: bool) -> Block {
        // SAFETY: the caller has the features; with fewer blocks a vector, those of more lanes are not made.
        unsafe {
            let (first, second) = (self.power::<Block>(1), self.power::<Block>(2));
            let (third, fourth) = (multiply(first, second), square(second));
            let by = L::broadcast_block(fourth);
            // Written out: an array of powers would be on the stack.
            macro_rules! enter {
                ($n:literal: $highest:ident $($lane:literal $other:ident)*) => {{
                    let vector = L::broadcast_block($highest);
                    $(
                        let other = vector.xor(L::broadcast_block($other));
                        let vector = vector.xor(L::lane($lane).and(other));
                    )*
                    self.put($n, vector, L::splat(0));
                    if eight {
                        self.put($n + 4, multiply(vector, by), vector);
                    }
                }};
            }
            match L::BLOCKS {
                1 => {
                    enter!(4: fourth);
                    enter!(3: third);
                    enter!(2: second);
                    enter!(1: first);
                }
                2 => {
                    enter!(4: fourth 1 third);
                    enter!(2: second 1 first);
                }
                _ => enter!(4: fourth 1 third 2 second 3 first),
            }
            self.ready = if eight { 8 } else { 4 };
            if eight { square(fourth) } else { fourth }
        }
    }

    /// H^`n` and those below it.
    #[inline(always)]
    unsafe fn power<L: Multiply>(&self, n: usize) -> L {
        // SAFETY: `n` is at most `MOST`, and they have been made.
        unsafe {
            let at = At(self.slots.0.as_ptr().cast::<u128>().add(MOST - n));
            at.low::<L>().low_halves(at.high())
        }
    }

    /// Enters H^`n` and those below it; `before` are those four below.
    #[inline(always)]
    unsafe fn put<L: Multiply>(&mut self, n: usize, power: L, before: L) {
        // SAFETY: `n` is at most `MOST` and at least as much as a vector has blocks.
        unsafe {
            let (low, high) = (power.low_halves(before), power.high_halves(before));
            let slot = MOST - n;
            low.store(self.slots.0[0].as_mut_ptr().add(slot).cast());
            high.store(self.slots.0[1].as_mut_ptr().add(slot).cast());
            low.xor(high).store(self.slots.0[2].as_mut_ptr().add(slot).cast());
        }
    }
}

impl Powers {
    /// Becomes the same powers, from memory to memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        let made = MOST - other.ready..MOST;
        for (to, from) in self.slots.0.iter_mut().zip(&other.slots.0) {
            copy(&mut to[made.clone()], &from[made.clone()]);
        }
        self.ready = other.ready;
    }

    /// Wipes all but those that [`Powers::start`] makes anew.
    pub(crate) fn make_way(&mut self) {
        if self.ready > Self::FIRST {
            self.wipe(MOST - self.ready..MOST - Self::FIRST);
        }
    }

    /// Whether nothing is left of what was made, once `made` of them, beyond those that there are.
    #[cfg(test)]
    pub(crate) fn are_wiped(&self, made: usize) -> bool {
        let beyond = MOST - made..MOST - self.ready;
        let mut parts = self.slots.0.iter().flat_map(|part| &part[beyond.clone()]);
        // SAFETY: they have been made.
        parts.all(|slot| unsafe { slot.assume_init() } == 0)
    }

    fn wipe(&mut self, slots: Range<usize>) {
        for part in &mut self.slots.0 {
            // Word by word, as volatile stores would be, this takes longer than a message.
            let wiped = &mut part[slots.clone()];
            wiped.fill(MaybeUninit::new(0));
            optimization_barrier(wiped);
        }
    }
}

impl Zeroize for Powers {
    /// Touches what was made, and no more.
    fn zeroize(&mut self) {
        self.wipe(MOST - self.ready..MOST);
        self.ready = 0;
    }
}

/// Where the powers of a section begin.
#[derive(Clone, Copy)]
pub(crate) struct At(*const u128);

impl At {
    /// After the section's first `blocks` blocks.
    #[inline(always)]
    pub(crate) fn after(self, blocks: usize) -> Self {
        Self(self.0.wrapping_add(blocks))
    }

    #[inline(always)]
    unsafe fn low<L: Multiply>(self) -> L {
        // SAFETY: the caller is within the table, where powers were made or zeros stand.
        unsafe { L::load(self.0.cast()) }
    }

    #[inline(always)]
    unsafe fn high<L: Multiply>(self) -> L {
        // SAFETY: as above.
        unsafe { L::load(self.0.wrapping_add(SLOTS).cast()) }
    }

    #[inline(always)]
    unsafe fn both<L: Multiply>(self) -> L {
        // SAFETY: as above.
        unsafe { L::load(self.0.wrapping_add(2 * SLOTS).cast()) }
    }
}

/// A product in each lane, reduced.
#[inline(always)]
unsafe fn multiply<L: Multiply>(a: L, b: L) -> L {
    // SAFETY: the caller has the features.
    unsafe {
        let (low, high) = (a.mul_low(b), a.mul_high(b));
        let a_both = a.xor(a.swap_halves());
        let b_both = b.xor(b.swap_halves());
        let both = a_both.mul_low(b_both);
        Sum { low, both, high }.reduce()
    }
}

/// The square in each lane, reduced: the product of its halves would come twice, and so not at all.
#[inline(always)]
unsafe fn square<L: Multiply>(a: L) -> L {
    // SAFETY: the caller has the features.
    unsafe {
        let (low, high) = (a.mul_low(a), a.mul_high(a));
        let both = low.xor(high);
        Sum { low, both, high }.reduce()
    }
}

/// A sum of products that is not yet reduced, by Karatsuba's three parts, spread over the lanes.
#[derive(Clone, Copy)]
pub(crate) struct Sum<L> {
    pub(crate) low: L,
    pub(crate) both: L,
    pub(crate) high: L,
}

impl<L: Multiply> Sum<L> {
    #[inline(always)]
    pub(crate) unsafe fn zero() -> Self {
        // SAFETY: the caller has the features.
        unsafe {
            let zero = L::splat(0);
            Self {
                low: zero,
                both: zero,
                high: zero,
            }
        }
    }

    /// A sum whose hash is `hash`: a block in the first lane, zero in the others.
    #[inline(always)]
    pub(crate) unsafe fn of(hash: L) -> Self {
        // SAFETY: the caller has the features.
        unsafe {
            let high = hash.reflect();
            Self {
                low: L::splat(0),
                both: high,
                high,
            }
        }
    }

    /// In each lane modulo x^128 + x^7 + x^2 + x + 1.
    #[inline(always)]
    pub(crate) unsafe fn reduce(self) -> L {
        // SAFETY: the caller has the features.
        unsafe { self.half_reduced().reduce() }
    }

    /// The first of the two steps of a reduction.
    #[inline(always)]
    pub(crate) unsafe fn half_reduced(self) -> Half<L> {
        // SAFETY: the caller has the features.
        unsafe {
            let folded = self.low.mul_low(L::splat(POLYNOMIAL));
            let middle = self.both.xor3(self.low, self.high);
            Half {
                middle: middle.xor3(self.low.swap_halves(), folded),
                high: self.high,
            }
        }
    }

    /// The hash: all lanes' sum, reduced, as a block in the first lane.
    #[inline(always)]
    pub(crate) unsafe fn hash(self) -> L {
        // SAFETY: the caller has the features.
        unsafe { self.reduce().fold().reflect() }
    }

    /// Adds the products of two vectors of blocks, the second four blocks after the first.
    #[inline(always)]
    pub(crate) unsafe fn add_pair(self, a: L, b: L, at: At) -> Self {
        // SAFETY: the caller has the features.
        unsafe {
            let (low, high) = L::halves(a, b);
            let both = low.xor(high);
            let (l, h, m): (L, L, L) = (at.low(), at.high(), at.both());
            Self {
                low: low.add_products(l, self.low),
                both: both.add_products(m, self.both),
                high: high.add_products(h, self.high),
            }
        }
    }

    /// Adds the products of one vector of blocks.
    #[inline(always)]
    pub(crate) unsafe fn add_one(self, a: L, at: At) -> Self {
        // SAFETY: the caller has the features.
        unsafe {
            let (low, high) = a.halves_of();
            let both = low.xor(high);
            let (l, h, m): (L, L, L) = (at.low(), at.high(), at.both());
            Self {
                low: self.low.xor(low.mul_low(l)),
                both: self.both.xor(both.mul_low(m)),
                high: self.high.xor(high.mul_low(h)),
            }
        }
    }

    /// Adds the products of `N` vectors of blocks.
    #[inline(always)]
    pub(crate) unsafe fn add_all<const N: usize>(mut self, text: [L; N], at: At) -> Self {
        // SAFETY: the caller has the features.
        unsafe {
            let half = 4 / L::BLOCKS;
            const { assert!(N <= 10) };
            // Written out: the compiler would not unroll a loop, and go through memory.
            macro_rules! pairs {
                ($($i:literal)*) => {
                    $(if $i < N && $i / half % 2 == 0 {
                        let at = at.after($i * L::BLOCKS);
                        self = if $i + half < N {
                            self.add_pair(text[$i], text[$i + half], at)
                        } else {
                            self.add_one(text[$i], at)
                        };
                        // In this order products need few registers. The widest vectors have enough for any.
                        if L::BLOCKS < 4 {
                            self = L::pin_sum(self);
                        }
                    })*
                };
            }
            pairs!(0 1 2 3 4 5 6 7 8 9);
            self
        }
    }

    /// Adds the products of `len` bytes, the last block filled up with zeros.
    #[inline(always)]
    pub(crate) unsafe fn add_bytes(mut self, mut from: *const u8, mut len: usize, mut at: At) -> Self {
        // SAFETY: no more than `len` bytes are read.
        unsafe {
            while len > 0 {
                let mut i = 0;
                while i < 64 && i < len {
                    let here = at.after(i / 16);
                    let a = L::load_part(from.add(i), (len - i).min(L::BYTES));
                    self = if len > 64 + i {
                        let b = L::load_part(from.add(64 + i), (len - 64 - i).min(L::BYTES));
                        self.add_pair(a, b, here)
                    } else {
                        self.add_one(a, here)
                    };
                    i += L::BYTES;
                }
                let done = len.min(128);
                (from, len, at) = (from.add(done), len - done, at.after(8));
            }
            self
        }
    }
}

/// As [`Sum::add_pair`], part by part, in the order in which it is written.
#[derive(Clone, Copy)]
pub(crate) struct Pair<L> {
    low: L,
    high: L,
    at: At,
}

impl<L: Multiply> Pair<L> {
    #[inline(always)]
    pub(crate) unsafe fn new(a: L, b: L, at: At) -> Self {
        // SAFETY: the caller has the features.
        unsafe {
            let (low, high) = L::halves(a, b);
            Self { low, high, at }
        }
    }

    /// Adds the products of the low halves.
    #[inline(always)]
    pub(crate) unsafe fn low(self, mut sum: Sum<L>) -> Sum<L> {
        // SAFETY: the caller has the features.
        unsafe {
            let powers = self.at.low();
            sum.low = self.low.add_products_in_order(powers, sum.low);
            sum
        }
    }

    /// Adds the products of the high halves.
    #[inline(always)]
    pub(crate) unsafe fn high(self, mut sum: Sum<L>) -> Sum<L> {
        // SAFETY: the caller has the features.
        unsafe {
            let powers = self.at.high();
            sum.high = self.high.add_products_in_order(powers, sum.high);
            sum
        }
    }

    /// Adds the products of the sums of halves.
    #[inline(always)]
    pub(crate) unsafe fn both(self, mut sum: Sum<L>) -> Sum<L> {
        // SAFETY: the caller has the features.
        unsafe {
            let powers = self.at.both();
            sum.both = self.low.xor(self.high).add_products_in_order(powers, sum.both);
            sum
        }
    }
}

/// A sum halfway through its reduction.
#[derive(Clone, Copy)]
pub(crate) struct Half<L> {
    pub(crate) middle: L,
    high: L,
}

impl<L: Multiply> Half<L> {
    #[inline(always)]
    pub(crate) unsafe fn reduce(self) -> L {
        // SAFETY: the caller has the features.
        unsafe {
            let folded = self.middle.mul_low(L::splat(POLYNOMIAL));
            self.high.xor3(self.middle.swap_halves(), folded)
        }
    }
}

/// x^63 + x^62 + x^57, in the low half: the field's polynomial in reversed order but for its ends.
pub(crate) const POLYNOMIAL: u128 = 0xc200_0000_0000_0000;
