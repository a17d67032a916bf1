//! SHA-1 and SHA-2.
use ciphertune_testkit::{Algorithm, Fault, Task};

use super::IpsecMb;
use crate::{Timed, context::tagging, library::check};

pub(super) fn has(algorithm: Algorithm) -> bool {
    which(algorithm).is_some()
}

pub(super) fn context(library: &IpsecMb, task: Task) -> Result<Box<dyn Timed>, Fault> {
    let which = which(task.algorithm).ok_or_else(|| Fault(format!("ipsec-mb has no {task}")))?;
    let (hash, len) = (library.manager().hashes[which], task.algorithm.tag_len());
    Ok(tagging(
        task.contract,
        (),
        |()| Ok(()),
        move |(), envelope, message| {
            check(envelope.tag.len() == len, "IMB_SHA*")?;
            let (input, input_len) = (message.as_ptr().cast(), message.len() as u64);
            // SAFETY: the message is readable for its length, and the digest as long as the hash makes it.
            unsafe { hash(input, input_len, envelope.tag.as_mut_ptr().cast()) };
            Ok(())
        },
    ))
}

/// Which of the manager's hashes it is.
fn which(algorithm: Algorithm) -> Option<usize> {
    let names = ["SHA1", "SHA2-224", "SHA2-256", "SHA2-384", "SHA2-512"];
    names.iter().position(|&name| name == algorithm.name())
}
