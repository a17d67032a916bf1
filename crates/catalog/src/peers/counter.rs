use ciphertune_testkit::Fault;
use inout::InOutBuf;
use zeroize::Zeroize;

use crate::context::block;

/// A stream in counter mode, of a library that has messages alone: this carries the counter from one to the next, and
/// keeps what is left of a block.
pub(crate) struct Counter {
    next: u128,
    keystream: [u8; BLOCK],
    /// Bytes used of `keystream`.
    used: usize,
}

const BLOCK: usize = 16;

impl Counter {
    pub(crate) fn new(iv: &[u8]) -> Result<Self, Fault> {
        Ok(Self {
            next: u128::from_be_bytes(block(iv)?),
            keystream: [0; BLOCK],
            used: BLOCK,
        })
    }

    /// The next bytes of the stream. `crypt` works on a message that begins with the counter block that it is given and
    /// that carries out of no more than the lowest 32 bits, which is all that some libraries count in.
    #[inline]
    pub(crate) fn run(
        &mut self,
        mut buffer: InOutBuf<'_, '_, u8>,
        mut crypt: impl FnMut(&[u8; BLOCK], InOutBuf<'_, '_, u8>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if self.used < BLOCK {
            let len = buffer.len().min(BLOCK - self.used);
            let (mut rest, later) = buffer.split_at(len);
            rest.xor_in2out(&self.keystream[self.used..][..len]);
            self.used += len;
            buffer = later;
        }
        while buffer.len() >= BLOCK {
            let blocks_to_carry = (1 << 32) - (self.next as u32 as usize);
            let blocks = (buffer.len() / BLOCK).min(blocks_to_carry);
            let (now, later) = buffer.split_at(BLOCK * blocks);
            crypt(&self.next.to_be_bytes(), now)?;
            self.next = self.next.wrapping_add(blocks as u128);
            buffer = later;
        }
        if !buffer.is_empty() {
            self.keystream = [0; BLOCK];
            crypt(&self.next.to_be_bytes(), InOutBuf::from(&mut self.keystream[..]))?;
            self.next = self.next.wrapping_add(1);
            self.used = buffer.len();
            let used = self.used;
            buffer.xor_in2out(&self.keystream[..used]);
        }
        Ok(())
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.keystream.zeroize();
    }
}
