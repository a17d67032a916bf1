//! libcrypto's functions, found by name at run time.
use std::{
    ffi::{CStr, CString, c_char, c_int, c_uchar, c_ulong, c_void},
    path::PathBuf,
    ptr::{self, NonNull},
};

use ciphertune_testkit::{Algorithm, Kind};

use crate::library::{self, Library, Missing, text};

mod described;
mod digest;
mod key;
mod mac;
mod param;

use digest::Digests;
pub(super) use digest::{Digest, DigestContext};
pub(super) use key::KeyContext;
use key::Keys;
use mac::Macs;
pub(super) use mac::{Mac, MacContext};
use param::Param;

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
type Fetch<T> = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut T;
type Named<T> = unsafe extern "C" fn() -> *mut T;
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

/// A shared library that has libcrypto's functions.
pub(super) struct Api {
    library: Library,
    version_text: VersionText,
    version_number: VersionNumber,
    new_context: NewContext,
    free_context: FreeContext,
    encrypt: Way,
    decrypt: Way,
    set_padding: SetPadding,
    control: Control,
    /// What a context is asked for by name, which takes less than [`Api::control`]: since OpenSSL 3.
    get_params: Option<GetParams>,
    /// What it is told by name, where that takes less than [`Api::control`]: in OpenSSL 3.0. Later ones look through what they
    /// are told for two lengths besides.
    set_params: Option<SetParams>,
    /// Which provider's code is asked for, lest a configured one answer in its place.
    properties: CString,
    digests: Option<Digests>,
    macs: Option<Macs>,
    keys: Option<Keys>,
}

/// The instructions that a libcrypto goes by, where it tells: `OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6f1bf07ab`, and
/// behind that ` env:…` where the variable says so. Nothing, where it was built without assembly.
pub(crate) fn cpu_settings(library: Library) -> Option<String> {
    type Info = unsafe extern "C" fn(c_int) -> *const c_char;
    const CPU_SETTINGS: c_int = 1008;
    // SAFETY: crypto.h of OpenSSL has declared this function so since 3.0, when it came; forks lack it. It answers NULL or
    // a static string to any number.
    unsafe {
        let info = library.symbol::<Info>("OPENSSL_info").ok()?;
        Some(text(info(CPU_SETTINGS)))
    }
}

/// Why there is no [`Api`].
pub(super) enum NoApi {
    /// OpenSSL before 1.1.0, whose functions have other names; holds its version.
    Old(String),
    /// The first function that it lacks.
    Missing(&'static str),
    /// A library without providers; holds its version.
    NoProviders(String),
    /// A library that cannot load the one that was asked for; holds its version.
    NoProvider(String),
}

impl Api {
    /// The functions of a libcrypto, if that is what the library is, with a provider loaded into it where its own code is
    /// not what is asked for.
    pub(super) fn find(library: Library, provider: Option<&str>) -> Result<&'static Self, NoApi> {
        match Self::try_find(library) {
            Ok(api) => {
                let api = Box::leak(Box::new(api));
                if let Some(provider) = provider {
                    api.load_provider(provider)?;
                }
                Ok(api)
            }
            Err(Missing(missing)) => {
                // SAFETY: OpenSSL up to 1.0.2 documents this signature for this name, and the text is static.
                let old = unsafe {
                    library
                        .symbol::<VersionText>("SSLeay_version")
                        .map(|version_text| text(version_text(0)))
                };
                Err(old.map_or(NoApi::Missing(missing), NoApi::Old))
            }
        }
    }

    fn try_find(library: Library) -> Result<Self, Missing> {
        // SAFETY: OpenSSL documents each signature for its name since 1.1.0, or 3.0 where the name is as young, and so do its
        // forks, where they have the name. The number's function takes nothing and reads a constant.
        unsafe {
            let version_number: VersionNumber = library.symbol("OpenSSL_version_num")?;
            let number = version_number();
            let is_openssl_3_0 = (0x3000_0000..0x3010_0000).contains(&number);
            Ok(Self {
                library,
                version_text: library.symbol("OpenSSL_version")?,
                version_number,
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
                properties: c"provider=default".to_owned(),
                digests: Digests::find(library).ok(),
                macs: Macs::find(library, number).ok(),
                keys: Keys::find(library).ok(),
            })
        }
    }

