//! Planes in 64-bit words, for any processor: four blocks a batch.
//!
//! A word's number has three bits and a place inside a word has six. Packing permutes these nine;
//! every step swaps one of the three with one of the six (a delta swap in four pairs of words). Six steps are
//! the least, since each of the six places changes its bit. In the table `z` is the bit's number in its byte,
//! `r` the row, `c` the column, `b` the block, and the lowest bit stands last.
//!
//! | | word | place in the word |
//! |---|---|---|
//! | memory order | c1 b1 b0 | c0 r1 r0 z2 z1 z0 |
//! | after step 8 | r0 b1 b0 | c0 r1 c1 z2 z1 z0 |
//! | after step 16 | r1 b1 b0 | c0 r0 c1 z2 z1 z0 |
//! | after step 32 | c0 b1 b0 | r1 r0 c1 z2 z1 z0 |
//! | after steps 4, 2, 1: planes | z2 z1 z0 | r1 r0 c1 c0 b1 b0 |
//!
//! A turn of the rows by ±r is cheap on the way: where the word's number holds a bit of the column, that bit
//! is flipped in some bytes by exchanging them between two words. Either turn flips c0 in odd rows. It flips
//! c1 where r1 differs from the carry, which is `c0 & r0` for c + r and `!c0 & r0` for c − r.

use super::Keys;
use super::plane::{Plane, Turn};

impl Plane for u64 {
    // Two batches side by side gain nothing: one alone has more values than there are registers, and a logical
    // operation answers in a cycle.
    const SIDE: usize = 1;

    #[inline(always)]
    unsafe fn key(keys: &Keys, round: usize, plane: usize) -> Self {
        keys.planes[round][plane]
    }

    // First halves of the four blocks, then second halves.
    #[inline(always)]
    unsafe fn load(from: *const u8, i: usize) -> Self {
        // SAFETY: within the caller's 64 bytes.
        unsafe {
            u64::from_le(
                from.add(16 * (i % 4) + 8 * (i / 4))
                    .cast::<u64>()
                    .read_unaligned(),
            )
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8, i: usize) {
        // SAFETY: within the caller's 64 bytes.
        unsafe {
            to.add(16 * (i % 4) + 8 * (i / 4))
                .cast::<u64>()
                .write_unaligned(self.to_le())
        }
    }

    #[inline(always)]
    unsafe fn last_bytes(first: u8, i: usize) -> Self {
        // Byte b of word i belongs to counter 8b + i. A byte past 255 carries into the next, which is past
        // 255 as well.
        (u64::from(first) + i as u64)
            .wrapping_mul(0x0101_0101_0101_0101)
            .wrapping_add(0x3830_2820_1810_0800)
    }

    #[inline(always)]
    fn exchange<const SHIFT: u32>(a: &mut Self, b: &mut Self) {
        let mask = match SHIFT {
            4 => 0x0f0f_0f0f_0f0f_0f0f,
            2 => 0x3333_3333_3333_3333,
            _ => 0x5555_5555_5555_5555,
        };
        exchange(a, b, SHIFT, mask);
    }

    #[inline(always)]
    fn gather(mut words: [Self; 8], turn: Turn) -> [Self; 8] {
        exchange_halves(&mut words, 0, mask_of(turn));
        exchange_halves(&mut words, 8, 0x00ff_00ff_00ff_00ff);
        exchange_halves(&mut words, 16, 0x0000_ffff_0000_ffff);
        exchange_halves(&mut words, 32, 0x0000_0000_ffff_ffff);
        exchange_halves(&mut words, 0, ODD_ROWS);
        words
    }

    /// The same steps in reverse, each of them its own inverse.
    #[inline(always)]
    fn scatter(mut words: [Self; 8], turn: Turn) -> [Self; 8] {
        exchange_halves(&mut words, 0, ODD_ROWS);
        exchange_halves(&mut words, 32, 0x0000_0000_ffff_ffff);
        exchange_halves(&mut words, 16, 0x0000_ffff_0000_ffff);
        exchange_halves(&mut words, 8, 0x00ff_00ff_00ff_00ff);
        exchange_halves(&mut words, 0, mask_of(turn));
        words
    }

    #[inline(always)]
    fn pull<const ROWS: u32, const COLUMNS: u32>(self) -> Self {
        let shift = 16 * ROWS + 4 * COLUMNS;
        let moved = self.rotate_right(shift);
        if COLUMNS == 0 {
            return moved;
        }
        // Past the last column the rotation runs on into the next row: there, a row less is right.
        let wrapped = self.rotate_right(shift - 16);
        let inside = (0xffff >> (4 * COLUMNS)) * 0x0001_0001_0001_0001;
        moved & inside | wrapped & !inside
    }

    #[inline(always)]
    fn keep<const PLACES: u16>(self) -> Self {
        let mut mask = 0;
        for place in 0..16 {
            mask |= (u64::from(PLACES >> place & 1) * 0xf) << (4 * place);
        }
        self & mask
    }

    #[inline(always)]
    fn first_row(self) -> Self {
        let row = self & 0xffff;
        let rows = row | row << 16;
        rows | rows << 32
    }

    #[inline(always)]
    fn first_place(self) -> Self {
        let place = self.keep::<0x1111>();
        let places = place | place << 4;
        places | places << 8
    }

    #[inline(always)]
    fn column<const STEPS: u32>(self, place: u32) -> Self {
        // With the others zero, no mask is needed where the rotation passes a row's end.
        let column = (self >> (4 * place)).keep::<0x1111>();
        column.rotate_right((20 * STEPS).saturating_sub(16))
    }
}

/// The bytes with r0 = 1, in a word whose places begin with r1 r0 c1.
const ODD_ROWS: u64 = 0xffff_0000_ffff_0000;

/// The bytes of which a turn flips c1, in memory order: byte 4·c0 + r of a word.
#[inline(always)]
fn mask_of(turn: Turn) -> u64 {
    match turn {
        // c + r: those with r1 ≠ (c0 & r0).
        Turn::Right => 0x00ff_ff00_ffff_0000,
        // c − r: those with r1 ≠ (!c0 & r0).
        Turn::Left => 0xffff_0000_00ff_ff00,
    }
}

/// In each pair of words whose numbers differ by four, exchanges the bits of the first under `mask << shift` with
/// the bits of the second under `mask`.
#[inline(always)]
fn exchange_halves(words: &mut [u64; 8], shift: u32, mask: u64) {
    let [a, b, c, d, e, f, g, h] = words;
    exchange(a, e, shift, mask);
    exchange(b, f, shift, mask);
    exchange(c, g, shift, mask);
    exchange(d, h, shift, mask);
}

#[inline(always)]
fn exchange(a: &mut u64, b: &mut u64, shift: u32, mask: u64) {
    let difference = (*a >> shift ^ *b) & mask;
    *b ^= difference;
    *a ^= difference << shift;
}
