use std::{fmt, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Implementation, LoadError, Mask, PeerLibrary, builtin, kernel, libcrypto, many::InTurn, mask};

/// Where implementations come from: what one worker process loads.
///
/// Loading a libcrypto runs its code: do it in a process that may crash or hang, and one libcrypto to a process,
/// so that each reads its own environment (`OPENSSL_ia32cap`, `OPENSSL_CONF`) and none finds another's symbols.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// What is linked into this program.
    Builtin,
    /// The system's libcrypto of this soname, as in `libcrypto.so.3`, if there is one.
    System(String),
    /// The libcrypto in this file.
    Libcrypto(PathBuf),
    /// What a provider of OpenSSL's computes, loaded by one of the libcryptos above.
    Provider {
        /// Its name, as in `legacy`.
        name: String,
        /// What loads it.
        libcrypto: Box<Self>,
    },
    /// One of the libcryptos above, or of their providers, with what it has by other names than the table of algorithms.
    Named {
        /// As in `ARIA-128-CTR`.
        names: Vec<String>,
        /// Which library.
        libcrypto: Box<Self>,
    },
    /// Another library of the system, by one of its sonames, if it is there.
    Peer {
        /// Which library.
        library: PeerLibrary,
        /// As in `libnettle.so.8`.
        soname: String,
    },
    /// The kernel's own code, through AF_ALG.
    Kernel,
    /// A library that does without some of the processor's instructions.
    Masked {
        /// Which ones.
        mask: Mask,
        /// Which library; of what is built in, AWS-LC and OpenSSL.
        source: Box<Self>,
    },
}

/// What a source holds.
pub struct Loaded {
    /// Empty where the source is a [`Source::System`] or a [`Source::Peer`] that this system does not have, or a
    /// provider for one that has no providers, and only there.
    pub implementations: Vec<Box<dyn Implementation>>,
}

impl Source {
    /// What is measured unless someone says otherwise: what is built in, every libcrypto since 1.1.0 by its soname,
    /// the other libraries by theirs, and the kernel.
    pub fn defaults() -> Vec<Self> {
        let system = ["libcrypto.so.4", "libcrypto.so.3", "libcrypto.so.1.1"];
        let system = system.map(|soname| Self::System(soname.to_owned()));
        let peers = PeerLibrary::ALL.into_iter().flat_map(PeerLibrary::sources);
        let all = [Self::Builtin].into_iter().chain(system).chain(peers);
        all.chain([Self::Kernel]).collect()
    }

    /// Loads it into this process, for good.
    pub fn load(&self) -> Result<Loaded, LoadError> {
        let implementations = match self {
            Self::Builtin => builtin::all(),
            Self::System(_) | Self::Libcrypto(_) | Self::Provider { .. } => self.load_libcrypto(None, &[])?,
            Self::Named { names, libcrypto } => libcrypto.load_libcrypto(None, names)?,
            Self::Peer { library, soname } => library.load(soname)?.into_iter().collect(),
            Self::Kernel => kernel::all(),
            Self::Masked { mask, source } => mask::load(*mask, source)?,
        };
        Ok(Loaded {
            implementations: implementations.into_iter().map(InTurn::of).collect(),
        })
    }

    fn load_libcrypto(
        &self,
        provider: Option<&str>,
        names: &[String],
    ) -> Result<Vec<Box<dyn Implementation>>, LoadError> {
        match self {
            Self::System(soname) => Ok(libcrypto::of_system(soname, provider, names)?
                .into_iter()
                .collect()),
            Self::Libcrypto(path) => Ok(vec![libcrypto::of_file(path, provider, names)?]),
            Self::Provider { name, libcrypto } => libcrypto.load_libcrypto(Some(name), names),
            _ => Ok(Vec::new()),
        }
    }