    /// From now on this provider's code is asked for.
    fn load_provider(&mut self, name: &str) -> Result<(), NoApi> {
        type LoadProvider = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

        // SAFETY: OpenSSL documents this signature for this name since 3.0; other libcryptos lack the name.
        let load = unsafe { self.library.symbol::<LoadProvider>("OSSL_PROVIDER_load") }
            .map_err(|_| NoApi::NoProviders(self.version_text()))?;
        let missing = || NoApi::NoProvider(self.version_text());
        // What is more than a name would be a query of its own.
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if !name.bytes().all(is_name) {
            return Err(missing());
        }
        let c_name = CString::new(name).map_err(|_| missing())?;
        // SAFETY: NULL is the default library context; the name ends in NUL. It runs the provider's code, which is the
        // user's trust as the library's is, and it is never unloaded.
        if unsafe { load(ptr::null_mut(), c_name.as_ptr()) }.is_null() {
            return Err(missing());
        }
        self.properties = CString::new(format!("provider={name}")).map_err(|_| missing())?;
        Ok(())
    }

    /// What the library says it is, as in `OpenSSL 3.0.19 27 Jan 2026`.
    pub(super) fn version_text(&self) -> String {
        const OPENSSL_VERSION: c_int = 0;
        // SAFETY: answers a static string to any number.
        unsafe { text((self.version_text)(OPENSSL_VERSION)) }
    }

    /// `0xMNN00PP0` since OpenSSL 3, `0xMNNFFPPS` before.
    pub(super) fn version_number(&self) -> c_ulong {
        // SAFETY: takes nothing and reads a constant.
        unsafe { (self.version_number)() }
    }

    /// As [`cpu_settings`].
    pub(super) fn cpu_settings(&self) -> Option<String> {
        cpu_settings(self.library)
    }

    /// The compiler and the flags that made it, where it tells: OpenSSL does so behind `compiler: `, and forks say that
    /// they do not.
    pub(super) fn compiler(&self) -> Option<String> {
        const OPENSSL_CFLAGS: c_int = 1;
        // SAFETY: answers a static string to any number.
        let told = unsafe { text((self.version_text)(OPENSSL_CFLAGS)) };
        let compiler = told.strip_prefix("compiler: ")?;
        (!["", "n/a", "information not available"].contains(&compiler)).then(|| compiler.to_owned())
    }

    /// The file that the code was really loaded from.
    pub(super) fn path(&self) -> Option<PathBuf> {
        library::origin(self.encrypt.update as *const c_void)
    }

    /// A cipher by OpenSSL's name, where the library has it.
    pub(super) fn cipher(&'static self, algorithm: Algorithm) -> Option<Cipher> {
        let raw = match algorithm.description() {
            Some(_) => self.cipher_named(algorithm.name()),
            // SAFETY: OpenSSL and its forks document that these functions answer a cipher.
            None => unsafe { self.object("EVP_CIPHER_fetch", algorithm.name()) },
        }?;
        Some(Cipher {
            api: self,
            raw,
            algorithm,
        })
    }

    /// The GCM whose tag of no text is a GMAC, in far less time than `EVP_MAC` takes.
    pub(super) fn gcm_of_gmac(&'static self, algorithm: Algorithm) -> Option<Cipher> {
        self.cipher(Algorithm::named(&algorithm.name().replace("GMAC", "GCM"))?)
    }

    /// A digest by OpenSSL's name, where the library has it.
    pub(super) fn digest(&'static self, algorithm: Algorithm) -> Option<Digest> {
        let digests = self.digests.as_ref()?;
        let raw = match algorithm.description() {
            Some(_) => self.digest_named(algorithm.name()),
            // SAFETY: OpenSSL and its forks document that these functions answer a digest.
            None => unsafe { self.object("EVP_MD_fetch", algorithm.name()) },
        }?;
        let is_xof = algorithm.description().is_some() && self.is_xof(raw);
        let len = self.digest_number("size", raw)?;
        Some(Digest {
            digests,
            raw,
            len,
            is_xof,
        })
    }

