//! Libraries that do without some of the processor's instructions, to see whether they are better off.
//!
//! Each library is told in its own way, most by a variable of the environment when they are loaded. Afterwards it is asked
//! what it goes by, and one that goes on using what it was to do without is refused: its figures would stand under a false
//! name. Only AWS-LC cannot be asked; it is built in, so its version is known, and a test has it answer. The OpenSSL that
//! may be built in beside it reads the same variable, and can be asked.
//!
//! Left out is what cannot be told: Botan as Debian builds it does not read `BOTAN_CLEAR_CPUID`, and its interface for C does
//! not say what it goes by.
//!
//! Ciphertune's own code has no masks: its implementations for fewer instructions are there anyway, each by its own name.
use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    fmt, ptr,
    sync::{Mutex, PoisonError},
};

use ciphertune_testkit::{Fault, Task};
use serde::{Deserialize, Serialize};

use crate::{
    Description, Implementation, LoadError, Names, PeerLibrary, Source, Timed, aws_lc, libcrypto,
    library::{self, Library, text},
    peers,
};

/// What a library does without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mask {
    /// All of AVX-512.
    NoAvx512,
    /// AES and carry-less multiplication on wide vectors.
    NoVaes,
    /// AVX2 and what is built on it: the two above.
    NoAvx2,
    /// AVX and what is built on it.
    NoAvx,
    /// SSSE3 and all vector instructions since; not AES, carry-less multiplication and SHA.
    NoSsse3,
    /// AES.
    NoAes,
    /// SHA-1 and SHA-256.
    NoSha,
}

impl Mask {
    /// Every one.
    pub const ALL: [Self; 7] = [
        Self::NoAvx512,
        Self::NoVaes,
        Self::NoAvx2,
        Self::NoAvx,
        Self::NoSsse3,
        Self::NoAes,
        Self::NoSha,
    ];

    /// What stands in ids, as in `openssl@3.0.19/no-avx512`.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoAvx512 => "no-avx512",
            Self::NoVaes => "no-vaes",
            Self::NoAvx2 => "no-avx2",
            Self::NoAvx => "no-avx",
            Self::NoSsse3 => "no-ssse3",
            Self::NoAes => "no-aes",
            Self::NoSha => "no-sha",
        }
    }

    /// The mask in an id, and the id of the same library without it.
    pub fn of_id(id: &str) -> Option<(Self, String)> {
        let (library, variant) = id.split_once('/')?;
        let (variant, number) = match variant.split_once('#') {
            Some((variant, number)) => (variant, format!("#{number}")),
            None => (variant, String::new()),
        };
        let mask = Self::ALL.into_iter().find(|mask| mask.name() == variant)?;
        Some((mask, format!("{library}/{UNMASKED}{number}")))
    }

    /// The variable that tells a library, and what to set it to: the library of an id, as in `openssl@3.0.19/default`.
    /// `None` for libraries that are told otherwise.
    pub fn variable(self, id: &str) -> Option<(&'static str, String)> {
        match id.split_once('@')?.0 {
            "openssl" | "aws-lc-rs" => Some((IA32CAP, self.ia32cap())),
            "gnutls" => Some((GNUTLS, self.gnutls())),
            "nettle" => Some((NETTLE, self.nettle())),
            _ => None,
        }
    }

    /// What libgcrypt is to do without, by its own names.
    pub fn libgcrypt(self) -> impl Iterator<Item = &'static str> {
        self.hidden().filter_map(|feature| feature.libgcrypt)
    }

    /// Whether what is left of a library's AES and GHASH, as it runs here, has instructions for them, and so no tables.
    pub fn is_constant_time(self) -> bool {
        !self.hides("aes")
    }

    /// Whether any code of an algorithm could go by what it hides: figures of the rest would only repeat.
    fn matters_to(self, algorithm: &str) -> bool {
        match self {
            // Camellia's box is computed by instructions for AES.
            Self::NoAes | Self::NoVaes => ["AES", "CAMELLIA"].iter().any(|name| algorithm.contains(name)),
            // The instructions are for these; those for SHA2-512 are another feature's.
            Self::NoSha => ["SHA1", "SHA2-224", "SHA2-256"]
                .iter()
                .any(|name| algorithm.contains(name)),
            _ => true,
        }
    }

    /// Whether it hides a feature, by Linux's name.
    fn hides(self, feature: &str) -> bool {
        match self {
            Self::NoAvx512 => feature.starts_with("avx512") || feature == "avx10",
            Self::NoVaes => matches!(feature, "vaes" | "vpclmulqdq"),
            Self::NoAvx2 => feature == "avx2" || Self::NoAvx512.hides(feature) || Self::NoVaes.hides(feature),
            Self::NoAvx => feature == "avx" || Self::NoAvx2.hides(feature),
            Self::NoSsse3 => matches!(feature, "ssse3" | "sse4_1") || Self::NoAvx.hides(feature),
            Self::NoAes => matches!(feature, "aes" | "vaes"),
            Self::NoSha => feature == "sha_ni",
        }
    }

    fn hidden(self) -> impl Iterator<Item = &'static Feature> {
        FEATURES.iter().filter(move |feature| self.hides(feature.name))
    }

    /// Whether the processor has any of what it hides.
    fn means_something(self) -> bool {
        self.hidden().any(|feature| is_present(feature.name))
    }

    /// For `OPENSSL_ia32cap`. It names all five words: OpenSSL takes one that is left out for zero, and with it all the
    /// features in it.
    fn ia32cap(self) -> String {
        let words = self.words().map(|word| format!("~{word:#x}"));
        words.join(":")
    }

    /// What it hides, by the bits of `OPENSSL_ia32cap`.
    fn words(self) -> [u64; 5] {
        let mut words = [0; 5];
        for feature in self.hidden() {
            words[feature.ia32cap / 64] |= 1 << (feature.ia32cap % 64);
        }
        words
    }

    /// For `GNUTLS_CPUID_OVERRIDE`, which names what may be used. Bits that mean nothing yet are left alone; those from
    /// the twentieth on are of other processors, and the first is for nothing at all.
    fn gnutls(self) -> String {
        let hidden = self.hidden().filter_map(|feature| feature.gnutls);
        let used = hidden.fold(0xffffe, |used, (bit, _)| used & !bit);
        format!("{used:#x}")
    }

    /// For `NETTLE_FAT_OVERRIDE`, which names what the processor has.
    fn nettle(self) -> String {
        let vendor = match ciphertune::Processor::current().signature.split(' ').next() {
            Some("GenuineIntel") => "vendor:intel",
            Some("AuthenticAMD") => "vendor:amd",
            _ => "vendor:other",
        };
        let used = NETTLE_HAS
            .into_iter()
            .filter(|&(feature, _)| is_present(feature) && !self.hides(feature));
        let used = used.map(|(_, name)| name);
        [vendor].into_iter().chain(used).collect::<Vec<_>>().join(",")
    }
}

impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

const IA32CAP: &str = "OPENSSL_ia32cap";
/// The same on ARM.
const ARMCAP: &str = "OPENSSL_armcap";
const GNUTLS: &str = "GNUTLS_CPUID_OVERRIDE";
const NETTLE: &str = "NETTLE_FAT_OVERRIDE";

/// The variant of a library as it comes.
const UNMASKED: &str = "default";

/// A feature that libraries tell apart.
struct Feature {
    /// Linux's name.
    name: &'static str,
    /// Its bit in `OPENSSL_ia32cap`.
    ia32cap: usize,
    libgcrypt: Option<&'static str>,
    /// Its bit in `GNUTLS_CPUID_OVERRIDE`, and what GnuTLS says when it uses it.
    gnutls: Option<(u32, &'static str)>,
}

const fn feature(name: &'static str, ia32cap: usize, libgcrypt: Option<&'static str>) -> Feature {
    Feature {
        name,
        ia32cap,
        libgcrypt,
        gnutls: None,
    }
}

const fn gnutls(feature: Feature, bit: u32, says: &'static str) -> Feature {
    Feature {
        gnutls: Some((bit, says)),
        ..feature
    }
}

/// By the manual page OPENSSL_ia32cap(3), hwfeatures.c of libgcrypt and x86-common.c of GnuTLS.
const FEATURES: [Feature; 17] = [
    gnutls(feature("ssse3", 41, Some("intel-ssse3")), 1 << 2, "Intel SSSE3 "),
    feature("sse4_1", 51, Some("intel-sse4.1")),
    gnutls(
        feature("aes", 57, Some("intel-aesni")),
        1 << 1,
        "Intel AES accelerator ",
    ),
    gnutls(
        feature("avx", 60, Some("intel-avx")),
        1 << 4,
        "accelerator (AVX) ",
    ),
    feature("avx2", 69, Some("intel-avx2")),
    gnutls(feature("sha_ni", 93, Some("intel-shaext")), 1 << 5, "Intel SHA "),
    feature("vaes", 105, Some("intel-vaes-vpclmul")),
    feature("vpclmulqdq", 106, None),
    feature("avx512f", 80, Some("intel-avx512")),
    feature("avx512dq", 81, None),
    feature("avx512ifma", 85, None),
    feature("avx512cd", 92, None),
    feature("avx512bw", 94, None),
    feature("avx512vl", 95, None),
    feature("avx512_vbmi", 97, None),
    feature("avx512_vbmi2", 102, None),
    feature("avx10", 211, None),
];

/// What nettle tells apart, by Linux's names and by its own.
const NETTLE_HAS: [(&str, &str); 3] = [("aes", "aesni"), ("sha_ni", "sha_ni"), ("pclmulqdq", "pclmul")];

/// Whether the processor has it, of those features that a mask is about in the first place.
fn is_present(feature: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    return match feature {
        "ssse3" => std::arch::is_x86_feature_detected!("ssse3"),
        "aes" => std::arch::is_x86_feature_detected!("aes"),
        "pclmulqdq" => std::arch::is_x86_feature_detected!("pclmulqdq"),
        "avx" => std::arch::is_x86_feature_detected!("avx"),
        "avx2" => std::arch::is_x86_feature_detected!("avx2"),
        "sha_ni" => std::arch::is_x86_feature_detected!("sha"),
        "vaes" => std::arch::is_x86_feature_detected!("vaes"),
        "avx512f" => std::arch::is_x86_feature_detected!("avx512f"),
        _ => false,
    };
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = feature;
        false
    }
}

