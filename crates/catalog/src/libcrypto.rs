//! A libcrypto that is loaded at run time: OpenSSL, LibreSSL, BoringSSL or AWS-LC.
use std::{
    fs, io,
    path::{Path, PathBuf},
};

use ciphertune_testkit::{Algorithm, Described, Fault, Kind, Task};

use crate::{
    Description, Implementation, Names, Timed, gate, implementation::check_request, library::Library, mask,
};

mod context;
mod error;
#[allow(unsafe_code)]
mod ffi;
#[cfg(feature = "openssl")]
#[allow(unsafe_code)]
mod linked;
mod name;

pub use error::LoadError;
pub(crate) use ffi::cpu_settings;
use ffi::{Api, Cipher, Digest, KeyContext, Mac, NoApi};
use name::{Name, Refused, numbered};

/// The system's library of this soname, if there is one, by its own code or by a provider; with what it has by these names
/// besides.
pub(crate) fn of_system(
    soname: &str,
    provider: Option<&str>,
    names: &[String],
) -> Result<Option<Box<dyn Implementation>>, LoadError> {
    let Some(library) = Library::of_system(soname).transpose() else {
        return Ok(None);
    };
    match implementation(library, Path::new(soname), provider, names) {
        Err(LoadError::NoProviders { .. }) => Ok(None),
        loaded => loaded.map(Some),
    }
}

/// The library in this file, likewise.
pub(crate) fn of_file(
    path: &Path,
    provider: Option<&str>,
    names: &[String],
) -> Result<Box<dyn Implementation>, LoadError> {
    let shown = path.to_owned();
    // An absolute path: the dynamic linker would look for a bare name elsewhere.
    let absolute = fs::canonicalize(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => LoadError::NoSuchFile { path: shown },
        _ => LoadError::Unreadable {
            path: shown,
            error: error.to_string(),
        },
    })?;
    let implementation = implementation(Library::load(absolute.as_os_str()), path, provider, names)?;
    let origin = &implementation.description().origin;
    match absolute.display().to_string() == *origin {
        true => Ok(implementation),
        false => Err(LoadError::Elsewhere {
            path: path.to_owned(),
            found: origin.into(),
        }),
    }
}

/// OpenSSL, linked into this program.
#[cfg(feature = "openssl")]
pub(crate) fn built_in() -> Box<dyn Implementation> {
    let Ok(api) = Api::find(Library::Linked(linked::address), None) else {
        unreachable!("the linker found every function");
    };
    let version = api.version_text();
    let name =
        Name::parse(&version, api.version_number()).expect("a version that was chosen for this program");
    let goes_by = api.cpu_settings();
    Box::new(Libcrypto::new(
        api,
        Description {
            constant_time: mask::has_no_tables(goes_by.as_deref()),
            goes_by: goes_by.filter(|said| !said.is_empty()),
            build: api.compiler(),
            ..Description::built_in(name.id(OWN), "crate openssl-src", &version)
        },
        codes(api),
    ))
}

/// The provider that OpenSSL's own code is in.
const OWN: &str = "default";

/// The provider that has the same code as it was validated.
const FIPS: &str = "fips";

struct Libcrypto {
    api: &'static Api,
    description: Description,
    codes: Vec<(Algorithm, Code)>,
    tasks: Vec<Task>,
    /// What it was asked for by name, has, and cannot be measured.
    unmeasured: Vec<String>,
}

