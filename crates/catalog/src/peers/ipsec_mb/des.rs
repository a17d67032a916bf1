//! DES and 3DES in CBC.
use std::{
    ffi::c_void,
    ptr::{self, NonNull},
};

use ciphertune_testkit::{Algorithm, Contract, Fault, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{
    IpsecMb,
    header::{DECRYPT, DES, DES3, ENCRYPT, ExpandDes, Manager},
    job::{LONGEST_CHAIN, cipher_only, next_job, submit},
};
use crate::{
    Timed,
    context::inout,
    library::check,
    peers::{chain::Chain, memory::Memory},
};

/// A key, expanded. One schedule serves both directions.
pub(super) struct Des {
    manager: NonNull<Manager>,
    expand: ExpandDes,
    cipher: u32,
    direction: u32,
    key_len: usize,
    schedules: Vec<Memory>,
    /// What 3DES is told of them.
    all: [*const c_void; 3],
}

impl Des {
    pub(super) fn has(algorithm: Algorithm) -> bool {
        matches!(algorithm.name(), "DES-CBC" | "DES-EDE3-CBC")
    }

    pub(super) fn context(
        library: &IpsecMb,
        task: Task,
        key: &[u8],
        iv: &[u8],
    ) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        let kept = Zeroizing::new(key.to_vec());
        let mut des = Self::new(library, task);
        des.set_key(key)?;
        let renew = move |des: &mut Self| des.set_key(&kept);
        Ok(match contract {
            Contract::Stream => {
                let state = (des, Chain::new(iv, task.operation.is_backward())?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(des, chain), _, buffer| {
                    des.run(chain, buffer)
                })
            }
            _ => inout(contract, des, renew, |des, envelope, buffer| {
                let mut chain = Chain::new(envelope.iv, des.direction == DECRYPT)?;
                des.run(&mut chain, buffer)
            }),
        })
    }

    fn new(library: &IpsecMb, task: Task) -> Self {
        let key_len = task.algorithm.key_len();
        let schedules: Vec<_> = (0..key_len / 8).map(|_| Memory::new(SCHEDULE)).collect();
        let mut all = [ptr::null(); 3];
        all.iter_mut()
            .zip(&schedules)
            .for_each(|(pointer, schedule)| *pointer = schedule.as_ptr());
        Self {
            manager: library.manager,
            expand: library.manager().expand_des_key,
            cipher: if key_len == 8 { DES } else { DES3 },
            direction: if task.operation.is_backward() {
                DECRYPT
            } else {
                ENCRYPT
            },
            key_len,
            schedules,
            all,
        }
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        check(key.len() == self.key_len, "des_key_sched")?;
        let (keys, _) = key.as_chunks::<8>();
        for (schedule, key) in self.schedules.iter_mut().zip(keys) {
            // SAFETY: there is room for a schedule, and the key has the eight bytes that are read.
            let error = unsafe { (self.expand)(schedule.as_mut_ptr(), key.as_ptr().cast()) };
            check(error == 0, "des_key_sched")?;
        }
        Ok(())
    }

    /// The next blocks: no more than a job can count, since where it has no code for many jobs at once, Debian's library
    /// wipes its stack after each block, and 16 MiB would take most of a minute.
    #[inline]
    fn run(&mut self, chain: &mut Chain<8>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        check(buffer.len() <= LONGEST_CHAIN, "submit_job")?;
        chain.run(buffer, |iv, buffer| self.job(iv, buffer))
    }

    #[inline]
    fn job(&mut self, iv: &[u8; 8], buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let keys = match self.cipher {
            DES => self.all[0],
            _ => self.all.as_ptr().cast(),
        };
        let job = next_job(self.manager);
        job.encrypt_keys = keys;
        job.decrypt_keys = keys;
        job.key_len = self.key_len as u64;
        job.cipher = self.cipher;
        job.direction = self.direction;
        cipher_only(job, iv, buffer);
        // SAFETY: the job is filled in by the header's rules, with blocks that the chain has seen to be some; schedules, IV
        // and buffers are there until this returns.
        unsafe { submit(self.manager) }
    }
}

/// Bytes of a key's schedule: sixteen rounds.
pub(super) const SCHEDULE: usize = 16 * 8;
