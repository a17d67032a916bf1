//! Many messages in CBC, encrypted with one key by the call that is there for that.
use std::mem;

use ciphertune_testkit::{Contract, Envelope, Fault, Task};
use inout::InOutBuf;

use super::{
    IpsecMb,
    aes::Keyed,
    header::{CIPHER_HASH, COMPLETED, Job, LaterJob, NO_HASH},
    job::LONGEST_CHAIN,
};
use crate::{
    Timed,
    library::check,
    many::{AtOnce, SideBySide},
};

/// A context for many messages.
pub(super) fn context(library: &IpsecMb, task: Task, key: &[u8]) -> Box<dyn Timed> {
    let mut keyed = Keyed::new(library, task);
    keyed.set_key(key);
    match library.has_later_jobs {
        true => Box::new(AtOnce(Burst::<LaterJob>::new(keyed))),
        false => Box::new(AtOnce(Burst::<Job>::new(keyed))),
    }
}

struct Burst<J> {
    keyed: Keyed,
    /// All that does not change from message to message is filled in.
    jobs: Vec<J>,
    rests: Vec<Rest>,
}

/// What is still to be done of a message.
struct Rest {
    iv: *const u8,
    input: *const u8,
    output: *mut u8,
    len: usize,
}

impl<J: From<Job>> Burst<J> {
    fn new(keyed: Keyed) -> Self {
        let jobs = (0..Contract::MANY).map(|_| empty_job(&keyed).into()).collect();
        Self {
            keyed,
            jobs,
            rests: Vec::with_capacity(Contract::MANY),
        }
    }
}

/// A job of one's own, with this key, for messages to come.
fn empty_job(keyed: &Keyed) -> Job {
    // SAFETY: numbers and pointers that may be NULL: zeros are valid for all of them.
    let mut job: Job = unsafe { mem::zeroed() };
    keyed.put_into(&mut job);
    job.iv_len = 16;
    job.hash = NO_HASH;
    job.order = CIPHER_HASH;
    job
}

impl<J: AsMut<Job>> SideBySide for Burst<J> {
    #[inline]
    fn run<'a>(
        &mut self,
        messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>,
    ) -> Result<(), Fault> {
        let Keyed {
            manager,
            key_len,
            cipher,
            direction,
            ..
        } = self.keyed;
        // SAFETY: valid for ever and set up; copied out is a pointer to a function.
        let burst = unsafe { (*manager.as_ptr()).cipher_burst_unchecked };
        self.rests.clear();
        self.rests.extend(messages.map(|(envelope, buffer)| {
            let len = buffer.len();
            let (input, output) = buffer.into_raw();
            let iv = envelope.iv.as_ptr();
            Rest {
                iv,
                input,
                output,
                len,
            }
        }));
        loop {
            // It takes no jobs of no bytes.
            let left = self.rests.iter_mut().filter(|rest| rest.len > 0);
            let mut count = 0;
            for (job, rest) in self.jobs.iter_mut().map(J::as_mut).zip(left) {
                let len = rest.len.min(LONGEST_CHAIN);
                (job.iv, job.input, job.output) = (rest.iv, rest.input, rest.output);
                job.cipher_len = len as u64;
                job.status = 0;
                rest.len -= len;
                rest.input = rest.input.wrapping_add(len);
                rest.output = rest.output.wrapping_add(len);
                // A chain goes on with what it has written last.
                rest.iv = rest.output.wrapping_sub(16);
                count += 1;
            }
            if count == 0 {
                return Ok(());
            }
            // SAFETY: the jobs lie as this version has them, and are filled in by the header's rules, with this key, cipher and
            // direction. Inputs are readable and outputs ours to write for as many bytes, in place or apart, and readable are the IVs, for as
            // long as the messages are borrowed; the jobs are done when this returns.
            let done = unsafe {
                burst(
                    manager.as_ptr(),
                    self.jobs.as_mut_ptr().cast(),
                    count as u32,
                    cipher,
                    direction,
                    key_len as u64,
                )
            };
            let mut done_jobs = self.jobs[..count].iter_mut().map(J::as_mut);
            let all_done = done_jobs.all(|job| job.status == COMPLETED);
            check(done as usize == count && all_done, "submit_cipher_burst_nocheck")?;
        }
    }
}
