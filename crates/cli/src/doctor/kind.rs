//! What a program is, before it is started.
use std::{
    ffi::OsStr,
    fs::{self, File},
    io::Read,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// Those that are started with something of their own to do.
const KNOWN: [&str; 8] = [
    "openssl", "ssh", "sshd", "nginx", "openvpn", "node", "scp", "sftp",
];

/// By which name it is known what to do with a program: its own or that of the file that this is a link to. Node is known by
/// any name.
pub fn kind(program: &Path) -> String {
    let name = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    let is_known = |name: &String| KNOWN.contains(&&**name) || name.starts_with("python");
    let own = name(program);
    let file = fs::canonicalize(program)
        .map(|file| name(&file))
        .unwrap_or_default();
    if let Some(known) = [&own, &file].into_iter().find(|name| is_known(name)) {
        return known.clone();
    }
    if is_node(program) { "node".to_owned() } else { own }
}

/// Whether a program has Node's entry, which it shows to its addons or takes from its library.
fn is_node(program: &Path) -> bool {
    const ENTRY: &[u8] = b"_ZN4node5Start";
    let is_entry = |bytes: &[u8]| bytes == ENTRY;
    fs::read(program).is_ok_and(|bytes| bytes.windows(ENTRY.len()).any(is_entry))
}

/// The dynamic linker that a program of 64 bits names; none where it has none, or is a script.
pub fn loader(program: &Path) -> Option<PathBuf> {
    /// What has them has its headers and the name at its start.
    const START: u64 = 64 << 10;
    const INTERPRETER: u64 = 3;
    let mut bytes = Vec::new();
    File::open(program)
        .ok()?
        .take(START)
        .read_to_end(&mut bytes)
        .ok()?;
    let number = |at: usize, len: usize| {
        let bytes = bytes.get(at..)?.get(..len)?;
        let mut number = [0; 8];
        number[..len].copy_from_slice(bytes);
        Some(u64::from_le_bytes(number))
    };
    bytes.strip_prefix(b"\x7fELF\x02\x01")?;
    let (headers, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let mut headers = (0..count).map(|n| headers.wrapping_add(n.wrapping_mul(size)) as usize);
    let header = headers.find(|&at| number(at, 4) == Some(INTERPRETER))?;
    let (at, len) = (number(header + 8, 8)? as usize, number(header + 32, 8)? as usize);
    let name = bytes.get(at..)?.get(..len)?.split(|byte| *byte == 0).next()?;
    Some(OsStr::from_bytes(name).into())
}

#[cfg(test)]
mod tests {
    use std::{env, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn a_program_is_known_by_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        fs::write(file("node"), "").unwrap();
        fs::write(file("renamed"), "\x7fELF … _ZN4node5StartEiPPc …").unwrap();
        fs::write(file("other"), "\x7fELF … _ZN4node4Stop …").unwrap();
        symlink(file("node"), file("nodejs")).unwrap();
        symlink(file("other"), file("sshd")).unwrap();
        for (name, expected) in [
            ("node", "node"),
            ("nodejs", "node"),
            ("renamed", "node"),
            ("other", "other"),
            ("sshd", "sshd"),
            ("python3.11", "python3.11"),
        ] {
            assert_eq!(kind(&file(name)), expected, "{name}");
        }
    }

    #[test]
    fn a_loader_is_found_where_there_is_one() {
        let this = env::current_exe().unwrap();
        let loader = loader(&this).unwrap();
        assert!(loader.to_string_lossy().contains("/ld-"), "{loader:?}");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program");
        let elf = fs::read(&this).unwrap();
        for text in [&b""[..], b"#!/bin/sh\n", &elf[..8], &elf[..100]] {
            fs::write(&file, text).unwrap();
            assert_eq!(super::loader(&file), None);
        }
    }
}
