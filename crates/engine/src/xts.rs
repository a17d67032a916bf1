//! XTS (IEEE 1619; SP 800-38E): block i of a data unit is encrypted between two additions of αⁱ·E(tweak).
//!
//! All tweaks of a batch move on to the next batch's, each where it stands: α to the power of the blocks of a batch is a
//! shift by as many bits, and a product of what leaves. On 512 bits they stay in registers, and some round keys make room for
//! them; elsewhere tweaks lie in memory that is wiped, and where registers are few `ByBytes` moves those of long units on with
//! fewer products.

use core::{arch::asm, mem::MaybeUninit};

#[cfg(target_arch = "x86_64")]
use crate::rounds::Filler;
use crate::{
    BLOCK, WATCHED,
    batch::{self, Mode, bytes, each},
    gf128::{alphas, before_stealing, double},
    key::RoundKeys,
    lanes::{Lanes, Multiply},
    native::Block,
    rounds::{Keys, Schedule, Stored, crypt, last_round, middle},
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
    /// Whether they stay in registers, where it costs little to move them on for what is less than a batch.
    const IN_REGISTERS: bool;

    /// From the first one, in every lane.
    unsafe fn of(first: L) -> Self;
    /// Those of vector `i`.
    unsafe fn at(&self, i: usize) -> L;
    /// Takes a batch of full vectors, and moves all on to the next batch if there is `MORE`.
    unsafe fn batch<K: Keys<L>, const DECRYPT: bool, const MORE: bool>(&mut self, keys: K, span: Span);
}

/// Tweaks that move on each in its place, after the last round of its vector.
trait InPlace<L: Lanes>: Tweaks<L> {
    /// Moves those of vector `i` on to the next batch.
    unsafe fn advance(&mut self, i: usize);
}

#[cfg(target_arch = "x86_64")]
pub(crate) struct InRegisters<L>([L; WIDE]);

#[cfg(target_arch = "x86_64")]
impl<L: Lanes> Tweaks<L> for InRegisters<L> {
    type Keys = crate::rounds::LastTen<L>;
    const IN_REGISTERS: bool = true;

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
    unsafe fn batch<K: Keys<L>, const DECRYPT: bool, const MORE: bool>(&mut self, keys: K, span: Span) {
        // SAFETY: as the caller.
        unsafe { full_batch::<L, K, Self, DECRYPT, MORE>(keys, self, span) }
    }
}

#[cfg(target_arch = "x86_64")]
impl<L: Lanes> InPlace<L> for InRegisters<L> {
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
    const IN_REGISTERS: bool = false;

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
    unsafe fn batch<K: Keys<L>, const DECRYPT: bool, const MORE: bool>(&mut self, keys: K, span: Span) {
        // SAFETY: as the caller.
        unsafe { full_batch::<L, K, Self, DECRYPT, MORE>(keys, self, span) }
    }
}

impl<L: Lanes> InPlace<L> for InMemory<L> {
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

/// Lanes whose blocks can be shifted by a byte.
///
/// # Safety
/// As [`Lanes`].
#[cfg(target_arch = "x86_64")]
pub(crate) trait ByteShift: Multiply {
    /// In every lane, a zero byte and then the block without its last byte.
    unsafe fn up_a_byte(self) -> Self;
}

/// Tweaks of long data units that move on byte by byte, in memory that is wiped on drop.
///
/// Times α⁸ is a shift by a byte, and a product of the byte that leaves. Products reach no further than the two lowest
/// bytes: what leaves in [`STEPS`] such steps is the upper half as it stands now, and the products of every other byte of
/// it are one multiplication, 16 bits each. So a step costs a shift and an addition, where processors have products take
/// the place of AES rounds, and shifts too.
#[cfg(target_arch = "x86_64")]
pub(crate) struct ByBytes<L> {
    memory: Memory<L>,
    /// Which of the two batches in memory is this one.
    this: usize,
    /// Steps since the products were made.
    steps: usize,
}

#[cfg(target_arch = "x86_64")]
#[repr(C, align(64))]
struct Memory<L> {
    /// Of eight blocks, for even steps and for odd ones.
    products: [MaybeUninit<[u128; 8]>; 2],
    /// Two batches, this one and the next in turn.
    tweaks: [MaybeUninit<[L; WIDE]>; 2],
}

#[cfg(target_arch = "x86_64")]
impl<L> Memory<L> {
    /// The products of even or odd steps; from there all of the memory can be reached.
    ///
    /// # Safety
    /// There is a memory, and `odd` is at most one.
    #[inline(always)]
    unsafe fn products(this: *mut Self, odd: usize) -> *mut u8 {
        // SAFETY: as the caller.
        unsafe { (&raw mut (*this).products).cast::<[u128; 8]>().add(odd).cast() }
    }

