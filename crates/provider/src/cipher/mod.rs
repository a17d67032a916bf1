//! What libcrypto calls: for each mode the same few functions, generic over [`Cipher`].

mod block;
mod ccm;
mod ctr;
mod feedback;
mod gcm;
mod key;
mod ocb;
mod record;
pub(crate) mod table;
mod tls;
mod xts;

use std::{
    ffi::{c_int, c_void},
    ptr, slice,
};

use crate::{
    BLOCK, Provider,
    abi::{Algorithm, Dispatch, RawParam, cipher as id},
    call::Call,
    error::{Failure, Reason},
    param::{Param, Params},
    settings::Decisions,
};

/// A mode of AES as libcrypto sees it. Lengths are in bytes.
pub(crate) trait Cipher: Sized {
    /// One of [`crate::abi::mode`].
    const MODE: u32;
    /// The block by which messages must be cut or padded; 1 if any length will do.
    const BLOCK_SIZE: usize;
    const IV_LEN: usize;
    /// Whether it makes a tag.
    const AEAD: bool = false;
    /// Whether libcrypto leaves the IV wholly to the mode.
    const CUSTOM_IV: bool = false;
    /// How it fails where a length of keys is set that is another than its own; `None` if it takes no notice.
    const OTHER_KEY_LEN: Option<Failure> = None;
    /// The parameters of a context that can be asked for, and set, in the order in which those of one call are taken.
    const GETTABLE: &'static [RawParam] = WITHOUT_TAG;
    const SETTABLE: &'static [RawParam] = &[
        RawParam::unsigned(c"padding"),
        RawParam::unsigned(c"num"),
        RawParam::END,
    ];
    /// The lengths of the messages that the self-test takes: one for each of the library's length classes that can
    /// be had in a moment.
    const TESTED: &'static [usize] = &[16, 61, 250, 1021, 4099];
    /// [`ciphertune::Ctr::BUSY_AFTER`]; 0 if no rounds are made ahead.
    const BUSY_AFTER: usize = 0;
    /// The length of the IV that it takes.
    const TESTED_IV: usize = Self::IV_LEN;

    /// No key yet.
    fn new() -> Self;

    /// Begins a message. Without a key, or without an IV, the one before stays. A key has the right length.
    fn init(
        &mut self,
        way: Way,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        decisions: &Decisions,
    ) -> Result<(), Failure>;

    /// Goes on with it; answers how many bytes came out.
    fn update(&mut self, call: Call<'_>) -> Result<usize, Failure>;

    /// Ends it; answers how many bytes came out.
    fn finish(&mut self, call: Call<'_>) -> Result<usize, Failure>;

    /// A call that neither holds anything back nor pads, which some never do: `EVP_Cipher`.
    #[inline]
    fn cipher(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        self.update(call)
    }

    /// Answers a parameter if it knows it; the length of keys is the context's.
    fn get(&mut self, param: &mut Param<'_>) -> Result<(), Failure>;

    /// Takes a parameter if it knows it.
    fn set(&mut self, param: &Param<'_>) -> Result<(), Failure>;

    /// Stands where `other` does from here on. See [`copied`].
    fn copy_from(&mut self, other: &Self);
}

/// [`Cipher::GETTABLE`] of most modes that make no tag.
const WITHOUT_TAG: &[RawParam] = &[
    RawParam::size(c"keylen"),
    RawParam::size(c"ivlen"),
    RawParam::unsigned(c"padding"),
    RawParam::unsigned(c"num"),
    RawParam::bytes(c"iv"),
    RawParam::bytes(c"updated-iv"),
    RawParam::END,
];

/// [`Cipher::copy_from`] of these fields, which are all, or it does not compile. A copy that is made and then moved to its
/// place, as a clone is, leaves another one on the stack, with key, keystream and text, that nothing wipes.
macro_rules! copied {
    ($($field:ident)*) => {
        fn copy_from(&mut self, other: &Self) {
            let Self { $($field),* } = self;
            $($field.clone_from(&other.$field);)*
        }
    };
}
use copied;

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Encrypt,
    Decrypt,
}

/// A block that one call leaves to the next, which waits for it: written and read as a vector, it is there soonest within one
/// line of the cache, and latest across a page's end.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Aligned([u8; BLOCK]);

/// What `newctx` gives to libcrypto.
struct Context<C> {
    provider: *const Provider,
    /// Of the algorithm's keys, in bytes.
    key_len: usize,
    cipher: C,
}

impl<C: Cipher> Context<C> {
    #[inline]
    fn init(
        &mut self,
        way: Way,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        params: Params<'_>,
    ) -> Result<(), Failure> {
        if key.is_some_and(|key| key.len() != self.key_len) {
            return Err(Reason::InvalidKeyLength.into());
        }
        // SAFETY: as in `fail`.
        let decisions = &unsafe { &*self.provider }.decisions;
        self.cipher.init(way, key, iv, decisions)?;
        self.set_all(params)
    }

    fn get(&mut self, param: &mut Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"keylen" => Ok(param.set_unsigned(self.key_len)?),
            _ => self.cipher.get(param),
        }
    }

    #[inline]
    fn set_all(&mut self, params: Params<'_>) -> Result<(), Failure> {
        params.in_order_of(C::SETTABLE, |param| self.set(param))
    }

    fn set(&mut self, param: &Param<'_>) -> Result<(), Failure> {
        match C::OTHER_KEY_LEN {
            Some(failure) if param.name() == b"keylen" && param.unsigned()? != self.key_len => Err(failure),
            _ => self.cipher.set(param),
        }
    }
}

impl<C> Context<C> {
    /// What libcrypto makes of an outcome.
    #[inline]
    fn answer(&self, outcome: Result<(), Failure>) -> c_int {
        match outcome {
            Ok(()) => 1,
            Err(failure) => self.fail(failure),
        }
    }

    #[cold]
    fn fail(&self, failure: Failure) -> c_int {
        if let Failure::Raise(reason) = failure {
            // SAFETY: libcrypto keeps the provider for as long as there is a context.
            unsafe { &*self.provider }.errors.raise(reason);
        }
        0
    }

    /// The same of an update.
    #[cold]
    fn fail_update(&self, failure: Failure) -> c_int {
        self.fail(failure);
        match failure.is_passed_on() {
            true => self.fail(Reason::CipherOperationFailed.into()),
            false => 0,
        }
    }
}

/// An entry of the table of algorithms: this mode, with keys of `KEY` bytes.
pub(crate) const fn algorithm<C: Cipher, const KEY: usize>(names: &'static std::ffi::CStr) -> Algorithm {
    Algorithm {
        names: names.as_ptr(),
        properties: c"provider=ciphertune".as_ptr(),
        implementation: Functions::<C, KEY>::TABLE.as_ptr(),
        description: ptr::null(),
    }
}

struct Functions<C, const KEY: usize>(C);

macro_rules! table {
    ($($id:ident $function:expr,)*) => {
        &[$(Dispatch { id: id::$id, function: $function as *const c_void },)* Dispatch::END]
    };
}

impl<C: Cipher, const KEY: usize> Functions<C, KEY> {
    const TABLE: &'static [Dispatch] = table! {
        NEWCTX newctx::<C, KEY>,
        FREECTX freectx::<C>,
        DUPCTX dupctx::<C>,
        ENCRYPT_INIT encrypt_init::<C>,
        DECRYPT_INIT decrypt_init::<C>,
        UPDATE update::<C>,
        FINAL finish::<C>,
        CIPHER cipher::<C>,
        GET_PARAMS get_params::<C, KEY>,
        GETTABLE_PARAMS gettable_params,
        GET_CTX_PARAMS get_ctx_params::<C>,
        GETTABLE_CTX_PARAMS gettable_ctx_params::<C>,
        SET_CTX_PARAMS set_ctx_params::<C>,
        SETTABLE_CTX_PARAMS settable_ctx_params::<C>,
    };
}

