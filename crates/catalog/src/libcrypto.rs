//! A libcrypto that is loaded at run time: OpenSSL, LibreSSL, BoringSSL or AWS-LC.
use std::{
    ffi::c_ulong,
    fs, io, mem,
    path::{Path, PathBuf},
};

use ciphertune_testkit::{Algorithm, Contract, Described, Envelope, Fault, Kind, Operation, Task};
use zeroize::Zeroizing;

use crate::{
    Description, Implementation, MaskError, Names, PeerError, Timed,
    context::{both, copying, gmac, tagging},
    gate,
    implementation::check_request,
    library::Library,
    mask,
    pair::{self, Pair},
};

#[allow(unsafe_code)]
mod ffi;
#[cfg(feature = "openssl")]
#[allow(unsafe_code)]
mod linked;

pub(crate) use ffi::cpu_settings;
use ffi::{Api, Cipher, CipherContext, Digest, DigestContext, Failed, KeyContext, Mac, MacContext, NoApi};

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

/// Why a library cannot be measured, and what to do, in one line. Each names the library as the user did.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// It is no libcrypto, but one of the other libraries.
    #[error(transparent)]
    Peer(#[from] PeerError),
    /// It does not do without what a mask hides.
    #[error(transparent)]
    Mask(#[from] MaskError),
    /// There is nothing there.
    #[error("{}: no such file; name a libcrypto, as in /usr/lib/x86_64-linux-gnu/libcrypto.so.3", path.display())]
    NoSuchFile {
        /// As named.
        path: PathBuf,
    },
    /// The system does not let us at it.
    #[error("{}: {error}; name a libcrypto that this user may read", path.display())]
    Unreadable {
        /// As named.
        path: PathBuf,
        /// The system's words.
        error: String,
    },
    /// The dynamic linker cannot load it.
    #[error("{}: not a shared library that this program can load ({reason}); name a libcrypto built for this system", path.display())]
    NotLoadable {
        /// As named.
        path: PathBuf,
        /// The linker's words.
        reason: String,
    },
    /// It lacks a function that every libcrypto has.
    #[error("{}: not a libcrypto: it has no {missing}; name the file libcrypto.so itself", path.display())]
    NotLibcrypto {
        /// As named.
        path: PathBuf,
        /// The first function that it lacks.
        missing: &'static str,
    },
    /// Its functions come from another file, which it was linked with.
    #[error("{}: not a libcrypto, but linked with one; name that one: {}", path.display(), found.display())]
    Elsewhere {
        /// As named.
        path: PathBuf,
        /// Where the functions are.
        found: PathBuf,
    },
    /// OpenSSL before 1.1.0.
    #[error("{}: {version} is too old; name OpenSSL 1.1.0 or later", path.display())]
    TooOld {
        /// As named.
        path: PathBuf,
        /// As it reports it.
        version: String,
    },
    /// OpenSSL of a major version that may have changed what its functions mean.
    #[error("{}: {version} is newer than this program knows (up to 4), and its functions may differ; update Ciphertune or name OpenSSL 4 or earlier", path.display())]
    TooNew {
        /// As named.
        path: PathBuf,
        /// As it reports it.
        version: String,
    },
    /// It reports a library that is none of those known.
    #[error("{}: calls itself '{version}', which is no libcrypto that this program knows; name OpenSSL, LibreSSL, BoringSSL or AWS-LC", path.display())]
    Unrecognised {
        /// As named.
        path: PathBuf,
        /// As it reports it.
        version: String,
    },
    /// It is OpenSSL of two versions at once, so that its figures would stand under a false name.
    #[error("{}: calls itself '{version}', but its number is that of {number}; name a libcrypto that is as it was built", path.display())]
    Contradictory {
        /// As named.
        path: PathBuf,
        /// As it reports it in words.
        version: String,
        /// As its number says.
        number: String,
    },
    /// It is older than providers, or a fork without them.
    #[error("{} with {provider}: {version} has no providers; name OpenSSL 3.0 or later, or leave --provider {provider} out", path.display())]
    NoProviders {
        /// As named.
        path: PathBuf,
        /// As it reports it.
        version: String,
        /// As named.
        provider: String,
    },
    /// It cannot load a provider of this name.
    #[error("{} with {provider}: {version} cannot load a provider of this name; name one that lies in its folder of modules (openssl version -m), or set OPENSSL_MODULES", path.display())]
    NoProvider {
        /// As named.
        path: PathBuf,
        /// As it reports it.
        version: String,
        /// As named.
        provider: String,
    },
    /// It has nothing that is measured.
    #[error("{}: {version} offers none of the algorithms that are measured; name a libcrypto built with them", path.display())]
    NoCipher {
        /// As named.
        path: PathBuf,
        /// As it reports it.
        version: String,
    },
    /// A provider of its has nothing that is measured, as the one named base has not.
    #[error("{} with {provider}: this provider of {version} offers none of the algorithms that are measured; leave --provider {provider} out", path.display())]
    IdleProvider {
        /// As named.
        path: PathBuf,
        /// As it reports it.
        version: String,
        /// As named.
        provider: String,
    },
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
            // What OpenSSL has put into its legacy provider looks up tables by secret bytes.
            other => other != "legacy",
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
            Some(&(_, Code::Cipher(cipher))) => cipher_context(cipher, task, key, iv),
            Some(&(_, Code::Pair(cipher, mac))) => pair::context(task, key, EvpPair::new(cipher, mac, task)?),
            Some(&(_, Code::Gmac(cipher))) => gmac_context(cipher, task, key, iv),
            Some(&(_, Code::Mac(mac))) => mac_context(mac, task, key, iv),
            Some(&(_, Code::Digest(digest))) => digest_context(digest, task),
            Some(&(_, Code::Key(api))) => key_context(api, task, key),
            None => Err(Fault(format!("{} has no {task}", self.description.id))),
        }
    }
}

