use std::ffi::c_void;

use zeroize::Zeroize;

/// Memory for a structure of a library, which asks for no more alignment than a cache line: zeros at first, wiped at
/// the end, and never moved in between.
pub(super) struct Memory(Box<[Line]>);

#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

impl Memory {
    /// Room for `len` bytes.
    pub(super) fn new(len: usize) -> Self {
        Self(vec![Line([0; 64]); len.div_ceil(size_of::<Line>())].into())
    }

    pub(super) fn as_ptr(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }

    pub(super) fn as_mut_ptr(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(|line| line.0.zeroize());
    }
}
