//! What a kernel needs of a vector register that holds AES blocks side by side.

use crate::rounds::Keys;

/// A vector of [`Lanes::BLOCKS`] blocks of 16 bytes.
///
/// Methods and the kernels that use them are `#[inline(always)]` and carry no `#[target_feature]`
/// themselves: they take on the features of the thin wrapper that they end up in. For the same reason no
/// kernel may use a closure or an outlined helper that takes vectors.
///
/// # Safety
/// Every method may be called only from code compiled with the CPU features that the implementing type
/// names, on a processor that has them. Pointers need no alignment.
pub(crate) trait Lanes: Copy {
    /// Where long messages take their round keys from.
    type Keys: Keys<Self>;

    /// Blocks a vector.
    const BLOCKS: usize;
    /// Bytes a vector.
    const BYTES: usize = 16 * Self::BLOCKS;

    /// `block` in every lane, its least significant byte first.
    unsafe fn splat(block: u128) -> Self;
    /// The 16 bytes at `from`, in every lane.
    unsafe fn broadcast(from: *const u128) -> Self;
    /// [`Self::BYTES`] bytes from `from`.
    unsafe fn load(from: *const u8) -> Self;
    /// [`Self::BYTES`] bytes to `to`.
    unsafe fn store(self, to: *mut u8);
    /// Asks for the cache line at `line` early. Nothing is read: it may lie behind the end of its buffer.
    fn prefetch(line: *const u8);
    /// The first `n` bytes from `from`, zero above; 1 ≤ `n` ≤ [`Self::BYTES`], and no other byte is touched.
    unsafe fn load_first(from: *const u8, n: usize) -> Self;
    /// The first `n` bytes to `to`; 1 ≤ `n` ≤ [`Self::BYTES`], and no other byte is touched.
    unsafe fn store_first(self, to: *mut u8, n: usize);

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
    unsafe fn counters(first: u128) -> Self;
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
    /// In each lane, the block without its first byte and then the first byte of `next`.
    unsafe fn slide(self, next: Self) -> Self;
    /// The columns of the square whose rows are the vectors at the first [`Self::BLOCKS`] addresses; the others
    /// are not touched.
    unsafe fn load_square(rows: [*const u8; 4]) -> [Self; 4];

    /// Lane j times α^(`i`·[`Self::BLOCKS`] + j) in GF(2¹²⁸) as XTS writes it, for `i` < 8.
    unsafe fn alphas(self, i: usize) -> Self;
    /// Every lane times α^(8·[`Self::BLOCKS`]).
    unsafe fn alpha_batch(self) -> Self;
}