// SAFETY of what follows: libcrypto calls with what provider-cipher(7) says. A context is one that `newctx` or `dupctx`
// of the same mode made and `freectx` has not taken, and no other thread uses it meanwhile. Where parameters are asked for or
// set, or a copy is made, it can be null: of a context that a program had begun and libcrypto failed. Buffers have the lengths
// that are passed with them; lists of parameters end. A panic does not leave such a function: `extern "C"` ends the
// process. None can be reached; if one could, a cipher in an unknown state must not go on.

unsafe extern "C" fn newctx<C: Cipher, const KEY: usize>(provider: *mut c_void) -> *mut c_void {
    let context = Context {
        provider: provider.cast_const().cast(),
        key_len: KEY,
        cipher: C::new(),
    };
    Box::into_raw(Box::new(context)).cast()
}

unsafe extern "C" fn freectx<C: Cipher>(context: *mut c_void) {
    if !context.is_null() {
        // SAFETY: see above.
        drop(unsafe { Box::from_raw(context.cast::<Context<C>>()) });
    }
}

unsafe extern "C" fn dupctx<C: Cipher>(context: *mut c_void) -> *mut c_void {
    // SAFETY: see above.
    let Some(context) = (unsafe { context.cast::<Context<C>>().as_ref() }) else {
        return ptr::null_mut();
    };
    let mut copy = Box::new(Context {
        cipher: C::new(),
        ..*context
    });
    copy.cipher.copy_from(&context.cipher);
    Box::into_raw(copy).cast()
}

