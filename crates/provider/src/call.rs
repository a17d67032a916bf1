use std::{marker::PhantomData, ptr, slice};

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

/// Input and output as Rust has them.
pub(crate) enum Buffer<'a> {
    InPlace(&'a mut [u8]),
    Apart(&'a [u8], &'a mut [u8]),
}

impl<'a> Buffer<'a> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::InPlace(data) => data.len(),
            Self::Apart(input, _) => input.len(),
        }
    }
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
    pub(crate) fn buffer(self) -> Result<Buffer<'a>, Reason> {
        if self.len == 0 {
            return Ok(Buffer::InPlace(&mut []));
        }
        if self.input.is_null() || self.output.is_null() {
            return Err(Reason::CipherOperationFailed);
        }
        if self.room < self.len {
            return Err(Reason::OutputBufferTooSmall);
        }
        let distance = (self.input as usize).wrapping_sub(self.output as usize);
        // SAFETY: neither is null, and both have `len` bytes.
        unsafe {
            if distance >= self.len && distance.wrapping_neg() >= self.len {
                return Ok(Buffer::Apart(
                    slice::from_raw_parts(self.input, self.len),
                    slice::from_raw_parts_mut(self.output, self.len),
                ));
            }
            if distance != 0 {
                ptr::copy(self.input, self.output, self.len);
            }
            Ok(Buffer::InPlace(slice::from_raw_parts_mut(self.output, self.len)))
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
    ) -> Result<Buffer<'a>, Reason> {
        let before = *n;
        let rest = before + self.len - whole;
        debug_assert!(before <= BLOCK && rest <= BLOCK && whole.is_multiple_of(BLOCK));
        if self.input.is_null() && self.len > 0 {
            return Err(Reason::CipherOperationFailed);
        }
        if whole == 0 {
            held[before..rest].copy_from_slice(self.input());
            *n = rest;
            return Ok(Buffer::InPlace(&mut []));
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
        Ok(Buffer::InPlace(blocks))
    }
}
