//! x86-64: vectors of AES blocks, and of bit planes.

pub(crate) mod schedule;
mod sliced;
mod xmm;
mod ymm;
mod zmm;

pub(crate) use sliced::{AVX2, AVX512, SSE2, SSSE3};
pub(crate) use xmm::{AESNI, AESNI_R1, Xmm as Block};
pub(crate) use ymm::{VAES256, VAES256_R1};
pub(crate) use zmm::{VAES512, VAES512_R1};
