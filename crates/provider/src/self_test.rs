//! Known answers of every algorithm, checked before any is offered.
//!
//! Key, IV, additional data and messages are counted bytes. What comes of them is folded into a fingerprint (FNV-1a, 64
//! bits) that OpenSSL's default provider computed as well: `tests/provider/answers.c`. A fingerprint finds faults; it
//! is no defence against somebody who changes the file.

use std::{ffi::CStr, ptr};

use crate::{
    abi::{RawParam, mode},
    call::Call,
    cipher::{Cipher, Way, table::KNOWN},
    error::Failure,
    param::{Param, Params},
    settings::Decisions,
};

/// What is known of an algorithm.
pub(crate) struct Known {
    /// As libcrypto has them.
    pub(crate) names: &'static CStr,
    pub(crate) is_aead: bool,
    /// [`Cipher::TESTED`]
    pub(crate) lengths: &'static [usize],
    /// [`Cipher::BUSY_AFTER`]
    pub(crate) busy_after: usize,
    pub(crate) test: Test,
    /// What the test must give.
    pub(crate) fingerprint: u64,
}

/// Answers the fingerprint of what it encrypted, if that was decrypted again; and if a busy key, where one is asked for, did
/// the same.
type Test = fn(&Decisions, bool) -> Result<u64, Failure>;

/// Tests everything; the error is the names of the algorithm that is wrong.
pub(crate) fn run(decisions: &Decisions) -> Result<(), &'static str> {
    for known in KNOWN {
        let names = known.names.to_str().unwrap_or_default();
        known.hold(names, decisions).then_some(()).ok_or(names)?;
    }
    Ok(())
}

impl Known {
    /// Whether the answers are right; also those of what serves longer messages alone, which has to do with shorter ones here:
    /// they take less time.
    fn hold(&self, names: &str, decisions: &Decisions) -> bool {
        let algorithm = names.split(':').next().unwrap_or_default();
        let operations = if self.is_aead {
            ["seal", "open"]
        } else {
            ["encrypt", "decrypt"]
        };
        let right = |decisions: &Decisions| {
            let busy = self.busy_after > 0
                && decisions.has_aes_instructions(algorithm, operations[0], self.busy_after);
            (self.test)(decisions, busy) == Ok(self.fingerprint)
        };
        let beyond = decisions.beyond(algorithm, operations, self.lengths);
        let mut beyond = beyond.into_iter().map(Decisions::forced);
        right(decisions) && beyond.all(|forced| forced.is_ok_and(|forced| right(&forced)))
    }
}

/// Encrypts and decrypts messages under a new key for each, and then, if it is asked for, under a busy one.
pub(crate) fn test<C: Cipher, const KEY: usize>(decisions: &Decisions, busy: bool) -> Result<u64, Failure> {
    let mut cipher = C::new();
    let fingerprint = messages::<C, KEY>(&mut cipher, true, decisions)?;
    if busy {
        let text = vec![0; C::BUSY_AFTER];
        for _ in 0..2 {
            cipher.init(Way::Encrypt, None, Some(&iv::<C>()), decisions)?;
            process(&mut cipher, &text)?;
        }
        if messages::<C, KEY>(&mut cipher, false, decisions)? != fingerprint {
            return Err(Failure::Silent);
        }
    }
    Ok(fingerprint)
}

/// Encrypts and decrypts a message of each length, under a new key or the one that there is.
fn messages<C: Cipher, const KEY: usize>(
    cipher: &mut C,
    new: bool,
    decisions: &Decisions,
) -> Result<u64, Failure> {
    let (key, iv) = (counted::<KEY>(), iv::<C>());
    let mut fingerprint = Fingerprint(0xcbf2_9ce4_8422_2325);
    for &len in C::TESTED {
        let message: Vec<u8> = (0..len).map(|i| i as u8).collect();
        if new {
            *cipher = C::new();
        }
        if C::MODE == mode::CCM {
            with_tag(ptr::null_mut(), |param| cipher.set(&param))?;
        }
        cipher.init(Way::Encrypt, new.then_some(&key[..]), Some(&iv), decisions)?;
        let ciphertext = process(cipher, &message)?;
        fingerprint.add(&ciphertext);
        let mut tag = [0; 16];
        if C::AEAD {
            with_tag(tag.as_mut_ptr(), |mut param| cipher.get(&mut param))?;
            fingerprint.add(&tag);
        }
        cipher.init(Way::Decrypt, None, Some(&iv), decisions)?;
        if C::AEAD {
            with_tag(tag.as_mut_ptr(), |param| cipher.set(&param))?;
        }
        if process(cipher, &ciphertext)? != message {
            return Err(Failure::Silent);
        }
    }
    Ok(fingerprint.0)
}

fn iv<C: Cipher>() -> Vec<u8> {
    counted::<16>()[..C::TESTED_IV].to_vec()
}

fn counted<const N: usize>() -> [u8; N] {
    std::array::from_fn(|i| i as u8)
}

/// The whole of a message, with additional data where there can be some.
fn process<C: Cipher>(cipher: &mut C, message: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut output = vec![0; message.len() + 16];
    if C::AEAD {
        let aad: [u8; 20] = counted();
        // CCM must know how long the message is, and how long its tag, before it takes anything.
        if C::MODE == mode::CCM {
            // SAFETY: no buffers, only a length.
            let length = unsafe { Call::new(ptr::null(), message.len(), ptr::null_mut(), message.len()) };
            cipher.update(length)?;
        }
        // SAFETY: the input is ours; there is no output.
        let aad = unsafe { Call::new(aad.as_ptr(), aad.len(), ptr::null_mut(), aad.len()) };
        cipher.update(aad)?;
    }
    // SAFETY: both are ours, and as long as is said.
    let text = unsafe { Call::new(message.as_ptr(), message.len(), output.as_mut_ptr(), output.len()) };
    let len = cipher.update(text)?;
    let rest = &mut output[len..];
    // SAFETY: as above.
    let end = unsafe { Call::new(ptr::null(), 0, rest.as_mut_ptr(), rest.len()) };
    let end = cipher.finish(end)?;
    output.truncate(len + end);
    Ok(output)
}

/// The parameter of that name for a tag of 16 bytes, or for their number alone.
fn with_tag(tag: *mut u8, run: impl FnMut(Param<'_>) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut list = [RawParam::bytes(c"tag"), RawParam::END];
    list[0].data = tag.cast();
    list[0].size = 16;
    // SAFETY: a list with an end; the tags above have that size.
    unsafe { Params::new(list.as_mut_ptr()) }.try_for_each(run)
}

struct Fingerprint(u64);

impl Fingerprint {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}
