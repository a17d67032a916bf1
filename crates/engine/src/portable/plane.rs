//! What bitsliced code asks of the words that hold its planes.

use core::ops::{BitAnd, BitXor};

use super::Keys;

/// A bit of every byte of a batch, as the module's introduction orders them; or, before packing and after
/// unpacking, an eighth of the batch's bytes.
///
/// A value of a vector type exists only where the processor has the features that it needs: the functions that make
/// one from nothing are unsafe, and the others ask for one.
pub(crate) trait Plane: Copy + BitXor<Output = Self> + BitAnd<Output = Self> {
    /// Bytes of a batch: eight words.
    const BATCH: usize = 8 * size_of::<Self>();

    /// How many batches go through the rounds side by side where there are as many.
    const SIDE: usize;

    /// A plane of a round key.
    ///
    /// # Safety
    /// The processor has the features of `Self`; below too.
    unsafe fn key(keys: &Keys, round: usize, plane: usize) -> Self;

    /// Word `i` of a batch at `from`.
    ///
    /// # Safety
    /// A batch can be read there.
    unsafe fn load(from: *const u8, i: usize) -> Self;

    /// Puts word `i` of a batch at `to`.
    ///
    /// # Safety
    /// A batch can be written there.
    unsafe fn store(self, to: *mut u8, i: usize);

    /// In word `i`, the last bytes of the counters from `first` on, as [`super::prefix`] orders them.
    ///
    /// # Safety
    /// As [`Plane::key`].
    unsafe fn last_bytes(first: u8, i: usize) -> Self;

    /// In pairs, the bits of `a` under a mask moved to the left by `SHIFT` for those of `b` under the mask: four, two or
    /// one bit of each eight, four or two.
    fn exchange<const SHIFT: u32>(a: &mut Self, b: &mut Self);

    /// The bytes of a batch in memory's order, to one word for each block, a byte to each place, and row r turned to
    /// the right as `turn` says.
    fn gather(words: [Self; 8], turn: Turn) -> [Self; 8];

    /// Undoes [`Plane::gather`].
    fn scatter(words: [Self; 8], turn: Turn) -> [Self; 8];

    /// Brings to each place the bit that stands `ROWS` down and `COLUMNS` to the right, both modulo 4.
    fn pull<const ROWS: u32, const COLUMNS: u32>(self) -> Self;

    /// Keeps the places whose bit is set in `PLACES`, place p of row r in bit 4r + p.
    fn keep<const PLACES: u16>(self) -> Self;

    /// Row 0 in every row.
    fn first_row(self) -> Self;

    /// Place 0 of each row in all its places.
    fn first_place(self) -> Self;

    /// Place `place` of each row to where it comes as place 0 by [`Plane::pull`] of `STEPS` rows and as many columns,
    /// and zeros elsewhere.
    fn column<const STEPS: u32>(self, place: u32) -> Self;
}

/// Which way [`Plane::gather`] turns row r: by r places, modulo 4.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    Right,
    Left,
}

/// An array of eight, each made by an expression of its number: as `array::from_fn`, but without a closure, which
/// would be compiled without the CPU features that vectors need.
macro_rules! each {
    ($i:ident => $word:expr) => {
        each!(@ $i, $word, 0 1 2 3 4 5 6 7)
    };
    (@ $i:ident, $word:expr, $($number:literal)*) => {
        [$({
            let $i = $number;
            $word
        }),*]
    };
}

pub(crate) use each;
