use std::fmt;

use ciphertune_engine::{BLOCK, GcmKernel, Implementation, Kernel};

use crate::{Error, cpu};

/// A range of message lengths for which one implementation is chosen.
///
/// Classes stand a factor of four apart, each around the length that is measured for it, but for the last: it is all that is
/// longer than 32 KiB, and is measured at 1 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LengthClass(usize);

/// The lengths measured, in bytes. A class reaches up to twice its length, the last one without end.
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
        // Up to 32 bytes, 128, 512, … 32 KiB, more: every second power of two, and so half of a float's exponent, which is above
        // 52 bits and counts from 1023. To look for the highest bit (BSR) takes AMD's processors as long as a good part of a
        // short message.
        let last = len.saturating_sub(1) | 31;
        let half = (last as i64 as f64).to_bits() >> 53;
        Self((half as usize - (1023 + 3) / 2).min(Self::COUNT - 1))
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

/// Which implementation serves which length, of whatever has a kernel `K` of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PlanOf<K>([K; LengthClass::COUNT]);

/// Which implementation serves which length, in every mode but GCM.
pub type Plan = PlanOf<Kernel>;

/// Which implementation of GCM serves which length.
pub type GcmPlan = PlanOf<GcmKernel>;

/// What a plan can be made of.
pub trait Runs: Copy {
    /// What this processor runs an implementation by, where it can.
    fn by(implementation: Implementation) -> Result<Self, Error>;

    /// The implementation.
    fn implementation(self) -> Implementation;

    /// Whether either can go on with a key that the other expanded.
    fn shares_layout(self, other: Self) -> bool;

    /// What CPUID suggests for each direction, with nothing measured.
    fn estimate() -> Plans<PlanOf<Self>>;
}

impl Plan {
    /// What CPUID suggests, with nothing measured.
    pub fn estimate() -> Self {
        Plans::estimate().forward
    }

    /// By vectors of 512 bits from 33 to 128 bytes too, where there are any: what paid on an Intel Xeon with AMX.
    fn with_widest_for_few(mut self) -> Self {
        if let Some(widest) = kernel("vaes512") {
            self.0[LengthClass::of(64).0] = widest;
        }
        self
    }

    /// By no vectors of 512 bits for up to 128 bytes: a part of one is written by a mask, and late for whoever reads it next.
    fn with_narrow_for_few(mut self) -> Self {
        if let (Some(_), Some(few), Some(block)) = (kernel("vaes512"), kernel("vaes256"), kernel("aesni")) {
            self.0[LengthClass::of(64).0] = few;
            self.0[LengthClass::of(BLOCK).0] = block;
        }
        self
    }
}

impl<K: Runs> PlanOf<K> {
    /// One implementation for every length.
    ///
    /// [`Error::Unavailable`], or of GCM [`Error::GcmUnavailable`]: it cannot run here.
    pub fn forced(implementation: Implementation) -> Result<Self, Error> {
        Ok(Self([K::by(implementation)?; LengthClass::COUNT]))
    }

