use std::{
    ffi::{CStr, c_char, c_uint, c_void},
    ptr,
};

/// `OSSL_PARAM`, as `openssl/core.h` has it.
#[repr(C)]
pub(super) struct Param {
    key: *const c_char,
    data_type: c_uint,
    data: *mut c_void,
    data_size: usize,
    /// Some who write leave it as it is.
    return_size: usize,
}

impl Param {
    const UTF8_STRING: c_uint = 4;
    const OCTET_STRING: c_uint = 5;

    /// What ends a list of them.
    pub(super) const END: Self = Self {
        key: ptr::null(),
        data_type: 0,
        data: ptr::null_mut(),
        data_size: 0,
        return_size: 0,
    };

    /// Text to be read, of which some readers look for the NUL. Valid for as long as both are there.
    pub(super) fn text(key: &CStr, text: &CStr) -> Self {
        Self {
            data_type: Self::UTF8_STRING,
            data: text.as_ptr().cast_mut().cast(),
            ..Self::bytes(key, text.to_bytes())
        }
    }

    /// Bytes to be read. Valid for as long as both are there.
    pub(super) fn bytes(key: &CStr, data: &[u8]) -> Self {
        Self {
            key: key.as_ptr(),
            data_type: Self::OCTET_STRING,
            data: data.as_ptr().cast_mut().cast(),
            data_size: data.len(),
            return_size: UNMODIFIED,
        }
    }

    /// Bytes to be written. Valid for as long as both are there.
    pub(super) fn place(key: &CStr, data: &mut [u8]) -> Self {
        let (data, data_size) = (data.as_mut_ptr().cast(), data.len());
        Self {
            data,
            data_size,
            ..Self::bytes(key, &[])
        }
    }
}

/// `OSSL_PARAM_UNMODIFIED`.
const UNMODIFIED: usize = usize::MAX;