/// How a source is told.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// A libcrypto, which says what it goes by.
    Libcrypto,
    /// AWS-LC, which does not, and with it the OpenSSL that may be built in, which does.
    BuiltIn,
    Libgcrypt,
    Gnutls,
    Nettle,
    /// By how it is set up, in whichever process.
    IpsecMb,
}

impl Way {
    fn of(source: &Source) -> Option<Self> {
        match source {
            // OpenSSL 1.1 does not say what it goes by.
            Source::System(soname) => (soname != "libcrypto.so.1.1").then_some(Self::Libcrypto),
            Source::Libcrypto(_) => Some(Self::Libcrypto),
            Source::Builtin => Some(Self::BuiltIn),
            Source::Peer { library, .. } => match library {
                PeerLibrary::Libgcrypt => Some(Self::Libgcrypt),
                PeerLibrary::Gnutls => Some(Self::Gnutls),
                PeerLibrary::Nettle => Some(Self::Nettle),
                PeerLibrary::IpsecMb => Some(Self::IpsecMb),
                _ => None,
            },
            Source::Named { libcrypto, .. } => Self::of(libcrypto),
            Source::Kernel | Source::Provider { .. } | Source::Masked { .. } => None,
        }
    }

    /// Whether the library has any code for what the mask hides.
    fn heeds(self, mask: Mask) -> bool {
        match self {
            Self::Libcrypto | Self::BuiltIn => true,
            Self::Libgcrypt => mask.libgcrypt().next().is_some(),
            Self::Gnutls => mask.hidden().any(|feature| feature.gnutls.is_some()),
            Self::Nettle => NETTLE_HAS.iter().any(|(feature, _)| mask.hides(feature)),
            Self::IpsecMb => peers::ipsec_mb_heeds(mask),
        }
    }
}

/// The masks that can be tried on a source here: of those that say something to the library and to the processor.
pub(crate) fn of(source: &Source) -> Vec<Mask> {
    let Some(way) = Way::of(source) else {
        return Vec::new();
    };
    let mut masks = Mask::ALL.to_vec();
    masks.retain(|&mask| mask.means_something() && way.heeds(mask));
    masks
}

/// What the environment of a process must hold that loads a source under a mask.
pub(crate) fn environment(mask: Mask, source: &Source) -> Vec<(&'static str, String)> {
    let nettle = || [(NETTLE, mask.nettle()), ("NETTLE_FAT_VERBOSE", "1".to_owned())];
    match Way::of(source) {
        Some(Way::Libcrypto | Way::BuiltIn) => vec![(IA32CAP, mask.ia32cap())],
        Some(Way::Nettle) => nettle().to_vec(),
        // What it has no instructions for it leaves to nettle, which would use them.
        Some(Way::Gnutls) => [(GNUTLS, mask.gnutls()), ("GNUTLS_DEBUG_LEVEL", "2".to_owned())]
            .into_iter()
            .chain(nettle())
            .collect(),
        Some(Way::Libgcrypt | Way::IpsecMb) | None => Vec::new(),
    }
}

