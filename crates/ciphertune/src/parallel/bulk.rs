//! One long call on several processors: each takes the next piece and seeks there.

use std::{mem, sync::Mutex};

use ciphertune_engine::{BLOCK, Kernel, Key, Keystream};
use ciphertune_system::Text;
use inout::InOutBuf;

use super::helpers::share;

/// The most bytes that a thread takes at a time, and the fewest, whole blocks: those take the fastest code a microsecond,
/// against which a lock is little.
const MOST: usize = 256 << 10;
const LEAST: usize = 32 << 10;

/// As [`Kernel::ctr`], with up to `helpers` more threads. They end before the call does: there is nothing to stop, to
/// fork with or to wipe later. Where none can be had, the caller's does it all.
pub(crate) fn ctr(
    kernel: Kernel,
    key: &mut Key,
    stream: &mut Keystream,
    text: InOutBuf<'_, '_, u8>,
    helpers: usize,
) {
    let len = text.len();
    let whole = len.saturating_sub(stream.unused()) / BLOCK * BLOCK;
    let helpers = helpers.min(whole.div_ceil(LEAST).saturating_sub(1));
    if helpers == 0 {
        return kernel.ctr(key, stream, text);
    }
    // To a block's beginning, and not so far as to begin another: keystream that is left over is left by the caller's
    // own thread, at the end.
    let (head, text) = text.split_at(stream.unused());
    kernel.ctr(key, stream, head);
    let (body, tail) = text.split_at(whole);
    let after = stream.next_counter().wrapping_add((whole / BLOCK) as u128);

    let pieces = Pieces {
        left: Mutex::new((stream.next_counter(), Text(body))),
        whole: len,
        threads: helpers + 1,
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
    kernel.ctr(key, stream, tail);
}

/// What is left to do.
struct Pieces<'i, 'o> {
    /// Its first counter, and the text.
    left: Mutex<(u128, Text<'i, 'o>)>,
    /// Bytes of all of it, and of what the caller does by itself.
    whole: usize,
    /// How many share in it, the caller's among them.
    threads: usize,
}

/// Which end of the text a thread works from: the caller from the front and helpers from the back, so that each of them
/// goes through memory in a row, and through the same memory when the text is the same again.
#[derive(Clone, Copy)]
enum End {
    Front,
    Back,
}

impl<'i, 'o> Pieces<'i, 'o> {
    fn work(&self, end: End, kernel: Kernel, key: &mut Key) {
        let mut stream = Keystream::new(0);
        while let Some((counter, piece)) = self.take(end) {
            stream.restart(counter);
            kernel.ctr_piece(key, &mut stream, piece, self.whole);
        }
    }

    fn take(&self, end: End) -> Option<(u128, InOutBuf<'i, 'o, u8>)> {
        let mut left = self.left.lock().expect("nothing panics while it is held");
        let (counter, Text(text)) = &mut *left;
        let all = mem::replace(text, (&mut [][..]).into());
        // Half of a fair share of what is left: much at first, and little in the end, which all then reach at about the
        // same time (factoring: Hummel, Schonberg and Flynn, Communications of the ACM 35, 1992).
        let share = all.len() / (2 * self.threads) / BLOCK * BLOCK;
        let (first, len) = (*counter, share.clamp(LEAST, MOST).min(all.len()));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What threads take in turn, half of them from either end: counters and bytes.
    fn pieces(len: usize, threads: usize) -> Vec<(u128, usize)> {
        let mut text = vec![0; len];
        let pieces = Pieces {
            left: Mutex::new((u128::MAX, Text(text.as_mut_slice().into()))),
            whole: len,
            threads,
        };
        let ends = [End::Front, End::Back].into_iter().cycle();
        ends.map_while(|end| pieces.take(end))
            .map(|(counter, piece)| (counter, piece.len()))
            .collect()
    }

    #[test]
    fn pieces_make_up_the_text_with_the_counters_of_where_they_stand() {
        for (len, threads) in [
            (1 << 20, 2),
            (1 << 20, 16),
            ((1 << 20) + 48, 3),
            (LEAST + 16, 2),
            (16, 2),
        ] {
            let mut all = pieces(len, threads);
            all.sort_by_key(|(counter, _)| counter.wrapping_add(1));
            let mut next = u128::MAX;
            for (counter, len) in &all {
                assert_eq!((*counter, len % BLOCK), (next, 0), "{all:?}");
                next = next.wrapping_add((len / BLOCK) as u128);
            }
            assert_eq!(all.iter().map(|(_, len)| len).sum::<usize>(), len);
        }
    }

    #[test]
    fn pieces_become_small_so_that_all_end_together() {
        let lens = |len, threads| -> Vec<usize> {
            let all = pieces(len, threads).into_iter();
            all.map(|(_, len)| len >> 10).collect()
        };
        assert_eq!(lens(256 << 10, 16), [32; 8]);
        assert_eq!(lens(1 << 20, 2)[..4], [256, 192, 144, 108]);
        assert_eq!(lens(64 << 20, 2)[..200], [256; 200]);
    }
}
