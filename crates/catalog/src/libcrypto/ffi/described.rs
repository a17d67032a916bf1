//! What a library says of an algorithm by a name that the table of algorithms has not.
use std::{
    ffi::{CStr, CString, c_char, c_int, c_ulong, c_void},
    ptr::{self, NonNull},
};

use ciphertune_testkit::{Described, Kind};

use super::{Api, EvpCipher, Mac, MacContext, digest::EvpMd};
use crate::library::text;

/// `EVP_CIPH_*`: the modes of which all libraries have the same number.
const STREAM: c_ulong = 0;
const ECB: c_ulong = 1;
const CBC: c_ulong = 2;
const CFB: c_ulong = 3;
const OFB: c_ulong = 4;
const CTR: c_ulong = 5;
const GCM: c_ulong = 6;

/// What libraries number differently.
struct Numbers {
    /// Which bits of `EVP_CIPHER_flags` are the mode.
    modes: c_ulong,
    ccm: c_ulong,
    xts: c_ulong,
    ocb: c_ulong,
    /// What a cipher is that its mode does not say; 0 where nothing is.
    steals: c_ulong,
    is_aead: c_ulong,
    /// `EVP_MD_FLAG_XOF`
    xof: c_ulong,
}

/// Since 1.1.0.
const OPENSSL: Numbers = Numbers {
    modes: 0xf_0007,
    ccm: 7,
    xts: 0x1_0001,
    ocb: 0x1_0003,
    steals: 0x4000,
    is_aead: 0x20_0000,
    xof: 2,
};

/// No digest of its is as long as one likes, and what OpenSSL has said so with since means something else.
const LIBRESSL: Numbers = Numbers { xof: 0, ..OPENSSL };

/// BoringSSL and AWS-LC.
const BORINGSSL: Numbers = Numbers {
    modes: 0x3f,
    ccm: 8,
    xts: 7,
    ocb: 9,
    steals: 0,
    is_aead: 0x800,
    xof: 4,
};

impl Api {
    /// What the library has by this name, if anything that can be measured: a cipher, a digest or, since OpenSSL 3, a MAC.
    pub(in super::super) fn describe(&'static self, name: &str) -> Option<Described> {
        self.describe_cipher(name)
            .or_else(|| self.describe_digest(name))
            .or_else(|| self.describe_mac(name))
    }

    /// Whether it has anything by this name, whether it can be measured or not.
    pub(in super::super) fn has(&'static self, name: &str) -> bool {
        self.cipher_named(name).is_some()
            || self.digest_named(name).is_some()
            || self.mac(name, None).is_some()
    }

    /// The names of what can be described, since OpenSSL 3; before that, none.
    pub(in super::super) fn names(&'static self) -> Vec<String> {
        let mut names: Vec<String> = ["CIPHER", "MD", "MAC"]
            .into_iter()
            .flat_map(|of| self.names_of(of))
            .collect();
        names.retain(|name| self.describe(name).is_some());
        names
    }

    /// The first name of each object of a kind.
    fn names_of(&self, kind: &str) -> Vec<String> {
        type Name = unsafe extern "C" fn(*const c_void) -> *const c_char;
        type Visit = unsafe extern "C" fn(*mut c_void, *mut c_void);
        type VisitAll = unsafe extern "C" fn(*mut c_void, Visit, *mut c_void);

        struct Visitor {
            name: Name,
            names: Vec<String>,
        }

        /// # Safety
        /// `visitor` is a [`Visitor`] that nobody else holds, and `object` what its function takes.
        unsafe extern "C" fn visit(object: *mut c_void, visitor: *mut c_void) {
            // SAFETY: the caller vouches for both; a name that is not NULL ends in NUL.
            unsafe {
                let visitor = &mut *visitor.cast::<Visitor>();
                visitor.names.push(text((visitor.name)(object)));
            }
        }

        // SAFETY: OpenSSL documents these signatures for these names since 3.0; other libcryptos lack the names.
        let functions = unsafe {
            (
                self.library
                    .symbol_named::<VisitAll>(&format!("EVP_{kind}_do_all_provided")),
                self.library
                    .symbol_named::<Name>(&format!("EVP_{kind}_get0_name")),
            )
        };
        let (Some(visit_all), Some(name)) = functions else {
            return Vec::new();
        };
        let mut visitor = Visitor {
            name,
            names: Vec::new(),
        };
        // SAFETY: NULL is the default library context. The function hands `visit` objects of its kind and the visitor, which
        // outlives the call and is not touched meanwhile.
        unsafe { visit_all(ptr::null_mut(), visit, (&raw mut visitor).cast()) };
        visitor.names
    }

