//! x86-64: vectors of AES blocks, and the thin wrappers that give each kernel its CPU features.

mod block;
mod entry;
mod schedule;
mod sliced;
mod xmm;
mod ymm;
mod zmm;

pub(crate) use sliced::{AVX2, AVX512, SSE2, SSSE3};
pub(crate) use xmm::{AESNI, AESNI_R1, Xmm};
pub(crate) use ymm::{VAES256, VAES256_R1};
pub(crate) use zmm::{VAES512, VAES512_R1};
