//! Counter with CBC-MAC (SP 800-38C; RFC 3610).
//!
//! The MAC takes block after block and waits for each; counter mode has time to run beside it.

mod message;
#[cfg(vectors)]
pub(crate) mod vector;

pub use message::CcmMessage;

use inout::InOutBuf;

use crate::{BLOCK, BlockKey, Kernel, part, tag::release, wipe::apart};

/// # Panics
/// Sealing and opening: if `key` was last expanded by a kernel with another layout, or never; if the nonce has not 7 to
/// 13 bytes, the tag not 4, 6, … 16; if the message is longer than [`Kernel::longest_ccm`].
impl Kernel {
    /// The longest message with a nonce of `nonce_len` bytes: its length must fit in the 15 bytes that the nonce leaves.
    #[inline]
    pub fn longest_ccm(nonce_len: usize) -> u64 {
        let bits = 8 * 15_u32.saturating_sub(nonce_len as u32);
        u64::MAX.checked_shr(64_u32.saturating_sub(bits)).unwrap_or(0)
    }

    /// Encrypts `buffer` and answers its tag, of which the first `tag_len` bytes count.
    #[inline]
    pub fn ccm_seal(
        self,
        key: &BlockKey,
        nonce: &[u8],
        aad: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag_len: usize,
    ) -> [u8; BLOCK] {
        self.ccm::<true>(key, nonce, aad, &mut buffer, tag_len)
            .to_le_bytes()
    }

    /// Decrypts `buffer` and answers whether `tag` is its tag. If it is not, the output is zeros: decrypted text stands
    /// there only while this runs.
    #[inline]
    #[must_use]
    pub fn ccm_open(
        self,
        key: &BlockKey,
        nonce: &[u8],
        aad: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> bool {
        let expected = self.ccm::<false>(key, nonce, aad, &mut buffer, tag.len());
        release(buffer.get_out(), expected, tag)
    }

    /// Encrypts or decrypts, and answers the tag.
    #[inline]
    fn ccm<const SEAL: bool>(
        self,
        key: &BlockKey,
        nonce: &[u8],
        aad: &[u8],
        buffer: &mut InOutBuf<'_, '_, u8>,
        tag_len: usize,
    ) -> u128 {
        let lengths = (aad.len() as u64, buffer.len() as u64);
        if let Some(whole) = self.modes().ccm
            && lengths.1 <= ONE_CARRY
        {
            let start = Start::new(nonce, lengths, tag_len);
            let run = if SEAL { whole.seal } else { whole.open };
            // SAFETY: a kernel exists only where its features were found; the counter does not carry.
            return unsafe { run(key, start, aad, buffer) };
        }
        self.ccm_in_parts::<SEAL>(key, nonce, aad, buffer, tag_len)
    }

    /// Apart, so that what is done at once has no registers to save for it.
    #[inline(never)]
    fn ccm_in_parts<const SEAL: bool>(
        self,
        key: &BlockKey,
        nonce: &[u8],
        aad: &[u8],
        buffer: &mut InOutBuf<'_, '_, u8>,
        tag_len: usize,
    ) -> u128 {
        let lengths = (aad.len() as u64, buffer.len() as u64);
        apart::<512, _>(|| {
            let mut message = CcmMessage::empty();
            self.ccm_start(key, &mut message, nonce, lengths, tag_len);
            self.ccm_aad(key, &mut message, aad);
            self.ccm_text::<SEAL>(key, &mut message, buffer.reborrow());
            self.ccm_end(key, &mut message)
        })
    }
}

/// The longest text whose counters, from zero on, fit in the four bytes that kernels count in.
const ONE_CARRY: u64 = ((1 << 32) - 1) * BLOCK as u64;

/// A whole message.
#[derive(Clone, Copy)]
pub(crate) struct Whole {
    pub(crate) seal: Run,
    pub(crate) open: Run,
}

/// From additional data and text to the tag. What the text is goes by reference, as for [`crate::GcmKernel`].
type Run = unsafe fn(&BlockKey, Start, &[u8], &mut InOutBuf<'_, '_, u8>) -> u128;

/// What a message begins with.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    /// Counter block 0, a big-endian number: one byte less than the length of the length, the nonce, zeros.
    pub(crate) counter: u128,
    /// The first block of the MAC, its first byte the least significant: the same with flags, and the length of the text
    /// for zeros.
    pub(crate) block: u128,
}

impl Start {
    #[inline]
    fn new(nonce: &[u8], (aad_len, text_len): (u64, u64), tag_len: usize) -> Self {
        let nonce_len = nonce.len();
        assert!((7..=13).contains(&nonce_len), "a nonce has 7 to 13 bytes");
        assert!(
            (4..=BLOCK).contains(&tag_len) && tag_len.is_multiple_of(2),
            "a tag has 4, 6, … 16 bytes"
        );
        assert!(text_len <= Kernel::longest_ccm(nonce_len), "CCM's limit");
        let counter = part::number(nonce) << 8 | (14 - nonce_len as u128);
        let flags = u128::from(aad_len > 0) << 6 | (tag_len as u128 / 2 - 1) << 3;
        Self {
            counter: counter.swap_bytes(),
            block: counter | flags | u128::from(text_len).swap_bytes(),
        }
    }
}

/// The length of additional data as it stands before them (SP 800-38C, A.2.2), its first byte the least significant, and
/// how many bytes it takes; nothing before none.
#[inline]
pub(crate) fn encode_length(len: u64) -> (u128, usize) {
    let big_endian = u128::from(len.swap_bytes());
    if len == 0 {
        (0, 0)
    } else if len < 0xff00 {
        (big_endian >> 48, 2)
    } else if len < 1 << 32 {
        (0xfeff | big_endian >> 32 << 16, 6)
    } else {
        (0xffff | big_endian << 16, 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        assert_eq!(Kernel::longest_ccm(13), 0xffff);
        assert_eq!(Kernel::longest_ccm(12), 0xff_ffff);
        assert_eq!(Kernel::longest_ccm(7), u64::MAX);
    }

    /// SP 800-38C, A.2.2; messages of that length are not made here.
    #[test]
    fn lengths_of_additional_data() {
        for (len, expected) in [
            (0, &[][..]),
            (1, &[0, 1]),
            (0xfeff, &[0xfe, 0xff]),
            (0xff00, &[0xff, 0xfe, 0, 0, 0xff, 0]),
            (0xffff_ffff, &[0xff, 0xfe, 0xff, 0xff, 0xff, 0xff]),
            (1 << 32, &[0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 0]),
        ] {
            let (block, n) = encode_length(len);
            assert_eq!(&block.to_le_bytes()[..n], expected);
            assert_eq!(block >> (8 * n), 0, "nothing behind it");
        }
    }
}
