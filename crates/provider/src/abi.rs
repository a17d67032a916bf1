//! The binary interface between libcrypto and a provider, as OpenSSL 3.0 fixed it, 3.5 added to it and 4.0 still has it.
//!
//! Sources: `openssl/core.h` (structures), `openssl/core_dispatch.h` (numbers and signatures of functions),
//! `openssl/core_names.h` (names of parameters), `openssl/evp.h` (modes), `openssl/err.h` and `openssl/proverr.h`
//! (errors), and the manual pages provider(7), provider-base(7), provider-cipher(7), provider-skeymgmt(7) and
//! OSSL_PARAM(3).

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// `OSSL_DISPATCH`: a function and its number. A table ends with the number 0.
#[repr(C)]
pub struct Dispatch {
    pub(crate) id: c_int,
    pub(crate) function: *const c_void,
}

impl Dispatch {
    pub(crate) const END: Self = Self {
        id: 0,
        function: std::ptr::null(),
    };
}

/// `OSSL_ALGORITHM`. A table ends with a null name.
#[repr(C)]
pub(crate) struct Algorithm {
    /// All its names, with colons between them; the first is the one that is shown.
    pub(crate) names: *const c_char,
    pub(crate) properties: *const c_char,
    pub(crate) implementation: *const Dispatch,
    pub(crate) description: *const c_char,
}

impl Algorithm {
    pub(crate) const END: Self = Self {
        names: std::ptr::null(),
        properties: std::ptr::null(),
        implementation: std::ptr::null(),
        description: std::ptr::null(),
    };
}

/// `OSSL_ITEM`: here the number of an error and what it means. A table ends with the number 0.
#[repr(C)]
pub(crate) struct Item {
    pub(crate) id: c_uint,
    pub(crate) text: *const c_char,
}

// SAFETY: of all three: they are made of constants, and point at constants alone.
unsafe impl Sync for Dispatch {}
// SAFETY: as above.
unsafe impl Sync for Algorithm {}
// SAFETY: as above.
unsafe impl Sync for Item {}

/// `OSSL_PARAM`: one parameter, its value in memory of the caller's. A list ends with a null key.
#[repr(C)]
pub(crate) struct RawParam {
    pub(crate) key: *const c_char,
    pub(crate) kind: c_uint,
    pub(crate) data: *mut c_void,
    pub(crate) size: usize,
    /// Of what was written, or would have been.
    pub(crate) written: usize,
}

// SAFETY: shared between threads only where it describes a parameter, without a value.
unsafe impl Sync for RawParam {}

/// What kind of value a parameter has.
pub(crate) mod kind {
    use std::ffi::c_uint;

    pub(crate) const INTEGER: c_uint = 1;
    pub(crate) const UNSIGNED: c_uint = 2;
    pub(crate) const OCTET_STRING: c_uint = 5;
    pub(crate) const UTF8_POINTER: c_uint = 6;
    pub(crate) const OCTET_POINTER: c_uint = 7;
}

impl RawParam {
    /// The value of `written` by which a caller sees that nothing was written.
    const UNMODIFIED: usize = usize::MAX;

    pub(crate) const END: Self = Self::described(None, 0, 0);

    /// A `size_t`.
    pub(crate) const fn size(name: &'static CStr) -> Self {
        Self::described(Some(name), kind::UNSIGNED, size_of::<usize>())
    }

    pub(crate) const fn unsigned(name: &'static CStr) -> Self {
        Self::described(Some(name), kind::UNSIGNED, size_of::<c_uint>())
    }

    pub(crate) const fn signed(name: &'static CStr) -> Self {
        Self::described(Some(name), kind::INTEGER, size_of::<c_int>())
    }

    pub(crate) const fn bytes(name: &'static CStr) -> Self {
        Self::described(Some(name), kind::OCTET_STRING, 0)
    }

    pub(crate) const fn pointer(name: &'static CStr) -> Self {
        Self::described(Some(name), kind::OCTET_POINTER, 0)
    }

    pub(crate) const fn text(name: &'static CStr) -> Self {
        Self::described(Some(name), kind::UTF8_POINTER, 0)
    }

    /// Bytes where they lie, for somebody who reads them.
    pub(crate) const fn holding(name: &'static CStr, bytes: &[u8]) -> Self {
        let mut param = Self::described(Some(name), kind::OCTET_STRING, bytes.len());
        param.data = bytes.as_ptr().cast_mut().cast();
        param
    }

