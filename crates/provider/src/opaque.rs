//! Opaque keys (`EVP_SKEY`, OpenSSL 3.5): the `AES` of provider-skeymgmt(7).
//!
//! libcrypto gives such a key to a cipher of the key's own provider alone. A program that names neither has both from the
//! default properties, so that whoever offers the cipher must offer the key, or the program fails. libcrypto hands it to the
//! cipher as bytes, which it has by [`export`].

use std::ffi::{CStr, c_int, c_void};

use zeroize::Zeroizing;

use crate::{
    abi::{Algorithm, Dispatch, RawParam, key as id},
    function,
    param::Params,
};

/// The keys that there are.
pub(crate) static ALGORITHMS: [Algorithm; 2] = [
    Algorithm {
        names: c"AES".as_ptr(),
        properties: c"provider=ciphertune".as_ptr(),
        implementation: FUNCTIONS.as_ptr(),
        description: std::ptr::null(),
    },
    Algorithm::END,
];

static FUNCTIONS: [Dispatch; 5] = [
    function(id::FREE, free as *const c_void),
    function(id::IMPORT, import as *const c_void),
    function(id::EXPORT, export as *const c_void),
    function(
        id::IMPORT_SETTABLE_PARAMS,
        import_settable_params as *const c_void,
    ),
    Dispatch::END,
];

/// The one parameter of a key: its bytes.
const BYTES: &CStr = c"raw-bytes";

/// A key of AES; of XTS, two.
type Key = Zeroizing<Vec<u8>>;

// SAFETY of what follows: libcrypto calls with what provider-skeymgmt(7) says. A key is one that `import` made and `free` has
// not taken; lists of parameters end.

/// Null without bytes, or with other than 16, 24 or 32 of them, as of the default provider's.
unsafe extern "C" fn import(
    _provider: *mut c_void,
    selection: c_int,
    params: *const RawParam,
) -> *mut c_void {
    // SAFETY: see above; nothing is written to them.
    let mut params = unsafe { Params::new(params.cast_mut()) };
    let bytes = params.find(|param| param.name() == BYTES.to_bytes());
    match bytes.as_ref().map(|param| param.bytes()) {
        Some(Ok(Some(bytes))) if selection & id::SECRET != 0 && matches!(bytes.len(), 16 | 24 | 32) => {
            Box::into_raw(Box::new(Key::new(bytes.to_vec()))).cast()
        }
        _ => std::ptr::null_mut(),
    }
}

/// Shows a key's bytes, where they lie, to a function of the caller's, and answers what that does.
unsafe extern "C" fn export(
    key: *const c_void,
    selection: c_int,
    show: id::Callback,
    argument: *mut c_void,
) -> c_int {
    if key.is_null() || selection & id::SECRET == 0 {
        return 0;
    }
    // SAFETY: see above.
    let key = unsafe { &*key.cast::<Key>() };
    let params = [RawParam::holding(BYTES, key), RawParam::END];
    // SAFETY: the function takes such a list, and the caller's argument with it.
    unsafe { show(params.as_ptr(), argument) }
}

unsafe extern "C" fn import_settable_params(_provider: *mut c_void) -> *const RawParam {
    static SETTABLE: [RawParam; 2] = [RawParam::bytes(BYTES), RawParam::END];
    SETTABLE.as_ptr()
}

unsafe extern "C" fn free(key: *mut c_void) {
    if !key.is_null() {
        // SAFETY: see above.
        drop(unsafe { Box::from_raw(key.cast::<Key>()) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes the list's one value into a `Vec<u8>`.
    unsafe extern "C" fn take(params: *const RawParam, argument: *mut c_void) -> c_int {
        // SAFETY: `export` calls it with a list that ends and what `exported` gave it.
        let (mut params, taken) =
            unsafe { (Params::new(params.cast_mut()), &mut *argument.cast::<Vec<u8>>()) };
        taken.extend(params.next().unwrap().bytes().unwrap().unwrap());
        assert!(params.next().is_none());
        7
    }

    fn imported(selection: c_int, param: RawParam) -> *mut c_void {
        let params = [param, RawParam::END];
        // SAFETY: a list that ends.
        unsafe { import(std::ptr::null_mut(), selection, params.as_ptr()) }
    }

    #[test]
    fn keys_go_in_and_come_out() {
        for len in [16, 24, 32] {
            let bytes: Vec<u8> = (0..len).collect();
            let key = imported(id::SECRET, RawParam::holding(BYTES, &bytes));
            let mut shown = Vec::<u8>::new();
            let argument = (&raw mut shown).cast();
            // SAFETY: a key that `import` made, and is freed once.
            unsafe {
                assert_eq!(export(key, id::SECRET, take, argument), 7);
                assert_eq!(export(key, 0, take, argument), 0);
                free(key);
            }
            assert_eq!(shown, bytes);
        }
    }

    #[test]
    fn what_is_no_key_is_none() {
        let bytes = [1; 64];
        for len in [0, 15, 17, 33, 64] {
            assert!(
                imported(id::SECRET, RawParam::holding(BYTES, &bytes[..len])).is_null(),
                "{len}"
            );
        }
        let key = |name| RawParam::holding(name, &bytes[..16]);
        assert!(imported(1, key(BYTES)).is_null(), "parameters alone");
        assert!(imported(id::SECRET, key(c"raw")).is_null(), "another name");
        assert!(imported(id::SECRET, RawParam::bytes(BYTES)).is_null(), "no value");
        assert!(
            imported(id::SECRET, RawParam::unsigned(BYTES)).is_null(),
            "an integer"
        );
        // SAFETY: null is no key.
        unsafe {
            assert!(import(std::ptr::null_mut(), id::SECRET, std::ptr::null()).is_null());
            assert_eq!(
                export(std::ptr::null(), id::SECRET, take, std::ptr::null_mut()),
                0
            );
            free(std::ptr::null_mut());
        }
    }
}
