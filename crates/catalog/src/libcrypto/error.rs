//! Why a libcrypto cannot be measured.
use std::path::PathBuf;

use crate::{MaskError, PeerError};

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
