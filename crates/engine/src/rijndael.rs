//! Rijndael with blocks that AES has not, in the modes that .NET's `RijndaelManaged` has.

use core::fmt;

use inout::InOutBuf;

use crate::{
    InvalidKeyLength,
    portable::{Pair, RijndaelKeys, xor},
};

/// An expanded key of Rijndael with blocks of `BLOCK` bytes, 24 or 32. One implementation, which any processor runs,
/// bitsliced and constant-time.
///
/// As [`crate::BlockKey`], it is made empty and filled in place: keep it where it is. Dropping wipes it.
pub struct RijndaelKey<const BLOCK: usize>(RijndaelKeys<BLOCK>);

impl<const BLOCK: usize> RijndaelKey<BLOCK> {
    /// No key yet: expand one with [`RijndaelKey::expand`].
    pub fn empty() -> Self {
        const {
            assert!(
                matches!(BLOCK, 24 | 32),
                "Rijndael's larger blocks have 24 or 32 bytes"
            )
        };
        Self(RijndaelKeys::NONE)
    }

    /// Expands `bytes` (16, 24 or 32 of them) in place of what was there.
    pub fn expand(&mut self, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        InvalidKeyLength::check(bytes)?;
        self.0.expand(bytes);
        Ok(())
    }

    /// Becomes the same key as `other`; what was there is wiped.
    pub fn copy_from(&mut self, other: &Self) {
        self.0.copy_from(&other.0);
    }
}

/// # Panics
/// All of these: if a length is not one that the mode takes.
impl<const BLOCK: usize> RijndaelKey<BLOCK> {
    /// Electronic codebook, whole blocks.
    pub fn ecb_encrypt(&self, buffer: InOutBuf<'_, '_, u8>) {
        pieces(BLOCK, 2, buffer, |room, mut now| {
            room.take(now.get_in());
            self.0.encrypt(room);
            room.give(now.get_out());
        });
    }

    /// As [`RijndaelKey::ecb_encrypt`], backwards.
    pub fn ecb_decrypt(&self, buffer: InOutBuf<'_, '_, u8>) {
        pieces(BLOCK, 2, buffer, |room, mut now| {
            room.take(now.get_in());
            self.0.decrypt(room);
            room.give(now.get_out());
        });
    }

    /// Cipher block chaining, whole blocks. `iv` becomes the last ciphertext block, with which a message that goes on
    /// goes on.
    pub fn cbc_encrypt(&self, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
        pieces(BLOCK, 1, buffer, |room, mut now| {
            room.take(now.get_in());
            xor(&mut room.0[0], iv);
            self.0.encrypt(room);
            *iv = room.0[0];
            room.give(now.get_out());
        });
    }

    /// As [`RijndaelKey::cbc_encrypt`], backwards.
    pub fn cbc_decrypt(&self, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
        pieces(BLOCK, 2, buffer, |room, mut now| {
            room.take(now.get_in());
            let [first, second] = room.0;
            self.0.decrypt(room);
            xor(&mut room.0[0], iv);
            xor(&mut room.0[1], &first);
            *iv = if now.len() == BLOCK { first } else { second };
            room.give(now.get_out());
        });
    }

    /// Cipher feedback by segments of `segment` bytes, 1 to `BLOCK`; whole segments. `iv` becomes the last bytes of IV and
    /// ciphertext, with which a message that goes on goes on.
    pub fn cfb_encrypt(&self, iv: &mut [u8; BLOCK], segment: usize, buffer: InOutBuf<'_, '_, u8>) {
        pieces(segment, 1, buffer, |room, mut now| {
            room.0[0] = *iv;
            self.0.encrypt(room);
            now.xor_in2out(&room.0[0][..segment]);
            shift_in(iv, now.get_out());
        });
    }

    /// As [`RijndaelKey::cfb_encrypt`], backwards.
    pub fn cfb_decrypt(&self, iv: &mut [u8; BLOCK], segment: usize, buffer: InOutBuf<'_, '_, u8>) {
        pieces(segment, 2, buffer, |room, now| {
            for (block, cipher) in room.0.iter_mut().zip(now.get_in().chunks(segment)) {
                *block = *iv;
                shift_in(iv, cipher);
            }
            self.0.encrypt(room);
            let (mut first, mut second) = now.split_at(segment);
            first.xor_in2out(&room.0[0][..segment]);
            let len = second.len();
            second.xor_in2out(&room.0[1][..len]);
        });
    }
}

/// Shows no key.
impl<const BLOCK: usize> fmt::Debug for RijndaelKey<BLOCK> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RijndaelKey(..)")
    }
}

/// Takes `buffer` through `each`, with room for two blocks: `most` pieces of `len` bytes at a time, or what is left.
#[inline(always)]
fn pieces<const BLOCK: usize>(
    len: usize,
    most: usize,
    mut buffer: InOutBuf<'_, '_, u8>,
    mut each: impl FnMut(&mut Pair<BLOCK>, InOutBuf<'_, '_, u8>),
) {
    assert!(
        (1..=BLOCK).contains(&len),
        "a piece of {len} bytes, of blocks of {BLOCK}"
    );
    assert!(
        buffer.len().is_multiple_of(len),
        "{} bytes are not whole pieces of {len}",
        buffer.len()
    );
    let mut room = Pair::ZERO;
    while !buffer.is_empty() {
        let now;
        let len = buffer.len().min(most * len);
        (now, buffer) = buffer.split_at(len);
        each(&mut room, now);
    }
}

/// Moves `bytes` into a register from behind, and as many out of it.
fn shift_in(register: &mut [u8], bytes: &[u8]) {
    register.copy_within(bytes.len().., 0);
    let at = register.len() - bytes.len();
    register[at..].copy_from_slice(bytes);
}