    /// The same with what it has by these names too, where it is a libcrypto; all else as it is.
    pub fn with_names(self, names: &[String]) -> Self {
        match self {
            Self::System(_) | Self::Libcrypto(_) | Self::Provider { .. } => Self::Named {
                names: names.to_vec(),
                libcrypto: Box::new(self),
            },
            _ => self,
        }
    }

    /// Whether an implementation of a name, as of `gnutls`, `gnutls@3.7.9` or `default`, could be its own.
    pub fn may_have(&self, name: &str) -> bool {
        let is = |known: &str| is_of(name, known);
        match self {
            Self::Peer { library, .. } => is(library.about().name) || is("default"),
            Self::System(_) | Self::Libcrypto(_) => Self::is_of_libcrypto(name) || is("default"),
            Self::Provider { name: provider, .. } => Self::is_of_libcrypto(name) || is(provider),
            Self::Named { libcrypto, .. } => libcrypto.may_have(name),
            Self::Masked { mask, source } => is(mask.name()) || !is("default") && source.may_have(name),
            Self::Builtin | Self::Kernel => true,
        }
    }

    /// Whether a name is that of a libcrypto or begins with it.
    pub fn is_of_libcrypto(name: &str) -> bool {
        ["openssl", "libressl", "boringssl", "aws-lc"]
            .into_iter()
            .any(|known| is_of(name, known))
    }

    /// The same under each mask that says something to it and to this processor.
    pub fn masked(&self) -> Vec<Self> {
        let masked = |mask| Self::Masked {
            mask,
            source: Box::new(self.clone()),
        };
        mask::of(self).into_iter().map(masked).collect()
    }

    /// What the environment of the process that loads it must hold: some libraries read it as they are loaded.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Masked { mask, source } => mask::environment(*mask, source),
            _ => Vec::new(),
        }
    }

    /// What to do where to load it ends or stops the process.
    pub fn remedy(&self) -> String {
        match self {
            Self::Builtin | Self::Kernel => "report it".to_owned(),
            Self::System(soname) => format!("install the package again that {soname} is of"),
            Self::Libcrypto(_) => "name another build of it, or none".to_owned(),
            Self::Provider { name, libcrypto } => {
                format!("install {name} again for {libcrypto}, or leave --provider {name} out")
            }
            Self::Peer { library, soname } => library.remedy(soname),
            Self::Named {
                libcrypto: source, ..
            }
            | Self::Masked { source, .. } => source.remedy(),
        }
    }

    /// The provider of this name, for each of these libcryptos.
    pub fn provider(name: &str, libcryptos: &[Self]) -> Vec<Self> {
        libcryptos
            .iter()
            .filter(|source| matches!(source, Self::System(_) | Self::Libcrypto(_)))
            .map(|libcrypto| Self::Provider {
                name: name.to_owned(),
                libcrypto: Box::new(libcrypto.clone()),
            })
            .collect()
    }
}

/// Whether a name, as `gnutls@3.7.9`, is that of a library or begins with it.
fn is_of(name: &str, library: &str) -> bool {
    let own = name.split(['@', '/']).next();
    own.is_some_and(|own| own.eq_ignore_ascii_case(library))
}

/// What people call it.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin => f.write_str("built in"),
            Self::System(soname) | Self::Peer { soname, .. } => f.write_str(soname),
            Self::Libcrypto(path) => path.display().fmt(f),
            Self::Provider { name, libcrypto } => write!(f, "{libcrypto} with {name}"),
            Self::Named { libcrypto, .. } => libcrypto.fmt(f),
            Self::Kernel => f.write_str("AF_ALG"),
            Self::Masked { mask, source } => match &**source {
                Self::Builtin if cfg!(feature = "openssl") => write!(f, "aws-lc-rs and openssl with {mask}"),
                Self::Builtin => write!(f, "aws-lc-rs with {mask}"),
                source => write!(f, "{source} with {mask}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn a_library_that_the_system_lacks_is_no_error() {
        let absent = Source::System("libcrypto.so.0.no-such".to_owned());
        assert!(absent.load().unwrap().implementations.is_empty());
    }
}
