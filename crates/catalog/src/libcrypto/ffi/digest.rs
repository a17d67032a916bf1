use std::{
    ffi::{c_int, c_uchar, c_uint, c_void},
    ptr::{self, NonNull},
};

use super::{Failed, check};
use crate::library::{Library, Missing};

/// `EVP_MD` and `EVP_MD_CTX`, opaque.
#[repr(C)]
pub(super) struct EvpMd([u8; 0]);
#[repr(C)]
pub(super) struct EvpMdCtx([u8; 0]);

/// What makes digests.
pub(super) struct Digests {
    new_context: unsafe extern "C" fn() -> *mut EvpMdCtx,
    free_context: unsafe extern "C" fn(*mut EvpMdCtx),
    init: unsafe extern "C" fn(*mut EvpMdCtx, *const EvpMd, *mut c_void) -> c_int,
    update: unsafe extern "C" fn(*mut EvpMdCtx, *const c_void, usize) -> c_int,
    finish: unsafe extern "C" fn(*mut EvpMdCtx, *mut c_uchar, *mut c_uint) -> c_int,
    /// Since 1.1.1.
    finish_xof: Option<unsafe extern "C" fn(*mut EvpMdCtx, *mut c_uchar, usize) -> c_int>,
}

impl Digests {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        // SAFETY: OpenSSL documents each signature for its name since 1.1.0, and so do its forks.
        unsafe {
            Ok(Self {
                new_context: library.symbol("EVP_MD_CTX_new")?,
                free_context: library.symbol("EVP_MD_CTX_free")?,
                init: library.symbol("EVP_DigestInit_ex")?,
                update: library.symbol("EVP_DigestUpdate")?,
                finish: library.symbol("EVP_DigestFinal_ex")?,
                finish_xof: library.symbol("EVP_DigestFinalXOF").ok(),
            })
        }
    }
}

/// A digest of a library; never freed, as the library is not.
#[derive(Clone, Copy)]
pub(in super::super) struct Digest {
    pub(super) digests: &'static Digests,
    pub(super) raw: NonNull<EvpMd>,
    /// Bytes of a digest, if they are not as many as one likes.
    pub(super) len: usize,
    pub(super) is_xof: bool,
}

/// An `EVP_MD_CTX`.
pub(in super::super) struct DigestContext {
    digests: &'static Digests,
    /// None yet, or none that is known.
    digest: *const EvpMd,
    raw: NonNull<EvpMdCtx>,
    len: usize,
    is_xof: bool,
}

impl DigestContext {
    pub(in super::super) fn new(digest: Digest) -> Result<Self, Failed> {
        let mut context = Self::empty(digest.digests)?;
        context.digest = digest.raw.as_ptr();
        context.len = digest.len;
        context.is_xof = digest.is_xof;
        Ok(context)
    }

    /// For signatures, which say themselves what digest they have.
    pub(super) fn empty(digests: &'static Digests) -> Result<Self, Failed> {
        // SAFETY: takes nothing; answers NULL or a context that is ours alone.
        let raw = NonNull::new(unsafe { (digests.new_context)() }).ok_or(Failed("EVP_MD_CTX_new"))?;
        Ok(Self {
            digests,
            digest: ptr::null(),
            raw,
            len: 0,
            is_xof: false,
        })
    }

    pub(super) fn raw(&self) -> *mut EvpMdCtx {
        self.raw.as_ptr()
    }

    /// Puts the digest of a message there.
    #[inline]
    pub(in super::super) fn digest(&mut self, message: &[u8], digest: &mut [u8]) -> Result<(), Failed> {
        let Digests {
            init,
            update,
            finish,
            finish_xof,
            ..
        } = self.digests;
        let finish_xof = finish_xof.filter(|_| self.is_xof);
        check(finish_xof.is_some() || digest.len() == self.len, "EVP_MD_size")?;
        // SAFETY: the context is valid and the digest is of the same library; NULL is no engine. The message is readable
        // for its length. The last function writes as much as the library says that its digest has, which is the room
        // there is, or as much as it is told. Not by way of a buffer: what the library has stored in parts, a copy that
        // reads it as a whole would have to wait for.
        unsafe {
            check(
                init(self.raw.as_ptr(), self.digest, ptr::null_mut()) == 1,
                "EVP_DigestInit_ex",
            )?;
            check(
                update(self.raw.as_ptr(), message.as_ptr().cast(), message.len()) == 1,
                "EVP_DigestUpdate",
            )?;
            if let Some(finish_xof) = finish_xof {
                let answer = finish_xof(self.raw.as_ptr(), digest.as_mut_ptr(), digest.len());
                return check(answer == 1, "EVP_DigestFinalXOF");
            }
            let mut written = 0;
            let answer = finish(self.raw.as_ptr(), digest.as_mut_ptr(), &mut written);
            check(
                answer == 1 && written as usize == digest.len(),
                "EVP_DigestFinal_ex",
            )?;
        }
        Ok(())
    }
}

impl Drop for DigestContext {
    fn drop(&mut self) {
        // SAFETY: made by the same library, and freed once.
        unsafe { (self.digests.free_context)(self.raw.as_ptr()) }
    }
}
