//! What a worker times.
use std::hint::black_box;

use ciphertune_catalog::{Fault, Ring, Scene, Timed, Witness, gate::Failure};
#[cfg(target_arch = "x86_64")]
use ciphertune_engine::probe::{memory::Memory, ports::Ports};
use sha2::{Digest, Sha256};

use crate::buffers::Turn;

/// Something that can be repeated.
pub(crate) enum Work {
    InPlace(Counted),
    /// A context that cannot work in place.
    BufferToBuffer(Counted),
    /// What opens needs messages that were sealed, what verifies needs signatures, and must leave them so: what would
    /// write goes from buffer to buffer.
    Undoing {
        undo: Box<dyn Timed>,
        made: Made,
        in_place: bool,
    },
    #[cfg(target_arch = "x86_64")]
    Ports(Ports),
    #[cfg(target_arch = "x86_64")]
    ReadXorWrite(Memory),
    #[cfg(target_arch = "x86_64")]
    Copy(Memory),
}

/// Where that comes from which is undone.
pub(crate) enum Made {
    /// The same implementation makes it.
    Here(Box<dyn Timed>),
    /// Everyone knows it. To sign by RSA in each process takes longer than all verifying that is timed.
    Known {
        message: &'static [u8],
        tag: &'static [u8],
    },
}

impl Work {
    /// Makes the messages what the work expects, before it is done on them.
    pub(crate) fn provide(&mut self, buffers: &mut Turn<'_>, ring: &mut Ring) -> Result<(), Fault> {
        buffers.provide(ring.span(), self.needs_output());
        if let Self::Undoing { made, .. } = self {
            let messages = buffers.keep(ring.span())?;
            match made {
                Made::Here(make) => {
                    // The same each time: all that open in this worker share key, IVs and with them the sealed messages.
                    messages.fill(0xa5);
                    make.repeat(messages, ring, ring.count() as u64)?;
                }
                Made::Known { message, tag } => ring.fill(messages, message, tag),
            }
        }
        Ok(())
    }

    /// Works `calls` times on the messages of the ring.
    #[inline]
    pub(crate) fn repeat(
        &mut self,
        buffers: &mut Turn<'_>,
        ring: &mut Ring,
        calls: u64,
    ) -> Result<(), Fault> {
        let span = ring.span();
        match self {
            Self::InPlace(context) => context.repeat(buffers.one(span), ring, calls),
            Self::BufferToBuffer(context) => {
                let (input, output) = buffers.two(span);
                context.repeat_to(input, output, ring, calls)
            }
            Self::Undoing {
                undo, in_place: true, ..
            } => undo.repeat(buffers.kept(span), ring, calls),
            Self::Undoing { undo, .. } => {
                let (input, output) = buffers.kept_and_output(span);
                undo.repeat_to(input, output, ring, calls)
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

    /// Whether what is timed still does its work, by a little more of it: see [`Witness::look`]. A probe's is nobody's
    /// to rely on.
    pub(crate) fn look(
        &mut self,
        buffers: &mut Turn<'_>,
        ring: &mut Ring<'_>,
        witness: Witness<'_>,
        known: Option<u64>,
    ) -> Result<u64, Failure> {
        let span = ring.span();
        let done = |counted: &Counted| Witness {
            done: counted.bytes,
            ..witness
        };
        let (witness, timed, input, output) = match self {
            Self::InPlace(counted) => (done(counted), &mut *counted.context, buffers.one(span), None),
            Self::BufferToBuffer(counted) => {
                let (input, output) = buffers.two(span);
                (done(counted), &mut *counted.context, input, Some(output))
            }
            Self::Undoing {
                undo, in_place: true, ..
            } => (witness, &mut **undo, buffers.kept(span), None),
            Self::Undoing { undo, .. } => {
                let (input, output) = buffers.kept_and_output(span);
                (witness, &mut **undo, input, Some(output))
            }
            #[cfg(target_arch = "x86_64")]
            Self::Ports(_) | Self::ReadXorWrite(_) | Self::Copy(_) => return Ok(0),
        };
        let scene = Scene {
            timed,
            ring,
            input,
            output,
        };
        witness.look(scene, known)
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

    /// Whether what is timed copies each message besides.
    pub(crate) fn copies(&self) -> bool {
        match self {
            Self::InPlace(counted) => counted.context.repeats_with_copies(true),
            Self::BufferToBuffer(counted) => counted.context.repeats_with_copies(false),
            Self::Undoing { undo, in_place, .. } => undo.repeats_with_copies(*in_place),
            #[cfg(target_arch = "x86_64")]
            Self::Ports(_) | Self::ReadXorWrite(_) | Self::Copy(_) => false,
        }
    }
}

/// A context, and how many bytes of its stream have gone by.
pub(crate) struct Counted {
    context: Box<dyn Timed>,
    bytes: u64,
}

impl Counted {
    pub(crate) fn new(context: Box<dyn Timed>) -> Self {
        Self { context, bytes: 0 }
    }

    fn repeat(&mut self, data: &mut [u8], ring: &mut Ring<'_>, calls: u64) -> Result<(), Fault> {
        self.bytes += calls * ring.length as u64;
        self.context.repeat(data, ring, calls)
    }

    fn repeat_to(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        ring: &mut Ring<'_>,
        calls: u64,
    ) -> Result<(), Fault> {
        self.bytes += calls * ring.length as u64;
        self.context.repeat_to(input, output, ring, calls)
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

    fn repeats_with_copies(&self, in_place: bool) -> bool {
        self.0.repeats_with_copies(in_place)
    }
}