    /// One implementation for each class, shortest first. All of them must take the key in the same layout:
    /// those with AES instructions do, and so do those without.
    ///
    /// As [`PlanOf::forced`]; [`Error::Mixed`]: they do not.
    pub fn measured(implementations: [Implementation; LengthClass::COUNT]) -> Result<Self, Error> {
        let mut kernels = [K::by(implementations[0])?; LengthClass::COUNT];
        for (kernel, implementation) in kernels.iter_mut().zip(implementations) {
            *kernel = K::by(implementation)?;
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

    /// Whether a key that serves one plan serves the other.
    pub(crate) fn shares_layout(&self, other: &Self) -> bool {
        self.0[0].shares_layout(other.0[0])
    }

    #[inline]
    pub(crate) fn kernel(&self, len: usize) -> K {
        self.0[LengthClass::of(len).0]
    }
}

impl Runs for Kernel {
    fn by(implementation: Implementation) -> Result<Self, Error> {
        implementation.kernel().ok_or(Error::Unavailable(implementation))
    }

    fn implementation(self) -> Implementation {
        self.implementation()
    }

    fn shares_layout(self, other: Self) -> bool {
        self.shares_layout(other)
    }

    /// What is for counter mode: the widest vectors that there are, with the first rounds ahead for messages over 512 bytes. Where
    /// they have no masks, narrow ones for messages of up to 32 bytes. On ARM, where nothing was measured, no round is made ahead.
    ///
    /// Without AES instructions it is code that permutes vectors, but for long messages by AVX2 and wider, where bitsliced
    /// code makes the first rounds of many counters at once, and where shuffles are slow or, on ARM, were not measured: there
    /// it is for messages shorter than bitsliced code's batches. Where nothing can be permuted, `portable` is for short ones,
    /// since its batches are the smallest.
    fn estimate() -> Plans {
        let ssse3 = if cpu::shuffles_slowly() {
            "ssse3"
        } else {
            "ssse3-vp"
        };
        let [short, few, middle, packet, long] = [
            ["vaes512", "vaes512", "vaes512", "vaes512-r2", "vaes512-r2"],
            ["aesni", "vaes256", "vaes256", "vaes256-r2", "vaes256-r2"],
            ["aesni", "aesni", "aesni", "aesni-r2", "aesni-r2"],
            ["avx2-vp", "avx2-vp", "avx2-vp", "avx512", "avx512"],
            ["avx2-vp", "avx2-vp", "avx2-vp", "avx2-vp", "avx2"],
            ["ssse3-vp", ssse3, ssse3, ssse3, ssse3],
            ["portable", "sse2", "sse2", "sse2", "sse2"],
            ["armv8"; 5],
            ["neon-vp", "neon-vp", "neon", "neon", "neon"],
        ]
        .into_iter()
        .find_map(|names| {
            let [short, few, middle, packet, long] = names.map(kernel);
            Some([short?, few?, middle?, packet?, long?])
        })
        .unwrap_or_else(|| {
            [Implementation::PORTABLE
                .kernel()
                .expect("it needs no CPU feature"); 5]
        });
        let mut kernels = [long; LengthClass::COUNT];
        for class in LengthClass::all() {
            match class.measured() {
                ..=16 => kernels[class.0] = short,
                17..=64 => kernels[class.0] = few,
                65..=256 => kernels[class.0] = middle,
                257..=4096 => kernels[class.0] = packet,
                _ => {}
            }
        }
        Plans::both(PlanOf(kernels))
    }
}

/// The kernel of that name, where this processor can run it.
fn kernel(name: &str) -> Option<Kernel> {
    Implementation::named(name)?.kernel()
}

impl Runs for GcmKernel {
    fn by(implementation: Implementation) -> Result<Self, Error> {
        implementation.gcm().ok_or(Error::GcmUnavailable(implementation))
    }

    fn implementation(self) -> Implementation {
        self.implementation()
    }

    fn shares_layout(self, other: Self) -> bool {
        self.shares_layout(other)
    }

    /// The widest vectors that there are. Without AES instructions those that permute vectors are for messages shorter than the
    /// widest batches, and by SSSE3 for all where shuffles are not slow; where there are none `portable` is for up to 32 bytes,
    /// since its batches are the smallest.
    fn estimate() -> Plans<GcmPlan> {
        let kernel = |name| Implementation::named(name)?.gcm();
        let names = [
            "vaes512", "vaes256", "aesni", "avx512", "avx2", "ssse3", "sse2", "armv8", "neon", "portable",
        ];
        let widest: Self = names
            .into_iter()
            .find_map(kernel)
            .expect("the portable one needs no CPU feature");
        let mut kernels = [widest; LengthClass::COUNT];
        let ssse3 = if cpu::shuffles_slowly() { 32 } else { usize::MAX };
        let avx2 = if widest.implementation().name() == "avx2" {
            4096
        } else {
            256
        };
        let narrow = [
            ("avx2-vp", avx2),
            ("ssse3-vp", ssse3),
            ("neon-vp", 128),
            ("portable", 32),
        ];
        let mut narrow = narrow
            .into_iter()
            .filter_map(|(name, up_to)| Some((kernel(name)?, up_to)));
        if let Some((narrow, up_to)) = narrow.find(|(it, _)| it.shares_layout(widest)) {
            kernels[..=LengthClass::of(up_to).0].fill(narrow);
        }
        Plans::both(PlanOf(kernels))
    }
}

impl<K: Runs> fmt::Debug for PlanOf<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(LengthClass::all().map(|c| (c.measured(), self.implementation(c.measured()).name())))
            .finish()
    }
}

