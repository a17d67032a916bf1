//! A stream of packets of 32 KiB, as ssh's are at most, each encrypted and then hashed.

use std::{
    hint::{black_box, spin_loop},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::Duration,
};

use ciphertune::{Ctr, Implementation, Threads};
use ciphertune_engine::{BLOCK, Kernel, Key, Keystream};
use sha2::{Digest, Sha256};

use crate::{
    available, bulk, context, in_turns,
    ring::{Ahead, Ring, Source},
    seconds,
    sync::Secret,
};

const CALL: usize = 32 << 10;
const TIMES: usize = 15;

/// The parts of a packet's way, in nanoseconds a byte, measured together.
pub struct Parts {
    pub aes: f64,
    pub hash: f64,
    /// Adding keystream that another core has made.
    pub xor: f64,
    pub serial: f64,
    pub threaded: f64,
}

impl Parts {
    pub fn measure(implementation: Implementation) -> Self {
        let (mut alone, mut serial) = (context(implementation, 0), context(implementation, 0));
        let mut threaded = context(implementation, 1);
        let calls = calls(implementation);
        let mut made = Made::new(implementation);
        let [aes, hash, serial, threaded, xor] = in_turns(
            TIMES,
            [
                &mut || packets(calls, |data| alone.apply(data).unwrap()),
                &mut || packets(calls, hashed),
                &mut || packets(calls, |data| encrypted_and_hashed(&mut serial, data)),
                &mut || {
                    empty(&mut threaded);
                    packets(calls, |data| encrypted_and_hashed(&mut threaded, data));
                },
                &mut || packets(calls, |data| made.xor(data)),
            ],
        )
        .map(|seconds| seconds * 1e9 / (calls * CALL) as f64);
        Self {
            aes,
            hash,
            xor,
            serial,
            threaded,
        }
    }

    pub fn gain(&self) -> f64 {
        self.serial / self.threaded
    }

    /// What two cores could gain at most. The hash and the adding are the main thread's (Amdahl); what it has time
    /// for besides, it can share with the other.
    pub fn bound(&self) -> f64 {
        let main = self.hash + self.xor;
        let shared = (self.aes + main) / 2.0;
        (self.aes + self.hash) / main.max(shared)
    }
}

/// Keystream in another core's cache at best, in memory of this one's own here: what adding it costs by itself.
struct Made {
    keystream: Vec<u8>,
    stream: Keystream,
}

impl Made {
    fn new(implementation: Implementation) -> Self {
        let mut keystream = vec![0; 16 * CALL];
        context(implementation, 0).apply(&mut keystream).unwrap();
        Self {
            keystream,
            stream: Keystream::new(0),
        }
    }

    fn xor(&mut self, data: &mut [u8]) {
        let at = (self.stream.next_counter() as usize * BLOCK) % self.keystream.len();
        self.stream
            .xor_made(&self.keystream[at..at + data.len()], data.into());
    }
}

/// How many packets take about a thirtieth of a second.
fn calls(implementation: Implementation) -> usize {
    let mut ctr = context(implementation, 0);
    let hundred = seconds(&mut || packets(100, |data| encrypted_and_hashed(&mut ctr, data)));
    ((100.0 / 30.0 / hundred) as usize).max(1)
}

/// Leaves behind what was made ahead while others had their turn: a full ring at the start would be a present.
fn empty(ctr: &mut Ctr) {
    ctr.seek(ctr.position() + (1 << 34));
}

fn packets(calls: usize, mut each: impl FnMut(&mut [u8])) {
    let mut data = vec![0; CALL];
    for _ in 0..calls {
        each(black_box(&mut data));
    }
}

fn hashed(data: &mut [u8]) {
    black_box(Sha256::digest(data));
}

fn encrypted_and_hashed(ctr: &mut Ctr, data: &mut [u8]) {
    ctr.apply(data).unwrap();
    hashed(data);
}

pub fn implementations() {
    println!("| implementation | AES | SHA-256 | xor | serial | one worker | gain | bound | gain, no hash |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for implementation in available() {
        let parts = Parts::measure(implementation);
        let (mut serial, mut threaded) = (context(implementation, 0), context(implementation, 1));
        let calls = calls(implementation);
        let [alone, ahead] = in_turns(
            TIMES,
            [
                &mut || packets(calls, |data| serial.apply(data).unwrap()),
                &mut || {
                    empty(&mut threaded);
                    packets(calls, |data| threaded.apply(data).unwrap());
                },
            ],
        );
        println!(
            "| `{}` | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} | {:.2} | {:.2} |",
            implementation.name(),
            parts.aes,
            parts.hash,
            parts.xor,
            parts.serial,
            parts.threaded,
            parts.gain(),
            parts.bound(),
            alone / ahead,
        );
    }
}

/// Gains by size and number of chunks.
pub fn chunks() {
    const NUMBERS: [usize; 3] = [4, 8, 16];
    for implementation in slow_and_fast() {
        println!(
            "| `{}`, chunk | {} chunks | {} | {} |",
            implementation.name(),
            NUMBERS[0],
            NUMBERS[1],
            NUMBERS[2]
        );
        println!("|---|---|---|---|");
        for size in [16 << 10, 32 << 10, 64 << 10, 128 << 10] {
            let gains = NUMBERS.map(|number| format!("{:.2}", with_chunks(implementation, size, number)));
            println!("| {} KiB | {} |", size >> 10, gains.join(" | "));
        }
        println!();
    }
}

