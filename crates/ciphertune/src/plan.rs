use std::fmt;

use ciphertune_engine::{Implementation, Kernel};

use crate::Error;

/// A range of message lengths for which one implementation is chosen.
///
/// Classes stand a factor of four apart, each around the length that is measured for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LengthClass(usize);

/// The lengths measured, in bytes. A class reaches up to twice its length.
const MEASURED: [usize; 7] = [16, 64, 256, 1024, 4096, 16_384, 1 << 20];

impl LengthClass {
    /// How many there are.
    pub const COUNT: usize = MEASURED.len();

    /// Every class, shortest first.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        (0..Self::COUNT).map(Self)
    }

    /// The class of a message of `len` bytes.
    #[inline]
    pub fn of(len: usize) -> Self {
        // Up to 32 bytes, 128, 512, … 32 KiB, more: every second power of two.
        let bits = (len.saturating_sub(1) | 31).ilog2() as usize;
        Self(((bits - 3) / 2).min(Self::COUNT - 1))
    }

    /// The class that ends at `longest` bytes, `None` being the last one's end.
    pub(crate) fn ending_at(longest: Option<usize>) -> Option<Self> {
        Self::all().find(|class| class.longest() == longest)
    }

    /// Where it stands among the classes, from 0.
    pub(crate) fn index(self) -> usize {
        self.0
    }

    /// The length in bytes that is measured for it.
    pub fn measured(self) -> usize {
        MEASURED[self.0]
    }

    /// The longest message in it, in bytes; `None` for the last class, which has no end.
    pub fn longest(self) -> Option<usize> {
        (self.0 + 1 < Self::COUNT).then(|| 2 * MEASURED[self.0])
    }
}

/// Which implementation serves which length.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Plan([Kernel; LengthClass::COUNT]);

impl Plan {
    /// What CPUID suggests, with nothing measured: the widest vectors that there are, with the first round ahead
    /// for messages over 512 bytes, and narrow ones for messages of up to 32 bytes. Without AES instructions there
    /// are no first rounds to choose, and `portable` is for the short ones, since its batches are the smallest.
    pub fn estimate() -> Self {
        let kernel = |name| Implementation::named(name).and_then(Implementation::kernel);
        let Some((middle, long)) = [
            ("vaes512", "vaes512-r1"),
            ("vaes256", "vaes256-r1"),
            ("aesni", "aesni-r1"),
            ("avx512", "avx512"),
            ("avx2", "avx2"),
            ("ssse3", "ssse3"),
            ("sse2", "sse2"),
        ]
        .into_iter()
        .find_map(|(middle, long)| Some((kernel(middle)?, kernel(long)?))) else {
            return Self([portable(); LengthClass::COUNT]);
        };
        let mut narrow = ["aesni", "portable"].into_iter().filter_map(kernel);
        let short = narrow.find(|short| short.shares_layout(middle)).unwrap_or(middle);
        let mut kernels = [long; LengthClass::COUNT];
        for class in LengthClass::all() {
            match class.measured() {
                ..=16 => kernels[class.0] = short,
                17..=256 => kernels[class.0] = middle,
                _ => {}
            }
        }
        Self(kernels)
    }

    /// One implementation for every length.
    pub fn forced(implementation: Implementation) -> Result<Self, Error> {
        let kernel = implementation
            .kernel()
            .ok_or(Error::Unavailable(implementation))?;
        Ok(Self([kernel; LengthClass::COUNT]))
    }

    /// One implementation for each class, shortest first. All of them must take the key in the same layout:
    /// those with AES instructions do, and so do those without.
    pub fn measured(implementations: [Implementation; LengthClass::COUNT]) -> Result<Self, Error> {
        let mut kernels = [portable(); LengthClass::COUNT];
        for (kernel, implementation) in kernels.iter_mut().zip(implementations) {
            *kernel = implementation
                .kernel()
                .ok_or(Error::Unavailable(implementation))?;
        }
        let mixed = kernels.iter().find(|k| !k.shares_layout(kernels[0]));
        match mixed {
            Some(other) => Err(Error::Mixed(kernels[0].implementation(), other.implementation())),
            None => Ok(Self(kernels)),
        }
    }

    /// Which implementation serves a message of `len` bytes.
    pub fn implementation(&self, len: usize) -> Implementation {
        self.kernel(len).implementation()
    }

    #[inline]
    pub(crate) fn kernel(&self, len: usize) -> Kernel {
        self.0[LengthClass::of(len).0]
    }
}

fn portable() -> Kernel {
    Implementation::PORTABLE
        .kernel()
        .expect("it needs no CPU feature")
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(LengthClass::all().map(|c| (c.measured(), self.implementation(c.measured()).name())))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_in_the_class_around_it() {
        for class in LengthClass::all() {
            assert_eq!(LengthClass::of(class.measured()), class);
            if let Some(longest) = class.longest() {
                assert_eq!(LengthClass::of(longest), class);
                assert_eq!(LengthClass::of(longest + 1), LengthClass(class.0 + 1));
            }
        }
        assert_eq!(LengthClass::of(0), LengthClass(0));
        assert_eq!(LengthClass::of(usize::MAX), LengthClass(LengthClass::COUNT - 1));
    }
}
