//! What this processor can do, asked once.
//!
//! On x86-64 a feature counts only where the operating system saves the registers that it needs: AVX and AVX-512 are
//! looked up in XCR0 as well as in CPUID (Intel SDM vol. 1, §13 and §14.3; AMD APM vol. 3, appendix D). On AArch64 a
//! program cannot ask the processor: the system tells.

use core::sync::atomic::{AtomicU32, Ordering};

/// A CPU feature that a kernel may need, by the name that Linux gives it in `/proc/cpuinfo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    name: &'static str,
    bit: u32,
    /// Bits of those without which no processor has it.
    on: u32,
}

impl Feature {
    /// Linux's name, as in `vaes`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Whether this processor has it, the operating system supports it, and it is not hidden.
    pub fn is_present(self) -> bool {
        self.is_there() && !self.is_hidden()
    }

    /// The same, whether it is hidden or not.
    pub fn is_there(self) -> bool {
        detected() & self.bit != 0
    }

    /// From now on this process does without it and what is built on it, as on a processor that lacks it. Nothing brings
    /// them back. Kernels that are there already go on to use them.
    pub fn hide(self) {
        HIDDEN.fetch_or(with_what_is_on(self.bit), Ordering::Relaxed);
    }

    /// Whether [`Feature::hide`] was called, of this or of what it is built on.
    pub fn is_hidden(self) -> bool {
        HIDDEN.load(Ordering::Relaxed) & self.bit != 0
    }
}

// Relaxed: a bit says nothing of other memory.
static HIDDEN: AtomicU32 = AtomicU32::new(0);

/// These features, and those built on them.
fn with_what_is_on(features: u32) -> u32 {
    ALL.iter().fold(features, |all, feature| match all & feature.on {
        0 => all,
        _ => all | feature.bit,
    })
}

macro_rules! features {
    ($($constant:ident $name:literal $bit:literal on [$($on:ident)*])*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub const $constant: Feature = Feature { name: $name, bit: 1 << $bit, on: 0 $(| $on.bit)* };
        )*

        /// All that a kernel may need, each behind what it is built on.
        pub const ALL: &[Feature] = &[$($constant),*];

        /// Miri, which has no CPUID, has what the build is for.
        #[cfg(miri)]
        fn ask() -> u32 {
            bits([$(($constant, cfg!(target_feature = $name))),*])
        }
    };
}

#[cfg(target_arch = "x86_64")]
features! {
    SSSE3 "ssse3" 0 on []
    AES "aes" 1 on [SSSE3]
    AVX2 "avx2" 2 on [SSSE3]
    VAES "vaes" 3 on [AES AVX2]
    AVX512F "avx512f" 4 on [AVX2]
    AVX512BW "avx512bw" 5 on [AVX512F]
    AVX512VL "avx512vl" 6 on [AVX512F]
    PCLMULQDQ "pclmulqdq" 7 on [SSSE3]
    VPCLMULQDQ "vpclmulqdq" 8 on [PCLMULQDQ AVX2]
    AVX512VBMI "avx512vbmi" 9 on [AVX512F]
    BMI2 "bmi2" 10 on []
}

#[cfg(not(target_arch = "x86_64"))]
features! {
    AES "aes" 0 on []
    PMULL "pmull" 1 on []
}

/// No kernel needs it alone; C libraries may use its registers.
#[cfg(target_arch = "x86_64")]
pub(crate) const AVX: Feature = Feature {
    name: "avx",
    bit: 1 << 11,
    on: 0,
};

fn detected() -> u32 {
    const ASKED: u32 = 1 << 31;
    // Relaxed: each thread that races here computes and stores the same word.
    static DETECTED: AtomicU32 = AtomicU32::new(0);

    let known = DETECTED.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let found = ASKED | ask();
    DETECTED.store(found, Ordering::Relaxed);
    found
}

/// The bits of those that are present.
fn bits<const N: usize>(features: [(Feature, bool); N]) -> u32 {
    features
        .into_iter()
        .filter(|(_, present)| *present)
        .fold(0, |found, (feature, _)| found | feature.bit)
}