/// What computes an algorithm.
#[derive(Clone, Copy)]
enum Code {
    Cipher(Cipher),
    Pair(Cipher, Mac),
    /// By GCM.
    Gmac(Cipher),
    Mac(Mac),
    Digest(Digest),
    Key(&'static Api),
}

impl Code {
    fn of(api: &'static Api, algorithm: Algorithm) -> Option<Self> {
        match algorithm.kind() {
            Kind::Mac if algorithm.aes_mode() == Some("GMAC") => api.gcm_of_gmac(algorithm).map(Self::Gmac),
            Kind::Mac | Kind::OneTimeMac => mac(api, algorithm).map(Self::Mac),
            Kind::Digest => api.digest(algorithm).map(Self::Digest),
            Kind::Signature | Kind::Agreement | Kind::Encapsulation => {
                // There is no asking but by trying.
                let operation = algorithm.operations()[0];
                let made = KeyContext::new(api, algorithm, operation, algorithm.known_key()?);
                made.is_ok().then_some(Self::Key(api))
            }
            // OpenSSL's own AES-128-CBC-HMAC-SHA1 and its like are something else: TLS makes the MAC first, of the
            // plaintext, and they take records of TLS alone.
            Kind::EncryptThenMac => {
                let [cipher, hmac] = algorithm.cipher_and_mac()?;
                Some(Self::Pair(api.cipher(cipher)?, mac(api, hmac)?))
            }
            _ => api.cipher(algorithm).map(Self::Cipher),
        }
    }
}

/// By OpenSSL's name for it, and for what it is made of.
fn mac(api: &'static Api, algorithm: Algorithm) -> Option<Mac> {
    match algorithm.name() {
        "AES-128-CMAC" => api.mac("CMAC", Some([c"cipher", c"AES-128-CBC"])),
        "AES-192-CMAC" => api.mac("CMAC", Some([c"cipher", c"AES-192-CBC"])),
        "AES-256-CMAC" => api.mac("CMAC", Some([c"cipher", c"AES-256-CBC"])),
        "HMAC-SHA1" => api.mac("HMAC", Some([c"digest", c"SHA1"])),
        "HMAC-SHA2-256" => api.mac("HMAC", Some([c"digest", c"SHA2-256"])),
        "HMAC-SHA2-512" => api.mac("HMAC", Some([c"digest", c"SHA2-512"])),
        "Poly1305" => api.mac("POLY1305", None),
        name => api.described_mac(name),
    }
}

fn implementation(
    loaded: Result<Library, String>,
    path: &Path,
    provider: Option<&str>,
    names: &[String],
) -> Result<Box<dyn Implementation>, LoadError> {
    let path = || path.to_owned();
    let library = loaded.map_err(|reason| LoadError::NotLoadable {
        path: path(),
        reason: without_name(reason, path()),
    })?;
    let api = Api::find(library, provider).map_err(|no_api| match no_api {
        NoApi::Old(version) => LoadError::TooOld {
            path: path(),
            version,
        },
        NoApi::Missing(missing) => LoadError::NotLibcrypto {
            path: path(),
            missing,
        },
        NoApi::NoProviders(version) => LoadError::NoProviders {
            path: path(),
            version,
            provider: provider.unwrap_or(OWN).to_owned(),
        },
        NoApi::NoProvider(version) => LoadError::NoProvider {
            path: path(),
            version,
            provider: provider.unwrap_or(OWN).to_owned(),
        },
    })?;
    let name = Name::parse(&api.version_text(), api.version_number()).map_err(|refused| {
        let (path, version) = (path(), api.version_text());
        match refused {
            Refused::TooOld => LoadError::TooOld { path, version },
            Refused::TooNew => LoadError::TooNew { path, version },
            Refused::Unrecognised => LoadError::Unrecognised { path, version },
            Refused::Contradictory => LoadError::Contradictory {
                path,
                version,
                number: numbered(api.version_number()),
            },
        }
    })?;

    let origin = api.path().ok_or_else(|| LoadError::NotLoadable {
        path: path(),
        reason: "the dynamic linker does not say where it lies".to_owned(),
    })?;
    let origin = fs::canonicalize(&origin).unwrap_or(origin);

    let codes = codes(api);
    if codes.is_empty() && names.is_empty() {
        let (path, version) = (path(), api.version_text());
        return Err(match provider {
            None => LoadError::NoCipher { path, version },
            Some(provider) => LoadError::IdleProvider {
                path,
                version,
                provider: provider.to_owned(),
            },
        });
    }
    let goes_by = api.cpu_settings();
    let description = Description {
        id: name.id(provider.unwrap_or(OWN)),
        origin: origin.display().to_string(),
        version: api.version_text(),
        constant_time: match provider.unwrap_or(OWN) {
            OWN | FIPS => mask::has_no_tables(goes_by.as_deref()),
            // OpenSSL's legacy provider looks up tables by secret bytes, and what others do nobody here has looked at.
            other => other == "ciphertune",
        },
        goes_by: goes_by.filter(|said| !said.is_empty()),
        build: api.compiler(),
        features: Vec::new(),
        selectable: false,
        unavailable: None,
    };
    let mut library = Libcrypto::new(api, description, codes);
    for name in names {
        library.add(name);
    }
    Ok(Box::new(library))
}

/// Everything that a library computes.
fn codes(api: &'static Api) -> Vec<(Algorithm, Code)> {
    Algorithm::all()
        .filter_map(|algorithm| Some((algorithm, Code::of(api, algorithm)?)))
        .collect()
}

/// The linker's words without the name of the library at their head: the error has it already.
fn without_name(reason: String, path: PathBuf) -> String {
    let name = format!("{}: ", fs::canonicalize(&path).unwrap_or(path).display());
    reason.strip_prefix(&name).map_or(reason.clone(), str::to_owned)
}

impl Libcrypto {
    fn new(api: &'static Api, description: Description, codes: Vec<(Algorithm, Code)>) -> Self {
        let algorithms = codes.iter().map(|&(algorithm, _)| algorithm);
        Self {
            api,
            description,
            tasks: algorithms.flat_map(Task::of).collect(),
            codes,
            unmeasured: Vec::new(),
        }
    }

