//! What a function reads and writes: pointers and lengths, checked and made slices.

use std::{ffi::c_void, slice};

use ciphertune::{InOutBuf, Tag};

use crate::error::{Error, Named};

/// Bytes of a block, and so of an IV and a whole tag.
pub(crate) const BLOCK: usize = 16;

/// A place in memory, by the name that its parameter has in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) name: &'static str,
    pub(crate) start: usize,
    pub(crate) len: usize,
}

impl Span {
    pub(crate) const EMPTY: Self = Self {
        name: "",
        start: 0,
        len: 0,
    };

    /// `count` things from `start` on, which may be NULL only where there is none.
    #[inline]
    pub(crate) fn new<T>(name: &'static str, start: *const T, count: usize) -> Result<Self, Error> {
        let span = Self {
            name,
            start: start.addr(),
            len: count.saturating_mul(size_of::<T>()),
        };
        span.check()?;
        Ok(span)
    }

    /// That it may be a buffer: it is NULL only without a byte, and no longer than memory can be.
    #[inline]
    pub(crate) fn check(self) -> Result<(), Error> {
        if self.start == 0 && self.len != 0 {
            Err(Error::Null(self.name))
        } else if self.len > isize::MAX as usize {
            Err(Error::TooLong(self.name))
        } else {
            Ok(())
        }
    }

    /// That it shares no byte with any of `others`.
    #[inline]
    pub(crate) fn apart_from(self, others: &[Self]) -> Result<(), Error> {
        match others.iter().find(|other| self.overlaps(**other)) {
            Some(other) => Err(Error::Overlap(self.named(None), other.named(None))),
            None => Ok(()),
        }
    }

    /// As an error calls it.
    pub(crate) fn named(self, message: Option<usize>) -> Named {
        Named {
            name: self.name,
            message,
        }
    }

    /// Whether [`Span::overlaps`], by one comparison; perhaps also if one of them is empty.
    ///
    /// From one's last byte back to the other's first there are less bytes than both have.
    #[inline(always)]
    pub(crate) fn may_overlap(self, other: Self) -> bool {
        let back = self.start.wrapping_add(self.len).wrapping_sub(other.start);
        back.wrapping_sub(1) < self.len.wrapping_add(other.len).wrapping_sub(1)
    }

    /// Whether they share a byte.
    #[inline]
    fn overlaps(self, other: Self) -> bool {
        self.len != 0 && other.len != 0 && self.may_overlap(other)
    }

    /// The address behind its last byte.
    #[inline]
    pub(crate) fn end(self) -> usize {
        self.start.saturating_add(self.len)
    }
}

/// `count` things that are only read.
///
/// # Safety
/// `start` is NULL or valid for reading so many, and nobody changes them while the slice lives.
#[inline]
pub(crate) unsafe fn things<'a, T>(
    name: &'static str,
    start: *const T,
    count: usize,
) -> Result<&'a [T], Error> {
    Span::new(name, start, count)?;
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: it is not NULL, so it is valid; their length in bytes was checked.
    Ok(unsafe { slice::from_raw_parts(start, count) })
}

/// `len` bytes that are only read, after [`Span::check`] has seen them.
///
/// # Safety
/// As [`things`].
#[inline]
pub(crate) unsafe fn slice<'a>(start: *const c_void, len: usize) -> &'a [u8] {
    if len == 0 {
        return &[];
    }
    // SAFETY: it is not NULL, so it is valid.
    unsafe { slice::from_raw_parts(start.cast(), len) }
}

/// `len` bytes that are only read.
///
/// # Safety
/// As [`things`].
#[inline]
pub(crate) unsafe fn bytes<'a>(
    name: &'static str,
    start: *const c_void,
    len: usize,
) -> Result<&'a [u8], Error> {
    // SAFETY: the caller sees to it.
    unsafe { things(name, start.cast(), len) }
}

/// A block that is read, written, or changed.
pub(crate) struct Block {
    place: *mut [u8; BLOCK],
    pub(crate) span: Span,
}

impl Block {
    #[inline]
    pub(crate) fn new(name: &'static str, place: *mut u8) -> Result<Self, Error> {
        let span = Span::new(name, place, BLOCK)?;
        Ok(Self {
            place: place.cast(),
            span,
        })
    }

    /// # Safety
    /// The place is valid for reading 16 bytes.
    #[inline]
    pub(crate) unsafe fn read(&self) -> [u8; BLOCK] {
        // SAFETY: the caller sees to it; bytes need no alignment.
        unsafe { self.place.read() }
    }

    /// To be changed where it is.
    ///
    /// # Safety
    /// The place is valid for reading and writing 16 bytes, and nobody else does while it is lent.
    #[inline]
    pub(crate) unsafe fn lent<'a>(&self) -> &'a mut [u8; BLOCK] {
        // SAFETY: the caller sees to it; bytes need no alignment.
        unsafe { &mut *self.place }
    }

