//! OCB3 (RFC 7253): each block is encrypted between two additions of an offset, as in XTS, and the sum of the text
//! makes the tag. No block waits for another.
//!
//! **Offsets.** Block i, counted from 1, moves the offset by L of the number of zeros that i ends in. Over 64 blocks
//! from a multiple of 64 on these moves are always the same but for the last: a batch adds to one offset a table of
//! sums that the key has, and sets the last of them right.

mod message;
#[cfg(vectors)]
pub(crate) mod vector;

pub use message::OcbMessage;
pub(crate) use message::padded;

use core::{fmt, hint::cold_path};

use inout::InOutBuf;
use zeroize::Zeroize;

use crate::{
    BLOCK, BlockKey, InvalidKeyLength, Kernel,
    copy::copy_one,
    gf128::double,
    tag::release,
    wipe::{apart, overwrite},
};

/// Blocks in a batch of the widest vectors.
const BATCH: usize = 64;

/// More than a vector has of them: what is read of the sums from any place on stays among them.
const BEHIND: usize = 4;

/// For numbers of blocks that end in as many zeros and more, L is made when it is wanted, once in a mebibyte: a key with all 60
/// of them would take as long as the rest of a short message.
const KEPT: usize = 16;

/// An expanded AES key with what OCB makes of it. It is made empty and filled in place, and wiped on drop.
#[derive(Default)]
pub struct OcbKey {
    pub(crate) key: BlockKey,
    pub(crate) moves: Moves,
}

/// What moves offsets (RFC 7253, section 4.1), as memory has blocks.
#[repr(align(64))]
pub(crate) struct Moves {
    /// The sums of the first 1, 2, … moves; zeros behind them.
    sums: [u128; BATCH + BEHIND],
    /// L for 0 zeros and more.
    l: [u128; KEPT],
    /// L_*: before a part of a block.
    pub(crate) part: u128,
    /// L_$: before the tag.
    pub(crate) tag: u128,
}

impl Moves {
    /// Takes L_*.
    fn start(&mut self, part: u128) {
        self.part = part;
        let mut l = double(part.swap_bytes());
        self.tag = l.swap_bytes();
        for place in &mut self.l {
            l = double(l);
            *place = l.swap_bytes();
        }
        let mut sum = 0;
        for (block, place) in (1..).zip(&mut self.sums[..BATCH]) {
            sum ^= self.l[u64::trailing_zeros(block) as usize];
            *place = sum;
        }
    }

    /// What moves the offset to the block of that number.
    pub(crate) fn to(&self, block: u64) -> u128 {
        /// Apart: else the last of those kept, from which all others follow, is loaded beforehand and left on the stack.
        #[cold]
        #[inline(never)]
        fn made(moves: &Moves, block: u64) -> u128 {
            moves.made(block)
        }
        self.kept(block).copied().unwrap_or_else(|| made(self, block))
    }

    /// The same, where the key has it.
    #[inline(always)]
    fn kept(&self, block: u64) -> Option<&u128> {
        self.l.get(block.trailing_zeros() as usize)
    }

    /// The same, where it has not. In line, since a call would have every vector saved.
    #[inline(always)]
    fn made(&self, block: u64) -> u128 {
        cold_path();
        let last = self.l[KEPT - 1].swap_bytes();
        let l = (KEPT as u32..=block.trailing_zeros()).fold(last, |l, _| double(l));
        l.swap_bytes()
    }
}

impl Default for Moves {
    #[inline(always)]
    fn default() -> Self {
        Self {
            sums: [0; BATCH + BEHIND],
            l: [0; KEPT],
            part: 0,
            tag: 0,
        }
    }
}

/// Where an offset and a sum stand after so many blocks, both as memory has blocks.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) offset: u128,
    pub(crate) sum: u128,
    pub(crate) blocks: u64,
}

impl State {
    /// By fields: a whole one that is moved leaves a copy behind.
    fn copy_from(&mut self, other: &Self) {
        copy_one(&mut self.offset, &other.offset);
        copy_one(&mut self.sum, &other.sum);
        self.blocks = other.blocks;
    }
}

/// Every message has two of these.
impl Drop for State {
    fn drop(&mut self) {
        overwrite(&mut self.offset, 0);
        overwrite(&mut self.sum, 0);
    }
}

impl OcbKey {
    /// No key yet: expand one with [`Kernel::expand_ocb`].
    #[inline(always)] // in a larger place nothing is then copied
    pub fn empty() -> Self {
        Self {
            key: BlockKey::empty(),
            moves: Moves::default(),
        }
    }

    /// Becomes the same key as `other`, in the same layout; what was there is wiped.
    pub fn copy_from(&mut self, other: &Self) {
        self.key.copy_from(&other.key);
        self.moves.start(other.moves.part);
    }
}

impl Drop for Moves {
    fn drop(&mut self) {
        overwrite(&mut self.sums, [0; BATCH + BEHIND]);
        overwrite(&mut self.l, [0; KEPT]);
        self.part.zeroize();
        self.tag.zeroize();
    }
}

/// Shows no key.
impl fmt::Debug for OcbKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OcbKey(..)")
    }
}

