//! What is fuzzed: each function takes any bytes, makes a case of them and panics where something is wrong.
//!
//! Ciphers are compared with RustCrypto's and, where it has the mode, with AWS-LC's, by every implementation that this
//! processor can run (the case names one), whole and in parts. Parsers must answer, and what they accept must come back as it is after writing and reading.
mod authenticated;
mod aws_lc;
mod chained;
mod macs;
mod parsers;
mod rijndael;
mod streams;
mod units;

pub use authenticated::{ccm, gcm, ocb};
pub use chained::chained;
pub use macs::cmac;
pub use parsers::{import, runs, wisdom};
pub use rijndael::rijndael;
pub use streams::ctr;
pub use units::xts;

use std::ops::Range;

use arbitrary::Arbitrary;
use ciphertune::Implementation;

/// A key of any of the three sizes.
#[derive(Arbitrary, Debug)]
enum Key {
    Aes128([u8; 16]),
    Aes192([u8; 24]),
    Aes256([u8; 32]),
}

impl Key {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Aes128(bytes) => bytes,
            Self::Aes192(bytes) => bytes,
            Self::Aes256(bytes) => bytes,
        }
    }
}

/// An expression with `$aes` as RustCrypto's AES of the key's size.
macro_rules! by_key {
    ($key:expr, $aes:ident => $body:expr) => {
        match $key {
            crate::Key::Aes128(_) => {
                type $aes = aes::Aes128;
                $body
            }
            crate::Key::Aes192(_) => {
                type $aes = aes::Aes192;
                $body
            }
            crate::Key::Aes256(_) => {
                type $aes = aes::Aes256;
                $body
            }
        }
    };
}
pub(crate) use by_key;

/// One that this processor can run.
#[derive(Arbitrary, Debug)]
struct Choice(u8);

impl Choice {
    fn implementation(&self) -> Implementation {
        self.among(|implementation| implementation.is_available())
    }

    fn with_gcm(&self) -> Implementation {
        self.among(|implementation| implementation.gcm().is_some())
    }

    fn among(&self, can: impl Fn(&Implementation) -> bool) -> Implementation {
        let all: Vec<_> = Implementation::all().iter().copied().filter(can).collect();
        all[usize::from(self.0) % all.len()]
    }
}

/// Where a text is divided.
#[derive(Arbitrary, Debug)]
struct Cuts([u16; 4]);

impl Cuts {
    /// The parts of a text of `len` bytes in turn.
    fn parts(&self, len: usize) -> impl Iterator<Item = Range<usize>> {
        let mut ends = self.0.map(|cut| usize::from(cut) % (len + 1));
        ends.sort();
        let mut start = 0;
        (ends.into_iter().chain([len])).map(move |end| std::mem::replace(&mut start, end)..end)
    }

    /// Runs `each` on every part of `text` that ends at a multiple of `unit` bytes, as [`run`] does.
    fn run(&self, text: &mut [u8], unit: usize, mut each: impl FnMut(Option<&[u8]>, &mut [u8])) {
        for part in self.parts(text.len() / unit) {
            let apart = (usize::from(self.0[0]) + part.end) % 2 == 1;
            run(&mut text[unit * part.start..unit * part.end], apart, &mut each);
        }
    }
}

/// The case that `data` describes, if they describe any.
fn case<'a, T: Arbitrary<'a>>(data: &'a [u8]) -> Option<T> {
    T::arbitrary_take_rest(arbitrary::Unstructured::new(data)).ok()
}

/// Runs `each` on `text` in place, or with its input `apart` from its output.
fn run(text: &mut [u8], apart: bool, mut each: impl FnMut(Option<&[u8]>, &mut [u8])) {
    if apart {
        // At any place in its line of the cache, with bytes around it that must stay.
        let at = text.len() % 61;
        let mut output = vec![0xa5; at + text.len() + 64];
        each(Some(text), &mut output[at..at + text.len()]);
        let mut around = output[..at].iter().chain(&output[at + text.len()..]);
        assert!(around.all(|&byte| byte == 0xa5), "written past the end");
        text.copy_from_slice(&output[at..at + text.len()]);
    } else {
        each(None, text);
    }
}
