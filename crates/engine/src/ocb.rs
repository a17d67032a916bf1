//! OCB3 (RFC 7253): each block is encrypted between two additions of an offset, as in XTS, and the sum of the text
//! makes the tag. No block waits for another.
//!
//! **Offsets.** Block i, counted from 1, moves the offset by L of the number of zeros that i ends in. Over 32 blocks
//! from a multiple of 32 on these moves are always the same but for the last: a batch adds to one offset a table of
//! sums that the key has, and sets the last of them right.

use core::fmt;

use inout::InOutBuf;
use zeroize::Zeroize;

use crate::{BLOCK, BlockKey, InvalidKeyLength, Kernel, gf128::double, tag::release};

#[cfg(vectors)]
pub(crate) mod vector;

/// Blocks in a batch of the widest vectors.
const BATCH: usize = 32;

/// No message in memory has a block whose number ends in more zeros.
const MOST_ZEROS: usize = 59;

/// An expanded AES key with what OCB makes of it. It is made empty and filled in place, and wiped on drop.
#[derive(Default)]
pub struct OcbKey {
    pub(crate) key: BlockKey,
    pub(crate) moves: Moves,
}

/// What moves offsets (RFC 7253, section 4.1).
#[repr(align(64))]
pub(crate) struct Moves {
    /// The sums of the first 1, 2, … moves, as memory has blocks.
    sums: [u128; BATCH],
    /// L for 0 zeros and more, as big-endian numbers.
    l: [u128; MOST_ZEROS + 1],
    /// L_*: before a part of a block.
    part: u128,
    /// L_$: before the tag.
    tag: u128,
}

impl Moves {
    /// Takes L_*.
    fn start(&mut self, part: u128) {
        self.part = part;
        self.tag = double(part);
        let mut l = self.tag;
        for place in &mut self.l {
            l = double(l);
            *place = l;
        }
        let mut sum = 0;
        for (i, place) in (1_u32..).zip(&mut self.sums) {
            sum ^= self.l[i.trailing_zeros() as usize].swap_bytes();
            *place = sum;
        }
    }

    /// L for so many zeros.
    #[inline(always)]
    pub(crate) fn l(&self, zeros: u32) -> u128 {
        self.l[zeros as usize]
    }
}

impl Default for Moves {
    fn default() -> Self {
        Self {
            sums: [0; BATCH],
            l: [0; MOST_ZEROS + 1],
            part: 0,
            tag: 0,
        }
    }
}

/// Where an offset and a sum stand, both as memory has blocks.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) offset: u128,
    pub(crate) sum: u128,
}

impl Drop for State {
    fn drop(&mut self) {
        self.offset.zeroize();
        self.sum.zeroize();
    }
}

impl OcbKey {
    /// No key yet: expand one with [`Kernel::expand_ocb`].
    pub fn empty() -> Self {
        Self::default()
    }

    /// Becomes the same key as `other`, in the same layout; what was there is wiped.
    pub fn copy_from(&mut self, other: &Self) {
        self.key.copy_from(&other.key);
        self.moves.start(other.moves.part);
    }
}

impl Drop for Moves {
    fn drop(&mut self) {
        self.sums.zeroize();
        self.l.zeroize();
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
        key.moves.start(part.swap_bytes());
        Ok(())
    }

    /// Encrypts `buffer` and answers its tag, of which the first `tag_len` bytes count.
    pub fn ocb_seal(
        self,
        key: &OcbKey,
        nonce: &[u8],
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag_len: usize,
    ) -> [u8; BLOCK] {
        let state = self.ocb_start(key, nonce, tag_len);
        self.ocb_run::<true>(key, state, aad, buffer).to_le_bytes()
    }

    /// Decrypts `buffer` and answers whether `tag` is its tag. If it is not, the output is zeros: decrypted text stands
    /// there only while this runs.
    #[must_use]
    pub fn ocb_open(
        self,
        key: &OcbKey,
        nonce: &[u8],
        aad: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> bool {
        let state = self.ocb_start(key, nonce, tag.len());
        let expected = self.ocb_run::<false>(key, state, aad, buffer.reborrow());
        release(buffer.get_out(), expected, tag)
    }

    /// The offset before the first block.
    fn ocb_start(self, key: &OcbKey, nonce: &[u8], tag_len: usize) -> State {
        assert!((1..=15).contains(&nonce.len()), "a nonce has 1 to 15 bytes");
        assert!((1..=BLOCK).contains(&tag_len), "a tag has 1 to 16 bytes");
        let mut block = [0; BLOCK];
        block[0] = ((8 * tag_len % 128) << 1) as u8;
        block[15 - nonce.len()] |= 1;
        block[16 - nonce.len()..].copy_from_slice(nonce);
        let bottom = u32::from(block[15] % 64);
        block[15] -= bottom as u8;
        let top = self.encrypt_block(&key.key, u128::from_le_bytes(block));
        let top = top.swap_bytes();
        // 64 bits more, of which `bottom` move in.
        let more = (top ^ top << 8) >> 64;
        let offset = top << bottom | more >> (64 - bottom);
        State {
            offset: offset.swap_bytes(),
            sum: 0,
        }
    }

    /// Takes the whole message and answers the tag that belongs to it, its first byte as the least significant.
    fn ocb_run<const SEAL: bool>(
        self,
        key: &OcbKey,
        mut state: State,
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> u128 {
        let whole = buffer.len() / BLOCK * BLOCK;
        let (blocks, mut end) = buffer.split_at(whole);
        let run = if SEAL {
            self.modes().ocb_encrypt
        } else {
            self.modes().ocb_decrypt
        };
        if whole > 0 {
            // SAFETY: a kernel exists only where its features were found.
            unsafe { run(key, &mut state, blocks) };
        }
        if !end.is_empty() {
            let len = end.len();
            state.offset ^= key.moves.part.swap_bytes();
            let pad = self.encrypt_block(&key.key, state.offset) & !(u128::MAX << (8 * len));
            let input = number(end.get_in());
            let output = input ^ pad;
            end.get_out().copy_from_slice(&output.to_le_bytes()[..len]);
            state.sum ^= padded(if SEAL { input } else { output }, len);
        }
        let before_tag = state.sum ^ state.offset ^ key.moves.tag.swap_bytes();
        self.encrypt_block(&key.key, before_tag) ^ self.ocb_hash(key, aad)
    }

    /// The hash of additional data.
    fn ocb_hash(self, key: &OcbKey, aad: &[u8]) -> u128 {
        let mut state = State::default();
        let (blocks, end) = aad.split_at(aad.len() / BLOCK * BLOCK);
        if !blocks.is_empty() {
            // SAFETY: as above.
            unsafe { (self.modes().ocb_hash)(key, &mut state, blocks) };
        }
        if !end.is_empty() {
            let block = padded(number(end), end.len());
            state.sum ^= self.encrypt_block(&key.key, block ^ state.offset ^ key.moves.part.swap_bytes());
        }
        state.sum
    }
}

/// Less than a block as a number, the first byte the least significant.
fn number(bytes: &[u8]) -> u128 {
    let mut block = [0; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(block)
}

/// `len` bytes with a one after them.
fn padded(bytes: u128, len: usize) -> u128 {
    bytes | 0x80 << (8 * len)
}
