//! Names this build of the kernels, so that what was measured of one build is not believed of another. Tells the source
//! whether the target has vectors that kernels are written for.

use std::{env, fs, path::Path, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=src");
    let mut hash = Fnv::new();
    hash_folder(Path::new("src"), &mut hash);
    // The same source through another compiler is other code.
    let rustc = env::var_os("RUSTC").expect("cargo sets RUSTC");
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("rustc tells its version");
    hash.add(&version.stdout);
    for setting in ["TARGET", "OPT_LEVEL", "CARGO_ENCODED_RUSTFLAGS"] {
        hash.add(env::var(setting).unwrap_or_default().as_bytes());
    }
    println!("cargo::rustc-env=CIPHERTUNE_ENGINE_BUILD={:016x}", hash.0);

    println!("cargo::rustc-check-cfg=cfg(vectors)");
    if has_vectors() {
        println!("cargo::rustc-cfg=vectors");
    }
}

/// SSE2 is part of x86-64. ARM's Advanced SIMD can be left out of a target, and its lanes count the other way where
/// bytes do. Assembly has its addresses, and halves of blocks, in 64 bits.
fn has_vectors() -> bool {
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    match target("ARCH").as_str() {
        _ if target("POINTER_WIDTH") != "64" => false,
        "x86_64" => true,
        "aarch64" => target("ENDIAN") == "little" && target("FEATURE").split(',').any(|f| f == "neon"),
        _ => false,
    }
}

fn hash_folder(folder: &Path, hash: &mut Fnv) {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the crate's own folder")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            // What measures is not what is measured.
            if !path.ends_with("probe") {
                hash_folder(&path, hash);
            }
        } else {
            hash.add(path.to_string_lossy().as_bytes());
            hash.add(&fs::read(&path).expect("the crate's own file"));
        }
    }
}

/// FNV-1a, 64 bits: not against forgery, only to tell one build from another.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