/// Whether this processor takes several times as long as others for a shuffle of bytes (SSSE3), as the first ones that had
/// it do, and Intel's small ones until 2016: code that does little else is then for a block or two alone.
pub fn shuffles_slowly() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        if cfg!(miri) {
            return false;
        }
        let leaf1 = core::arch::x86_64::__cpuid(1);
        is_slow_at_shuffles(leaf1.eax, leaf1.ecx)
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// By EAX and ECX of CPUID's leaf 1. Intel's Merom and Bonnell and AMD's Bobcat have SSSE3 without SSE4.1; Silvermont, which
/// has both, goes by its model (Agner Fog, "Instruction tables").
#[cfg(target_arch = "x86_64")]
fn is_slow_at_shuffles(eax: u32, ecx: u32) -> bool {
    let has_sse41 = ecx >> 19 & 1 == 1;
    let (family, model) = (eax >> 8 & 0xf, eax >> 12 & 0xf0 | eax >> 4 & 0xf);
    let is_silvermont = family == 6 && matches!(model, 0x37 | 0x4a | 0x4d | 0x5a | 0x5d);
    !has_sse41 || is_silvermont
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
fn ask() -> u32 {
    use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

    #[target_feature(enable = "xsave")]
    fn xcr0() -> u64 {
        // SAFETY: the caller saw OSXSAVE, so XGETBV is enabled, and register 0 always exists.
        unsafe { _xgetbv(0) }
    }

    let bit = |register: u32, n: u32| register >> n & 1 == 1;
    let leaf1 = __cpuid(1);
    // Processors older than leaf 7 answer it with another leaf's data.
    let (ebx7, ecx7) = if __cpuid(0).eax >= 7 {
        let leaf7 = __cpuid_count(7, 0);
        (leaf7.ebx, leaf7.ecx)
    } else {
        (0, 0)
    };

    let xcr0 = if bit(leaf1.ecx, 27) {
        // SAFETY: CPUID says that the operating system enabled XSAVE and with it XGETBV.
        unsafe { xcr0() }
    } else {
        0
    };
    let ymm = xcr0 & 0x06 == 0x06;
    let zmm = xcr0 & 0xe6 == 0xe6;

    bits([
        (SSSE3, bit(leaf1.ecx, 9)),
        (AES, bit(leaf1.ecx, 25)),
        (AVX, ymm && bit(leaf1.ecx, 28)),
        (AVX2, ymm && bit(ebx7, 5)),
        (VAES, ymm && bit(ecx7, 9)),
        (AVX512F, zmm && bit(ebx7, 16)),
        (AVX512BW, zmm && bit(ebx7, 30)),
        (AVX512VL, zmm && bit(ebx7, 31)),
        (PCLMULQDQ, bit(leaf1.ecx, 1)),
        (VPCLMULQDQ, ymm && bit(ecx7, 10)),
        (AVX512VBMI, zmm && bit(ecx7, 1)),
        (BMI2, bit(ebx7, 8)),
    ])
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
fn ask() -> u32 {
    let [aes, pmull] = told_by_system();
    // Rust's `aes` is both.
    let compiled = cfg!(target_feature = "aes");
    bits([(AES, compiled || aes), (PMULL, compiled || pmull)])
}

#[cfg(all(target_arch = "aarch64", any(target_os = "linux", target_os = "android")))]
fn told_by_system() -> [bool; 2] {
    // SAFETY: it reads what the kernel gave the process, and answers 0 where there is nothing.
    let capabilities = unsafe { libc::getauxval(libc::AT_HWCAP) };
    [libc::HWCAP_AES, libc::HWCAP_PMULL].map(|bit| capabilities & bit != 0)
}

/// Nobody is asked: what the program was compiled for, which on Apple's processors is both, must do.
#[cfg(all(target_arch = "aarch64", not(any(target_os = "linux", target_os = "android"))))]
fn told_by_system() -> [bool; 2] {
    [false; 2]
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", miri)))]
fn ask() -> u32 {
    bits([])
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn what_hides_a_feature_hides_what_is_built_on_it() {
        let names = |features: Feature| {
            let all = with_what_is_on(features.bit);
            let named = ALL.iter().filter(move |feature| all & feature.bit != 0);
            named.map(|feature| feature.name)
        };
        assert!(names(AES).eq(["aes", "vaes"]));
        assert!(names(BMI2).eq(["bmi2"]));
        assert!(names(AVX512F).eq(["avx512f", "avx512bw", "avx512vl", "avx512vbmi"]));
        // What is left is a processor that there is: without SSSE3 nothing but SSE2.
        assert_eq!(names(SSSE3).count(), ALL.len() - 1);
        for (at, feature) in ALL.iter().enumerate() {
            let before = ALL[..at].iter().fold(0, |bits, feature| bits | feature.bit);
            assert_eq!(
                feature.on & !before,
                0,
                "{} stands before what it is on",
                feature.name
            );
        }
    }

    #[test]
    fn those_that_shuffle_slowly_are_known() {
        const SSE41: u32 = 1 << 19;
        for (name, eax, ecx, slow) in [
            ("Merom", 0x0000_06f6, 0, true),
            ("Penryn", 0x0001_067a, SSE41, false),
            ("Bonnell", 0x0001_06ca, 0, true),
            ("Silvermont", 0x0003_0678, SSE41, true),
            ("Sandy Bridge", 0x0002_06a7, SSE41, false),
            ("Bobcat", 0x0050_0f20, 0, true),
            ("Zen 3", 0x00a0_0f11, SSE41, false),
        ] {
            assert_eq!(is_slow_at_shuffles(eax, ecx), slow, "{name}");
        }
    }
}
