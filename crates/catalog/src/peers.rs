//! Other people's libraries, as far as they are installed. What each must have is a [`Peer`].
use std::{ffi::c_void, fmt, fs, ops::RangeInclusive};

use ciphertune_testkit::{Algorithm, Fault, Task};
use serde::{Deserialize, Serialize};

use crate::{
    Description, Implementation, Mask, Source, Timed,
    implementation::check_request,
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
pub(crate) use nettle::hashes_by_tables;

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

    /// A source for each of its interfaces: several may be installed, and each wants a process of its own.
    pub fn sources(self) -> impl Iterator<Item = Source> {
        let interfaces = self.about().interfaces.iter();
        interfaces.map(move |interface| Source::Peer {
            library: self,
            soname: interface.soname.to_owned(),
        })
    }

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

    pub(crate) fn remedy(self, soname: &str) -> String {
        let mut known = self.about().interfaces.iter();
        let package = known.find(|interface| interface.soname == soname);
        let package = package.map_or(soname, |interface| interface.package);
        format!("install the package {package} again")
    }

    /// Loads the one of this soname into this process, for good, if it is there.
    pub(crate) fn load(self, soname: &str) -> Result<Option<Box<dyn Implementation>>, PeerError> {
        match self {
            Self::Libgcrypt => load::<gcrypt::Libgcrypt>(soname),
            Self::Nettle => load::<nettle::Nettle>(soname),
            Self::IpsecMb => load::<ipsec_mb::IpsecMb>(soname),
            Self::Botan => load::<botan::Botan>(soname),
            Self::Gnutls => load::<gnutls::Gnutls>(soname),
            Self::Mbedtls => load::<mbedtls::Mbedtls>(soname),
            Self::Wolfssl => load::<wolfssl::Wolfssl>(soname),
            Self::Libsodium => load::<sodium::Libsodium>(soname),
        }
    }
}

/// What is known of a library before it is loaded.
#[derive(Debug, PartialEq, Eq)]
pub struct About {
    /// Its name in ids, as in `nettle`.
    pub name: &'static str,
    /// Those that were read, the newest first.
    pub interfaces: &'static [Interface],
}

/// What stands behind a soname: another soname is another interface.
#[derive(Debug, PartialEq, Eq)]
pub struct Interface {
    /// As in `libnettle.so.8`.
    pub soname: &'static str,
    /// The package that brings it in Debian.
    pub package: &'static str,
    /// Major and minor of the versions that are known to have it.
    versions: RangeInclusive<(u32, u32)>,
}

impl Interface {
    const fn new(soname: &'static str, package: &'static str, versions: RangeInclusive<(u32, u32)>) -> Self {
        Self {
            soname,
            package,
            versions,
        }
    }
}

/// A library behind its soname.
trait Peer: Sized + 'static {
    const ABOUT: About;

    /// The version that it reports itself. It is asked before anything else is believed of it.
    fn version(library: Library) -> Result<String, Missing>;

    /// Finds the functions of a library of this version, and prepares it for being used.
    fn find(library: Library, version: (u32, u32)) -> Result<Self, Flaw>;

    /// Where one of its functions lies.
    fn address(&self) -> *const c_void;

    /// Whether it is constant-time as it runs here, old ciphers aside.
    fn constant_time(&self) -> bool;

    /// Which instructions it goes by, in its own words, where it tells.
    fn goes_by(&self) -> Option<String> {
        None
    }

    fn has(&self, task: Task) -> bool;

    /// Whether a call takes many messages side by side.
    fn has_many(&self, task: Task) -> bool {
        let _ = task;
        false
    }

    /// As [`Implementation::longest`].
    fn longest(&self, task: Task) -> usize {
        let _ = task;
        usize::MAX
    }

    /// A context for a task that it has, with a key and an IV of the right lengths.
    fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault>;
}

/// Loads a library and asks it what it has, if it is there.
fn load<P: Peer>(soname: &str) -> Result<Option<Box<dyn Implementation>>, PeerError> {
    load_by(soname, P::find)
}

/// ipsec-mb under a mask that it heeds. It is told by the functions that set it up.
pub(crate) fn ipsec_mb_without(
    soname: &str,
    mask: Mask,
) -> Result<Option<Box<dyn Implementation>>, PeerError> {
    load_by(soname, |library, version| {
        ipsec_mb::IpsecMb::without(library, version, Some(mask))
    })
}

/// As [`load`], by one of its ways to set a library up.
fn load_by<P: Peer>(
    soname: &str,
    find: impl FnOnce(Library, (u32, u32)) -> Result<P, Flaw>,
) -> Result<Option<Box<dyn Implementation>>, PeerError> {
    let mut known = P::ABOUT.interfaces.iter();
    let Some(interface) = known.find(|interface| interface.soname == soname) else {
        return Ok(None);
    };
    let refused = |flaw| PeerError { interface, flaw };
    let library = match Library::of_system(soname) {
        Ok(Some(library)) => library,
        Ok(None) => return Ok(None),
        Err(reason) => return Err(refused(Flaw::NotLoadable(reason))),
    };
    let version = P::version(library).map_err(|missing| refused(missing.into()))?;
    let Some(found) = numbers(&version).filter(|found| interface.versions.contains(found)) else {
        return Err(refused(Flaw::Unknown(version)));
    };
    let peer: &'static P = Box::leak(Box::new(find(library, found).map_err(refused)?));
    Ok(Some(Box::new(Loaded {
        description: Description {
            id: format!("{}@{version}/default", P::ABOUT.name),
            origin: origin(peer.address()),
            version,
            goes_by: peer.goes_by(),
            build: None,
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
        peer,
    })))
}

/// A library in this process.
struct Loaded<P: 'static> {
    description: Description,
    tasks: Vec<Task>,
    peer: &'static P,
}

impl<P: Peer> Implementation for Loaded<P> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    fn longest(&self, task: Task) -> usize {
        self.peer.longest(task)
    }

    fn context(&self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        check_request(self, task, key, iv)?;
        self.peer.context(task, key, iv)
    }
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
pub(crate) fn aes_and_ghash_in_hardware() -> bool {
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
    interface: &'static Interface,
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
        let Interface {
            soname,
            package,
            versions,
        } = self.interface;
        let [from, to] = [versions.start(), versions.end()].map(|(major, minor)| format!("{major}.{minor}"));
        let (known, have) = match from == to {
            true => (from.clone(), format!("{from} has")),
            false => (format!("{from} to {to}"), format!("{from} to {to} have")),
        };
        match &self.flaw {
            Flaw::NotLoadable(reason) => write!(
                f,
                "{soname}: the dynamic linker refuses it ({reason}); install the package {package} again"
            ),
            Flaw::Unknown(version) => write!(
                f,
                "{soname}: calls itself version '{version}', and its interface is known of {known}; \
                 install such a version, as the package {package}, or update Ciphertune"
            ),
            Flaw::Missing(Missing(name)) => write!(
                f,
                "{soname}: has no {name}, which {have}; install the package {package} again"
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
