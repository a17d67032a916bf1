//! What GCM, CCM and OCB have in common: a message in one piece with its tag.

use std::{ffi::c_void, hint::black_box, ops::BitOr, slice::from_raw_parts_mut};

use ciphertune::{Error as CipherError, InOutBuf, Tag};

use crate::{
    buffers::{Span, in_out, slice},
    error::Error,
};

/// A key, or a stream with it, and how long its tags are.
pub(crate) struct Context<T> {
    pub(crate) cipher: T,
    pub(crate) tag_len: usize,
}

/// Refuses room for a tag that has not the `own` bytes of its key's tags.
pub(crate) fn check_tag_len(given: usize, own: usize) -> Result<(), CipherError> {
    match given == own {
        true => Ok(()),
        false => Err(CipherError::OtherTagLength { own, given }),
    }
}

/// The arguments of a function that seals or opens, as the header has them.
#[derive(Clone, Copy)]
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

// Inlined always, so that the arguments stay in registers.
impl Arguments {
    /// Seals by a function of nonce, additional data and text, and writes the tag.
    ///
    /// # Safety
    /// As the header asks.
    #[inline(always)]
    pub(crate) unsafe fn seal(
        self,
        own_tag_len: usize,
        seal: impl FnOnce(&[u8], &[u8], InOutBuf<'_, '_, u8>) -> Result<Tag, CipherError>,
    ) -> Result<(), Error> {
        // Before anything is sealed that would lack its tag.
        check_tag_len(self.tag_len, own_tag_len)?;
        self.check::<true>()?;
        // SAFETY: the caller keeps to the header, and what that leaves to us was checked: no pointer is NULL where there
        // are bytes, and none of what is written is among the rest. The tag has `tag_len` bytes.
        unsafe {
            let nonce = slice(self.nonce, self.nonce_len);
            let aad = slice(self.aad, self.aad_len);
            let tag = seal(nonce, aad, in_out(self.input, self.output, self.len))?;
            tag.copy_to(from_raw_parts_mut(self.tag.cast(), self.tag_len));
        }
        Ok(())
    }

    /// Opens by a function of nonce, additional data, text and tag.
    ///
    /// # Safety
    /// As the header asks.
    #[inline(always)]
    pub(crate) unsafe fn open(
        self,
        open: impl FnOnce(&[u8], &[u8], InOutBuf<'_, '_, u8>, &[u8]) -> Result<(), CipherError>,
    ) -> Result<(), Error> {
        self.check::<false>()?;
        // SAFETY: as for sealing.
        unsafe {
            let nonce = slice(self.nonce, self.nonce_len);
            let aad = slice(self.aad, self.aad_len);
            let tag = slice(self.tag, self.tag_len);
            Ok(open(nonce, aad, in_out(self.input, self.output, self.len), tag)?)
        }
    }

    #[inline(always)]
    fn check<const SEAL: bool>(self) -> Result<(), Error> {
        if self.is_suspect::<SEAL>() {
            black_box(self).find_fault::<SEAL>()?;
        }
        Ok(())
    }

    /// Whether [`Self::find_fault`] may find one: a short message is as long as the instructions that this takes.
    #[inline(always)]
    fn is_suspect<const SEAL: bool>(self) -> bool {
        let [nonce, aad, input, output, tag] = self.spans();
        // NULL less one has the highest bit, as a length that is too long.
        let addresses =
            [nonce.start, input.start, output.start, tag.start].map(|start| start.wrapping_sub(1));
        let lengths = [nonce.len, aad.len, input.len, tag.len];
        let all = addresses.into_iter().chain(lengths).fold(0, BitOr::bitor);
        let is_no_buffer = all > isize::MAX as usize || aad.start == 0 && aad.len != 0;
        let moves = input.start != output.start;

        is_no_buffer
            || output.may_overlap(nonce)
            || output.may_overlap(aad)
            || output.may_overlap(tag)
            || moves && output.may_overlap(input)
            || SEAL && (tag.may_overlap(nonce) || tag.may_overlap(aad) || moves && tag.may_overlap(input))
    }

    // By value, and a value of its own, so that arguments are put into memory only for this.
    #[cold]
    #[inline(never)]
    fn find_fault<const SEAL: bool>(self) -> Result<(), Error> {
        let [nonce, aad, input, output, tag] = self.spans();
        for span in [nonce, aad, input, output, tag] {
            span.check()?;
        }
        if input.start != output.start {
            output.apart_from(&[input])?;
        }
        output.apart_from(&[nonce, aad])?;
        match SEAL {
            true => tag.apart_from(&[nonce, aad, input, output]),
            false => output.apart_from(&[tag]),
        }
    }

    #[inline(always)]
    fn spans(self) -> [Span; 5] {
        let span = |name, start: *const c_void, len| Span {
            name,
            start: start.addr(),
            len,
        };
        [
            span("nonce", self.nonce, self.nonce_len),
            span("aad", self.aad, self.aad_len),
            span("in", self.input, self.len),
            span("out", self.output, self.len),
            span("tag", self.tag, self.tag_len),
        ]
    }
}

