use std::{marker::PhantomData, ptr, slice};

use ciphertune::InOutBuf;
use zeroize::Zeroize;

use crate::{BLOCK, error::Reason};

/// What a caller passes to be encrypted or decrypted: input and room for output, which may be the same memory.
///
/// No output means that the input is additional data; no input, that a message ends. Which of them a mode knows is up
/// to the mode.
pub(crate) struct Call<'a> {
    input: *const u8,
    len: usize,
    output: *mut u8,
    room: usize,
    buffers: PhantomData<(&'a [u8], &'a mut [u8])>,
}

impl<'a> Call<'a> {
    /// # Safety
    /// Each of `input` and `output` is null or has `len` and `room` bytes, which nobody else touches for as long as
    /// `'a`.
    #[inline]
    pub(crate) unsafe fn new(input: *const u8, len: usize, output: *mut u8, room: usize) -> Self {
        Self {
            input,
            len,
            output,
            room,
            buffers: PhantomData,
        }
    }

    /// The same call where it is passed on in memory, so that it need not be there before.
    #[inline(always)]
    pub(crate) fn moved(self) -> Self {
        // SAFETY: it was made of these.
        unsafe { Self::new(self.input, self.len, self.output, self.room) }
    }

    /// How many bytes of input there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn has_input(&self) -> bool {
        !self.input.is_null()
    }

    #[inline]
    pub(crate) fn has_output(&self) -> bool {
        !self.output.is_null()
    }

    /// The input alone; empty if there is none.
    #[inline]
    pub(crate) fn input(&self) -> &'a [u8] {
        if self.input.is_null() || self.len == 0 {
            return &[];
        }
        // SAFETY: it has that many bytes; what is null is left out above.
        unsafe { slice::from_raw_parts(self.input, self.len) }
    }

    /// Input and output of the same length.
    ///
    /// Where they overlap, the input is moved to where the output will be: OpenSSL promises nothing then, but what
    /// is right costs nothing.
    #[inline]
    pub(crate) fn buffer(self) -> Result<InOutBuf<'a, 'a, u8>, Reason> {
        if self.len == 0 {
            return Ok((&mut [][..]).into());
        }
        if self.input.is_null() || self.output.is_null() {
            return Err(Reason::CipherOperationFailed);
        }
        if self.room < self.len {
            return Err(Reason::OutputBufferTooSmall);
        }
        let mut input = self.input;
        let distance = (input as usize).wrapping_sub(self.output as usize);
        let is_apart = distance >= self.len && distance.wrapping_neg() >= self.len;
        // SAFETY: neither is null, and both have `len` bytes: the same, or then apart.
        unsafe {
            if !is_apart && distance != 0 {
                ptr::copy(input, self.output, self.len);
                input = self.output;
            }
            Ok(InOutBuf::from_raw(input, self.output, self.len))
        }
    }

    /// Input and output in the same place, as records of TLS are, with `padding` zeros after the input.
    pub(crate) fn record(self, padding: usize) -> Result<&'a mut [u8], Reason> {
        let refused = Err(Reason::CipherOperationFailed);
        if self.input.is_null() || !ptr::eq(self.input, self.output) {
            return refused;
        }
        match self.len.checked_add(padding) {
            Some(len) if len <= self.room => {
                // SAFETY: the output has so many bytes; those after the input may never have been written before.
                unsafe {
                    ptr::write_bytes(self.output.add(self.len), 0, padding);
                    Ok(slice::from_raw_parts_mut(self.output, len))
                }
            }
            _ => refused,
        }
    }

    /// Whether `len` bytes can be written.
    pub(crate) fn room_for(&self, len: usize) -> Result<(), Reason> {
        if self.output.is_null() {
            Err(Reason::CipherOperationFailed)
        } else if self.room < len {
            Err(Reason::OutputBufferTooSmall)
        } else {
            Ok(())
        }
    }

    /// The whole output, for the end of a message.
    #[inline]
    pub(crate) fn write(self, bytes: &[u8]) -> Result<usize, Reason> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.room_for(bytes.len())?;
        // SAFETY: there is room; `bytes` are ours.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.output, bytes.len()) };
        Ok(bytes.len())
    }

    /// Takes whole blocks out of what was held back before and the input, and holds the rest back.
    ///
    /// `held` has the bytes held back, `n` of them. Of all bytes the first `whole`, which are whole blocks, come out as
    /// a buffer; the others, at most a block, are left in `held`.
    pub(crate) fn take_blocks(
        self,
        held: &mut [u8; BLOCK],
        n: &mut usize,
        whole: usize,
    ) -> Result<InOutBuf<'a, 'a, u8>, Reason> {
        let before = *n;
        let rest = before + self.len - whole;
        debug_assert!(before <= BLOCK && rest <= BLOCK && whole.is_multiple_of(BLOCK));
        if self.input.is_null() && self.len > 0 {
            return Err(Reason::CipherOperationFailed);
        }
        if whole == 0 {
            held[before..rest].copy_from_slice(self.input());
            *n = rest;
            return Ok((&mut [][..]).into());
        }
        self.room_for(whole)?;
        let input = self.input();
        *n = rest;
        if before == 0 {
            held[..rest].copy_from_slice(&input[whole..]);
            // SAFETY: `whole` bytes of both, which is no more than there are.
            return unsafe { Self::new(self.input, whole, self.output, self.room) }.buffer();
        }
        // What was held back goes ahead of the input: everything is moved to where the output will be.
        let (first, others) = (BLOCK - before, whole - BLOCK);
        held[before..].copy_from_slice(&input[..first]);
        let mut after = [0; BLOCK];
        after[..rest].copy_from_slice(&input[self.len - rest..]);
        // SAFETY: the output has room for `whole` bytes, and the input has so many less `before`. `input` is not used
        // after this.
        let blocks = unsafe {
            ptr::copy(self.input.add(first), self.output.add(BLOCK), others);
            ptr::copy_nonoverlapping(held.as_ptr(), self.output, BLOCK);
            slice::from_raw_parts_mut(self.output, whole)
        };
        *held = after;
        after.zeroize();
        Ok(blocks.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: usize = 100;

    /// An arena in which the input lies at any distance before or behind the output.
    fn arena(distance: isize, len: usize) -> (Vec<u8>, usize, Vec<u8>) {
        let arena: Vec<u8> = (0..400).map(|i| (i * 7) as u8).collect();
        let at = OUTPUT.wrapping_add_signed(distance);
        let input = arena[at..at + len].to_vec();
        (arena, at, input)
    }

    #[test]
    fn blocks_are_taken_in_order_wherever_the_buffers_lie() {
        for distance in [-90, -33, -16, -5, -1, 0, 1, 7, 16, 40, 150] {
            for before in 0..=BLOCK {
                for len in [0, 1, 3, 15, 16, 17, 31, 32, 33, 64, 80] {
                    for last_waits in [false, true] {
                        let (mut arena, at, input) = arena(distance, len);
                        let mut held = [0; BLOCK];
                        held[..before].fill(0xee);
                        let all = [&held[..before], &input].concat();
                        let whole = all.len().saturating_sub(last_waits.into()) / BLOCK * BLOCK;
                        let (input, output) = (arena[at..].as_ptr(), arena[OUTPUT..].as_mut_ptr());
                        // SAFETY: both lie within the arena, and nothing else looks at it meanwhile.
                        let call = unsafe { Call::new(input, len, output, 200) };
                        let mut n = before;
                        let taken = call.take_blocks(&mut held, &mut n, whole).unwrap();
                        assert_eq!(taken.get_in(), &all[..whole], "{distance}, {before} + {len}");
                        assert_eq!(held[..n], all[whole..], "{distance}, {before} + {len}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_and_changes_nothing() {
        let (mut arena, at, _) = arena(0, 40);
        let (mut held, mut n) = ([3; BLOCK], 5);
        // SAFETY: as above.
        let call = unsafe { Call::new(arena[at..].as_ptr(), 40, arena[OUTPUT..].as_mut_ptr(), 31) };
        let refused = call.take_blocks(&mut held, &mut n, 32).err();
        assert_eq!(refused, Some(Reason::OutputBufferTooSmall));
        assert_eq!((held, n), ([3; BLOCK], 5));
        // SAFETY: null is allowed.
        let call = unsafe { Call::new(ptr::null(), 40, arena.as_mut_ptr(), 40) };
        assert!(call.take_blocks(&mut held, &mut n, 32).is_err());
        // SAFETY: as above.
        let call = unsafe { Call::new(arena.as_ptr(), 40, ptr::null_mut(), 40) };
        assert_eq!(call.buffer().err(), Some(Reason::CipherOperationFailed));
    }
}