    const fn described(name: Option<&'static CStr>, kind: c_uint, size: usize) -> Self {
        Self {
            key: match name {
                Some(name) => name.as_ptr(),
                None => std::ptr::null(),
            },
            kind,
            data: std::ptr::null_mut(),
            size,
            written: Self::UNMODIFIED,
        }
    }
}

/// `OSSL_CORE_HANDLE`: libcrypto's own, passed back to it.
pub(crate) type Handle = *const c_void;

/// Functions of libcrypto's that it offers to a provider.
pub(crate) mod core {
    use super::{Handle, RawParam, c_char, c_int, c_void};

    pub(crate) const GET_PARAMS: c_int = 2;
    pub(crate) const NEW_ERROR: c_int = 5;
    pub(crate) const SET_ERROR_DEBUG: c_int = 6;
    pub(crate) const VSET_ERROR: c_int = 7;

    pub(crate) type GetParams = unsafe extern "C" fn(Handle, *mut RawParam) -> c_int;
    pub(crate) type NewError = unsafe extern "C" fn(Handle);
    pub(crate) type SetErrorDebug = unsafe extern "C" fn(Handle, *const c_char, c_int, *const c_char);
    /// The last argument is a `va_list`.
    pub(crate) type VsetError = unsafe extern "C" fn(Handle, u32, *const c_char, *const c_void);
}

/// Functions that a provider offers.
pub(crate) mod provider {
    use super::c_int;

    pub(crate) const TEARDOWN: c_int = 1024;
    pub(crate) const GETTABLE_PARAMS: c_int = 1025;
    pub(crate) const GET_PARAMS: c_int = 1026;
    pub(crate) const QUERY_OPERATION: c_int = 1027;
    pub(crate) const GET_REASON_STRINGS: c_int = 1029;
    pub(crate) const SELF_TEST: c_int = 1031;

    /// `OSSL_OP_CIPHER`.
    pub(crate) const CIPHERS: c_int = 2;
    /// `OSSL_OP_SKEYMGMT`, from OpenSSL 3.5 on.
    pub(crate) const OPAQUE_KEYS: c_int = 15;
}

/// Functions that an opaque key offers.
pub(crate) mod key {
    use super::{RawParam, c_int, c_void};

    pub(crate) const FREE: c_int = 1;
    pub(crate) const IMPORT: c_int = 2;
    pub(crate) const EXPORT: c_int = 3;
    pub(crate) const IMPORT_SETTABLE_PARAMS: c_int = 6;

    /// `OSSL_SKEYMGMT_SELECT_SECRET_KEY`.
    pub(crate) const SECRET: c_int = 2;

    /// `OSSL_CALLBACK`.
    pub(crate) type Callback = unsafe extern "C" fn(*const RawParam, *mut c_void) -> c_int;
}

/// Functions that a cipher offers.
pub(crate) mod cipher {
    use super::c_int;

    pub(crate) const NEWCTX: c_int = 1;
    pub(crate) const ENCRYPT_INIT: c_int = 2;
    pub(crate) const DECRYPT_INIT: c_int = 3;
    pub(crate) const UPDATE: c_int = 4;
    pub(crate) const FINAL: c_int = 5;
    pub(crate) const CIPHER: c_int = 6;
    pub(crate) const FREECTX: c_int = 7;
    pub(crate) const DUPCTX: c_int = 8;
    pub(crate) const GET_PARAMS: c_int = 9;
    pub(crate) const GET_CTX_PARAMS: c_int = 10;
    pub(crate) const SET_CTX_PARAMS: c_int = 11;
    pub(crate) const GETTABLE_PARAMS: c_int = 12;
    pub(crate) const GETTABLE_CTX_PARAMS: c_int = 13;
    pub(crate) const SETTABLE_CTX_PARAMS: c_int = 14;
}

/// `EVP_CIPH_…_MODE`.
pub(crate) mod mode {
    pub(crate) const ECB: u32 = 1;
    pub(crate) const CBC: u32 = 2;
    pub(crate) const CFB: u32 = 3;
    pub(crate) const OFB: u32 = 4;
    pub(crate) const CTR: u32 = 5;
    pub(crate) const GCM: u32 = 6;
    pub(crate) const CCM: u32 = 7;
    pub(crate) const XTS: u32 = 0x10001;
    pub(crate) const OCB: u32 = 0x10003;
}

/// `ERR_LIB_PROV`: the default provider's errors. Programs know them, so that ours are the same.
pub(crate) const DEFAULT_PROVIDER_ERRORS: u32 = 57;
