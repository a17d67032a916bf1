//! Where a provider's file is to be had.
use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::Result;

/// The provider's file.
pub const MODULE: &str = "ciphertune.so";
/// What cargo calls it.
pub const BUILT: &str = "libciphertune_provider.so";

/// The file that is named, or the one that was built or installed with this program, or that at `place` itself, which
/// somebody else's goes before what was installed.
pub fn source(named: Option<&Path>, place: &Path, is_others: bool) -> Result<PathBuf> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let program = env::current_exe()?;
    let there = || place.exists().then(|| place.to_owned());
    Some(program.with_file_name(BUILT))
        .filter(|built| built.exists())
        .or_else(|| there().filter(|_| is_others))
        .or_else(|| installed(&program))
        .or_else(there)
        .ok_or_else(|| {
            format!(
                "there is no provider: neither {}, which Debian's package openssl-provider-ciphertune brings, nor \
                 {BUILT} beside this program (cargo build --release -p ciphertune-provider makes it), nor {MODULE} \
                 where `make install` puts it with this program; name another file with --module",
                place.display()
            )
            .into()
        })
}

/// Whether a file looks like a provider, for whom nobody is there to load it.
pub fn is_provider(bytes: &[u8]) -> bool {
    const ENTRY: &[u8] = b"\0OSSL_provider_init\0";
    bytes.starts_with(b"\x7fELF") && bytes.windows(ENTRY.len()).any(|bytes| bytes == ENTRY)
}

/// Where `make install` puts it if this program is in the same prefix's bin: below a folder for libraries, which may have
/// another for each kind of machine.
fn installed(program: &Path) -> Option<PathBuf> {
    let prefix = program.parent()?.parent()?;
    let entries = fs::read_dir(prefix).ok()?;
    let mut folders: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|folder| {
            folder
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"lib"))
        })
        .collect();
    folders.sort();
    let triplet = format!("{}-linux-gnu", env::consts::ARCH);
    folders
        .into_iter()
        .flat_map(|folder| [folder.join(&triplet), folder])
        .map(|folder| folder.join("ossl-modules").join(MODULE))
        .find(|module| module.exists())
}