/// Portable code, with the shuffles that come before AES instructions, and with those.
pub fn slow_and_fast() -> impl Iterator<Item = Implementation> {
    available().filter(|i| ["portable", "ssse3", "aesni", "vaes512"].contains(&i.name()))
}

/// The gain of a worker with so many chunks of `size` bytes.
pub fn with_chunks(implementation: Implementation, size: usize, number: usize) -> f64 {
    let mut serial = context(implementation, 0);
    let mut threaded = Chunked::new(implementation, size, number);
    let calls = calls(implementation);
    let [serial, threaded] = in_turns(
        TIMES,
        [
            &mut || packets(calls, |data| encrypted_and_hashed(&mut serial, data)),
            &mut || {
                threaded.empty();
                packets(calls, |data| {
                    threaded.apply(data);
                    hashed(data);
                });
            },
        ],
    );
    serial / threaded
}

/// A stream as the library's, with chunks of any size.
struct Chunked {
    ring: Ring,
    size: usize,
    own: Maker<Key>,
    stream: Keystream,
}

/// Makes chunks of `size` bytes of a stream whose first counter is zero.
struct Maker<K> {
    kernel: Kernel,
    key: K,
    size: usize,
}

fn make(kernel: Kernel, key: &mut Key, size: usize, chunk: u128, bytes: &mut [u8]) {
    bytes.fill(0);
    kernel.ctr(
        key,
        &mut Keystream::new(chunk * (size / BLOCK) as u128),
        bytes.into(),
    );
}

impl Source for Maker<Key> {
    fn make(&mut self, chunk: u128, bytes: &mut [u8]) {
        make(self.kernel, &mut self.key, self.size, chunk, bytes);
    }
}

impl Source for Maker<Secret<Key>> {
    fn make(&mut self, chunk: u128, bytes: &mut [u8]) {
        make(
            self.kernel,
            self.key.get_mut().expect("no fork"),
            self.size,
            chunk,
            bytes,
        );
    }
}

impl Chunked {
    fn new(implementation: Implementation, size: usize, number: usize) -> Self {
        let kernel = implementation.kernel().expect("available");
        let mut key = Key::empty();
        kernel.expand(&mut key, &[1; 16]).unwrap();
        let mut copy = Secret::new(Key::empty()).unwrap();
        copy.get_mut().expect("no fork").copy_from(&key);
        let buffers = (0..number).map(|_| Secret::zeroed(size).unwrap()).collect();
        let ring = Ring::new(0, buffers).unwrap();
        let worker = ring.worker();
        let source = Maker {
            kernel,
            key: copy,
            size,
        };
        thread::spawn(move || worker.run(source));
        let mut chunked = Self {
            ring,
            size,
            own: Maker { kernel, key, size },
            stream: Keystream::new(0),
        };
        let serial = Ctr::with_implementation(implementation, &[1; 16], &[0; 16]).unwrap();
        chunked.check(serial, 2 * number * size);
        chunked
    }

    /// That it does what a stream without a ring does, the worker having had time to make some chunks ahead.
    fn check(&mut self, mut serial: Ctr, length: usize) {
        thread::sleep(bulk::PAUSE);
        let [mut chunked, mut expected] = [vec![0; length], vec![0; length]];
        self.apply(&mut chunked);
        serial.apply(&mut expected).unwrap();
        assert!(chunked == expected, "chunks of {} bytes are wrong", self.size);
    }

    /// As [`empty`].
    fn empty(&mut self) {
        self.stream.restart(self.stream.next_counter() + (1 << 30));
    }

    fn apply(&mut self, mut data: &mut [u8]) {
        while !data.is_empty() {
            let position = self.stream.next_counter() as usize * BLOCK - self.stream.unused();
            let at = position % self.size;
            let (piece, rest) = data.split_at_mut(data.len().min(self.size - at));
            match self.ring.ahead((position / self.size) as u128, &mut self.own) {
                Ahead::Made(chunk) => self.stream.xor_made(&chunk[at..], piece.into()),
                Ahead::Nothing | Ahead::Over => {
                    self.own
                        .kernel
                        .ctr(&mut self.own.key, &mut self.stream, piece.into());
                }
            }
            data = rest;
        }
    }
}

/// With all other processors fully busy.
pub fn busy() {
    println!("Gains with the other processors busy.");
    println!();
    println!("| implementation | stream of 32 KiB, hashed | calls of 8 MiB | after 1 ms |");
    println!("|---|---|---|---|");
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..Threads::available() {
            scope.spawn(|| {
                while !stop.load(Relaxed) {
                    spin_loop();
                }
            });
        }
        let some = ["portable", "ssse3", "aesni", "vaes512"];
        for implementation in available().filter(|i| some.contains(&i.name())) {
            let stream = Parts::measure(implementation).gain();
            let [at_once, later] =
                [Duration::ZERO, bulk::PAUSE].map(|pause| bulk::gain(implementation, pause));
            println!(
                "| `{}` | {stream:.2} | {at_once:.2} | {later:.2} |",
                implementation.name()
            );
        }
        stop.store(true, Relaxed);
    });
}
