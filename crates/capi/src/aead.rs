//! What GCM, CCM and OCB have in common: a message in one piece with its tag.

use std::ffi::c_void;

use ciphertune::{Error as CipherError, Tag};

use crate::{
    buffers::{Data, Slices, Span, bytes, write_tag},
    error::Error,
};

/// A key, and how long its tags are.
pub(crate) struct Context<T> {
    pub(crate) cipher: T,
    pub(crate) tag_len: usize,
}

/// The arguments of a function that seals or opens, as the header has them.
pub(crate) struct Arguments {
    pub(crate) nonce: *const c_void,
    pub(crate) nonce_len: usize,
    pub(crate) aad: *const c_void,
    pub(crate) aad_len: usize,
    pub(crate) input: *const c_void,
    pub(crate) output: *mut c_void,
    pub(crate) len: usize,
    /// Opening, it is only read.
    pub(crate) tag: *mut c_void,
    pub(crate) tag_len: usize,
}

impl Arguments {
    /// Seals by `run`, which gets nonce, additional data and text, and writes the tag that it answers.
    ///
    /// # Safety
    /// As the header asks.
    #[inline]
    pub(crate) unsafe fn seal(
        self,
        own_tag_len: usize,
        run: impl FnOnce(&[u8], &[u8], Slices<'_>) -> Result<Tag, CipherError>,
    ) -> Result<(), Error> {
        // Before anything is sealed that would lack its tag.
        if self.tag_len != own_tag_len {
            return Err(CipherError::TagLength(self.tag_len).into());
        }
        let beside = self.beside()?;
        let data = Data::new(self.input, self.output, self.len, &beside)?;
        let tag = Span::new("tag", self.tag.cast::<u8>(), self.tag_len)?;
        tag.apart_from(&beside)?;
        tag.apart_from(&data.spans())?;
        // SAFETY: the caller keeps to the header; the tag has `tag_len` bytes.
        unsafe {
            let nonce = bytes("nonce", self.nonce, self.nonce_len)?;
            let aad = bytes("aad", self.aad, self.aad_len)?;
            write_tag(self.tag, &run(nonce, aad, data.slices())?)
        }
    }

    /// Opens by `run`, which gets nonce, additional data, text and tag.
    ///
    /// # Safety
    /// As the header asks.
    #[inline]
    pub(crate) unsafe fn open(
        self,
        run: impl FnOnce(&[u8], &[u8], Slices<'_>, &[u8]) -> Result<(), CipherError>,
    ) -> Result<(), Error> {
        let [nonce, aad] = self.beside()?;
        let tag = Span::new("tag", self.tag.cast::<u8>(), self.tag_len)?;
        let data = Data::new(self.input, self.output, self.len, &[nonce, aad, tag])?;
        // SAFETY: the caller keeps to the header.
        unsafe {
            let nonce = bytes("nonce", self.nonce, self.nonce_len)?;
            let aad = bytes("aad", self.aad, self.aad_len)?;
            let tag = bytes("tag", self.tag, self.tag_len)?;
            Ok(run(nonce, aad, data.slices(), tag)?)
        }
    }

    #[inline]
    fn beside(&self) -> Result<[Span; 2], Error> {
        Ok([
            Span::new("nonce", self.nonce.cast::<u8>(), self.nonce_len)?,
            Span::new("aad", self.aad.cast::<u8>(), self.aad_len)?,
        ])
    }
}