fn cipher_context(cipher: Cipher, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let Task {
        algorithm,
        operation,
        contract,
    } = task;
    let messages = Messages::new(cipher, task, key, iv)?;
    if contract == Contract::Stream {
        return Ok(both(
            contract,
            messages.context,
            |_| Ok(()),
            |context, _, data| context.apply(data).map_err(fault),
            |context, _, input, output| context.apply_to(input, output).map_err(fault),
        ));
    }
    Ok(match (algorithm.kind(), operation) {
        (Kind::Aead, Operation::Open) => both(
            contract,
            messages,
            |_| Ok(()),
            |messages, envelope, data| {
                let context = messages.begin(envelope, data.len(), true)?;
                context
                    .apply(data)
                    .and_then(|()| context.open(data, envelope.tag))
                    .map_err(fault)
            },
            |messages, envelope, input, output| {
                let context = messages.begin(envelope, input.len(), true)?;
                context
                    .apply_to(input, output)
                    .and_then(|()| context.open(output, envelope.tag))
                    .map_err(fault)
            },
        ),
        (Kind::Aead, _) => both(
            contract,
            messages,
            |_| Ok(()),
            |messages, envelope, data| {
                let context = messages.begin(envelope, data.len(), false)?;
                context
                    .apply(data)
                    .and_then(|()| context.seal(data, envelope.tag))
                    .map_err(fault)
            },
            |messages, envelope, input, output| {
                let context = messages.begin(envelope, input.len(), false)?;
                context
                    .apply_to(input, output)
                    .and_then(|()| context.seal(output, envelope.tag))
                    .map_err(fault)
            },
        ),
        _ => both(
            contract,
            messages,
            |_| Ok(()),
            |messages, envelope, data| {
                let context = messages.begin(envelope, data.len(), false)?;
                context.apply(data).map_err(fault)
            },
            |messages, envelope, input, output| {
                let context = messages.begin(envelope, input.len(), false)?;
                context.apply_to(input, output).map_err(fault)
            },
        ),
    })
}

/// Whole messages, one after the other.
struct Messages {
    context: CipherContext,
    /// Where each message sets the key: together with the IV, by one call, as programs do.
    key: Option<Zeroizing<Vec<u8>>>,
}

