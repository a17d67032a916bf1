//! AES in ECB, CBC and CTR.
use std::ptr::NonNull;

use ciphertune_testkit::{Contract, Fault, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{
    IpsecMb,
    header::{CBC, CTR, DECRYPT, ECB, ENCRYPT, ExpandKey, Job, Manager},
    job::{LONGEST_CHAIN, cipher_only, next_job, submit},
};
use crate::{
    Timed,
    context::inout,
    peers::{chain::Chain, counter::Counter, memory::Memory},
};

/// A key, expanded, for one mode and direction.
pub(super) struct Keyed {
    pub(super) manager: NonNull<Manager>,
    expand: ExpandKey,
    pub(super) key_len: usize,
    pub(super) cipher: u32,
    pub(super) direction: u32,
    pub(super) encrypt: Memory,
    decrypt: Memory,
}

impl Keyed {
    /// Of messages one at a time.
    pub(super) fn context(
        library: &IpsecMb,
        task: Task,
        key: &[u8],
        iv: &[u8],
    ) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        let kept = Zeroizing::new(key.to_vec());
        let mut keyed = Self::new(library, task);
        keyed.set_key(key);
        let renew = move |keyed: &mut Self| {
            keyed.set_key(&kept);
            Ok(())
        };
        let is_stream = contract == Contract::Stream;
        Ok(match task.algorithm.aes_mode() {
            Some("ECB") => inout(contract, keyed, renew, |keyed, _, buffer| keyed.run(&[], buffer)),
            Some("CTR") if is_stream => {
                let state = (keyed, Counter::new(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(keyed, counter), _, buffer| {
                    counter.run(buffer, |iv, buffer| keyed.run(iv, buffer))
                })
            }
            Some("CTR") => inout(contract, keyed, renew, |keyed, envelope, buffer| {
                Counter::message(envelope.iv, buffer, |iv, buffer| keyed.run(iv, buffer))
            }),
            _ if is_stream => {
                let state = (keyed, Chain::<16>::new(iv, task.operation.is_backward())?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(keyed, chain), _, buffer| {
                    chain.run(buffer, |iv, buffer| keyed.message(iv, buffer))
                })
            }
            _ => inout(contract, keyed, renew, |keyed, envelope, buffer| {
                keyed.message(envelope.iv, buffer)
            }),
        })
    }

    pub(super) fn new(library: &IpsecMb, task: Task) -> Self {
        let key_len = task.algorithm.key_len();
        Self {
            manager: library.manager,
            expand: library.manager().expand_key[key_len / 8 - 2],
            key_len,
            cipher: match task.algorithm.aes_mode() {
                Some("CBC" | "CMAC") => CBC,
                Some("CTR") => CTR,
                _ => ECB,
            },
            direction: if task.operation.is_backward() {
                DECRYPT
            } else {
                ENCRYPT
            },
            encrypt: Memory::new(EXPANDED),
            decrypt: Memory::new(EXPANDED),
        }
    }

    #[inline]
    pub(super) fn set_key(&mut self, key: &[u8]) {
        assert_eq!(key.len(), self.key_len, "the caller checks");
        let (encrypt, decrypt) = (self.encrypt.as_mut_ptr(), self.decrypt.as_mut_ptr());
        // SAFETY: the function reads as many bytes as its name says, which the key has, and writes fifteen round keys at
        // most to each of two places with room for them.
        unsafe { (self.expand)(key.as_ptr().cast(), encrypt, decrypt) }
    }

    /// A message, in pieces that CBC encryption can count.
    #[inline]
    fn message(&mut self, iv: &[u8], mut buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        if buffer.len() <= LONGEST_CHAIN || self.direction == DECRYPT {
            return self.run(iv, buffer);
        }
        let mut chain = Chain::<16>::new(iv, false)?;
        while !buffer.is_empty() {
            let len = buffer.len().min(LONGEST_CHAIN);
            let (now, later) = buffer.split_at(len);
            chain.run(now, |iv, now| self.run(iv, now))?;
            buffer = later;
        }
        Ok(())
    }

    /// One message, and nothing beside it.
    #[inline]
    pub(super) fn run(&mut self, iv: &[u8], buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        // It takes no jobs of no bytes.
        if buffer.is_empty() {
            return Ok(());
        }
        cipher_only(self.job(), iv, buffer);
        // SAFETY: the job is filled in by the header's rules; IV and buffers are there until this returns.
        unsafe { self.submit() }
    }

    /// The next job, with this key.
    #[inline]
    pub(super) fn job(&mut self) -> &mut Job {
        let job = next_job(self.manager);
        self.put_into(job);
        job
    }

    /// Says by what key a job ciphers, and how.
    #[inline]
    pub(super) fn put_into(&self, job: &mut Job) {
        job.encrypt_keys = self.encrypt.as_ptr();
        job.decrypt_keys = self.decrypt.as_ptr();
        job.key_len = self.key_len as u64;
        job.cipher = self.cipher;
        job.direction = self.direction;
    }

    /// Does the job.
    ///
    /// # Safety
    /// As of [`submit`].
    #[inline]
    pub(super) unsafe fn submit(&mut self) -> Result<(), Fault> {
        // SAFETY: the caller vouches for the job.
        unsafe { submit(self.manager) }
    }
}

/// Bytes of the longest expanded key: fifteen round keys.
const EXPANDED: usize = 15 * 16;
