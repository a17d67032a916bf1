use std::{
    ffi::{CStr, c_int, c_uchar, c_ulong},
    ptr::{self, NonNull},
};

use zeroize::Zeroizing;

use super::{Failed, Param, check};
use crate::library::{Library, Missing};

/// `EVP_MAC` and `EVP_MAC_CTX`, opaque.
#[repr(C)]
pub(super) struct EvpMac([u8; 0]);
#[repr(C)]
struct EvpMacCtx([u8; 0]);

/// What makes tags, in OpenSSL since 3.0.
pub(super) struct Macs {
    new_context: unsafe extern "C" fn(*mut EvpMac) -> *mut EvpMacCtx,
    free_context: unsafe extern "C" fn(*mut EvpMacCtx),
    set: unsafe extern "C" fn(*mut EvpMacCtx, *const Param) -> c_int,
    init: unsafe extern "C" fn(*mut EvpMacCtx, *const c_uchar, usize, *const Param) -> c_int,
    update: unsafe extern "C" fn(*mut EvpMacCtx, *const c_uchar, usize) -> c_int,
    finish: unsafe extern "C" fn(*mut EvpMacCtx, *mut c_uchar, *mut usize, usize) -> c_int,
    /// Until OpenSSL 3.0.3 a message that brings no key did not begin anew (openssl/openssl#17811).
    begins_by_key: bool,
}

impl Macs {
    pub(super) fn find(library: Library, version: c_ulong) -> Result<Self, Missing> {
        // SAFETY: OpenSSL documents each signature for its name since 3.0; other libcryptos lack the names.
        unsafe {
            Ok(Self {
                new_context: library.symbol("EVP_MAC_CTX_new")?,
                free_context: library.symbol("EVP_MAC_CTX_free")?,
                set: library.symbol("EVP_MAC_CTX_set_params")?,
                init: library.symbol("EVP_MAC_init")?,
                update: library.symbol("EVP_MAC_update")?,
                finish: library.symbol("EVP_MAC_final")?,
                begins_by_key: version < 0x3000_0030,
            })
        }
    }
}

/// A MAC of a library; never freed, as the library is not.
#[derive(Clone, Copy)]
pub(in super::super) struct Mac {
    pub(super) macs: &'static Macs,
    pub(super) raw: NonNull<EvpMac>,
    /// The parameter that says what it is made of, and its value.
    pub(super) made_of: Option<[&'static CStr; 2]>,
    /// Whose code it is made of: a provider asks for that anew, and a configured one would answer.
    pub(super) properties: &'static CStr,
}

/// An `EVP_MAC_CTX`. libcrypto wipes the key when it frees it.
pub(in super::super) struct MacContext {
    mac: Mac,
    raw: NonNull<EvpMacCtx>,
    /// The key that it has, where each message must bring one.
    kept: Zeroizing<Vec<u8>>,
}

impl MacContext {
    /// Without a key yet.
    pub(in super::super) fn new(mac: Mac) -> Result<Self, Failed> {
        // SAFETY: the MAC is valid; answers NULL or a context that is ours alone.
        let raw = unsafe { (mac.macs.new_context)(mac.raw.as_ptr()) };
        let raw = NonNull::new(raw).ok_or(Failed("EVP_MAC_CTX_new"))?;
        let kept = Zeroizing::default();
        let context = Self { mac, raw, kept };
        if let Some([what, name]) = mac.made_of {
            let params = [
                Param::text(what, name),
                Param::text(c"properties", mac.properties),
                Param::END,
            ];
            // SAFETY: the context is valid; the parameters are only read, and outlive the call.
            let answer = unsafe { (mac.macs.set)(raw.as_ptr(), params.as_ptr()) };
            check(answer == 1, "EVP_MAC_CTX_set_params")?;
        }
        Ok(context)
    }

    /// Puts the tag of a message there, by a new key or the one that it has; an empty IV is none.
    #[inline]
    pub(in super::super) fn tag(
        &mut self,
        key: Option<&[u8]>,
        iv: &[u8],
        message: &[u8],
        tag: &mut [u8],
    ) -> Result<(), Failed> {
        self.begin(key, iv)?;
        self.update(message)?;
        let written = self.finish(tag)?;
        check(written == tag.len(), "EVP_MAC_final")
    }

    /// Begins a message.
    #[inline]
    pub(in super::super) fn begin(&mut self, key: Option<&[u8]>, iv: &[u8]) -> Result<(), Failed> {
        let with_iv = [Param::bytes(c"iv", iv), Param::END];
        let params = match iv {
            [] => ptr::null(),
            _ => with_iv.as_ptr(),
        };
        let key = match self.mac.macs.begins_by_key {
            true => Some(self.keep(key)),
            false => key,
        };
        let (key, key_len) = key.map_or((ptr::null(), 0), |key| (key.as_ptr(), key.len()));
        // SAFETY: the context is valid; the key is readable for its length, and NULL keeps the one that it has. The
        // parameters are only read, and outlive the call.
        let answer = unsafe { (self.mac.macs.init)(self.raw.as_ptr(), key, key_len, params) };
        check(answer == 1, "EVP_MAC_init")
    }

    /// The key, or the one that was kept.
    fn keep(&mut self, key: Option<&[u8]>) -> &[u8] {
        if let Some(key) = key {
            self.kept.clear();
            self.kept.extend_from_slice(key);
        }
        &self.kept
    }

    #[inline]
    pub(in super::super) fn update(&mut self, message: &[u8]) -> Result<(), Failed> {
        // SAFETY: the context is valid, and the message readable for its length.
        let answer = unsafe { (self.mac.macs.update)(self.raw.as_ptr(), message.as_ptr(), message.len()) };
        check(answer == 1, "EVP_MAC_update")
    }

    /// Ends a message and puts its whole tag there; answers the tag's length.
    #[inline]
    pub(in super::super) fn finish(&mut self, tag: &mut [u8]) -> Result<usize, Failed> {
        let mut written = 0;
        // SAFETY: the context is valid; no more is written than is told that there is room for.
        let answer =
            unsafe { (self.mac.macs.finish)(self.raw.as_ptr(), tag.as_mut_ptr(), &mut written, tag.len()) };
        check(answer == 1, "EVP_MAC_final").map(|()| written)
    }
}

impl Drop for MacContext {
    fn drop(&mut self) {
        // SAFETY: made by the same library, and freed once.
        unsafe { (self.mac.macs.free_context)(self.raw.as_ptr()) }
    }
}
