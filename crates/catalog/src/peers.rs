//! Other people's libraries, as far as they are installed. What each must have is a [`Peer`].
use std::{ffi::c_void, fmt, fs, ops::RangeInclusive};

use ciphertune_testkit::{Algorithm, Fault, Task};
use serde::{Deserialize, Serialize};

use crate::{
    Description, Implementation, Mask, Timed,
    implementation::Composed,
    library::{self, Library, Missing},
};

#[allow(unsafe_code)]
mod botan;
mod chain;
mod counter;
#[allow(unsafe_code)]
mod gcrypt;
#[allow(unsafe_code)]
mod gnutls;
#[allow(unsafe_code)]
mod ipsec_mb;
#[cfg(test)]
mod layouts;
#[allow(unsafe_code)]
mod mbedtls;
mod memory;
#[allow(unsafe_code)]
mod nettle;
#[allow(unsafe_code)]
mod sodium;
#[allow(unsafe_code)]
mod wolfssl;

pub(crate) use counter::Counter;
pub(crate) use ipsec_mb::heeds as ipsec_mb_heeds;

/// A library of the system that Ciphertune measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeerLibrary {
    /// GnuPG's.
    Libgcrypt,
    /// What GnuTLS is built on.
    Nettle,
    /// Intel's, for IPsec.
    IpsecMb,
    /// In C++; reached by its interface for C.
    Botan,
    /// GNU's TLS, with code of its own for AES.
    Gnutls,
    /// Arm's, for small devices.
    Mbedtls,
    /// For small devices too.
    Wolfssl,
    /// What descends from NaCl: one cipher of each kind.
    Libsodium,
}

impl PeerLibrary {
    /// Every one.
    pub const ALL: [Self; 8] = [
        Self::Libgcrypt,
        Self::Nettle,
        Self::IpsecMb,
        Self::Botan,
        Self::Gnutls,
        Self::Mbedtls,
        Self::Wolfssl,
        Self::Libsodium,
    ];

    /// How it is told apart, where to find it, and who brings it.
    pub fn about(self) -> &'static About {
        match self {
            Self::Libgcrypt => &gcrypt::Libgcrypt::ABOUT,
            Self::Nettle => &nettle::Nettle::ABOUT,
            Self::IpsecMb => &ipsec_mb::IpsecMb::ABOUT,
            Self::Botan => &botan::Botan::ABOUT,
            Self::Gnutls => &gnutls::Gnutls::ABOUT,
            Self::Mbedtls => &mbedtls::Mbedtls::ABOUT,
            Self::Wolfssl => &wolfssl::Wolfssl::ABOUT,
            Self::Libsodium => &sodium::Libsodium::ABOUT,
        }
    }

    /// Loads it into this process, for good.
    pub(crate) fn load(self) -> Result<Box<dyn Implementation>, PeerError> {
        match self {
            Self::Libgcrypt => load::<gcrypt::Libgcrypt>(),
            Self::Nettle => load::<nettle::Nettle>(),
            Self::IpsecMb => load::<ipsec_mb::IpsecMb>(),
            Self::Botan => load::<botan::Botan>(),
            Self::Gnutls => load::<gnutls::Gnutls>(),
            Self::Mbedtls => load::<mbedtls::Mbedtls>(),
            Self::Wolfssl => load::<wolfssl::Wolfssl>(),
            Self::Libsodium => load::<sodium::Libsodium>(),
        }
    }
}

/// What people call it: its soname.
impl fmt::Display for PeerLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.about().soname)
    }
}

/// What is known of a library before it is loaded.
#[derive(Debug, PartialEq, Eq)]
pub struct About {
    /// Its name in ids, as in `nettle`.
    pub name: &'static str,
    /// The interface that was read: another soname is another library.
    pub soname: &'static str,
    /// The package that brings it in Debian 12.
    pub package: &'static str,
    /// Major and minor of the versions that are known to have the same interface.
    versions: RangeInclusive<(u32, u32)>,
}

/// A library behind its soname.
trait Peer: Sized + 'static {
    const ABOUT: About;

    /// The version that it reports itself. It is asked before anything else is believed of it.
    fn version(library: Library) -> Result<String, Missing>;

    /// Finds its functions, and prepares it for being used.
    fn find(library: Library) -> Result<Self, Flaw>;

    /// Where one of its functions lies.
    fn address(&self) -> *const c_void;

    /// Whether all that it has is constant-time as it runs here.
    fn constant_time(&self) -> bool;

    fn has(&self, task: Task) -> bool;

    /// Whether a call takes many messages side by side.
    fn has_many(&self, task: Task) -> bool {
        let _ = task;
        false
    }

    /// A context for a task that it has, with a key and an IV of the right lengths.
    fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault>;
}

