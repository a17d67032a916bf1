//! AES in ECB, CBC and CTR.
use std::ptr::NonNull;

use ciphertune_testkit::{Contract, Fault, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{
    IpsecMb,
    burst::Messages,
    header::{CBC, CTR, DECRYPT, ECB, ENCRYPT, ExpandKey, Job, LaterJob, Manager},
    job::{cipher_only, next_job, submit},
};
use crate::{
    Timed,
    context::inout,
    peers::{chain::Chain, counter::Counter, memory::Memory},
};

/// A context for messages one at a time.
pub(super) fn context(library: &IpsecMb, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let mut keyed = Keyed::new(library, task);
    keyed.set_key(key);
    match (task.algorithm.aes_mode(), library.has_later_jobs) {
        (Some("ECB"), _) => Ok(ecb(task.contract, keyed, key)),
        (_, true) => messages::<LaterJob>(task, keyed, key, iv),
        (_, false) => messages::<Job>(task, keyed, key, iv),
    }
}

/// By jobs of the manager: the call for several does nothing in this mode.
fn ecb(contract: Contract, keyed: Keyed, key: &[u8]) -> Box<dyn Timed> {
    let kept = Zeroizing::new(key.to_vec());
    let renew = move |keyed: &mut Keyed| {
        keyed.set_key(&kept);
        Ok(())
    };
    inout(contract, keyed, renew, |keyed, _, buffer| keyed.run(&[], buffer))
}

/// In CBC and CTR.
fn messages<J: From<Job> + AsMut<Job> + 'static>(
    task: Task,
    keyed: Keyed,
    key: &[u8],
    iv: &[u8],
) -> Result<Box<dyn Timed>, Fault> {
    let contract = task.contract;
    let is_ctr = task.algorithm.aes_mode() == Some("CTR");
    let messages = Messages::<J>::new(keyed);
    if contract == Contract::Stream {
        return Ok(if is_ctr {
            let state = (messages, Counter::new(iv)?);
            let renew = |_: &mut _| Ok(());
            inout(contract, state, renew, |(messages, counter), _, buffer| {
                counter.run_together(buffer, |whole, end| messages.run_together(whole, end))
            })
        } else {
            let state = (messages, Chain::<16>::new(iv, task.operation.is_backward())?);
            let renew = |_: &mut _| Ok(());
            inout(contract, state, renew, |(messages, chain), _, buffer| {
                chain.run(buffer, |iv, buffer| messages.chained(iv, buffer))
            })
        });
    }
    let kept = Zeroizing::new(key.to_vec());
    let renew = move |messages: &mut Messages<J>| {
        messages.set_key(&kept);
        Ok(())
    };
    Ok(if is_ctr {
        inout(contract, messages, renew, |messages, envelope, buffer| {
            Counter::message(envelope.iv, buffer, |iv, buffer| messages.run(iv, buffer))
        })
    } else {
        inout(contract, messages, renew, |messages, envelope, buffer| {
            messages.chained(envelope.iv, buffer)
        })
    })
}

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