/// The functions of one type of the header, by their names. A context is reached by `shared` or `exclusive` to seal and open.
macro_rules! aead {
    (
        $cipher:ident, $reached:ident(*$mutability:tt $context:ident);
        $new:ident($with_tag_len:ident);
        $free:ident;
        $rekey:ident;
        $seal:ident;
        $open:ident;
    ) => {
        use std::ffi::{c_int, c_void};

        use crate::{aead::Arguments, boundary, buffers::bytes, exported::exported};

        exported! {
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $new(
                ctx: *mut *mut $context,
                key: *const c_void,
                key_len: usize,
                tag_len: usize,
            ) -> c_int {
                let new = || {
                    // SAFETY: the caller keeps to the header.
                    let cipher = $cipher::new(unsafe { bytes("key", key, key_len) }?)?.$with_tag_len(tag_len)?;
                    Ok(Context { cipher, tag_len })
                };
                // SAFETY: the caller keeps to the header.
                unsafe { boundary::create(ctx, new) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $free(ctx: *mut $context) {
                // SAFETY: the caller keeps to the header.
                unsafe { boundary::destroy(ctx) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $rekey(
                ctx: *mut $context,
                key: *const c_void,
                key_len: usize,
            ) -> c_int {
                // SAFETY: the caller keeps to the header.
                boundary::guard(|| unsafe {
                    Ok(boundary::exclusive(ctx)?.cipher.rekey(bytes("key", key, key_len)?)?)
                })
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $seal(
                ctx: *$mutability $context,
                nonce: *const c_void,
                nonce_len: usize,
                aad: *const c_void,
                aad_len: usize,
                r#in: *const c_void,
                out: *mut c_void,
                len: usize,
                tag: *mut c_void,
                tag_len: usize,
            ) -> c_int {
                let arguments = Arguments {
                    nonce,
                    nonce_len,
                    aad,
                    aad_len,
                    input: r#in,
                    output: out,
                    len,
                    tag,
                    tag_len,
                };
                // SAFETY: the caller keeps to the header.
                boundary::guard(|| unsafe {
                    let ctx = boundary::$reached(ctx)?;
                    arguments.seal(ctx.tag_len, |nonce, aad, data| {
                        ctx.cipher.seal_inout(nonce, aad, data)
                    })
                })
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $open(
                ctx: *$mutability $context,
                nonce: *const c_void,
                nonce_len: usize,
                aad: *const c_void,
                aad_len: usize,
                r#in: *const c_void,
                out: *mut c_void,
                len: usize,
                tag: *const c_void,
                tag_len: usize,
            ) -> c_int {
                let arguments = Arguments {
                    nonce,
                    nonce_len,
                    aad,
                    aad_len,
                    input: r#in,
                    output: out,
                    len,
                    tag: tag.cast_mut(),
                    tag_len,
                };
                // SAFETY: the caller keeps to the header.
                boundary::guard(|| unsafe {
                    let ctx = boundary::$reached(ctx)?;
                    arguments.open(|nonce, aad, data, tag| ctx.cipher.open_inout(nonce, aad, data, tag))
                })
            }
        }
    };
}
pub(crate) use aead;

#[cfg(test)]
mod tests {
    use std::{array, ptr::without_provenance_mut};

    use super::*;

    fn is_refused<const SEAL: bool>(arguments: Arguments) -> bool {
        arguments.check::<SEAL>().is_err()
    }

    /// By the definition: a place that is written shares no byte with another, but for a text in place.
    fn is_wrong(arguments: Arguments, seal: bool) -> bool {
        let [nonce, aad, input, output, tag] = arguments.spans();
        let share = |a: Span, b: Span| a.start.max(b.start) < a.end().min(b.end());
        let is_no_buffer = |span: Span| span.len > isize::MAX as usize || span.start == 0 && span.len > 0;
        arguments.spans().into_iter().any(is_no_buffer)
            || [nonce, aad, tag].into_iter().any(|other| share(output, other))
            || input.start != output.start && share(output, input)
            || seal && [nonce, aad, input].into_iter().any(|other| share(tag, other))
    }

    #[test]
    fn what_overlaps_is_refused_and_nothing_else() {
        let mut seed: u32 = 1;
        let mut below = |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((seed >> 16) % n) as usize
        };
        let mut outcomes = [0, 0];
        for _ in 0..200_000 {
            let mut place = || match below(40) {
                0 => 0,
                _ => 100 + below(60),
            };
            let [nonce, aad, tag, input, apart] =
                array::from_fn(|_| without_provenance_mut::<c_void>(place()));
            let output = [input, apart][below(2)];
            let mut len = || match below(200) {
                0 => usize::MAX - below(3),
                1 => isize::MAX as usize + below(2),
                _ => below(6),
            };
            let [nonce_len, aad_len, len, tag_len] = array::from_fn(|_| len());
            let arguments = Arguments {
                nonce,
                nonce_len,
                aad,
                aad_len,
                input,
                output,
                len,
                tag,
                tag_len,
            };
            let expected = [true, false].map(|seal| is_wrong(arguments, seal));
            let found = [is_refused::<true>(arguments), is_refused::<false>(arguments)];
            let places = arguments.spans().map(|span| (span.start, span.len));
            assert_eq!(found, expected, "nonce, aad, in, out, tag: {places:?}");
            outcomes[usize::from(expected[0])] += 1;
        }
        assert!(outcomes.iter().all(|&times| times > 20_000), "{outcomes:?}");
    }
}
