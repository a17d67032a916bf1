//! AES kernels: one algorithm per mode, written once and generic over vector width.
//!
//! The only crate of Ciphertune with SIMD `unsafe`. It knows nothing of choosing: a caller picks an
//! [`Implementation`], asks for its [`Kernel`] (which exists only where the processor has the features it
//! needs), expands a [`Key`] with it and runs a mode.
//!
//! | where | what |
//! |---|---|
//! | [`Implementation`] | every implementation by name, with the CPU features that it needs |
//! | [`Key`] | an expanded key; wiped on drop |
//! | [`Keystream`] | where a counter-mode stream stands; wiped on drop |
//! | [`BlockKey`], [`TweakKey`], [`CmacKey`] | keys of the modes other than counter mode; wiped on drop |
//! | [`OcbKey`] | an expanded key with what OCB makes of it; wiped on drop |
//! | [`RijndaelKey`] | Rijndael's larger blocks, which AES has not; wiped on drop |
//! | [`Feedback`], [`CmacMessage`], [`CcmMessage`], [`OcbMessage`] | where a message of CFB, OFB, CMAC, CCM or OCB stands that comes in parts; wiped on drop |
//! | [`GcmKey`] | an expanded key with the powers of its hash key; wiped on drop |
//! | [`GcmMessage`] | where a message of GCM stands that comes in parts; wiped on drop |
//! | [`GcmKernel`] | GCM, where the processor has what it needs |
//! | `gcm`, `ghash` | Galois/counter mode and its hash, generic over `lanes::Multiply` |
//! | `ctr`, `rounds` | counter mode and the rounds of AES, generic over `lanes::Lanes` |
//! | `ahead` | the first rounds of counter blocks, for both |
//! | `batch`: `ecb`, `cbc`, `cfb`, `xts`, `ocb` | modes whose blocks do not wait for each other, generic as well |
//! | `few` | what a vector width has of its own for calls of few vectors |
//! | `cfb8` | the same of CFB by bytes, whose blocks overlap |
//! | `serial`; `many`, `gather`, `squares`, `chains` | modes whose blocks do: one message; many side by side |
//! | `each`, `lane_keys` | the same of many messages that have keys of their own |
//! | `ccm` | CBC-MAC with counter mode beside it |
//! | `entry` | from a call to those: the thin wrappers that carry `#[target_feature]`, for any `Lanes` |
//! | `x86`, `arm` | `Lanes` for xmm, ymm and zmm; for the registers of ARMv8 |
//! | `portable` | constant-time bitsliced code for any processor, generic over `portable::Plane` |
//! | `permute` | constant-time code for processors that shuffle bytes, a block at a time as good as many |
//! | `x86::sliced`, `arm::sliced` | `Plane` for vectors of 16 and 32 bytes, where there are no AES instructions |
//! | [`cpu`] | what this processor can do |
//!
//! **Why the unsafe is sound.** A `Kernel` is the proof that its CPU features were detected, and the only
//! way to call a function that needs them. Lengths and addresses come from [`inout::InOutBuf`], which holds
//! either one exclusive slice or two that do not overlap, both of the same length; kernels touch exactly
//! those bytes.
#![no_std]

extern crate alloc;

mod ahead;
mod block;
mod ccm;
mod cfb8;
mod chains;
mod cmac;
mod copy;
pub mod cpu;
mod each;
mod feedback;
mod gcm;
mod gf128;
mod implementation;
mod key;
mod keystream;
mod material;
mod ocb;
mod part;
mod portable;
mod rijndael;

#[cfg(vectors)]
mod batch;
#[cfg(vectors)]
mod cbc;
#[cfg(vectors)]
mod cfb;
#[cfg(vectors)]
mod ctr;
#[cfg(vectors)]
mod ecb;
#[cfg(vectors)]
mod few;
#[cfg(target_arch = "x86_64")]
mod gather;
#[cfg(vectors)]
mod ghash;
#[cfg(vectors)]
mod lane_keys;
#[cfg(vectors)]
mod lanes;
#[cfg(vectors)]
mod many;
#[cfg(vectors)]
mod permute;
#[cfg(feature = "probe")]
pub mod probe;
#[cfg(vectors)]
mod rounds;
#[cfg(vectors)]
mod serial;
mod span;
#[cfg(vectors)]
mod squares;
#[cfg(vectors)]
mod stream;
#[cfg(vectors)]
mod xts;

mod tag;
mod wipe;

// Vectors, of whatever architecture: `build.rs` says which have them.
#[cfg(all(vectors, target_arch = "aarch64"))]
mod arm;
#[cfg(vectors)]
mod entry;
#[cfg(all(vectors, target_arch = "aarch64"))]
use arm as native;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
use x86 as native;

pub use block::{BlockKey, TweakKey};
pub use ccm::CcmMessage;
pub use chains::Message;
pub use cmac::{CmacKey, CmacMessage};
pub use feedback::Feedback;
pub use gcm::{GcmKernel, GcmKey, GcmMessage};
pub use implementation::{Implementation, Kernel};
pub use key::{InvalidKeyLength, Key};
pub use keystream::Keystream;
pub use ocb::{OcbKey, OcbMessage};
pub use rijndael::RijndaelKey;
pub use wipe::clear_registers;

/// Names this build of the kernels: their source, the compiler and its settings. What was measured of one
/// build says nothing of another.
pub const BUILD: &str = env!("CIPHERTUNE_ENGINE_BUILD");

/// Whether MemorySanitizer (`tests/constant-time`) or Miri (`tests/miri`) looks on. What inline assembly reads the one takes
/// for used, and what that writes for known: no secret goes that way then. The other knows no assembly at all.
#[cfg(vectors)]
const WATCHED: bool = cfg!(any(msan, miri));

/// Bytes of a block of AES, and so of a counter.
pub const BLOCK: usize = 16;