    /// The tweaks of one of the batches.
    ///
    /// # Safety
    /// There is a memory, and `batch` is at most one.
    #[inline(always)]
    unsafe fn tweaks(this: *mut Self, batch: usize) -> *mut L {
        // SAFETY: as the caller.
        unsafe { (&raw mut (*this).tweaks).cast::<[L; WIDE]>().add(batch).cast() }
    }
}

/// How many steps products are made for.
#[cfg(target_arch = "x86_64")]
const STEPS: usize = 8;

#[cfg(target_arch = "x86_64")]
impl<L: ByteShift> ByBytes<L> {
    /// Vectors with eight blocks, the distance that a step takes.
    const VECTORS: usize = WIDE / L::BLOCKS;

    /// Makes the products that the next steps need.
    #[inline(always)]
    unsafe fn multiply(&mut self) {
        const EVEN: u128 = 0xff00_ff00_ff00_ff00 << 64;
        const ODD: u128 = 0x00ff_00ff_00ff_00ff << 64;
        // SAFETY: as the caller.
        unsafe {
            let factor = L::splat(0x87 << 64);
            for i in 0..Self::VECTORS {
                let tweaks = self.at(WIDE - Self::VECTORS + i);
                let even = tweaks.and(L::splat(EVEN)).mul_high(factor);
                even.store(Memory::products(&raw mut self.memory, 0).add(i * L::BYTES));
                let odd = tweaks.and(L::splat(ODD)).mul_high(factor);
                odd.store(Memory::products(&raw mut self.memory, 1).add(i * L::BYTES));
            }
        }
        self.steps = 0;
    }