    /// A cipher by any name.
    pub(super) fn cipher_named(&self, name: &str) -> Option<NonNull<EvpCipher>> {
        // SAFETY: OpenSSL and its forks document that these functions answer a cipher.
        unsafe { self.looked_up("EVP_CIPHER_fetch", "EVP_get_cipherbyname", name) }
    }

    /// A digest by any name.
    pub(super) fn digest_named(&self, name: &str) -> Option<NonNull<EvpMd>> {
        // SAFETY: OpenSSL and its forks document that these functions answer a digest.
        unsafe { self.looked_up("EVP_MD_fetch", "EVP_get_digestbyname", name) }
    }

    /// What the library has by a name: before OpenSSL 3 from its own table, as a function of that name might answer anything.
    ///
    /// # Safety
    /// `T` is what both functions answer a pointer to.
    unsafe fn looked_up<T>(&self, fetch: &'static str, look_up: &str, name: &str) -> Option<NonNull<T>> {
        type LookUp<T> = unsafe extern "C" fn(*const c_char) -> *mut T;
        // SAFETY: the caller vouches for the type.
        if unsafe { self.library.symbol_named::<*const c_void>(fetch) }.is_some() {
            // SAFETY: as above.
            return unsafe { self.object(fetch, name) };
        }
        // SAFETY: OpenSSL documents this signature for these names, and so do its forks.
        let look_up = unsafe { self.library.symbol_named::<LookUp<T>>(look_up) }?;
        let name = CString::new(name).ok()?;
        // SAFETY: the name ends in NUL; the functions answer NULL or a static object.
        NonNull::new(unsafe { look_up(name.as_ptr()) })
    }

    fn describe_cipher(&'static self, name: &str) -> Option<Described> {
        let cipher = self.cipher_named(name)?.as_ptr();
        // SAFETY: the cipher is valid. OpenSSL documents that these lengths are ints, as LibreSSL does; BoringSSL and AWS-LC
        // document unsigned ints, which are returned in the same way and are as small.
        let [key_len, iv_len, block] = unsafe {
            let number = |what| self.number::<c_int, _>("CIPHER", what, cipher);
            [number("key_length")?, number("iv_length")?, number("block_size")?].map(length)
        };
        // SAFETY: the cipher is valid.
        let flags = unsafe { self.flags("CIPHER", cipher) }?;
        let numbers = self.numbers();
        let is_aead = flags & numbers.is_aead != 0;
        let (kind, block_len) = match flags & numbers.modes {
            mode if [GCM, numbers.ccm, numbers.ocb].contains(&mode) => (Kind::Aead, 16),
            mode if mode == numbers.xts => (Kind::Units, 16),
            // Some take records of TLS alone.
            _ if is_aead => return None,
            // What has no key keeps nothing secret.
            _ if key_len == 0 => return None,
            CBC if flags & numbers.steals != 0 => (Kind::Units, block),
            ECB | CBC => (Kind::Blocks, block),
            // That it takes single bytes says nothing of where it can go on.
            CFB => (Kind::Feedback, iv_len),
            STREAM | OFB | CTR => (Kind::Stream, iv_len.max(1)),
            _ => return None,
        };
        let (iv_len, tag_len) = match kind {
            Kind::Aead => (12, 16),
            _ => (iv_len, 0),
        };
        Some(Described {
            kind,
            key_len,
            block_len,
            iv_len,
            tag_len,
            ..named(name)
        })
    }

    fn describe_digest(&'static self, name: &str) -> Option<Described> {
        let digest = self.digest_named(name)?;
        let number = |what| self.digest_number(what, digest);
        let [size, block_len] = [number("size")?, number("block_size")?];
        // Bytes of the sponge, whose capacity SHAKE's usual digests are as long as (FIPS 202, section 6.2).
        const SPONGE: usize = 200;
        let tag_len = match self.is_xof(digest) {
            true => SPONGE.checked_sub(block_len)?,
            false => size,
        };
        (tag_len <= LONGEST && tag_len > 0).then(|| Described {
            kind: Kind::Digest,
            block_len,
            tag_len,
            ..named(name)
        })
    }

    /// What the library says of a digest: its `size` or its `block_size`, in bytes.
    pub(super) fn digest_number(&self, what: &str, digest: NonNull<EvpMd>) -> Option<usize> {
        // SAFETY: the digest is valid, and these take one. BoringSSL and AWS-LC document that they answer a size_t, OpenSSL
        // and LibreSSL an int.
        unsafe {
            match self.is_boringssl() {
                true => self.number::<usize, _>("MD", what, digest.as_ptr()),
                false => self.number::<c_int, _>("MD", what, digest.as_ptr()).map(length),
            }
        }
    }