/// # Panics
/// Sealing and opening: if `key` was last expanded by a kernel with another layout, or never; if the nonce has not 1 to
/// 15 bytes, the tag not 1 to 16.
impl Kernel {
    /// Expands `bytes` (16, 24 or 32 of them) into `key`, in place.
    pub fn expand_ocb(self, key: &mut OcbKey, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        self.expand_block(&mut key.key, bytes)?;
        let part = self.encrypt_block(&key.key, 0);
        key.moves.start(part);
        Ok(())
    }

    /// Encrypts `buffer` and answers its tag, of which the first `tag_len` bytes count.
    #[inline]
    pub fn ocb_seal(
        self,
        key: &OcbKey,
        nonce: &[u8],
        aad: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag_len: usize,
    ) -> [u8; BLOCK] {
        self.ocb::<true>(key, nonce, aad, &mut buffer, tag_len)
            .to_le_bytes()
    }

    /// Decrypts `buffer` and answers whether `tag` is its tag of that length. If it is not, the output is zeros: decrypted
    /// text stands there only while this runs. The comparison takes the same time whatever it finds.
    #[inline]
    #[must_use]
    pub fn ocb_open(
        self,
        key: &OcbKey,
        nonce: &[u8],
        aad: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> bool {
        let expected = self.ocb::<false>(key, nonce, aad, &mut buffer, tag.len());
        release(buffer.get_out(), expected, tag)
    }

    /// Encrypts or decrypts, and answers the tag.
    #[inline]
    fn ocb<const SEAL: bool>(
        self,
        key: &OcbKey,
        nonce: &[u8],
        aad: &[u8],
        buffer: &mut InOutBuf<'_, '_, u8>,
        tag_len: usize,
    ) -> u128 {
        let start = Start::new(nonce, tag_len);
        if let Some(whole) = self.modes().ocb
            && aad.len() < LONG_AAD
        {
            let run = if SEAL { whole.seal } else { whole.open };
            // SAFETY: a kernel exists only where its features were found.
            return unsafe { run(key, start, aad, buffer) };
        }
        self.ocb_in_parts::<SEAL>(key, start, aad, buffer)
    }

    /// Apart, so that what is done at once has no registers to save for it: 20 cycles of a short message.
    #[inline(never)]
    fn ocb_in_parts<const SEAL: bool>(
        self,
        key: &OcbKey,
        start: Start,
        aad: &[u8],
        buffer: &mut InOutBuf<'_, '_, u8>,
    ) -> u128 {
        apart::<512, _>(|| {
            let mut message = OcbMessage::empty();
            self.ocb_begin(key, &mut message, start);
            self.ocb_aad(key, &mut message, aad);
            self.ocb_text::<SEAL>(key, &mut message, buffer.reborrow());
            self.ocb_end(key, &message)
        })
    }
}

/// From so many bytes on additional data are worth a call of their own, for batches. Whole messages have less.
pub(crate) const LONG_AAD: usize = 256;

/// A whole message, with less than [`LONG_AAD`] bytes of additional data.
#[derive(Clone, Copy)]
pub(crate) struct Whole {
    pub(crate) seal: Run,
    pub(crate) open: Run,
}

/// From additional data and text to the tag. What the text is goes by reference, as for [`crate::GcmKernel`].
type Run = unsafe fn(&OcbKey, Start, &[u8], &mut InOutBuf<'_, '_, u8>) -> u128;

/// What a message begins with.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    /// The block of the nonce without its last six bits, its first byte the least significant.
    pub(crate) top: u128,
    /// Those bits.
    pub(crate) bottom: u32,
}

impl Start {
    #[inline]
    fn new(nonce: &[u8], tag_len: usize) -> Self {
        assert!((1..=15).contains(&nonce.len()), "a nonce has 1 to 15 bytes");
        assert!((1..=BLOCK).contains(&tag_len), "a tag has 1 to 16 bytes");
        let number = (8 * tag_len as u128 % 128) << 121 | after_one(nonce);
        let bottom = (number % 64) as u32;
        Self {
            top: (number - u128::from(bottom)).swap_bytes(),
            bottom,
        }
    }
}

/// The nonce as a big-endian number after a one. Most have twelve bytes: put together in a register they need not be waited
/// for on their way through memory.
#[inline]
fn after_one(nonce: &[u8]) -> u128 {
    if let (words, []) = nonce.as_chunks() {
        return words.iter().fold(1, |number, word| {
            number << 32 | u128::from(u32::from_be_bytes(*word))
        });
    }
    nonce
        .iter()
        .fold(1, |number, byte| number << 8 | u128::from(*byte))
}

/// The offset before the first block (RFC 7253, section 4.2), of the encrypted block of the nonce.
#[inline(always)]
pub(crate) fn first_offset(top: u128, bottom: u32) -> u128 {
    let top = top.swap_bytes();
    // 64 bits more, of which `bottom` move in.
    let more = (top ^ top << 8) >> 64;
    (top << bottom | more >> (64 - bottom)).swap_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7253, section 4.1: L_0 is L_* doubled twice, and each further one the one before doubled.
    #[test]
    fn moves_are_doublings() {
        let mut moves = Moves::default();
        moves.start(0x0123_4567_89ab_cdef << 61 | 1);
        let mut l = double(double(moves.part.swap_bytes()));
        for zeros in 0..60 {
            for block in [1 << zeros, 5 << zeros] {
                assert_eq!(moves.to(block), l.swap_bytes(), "block {block}");
            }
            l = double(l);
        }
    }
}
