//! Messages in CBC and CTR by the call that does several with one key at once, which takes less than a manager's jobs do for
//! one as well.
use std::mem;

use ciphertune_testkit::{Contract, Envelope, Fault, Task};
use inout::InOutBuf;

use super::{
    IpsecMb,
    aes::Keyed,
    header::{CIPHER_HASH, COMPLETED, DECRYPT, Job, LaterJob, NO_HASH},
    job::LONGEST_CHAIN,
};
use crate::{
    Timed,
    context::block,
    library::check,
    many::{AtOnce, SideBySide},
    peers::{chain::Chain, counter::Part},
};

/// A context for many messages.
pub(super) fn context(library: &IpsecMb, task: Task, key: &[u8]) -> Box<dyn Timed> {
    let with = |message| {
        let mut keyed = Keyed::new(library, task);
        keyed.set_key(&task.contract.key(key, message));
        keyed
    };
    let keys = match task.contract {
        Contract::ManyKeys => (0..Contract::MANY).map(with).collect(),
        _ => vec![with(0)],
    };
    match library.has_later_jobs {
        true => Box::new(AtOnce(Burst::<LaterJob>::new(keys))),
        false => Box::new(AtOnce(Burst::<Job>::new(keys))),
    }
}

/// A context for messages one by one.
pub(super) struct Messages<J> {
    keyed: Keyed,
    /// All that does not change from message to message is filled in.
    jobs: [J; 2],
}

impl<J: From<Job> + AsMut<Job>> Messages<J> {
    pub(super) fn new(keyed: Keyed) -> Self {
        let jobs = [(); 2].map(|()| empty_job(&keyed).into());
        Self { keyed, jobs }
    }

    #[inline]
    pub(super) fn set_key(&mut self, key: &[u8]) {
        self.keyed.set_key(key);
    }

    /// A message in CBC, in pieces that encryption can count.
    #[inline]
    pub(super) fn chained(&mut self, iv: &[u8], mut buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        // It takes no jobs of no bytes.
        if buffer.is_empty() {
            return Ok(());
        }
        if buffer.len() <= LONGEST_CHAIN || self.keyed.direction == DECRYPT {
            return self.run(&block(iv)?, buffer);
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

    #[inline]
    pub(super) fn run(&mut self, iv: &[u8; 16], buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        self.run_together(Some((iv, buffer)), None)
    }

    /// One message or two, each of a byte at least and of no more than a job takes.
    #[inline]
    pub(super) fn run_together(
        &mut self,
        one: Option<Part<'_>>,
        other: Option<Part<'_>>,
    ) -> Result<(), Fault> {
        let mut count = 0;
        for (iv, buffer) in one.into_iter().chain(other) {
            let len = buffer.len();
            let (input, output) = buffer.into_raw();
            fill_in(self.jobs[count].as_mut(), iv.as_ptr(), input, output, len);
            count += 1;
        }
        // SAFETY: the jobs are this context's, with its key; IVs and texts are borrowed until this returns, by one for as long
        // as the other.
        unsafe { submit_burst(&self.keyed, &mut self.jobs[..count]) }
    }
}

struct Burst<J> {
    /// One for all messages, or one for each.
    keys: Vec<Keyed>,
    /// All that does not change from call to call is filled in, the key of each message with it.
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

impl Rest {
    /// Gives as much of it as a job takes, a byte at least.
    #[inline]
    fn begin(&mut self, job: &mut Job) {
        let len = self.len.min(LONGEST_CHAIN);
        fill_in(job, self.iv, self.input, self.output, len);
        self.len -= len;
        self.input = self.input.wrapping_add(len);
        self.output = self.output.wrapping_add(len);
        // A chain goes on with what it has written last.
        self.iv = self.output.wrapping_sub(16);
    }
}

impl<J: From<Job>> Burst<J> {
    fn new(keys: Vec<Keyed>) -> Self {
        let jobs = keys.iter().cycle().take(Contract::MANY);
        let jobs = jobs.map(|keyed| empty_job(keyed).into()).collect();
        Self {
            keys,
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
        let rests = messages.map(|(envelope, buffer)| {
            let len = buffer.len();
            let (input, output) = buffer.into_raw();
            let iv = envelope.iv.as_ptr();
            Rest {
                iv,
                input,
                output,
                len,
            }
        });
        // It takes no jobs of no bytes.
        let rests = rests.filter(|rest| rest.len > 0);
        self.rests.clear();
        let mut count = 0;
        for (job, mut rest) in self.jobs.iter_mut().map(J::as_mut).zip(rests) {
            rest.begin(job);
            count += 1;
            if rest.len > 0 {
                self.rests.push(rest);
            }
        }
        // The messages are of one length, so that each has the same job every time.
        while count > 0 {
            // SAFETY: the jobs are this context's, with its keys; the messages are borrowed for longer.
            unsafe { submit_burst(&self.keys[0], &mut self.jobs[..count]) }?;
            let left = self.rests.iter_mut().filter(|rest| rest.len > 0);
            count = 0;
            for (job, rest) in self.jobs.iter_mut().map(J::as_mut).zip(left) {
                rest.begin(job);
                count += 1;
            }
        }
        Ok(())
    }
}

/// Says what one of [`empty_job`]'s works on.
#[inline]
fn fill_in(job: &mut Job, iv: *const u8, input: *const u8, output: *mut u8, len: usize) {
    (job.iv, job.input, job.output) = (iv, input, output);
    job.cipher_len = len as u64;
    job.status = 0;
}

/// Does these jobs, which lie as this version of the library has them.
///
/// # Safety
/// Each is [`empty_job`]'s, of `keyed` or another key of the same size, and filled in: its IV is readable, its input too and
/// its output the caller's to write for as many bytes as it says, in place or apart.
#[inline]
unsafe fn submit_burst<J: AsMut<Job>>(keyed: &Keyed, jobs: &mut [J]) -> Result<(), Fault> {
    let &Keyed {
        manager,
        key_len,
        cipher,
        direction,
        ..
    } = keyed;
    // SAFETY: valid for ever and set up; copied out is a pointer to a function.
    let burst = unsafe { (*manager.as_ptr()).cipher_burst_unchecked };
    // SAFETY: by the caller the jobs are filled in by the header's rules, with such a key, cipher and direction; they are done
    // when this returns.
    let done = unsafe {
        burst(
            manager.as_ptr(),
            jobs.as_mut_ptr().cast(),
            jobs.len() as u32,
            cipher,
            direction,
            key_len as u64,
        )
    };
    let all_done = jobs.iter_mut().all(|job| job.as_mut().status == COMPLETED);
    check(
        done as usize == jobs.len() && all_done,
        "submit_cipher_burst_nocheck",
    )
}
