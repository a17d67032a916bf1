use ciphertune_testkit::Fault;
use inout::InOutBuf;
use zeroize::Zeroize;

use crate::context::block;

/// A message: the counter block that it begins with, and its text.
pub(crate) type Part<'a> = (&'a [u8; BLOCK], InOutBuf<'a, 'a, u8>);

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

    /// A whole message, of one call that takes what follows its last whole block too: as `crypt` in [`Counter::run`].
    #[inline]
    pub(crate) fn message(
        iv: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        crypt: impl FnMut(&[u8; BLOCK], InOutBuf<'_, '_, u8>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        pieces(&mut u128::from_be_bytes(block(iv)?), buffer, crypt)
    }

    /// The next bytes of the stream. `crypt` works on a message that begins with the counter block that it is given and
    /// that carries out of no more than the lowest 32 bits, which is all that some libraries count in.
    #[inline]
    pub(crate) fn run(
        &mut self,
        buffer: InOutBuf<'_, '_, u8>,
        mut crypt: impl FnMut(&[u8; BLOCK], InOutBuf<'_, '_, u8>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.run_together(buffer, |whole, end| {
            let mut parts = whole.into_iter().chain(end);
            parts.try_for_each(|(counter, buffer)| crypt(counter, buffer))
        })
    }

    /// The same of a library that takes two messages at once, or has a better way to a block alone: `crypt` gets whole blocks
    /// and, of the block that the call ends within, zeros for its keystream, either or both.
    #[inline]
    pub(crate) fn run_together(
        &mut self,
        mut buffer: InOutBuf<'_, '_, u8>,
        mut crypt: impl FnMut(Option<Part<'_>>, Option<Part<'_>>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if self.used < BLOCK {
            let len = buffer.len().min(BLOCK - self.used);
            let (mut rest, later) = buffer.split_at(len);
            rest.xor_in2out(&self.keystream[self.used..][..len]);
            self.used += len;
            buffer = later;
        }
        let whole = buffer.len() / BLOCK * BLOCK;
        let (now, mut end) = buffer.split_at(whole);
        let mut last = None;
        pieces(&mut self.next, now, |counter, now| {
            match last.replace((*counter, now)) {
                Some((counter, before)) => crypt(Some((&counter, before)), None),
                None => Ok(()),
            }
        })?;
        let last = last.as_mut().map(|(counter, now)| (&*counter, now.reborrow()));
        if end.is_empty() {
            return last.map_or(Ok(()), |last| crypt(Some(last), None));
        }
        self.keystream = [0; BLOCK];
        let counter = self.next.to_be_bytes();
        crypt(last, Some((&counter, InOutBuf::from(&mut self.keystream[..]))))?;
        self.next = self.next.wrapping_add(1);
        self.used = end.len();
        end.xor_in2out(&self.keystream[..self.used]);
        Ok(())
    }
}

/// Cuts behind the blocks that carry out of 32 bits, and counts on.
#[inline]
fn pieces<'i, 'o>(
    next: &mut u128,
    mut buffer: InOutBuf<'i, 'o, u8>,
    mut crypt: impl FnMut(&[u8; BLOCK], InOutBuf<'i, 'o, u8>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    while !buffer.is_empty() {
        let blocks_to_carry = (1 << 32) - (*next as u32 as usize);
        let len = buffer.len().min(BLOCK * blocks_to_carry);
        let (now, later) = buffer.split_at(len);
        crypt(&next.to_be_bytes(), now)?;
        *next = next.wrapping_add(len.div_ceil(BLOCK) as u128);
        buffer = later;
    }
    Ok(())
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.keystream.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The counter blocks that calls began with, and how long they were.
    fn calls(iv: u128, len: usize) -> Vec<(u128, usize)> {
        let mut calls = Vec::new();
        let mut message = vec![0; len];
        Counter::message(
            &iv.to_be_bytes(),
            InOutBuf::from(&mut message[..]),
            |next, buffer| {
                calls.push((u128::from_be_bytes(*next), buffer.len()));
                Ok(())
            },
        )
        .unwrap();
        calls
    }

    #[test]
    fn a_message_is_of_one_call_unless_it_carries() {
        for len in [1, 16, 1344, 1350] {
            assert_eq!(calls(7, len), [(7, len)]);
        }
        assert_eq!(calls(u128::MAX, 20), [(u128::MAX, 16), (0, 4)]);
        assert_eq!(calls(u32::MAX.into(), 20), [(u32::MAX.into(), 16), (1 << 32, 4)]);
    }
}
