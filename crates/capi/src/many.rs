//! Many messages in one call: that what is written for one is not read or written for another, and whose key each has.

use crate::{
    boundary::shared,
    buffers::{Data, Span, things},
    error::Error,
};

/// A context for each message, as a program has those that it made; they are only read.
pub(crate) struct Owners<'a, T> {
    contexts: &'a [*mut T],
    pub(crate) place: Place,
}

impl<'a, T: Sync> Owners<'a, T> {
    /// # Safety
    /// As [`things`] and, of each of them, [`shared`].
    pub(crate) unsafe fn new(contexts: *const *mut T, count: usize) -> Result<Self, Error> {
        Ok(Self {
            // SAFETY: as the caller.
            contexts: unsafe { things("ctxs", contexts, count) }?,
            place: Place::read(Span::new("ctxs", contexts, count)?),
        })
    }

    /// That of message `i`.
    pub(crate) fn of(&self, i: usize) -> Result<&'a T, Error> {
        // SAFETY: as whoever made this has promised.
        unsafe { shared(self.contexts[i]) }.map_err(|error| error.of_message(i))
    }
}

/// A place that a call reads or writes.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    span: Span,
    written: bool,
}

impl Place {
    pub(crate) fn read(span: Span) -> Self {
        Self { span, written: false }
    }

    pub(crate) fn written(span: Span) -> Self {
        Self { span, written: true }
    }

    /// Those of a message.
    pub(crate) fn of(data: &Data) -> impl Iterator<Item = Self> {
        data.read()
            .map(Self::read)
            .into_iter()
            .chain([Self::written(data.written())])
    }
}

/// Two places that share a byte, and at least one of which is written.
#[derive(Debug)]
pub(crate) struct Clash(Span, Span);

impl Clash {
    /// Says whose they are; `of` answers the places of message `i`, of `count`. They are looked for only now, so that a
    /// call which is right does not carry each place's number along.
    #[cold]
    pub(crate) fn error<const N: usize>(self, count: usize, of: impl Fn(usize) -> [Span; N] + Copy) -> Error {
        let Self(one, other) = self;
        let has = |span| move |i: &usize| of(*i).contains(&span);
        // Where both have the same place, the first and the last of those that have it.
        Error::Overlap(
            one.named((0..count).find(has(one))),
            other.named((0..count).rfind(has(other))),
        )
    }
}

/// That no written place shares a byte with any other. They are sorted by address.
pub(crate) fn all_apart(places: &mut [Place]) -> Result<(), Clash> {
    places.sort_unstable_by_key(|place| place.span.start);
    let (mut last, mut last_written) = (Span::EMPTY, Span::EMPTY);
    for &Place { span, written } in places.iter().filter(|place| place.span.len > 0) {
        let before = if written { last } else { last_written };
        if span.start < before.end() {
            return Err(Clash(before, span));
        }
        if last.end() < span.end() {
            last = span;
        }
        if written && last_written.end() < span.end() {
            last_written = span;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(start: usize, len: usize, written: bool) -> Place {
        let span = Span {
            name: "in",
            start,
            len,
        };
        Place { span, written }
    }

    /// Against every pair, by its definition.
    #[test]
    fn overlaps_are_found_wherever_they_are() {
        let mut seed: u32 = 1;
        let mut below = |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % n
        };
        let mut outcomes = [0, 0];
        for _ in 0..100_000 {
            let mut places: Vec<_> = (0..2 + below(4))
                .map(|_| place(100 + below(40) as usize, below(8) as usize, below(2) == 0))
                .collect();
            let clash =
                |a: &Place, b: &Place| (a.written || b.written) && a.span.apart_from(&[b.span]).is_err();
            let expected = places
                .iter()
                .enumerate()
                .any(|(i, a)| places[..i].iter().any(|b| clash(a, b)));
            assert_eq!(all_apart(&mut places).is_err(), expected);
            outcomes[usize::from(expected)] += 1;
        }
        assert!(outcomes.iter().all(|&times| times > 10_000), "{outcomes:?}");
    }
}
