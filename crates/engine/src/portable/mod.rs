//! Constant-time AES for any processor: bitsliced and fixsliced, in 64-bit words or in vectors.
//!
//! No table is indexed and no branch taken by secret data, and nothing secret is multiplied but in the hash of GCM
//! ([`ghash`]), since some small processors multiply in variable time. Keys, their schedule, the state and the keystream are
//! secret; key length, counter and message length are not.
//!
//! # Where each bit stands
//!
//! The state of a batch is eight words, the planes: plane i holds bit i (of value 2ⁱ) of every byte. The code is
//! written once for any type of words ([`Plane`]): 64 bits hold four blocks ([`word`]), and where a processor has
//! vectors but no AES instructions, 128 bits hold eight and 256 bits sixteen (`x86::sliced`, `arm::sliced`).
//!
//! In the notation of FIPS 197, byte r + 4c of a block is row r, column c of the state. The byte of row r, *place* p
//! and block b has its bits, in words of 64, at
//!
//! ```text
//!     16·r + 4·p + b        63     48 47     32 31     16 15      0
//!                          |  row 3  |  row 2  |  row 1  |  row 0  |
//!                                      each row:  place 3, 2, 1, 0
//!                                      each place:  block 3, 2, 1, 0
//! ```
//!
//! of the eight planes, and in vectors a place is a byte. A circuit of word operations then computes the S-box of all
//! bytes at once, and a rotation by four places turns all columns by a row.
//!
//! # Fixslicing
//!
//! ShiftRows moves bits inside words, which costs more than any other step. It is never done (Adomnicai and
//! Peyrin, "Fixslicing AES-like ciphers", TCHES 2021, <https://eprint.iacr.org/2020/1123>). The bytes stay,
//! and their names change: row r turns left by r columns in each round, so after k times ShiftRows
//!
//! > the byte of row r, column c stands at place p = c + (k − 1)·r mod 4.
//!
//! The − 1 is ours: packing turns the rows by −r, so that round 1 finds its bytes in place. MixColumns of
//! round k combines bytes of one column. Its next row is one row down and k − 1 places to the right, so there
//! are four variants, and [`round::mix_columns`] is generic over `SHIFT` = (k − 1) mod 4. In variant 0 that
//! way is a rotation of the word; in the others it is two rotations, and a mask where a row's end is passed.
//! The way two rows on is a plain rotation in variants 0 and 2. Round keys are packed for the round in which
//! they are added, and unpacking undoes what turn is left.
//!
//! Why the − 1: [`prefix`] makes round 2 of many counter blocks from one column, and in variant 1 the four
//! bytes of that column stand in one place of every row and move by rotations alone.
//!
//! # The S-box
//!
//! [`sbox`] leaves out the constant 0x63 of the affine map. MixColumns maps four equal bytes to themselves
//! (2 + 3 + 1 + 1 = 1), so the constant passes it unchanged and is added to every round key but the first.
//!
//! # Speed
//!
//! Eight planes and the S-box's intermediate values are more than any processor has registers for, so the
//! order of the gates matters. Planes are indexed by constants alone, so that they need not be in memory. Words of 64
//! bits stay scalar, since vectors that the compiler makes of them rotate in three instructions. What bounds the code
//! are its logical operations and their latency, not memory: `docs/experiments/bitsliced.md` has the counts.

mod blocks;
#[cfg(vectors)]
mod compiled;
mod ctr;
mod gcm;
mod ghash;
mod inverse;
mod modes;
mod ocb;
#[cfg(vectors)]
pub(crate) mod places;
mod plane;
mod planes;
mod prefix;
mod rijndael;
mod round;
mod sbox;
mod schedule;
#[cfg(vectors)]
mod streams;
mod word;