/// A variable that is set already and that masks would have to change: the library without a mask would not be as it
/// comes.
pub fn preset() -> Option<&'static str> {
    [IA32CAP, GNUTLS, NETTLE]
        .into_iter()
        .find(|name| std::env::var_os(name).is_some())
}

/// Loads a source under a mask into this process, whose environment is [`environment`]'s.
pub(crate) fn load(mask: Mask, source: &Source) -> Result<Vec<Box<dyn Implementation>>, LoadError> {
    let refused = |why| {
        LoadError::Mask(MaskError {
            library: source.to_string(),
            mask,
            why,
        })
    };
    let loaded = match Way::of(source) {
        None => return Err(refused("there is no way to tell this library".to_owned())),
        Some(Way::BuiltIn) => built_in(mask).map_err(refused)?,
        Some(Way::IpsecMb) => peers::ipsec_mb_without(&source.to_string(), mask)?
            .into_iter()
            .collect(),
        Some(Way::Libcrypto) => {
            let loaded = source.load()?.implementations;
            if !loaded.is_empty() {
                libcrypto_heeds(mask, source).map_err(refused)?;
            }
            loaded
        }
        Some(Way::Libgcrypt) => {
            let denied = libgcrypt_denied(&source.to_string(), mask).map_err(refused)?;
            let loaded = source.load()?.implementations;
            match denied {
                Some(library) => libgcrypt_heeds(mask, library).map_err(refused)?,
                // It is not there, or an older one without code for what the mask hides.
                None => return Ok(Vec::new()),
            }
            loaded
        }
        Some(way @ (Way::Gnutls | Way::Nettle)) => {
            // Once, when it is first loaded: each thread that measures loads it.
            static SAID: Mutex<String> = Mutex::new(String::new());
            let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
            let (loaded, more) = library::overheard(|| source.load())
                .map_err(|error| refused(format!("what it says cannot be read: {error}")))?;
            *said += &more;
            let loaded = loaded?.implementations;
            if !loaded.is_empty() {
                if way == Way::Gnutls {
                    gnutls_heeds(mask, &said).map_err(refused)?;
                }
                nettle_heeds(mask, &said).map_err(refused)?;
            }
            loaded
        }
    };
    let masked = loaded.into_iter().map(|inner| Masked::new(mask, inner));
    Ok(masked
        .map(|masked| Box::new(masked) as Box<dyn Implementation>)
        .collect())
}

#[cfg(not(feature = "openssl"))]
fn built_in(_: Mask) -> Result<Vec<Box<dyn Implementation>>, String> {
    Ok(vec![aws_lc::implementation()])
}

#[cfg(feature = "openssl")]
fn built_in(mask: Mask) -> Result<Vec<Box<dyn Implementation>>, String> {
    let openssl = libcrypto::built_in();
    goes_without(mask, openssl.description().goes_by.as_deref())?;
    Ok(vec![aws_lc::implementation(), openssl])
}

/// It tells the features that it goes by, in the form of the variable.
fn libcrypto_heeds(mask: Mask, source: &Source) -> Result<(), String> {
    let library = match source {
        Source::System(soname) => Library::load(soname.as_ref())?,
        Source::Libcrypto(path) => Library::load(
            std::fs::canonicalize(path)
                .map_err(|e| e.to_string())?
                .as_os_str(),
        )?,
        Source::Named { libcrypto, .. } => return libcrypto_heeds(mask, libcrypto),
        _ => return Err("it is no libcrypto".to_owned()),
    };
    goes_without(mask, libcrypto::cpu_settings(library).as_deref())
}

fn goes_without(mask: Mask, settings: Option<&str>) -> Result<(), String> {
    let silent = || {
        "it does not say which instructions it uses, so nobody knows whether it does without these".to_owned()
    };
    let words = settings.and_then(words).ok_or_else(silent)?;
    let used = mask.hidden().find(|feature| has(&words, feature.ia32cap));
    used.map_or(Ok(()), |feature| Err(goes_on(feature.name)))
}

