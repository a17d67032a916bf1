//! What a worker times, and the buffers that it times it on.
use std::hint::black_box;

use ciphertune_catalog::{Fault, Ring, Timed};
#[cfg(target_arch = "x86_64")]
use ciphertune_engine::probe::{memory::Memory, ports::Ports};

use sha2::{Digest, Sha256};

use crate::random::Random;

/// Something that can be repeated.
pub(crate) enum Work {
    InPlace(Box<dyn Timed>),
    /// A context that cannot work in place.
    BufferToBuffer(Box<dyn Timed>),
    /// What opens needs messages that were sealed, what verifies needs signatures, and must leave them so: what would
    /// write goes from buffer to buffer.
    Undoing {
        undo: Box<dyn Timed>,
        make: Box<dyn Timed>,
        in_place: bool,
    },
    #[cfg(target_arch = "x86_64")]
    Ports(Ports),
    #[cfg(target_arch = "x86_64")]
    ReadXorWrite(Memory),
    #[cfg(target_arch = "x86_64")]
    Copy(Memory),
}

impl Work {
    /// Makes the messages what the work expects, before it is done on them.
    pub(crate) fn provide(&mut self, buffers: &mut Buffers, ring: &mut Ring) -> Result<(), Fault> {
        if self.needs_output() {
            buffers.provide_output()?;
        }
        if let Self::Undoing { make, .. } = self {
            let messages = buffers.one(ring.span());
            // The same each time: all that open in this worker share key, IVs and with them the sealed messages.
            messages.fill(0xa5);
            make.repeat(messages, ring, ring.count() as u64)?;
        }
        Ok(())
    }

    /// Works `calls` times on the messages of the ring.
    #[inline]
    pub(crate) fn repeat(&mut self, buffers: &mut Buffers, ring: &mut Ring, calls: u64) -> Result<(), Fault> {
        let span = ring.span();
        match self {
            Self::InPlace(context)
            | Self::Undoing {
                undo: context,
                in_place: true,
                ..
            } => context.repeat(buffers.one(span), ring, calls),
            Self::BufferToBuffer(context) | Self::Undoing { undo: context, .. } => {
                let (input, output) = buffers.two(span);
                context.repeat_to(input, output, ring, calls)
            }
            #[cfg(target_arch = "x86_64")]
            Self::Ports(ports) => {
                if calls > 0 {
                    ports.run(calls);
                }
                Ok(())
            }
            #[cfg(target_arch = "x86_64")]
            Self::ReadXorWrite(memory) => {
                memory.read_xor_write(buffers.one(span), calls);
                Ok(())
            }
            #[cfg(target_arch = "x86_64")]
            Self::Copy(memory) => {
                let (input, output) = buffers.two(span);
                memory.copy(input, output, calls);
                Ok(())
            }
        }
    }

    /// The bytes that one call works on.
    pub(crate) fn bytes_per_call(&self, ring: &Ring) -> u64 {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Ports(ports) => ports.bytes_per_pass(),
            // All messages at once: where they lie is what limits them, not how they are cut.
            #[cfg(target_arch = "x86_64")]
            Self::ReadXorWrite(_) | Self::Copy(_) => ring.span() as u64,
            _ => ring.bytes_per_call(),
        }
    }

    pub(crate) fn needs_output(&self) -> bool {
        match self {
            Self::BufferToBuffer(_) => true,
            Self::Undoing { in_place, .. } => !in_place,
            #[cfg(target_arch = "x86_64")]
            Self::Copy(_) => true,
            _ => false,
        }
    }
}

/// A context whose caller hashes what comes of each call. All calls are on the first message of the ring.
pub(crate) struct Hashed(pub(crate) Box<dyn Timed>);

impl Timed for Hashed {
    fn repeat(&mut self, data: &mut [u8], ring: &mut Ring, calls: u64) -> Result<(), Fault> {
        for _ in 0..calls {
            self.0.repeat(data, ring, 1)?;
            black_box(Sha256::digest(&data[..ring.length]));
        }
        Ok(())
    }

    fn repeat_to(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        ring: &mut Ring,
        calls: u64,
    ) -> Result<(), Fault> {
        for _ in 0..calls {
            self.0.repeat_to(input, output, ring, 1)?;
            black_box(Sha256::digest(&output[..ring.length]));
        }
        Ok(())
    }

    fn repeats_in_place(&self) -> bool {
        self.0.repeats_in_place()
    }
}

/// Messages that begin at a random offset in a page, at a multiple of 16 bytes as memory from `malloc`
/// does: where a buffer happens to lie changes its speed, so each process draws its own place.
pub(crate) struct Buffers {
    input: Placed,
    /// Made when something first needs it.
    output: Option<Placed>,
    longest: usize,
    random: Random,
}

impl Buffers {
    /// Buffers for messages of up to `longest` bytes, and for as many short ones as take turns.
    pub(crate) fn new(longest: usize, mut random: Random) -> Result<Self, Fault> {
        let longest = longest.max(Ring::LONGEST_SPAN);
        Ok(Self {
            input: Placed::new(longest, &mut random)?,
            output: None,
            longest,
            random,
        })
    }

    /// Makes the second buffer.
    fn provide_output(&mut self) -> Result<(), Fault> {
        if self.output.is_none() {
            self.output = Some(Placed::new(self.longest, &mut self.random)?);
        }
        Ok(())
    }

    fn one(&mut self, length: usize) -> &mut [u8] {
        self.input.message(length)
    }

    /// Both buffers; without [`Buffers::provide_output`] the second is empty.
    fn two(&mut self, length: usize) -> (&[u8], &mut [u8]) {
        let output = self
            .output
            .as_mut()
            .map_or(&mut [][..], |output| output.message(length));
        (self.input.message(length), output)
    }
}

/// Memory with a message somewhere in it.
struct Placed {
    memory: Vec<u8>,
    begin: usize,
}

impl Placed {
    fn new(longest: usize, random: &mut Random) -> Result<Self, Fault> {
        let mut memory = Vec::new();
        let size = longest.checked_add(2 * PAGE);
        if size.is_none_or(|size| memory.try_reserve_exact(size).is_err()) {
            return Err(Fault(format!(
                "there is no memory for messages of {longest} bytes"
            )));
        }
        // Written, so that no page is mapped for the first time while the clock runs.
        memory.resize(longest + 2 * PAGE, 0xa5);
        let to_page = memory.as_ptr().align_offset(PAGE).min(PAGE);
        Ok(Self {
            memory,
            begin: to_page + 16 * random.below(PAGE / 16),
        })
    }

    fn message(&mut self, length: usize) -> &mut [u8] {
        &mut self.memory[self.begin..][..length]
    }
}

const PAGE: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_hold_the_longest_message_at_many_offsets() {
        let mut offsets = std::collections::BTreeSet::new();
        for seed in 0..50 {
            let mut buffers = Buffers::new(1350, Random::new(seed)).unwrap();
            buffers.provide_output().unwrap();
            let (input, output) = buffers.two(1350);
            assert_eq!((input.len(), output.len()), (1350, 1350));
            let offset = input.as_ptr() as usize % PAGE;
            assert_eq!(offset % 16, 0);
            offsets.insert(offset);
        }
        assert!(offsets.len() > 30, "{offsets:?}");
    }

    #[test]
    fn a_buffer_that_cannot_be_had_is_a_fault() {
        for longest in [usize::MAX, usize::MAX / 2] {
            let Err(fault) = Buffers::new(longest, Random::new(1)) else {
                panic!("{longest} bytes?");
            };
            assert!(fault.0.contains("no memory"), "{fault}");
        }
    }
}
