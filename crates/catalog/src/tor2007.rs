//! The table-driven AES of Tor's test of February 2007, in the three forms that Tor timed: it shows what the
//! newer code is worth, on the same machine and by the same clock.
//!
//! For comparing alone. A table's cache lines are loaded by secret bytes, and who shares the cache reads the key
//! from the time that takes (Bernstein: "Cache-timing attacks on AES", 2005). No form of it can be selected.
//!
//! Rijndael by tables is Rijmen's, Bosselaers' and Barreto's `rijndael-alg-fst` (2000); this is no copy of it.
use std::{array, marker::PhantomData};

use ciphertune_testkit::{Algorithm, Context, Contract, Envelope, Fault, Task};
use zeroize::Zeroize;

use crate::{Description, Implementation, Timed, context::block, implementation::Composed};

/// The three forms, the slowest first.
pub(crate) fn all() -> [Box<dyn Implementation>; 3] {
    [
        implementation::<Rijndael>("rijndael"),
        implementation::<Counter>("counter"),
        implementation::<Unrolled>("unrolled"),
    ]
}

fn implementation<F: Form + 'static>(variant: &str) -> Box<dyn Implementation> {
    Box::new(Composed {
        description: Description {
            constant_time: false,
            ..Description::built_in(
                format!("tor2007/{variant}"),
                "AES by tables, as in Tor in 2007",
                "2007",
            )
        },
        tasks: Algorithm::all()
            .filter(|algorithm| algorithm.aes_mode() == Some("CTR"))
            .flat_map(Task::of)
            .filter(|task| task.contract == Contract::Stream)
            .collect(),
        context: |_, key: &[u8], iv: &[u8]| Ok(Stream::<F>::new(key, block(iv)?) as Box<dyn Timed>),
    })
}

/// How a block of keystream is made from the counter.
trait Form {
    fn block(keys: &Keys, counter: u128) -> [u8; 16];
}

/// The counter is written out as bytes for a cipher that reads it back in.
struct Rijndael;

impl Form for Rijndael {
    fn block(keys: &Keys, counter: u128) -> [u8; 16] {
        // A call, as it was in C: inlined, writing and reading would cancel out.
        #[inline(never)]
        fn encrypt(keys: &Keys, block: &[u8; 16]) -> [u8; 16] {
            keys.encrypt(u128::from_be_bytes(*block))
        }
        encrypt(keys, &counter.to_be_bytes())
    }
}

/// The cipher takes the counter as it is.
struct Counter;

impl Form for Counter {
    fn block(keys: &Keys, counter: u128) -> [u8; 16] {
        keys.encrypt(counter)
    }
}

/// Every round is written out.
struct Unrolled;

impl Form for Unrolled {
    fn block(keys: &Keys, counter: u128) -> [u8; 16] {
        keys.encrypt_unrolled(counter)
    }
}

struct Stream<F> {
    keys: Keys,
    counter: u128,
    block: [u8; 16],
    /// Bytes used of `block`.
    used: usize,
    form: PhantomData<F>,
}

impl<F: Form> Stream<F> {
    /// The key is expanded where it stays: moving it would leave copies behind.
    fn new(key: &[u8], iv: [u8; 16]) -> Box<Self> {
        let mut stream = Box::new(Self {
            keys: Keys {
                keys: [[0; 4]; 15],
                rounds: 0,
            },
            counter: u128::from_be_bytes(iv),
            block: [0; 16],
            used: 16,
            form: PhantomData,
        });
        stream.keys.expand(key);
        stream
    }

    /// One byte at a time, as Tor's `aes_crypt` went.
    fn next_byte(&mut self) -> u8 {
        if self.used == 16 {
            self.block = F::block(&self.keys, self.counter);
            self.counter = self.counter.wrapping_add(1);
            self.used = 0;
        }
        let byte = self.block[self.used];
        self.used += 1;
        byte
    }
}

impl<F: Form> Context for Stream<F> {
    fn apply(&mut self, _: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        for byte in data {
            *byte ^= self.next_byte();
        }
        Ok(())
    }

    fn apply_to(&mut self, _: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        for (output, input) in output.iter_mut().zip(input) {
            *output = input ^ self.next_byte();
        }
        Ok(())
    }
}

impl<F> Drop for Stream<F> {
    fn drop(&mut self) {
        self.block.zeroize();
    }
}

/// The round keys (FIPS 197, §5.2).
struct Keys {
    keys: [[u32; 4]; 15],
    rounds: usize,
}