impl Messages {
    fn new(cipher: Cipher, task: Task, key: &[u8], iv: &[u8]) -> Result<Self, Fault> {
        let mut context = CipherContext::new(cipher, task.operation.is_backward()).map_err(fault)?;
        context.begin(Some(key), iv).map_err(fault)?;
        let key = (task.contract == Contract::NewKey).then(|| Zeroizing::new(key.to_vec()));
        Ok(Self { context, key })
    }

    /// Sets the IV of a message of `len` bytes, and takes the additional data in.
    #[inline]
    fn begin(
        &mut self,
        envelope: &mut Envelope<'_>,
        len: usize,
        opens: bool,
    ) -> Result<&mut CipherContext, Fault> {
        let key = self.key.as_ref().map(|key| &key[..]);
        let tag = opens.then_some(&mut *envelope.tag);
        self.context
            .begin(key, envelope.iv)
            .and_then(|()| self.context.announce(len, tag))
            .and_then(|()| self.context.authenticate(envelope.aad))
            .map_err(fault)?;
        Ok(&mut self.context)
    }
}

fn gmac_context(cipher: Cipher, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let messages = Messages::new(cipher, task, key, iv)?;
    Ok(gmac(
        task.contract,
        messages,
        |_| Ok(()),
        |messages, envelope, _| {
            let context = messages.begin(envelope, 0, false)?;
            context.seal(&mut [], envelope.tag).map_err(fault)
        },
    ))
}

/// A cipher and a MAC, each with its key.
struct EvpPair {
    cipher: CipherContext,
    /// The key, which a message brings together with its IV, by one call, where it `is_new`.
    key: Zeroizing<Vec<u8>>,
    is_new: bool,
    mac: MacContext,
    /// It has begun a message by a new key.
    has_begun: bool,
}

impl EvpPair {
    fn new(cipher: Cipher, mac: Mac, task: Task) -> Result<Self, Fault> {
        Ok(Self {
            cipher: CipherContext::new(cipher, task.operation.is_backward()).map_err(fault)?,
            key: Zeroizing::default(),
            is_new: false,
            mac: MacContext::new(mac).map_err(fault)?,
            has_begun: false,
        })
    }

    #[inline]
    fn begin(&mut self, iv: &[u8]) -> Result<&mut CipherContext, Fault> {
        let key = mem::take(&mut self.is_new).then_some(&self.key[..]);
        self.cipher.begin(key, iv).map_err(fault)?;
        Ok(&mut self.cipher)
    }
}

impl Pair for EvpPair {
    fn set_keys(&mut self, cipher: &[u8], mac: &[u8]) -> Result<(), Fault> {
        self.key.clear();
        self.key.extend_from_slice(cipher);
        self.mac.begin(Some(mac), &[]).map_err(fault)?;
        (self.is_new, self.has_begun) = (true, true);
        Ok(())
    }

    #[inline]
    fn crypt(&mut self, iv: &[u8], data: &mut [u8]) -> Result<(), Fault> {
        self.begin(iv)?.apply(data).map_err(fault)
    }

    #[inline]
    fn crypt_to(&mut self, iv: &[u8], input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        self.begin(iv)?.apply_to(input, output).map_err(fault)
    }

    #[inline]
    fn mac(&mut self, parts: [&[u8]; 3], tag: &mut [u8]) -> Result<(), Fault> {
        // EVP gives a whole tag, or none.
        let mut whole = [0; LONGEST_MAC];
        if !mem::take(&mut self.has_begun) {
            self.mac.begin(None, &[]).map_err(fault)?;
        }
        for part in parts {
            self.mac.update(part).map_err(fault)?;
        }
        let made = self.mac.finish(&mut whole).map_err(fault)?;
        let made = whole[..made].get(..tag.len());
        tag.copy_from_slice(made.ok_or_else(|| Fault("EVP_MAC_final gave a short tag".to_owned()))?);
        Ok(())
    }
}

/// `EVP_MAX_MD_SIZE`.
const LONGEST_MAC: usize = 64;