    /// # Safety
    /// The place is valid for writing 16 bytes.
    #[inline]
    pub(crate) unsafe fn write(&self, block: [u8; BLOCK]) {
        // SAFETY: the caller sees to it; bytes need no alignment.
        unsafe { self.place.write(block) }
    }
}

/// The data of a mode: one buffer that changes, or two of the same length that share no byte.
#[derive(Clone, Copy)]
pub(crate) struct Data {
    input: *const u8,
    output: *mut u8,
    len: usize,
}

impl Data {
    /// From `input` to `output`. The latter must be apart from all of `others`, too.
    #[inline]
    pub(crate) fn new(
        input: *const c_void,
        output: *mut c_void,
        len: usize,
        others: &[Span],
    ) -> Result<Self, Error> {
        let from = Span::new("in", input, len)?;
        let to = Span::new("out", output, len)?;
        if from.start != to.start {
            to.apart_from(&[from])?;
        }
        to.apart_from(others)?;
        let (input, output) = (input.cast(), output.cast());
        Ok(Self { input, output, len })
    }

    #[inline]
    pub(crate) fn spans(&self) -> [Span; 2] {
        let span = |name, start| Span {
            name,
            start,
            len: self.len,
        };
        [span("in", self.input.addr()), span("out", self.output.addr())]
    }

    /// Where it is read, if that is another place than where it is written.
    pub(crate) fn read(&self) -> Option<Span> {
        let [input, output] = self.spans();
        (input.start != output.start).then_some(input)
    }

    /// Where it is written.
    pub(crate) fn written(&self) -> Span {
        let [_, output] = self.spans();
        output
    }

    /// As the functions of the library take it.
    ///
    /// # Safety
    /// Unless `len` is 0, `input` is valid for reading and `output` for writing so many bytes, and nobody else
    /// touches them as long as the answer lives.
    #[inline]
    pub(crate) unsafe fn in_out<'a>(self) -> InOutBuf<'a, 'a, u8> {
        // SAFETY: the caller sees to it, and `new` saw the rest.
        unsafe { in_out(self.input.cast(), self.output.cast(), self.len) }
    }
}

/// Writes a result.
///
/// # Safety
/// `place` is NULL or valid for writing it.
#[inline]
pub(crate) unsafe fn answer<T>(name: &'static str, place: *mut T, result: T) -> Result<(), Error> {
    Span::new(name, place, 1)?;
    // SAFETY: it is not NULL, so it is valid.
    unsafe { place.write(result) };
    Ok(())
}

/// Data as the functions of the library take it.
///
/// # Safety
/// Unless `len` is 0, `input` is valid for reading and `output` for writing so many bytes, they share no byte unless they
/// are the same, and nobody else touches them as long as the answer lives.
#[inline]
pub(crate) unsafe fn in_out<'a>(
    input: *const c_void,
    output: *mut c_void,
    len: usize,
) -> InOutBuf<'a, 'a, u8> {
    if len == 0 {
        return (&mut [][..]).into();
    }
    // SAFETY: the caller sees to it. Whether C has ever written to `output` is nothing that Rust can see, and it is only
    // written.
    unsafe { InOutBuf::from_raw(input.cast(), output.cast(), len) }
}

/// Writes a tag.
///
/// # Safety
/// `place` is NULL or valid for writing as many bytes as the tag has, of which there is one at least.
#[inline]
pub(crate) unsafe fn write_tag(place: *mut c_void, tag: &Tag) -> Result<(), Error> {
    Span::new("tag", place.cast::<u8>(), tag.len())?;
    // SAFETY: it is not NULL, since no tag is empty, so it is valid; and nothing else refers to it.
    tag.copy_to(unsafe { slice::from_raw_parts_mut(place.cast(), tag.len()) });
    Ok(())
}

/// Room for so much of so many messages, or [`Error::Memory`]: a number from outside must not abort the program.
pub(crate) fn room<T>(size: usize, messages: usize) -> Result<Vec<T>, Error> {
    let mut room = Vec::new();
    room.try_reserve_exact(size)
        .map_err(|_| Error::Memory(messages))?;
    Ok(room)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exact answer and the quick one, against every byte of both.
    #[test]
    fn overlapping() {
        let span = |start, len| Span { name: "", start, len };
        for (a, b) in (0..12).flat_map(|a| (0..12).map(move |b| (100 + a, 100 + b))) {
            for (n, m) in (0..7).flat_map(|n| (0..7).map(move |m| (n, m))) {
                let shared = (a..a + n).any(|byte| (b..b + m).contains(&byte));
                let (one, other) = (span(a, n), span(b, m));
                assert_eq!(one.overlaps(other), shared, "{a} {n}, {b} {m}");
                assert!(one.may_overlap(other) || !shared, "{a} {n}, {b} {m}");
                if n > 0 && m > 0 {
                    assert_eq!(one.may_overlap(other), shared, "{a} {n}, {b} {m}");
                }
            }
        }
        let empty = Span::EMPTY;
        assert!(
            !span(100, 16).may_overlap(empty),
            "no additional data: the quick way"
        );
    }
}
