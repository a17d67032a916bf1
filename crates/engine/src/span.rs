//! The bytes that a kernel works on, as addresses.

use inout::InOutBuf;

#[cfg(vectors)]
use crate::{
    BLOCK,
    lanes::{Lanes, Multiply},
};

/// Bytes to go from `src` to `dst`, which are equal or apart.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(crate) src: *const u8,
    pub(crate) dst: *mut u8,
    pub(crate) len: usize,
}

impl Span {
    #[inline(always)]
    pub(crate) fn new(buffer: InOutBuf<'_, '_, u8>) -> Self {
        let len = buffer.len();
        let (src, dst) = buffer.into_raw();
        Self { src, dst, len }
    }

    /// As a buffer.
    ///
    /// # Safety
    /// Both addresses are valid for its length, for as long as the buffer is used.
    #[inline(always)]
    pub(crate) unsafe fn buffer<'inp, 'out>(self) -> InOutBuf<'inp, 'out, u8> {
        // SAFETY: the caller's bytes; they are equal or apart.
        unsafe { InOutBuf::from_raw(self.src, self.dst, self.len) }
    }
}

#[cfg(vectors)]
impl Span {
    /// Bytes that go nowhere: `dst` must not be used.
    #[inline(always)]
    pub(crate) fn input(data: &[u8]) -> Self {
        Self {
            src: data.as_ptr(),
            dst: core::ptr::null_mut(),
            len: data.len(),
        }
    }

    /// The last block's worth of what is read, `none` where there is nothing.
    ///
    /// # Safety
    /// Valid for reads of its length, which is nothing or a block at least.
    #[inline(always)]
    pub(crate) unsafe fn last_block(self, none: &[u8; BLOCK]) -> [u8; BLOCK] {
        if self.len == 0 {
            return *none;
        }
        // SAFETY: the caller has a block at least.
        unsafe { self.src.add(self.len - BLOCK).cast::<[u8; BLOCK]>().read() }
    }

    /// Whether it goes from one buffer to another.
    #[inline(always)]
    pub(crate) fn is_apart(self) -> bool {
        self.src != self.dst.cast_const()
    }

    /// What remains after the first `bytes`.
    ///
    /// # Safety
    /// There are that many.
    #[inline(always)]
    pub(crate) unsafe fn after(self, bytes: usize) -> Self {
        // SAFETY: the caller's bytes.
        unsafe {
            Self {
                src: self.src.add(bytes),
                dst: self.dst.wrapping_add(bytes),
                len: self.len - bytes,
            }
        }
    }

    /// The first `n` bytes of vector `i`.
    ///
    /// # Safety
    /// As [`Lanes`]; they lie within the span.
    #[inline(always)]
    pub(crate) unsafe fn load<L: Lanes>(self, i: usize, n: usize) -> L {
        // SAFETY: as the caller.
        unsafe { L::load_first(self.src.add(i * L::BYTES), n) }
    }

    /// As [`Self::load`], and zero if `n` is.
    ///
    /// # Safety
    /// As [`Self::load`].
    #[inline(always)]
    pub(crate) unsafe fn load_part<L: Multiply>(self, i: usize, n: usize) -> L {
        // SAFETY: as the caller.
        unsafe { L::load_part(self.src.add(i * L::BYTES), n) }
    }

    /// The first `n` bytes from a block before vector `i` on.
    ///
    /// # Safety
    /// As [`Lanes`]; they lie within the span.
    #[inline(always)]
    pub(crate) unsafe fn load_before<L: Lanes>(self, i: usize, n: usize) -> L {
        // SAFETY: as the caller.
        unsafe { L::load_first(self.src.add(i * L::BYTES - 16), n) }
    }

    /// Stores the first `n` bytes of vector `i`.
    ///
    /// # Safety
    /// As [`Lanes`]; they lie within the span.
    #[inline(always)]
    pub(crate) unsafe fn store<L: Lanes>(self, i: usize, n: usize, vector: L) {
        // SAFETY: as the caller.
        unsafe { vector.store_first(self.dst.add(i * L::BYTES), n) }
    }

    /// As [`Self::store`], and nothing if `n` is zero.
    ///
    /// # Safety
    /// As [`Self::store`].
    #[inline(always)]
    pub(crate) unsafe fn store_part<L: Multiply>(self, i: usize, n: usize, vector: L) {
        // SAFETY: as the caller.
        unsafe { vector.store_part(self.dst.add(i * L::BYTES), n) }
    }
}