/// A plan for each direction, or of CMAC, which has one, for one message and for many at once. One key serves both: their
/// implementations take it in the same layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plans<P = Plan> {
    /// For encrypting, and for making tags.
    pub(crate) forward: P,
    /// For decrypting, and for making many tags at once.
    pub(crate) backward: P,
}

impl Plans {
    /// What CPUID suggests where encrypting, or making a tag, has each block wait for the one before. Without AES
    /// instructions that is what takes a lone block, since nothing else of a wider batch would be used; with them all
    /// have the same code for it.
    pub(crate) fn estimate_in_turn() -> Self {
        let Self {
            mut forward,
            backward,
        } = Self::estimate_apart();
        let lone = forward.kernel(BLOCK);
        if Implementation::PORTABLE
            .kernel()
            .is_some_and(|portable| portable.shares_layout(lone))
        {
            forward = PlanOf([lone; LengthClass::COUNT]);
        }
        Self { forward, backward }
    }

    /// What CPUID suggests where blocks do not wait for each other, nor are alike as counters are, whose first rounds
    /// bitsliced code makes once for many. Else, where there is AVX2, permuting takes less time at any length.
    pub(crate) fn estimate_apart() -> Self {
        let widest = Self::estimate_of_few();
        Self {
            forward: widest.forward.with_narrow_for_few(),
            backward: widest.backward.with_narrow_for_few(),
        }
    }

    /// As [`Plans::estimate_apart`], for ECB, XTS and what decrypts CBC and CFB: vectors of 512 bits have functions for few of them
    /// there, without masks.
    pub(crate) fn estimate_of_few() -> Self {
        let counters = Self::estimate();
        match kernel("avx2-vp") {
            Some(permuted) if permuted.shares_layout(counters.forward.kernel(BLOCK)) => {
                Self::both(PlanOf([permuted; LengthClass::COUNT]))
            }
            _ => Self::both(counters.forward),
        }
    }

    /// What CPUID suggests for CFB: as [`Plans::estimate_in_turn`] for encrypting.
    pub(crate) fn estimate_fed_back() -> Self {
        Self {
            forward: Self::estimate_in_turn().forward,
            backward: Self::estimate_of_few().backward,
        }
    }

    /// What CPUID suggests for CBC: as [`Plans::estimate_fed_back`], but in encrypting 33 to 128 bytes only code for 512 bits has its
    /// keys in registers, by which the processor sees the next message sooner.
    pub(crate) fn estimate_chained() -> Self {
        let fed_back = Self::estimate_fed_back();
        Self {
            forward: fed_back.forward.with_widest_for_few(),
            ..fed_back
        }
    }

    /// What CPUID suggests for CFB-8, of which each byte takes a block: encryption has one block at a time, whatever the
    /// message's length, and decryption sixteen times as much text as there are bytes.
    pub(crate) fn estimate_by_bytes() -> Self {
        let of_blocks = Self::estimate_apart().forward;
        let at = |len: fn(usize) -> usize| PlanOf(MEASURED.map(|measured| of_blocks.kernel(len(measured))));
        Self {
            forward: at(|_| BLOCK),
            backward: at(|len| BLOCK * len),
        }
    }
}

impl<K: Runs> Plans<PlanOf<K>> {
    /// The same for both directions.
    pub(crate) fn both(plan: PlanOf<K>) -> Self {
        Self {
            forward: plan,
            backward: plan,
        }
    }

    /// What CPUID suggests, with nothing measured.
    pub fn estimate() -> Self {
        K::estimate()
    }

    /// Of each direction, where something was measured, what that says, and otherwise what was estimated. If no key could
    /// serve both, encryption decides: wisdom that is read never has such a choice for decryption.
    pub(crate) fn of(forward: Option<PlanOf<K>>, backward: Option<PlanOf<K>>, estimate: &Self) -> Self {
        let forward = forward.unwrap_or(estimate.forward);
        let backward = backward.unwrap_or(estimate.backward);
        if forward.shares_layout(&backward) {
            Self { forward, backward }
        } else {
            Self::both(forward)
        }
    }

    /// The plan for encrypting, and for making tags.
    pub fn forward(&self) -> &PlanOf<K> {
        &self.forward
    }

    /// The plan for decrypting, and for making many tags at once.
    pub fn backward(&self) -> &PlanOf<K> {
        &self.backward
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
