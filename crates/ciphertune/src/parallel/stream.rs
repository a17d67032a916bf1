//! The ring as a stream's own: when it begins, what it takes, when it is given up.

use std::{io, thread};

use ciphertune_engine::{BLOCK, Kernel, Key, Keystream};
use ciphertune_system::{Secret, without_signals};
use inout::InOutBuf;

use crate::Plan;

use super::{
    ring::{Ahead, Ring, Source},
    threads::Rules,
    workers::{Permit, STACK, may_start},
};

/// Bytes of a chunk.
const CHUNK: usize = 64 << 10;

/// Chunks of a ring.
const CHUNKS: usize = 8;

/// Workers of a ring: a fourth makes it slower, as so many chunks are too few for it (docs/threads.md).
const MOST: usize = 3;

/// A stream's way to keystream made ahead.
pub(crate) enum Stream {
    /// Nobody makes any, and nobody will.
    Serial,
    /// Somebody will after so many bytes.
    After(u64),
    /// Workers are making it.
    Ring(Ring),
}

impl Stream {
    pub(crate) fn new(rules: &Rules) -> Self {
        if !rules.any() || rules.stream_after == u64::MAX {
            Self::Serial
        } else {
            Self::After(rules.stream_after)
        }
    }

    /// Another stream of the same context: with another key, or from another first counter.
    pub(crate) fn restart(&mut self, rules: &Rules) {
        // Who was refused does not ask again.
        if !matches!(self, Self::Serial) {
            *self = Self::new(rules);
        }
    }

    /// As [`Kernel::ctr`], of a stream whose first counter is `iv`.
    pub(crate) fn ctr(
        &mut self,
        rules: &Rules,
        plan: &Plan,
        iv: u128,
        key: &mut Key,
        keystream: &mut Keystream,
        mut buffer: InOutBuf<'_, '_, u8>,
    ) {
        let (kernel, maker) = (plan.kernel(buffer.len()), plan.kernel(CHUNK));
        let workers = rules.ahead(buffer.len());
        if let Self::After(0) = self
            && workers > 0
        {
            *self = match start(workers, maker, iv, key, position(iv, keystream)) {
                Ok(ring) => Self::Ring(ring),
                // The process's share comes free again: a ring that was dropped just now still has it.
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => {
                    Self::After(rules.stream_after.max(CHUNK as u64))
                }
                // For good: whatever else it was that said no, asking again may cost more than an answer.
                Err(_) => Self::Serial,
            };
        }
        while let Self::Ring(ring) = self {
            let position = position(iv, keystream);
            let at = (position % CHUNK as u128) as usize;
            let len = buffer.len().min(CHUNK - at);
            let mut source = Own {
                kernel: maker,
                iv,
                key,
            };
            match ring.ahead(position / CHUNK as u128, &mut source) {
                Ahead::Made(chunk) => {
                    let (piece, rest) = buffer.split_at(len);
                    keystream.xor_made(&chunk[at..], piece);
                    buffer = rest;
                }
                Ahead::Nothing => {
                    let (piece, rest) = buffer.split_at(len);
                    kernel.ctr(key, keystream, piece);
                    buffer = rest;
                }
                Ahead::Over => *self = Self::new(rules),
            }
            if buffer.is_empty() {
                return;
            }
        }
        // Bytes of calls that are too short for it are no reason to begin.
        if let Self::After(left) = self
            && workers > 0
        {
            *left = left.saturating_sub(buffer.len() as u64);
        }
        kernel.ctr(key, keystream, buffer);
    }
}

/// How many bytes of keystream lie before the next one.
pub(crate) fn position(iv: u128, keystream: &Keystream) -> u128 {
    let blocks = keystream.next_counter().wrapping_sub(iv);
    // The position is below 2^128; only the blocks made ahead of it may lie beyond.
    blocks
        .wrapping_mul(BLOCK as u128)
        .wrapping_sub(keystream.unused() as u128)
}

/// A ring with `workers`, or as many of them as can be had; [`io::ErrorKind::WouldBlock`] where all that the process may
/// have are at work.
fn start(workers: usize, kernel: Kernel, iv: u128, key: &Key, position: u128) -> io::Result<Ring> {
    let refused = || io::Error::from(io::ErrorKind::PermissionDenied);
    // First of all: to what comes next a sandbox may answer by killing the process.
    if !may_start() {
        return Err(refused());
    }
    let permits: Vec<_> = (0..workers.min(MOST)).map_while(|_| Permit::take()).collect();
    if permits.is_empty() {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    let buffers = (0..CHUNKS)
        .map(|_| Secret::zeroed(CHUNK))
        .collect::<io::Result<_>>()?;
    let ring = Ring::new(position / CHUNK as u128, buffers)?;
    let mut started = Err(refused());
    for permit in permits {
        // Without memory for another, those that there are go on.
        let Ok(mut copy) = Secret::new(Key::empty()) else {
            break;
        };
        let Some(place) = copy.get_mut() else { break };
        place.copy_from(key);
        let source = Workers {
            kernel,
            iv,
            key: copy,
        };
        let worker = ring.worker();
        let run = move || {
            let _permit = permit;
            worker.run(source);
        };
        let builder = thread::Builder::new()
            .name("ciphertune".to_owned())
            .stack_size(STACK);
        match without_signals(|| builder.spawn(run)) {
            Ok(_detached) => started = Ok(()),
            Err(_) => break,
        }
    }
    started.map(|()| ring)
}

/// The key of a worker, where no child sees it.
struct Workers {
    kernel: Kernel,
    iv: u128,
    key: Secret<Key>,
}

impl Source for Workers {
    fn make(&mut self, chunk: u128, bytes: &mut [u8]) {
        if let Some(key) = self.key.get_mut() {
            make(self.kernel, self.iv, key, chunk, bytes);
        }
    }
}

/// The stream's own key.
struct Own<'a> {
    kernel: Kernel,
    iv: u128,
    key: &'a mut Key,
}

impl Source for Own<'_> {
    fn make(&mut self, chunk: u128, bytes: &mut [u8]) {
        make(self.kernel, self.iv, self.key, chunk, bytes);
    }
}

fn make(kernel: Kernel, iv: u128, key: &mut Key, chunk: u128, bytes: &mut [u8]) {
    let first = iv.wrapping_add(chunk * (CHUNK / BLOCK) as u128);
    bytes.fill(0);
    kernel.ctr(key, &mut Keystream::new(first), bytes.into());
}
