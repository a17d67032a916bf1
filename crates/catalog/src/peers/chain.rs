use ciphertune_testkit::Fault;
use inout::InOutBuf;

use crate::context::block_of;

/// A stream in CBC or CFB, of a library that has messages alone: this carries the last block of ciphertext from one to
/// the next.
pub(super) struct Chain<const BLOCK: usize> {
    iv: [u8; BLOCK],
    backward: bool,
}

impl<const BLOCK: usize> Chain<BLOCK> {
    pub(super) fn new(iv: &[u8], backward: bool) -> Result<Self, Fault> {
        Ok(Self {
            iv: block_of(iv)?,
            backward,
        })
    }

    /// The next blocks of the stream. `crypt` works on a message with this IV.
    #[inline]
    pub(super) fn run(
        &mut self,
        mut buffer: InOutBuf<'_, '_, u8>,
        crypt: impl FnOnce(&[u8; BLOCK], InOutBuf<'_, '_, u8>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let Some(last) = buffer.len().checked_sub(BLOCK) else {
            return Ok(());
        };
        if self.backward {
            // Before it is overwritten.
            let next = block_of(&buffer.get_in()[last..])?;
            crypt(&self.iv, buffer)?;
            self.iv = next;
        } else {
            crypt(&self.iv, buffer.reborrow())?;
            self.iv = block_of(&buffer.get_out()[last..])?;
        }
        Ok(())
    }
}