    /// What moves this batch's tweaks on.
    #[inline(always)]
    unsafe fn step(&mut self) -> Step<L> {
        // SAFETY: as the caller. Products are in the memory from their beginning to the tweaks behind them.
        unsafe {
            let place = STEPS - 1 - self.steps;
            let memory = &raw mut self.memory;
            Step {
                this: Memory::tweaks(memory, self.this),
                next: Memory::tweaks(memory, self.this ^ 1),
                products: [
                    Memory::products(memory, self.steps % 2).add(place),
                    Memory::products(memory, 1).add(place).sub(1),
                ],
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl<L: ByteShift> Tweaks<L> for ByBytes<L> {
    type Keys = L::Keys;
    const IN_REGISTERS: bool = false;

    #[inline(always)]
    unsafe fn of(first: L) -> Self {
        let mut all = Self {
            memory: Memory {
                products: [MaybeUninit::uninit(); 2],
                tweaks: [const { MaybeUninit::uninit() }; 2],
            },
            this: 0,
            steps: STEPS,
        };
        for i in 0..WIDE {
            // SAFETY: as the caller.
            unsafe {
                Memory::tweaks(&raw mut all.memory, 0)
                    .add(i)
                    .write(first.alphas(i))
            }
        }
        all
    }

    #[inline(always)]
    unsafe fn at(&self, i: usize) -> L {
        let tweaks: *const L = self.memory.tweaks.as_ptr().cast();
        // SAFETY: this batch's were written.
        unsafe { tweaks.add(WIDE * self.this + i).read() }
    }

    /// Steps are taken between the rounds, and what is left between batches is two of a kind at a time: next to an odd
    /// number of other instructions the two ports of AES on Zen 3 fall out of step.
    #[inline(always)]
    unsafe fn batch<K: Keys<L>, const DECRYPT: bool, const MORE: bool>(&mut self, keys: K, span: Span) {
        const PAIRS: usize = WIDE / 2;
        // SAFETY: as the caller.
        unsafe {
            if MORE && self.steps == STEPS {
                self.multiply();
            }
            let this: *const L = Memory::tweaks(&raw mut self.memory, self.this);
            let mut states = [keys.front(0); WIDE];
            for (i, state) in states.iter_mut().enumerate() {
                *state = state.xor(this.add(i).read()).xor(span.load(i, L::BYTES));
            }
            let states = if MORE {
                middle::<L, K, WIDE, 0, 0, DECRYPT>(keys, states, true, &mut self.step())
            } else {
                middle::<L, K, WIDE, 0, 0, DECRYPT>(keys, states, true, &mut ())
            };
            let key = keys.place(14);
            // Again: the step has borrowed the memory since.
            let this: *const L = Memory::tweaks(&raw mut self.memory, self.this);
            each!(pair in 0..PAIRS => {
                let i = 2 * pair;
                let both = [key.xor(this.add(i).read()).pin(), key.xor(this.add(i + 1).read()).pin()];
                let first = last_round::<L, DECRYPT>(states[i], both[0]).pin();
                let second = last_round::<L, DECRYPT>(states[i + 1], both[1]).pin();
                span.store(i, L::BYTES, first);
                span.store(i + 1, L::BYTES, second);
            });
        }
        if MORE {
            self.this ^= 1;
            self.steps += L::BLOCKS;
        }
    }
}

/// Between two rounds: a vector's step.
#[cfg(target_arch = "x86_64")]
struct Step<L> {
    this: *const L,
    next: *mut L,
    /// Of the step that takes this batch's last blocks to the next one's first, and of the one after it. Only two blocks
    /// to a vector need both: then the first one is even.
    products: [*const u8; 2],
}

#[cfg(target_arch = "x86_64")]
impl<L: ByteShift> Filler for Step<L> {
    #[inline(always)]
    unsafe fn fill(&mut self, i: usize) {
        let ahead = ByBytes::<L>::VECTORS;
        // SAFETY: as the caller. What is read of the products beyond their end are tweaks, and cut off.
        unsafe {
            let from = if i < ahead {
                self.this.add(WIDE - ahead + i)
            } else {
                self.next.cast_const().add(i - ahead)
            };
            let product = L::load(self.products[i / ahead].add(i % ahead * L::BYTES));
            let tweaks = from.read().up_a_byte().xor(product.and(L::splat(0xffff)));
            self.next.add(i).write(tweaks.pin());
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl<L> Drop for ByBytes<L> {
    #[inline(always)]
    fn drop(&mut self) {
        // One by one: all at once would be a call, for which vectors go to the stack.
        let [even, odd] = &mut self.memory.products;
        let [this, next] = &mut self.memory.tweaks;
        wipe(even);
        wipe(odd);
        wipe(this);
        wipe(next);
    }
}

/// Encrypts or decrypts a data unit; `keys` are those of the direction.
///
/// # Safety
/// As [`Lanes`]; `src` and `dst` are valid for `len` bytes, at least a block. They end with a part of a block if it `STEALS`,
/// and only then.
#[inline(always)]
pub(crate) unsafe fn run<L: Multiply, const DECRYPT: bool, const STEALS: bool>(
    keys: &RoundKeys,
    tweak_keys: &RoundKeys,
    tweak: u128,
    span: Span,
) {
    debug_assert_eq!(STEALS, !span.len.is_multiple_of(BLOCK));
    let before = before_stealing(span.len);
    let blocks = Span { len: before, ..span };
    // SAFETY: as the caller.
    unsafe {
        let first: L = first_tweak(tweak_keys, tweak);
        let (first, rest, next) = if L::LONG_UNIT < usize::MAX && before >= L::LONG_UNIT {
            batches::<L, L::LongTweaks, DECRYPT, STEALS>(keys, first, blocks)
        } else if before >= WIDE * L::BYTES {
            batches::<L, L::Tweaks, DECRYPT, STEALS>(keys, first, blocks)
        } else {
            (
                first,
                blocks,
                tweak_after::<L, STEALS>(first.first_block(), before),
            )
        };
        batch::last(&mut Rest::<_, DECRYPT>(First(first)), keys, rest);
        if STEALS {
            steal::<DECRYPT>(keys, next, span.after(before));
        }
    }
}

/// As [`run`], of whole blocks, no more than [`batch::SHORT`] vectors: less to put away before and to wipe after it.
///
/// # Safety
/// As [`run`].
#[inline(always)]
pub(crate) unsafe fn short<L: Multiply, const DECRYPT: bool>(
    keys: &RoundKeys,
    tweak_keys: &RoundKeys,
    tweak: u128,
    span: Span,
) {
    // SAFETY: as the caller.
    unsafe {
        let first: L = first_tweak(tweak_keys, tweak);
        batch::last_short(&mut Rest::<_, DECRYPT>(First(first)), keys, span);
    }
}

/// The first block's, in every lane.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn first_tweak<L: Lanes>(keys: &RoundKeys, tweak: u128) -> L {
    // SAFETY: as the caller; the keys are lent for as long as they are used.
    unsafe {
        let keys = Stored::new(keys);
        let [first] = crypt::<L, _, 1, false>(keys, [L::splat(tweak).xor(keys.front(0))], &mut ());
        first
    }
}

/// Takes all batches of full vectors, and what is left too where tweaks are in registers. Answers the next tweak, in every
/// lane, the rest, and what [`tweak_after`] has for the block behind all.
///
/// # Safety
/// As [`run`]; there is a batch at least.
#[inline(always)]
unsafe fn batches<L: Multiply, T: Tweaks<L>, const DECRYPT: bool, const STEALS: bool>(
    keys: &RoundKeys,
    first: L,
    mut span: Span,
) -> (L, Span, u128) {
    // SAFETY: as the caller; the keys are lent for as long as they are used.
    unsafe {
        let kept = T::Keys::of(keys);
        let mut tweaks = T::of(first);
        let batch = WIDE * L::BYTES;
        let mut next = 0;
        // One place has batches that move tweaks on: what two have in common would be taken out of both, and there is no
        // register for it.
        let least = if T::IN_REGISTERS { batch + 1 } else { 2 * batch };
        while span.len >= least {
            if STEALS && span.len < 2 * batch {
                next = tweak_after::<L, STEALS>(tweaks.at(0).alpha_batch().first_block(), span.len - batch);
            }
            tweaks.batch::<_, DECRYPT, true>(kept.anew(), span);
            span = span.after(batch);
        }
        if T::IN_REGISTERS {
            if span.len < batch {
                batch::last(&mut Rest::<_, DECRYPT>(Moved(&tweaks)), keys, span);
            } else {
                next = tweak_after::<L, STEALS>(tweaks.at(0).alpha_batch().first_block(), 0);
                tweaks.batch::<_, DECRYPT, false>(kept.anew(), span);
            }
            // Nothing is left, which goes on with any.
            return (tweaks.at(0), span.after(span.len), next);
        }
        tweaks.batch::<_, DECRYPT, false>(kept.anew(), span);
        let rest = span.after(batch);
        // Made before the rounds it would go to the stack.
        let first = tweaks.at(0).alpha_batch().first_block();
        (
            L::broadcast_block(first),
            rest,
            tweak_after::<L, STEALS>(first, rest.len),
        )
    }
}

/// The tweak of the block `len` bytes after that of `first`, if something `STEALS`. Where there is room for it it is made here,
/// before the blocks between, and not where it is used: there it would wait for their rounds.
///
/// # Safety
/// As [`Lanes`]; less than a batch.
#[inline(always)]
unsafe fn tweak_after<L: Lanes, const STEALS: bool>(first: Block, len: usize) -> u128 {
    if !STEALS {
        return 0;
    }
    // SAFETY: as the caller.
    let tweak = unsafe { alphas(first.to_u128(), len / BLOCK) };
    if WATCHED || L::FEW_REGISTERS {
        return tweak;
    }
    let [mut low, mut high] = [tweak as u64, (tweak >> 64) as u64];
    // SAFETY: the instruction sequence is empty.
    unsafe {
        asm!(
            "/* {low} {high} */", low = inout(reg) low, high = inout(reg) high,
            options(nomem, nostack, preserves_flags),
        );
    }
    u128::from(high) << 64 | u128::from(low)
}

/// Vectors that the last round but one is ahead of the last.
const AHEAD: usize = 2;

/// Takes a batch of full vectors, and moves the tweaks on if there is `MORE`.
///
/// # Safety
/// As [`run`]; there are eight full vectors.
#[inline(always)]
unsafe fn full_batch<L: Lanes, K: Keys<L>, T: InPlace<L>, const DECRYPT: bool, const MORE: bool>(
    keys: K,
    tweaks: &mut T,
    span: Span,
) {
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
                finish::<L, T, DECRYPT, MORE>(states[i - AHEAD], last_key, tweaks, i - AHEAD, span);
            }
        });
        each!(i in 0..AHEAD => {
            let i = WIDE - AHEAD + i;
            finish::<L, T, DECRYPT, MORE>(states[i], last_key, tweaks, i, span);
        });
    }
}

/// The last round of vector `i`, and its tweaks for the next batch if there is `MORE`.
#[inline(always)]
unsafe fn finish<L: Lanes, T: InPlace<L>, const DECRYPT: bool, const MORE: bool>(
    state: L,
    key: L,
    tweaks: &mut T,
    i: usize,
    span: Span,
) {
    // SAFETY: as the caller.
    unsafe {
        let key = key.xor(tweaks.at(i));
        span.store(i, L::BYTES, last_round::<L, DECRYPT>(state, key).pin());
        if MORE {
            tweaks.advance(i);
        }
    }
}

/// Less than a batch.
struct Rest<T, const DECRYPT: bool>(T);

/// Where its tweaks come from.
///
/// # Safety
/// As [`Lanes`].
trait Source<L> {
    /// Those of vector `i` of `n`.
    unsafe fn of(&self, i: usize, n: usize) -> L;
}

/// As the batches before left them.
struct Moved<'t, T>(&'t T);

impl<L: Lanes, T: Tweaks<L>> Source<L> for Moved<'_, T> {
    #[inline(always)]
    unsafe fn of(&self, i: usize, _: usize) -> L {
        // SAFETY: as the caller.
        unsafe { self.0.at(i) }
    }
}

/// The first block's, in every lane, of which the others are made.
struct First<L>(L);

impl<L: Lanes> First<L> {
    /// Up to so many vectors' are kept during the rounds.
    const KEPT: usize = if L::FEW_REGISTERS { 6 } else { WIDE };
}

impl<L: Lanes> Source<L> for First<L> {
    /// Where registers are too few, pinned: one vector's at a time, and made again after the rounds.
    #[inline(always)]
    unsafe fn of(&self, i: usize, n: usize) -> L {
        // SAFETY: as the caller.
        unsafe {
            if n > Self::KEPT {
                self.0.pin().alphas(i).pin()
            } else {
                self.0.alphas(i)
            }
        }
    }
}

impl<L: Lanes, T: Source<L>, const DECRYPT: bool> Mode<L> for Rest<T, DECRYPT> {
    #[inline(always)]
    unsafe fn batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span, last: usize) {
        // SAFETY: as the caller.
        unsafe {
            let whitening = keys.front(0);
            let mut states = [whitening; N];
            each!(i in 0..N => {
                let mut mask = whitening.xor(self.0.of(i, N));
                if L::FEW_REGISTERS {
                    // Text that another call has just stored comes last.
                    mask = mask.pin();
                }
                states[i] = span.load::<L>(i, bytes::<L>(i, N, last)).xor(mask).pin();
            });
            let states = crypt::<L, K, N, DECRYPT>(keys, states, &mut ());
            each!(i in 0..N => {
                let tweaks = self.0.of(i, N);
                span.store(i, bytes::<L>(i, N, last), states[i].xor(tweaks).pin());
            });
        }
    }
}

