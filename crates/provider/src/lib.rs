//! The OpenSSL provider `ciphertune.so`: AES by Ciphertune under programs that use OpenSSL 3 or 4, by a few lines of
//! configuration and without touching the programs.
//!
//! | where | what |
//! |---|---|
//! | [`OSSL_provider_init`] | what libcrypto calls when it loads the provider |
//! | `settings` | the provider's section of the configuration, and which implementation serves what |
//! | `cipher` | the functions of a cipher, generic over the modes, and the table of algorithms |
//! | `cipher::{ctr, …}` | the modes: parameters, padding, records of TLS |
//! | `opaque` | keys that libcrypto keeps for its ciphers, `EVP_SKEY` |
//! | `self_test` | known answers, checked before anything is offered |
//! | `call`, `param`, `error` | C's buffers, parameters and error queue as Rust has them |
//! | `abi` | numbers and structures of OpenSSL's |
//!
//! It offers what it has whole: each algorithm with every parameter of the default provider's that means something to
//! it, under all its names, with the same errors. All others stay with the default provider.
//!
//! What asks the system is done while loading, since a sandbox may forbid it later. After that no function takes a lock or opens
//! a file; the kernel is asked for memory, and for random bytes where an IV is drawn or a connection of TLS under CBC is made.
//! Threads there are only where the settings ask for them.
//!
//! Memory is allocated for contexts and keys, for the MAC of TLS records under CBC, for a busy key of GCM once, and for CCM's
//! additional data, which wait for the text. Where there is none for these data the call fails, and for the busy key it goes on
//! without; for the others Rust ends the process.
//!
//! **Panics** end the process at the border to C (`extern "C"` functions do not unwind). None can be reached; if one
//! could, going on with a cipher in an unknown state would be worse.

mod abi;
mod call;
mod cipher;
mod error;
mod opaque;
mod param;
mod random;
mod self_test;
mod settings;
#[cfg(test)]
#[path = "../../../tests/tuned.rs"]
mod tuned;

use std::{
    ffi::{CStr, CString, c_int, c_void},
    ptr,
};

use crate::{
    abi::{Algorithm, Dispatch, Handle, Item, RawParam, core, provider as id},
    error::{Errors, LoadReason},
    param::Params,
    settings::{Decisions, Settings},
};

#[global_allocator]
static ALLOCATOR: ciphertune_system::Malloc = ciphertune_system::Malloc;

/// Bytes of a block of AES.
const BLOCK: usize = 16;

/// The provider as one library context of libcrypto's has loaded it.
struct Provider {
    errors: Errors,
    decisions: Decisions,
    /// Version, and what the decisions are based on.
    build_info: CString,
}

static FUNCTIONS: [Dispatch; 7] = [
    function(id::TEARDOWN, teardown as *const c_void),
    function(id::GETTABLE_PARAMS, gettable_params as *const c_void),
    function(id::GET_PARAMS, get_params as *const c_void),
    function(id::QUERY_OPERATION, query_operation as *const c_void),
    function(id::GET_REASON_STRINGS, reason_strings as *const c_void),
    function(id::SELF_TEST, self_test as *const c_void),
    Dispatch::END,
];

const fn function(id: c_int, function: *const c_void) -> Dispatch {
    Dispatch { id, function }
}

/// Loads the provider: reads its settings, chooses implementations and tests them. Answers 0, with an error in
/// OpenSSL's queue, if a setting is wrong or an answer is.
///
/// # Safety
/// Called by libcrypto, as provider(7) has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    handle: *const c_void,
    offered: *const Dispatch,
    functions: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int {
    // SAFETY: libcrypto's handle and table; the number belongs to a function of this type.
    let (errors, get) = unsafe {
        (
            Errors::new(handle, offered),
            error::function(offered, core::GET_PARAMS)
                .map(|f| std::mem::transmute::<*const c_void, core::GetParams>(f)),
        )
    };
    let Some(get) = get else { return 0 };
    let handle: Handle = handle;
    // SAFETY: as above.
    let settings = unsafe { Settings::ask(&handle, get) };
    let decisions = match Decisions::make(&settings) {
        Ok(decisions) => decisions,
        Err(why) => {
            errors.raise_at_load(LoadReason::Setting, &why);
            return 0;
        }
    };
    if let Err(algorithm) = self_test::run(&decisions) {
        errors.raise_at_load(LoadReason::SelfTest, algorithm);
        return 0;
    }
    // SAFETY: both have room for a pointer.
    unsafe {
        *functions = FUNCTIONS.as_ptr();
        *context = Box::into_raw(Box::new(Provider {
            errors,
            build_info: decisions.described(),
            decisions,
        }))
        .cast();
    }
    1
}

// SAFETY of what follows: libcrypto calls with what provider-base(7) says; the provider's context is what
// `OSSL_provider_init` made.

unsafe extern "C" fn teardown(provider: *mut c_void) {
    // SAFETY: see above; it is the last call.
    drop(unsafe { Box::from_raw(provider.cast::<Provider>()) });
}

unsafe extern "C" fn gettable_params(_provider: *mut c_void) -> *const RawParam {
    static GETTABLE: [RawParam; 5] = [
        RawParam::text(c"name"),
        RawParam::text(c"version"),
        RawParam::text(c"buildinfo"),
        RawParam::unsigned(c"status"),
        RawParam::END,
    ];
    GETTABLE.as_ptr()
}

unsafe extern "C" fn get_params(provider: *mut c_void, params: *mut RawParam) -> c_int {
    const VERSION: &CStr = c_str(concat!(env!("CARGO_PKG_VERSION"), "\0"));
    // SAFETY: see above.
    let (provider, params) = unsafe { (&*provider.cast::<Provider>(), Params::new(params)) };
    for mut param in params {
        // All of them stay where they are for as long as the provider is loaded.
        let outcome = match param.name() {
            b"name" => param.set_text(c"Ciphertune"),
            b"version" => param.set_text(VERSION),
            b"buildinfo" => param.set_text(&provider.build_info),
            b"status" => param.set_unsigned(1),
            _ => Ok(()),
        };
        if outcome.is_err() {
            return 0;
        }
    }
    1
}

const fn c_str(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("a text with a zero at its end alone"),
    }
}

unsafe extern "C" fn query_operation(
    _provider: *mut c_void,
    operation: c_int,
    no_cache: *mut c_int,
) -> *const Algorithm {
    // SAFETY: it has room for an integer.
    unsafe { *no_cache = 0 };
    match operation {
        id::CIPHERS => cipher::table::ALGORITHMS.as_ptr(),
        id::OPAQUE_KEYS => opaque::ALGORITHMS.as_ptr(),
        _ => ptr::null(),
    }
}

unsafe extern "C" fn reason_strings(_provider: *mut c_void) -> *const Item {
    error::REASONS.as_ptr()
}

unsafe extern "C" fn self_test(provider: *mut c_void) -> c_int {
    // SAFETY: see above.
    let provider = unsafe { &*provider.cast::<Provider>() };
    match self_test::run(&provider.decisions) {
        Ok(()) => 1,
        Err(algorithm) => {
            provider.errors.raise_at_load(LoadReason::SelfTest, algorithm);
            0
        }
    }
}