unsafe extern "C" fn encrypt_init<C: Cipher>(
    context: *mut c_void,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    params: *mut RawParam,
) -> c_int {
    // SAFETY: see above.
    unsafe { init::<C>(context, Way::Encrypt, (key, key_len), (iv, iv_len), params) }
}

unsafe extern "C" fn decrypt_init<C: Cipher>(
    context: *mut c_void,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    params: *mut RawParam,
) -> c_int {
    // SAFETY: see above.
    unsafe { init::<C>(context, Way::Decrypt, (key, key_len), (iv, iv_len), params) }
}

#[inline]
unsafe fn init<C: Cipher>(
    context: *mut c_void,
    way: Way,
    key: (*const u8, usize),
    iv: (*const u8, usize),
    params: *mut RawParam,
) -> c_int {
    // SAFETY: see above.
    let (context, key, iv, params) = unsafe {
        (
            &mut *context.cast::<Context<C>>(),
            optional(key),
            optional(iv),
            Params::new(params),
        )
    };
    let outcome = context.init(way, key, iv, params);
    context.answer(outcome)
}

/// # Safety
/// Null, or so many bytes.
#[inline]
unsafe fn optional<'a>((bytes, len): (*const u8, usize)) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    (!bytes.is_null()).then(|| unsafe { slice::from_raw_parts(bytes, len) })
}

/// A context, and what it is called with.
///
/// # Safety
/// A context of this mode that nobody else uses; and as [`Call::new`] asks.
#[inline(always)]
unsafe fn called<'a, C>(
    context: *mut c_void,
    (input, len): (*const u8, usize),
    (output, room): (*mut u8, usize),
) -> (&'a mut Context<C>, Call<'a>) {
    // SAFETY: the caller's promise.
    unsafe { (&mut *context.cast(), Call::new(input, len, output, room)) }
}

unsafe extern "C" fn update<C: Cipher>(
    context: *mut c_void,
    output: *mut u8,
    output_len: *mut usize,
    room: usize,
    input: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: see above.
    let (context, call) = unsafe { called::<C>(context, (input, len), (output, room)) };
    match context.cipher.update(call) {
        // SAFETY: see above.
        Ok(len) => unsafe {
            *output_len = len;
            1
        },
        // SAFETY: as above.
        Err(failure) => unsafe {
            *output_len = 0;
            context.fail_update(failure)
        },
    }
}

unsafe extern "C" fn finish<C: Cipher>(
    context: *mut c_void,
    output: *mut u8,
    output_len: *mut usize,
    room: usize,
) -> c_int {
    // SAFETY: see above.
    let (context, call) = unsafe { called::<C>(context, (ptr::null(), 0), (output, room)) };
    let outcome = context.cipher.finish(call);
    // SAFETY: see above.
    unsafe { answer_len(context, output_len, outcome) }
}

unsafe extern "C" fn cipher<C: Cipher>(
    context: *mut c_void,
    output: *mut u8,
    output_len: *mut usize,
    room: usize,
    input: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: see above.
    let (context, call) = unsafe { called::<C>(context, (input, len), (output, room)) };
    let outcome = context.cipher.cipher(call);
    // SAFETY: see above.
    unsafe { answer_len(context, output_len, outcome) }
}