#[cfg(vectors)]
pub(crate) use blocks::{Chain, HASHED};
pub(crate) use blocks::{Compiled, Room, crypt};
#[cfg(vectors)]
pub(crate) use compiled::compiled;
pub(crate) use ctr::{ctr, run as ctr_run};
pub(crate) use gcm::{Gcm, GcmKeys};
#[cfg(vectors)]
pub(crate) use ghash::{Hash, HashKey};
pub(crate) use modes::{modes, xor};
pub(crate) use plane::{Plane, Turn};
use planes::{pack, unpack};
pub(crate) use rijndael::{Keys as RijndaelKeys, Pair};
use round::{add_key, finish, round};
#[cfg(vectors)]
pub(crate) use schedule::Words;
#[cfg(all(vectors, target_arch = "aarch64"))]
pub(crate) use schedule::expand_words;
#[cfg(vectors)]
pub(crate) use streams::{Bytes, Runs, STREAMS, Table, hash, in_turn, side_by_side};
use zeroize::{Zeroize, zeroize_stack};

#[cfg(vectors)]
use crate::permute;
use crate::{copy::copy, material::Expanded};

/// Bit i of every byte of a batch in plane i.
type Planes<P> = [P; 8];

/// Expanded round keys, in planes.
pub(crate) struct Keys {
    rounds: usize,
    planes: [Planes<u64>; 15],
    /// The same for vectors: each bit of a round key in all bits of a byte.
    #[cfg(vectors)]
    pub(crate) bytes: [Planes<u128>; 15],
    /// The same for code that permutes vectors, where the processor can: all such code asks for what its expansion needs.
    #[cfg(vectors)]
    pub(crate) permuted: permute::Keys,
}

impl Keys {
    const NONE: Self = Self {
        rounds: 0,
        planes: [[0; 8]; 15],
        #[cfg(vectors)]
        bytes: [[0; 8]; 15],
        #[cfg(vectors)]
        permuted: permute::Keys::NONE,
    };
}

impl Expanded for Keys {
    unsafe fn make_room(place: *mut Self) {
        // SAFETY: as the caller.
        unsafe { place.write(Self::NONE) };
    }

    fn copy_from(&mut self, other: &Self) {
        self.rounds = other.rounds;
        copy(&mut self.planes, &other.planes);
        #[cfg(vectors)]
        {
            copy(&mut self.bytes, &other.bytes);
            self.permuted.copy_from(&other.permuted);
        }
    }
}

impl Keys {
    /// 10, 12 or 14.
    #[cfg(vectors)]
    pub(crate) fn rounds(&self) -> usize {
        self.rounds
    }

    /// How the rows stand after the last round: the byte of row r and column c at place c + (rounds − 1)·r, which
    /// is c + r after 10 and 14 rounds and c − r after 12.
    #[inline(always)]
    fn last_turn(&self) -> Turn {
        if self.rounds == 12 {
            Turn::Left
        } else {
            Turn::Right
        }
    }
}

impl Turn {
    /// How packing leaves the rows: as after the first ShiftRows.
    const FIRST: Self = Self::Left;
}

impl Zeroize for Keys {
    fn zeroize(&mut self) {
        self.rounds.zeroize();
        self.planes.zeroize();
        #[cfg(vectors)]
        {
            self.bytes.zeroize();
            self.permuted.zeroize();
        }
    }
}

/// The stack in bytes, with room to spare, that the compiler takes for what sixteen registers cannot hold of a state: with
/// the output, that of the last round tells its key. What has it is never inlined, so that it can be wiped afterwards.
const SPILLED: usize = 512;

/// Encrypts `N` batches side by side.
///
/// # Safety
/// The processor has the features of `P`.
#[inline(always)]
unsafe fn encrypt<P: Plane, const N: usize>(keys: &Keys, batches: &mut [Planes<P>; N]) {
    // SAFETY: as the caller.
    unsafe {
        for state in &mut *batches {
            *state = add_key(&pack(*state, Turn::FIRST), keys, 0);
            *state = round::<P, 0>(state, keys, 1);
            *state = round::<P, 1>(state, keys, 2);
        }
        finish(keys, batches);
        for state in batches {
            *state = unpack(*state, keys.last_turn());
        }
    }
}