    pub(super) fn is_xof(&self, digest: NonNull<EvpMd>) -> bool {
        // SAFETY: the digest is valid.
        unsafe { self.flags("MD", digest.as_ptr()) }.is_some_and(|flags| flags & self.numbers().xof != 0)
    }

    /// `EVP_CIPHER_flags` or `EVP_MD_flags`.
    ///
    /// # Safety
    /// The object is valid, and of this kind.
    unsafe fn flags<T>(&self, of: &str, object: *const T) -> Option<c_ulong> {
        // SAFETY: the caller vouches for the object. BoringSSL and AWS-LC document that these answer a uint32_t, OpenSSL
        // and LibreSSL an unsigned long.
        unsafe {
            match self.is_boringssl() {
                true => self.number::<u32, _>(of, "flags", object).map(c_ulong::from),
                false => self.number::<c_ulong, _>(of, "flags", object),
            }
        }
    }

    fn numbers(&self) -> &'static Numbers {
        match self.version_text().starts_with("LibreSSL ") {
            true => &LIBRESSL,
            false if self.is_boringssl() => &BORINGSSL,
            false => &OPENSSL,
        }
    }

    /// Whether it is BoringSSL, or AWS-LC, which was made of it.
    fn is_boringssl(&self) -> bool {
        let text = self.version_text();
        text.contains("BoringSSL") || text.contains("AWS-LC ")
    }

    fn describe_mac(&'static self, name: &str) -> Option<Described> {
        let (mac, made_of) = self.mac_named(name)?;
        // Most take keys of any length.
        let key_lens = match made_of {
            Some(len) => vec![len],
            None => vec![32, 16],
        };
        let iv_len = if name.to_ascii_uppercase().ends_with("-GMAC") {
            12
        } else {
            0
        };
        key_lens.into_iter().find_map(|key_len| {
            let mut context = MacContext::new(mac).ok()?;
            context.begin(Some(&vec![1; key_len]), &vec![0; iv_len]).ok()?;
            let mut tag = [0; LONGEST];
            let tag_len = context.finish(&mut tag).ok()?;
            Some(Described {
                kind: Kind::Mac,
                key_len,
                block_len: 16,
                iv_len,
                tag_len,
                ..named(name)
            })
        })
    }

    /// A MAC by its own name, or by what it is made of, as in HMAC-SHA3-256 and ARIA-128-CMAC, whose key's length then
    /// follows.
    fn mac_named(&'static self, name: &str) -> Option<(Mac, Option<usize>)> {
        let upper = name.to_ascii_uppercase();
        let made_of = |mac, what, name: String, key_len| {
            let name: &'static CStr = Box::leak(CString::new(name).ok()?.into_boxed_c_str());
            Some((self.mac(mac, Some([what, name]))?, Some(key_len)))
        };
        if let Some(digest) = upper.strip_prefix("HMAC-") {
            let described = self.describe_digest(digest)?;
            return made_of("HMAC", c"digest", digest.to_owned(), described.tag_len);
        }
        for (mac, mode) in [("CMAC", "CBC"), ("GMAC", "GCM")] {
            if let Some(cipher) = upper.strip_suffix(&format!("-{mac}")) {
                let cipher = format!("{cipher}-{mode}");
                let described = self.describe_cipher(&cipher)?;
                return made_of(mac, c"cipher", cipher, described.key_len);
            }
        }
        Some((self.mac(name, None)?, None))
    }

    /// A MAC that was described.
    pub(in super::super) fn described_mac(&'static self, name: &str) -> Option<Mac> {
        self.mac_named(name).map(|(mac, _)| mac)
    }

    /// What a library says of an object: `EVP_CIPHER_get_key_length` and its like since OpenSSL 3, and before that
    /// `EVP_CIPHER_key_length`.
    ///
    /// # Safety
    /// The object is valid, and the functions of these names take one and answer an `N`.
    unsafe fn number<N, T>(&self, of: &str, what: &str, object: *const T) -> Option<N> {
        type Number<N> = unsafe extern "C" fn(*const c_void) -> N;
        // SAFETY: the caller vouches for the type.
        let ask = |name: &str| unsafe { self.library.symbol_named::<Number<N>>(name) };
        let ask = ask(&format!("EVP_{of}_get_{what}")).or_else(|| ask(&format!("EVP_{of}_{what}")))?;
        // SAFETY: the caller vouches for the object.
        Some(unsafe { ask(object.cast()) })
    }
}

/// `EVP_MAX_MD_SIZE`
const LONGEST: usize = 64;

fn length(number: c_int) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// Without an answer yet.
fn named(name: &str) -> Described {
    Described {
        name: name.to_ascii_uppercase(),
        kind: Kind::Digest,
        key_len: 0,
        block_len: 1,
        iv_len: 0,
        tag_len: 0,
        answer: 0,
    }
}
