//! libcrypto's functions, found by name at run time, and the only unsafe code of this crate.
//!
//! A shared library cannot be proved to be what it says: loading one runs its code, and its functions are
//! believed to have the signatures that OpenSSL documents. That trust is the user's who named the library, as with
//! `LD_PRELOAD`; `libcrypto.rs` refuses what does not call itself a libcrypto of a known version. What is proved
//! here is our side: that every pointer handed over is valid for what the function is documented to do with it.
use std::{
    error::Error,
    ffi::{CStr, CString, OsStr, OsString, c_char, c_int, c_uchar, c_ulong, c_void},
    os::unix::ffi::OsStringExt,
    path::PathBuf,
    ptr::{self, NonNull},
};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// `EVP_CIPHER`, opaque.
#[repr(C)]
struct EvpCipher([u8; 0]);

/// `EVP_CIPHER_CTX`, opaque.
#[repr(C)]
struct EvpCipherCtx([u8; 0]);

type VersionText = unsafe extern "C" fn(c_int) -> *const c_char;
type VersionNumber = unsafe extern "C" fn() -> c_ulong;
type NewContext = unsafe extern "C" fn() -> *mut EvpCipherCtx;
type FreeContext = unsafe extern "C" fn(*mut EvpCipherCtx);
type Fetch = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *const EvpCipher;
type Named = unsafe extern "C" fn() -> *const EvpCipher;
type EncryptInit = unsafe extern "C" fn(
    *mut EvpCipherCtx,
    *const EvpCipher,
    *mut c_void,
    *const c_uchar,
    *const c_uchar,
) -> c_int;
type EncryptUpdate =
    unsafe extern "C" fn(*mut EvpCipherCtx, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;

/// A shared library that has libcrypto's functions. It stays loaded for ever: libcrypto registers functions to run
/// at exit, and contexts hold pointers into it.
pub(super) struct Api {
    library: &'static Library,
    version_text: VersionText,
    version_number: VersionNumber,
    new_context: NewContext,
    free_context: FreeContext,
    encrypt_init: EncryptInit,
    encrypt_update: EncryptUpdate,
}

/// Why there is no [`Api`].
pub(super) enum NoApi {
    /// The dynamic linker's words.
    NotLoaded(String),
    /// OpenSSL before 1.1.0, whose functions have other names; holds its version.
    Old(String),
    /// The first function that it lacks.
    Missing(&'static str),
}

impl Api {
    /// Loads a library by file name or, where `name` has no slash, by the dynamic linker's search.
    pub(super) fn load(name: &OsStr) -> Result<&'static Self, NoApi> {
        // SAFETY: runs the library's constructors; see the head of this file for whose trust that is. `RTLD_LOCAL`
        // keeps its symbols from everything else that this process links.
        let library = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| {
            let reason = error.source().map(ToString::to_string);
            NoApi::NotLoaded(reason.unwrap_or_else(|| error.to_string()))
        })?;
        // Whatever it is: its destructors are as little known as its constructors.
        let library: &'static Library = Box::leak(Box::new(library));

        match Self::find(library) {
            Ok(api) => Ok(Box::leak(Box::new(api))),
            Err(missing) => {
                // SAFETY: OpenSSL up to 1.0.2 documents this signature for this name, and the text is static.
                let old = unsafe {
                    symbol::<VersionText>(library, "SSLeay_version").map(|version_text| text(version_text(0)))
                };
                Err(old.map_or(NoApi::Missing(missing), NoApi::Old))
            }
        }
    }

    /// Or the name of a function that it lacks.
    fn find(library: &'static Library) -> Result<Self, &'static str> {
        // SAFETY: OpenSSL documents each signature for its name since 1.1.0, and so do its forks.
        unsafe {
            Ok(Self {
                library,
                version_text: symbol(library, "OpenSSL_version")?,
                version_number: symbol(library, "OpenSSL_version_num")?,
                new_context: symbol(library, "EVP_CIPHER_CTX_new")?,
                free_context: symbol(library, "EVP_CIPHER_CTX_free")?,
                encrypt_init: symbol(library, "EVP_EncryptInit_ex")?,
                encrypt_update: symbol(library, "EVP_EncryptUpdate")?,
            })
        }
    }

    /// What the library says it is, as in `OpenSSL 3.0.19 27 Jan 2026`.
    pub(super) fn version_text(&self) -> String {
        const OPENSSL_VERSION: c_int = 0;
        // SAFETY: answers a static string to any number.
        text(unsafe { (self.version_text)(OPENSSL_VERSION) })
    }

    /// `0xMNN00PP0` since OpenSSL 3, `0xMNNFFPPS` before.
    pub(super) fn version_number(&self) -> c_ulong {
        // SAFETY: takes nothing and reads a constant.
        unsafe { (self.version_number)() }
    }

    /// The file that the code was really loaded from.
    pub(super) fn path(&self) -> Option<PathBuf> {
        let mut info = libc::Dl_info {
            dli_fname: ptr::null(),
            dli_fbase: ptr::null_mut(),
            dli_sname: ptr::null(),
            dli_saddr: ptr::null_mut(),
        };
        // SAFETY: any address may be asked for, and `info` is there to be written. The name that it answers belongs
        // to the dynamic linker for as long as the library is loaded, which is for ever.
        let name = unsafe {
            if libc::dladdr(self.encrypt_update as *const c_void, &mut info) == 0 || info.dli_fname.is_null()
            {
                return None;
            }
            CStr::from_ptr(info.dli_fname)
        };
        Some(PathBuf::from(OsString::from_vec(name.to_bytes().to_vec())))
    }

    /// AES in counter mode with keys of this many bytes, where the library has it.
    pub(super) fn aes_ctr(&'static self, key_len: usize) -> Option<Cipher> {
        let bits = 8 * key_len;
        // SAFETY: OpenSSL documents this signature for this name since 3.0; other libcryptos lack the name.
        let raw = match unsafe { symbol::<Fetch>(self.library, "EVP_CIPHER_fetch") } {
            Ok(fetch) => {
                let name = CString::new(format!("AES-{bits}-CTR")).expect("no NUL in it");
                // OpenSSL's own code is asked for by name, lest a configured provider answer in its place.
                let properties = c"provider=default";
                // SAFETY: NULL is the default library context; both strings end in NUL and outlive the call.
                unsafe { fetch(ptr::null_mut(), name.as_ptr(), properties.as_ptr()) }
            }
            // SAFETY: OpenSSL documents this signature for these names, and so do its forks. The functions answer a
            // pointer to a static object.
            Err(_) => unsafe {
                self.library
                    .get::<Named>(format!("EVP_aes_{bits}_ctr"))
                    .map_or(ptr::null(), |named| named())
            },
        };
        let raw = NonNull::new(raw.cast_mut())?;
        Some(Cipher {
            api: self,
            raw,
            key_len,
        })
    }
}

/// The function of that name, or the name where the library lacks it.
///
/// # Safety
/// `T` is the function's signature.
unsafe fn symbol<T: Copy>(library: &'static Library, name: &'static str) -> Result<T, &'static str> {
    // SAFETY: the caller vouches for the signature; what is copied out stays valid, as the library stays loaded.
    let symbol = unsafe { library.get::<T>(name) };
    symbol.map(|symbol| *symbol).map_err(|_| name)
}

fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the two functions whose answer this is document a static string that ends in NUL.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A cipher of a library; never freed, as the library is not.
#[derive(Clone, Copy)]
pub(super) struct Cipher {
    api: &'static Api,
    raw: NonNull<EvpCipher>,
    key_len: usize,
}

/// The name of the function that failed.
pub(super) struct Failed(pub(super) &'static str);

/// A keyed `EVP_CIPHER_CTX`. libcrypto wipes the key when it frees it.
pub(super) struct CipherContext {
    api: &'static Api,
    raw: NonNull<EvpCipherCtx>,
}

impl CipherContext {
    /// # Panics
    /// If the key has not the cipher's length.
    pub(super) fn new(cipher: Cipher, key: &[u8], iv: &[u8; 16]) -> Result<Self, Failed> {
        assert_eq!(key.len(), cipher.key_len, "the caller checks");
        let api = cipher.api;
        // SAFETY: takes nothing; answers NULL or a context that is ours alone.
        let raw = NonNull::new(unsafe { (api.new_context)() }).ok_or(Failed("EVP_CIPHER_CTX_new"))?;
        let context = Self { api, raw };
        // SAFETY: the context is valid and the cipher is of the same library. It reads as many bytes of the key as
        // the cipher's name says, which is `key_len`, and the 16 of the counter block; NULL is no engine.
        let answer = unsafe {
            (api.encrypt_init)(
                raw.as_ptr(),
                cipher.raw.as_ptr(),
                ptr::null_mut(),
                key.as_ptr(),
                iv.as_ptr(),
            )
        };
        if answer == 1 {
            Ok(context)
        } else {
            Err(Failed("EVP_EncryptInit_ex"))
        }
    }

    pub(super) fn apply(&mut self, mut data: &mut [u8]) -> Result<(), Failed> {
        while !data.is_empty() {
            let (now, later) = data.split_at_mut(data.len().min(LONGEST_UPDATE));
            let output = now.as_mut_ptr();
            // SAFETY: `now` is ours alone, readable and writable for its length; libcrypto documents that input and
            // output may be the same.
            unsafe { self.update(output, output, now.len()) }?;
            data = later;
        }
        Ok(())
    }

    /// # Panics
    /// If the lengths differ.
    pub(super) fn apply_to(&mut self, mut input: &[u8], mut output: &mut [u8]) -> Result<(), Failed> {
        assert_eq!(input.len(), output.len(), "the caller checks");
        while !input.is_empty() {
            let len = input.len().min(LONGEST_UPDATE);
            let (now_in, later_in) = input.split_at(len);
            let (now_out, later_out) = output.split_at_mut(len);
            // SAFETY: both slices have `len` bytes, and `now_out` is ours alone.
            unsafe { self.update(now_in.as_ptr(), now_out.as_mut_ptr(), len) }?;
            (input, output) = (later_in, later_out);
        }
        Ok(())
    }

    /// # Safety
    /// `input` is readable and `output` writable for `len` bytes, which are no more than [`LONGEST_UPDATE`]; the two
    /// are the same or do not overlap.
    #[inline]
    unsafe fn update(&mut self, input: *const u8, output: *mut u8, len: usize) -> Result<(), Failed> {
        let len = len as c_int;
        let mut written = 0;
        // SAFETY: the context is valid and ours alone. In counter mode the function reads and writes exactly `len`
        // bytes, for which the caller vouches.
        let answer =
            unsafe { (self.api.encrypt_update)(self.raw.as_ptr(), output, &mut written, input, len) };
        if answer == 1 && written == len {
            Ok(())
        } else {
            Err(Failed("EVP_EncryptUpdate"))
        }
    }
}

/// An update's length is an `int`: the most whole blocks that one holds, in bytes.
const LONGEST_UPDATE: usize = c_int::MAX as usize & !15;

impl Drop for CipherContext {
    fn drop(&mut self) {
        // SAFETY: made by the same library, and freed once.
        unsafe { (self.api.free_context)(self.raw.as_ptr()) }
    }
}