/// Whether a libcrypto that says this of what it goes by has instructions for AES and GHASH here, and so no tables. One that
/// could say it and says nothing has no assembly, and tables. Of one that cannot the processor tells, as long as nobody hides
/// anything from the library.
pub(crate) fn has_no_tables(settings: Option<&str>) -> bool {
    const AES: usize = 57;
    const PCLMULQDQ: usize = 33;
    match (settings, settings.and_then(words)) {
        (Some(""), _) => false,
        (_, Some(words)) => has(&words, AES) && has(&words, PCLMULQDQ),
        (_, None) => {
            let mut told = [IA32CAP, ARMCAP].into_iter().map(std::env::var_os);
            peers::aes_and_ghash_in_hardware() && told.all(|value| value.is_none())
        }
    }
}

fn has(words: &[u64], bit: usize) -> bool {
    words
        .get(bit / 64)
        .is_some_and(|word| word >> (bit % 64) & 1 == 1)
}

/// The words of `OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6f1bf07ab env:…`.
fn words(settings: &str) -> Option<Vec<u64>> {
    let words = settings.strip_prefix("OPENSSL_ia32cap=")?.split(' ').next()?;
    let word = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    words.split(':').map(word).collect()
}

fn goes_on(feature: &str) -> String {
    format!("it was told to do without, and goes on using {feature}")
}

type Control = unsafe extern "C" fn(c_int, ...) -> c_uint;

/// Tells libgcrypt, before anything else is asked of it: afterwards it has made up its mind. `None` where it is not
/// there, or knows nothing of what is hidden.
fn libgcrypt_denied(soname: &str, mask: Mask) -> Result<Option<Library>, String> {
    const DISABLE_HWF: c_int = 63;
    let Some(library) = Library::of_system(soname)? else {
        return Ok(None);
    };
    let mut is_known = false;
    for name in mask.libgcrypt() {
        let name = std::ffi::CString::new(name).map_err(|error| error.to_string())?;
        let nothing: *const c_void = ptr::null();
        // SAFETY: gcrypt.h gives the function this type. This command takes a name that ends in NUL, and NULL, and may
        // come before the library is set up; it answers an error to a name that it does not know.
        is_known |= unsafe {
            let control: Control = library
                .symbol("gcry_control")
                .map_err(|missing| format!("it has no {}", missing.0))?;
            control(DISABLE_HWF, name.as_ptr(), nothing) == 0
        };
    }
    Ok(is_known.then_some(library))
}

/// It lists the features that it goes by.
fn libgcrypt_heeds(mask: Mask, library: Library) -> Result<(), String> {
    type Config = unsafe extern "C" fn(c_int, *const c_char) -> *mut c_char;
    type Free = unsafe extern "C" fn(*mut c_void);
    const WHAT: &CStr = c"hwflist";
    let missing = |library::Missing(name)| format!("it has no {name}");
    // SAFETY: gcrypt.h gives the functions these types. 0 is the only mode there is; the answer is NULL or a string that
    // is ours, for gcry_free.
    let list = unsafe {
        let config: Config = library.symbol("gcry_get_config").map_err(missing)?;
        let free: Free = library.symbol("gcry_free").map_err(missing)?;
        let list = config(0, WHAT.as_ptr());
        let listed = text(list);
        free(list.cast());
        listed
    };
    let mut used = list.trim().split(':');
    if used.next() != Some("hwflist") {
        return Err("it does not list the features that it uses".to_owned());
    }
    used.find(|name| mask.libgcrypt().any(|hidden| hidden == *name))
        .map_or(Ok(()), |name| Err(goes_on(name)))
}

/// It says line by line what it has found.
fn gnutls_heeds(mask: Mask, said: &str) -> Result<(), String> {
    if !said.contains("Enabled GnuTLS ") {
        return Err("it does not say what it uses, as builds without debugging do not".to_owned());
    }
    let used = mask.hidden().filter_map(|feature| feature.gnutls);
    let mut used = used.filter(|(_, says)| said.contains(says));
    used.next().map_or(Ok(()), |(_, says)| {
        Err(format!("it was told otherwise, and says '{}'", says.trim()))
    })
}

/// It says in one line what it goes by.
fn nettle_heeds(mask: Mask, said: &str) -> Result<(), String> {
    let line = said
        .lines()
        .find_map(|line| line.strip_prefix("libnettle: cpu features: "));
    let line = line.ok_or("it does not say what it uses, as a nettle built for one processor does not")?;
    let hidden = |name: &str| {
        NETTLE_HAS
            .iter()
            .any(|&(feature, here)| here == name && mask.hides(feature))
    };
    let mut used = line.split(',').map(str::trim).filter(|name| hidden(name));
    used.next().map_or(Ok(()), |name| Err(goes_on(name)))
}