fn mac_context(mac: Mac, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let mut context = MacContext::new(mac).map_err(fault)?;
    context.begin(Some(key), iv).map_err(fault)?;
    let each = (task.contract == Contract::NewKey).then(|| Zeroizing::new(key.to_vec()));
    Ok(tagging(
        task.contract,
        (context, each),
        |_| Ok(()),
        |(context, key), envelope, message| {
            let key = key.as_ref().map(|key| &key[..]);
            context
                .tag(key, envelope.iv, message, envelope.tag)
                .map_err(fault)
        },
    ))
}

fn digest_context(digest: Digest, task: Task) -> Result<Box<dyn Timed>, Fault> {
    let context = DigestContext::new(digest).map_err(fault)?;
    Ok(tagging(
        task.contract,
        context,
        |_| Ok(()),
        |context, envelope, message| context.digest(message, envelope.tag).map_err(fault),
    ))
}

fn key_context(api: &'static Api, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let Task {
        algorithm,
        operation,
        contract,
    } = task;
    let context = KeyContext::new(api, algorithm, operation, key).map_err(fault)?;
    let renew = |_: &mut KeyContext| Ok(());
    Ok(match operation {
        Operation::Verify => tagging(contract, context, renew, |context, envelope, message| {
            context.verify(message, envelope.tag).map_err(fault)
        }),
        Operation::Derive => tagging(contract, context, renew, |context, envelope, public| {
            context.derive(public, envelope.tag).map_err(fault)
        }),
        Operation::Decapsulate => tagging(contract, context, renew, |context, envelope, ciphertext| {
            context.decapsulate(ciphertext, envelope.tag).map_err(fault)
        }),
        Operation::Generate => copying(contract, context, renew, |context, _, key| {
            context.generate(key).map_err(fault)
        }),
        Operation::Encapsulate => copying(contract, context, renew, |context, envelope, ciphertext| {
            context.encapsulate(ciphertext, envelope.tag).map_err(fault)
        }),
        _ => tagging(contract, context, renew, |context, envelope, message| {
            context.sign(message, envelope.tag).map_err(fault)
        }),
    })
}

fn fault(Failed(function): Failed) -> Fault {
    Fault(format!("{function} failed"))
}

/// A library's name and version, for its id.
#[derive(Debug, PartialEq, Eq)]
struct Name {
    library: &'static str,
    version: String,
}

#[derive(Debug, PartialEq, Eq)]
enum Refused {
    TooOld,
    TooNew,
    Unrecognised,
    Contradictory,
}

impl Name {
    fn id(&self, provider: &str) -> String {
        format!("{}@{}/{provider}", self.library, self.version)
    }

    /// From `OpenSSL_version` and `OpenSSL_version_num`. The forks report a number for compatibility's sake, so their
    /// text alone counts; it names OpenSSL first where they do that too.
    fn parse(text: &str, number: c_ulong) -> Result<Self, Refused> {
        let named = |library, version: &str| {
            let version = version
                .split([' ', ')'])
                .next()
                .filter(|version| !version.is_empty());
            let version = version.ok_or(Refused::Unrecognised)?.to_owned();
            Ok(Self { library, version })
        };
        if text == "BoringSSL" || text.ends_with("(compatible; BoringSSL)") {
            // It has no releases.
            named("boringssl", "unversioned")
        } else if let Some((_, version)) = text.split_once("AWS-LC ") {
            named("aws-lc", version.strip_prefix("FIPS ").unwrap_or(version))
        } else if let Some(version) = text.strip_prefix("LibreSSL ") {
            named("libressl", version)
        } else if let Some(version) = text.strip_prefix("OpenSSL ") {
            match number {
                ..0x1010_0000 => Err(Refused::TooOld),
                0x5000_0000.. => Err(Refused::TooNew),
                _ => match named("openssl", version) {
                    Ok(name) if !is_numbered(&name.version, number) => Err(Refused::Contradictory),
                    name => name,
                },
            }
        } else {
            Err(Refused::Unrecognised)
        }
    }
}

