//! libcrypto's functions, found by name at run time.
use std::{
    ffi::{CStr, CString, c_char, c_int, c_ulong, c_void},
    path::PathBuf,
    ptr::{self, NonNull},
};

use ciphertune_testkit::Algorithm;

use crate::library::{self, Library, Missing, text};

mod cipher;
mod described;
mod digest;
mod key;
mod mac;
mod param;

pub(super) use cipher::{Cipher, CipherContext};
use cipher::{Ciphers, EvpCipher};
use digest::Digests;
pub(super) use digest::{Digest, DigestContext};
pub(super) use key::KeyContext;
use key::Keys;
use mac::Macs;
pub(super) use mac::{Mac, MacContext};
use param::Param;

type VersionText = unsafe extern "C" fn(c_int) -> *const c_char;
type VersionNumber = unsafe extern "C" fn() -> c_ulong;
type Fetch<T> = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut T;
type Named<T> = unsafe extern "C" fn() -> *mut T;

/// A shared library that has libcrypto's functions.
pub(super) struct Api {
    library: Library,
    version_text: VersionText,
    version_number: VersionNumber,
    ciphers: Ciphers,
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
            Ok(Self {
                library,
                version_text: library.symbol("OpenSSL_version")?,
                version_number,
                ciphers: Ciphers::find(library, number)?,
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
        library::origin(self.version_text as *const c_void)
    }

    /// A cipher by OpenSSL's name, where the library has it.
    pub(super) fn cipher(&'static self, algorithm: Algorithm) -> Option<Cipher> {
        let raw = match algorithm.description() {
            Some(_) => self.cipher_named(algorithm.name()),
            // SAFETY: OpenSSL and its forks document that these functions answer a cipher.
            None => unsafe { self.object("EVP_CIPHER_fetch", algorithm.name()) },
        }?;
        Some(Cipher {
            ciphers: &self.ciphers,
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

/// The name of the function that failed.
pub(super) struct Failed(pub(super) &'static str);

fn check(done: bool, function: &'static str) -> Result<(), Failed> {
    if done { Ok(()) } else { Err(Failed(function)) }
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
