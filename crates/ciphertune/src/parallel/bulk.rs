//! One long call on several processors: each takes the next piece and seeks there.

use std::{mem, sync::Mutex};

use ciphertune_engine::{BLOCK, Kernel, Key, Keystream};
use inout::InOutBuf;

use super::helpers::share;

/// Text in place, or to go from one buffer to another of the same length. Unlike an [`InOutBuf`], it can be sent to
/// another thread.
pub(crate) enum Text<'a> {
    InPlace(&'a mut [u8]),
    Apart(&'a [u8], &'a mut [u8]),
}

impl Text<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::InPlace(text) | Self::Apart(_, text) => text.len(),
        }
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        match self {
            Self::InPlace(text) => {
                let (first, rest) = text.split_at_mut(at);
                (Self::InPlace(first), Self::InPlace(rest))
            }
            Self::Apart(input, output) => {
                let (input, more_input) = input.split_at(at);
                let (output, more_output) = output.split_at_mut(at);
                (Self::Apart(input, output), Self::Apart(more_input, more_output))
            }
        }
    }
}

impl<'a> From<Text<'a>> for InOutBuf<'a, 'a, u8> {
    #[inline(always)]
    fn from(text: Text<'a>) -> Self {
        match text {
            Text::InPlace(text) => text.into(),
            Text::Apart(input, output) => Self::new(input, output).expect("of the same length"),
        }
    }
}

/// Bytes that a thread takes at a time, whole blocks.
const PIECE: usize = 256 << 10;

/// As [`Kernel::ctr`], with up to `helpers` more threads. They end before the call does: there is nothing to stop, to
/// fork with or to wipe later. Where none can be had, the caller's does it all.
pub(crate) fn ctr(kernel: Kernel, key: &mut Key, stream: &mut Keystream, text: Text<'_>, helpers: usize) {
    let len = text.len();
    let whole = len.saturating_sub(stream.unused()) / BLOCK * BLOCK;
    let helpers = helpers.min(whole.div_ceil(PIECE).saturating_sub(1));
    if helpers == 0 {
        return kernel.ctr(key, stream, text.into());
    }
    // To a block's beginning, and not so far as to begin another: keystream that is left over is left by the caller's
    // own thread, at the end.
    let (head, text) = text.split_at(stream.unused());
    kernel.ctr(key, stream, head.into());
    let (body, tail) = text.split_at(whole);
    let after = stream.next_counter().wrapping_add((whole / BLOCK) as u128);

    let pieces = Pieces {
        left: Mutex::new((stream.next_counter(), body)),
        whole: len,
    };
    let mut copy = Box::new(Key::empty());
    copy.copy_from(key);
    let work = || {
        let mut own = Box::new(Key::empty());
        own.copy_from(&copy);
        pieces.work(End::Back, kernel, &mut own);
    };
    share(helpers, work, || pieces.work(End::Front, kernel, key));

    stream.restart(after);
    kernel.ctr(key, stream, tail.into());
}

/// What is left to do.
struct Pieces<'a> {
    /// Its first counter, and the text.
    left: Mutex<(u128, Text<'a>)>,
    /// Bytes of all of it, and of what the caller does by itself.
    whole: usize,
}

/// Which end of the text a thread works from: the caller from the front and helpers from the back, so that each of them
/// goes through memory in a row, and through the same memory when the text is the same again.
#[derive(Clone, Copy)]
enum End {
    Front,
    Back,
}

impl<'a> Pieces<'a> {
    fn work(&self, end: End, kernel: Kernel, key: &mut Key) {
        let mut stream = Keystream::new(0);
        while let Some((counter, piece)) = self.take(end) {
            stream.restart(counter);
            kernel.ctr_piece(key, &mut stream, piece.into(), self.whole);
        }
    }

    fn take(&self, end: End) -> Option<(u128, Text<'a>)> {
        let mut left = self.left.lock().expect("nothing panics while it is held");
        let (counter, text) = &mut *left;
        let all = mem::replace(text, Text::InPlace(&mut []));
        let (first, len) = (*counter, all.len().min(PIECE));
        let blocks = |bytes: usize| (bytes / BLOCK) as u128;
        let piece = match end {
            End::Front => {
                let (piece, rest) = all.split_at(len);
                (*counter, *text) = (first.wrapping_add(blocks(len)), rest);
                (first, piece)
            }
            End::Back => {
                let before = all.len() - len;
                let (rest, piece) = all.split_at(before);
                *text = rest;
                (first.wrapping_add(blocks(before)), piece)
            }
        };
        (len > 0).then_some(piece)
    }
}