    /// A MAC by OpenSSL's name, where the library has `EVP_MAC`, made of the cipher or digest that a parameter names.
    pub(super) fn mac(&'static self, name: &str, made_of: Option<[&'static CStr; 2]>) -> Option<Mac> {
        let macs = self.macs.as_ref()?;
        // SAFETY: OpenSSL documents that this function answers a MAC. Whoever has `EVP_MAC` has it.
        let raw = unsafe { self.object("EVP_MAC_fetch", name) }?;
        let properties = &self.properties;
        Some(Mac {
            macs,
            raw,
            made_of,
            properties,
        })
    }

    /// What the library computes an algorithm with, by OpenSSL's name: from `fetch` or, before OpenSSL 3, from the
    /// function that is named for the algorithm.
    ///
    /// # Safety
    /// `T` is what those functions answer a pointer to.
    unsafe fn object<T>(&self, fetch: &'static str, name: &str) -> Option<NonNull<T>> {
        // SAFETY: OpenSSL documents this signature for these names since 3.0; other libcryptos lack the names.
        let raw = match unsafe { self.library.symbol::<Fetch<T>>(fetch) } {
            Ok(fetch) => {
                let name = CString::new(name).expect("no NUL in it");
                // SAFETY: NULL is the default library context; both strings end in NUL and outlive the call.
                unsafe { fetch(ptr::null_mut(), name.as_ptr(), self.properties.as_ptr()) }
            }
            // SAFETY: OpenSSL documents this signature for these names, and so do its forks. The functions answer a
            // pointer to a static object.
            Err(_) => unsafe {
                self.library
                    .symbol_named::<Named<T>>(&format!("EVP_{}", old_name(name)))
                    .map_or(ptr::null_mut(), |named| named())
            },
        };
        NonNull::new(raw)
    }
}