    /// What it has by a name that is not in the table.
    fn add(&mut self, name: &str) {
        let api = self.api;
        match self.described(name) {
            Some(algorithm) => {
                self.tasks.extend(Task::of(algorithm));
                self.codes
                    .extend(Code::of(api, algorithm).map(|code| (algorithm, code)));
            }
            None if api.has(name) => self.unmeasured.push(name.to_owned()),
            None => {}
        }
    }

    /// The same as an algorithm, if it has anything and that computes.
    fn described(&self, name: &str) -> Option<Algorithm> {
        let described = self.api.describe(name)?;
        // It takes a first description to ask for the answer that belongs to it.
        let first = Algorithm::described(described.clone());
        let code = Code::of(self.api, first)?;
        let asked = Self::new(self.api, self.description.clone(), vec![(first, code)]);
        let answer = gate::answer(&asked, first).ok()?;
        Some(Algorithm::described(Described { answer, ..described }))
    }
}

impl Implementation for Libcrypto {
    fn description(&self) -> &Description {
        &self.description
    }

    fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    fn names(&self) -> Names {
        let mut measured = self.api.names();
        // A part of names in the table stands for those, as DES-EDE3 does: it would not be found by itself.
        measured.retain(|name| Algorithm::matching(name).is_err());
        Names {
            measured,
            unmeasured: self.unmeasured.clone(),
        }
    }

    fn context(&self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        check_request(self, task, key, iv)?;
        let code = self
            .codes
            .iter()
            .find(|(algorithm, _)| *algorithm == task.algorithm);
        match code {
            Some(&(_, Code::Cipher(cipher))) => context::cipher(cipher, task, key, iv),
            Some(&(_, Code::Pair(cipher, mac))) => context::pair(cipher, mac, task, key),
            Some(&(_, Code::Gmac(cipher))) => context::gmac(cipher, task, key, iv),
            Some(&(_, Code::Mac(mac))) => context::mac(mac, task, key, iv),
            Some(&(_, Code::Digest(digest))) => context::digest(digest, task),
            Some(&(_, Code::Key(api))) => context::key(api, task, key),
            None => Err(Fault(format!("{} has no {task}", self.description.id))),
        }
    }
}