/// Loads a library and asks it what it has; one that is not installed has nothing.
fn load<P: Peer>() -> Result<Box<dyn Implementation>, PeerError> {
    load_by(P::find)
}

/// ipsec-mb under a mask that it heeds. It is told by the functions that set it up.
pub(crate) fn ipsec_mb_without(mask: Mask) -> Result<Box<dyn Implementation>, PeerError> {
    load_by(|library| ipsec_mb::IpsecMb::without(library, Some(mask)))
}

/// As [`load`], by one of its ways to set a library up.
fn load_by<P: Peer>(
    find: impl FnOnce(Library) -> Result<P, Flaw>,
) -> Result<Box<dyn Implementation>, PeerError> {
    let refused = |flaw| PeerError {
        about: &P::ABOUT,
        flaw,
    };
    let library = match Library::of_system(P::ABOUT.soname) {
        Ok(Some(library)) => library,
        Ok(None) => return Ok(absent(&P::ABOUT)),
        Err(reason) => return Err(refused(Flaw::NotLoadable(reason))),
    };
    let version = P::version(library).map_err(|missing| refused(missing.into()))?;
    if !numbers(&version).is_some_and(|numbers| P::ABOUT.versions.contains(&numbers)) {
        return Err(refused(Flaw::Unknown(version)));
    }
    let peer: &'static P = Box::leak(Box::new(find(library).map_err(refused)?));
    Ok(Box::new(Composed {
        description: Description {
            id: format!("{}@{version}/default", P::ABOUT.name),
            origin: origin(peer.address()),
            version,
            features: Vec::new(),
            constant_time: peer.constant_time(),
            selectable: false,
            unavailable: None,
        },
        tasks: Algorithm::all()
            .flat_map(|algorithm| {
                let many = Task::of_many(algorithm).filter(|&task| peer.has_many(task));
                Task::of(algorithm).filter(|&task| peer.has(task)).chain(many)
            })
            .collect(),
        context: |task, key: &[u8], iv: &[u8]| peer.context(task, key, iv),
    }))
}

/// What stands in the list for a library that is not there.
fn absent(about: &About) -> Box<dyn Implementation> {
    Box::new(Composed {
        description: Description {
            id: about.name.to_owned(),
            origin: about.soname.to_owned(),
            version: String::new(),
            features: Vec::new(),
            constant_time: false,
            selectable: false,
            unavailable: Some(format!("not installed; Debian 12 has it as {}", about.package)),
        },
        tasks: Vec::new(),
        context: |_, _: &[u8], _: &[u8]| unreachable!("it has no task"),
    })
}

fn origin(address: *const c_void) -> String {
    let path = library::origin(address).unwrap_or_default();
    fs::canonicalize(&path).unwrap_or(path).display().to_string()
}

/// Major and minor of a version like `1.10.1` or `v1.3.0-dev`.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.trim_start_matches('v').split(['.', '-']);
    let mut next = || parts.next()?.parse().ok();
    Some((next()?, next()?))
}

/// Whether the processor has the instructions that a library needs to do without tables.
fn aes_and_ghash_in_hardware() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("aes") && std::arch::is_x86_feature_detected!("pclmulqdq");
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("aes");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    false
}

/// Why a library that is installed cannot be measured, and what to do, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerError {
    about: &'static About,
    flaw: Flaw,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Flaw {
    /// The dynamic linker's words.
    NotLoadable(String),
    /// What it calls itself.
    Unknown(String),
    Missing(Missing),
    Fault(Fault),
}

impl fmt::Display for PeerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let About {
            soname,
            package,
            versions,
            ..
        } = self.about;
        let [from, to] = [versions.start(), versions.end()].map(|(major, minor)| format!("{major}.{minor}"));
        match &self.flaw {
            Flaw::NotLoadable(reason) => write!(
                f,
                "{soname}: the dynamic linker refuses it ({reason}); install the package {package} again"
            ),
            Flaw::Unknown(version) => write!(
                f,
                "{soname}: calls itself version '{version}', and its interface is known of {from} to {to}; \
                 install one of these, as the package {package}, or update Ciphertune"
            ),
            Flaw::Missing(Missing(name)) => write!(
                f,
                "{soname}: has no {name}, which {from} to {to} have; install the package {package} again"
            ),
            Flaw::Fault(Fault(words)) => write!(f, "{soname}: {words}"),
        }
    }
}

impl std::error::Error for PeerError {}

impl From<Missing> for Flaw {
    fn from(missing: Missing) -> Self {
        Self::Missing(missing)
    }
}

impl From<Fault> for Flaw {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