impl Keys {
    /// From 16, 24 or 32 bytes.
    fn expand(&mut self, key: &[u8]) {
        let words = key.len() / 4;
        self.rounds = words + 6;
        let flat = self.keys.as_flattened_mut();
        for (word, bytes) in flat.iter_mut().zip(key.as_chunks().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        let mut constant = 1;
        for i in words..4 * (self.rounds + 1) {
            let mut word = flat[i - 1];
            if i % words == 0 {
                word = substituted(word.rotate_left(8)) ^ u32::from(constant) << 24;
                constant = doubled(constant);
            } else if words == 8 && i % words == 4 {
                word = substituted(word);
            }
            flat[i] = flat[i - words] ^ word;
        }
    }

    #[inline]
    fn encrypt(&self, block: u128) -> [u8; 16] {
        let mut state = add(split(block), self.keys[0]);
        for &key in &self.keys[1..self.rounds] {
            state = round(state, key);
        }
        last_round(state, self.keys[self.rounds])
    }

    #[inline]
    fn encrypt_unrolled(&self, block: u128) -> [u8; 16] {
        macro_rules! rounds {
            ($state:ident, $($i:literal)*) => { $($state = round($state, self.keys[$i]);)* };
        }
        let mut state = add(split(block), self.keys[0]);
        rounds!(state, 1 2 3 4 5 6 7 8 9);
        if self.rounds > 10 {
            rounds!(state, 10 11);
        }
        if self.rounds > 12 {
            rounds!(state, 12 13);
        }
        last_round(state, self.keys[self.rounds])
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.keys.zeroize();
    }
}

fn split(block: u128) -> [u32; 4] {
    array::from_fn(|i| (block >> (96 - 32 * i)) as u32)
}

fn add(state: [u32; 4], key: [u32; 4]) -> [u32; 4] {
    array::from_fn(|i| state[i] ^ key[i])
}

/// SubBytes, ShiftRows, MixColumns and AddRoundKey of one round, four look-ups a column.
#[inline(always)]
fn round(state: [u32; 4], key: [u32; 4]) -> [u32; 4] {
    array::from_fn(|i| (0..4).fold(key[i], |column, row| column ^ TABLES[row][shifted(state, i, row)]))
}

/// A round without MixColumns.
#[inline(always)]
fn last_round(state: [u32; 4], key: [u32; 4]) -> [u8; 16] {
    let mut block = [0; 16];
    for (i, column) in block.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let substituted = array::from_fn(|row| SBOX[shifted(state, i, row)]);
        *column = (u32::from_be_bytes(substituted) ^ key[i]).to_be_bytes();
    }
    block
}

/// The byte that ShiftRows brings to a row of column `i`.
#[inline(always)]
fn shifted(state: [u32; 4], i: usize, row: usize) -> usize {
    (state[(i + row) % 4] >> (24 - 8 * row) & 0xff) as usize
}

fn substituted(word: u32) -> u32 {
    u32::from_be_bytes(word.to_be_bytes().map(|byte| SBOX[usize::from(byte)]))
}

/// FIPS 197, §5.1.1.
static SBOX: [u8; 256] = sbox();

/// SubBytes and MixColumns at once for a byte in each of the four rows.
static TABLES: [[u32; 256]; 4] = tables();

const fn sbox() -> [u8; 256] {
    let mut sbox = [0x63; 256];
    // 3 generates the field's non-zero elements: `power` runs through them, `inverse` through their inverses.
    let (mut power, mut inverse) = (1_u8, 1_u8);
    loop {
        sbox[power as usize] = 0x63
            ^ inverse
            ^ inverse.rotate_left(1)
            ^ inverse.rotate_left(2)
            ^ inverse.rotate_left(3)
            ^ inverse.rotate_left(4);
        power ^= doubled(power);
        inverse = divided_by_3(inverse);
        if power == 1 {
            return sbox;
        }
    }
}

const fn tables() -> [[u32; 256]; 4] {
    let sbox = sbox();
    let mut tables = [[0; 256]; 4];
    let mut byte = 0;
    while byte < 256 {
        let s = sbox[byte];
        let column = u32::from_be_bytes([doubled(s), s, s, doubled(s) ^ s]);
        let mut row = 0;
        while row < 4 {
            tables[row][byte] = column.rotate_right(8 * row as u32);
            row += 1;
        }
        byte += 1;
    }
    tables
}

/// Times x in GF(2^8) (FIPS 197, §4.2.1).
const fn doubled(byte: u8) -> u8 {
    byte << 1 ^ if byte & 0x80 == 0 { 0 } else { 0x1b }
}

/// Times 0xf6, the inverse of 3.
const fn divided_by_3(byte: u8) -> u8 {
    let mut product = 0;
    let (mut factor, mut bits) = (byte, 0xf6_u8);
    while bits != 0 {
        if bits & 1 == 1 {
            product ^= factor;
        }
        factor = doubled(factor);
        bits >>= 1;
    }
    product
}
