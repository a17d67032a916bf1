//! Valgrind's memcheck: secrets are undefined memory. It follows the machine code that is shipped.

use crabgrind::{
    memcheck::{MemState, Memcheck},
    valgrind,
};

use super::Secret;

pub const NAME: &str = "memcheck";

/// Whatever moves a byte, memcheck sees it: no secret hides another's loss.
pub const SECRETS: &[Secret] = &[Secret {
    key: true,
    data: true,
}];

pub fn is_watching() -> bool {
    !valgrind::running_mode().is_native()
}

pub fn hide(bytes: &[u8]) {
    bytes.mark(MemState::Undefined).expect("under valgrind");
}

pub fn reveal(bytes: &[u8]) {
    bytes.mark(MemState::Defined).expect("under valgrind");
}

/// Of each byte, whether none of it is secret.
pub fn known(bytes: &[u8]) -> Vec<bool> {
    let mut undefined = vec![0; bytes.len()];
    bytes.vbits(&mut undefined).expect("under valgrind");
    undefined.into_iter().map(|bits| bits == 0).collect()
}

/// Branches and addresses so far that depended on secrets.
pub fn reports() -> usize {
    valgrind::count_errors()
}