/// What names of functions have of the algorithm before OpenSSL 3, as in `aes_128_cfb128` and `sha512_256`.
fn old_name(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let name = name
        .replace("sha2-", "sha")
        .replace("blake2b-", "blake2b")
        .replace("blake2s-", "blake2s")
        .replace("ripemd-", "ripemd")
        .replace(['-', '/'], "_");
    match name.ends_with("_cfb") {
        true => name + "128",
        false => name,
    }
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

/// A cipher of a library; never freed, as the library is not.
#[derive(Clone, Copy)]
pub(super) struct Cipher {
    api: &'static Api,
    raw: NonNull<EvpCipher>,
    algorithm: Algorithm,
}

/// The name of the function that failed.
pub(super) struct Failed(pub(super) &'static str);

/// An `EVP_CIPHER_CTX` of one direction. libcrypto wipes the key when it frees it.
pub(super) struct CipherContext {
    api: &'static Api,
    way: Way,
    raw: NonNull<EvpCipherCtx>,
    key_len: usize,
    iv_len: usize,
    /// What the length of each update is a multiple of: of blocks that are not whole the library keeps some, and writes them
    /// at the next one.
    whole: usize,
    /// CCM, which has to know a message's length before it begins, and its tag before it is opened.
    is_announced: bool,
    /// OCB, which keeps what does not fill a block until the end.
    lags: bool,
}

impl CipherContext {
    /// For `cipher`, backwards or not; with the key and IV that [`CipherContext::begin`] is given.
    pub(super) fn new(cipher: Cipher, backward: bool) -> Result<Self, Failed> {
        let api = cipher.api;
        let way = if backward { api.decrypt } else { api.encrypt };
        // SAFETY: takes nothing; answers NULL or a context that is ours alone.
        let raw = NonNull::new(unsafe { (api.new_context)() }).ok_or(Failed("EVP_CIPHER_CTX_new"))?;
        let algorithm = cipher.algorithm;
        let is_of = |mode| algorithm.kind() == Kind::Aead && algorithm.name().ends_with(mode);
        let mut context = Self {
            api,
            way,
            raw,
            key_len: algorithm.key_len(),
            iv_len: algorithm.iv_len(),
            whole: match algorithm.kind() {
                Kind::Blocks => algorithm.block_len(),
                _ => 1,
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
            ) & (api.set_padding)(raw.as_ptr(), 0)
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
    pub(super) fn begin(&mut self, key: Option<&[u8]>, iv: &[u8]) -> Result<(), Failed> {
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

    #[inline]
    pub(super) fn apply(&mut self, mut data: &mut [u8]) -> Result<(), Failed> {
        check(data.len().is_multiple_of(self.whole), self.way.names[1])?;
        if data.is_empty() && self.is_announced {
            // An empty message is made by an update, too.
            let output = data.as_mut_ptr();
            // SAFETY: nothing is read or written.
            return unsafe { self.update(output, output, 0) };
        }
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
    #[inline]
    pub(super) fn apply_to(&mut self, mut input: &[u8], mut output: &mut [u8]) -> Result<(), Failed> {
        assert_eq!(input.len(), output.len(), "the caller checks");
        check(input.len().is_multiple_of(self.whole), self.way.names[1])?;
        if input.is_empty() && self.is_announced {
            // SAFETY: as above.
            return unsafe { self.update(input.as_ptr(), output.as_mut_ptr(), 0) };
        }
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

    /// Says what a cipher must know that has it announced: how long the message is that was begun, and, if it is to be
    /// opened, its tag.
    #[inline]
    pub(super) fn announce(&mut self, len: usize, tag: Option<&mut [u8]>) -> Result<(), Failed> {
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
    pub(super) fn authenticate(&mut self, aad: &[u8]) -> Result<(), Failed> {
        // Those of GMAC are as long as a message.
        for now in aad.chunks(LONGEST_UPDATE) {
            // SAFETY: the slice is readable for its length, and libcrypto documents that no output is for additional data.
            unsafe { self.update(now.as_ptr(), ptr::null_mut(), now.len()) }?;
        }
        Ok(())
    }

    /// Ends a message that was sealed to `output` and puts its tag there, 16 bytes.
    #[inline]
    pub(super) fn seal(&mut self, output: &mut [u8], tag: &mut [u8]) -> Result<(), Failed> {
        self.finish(output)?;
        self.get_tag(tag)
    }

    /// Ends a message that was opened to `output`, and fails if this is not its tag.
    #[inline]
    pub(super) fn open(&mut self, output: &mut [u8], tag: &mut [u8]) -> Result<(), Failed> {
        if !self.is_announced {
            self.set_tag(tag)?;
        }
        self.finish(output)
    }

    #[inline]
    fn get_tag(&mut self, tag: &mut [u8]) -> Result<(), Failed> {
        let Some(get_params) = self.api.get_params else {
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
        let Some(set_params) = self.api.set_params else {
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
        let answer = unsafe { (self.api.control)(self.raw.as_ptr(), command, len as c_int, data.cast()) };
        check(answer == 1, "EVP_CIPHER_CTX_ctrl")
    }

    /// # Safety
    /// `input` is readable and `output` writable for `len` bytes, which are no more than [`LONGEST_UPDATE`]; the two
    /// are the same or do not overlap, or `output` is NULL and the cipher authenticates, or both are NULL.
    #[inline]
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

fn check(done: bool, function: &'static str) -> Result<(), Failed> {
    if done { Ok(()) } else { Err(Failed(function)) }
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
        unsafe { (self.api.free_context)(self.raw.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::old_name;

    #[test]
    fn functions_are_named_as_before_openssl_3() {
        for (name, function) in [
            ("AES-128-CFB", "aes_128_cfb128"),
            ("AES-128-CFB8", "aes_128_cfb8"),
            ("ChaCha20-Poly1305", "chacha20_poly1305"),
            ("SHA2-256", "sha256"),
            ("SHA2-512/256", "sha512_256"),
            ("SHA3-256", "sha3_256"),
            ("BLAKE2B-512", "blake2b512"),
            ("RIPEMD-160", "ripemd160"),
            ("DES-EDE3-CBC", "des_ede3_cbc"),
        ] {
            assert_eq!(old_name(name), function);
        }
    }
}
