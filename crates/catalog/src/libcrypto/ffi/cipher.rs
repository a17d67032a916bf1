//! Ciphers of libcrypto's.
use std::{
    ffi::{CStr, c_int, c_uchar, c_ulong, c_void},
    hint::cold_path,
    ptr::{self, NonNull},
};

use ciphertune_testkit::{Algorithm, Kind};

use super::{Failed, Param, check};
use crate::library::{Library, Missing};

/// `EVP_CIPHER`, opaque.
#[repr(C)]
pub(super) struct EvpCipher([u8; 0]);

/// `EVP_CIPHER_CTX`, opaque.
#[repr(C)]
struct EvpCipherCtx([u8; 0]);

type NewContext = unsafe extern "C" fn() -> *mut EvpCipherCtx;
type FreeContext = unsafe extern "C" fn(*mut EvpCipherCtx);
type Init = unsafe extern "C" fn(
    *mut EvpCipherCtx,
    *const EvpCipher,
    *mut c_void,
    *const c_uchar,
    *const c_uchar,
) -> c_int;
type Update =
    unsafe extern "C" fn(*mut EvpCipherCtx, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;
type Finish = unsafe extern "C" fn(*mut EvpCipherCtx, *mut c_uchar, *mut c_int) -> c_int;
type SetPadding = unsafe extern "C" fn(*mut EvpCipherCtx, c_int) -> c_int;
type Control = unsafe extern "C" fn(*mut EvpCipherCtx, c_int, c_int, *mut c_void) -> c_int;
type GetParams = unsafe extern "C" fn(*mut EvpCipherCtx, *mut Param) -> c_int;
type SetParams = unsafe extern "C" fn(*mut EvpCipherCtx, *const Param) -> c_int;

/// The functions of one direction.
#[derive(Clone, Copy)]
struct Way {
    init: Init,
    update: Update,
    finish: Finish,
    names: [&'static str; 3],
}

impl Way {
    fn find(library: Library, names: [&'static str; 3]) -> Result<Self, Missing> {
        // SAFETY: OpenSSL documents each signature for its name since 1.1.0, and so do its forks.
        unsafe {
            Ok(Self {
                init: library.symbol(names[0])?,
                update: library.symbol(names[1])?,
                finish: library.symbol(names[2])?,
                names,
            })
        }
    }
}

/// What makes ciphers.
pub(super) struct Ciphers {
    new_context: NewContext,
    free_context: FreeContext,
    encrypt: Way,
    decrypt: Way,
    set_padding: SetPadding,
    control: Control,
    /// What a context is asked for by name, which takes less than [`Ciphers::control`]: since OpenSSL 3.
    get_params: Option<GetParams>,
    /// What it is told by name, where that takes less than [`Ciphers::control`]: in OpenSSL 3.0. Later ones look through what they
    /// are told for two lengths besides.
    set_params: Option<SetParams>,
}

impl Ciphers {
    /// `number` is the library's version.
    pub(super) fn find(library: Library, number: c_ulong) -> Result<Self, Missing> {
        let is_openssl_3_0 = (0x3000_0000..0x3010_0000).contains(&number);
        // SAFETY: OpenSSL documents each signature for its name since 1.1.0, or 3.0 where the name is as young, and so do its
        // forks, where they have the name.
        unsafe {
            Ok(Self {
                new_context: library.symbol("EVP_CIPHER_CTX_new")?,
                free_context: library.symbol("EVP_CIPHER_CTX_free")?,
                encrypt: Way::find(
                    library,
                    ["EVP_EncryptInit_ex", "EVP_EncryptUpdate", "EVP_EncryptFinal_ex"],
                )?,
                decrypt: Way::find(
                    library,
                    ["EVP_DecryptInit_ex", "EVP_DecryptUpdate", "EVP_DecryptFinal_ex"],
                )?,
                set_padding: library.symbol("EVP_CIPHER_CTX_set_padding")?,
                control: library.symbol("EVP_CIPHER_CTX_ctrl")?,
                get_params: library.symbol("EVP_CIPHER_CTX_get_params").ok(),
                set_params: library
                    .symbol("EVP_CIPHER_CTX_set_params")
                    .ok()
                    .filter(|_| is_openssl_3_0),
            })
        }
    }
}

/// A cipher of a library; never freed, as the library is not.
#[derive(Clone, Copy)]
pub(in super::super) struct Cipher {
    pub(super) ciphers: &'static Ciphers,
    pub(super) raw: NonNull<EvpCipher>,
    pub(super) algorithm: Algorithm,
}

/// An `EVP_CIPHER_CTX` of one direction. libcrypto wipes the key when it frees it.
pub(in super::super) struct CipherContext {
    ciphers: &'static Ciphers,
    way: Way,
    raw: NonNull<EvpCipherCtx>,
    key_len: usize,
    iv_len: usize,
    /// The bits of a length that no update's has, where it takes whole blocks alone: of others the library keeps some, and
    /// writes them at the next one.
    within_block: usize,
    /// CCM, which has to know a message's length before it begins, and its tag before it is opened.
    is_announced: bool,
    /// OCB, which keeps what does not fill a block until the end.
    lags: bool,
}

impl CipherContext {
    /// For `cipher`, backwards or not; with the key and IV that [`CipherContext::begin`] is given.
    pub(in super::super) fn new(cipher: Cipher, backward: bool) -> Result<Self, Failed> {
        let ciphers = cipher.ciphers;
        let way = if backward {
            ciphers.decrypt
        } else {
            ciphers.encrypt
        };
        // SAFETY: takes nothing; answers NULL or a context that is ours alone.
        let raw = NonNull::new(unsafe { (ciphers.new_context)() }).ok_or(Failed("EVP_CIPHER_CTX_new"))?;
        let algorithm = cipher.algorithm;
        let is_of = |mode| algorithm.kind() == Kind::Aead && algorithm.name().ends_with(mode);
        let mut context = Self {
            ciphers,
            way,
            raw,
            key_len: algorithm.key_len(),
            iv_len: algorithm.iv_len(),
            within_block: match algorithm.kind() {
                Kind::Blocks => algorithm.block_len() - 1,
                _ => 0,
            },
            is_announced: is_of("-CCM"),
            lags: is_of("-OCB"),
        };
        // SAFETY: the context is valid and the cipher is of the same library; NULL is no engine, and no key and no IV
        // yet. Without padding an update gives as many bytes as it takes.
        let answer = unsafe {
            (way.init)(
                raw.as_ptr(),
                cipher.raw.as_ptr(),
                ptr::null_mut(),
                ptr::null(),
                ptr::null(),
            ) & (ciphers.set_padding)(raw.as_ptr(), 0)
        };
        check(answer == 1, way.names[0])?;
        if context.is_announced {
            // SAFETY: no bytes are read where there are none: these are two lengths, which the key comes after.
            unsafe {
                context.control(SET_IV_LEN, ptr::null_mut(), algorithm.iv_len())?;
                context.control(SET_TAG, ptr::null_mut(), algorithm.tag_len())?;
            }
        }
        Ok(context)
    }

    /// Begins a message, with a new key or the one that it has; an empty IV is none.
    ///
    /// # Panics
    /// If a length is not the cipher's.
    #[inline]
    pub(in super::super) fn begin(&mut self, key: Option<&[u8]>, iv: &[u8]) -> Result<(), Failed> {
        assert!(
            key.is_none_or(|key| key.len() == self.key_len) && iv.len() == self.iv_len,
            "the caller checks"
        );
        let iv = if iv.is_empty() { ptr::null() } else { iv.as_ptr() };
        // SAFETY: the context is valid and has its cipher, which NULL keeps. The function reads as many bytes of key
        // and IV as OpenSSL documents for the cipher of this name, which they were just seen to have; NULL keeps what
        // is there.
        let answer = unsafe {
            (self.way.init)(
                self.raw.as_ptr(),
                ptr::null(),
                ptr::null_mut(),
                key.map_or(ptr::null(), <[u8]>::as_ptr),
                iv,
            )
        };
        check(answer == 1, self.way.names[0])
    }

    /// In line in the timed loop, as [`CipherContext::apply_to`]: as a call of its own it took 2 of 13 ns that 16 bytes take.
    #[inline(always)]
    pub(in super::super) fn apply(&mut self, data: &mut [u8]) -> Result<(), Failed> {
        self.check_whole(data.len())?;
        let output = data.as_mut_ptr();
        // SAFETY: the slice is ours alone, readable and writable for its length; libcrypto documents that input and output may
        // be the same.
        unsafe { self.updates(output, output, data.len()) }
    }

    /// # Panics
    /// If the lengths differ.
    #[inline(always)]
    pub(in super::super) fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Failed> {
        assert_eq!(input.len(), output.len(), "the caller checks");
        self.check_whole(input.len())?;
        // SAFETY: both slices have so many bytes, and `output` is ours alone.
        unsafe { self.updates(input.as_ptr(), output.as_mut_ptr(), input.len()) }
    }

    #[inline(always)]
    fn check_whole(&self, len: usize) -> Result<(), Failed> {
        check(len & self.within_block == 0, self.way.names[1])
    }

    /// One update, for nearly every message.
    ///
    /// # Safety
    /// As [`CipherContext::update`], for any `len`.
    #[inline(always)]
    unsafe fn updates(
        &mut self,
        mut input: *const u8,
        mut output: *mut u8,
        mut len: usize,
    ) -> Result<(), Failed> {
        // An empty message is made by an update, too, where its length was announced.
        if len == 0 && !self.is_announced {
            return Ok(());
        }
        while len > LONGEST_UPDATE {
            cold_path();
            // SAFETY: as the caller; there are more bytes than those.
            unsafe {
                self.update(input, output, LONGEST_UPDATE)?;
                (input, output) = (input.add(LONGEST_UPDATE), output.add(LONGEST_UPDATE));
            }
            len -= LONGEST_UPDATE;
        }
        // SAFETY: as the caller.
        unsafe { self.update(input, output, len) }
    }

    /// Says what a cipher must know that has it announced: how long the message is that was begun, and, if it is to be
    /// opened, its tag.
    #[inline]
    pub(in super::super) fn announce(&mut self, len: usize, tag: Option<&mut [u8]>) -> Result<(), Failed> {
        if !self.is_announced {
            return Ok(());
        }
        if let Some(tag) = tag {
            self.set_tag(tag)?;
        }
        // SAFETY: without input and output, the length is all that is taken.
        unsafe { self.update(ptr::null(), ptr::null_mut(), len) }
    }

    /// Takes additional data in, of a cipher that authenticates.
    #[inline]
    pub(in super::super) fn authenticate(&mut self, aad: &[u8]) -> Result<(), Failed> {
        // Those of GMAC are as long as a message.
        for now in aad.chunks(LONGEST_UPDATE) {
            // SAFETY: the slice is readable for its length, and libcrypto documents that no output is for additional data.
            unsafe { self.update(now.as_ptr(), ptr::null_mut(), now.len()) }?;
        }
        Ok(())
    }

    /// Ends a message that was sealed to `output` and puts its tag there, 16 bytes.
    #[inline]
    pub(in super::super) fn seal(&mut self, output: &mut [u8], tag: &mut [u8]) -> Result<(), Failed> {
        self.finish(output)?;
        self.get_tag(tag)
    }

    /// Ends a message that was opened to `output`, and fails if this is not its tag.
    #[inline]
    pub(in super::super) fn open(&mut self, output: &mut [u8], tag: &mut [u8]) -> Result<(), Failed> {
        if !self.is_announced {
            self.set_tag(tag)?;
        }
        self.finish(output)
    }

    #[inline]
    fn get_tag(&mut self, tag: &mut [u8]) -> Result<(), Failed> {
        let Some(get_params) = self.ciphers.get_params else {
            // SAFETY: writes as many bytes as it is told, which the slice has.
            return unsafe { self.control(GET_TAG, tag.as_mut_ptr(), tag.len()) };
        };
        let mut params = [Param::place(TAG, tag), Param::END];
        // SAFETY: the context is valid. The list is one that its last entry ends, and ours alone: the function writes to its
        // entries, and to the tag no more bytes than its entry says, which the slice has. It keeps no pointer.
        let answer = unsafe { get_params(self.raw.as_ptr(), params.as_mut_ptr()) };
        check(answer == 1, "EVP_CIPHER_CTX_get_params")
    }

    #[inline]
    fn set_tag(&mut self, tag: &mut [u8]) -> Result<(), Failed> {
        let Some(set_params) = self.ciphers.set_params else {
            // SAFETY: reads as many bytes as it is told, which the slice has, and keeps no pointer.
            return unsafe { self.control(SET_TAG, tag.as_mut_ptr(), tag.len()) };
        };
        let params = [Param::bytes(TAG, tag), Param::END];
        // SAFETY: the context is valid. The list is one that its last entry ends; list and tag are only read, of the tag as many
        // bytes as its entry says, which the slice has, and no pointer is kept.
        let answer = unsafe { set_params(self.raw.as_ptr(), params.as_ptr()) };
        check(answer == 1, "EVP_CIPHER_CTX_set_params")
    }

    #[inline]
    fn finish(&mut self, output: &mut [u8]) -> Result<(), Failed> {
        let held = if self.lags { output.len() % AES_BLOCK } else { 0 };
        let mut rest = [0; LONGEST_BLOCK];
        let mut written = 0;
        // SAFETY: the context is valid; what the function writes is no longer than a block.
        let answer = unsafe { (self.way.finish)(self.raw.as_ptr(), rest.as_mut_ptr(), &mut written) };
        check(answer == 1 && written as usize == held, self.way.names[2])?;
        let whole = output.len() - held;
        output[whole..].copy_from_slice(&rest[..held]);
        Ok(())
    }

    /// # Safety
    /// What `command` reads or writes at `data` are `len` bytes that may be read and written, or it is NULL.
    unsafe fn control(&mut self, command: c_int, data: *mut u8, len: usize) -> Result<(), Failed> {
        // SAFETY: the context is valid; the caller vouches for the rest.
        let answer = unsafe { (self.ciphers.control)(self.raw.as_ptr(), command, len as c_int, data.cast()) };
        check(answer == 1, "EVP_CIPHER_CTX_ctrl")
    }

    /// # Safety
    /// `input` is readable and `output` writable for `len` bytes, which are no more than [`LONGEST_UPDATE`]; the two
    /// are the same or do not overlap, or `output` is NULL and the cipher authenticates, or both are NULL.
    #[inline(always)]
    unsafe fn update(&mut self, input: *const u8, output: *mut u8, len: usize) -> Result<(), Failed> {
        let len = len as c_int;
        let mut written = 0;
        // SAFETY: the context is valid and ours alone. Without padding the function reads and writes exactly `len`
        // bytes where it is given whole blocks or the mode has none: text comes from `apply` and `apply_to`, which see to
        // it, and modes that authenticate have none.
        let answer = unsafe { (self.way.update)(self.raw.as_ptr(), output, &mut written, input, len) };
        let is_all = written == len || self.lags && written <= len;
        check(answer == 1 && is_all, self.way.names[1])
    }
}

/// `EVP_CTRL_AEAD_SET_IVLEN`, `EVP_CTRL_AEAD_GET_TAG` and `EVP_CTRL_AEAD_SET_TAG`.
const SET_IV_LEN: c_int = 0x9;
const GET_TAG: c_int = 0x10;
const SET_TAG: c_int = 0x11;

/// `OSSL_CIPHER_PARAM_AEAD_TAG`.
const TAG: &CStr = c"tag";

const AES_BLOCK: usize = 16;

/// `EVP_MAX_BLOCK_LENGTH`.
const LONGEST_BLOCK: usize = 32;

/// An update's length is an `int`: the most whole blocks that one holds, in bytes.
const LONGEST_UPDATE: usize = c_int::MAX as usize & !15;

impl Drop for CipherContext {
    fn drop(&mut self) {
        // SAFETY: made by the same library, and freed once.
        unsafe { (self.ciphers.free_context)(self.raw.as_ptr()) }
    }
}