/// Why a library is not measured under a mask.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{library} with {mask}: {why}; it is left out, as its figures would stand under a false name")]
pub struct MaskError {
    library: String,
    mask: Mask,
    why: String,
}

/// A library that does without something.
struct Masked {
    description: Description,
    tasks: Vec<Task>,
    inner: Box<dyn Implementation>,
}

impl Masked {
    fn new(mask: Mask, inner: Box<dyn Implementation>) -> Self {
        let mut description = inner.description().clone();
        if let Some((library, UNMASKED)) = description.id.split_once('/') {
            description.id = format!("{library}/{mask}");
        }
        description.constant_time = mask.is_constant_time()
            && peers::aes_and_ghash_in_hardware()
            && !peers::hashes_by_tables(&description);
        let matters = |task: &&Task| mask.matters_to(task.algorithm.name());
        let tasks = inner.tasks().iter().filter(matters).copied().collect();
        Self {
            description,
            tasks,
            inner,
        }
    }
}

impl Implementation for Masked {
    fn description(&self) -> &Description {
        &self.description
    }

    fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    fn context(&self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        self.inner.context(task, key, iv)
    }

    fn names(&self) -> Names {
        self.inner.names()
    }

    fn longest(&self, task: Task) -> usize {
        self.inner.longest(task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_goes_on_is_caught_by_what_it_says() {
        let used =
            "gnutls[2]: Enabled GnuTLS 3.7.9 logging...\ngnutls[2]: Intel AES accelerator was detected\n";
        assert!(gnutls_heeds(Mask::NoAes, used).is_err());
        assert_eq!(gnutls_heeds(Mask::NoSha, used), Ok(()));
        assert!(gnutls_heeds(Mask::NoSha, "").is_err(), "silence is no consent");

        let used =
            "libnettle: fat library initialization.\nlibnettle: cpu features: vendor:amd,aesni,pclmul\n";
        assert!(nettle_heeds(Mask::NoAes, used).is_err());
        assert_eq!(nettle_heeds(Mask::NoSha, used), Ok(()));
        assert!(nettle_heeds(Mask::NoSha, "").is_err(), "silence is no consent");
    }

    #[test]
    fn openssl_is_told_every_word() {
        assert_eq!(
            Mask::NoAes.ia32cap(),
            "~0x200000000000000:~0x20000000000:~0x0:~0x0:~0x0"
        );
        assert_eq!(
            words("OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6f1bf07ab env:~0x1"),
            Some(vec![0xfffa_3203_078b_ffff, 0x40_5fc6_f1bf_07ab])
        );
        assert_eq!(words("OPENSSL_armcap=0x3d"), None);
    }

    #[test]
    fn openssl_has_tables_for_what_it_has_no_instructions_for() {
        for (first, expected) in [
            ("0xfffa3203078bffff", true),
            // Without SSSE3, AES, and carry-less multiplication.
            ("0xfffa3003078bffff", true),
            ("0xfdfa3203078bffff", false),
            ("0xfffa3201078bffff", false),
        ] {
            let settings = format!("OPENSSL_ia32cap={first}:0x405fc6f1bf07ab env:~0x1");
            assert_eq!(has_no_tables(Some(&settings)), expected, "{settings}");
        }
        assert!(!has_no_tables(Some("")), "no assembly");
    }

    #[test]
    fn ids_lead_to_the_library_without_the_mask() {
        let found = |id: &str| Mask::of_id(id);
        assert_eq!(
            found("openssl@3.0.19/no-aes"),
            Some((Mask::NoAes, "openssl@3.0.19/default".to_owned()))
        );
        assert_eq!(
            found("openssl@3.0.19/no-aes#2"),
            Some((Mask::NoAes, "openssl@3.0.19/default#2".to_owned()))
        );
        assert_eq!(found("openssl@3.0.19/default"), None);
        assert_eq!(found("libsodium"), None);
    }

    #[test]
    fn a_mask_hides_what_is_built_on_what_it_hides() {
        for (lesser, greater) in [
            (Mask::NoAvx512, Mask::NoAvx2),
            (Mask::NoVaes, Mask::NoAvx2),
            (Mask::NoAvx2, Mask::NoAvx),
            (Mask::NoAvx, Mask::NoSsse3),
        ] {
            assert!(
                lesser.hidden().all(|feature| greater.hides(feature.name)),
                "{lesser} in {greater}"
            );
            assert!(greater.hidden().count() > lesser.hidden().count());
        }
    }
}