/// # Safety
/// `output_len` has room for a length.
#[inline]
unsafe fn answer_len<C>(
    context: &Context<C>,
    output_len: *mut usize,
    outcome: Result<usize, Failure>,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { *output_len = *outcome.as_ref().unwrap_or(&0) };
    context.answer(outcome.map(|_| ()))
}

unsafe extern "C" fn get_params<C: Cipher, const KEY: usize>(params: *mut RawParam) -> c_int {
    // SAFETY: see above.
    for mut param in unsafe { Params::new(params) } {
        let value = match param.name() {
            b"mode" => C::MODE as usize,
            b"keylen" => KEY,
            b"ivlen" => C::IV_LEN,
            b"blocksize" => C::BLOCK_SIZE,
            b"aead" => C::AEAD.into(),
            b"custom-iv" => C::CUSTOM_IV.into(),
            b"cts" | b"tls-multi" | b"has-randkey" => 0,
            _ => continue,
        };
        if param.set_unsigned(value).is_err() {
            return 0;
        }
    }
    1
}

unsafe extern "C" fn gettable_params(_provider: *mut c_void) -> *const RawParam {
    static GETTABLE: [RawParam; 10] = [
        RawParam::unsigned(c"mode"),
        RawParam::size(c"keylen"),
        RawParam::size(c"ivlen"),
        RawParam::size(c"blocksize"),
        RawParam::signed(c"aead"),
        RawParam::signed(c"custom-iv"),
        RawParam::signed(c"cts"),
        RawParam::signed(c"tls-multi"),
        RawParam::signed(c"has-randkey"),
        RawParam::END,
    ];
    GETTABLE.as_ptr()
}

unsafe extern "C" fn get_ctx_params<C: Cipher>(context: *mut c_void, params: *mut RawParam) -> c_int {
    // SAFETY: see above.
    let (context, params) = unsafe { (context.cast::<Context<C>>().as_mut(), Params::new(params)) };
    let Some(context) = context else { return 0 };
    let outcome = params.in_order_of(C::GETTABLE, |param| context.get(param));
    context.answer(outcome)
}

unsafe extern "C" fn gettable_ctx_params<C: Cipher>(
    _context: *mut c_void,
    _provider: *mut c_void,
) -> *const RawParam {
    C::GETTABLE.as_ptr()
}

unsafe extern "C" fn set_ctx_params<C: Cipher>(context: *mut c_void, params: *mut RawParam) -> c_int {
    // SAFETY: see above; nothing is written to these parameters.
    let (context, params) = unsafe { (context.cast::<Context<C>>().as_mut(), Params::new(params)) };
    let Some(context) = context else { return 0 };
    let outcome = context.set_all(params);
    context.answer(outcome)
}

unsafe extern "C" fn settable_ctx_params<C: Cipher>(
    _context: *mut c_void,
    _provider: *mut c_void,
) -> *const RawParam {
    C::SETTABLE.as_ptr()
}

/// `iv` as a block.
#[inline]
fn iv_block(iv: &[u8]) -> Result<[u8; BLOCK], Reason> {
    iv.try_into().map_err(|_| Reason::InvalidIvLength)
}

#[cfg(test)]
mod tests {
    use ciphertune::Ecb;

    use super::{block::Block, ccm::CcmCipher, ctr::CtrCipher, gcm::GcmCipher, *};

    /// libcrypto 3.5 and later keep a cipher without a context where a pipeline could not be begun.
    #[test]
    fn what_is_no_context_has_no_parameters_and_no_copy() {
        fn of<C: Cipher>() {
            let mut params = [RawParam::size(c"ivlen"), RawParam::END];
            // SAFETY: null is allowed; the list ends.
            unsafe {
                assert_eq!(get_ctx_params::<C>(ptr::null_mut(), params.as_mut_ptr()), 0);
                assert_eq!(set_ctx_params::<C>(ptr::null_mut(), params.as_mut_ptr()), 0);
                assert!(dupctx::<C>(ptr::null_mut()).is_null());
                freectx::<C>(ptr::null_mut());
            }
        }
        of::<Block<Ecb>>();
        of::<CtrCipher>();
        of::<GcmCipher>();
        of::<CcmCipher>();
    }
}