/// The last whole block and the part of one behind it (IEEE 1619, section 5.3.2). The block takes its turn, gives
/// its first bytes away as the part's and takes the part's own in their place, then takes the other turn.
///
/// All are loads and stores of a block: one that masks bytes of a wider vector waits for the masked store before it.
///
/// # Safety
/// As [`run`]; 17 to 31 bytes are left.
#[inline(always)]
unsafe fn steal<const DECRYPT: bool>(keys: &RoundKeys, tweak: u128, span: Span) {
    // Decryption meets the turns in reverse.
    let (this, other) = if DECRYPT {
        (double(tweak), tweak)
    } else {
        (tweak, double(tweak))
    };
    let part = span.len - BLOCK;
    // SAFETY: as the caller. In place, each byte is read before it is written; what comes too far to the front with the
    // part is written over by the block.
    unsafe {
        let block = once::<DECRYPT>(keys, Block::splat(this), Block::load(span.src));
        let end = Block::load(span.src.add(part));
        let given = Block::join(block, block, part);
        given.store(span.dst.add(part));
        let block = once::<DECRYPT>(keys, Block::splat(other), Block::join(end, given, BLOCK - part));
        block.store(span.dst);
    }
}

/// One block.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn once<const DECRYPT: bool>(keys: &RoundKeys, tweak: Block, block: Block) -> Block {
    // SAFETY: as the caller; the keys are lent for as long as they are used.
    unsafe {
        let keys = Stored::new(keys);
        let [state] = crypt::<_, _, 1, DECRYPT>(keys, [block.xor(tweak).xor(keys.front(0))], &mut ());
        state.xor(tweak)
    }
}