/// [`crypt`] in words of 64 bits.
#[inline(never)]
fn in_words<const DECRYPT: bool>(keys: &Keys, room: &mut Room, len: usize) {
    // SAFETY: no feature is needed.
    unsafe { crypt::<u64, DECRYPT>(keys, room, len) }
}

impl Compiled for u64 {
    const BATCH: usize = <Self as Plane>::BATCH;
    const WIDE: usize = <Self as Plane>::SIDE * <Self as Plane>::BATCH;

    unsafe fn encrypt(keys: &Keys, room: &mut Room, len: usize) {
        in_words::<false>(keys, room, len);
        zeroize_stack::<SPILLED>();
    }

    unsafe fn decrypt(keys: &Keys, room: &mut Room, len: usize) {
        in_words::<true>(keys, room, len);
        zeroize_stack::<SPILLED>();
    }

    unsafe fn ctr_run(keys: &Keys, counter: u128, src: *const u8, dst: *mut u8, batches: usize) {
        #[inline(never)]
        unsafe fn run(keys: &Keys, counter: u128, src: *const u8, dst: *mut u8, batches: usize) {
            // SAFETY: as the caller, here and below.
            unsafe { ctr_run::<u64>(keys, counter, src, dst, batches) }
        }
        // SAFETY: as above.
        unsafe { run(keys, counter, src, dst, batches) };
        // Its last round keys are copied to the stack, once for all batches.
        zeroize_stack::<1024>();
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec;
    use std::vec::Vec;

    use inout::InOutBuf;

    use super::*;

    fn hex(digits: &str) -> Vec<u8> {
        (0..digits.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap())
            .collect()
    }

    fn block(digits: &str) -> u128 {
        u128::from_str_radix(digits, 16).unwrap()
    }

    fn ctr(keys: &Keys, counter: u128, buffer: InOutBuf<'_, '_, u8>, spare: &mut [u8; 64]) -> usize {
        // SAFETY: as above.
        unsafe { super::ctr::<u64>(keys, counter, buffer, spare) }
    }

    fn expanded(key: &[u8]) -> Keys {
        let mut keys = Keys::NONE;
        keys.expand(key);
        keys
    }

    fn encrypted(keys: &Keys, blocks: [u128; 4]) -> [u128; 4] {
        let mut room = Room::ZERO;
        for (bytes, block) in room.0.as_chunks_mut().0.iter_mut().zip(blocks) {
            *bytes = block.to_be_bytes();
        }
        // SAFETY: no feature is needed, here and below.
        unsafe { <u64 as Compiled>::encrypt(keys, &mut room, 64) };
        let blocks = room.0.as_chunks().0;
        core::array::from_fn(|i| u128::from_be_bytes(blocks[i]))
    }

    /// The keystream, each block on its own.
    fn keystream(keys: &Keys, counter: u128, length: usize) -> Vec<u8> {
        let blocks = (0..length.div_ceil(16)).flat_map(|i| {
            let [block, ..] = encrypted(keys, [counter.wrapping_add(i as u128), 1, 2, 3]);
            block.to_be_bytes()
        });
        blocks.take(length).collect()
    }

    const KEYS: [&str; 3] = [
        "2b7e151628aed2a6abf7158809cf4f3c",
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
    ];

    /// FIPS 197, appendices B, C.1, C.2 and C.3, each in all four places of the batch.
    #[test]
    fn fips_197() {
        let counting = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
        let plain = "00112233445566778899aabbccddeeff";
        for (key, plain, cipher) in [
            (
                KEYS[0],
                "3243f6a8885a308d313198a2e0370734",
                "3925841d02dc09fbdc118597196a0b32",
            ),
            (&counting[..32], plain, "69c4e0d86a7b0430d8cdb78070b4c55a"),
            (&counting[..48], plain, "dda97ca4864cdfe06eaf70a0ec0d7191"),
            (counting, plain, "8ea2b7ca516745bfeafc49904b496089"),
        ] {
            let keys = expanded(&hex(key));
            for place in 0..4 {
                let mut blocks = [1, 2, 3, 4];
                blocks[place] = block(plain);
                assert_eq!(
                    encrypted(&keys, blocks)[place],
                    block(cipher),
                    "{key} place {place}"
                );
            }
        }
    }

    /// NIST SP 800-38A, F.5.1, F.5.3 and F.5.5.
    #[test]
    fn sp_800_38a() {
        let plain = hex(concat!(
            "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
            "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
        ));
        let ciphers = [
            concat!(
                "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff",
                "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
            ),
            concat!(
                "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94",
                "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050"
            ),
            concat!(
                "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5",
                "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"
            ),
        ];
        for (key, cipher) in KEYS.into_iter().zip(ciphers) {
            let keys = expanded(&hex(key));
            let mut buffer = plain.clone();
            let counter = block("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
            assert_eq!(ctr(&keys, counter, buffer.as_mut_slice().into(), &mut [0; 64]), 0);
            assert_eq!(buffer, hex(cipher), "{key}");
        }
    }

    /// Every length, in place and apart; the keystream left over is what comes next.
    #[test]
    fn lengths_and_spare() {
        for key in KEYS {
            let keys = expanded(&hex(key));
            for counter in [0, 7, 250, u128::MAX - 3] {
                let expected = keystream(&keys, counter, 384);
                for length in 0..=300 {
                    let input: Vec<u8> = (0..length).map(|i| i as u8).collect();
                    let mut output = vec![0xee; length];
                    let mut spare = [0; 64];
                    let apart = InOutBuf::new(&input, &mut output).unwrap();
                    let left = ctr(&keys, counter, apart, &mut spare);
                    assert!(
                        input
                            .iter()
                            .zip(&output)
                            .zip(&expected)
                            .all(|((i, o), k)| i ^ o == *k),
                        "{length}"
                    );
                    assert_eq!(left, length.next_multiple_of(64) - length);
                    assert_eq!(spare[64 - left..], expected[length..][..left], "{length}");

                    let mut buffer = input.clone();
                    ctr(&keys, counter, buffer.as_mut_slice().into(), &mut spare);
                    assert_eq!(buffer, output, "{length}");
                }
            }
        }
    }

    /// Carries out of each byte group of the counter, from every last byte on.
    #[test]
    fn counter_wraps() {
        let keys = expanded(&hex(KEYS[2]));
        for bits in [8, 16, 32, 64, 128] {
            for before in 0..=256u128 {
                let counter = (1u128.checked_shl(bits).unwrap_or(0)).wrapping_sub(before);
                let mut buffer = [0; 64 * 6 + 5];
                ctr(&keys, counter, buffer.as_mut_slice().into(), &mut [0; 64]);
                assert_eq!(
                    buffer[..],
                    keystream(&keys, counter, buffer.len()),
                    "2^{bits} - {before}"
                );
            }
        }
    }

    /// Long enough for every branch: several carries, and sixteen batches and more between them.
    #[test]
    fn long_messages() {
        for key in KEYS {
            let keys = expanded(&hex(key));
            for counter in [0, 1, 0x1234_5678_9abc_def0_1357_9bdf_0246_8a42, u128::MAX - 300] {
                let mut buffer = vec![0; 3 * 4096 + 77];
                ctr(&keys, counter, buffer.as_mut_slice().into(), &mut [0; 64]);
                assert_eq!(buffer, keystream(&keys, counter, buffer.len()), "{counter:x}");
            }
        }
    }

    /// Another key in place of one with more rounds.
    #[test]
    fn keys_are_replaced() {
        let mut keys = expanded(&hex(KEYS[2]));
        keys.expand(&hex(KEYS[0]));
        let fresh = expanded(&hex(KEYS[0]));
        assert_eq!(encrypted(&keys, [1, 2, 3, 4]), encrypted(&fresh, [1, 2, 3, 4]));
    }
}