/// The version that OpenSSL's number stands for (`OPENSSL_VERSION_NUMBER(3)`): 0xMNN00PP0, or before 3.0 0xMNNFFPPS, where
/// PP is a letter.
fn numbered(number: c_ulong) -> String {
    let part = |shift: u32| number >> shift & 0xff;
    let (major, minor) = (number >> 28, part(20));
    if major >= 3 {
        return format!("{major}.{minor}.{}", part(4));
    }
    let letter = match part(4) as u8 {
        0 => String::new(),
        letter => char::from(b'a'.saturating_add(letter - 1)).to_string(),
    };
    format!("{major}.{minor}.{}{letter}", part(12))
}

/// Whether a version is the one that the number stands for; more may follow, as `-dev`, `-fips` or `+quic`.
fn is_numbered(version: &str, number: c_ulong) -> bool {
    let rest = version.strip_prefix(&numbered(number));
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::{Name, Refused};

    #[test]
    fn libraries_are_told_apart_by_what_they_say() {
        for (text, number, id) in [
            ("OpenSSL 3.0.19 27 Jan 2026", 0x3000_0130, "openssl@3.0.19"),
            ("OpenSSL 1.1.1w  11 Sep 2023", 0x1010_117f, "openssl@1.1.1w"),
            ("OpenSSL 1.1.1k  FIPS 25 Mar 2021", 0x1010_10bf, "openssl@1.1.1k"),
            ("OpenSSL 1.1.1  11 Sep 2018", 0x1010_100f, "openssl@1.1.1"),
            ("OpenSSL 1.1.0 25 Aug 2016", 0x1010_000f, "openssl@1.1.0"),
            (
                "OpenSSL 3.1.4+quic 24 Oct 2023",
                0x3010_0040,
                "openssl@3.1.4+quic",
            ),
            ("OpenSSL 4.0.0-dev ", 0x4000_0000, "openssl@4.0.0-dev"),
            ("OpenSSL 4.0.3 1 Nov 2026", 0x4000_0030, "openssl@4.0.3"),
            (
                "OpenSSL 1.1.1 (compatible; AWS-LC 5.12.0)",
                0x1010_107f,
                "aws-lc@5.12.0",
            ),
            ("AWS-LC 5.12.0", 0x1010_107f, "aws-lc@5.12.0"),
            ("AWS-LC FIPS 3.1.0", 0x1010_107f, "aws-lc@3.1.0"),
            (
                "OpenSSL 1.1.1 (compatible; BoringSSL)",
                0x1010_107f,
                "boringssl@unversioned",
            ),
            ("LibreSSL 4.0.0", 0x2000_0000, "libressl@4.0.0"),
        ] {
            let name = Name::parse(text, number).unwrap();
            assert_eq!(format!("{}@{}", name.library, name.version), id);
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for (text, number, refused) in [
            ("OpenSSL 1.0.2u  20 Dec 2019", 0x1000_215f, Refused::TooOld),
            ("OpenSSL 5.0.0 1 Apr 2028", 0x5000_0000, Refused::TooNew),
            ("OpenSSL ", 0x3000_0000, Refused::Unrecognised),
            ("OpenSSL 9.0.19 27 Jan 2026", 0x3000_0130, Refused::Contradictory),
            ("OpenSSL 3.0.1 14 Dec 2021", 0x3000_0130, Refused::Contradictory),
            ("OpenSSL 3.0.19 27 Jan 2026", 0x3000_0010, Refused::Contradictory),
            ("OpenSSL 1.1.1w  11 Sep 2023", 0x1010_116f, Refused::Contradictory),
            ("OpenSSL 1.1.1w  11 Sep 2023", 0x1010_100f, Refused::Contradictory),
            ("OpenSSL 1.1.1  11 Sep 2018", 0x1010_117f, Refused::Contradictory),
            ("OpenSSL three 27 Jan 2026", 0x3000_0130, Refused::Contradictory),
            ("FunSSL 3.0.0", 0x3000_0000, Refused::Unrecognised),
            ("", 0, Refused::Unrecognised),
        ] {
            assert_eq!(Name::parse(text, number), Err(refused));
        }
    }
}
