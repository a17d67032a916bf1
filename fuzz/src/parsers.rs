use std::{fs, path::PathBuf, sync::LazyLock};

use ciphertune::wisdom::{Tuning, Wisdom, WisdomError};
use ciphertune_results::{
    Run,
    import::{Origin, import as read_output},
};

/// A wisdom file: believed whole or refused. As it is; and as choices below this machine's own head, under the right
/// checksum.
pub fn wisdom(data: &[u8]) {
    // Most of it is refused, as it should be.
    let _ = read_wisdom(data);
    let _ = read_wisdom(&below_head(data));
}

fn below_head(lines: &[u8]) -> Vec<u8> {
    static HEAD: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let (_folder, path) = file(b"");
        let empty = Wisdom::new(vec![Tuning {
            made: "2026-11-22".to_owned(),
            patience: "quick".to_owned(),
            choices: Vec::new(),
            help: Vec::new(),
        }]);
        empty.write(&path).expect("room for it");
        let mut text = fs::read(&path).expect("just written");
        let checksum = b"checksum ";
        let at = text.windows(checksum.len()).rposition(|bytes| bytes == checksum);
        text.truncate(at.expect("the last line"));
        text
    });
    let mut text = [&HEAD, lines].concat();
    if !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    let checksum = fnv_1a(&text);
    text.extend(format!("checksum {checksum:016x}\n").bytes());
    text
}

/// What is written of wisdom is rounded, so only from there on it comes back as it is.
fn read_wisdom(text: &[u8]) -> Result<(), WisdomError> {
    let (_folder, path) = file(text);
    let wisdom = Wisdom::read(&path)?;
    wisdom.write(&path).expect("what was read can be written");
    let written = fs::read(&path).expect("just written");
    let again = Wisdom::read(&path).expect("what was written can be read");
    again.write(&path).expect("it was written before");
    assert_eq!(fs::read(&path).expect("just written"), written);
    Ok(())
}

/// FNV-1a in 64 bits, which seals wisdom against damage.
fn fnv_1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// A run file.
pub fn runs(data: &[u8]) {
    let (_folder, path) = file(data);
    if let Ok(run) = Run::read(&path) {
        comes_back(&run);
    }
}

/// What another tool printed.
pub fn import(data: &[u8]) {
    let origin = Origin {
        file: "output".to_owned(),
        date: "2026-11-22T00:00:00Z".to_owned(),
        ciphertune: "0".to_owned(),
        machine: None,
        implementation: None,
        decrypt: false,
    };
    if let Ok(run) = read_output(&String::from_utf8_lossy(data), origin) {
        comes_back(&run);
    }
}

/// What is written reads the same.
fn comes_back(run: &Run) {
    let (_folder, path) = file(b"");
    run.write(&path).expect("what was read can be written");
    let again = Run::read(&path).expect("what was written can be read");
    assert_eq!(again, *run);
}

fn file(data: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder for one file");
    let path = folder.path().join("file");
    fs::write(&path, data).expect("room for it");
    (folder, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise what is written and read again is compared nowhere.
    #[test]
    fn seeds_of_wisdom_are_believed() {
        let seeds: [&[u8]; 2] = [
            include_bytes!("../corpus/wisdom/seed-choices"),
            include_bytes!("../corpus/wisdom/seed-threads"),
        ];
        for seed in seeds {
            read_wisdom(&below_head(seed)).unwrap();
        }
    }
}
