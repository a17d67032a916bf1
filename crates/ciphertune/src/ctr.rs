use std::fmt;

use ciphertune_engine::{BLOCK, Implementation, Kernel, Key, Keystream};
use inout::InOutBuf;

use crate::{
    Error, Mode, Plan, Selection, Threads,
    keyed::{apart, boxed},
    parallel::{self, Rules, Stream},
    selection,
};

/// AES in counter mode (FIPS 197; SP 800-38A, §6.5): a stream of keystream, xored into whatever it is given.
///
/// Encrypting and decrypting are the same. The counter is the whole block: 128 bits, big-endian, wrapping.
/// **A pair of key and IV must never be used for two messages**, and counter mode protects nothing from being
/// changed: authenticate what it encrypted.
///
/// A forked child's copy stands where its parent's does, as a clone would: only one of the two may encrypt anything further.
///
/// Key and unused keystream are wiped on drop.
pub struct Ctr(Box<State>);

/// On the heap, where it stays until it is wiped: moving a key would leave copies of it behind.
struct State {
    key: Key,
    /// In bytes.
    key_len: usize,
    keystream: Keystream,
    plan: Plan,
    /// The first counter block.
    iv: u128,
    rules: Rules,
    stream: Stream,
}

impl Ctr {
    /// Bytes under one key, in calls of more than 64, by which AES instructions have made a first round ahead for it, and by
    /// twice as many a second: a test of all that serves a key goes twice as far, and further.
    pub const BUSY_AFTER: usize = Kernel::BUSY_AFTER;

    /// A stream with a key of 16, 24 or 32 bytes and the first counter block, 16 bytes. What serves which
    /// length is up to [`selection`].
    ///
    /// [`Error::KeyLength`], [`Error::IvLength`], and what [`selection`] answers where the environment forces what is not
    /// there.
    pub fn new(key: &[u8], iv: &[u8]) -> Result<Self, Error> {
        Self::with_selection(selection()?, key, iv)
    }

    /// As [`Ctr::new`], by another selection.
    ///
    /// [`Error::KeyLength`], [`Error::IvLength`].
    pub fn with_selection(selection: &Selection, key: &[u8], iv: &[u8]) -> Result<Self, Error> {
        Self::with_plan(selection.plans(Mode::Ctr, key.len())?.forward(), key, iv)
    }

    /// As [`Ctr::new`], by one implementation whatever the length.
    ///
    /// [`Error::KeyLength`], [`Error::IvLength`]; [`Error::Unavailable`]: this processor lacks what it needs.
    pub fn with_implementation(implementation: Implementation, key: &[u8], iv: &[u8]) -> Result<Self, Error> {
        Self::with_plan(&Plan::forced(implementation)?, key, iv)
    }

    /// As [`Ctr::new`], by the plan's implementations.
    ///
    /// [`Error::KeyLength`], [`Error::IvLength`].
    pub fn with_plan(plan: &Plan, key: &[u8], iv: &[u8]) -> Result<Self, Error> {
        let iv = first_block(iv)?;
        let mut state = boxed!(State {
            key: Key::empty(),
            keystream: Keystream::new(iv),
            plan: *plan,
            iv,
            key_len: key.len(),
            rules: Rules::NONE,
            stream: Stream::Serial,
        });
        plan.kernel(0).expand(&mut state.key, key)?;
        Ok(Self(state))
    }

    /// Lets it use threads of its own, or no longer. It starts with none. [`Threads::MEASURED`] goes by the size of the
    /// key that it has now.
    pub fn set_threads(&mut self, threads: Threads) {
        let state = &mut *self.0;
        // As it is when it is made, which for those who make many is not to cost anything.
        if threads == Threads::NONE && !state.rules.any() {
            return;
        }
        state.rules = Rules::new(threads, &state.plan, state.key_len);
        state.stream = Stream::new(&state.rules);
    }

    /// Encrypts or decrypts `data` in place and moves on by its length.
    ///
    /// [`Error::Exhausted`]: the stream ends before; `data` is as it was.
    #[inline]
    pub fn apply(&mut self, data: &mut [u8]) -> Result<(), Error> {
        self.apply_inout(data.into())
    }

    /// Encrypts or decrypts `input` into `output`, which must have the same length, and moves on by it.
    ///
    /// [`Error::OutputLength`], [`Error::Exhausted`]: `output` is as it was.
    #[inline]
    pub fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.apply_inout(apart(input, output)?)
    }

    /// As [`Ctr::apply`], or [`Ctr::apply_to`] where input and output are apart.
    // Always, since a call of its own, with text and outcome in memory, is half of what 16 bytes cost.
    #[inline(always)]
    pub fn apply_inout(&mut self, mut buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        // A cheap look first: the end is 2^124 blocks away, and no buffer is as long as that.
        let blocks = self.0.keystream.next_counter().wrapping_sub(self.0.iv);
        if blocks >> 120 != 0 && self.ends_within(buffer.len()) {
            return Err(Error::Exhausted);
        }
        let state = &mut *self.0;
        if state.rules.any() {
            // Lent, so that it is put into memory here alone.
            state.run_with_threads(buffer.reborrow());
        } else {
            let kernel = state.plan.kernel(buffer.len());
            kernel.ctr(&mut state.key, &mut state.keystream, buffer);
        }
        Ok(())
    }

    #[cold]
    fn ends_within(&self, bytes: usize) -> bool {
        self.position().checked_add(bytes as u128).is_none()
    }

    /// How many bytes of keystream lie before the next one.
    #[inline]
    pub fn position(&self) -> u128 {
        parallel::position(self.0.iv, &self.0.keystream)
    }

    /// Goes to the keystream's byte `position`, forward or back.
    ///
    /// Going back makes the same keystream again: that is for reading what was encrypted there, never for
    /// encrypting anything else.
    pub fn seek(&mut self, position: u128) {
        let state = &mut *self.0;
        let block = BLOCK as u128;
        state.keystream.restart(state.iv.wrapping_add(position / block));
        let within = (position % block) as usize;
        state
            .plan
            .kernel(0)
            .ctr_skip(&mut state.key, &mut state.keystream, within);
    }

    /// Takes a new key and first counter block and starts at position 0, in the same place in memory. The old
    /// key is wiped; on an error nothing has changed. The plan stays the one that the context was made with, so a
    /// key of another size is better given to a new one.
    ///
    /// [`Error::KeyLength`], [`Error::IvLength`].
    pub fn rekey(&mut self, key: &[u8], iv: &[u8]) -> Result<(), Error> {
        let iv = first_block(iv)?;
        let state = &mut *self.0;
        state.plan.kernel(0).expand(&mut state.key, key)?;
        state.key_len = key.len();
        state.begin(iv);
        Ok(())
    }

    /// Starts at position 0 of another first counter block with the same key.
    ///
    /// [`Error::IvLength`]: nothing has changed.
    pub fn restart(&mut self, iv: &[u8]) -> Result<(), Error> {
        self.0.begin(first_block(iv)?);
        Ok(())
    }
}

impl State {
    /// Position 0 of the keystream from `iv` on. What was made ahead belongs to another.
    fn begin(&mut self, iv: u128) {
        self.keystream.restart(iv);
        self.iv = iv;
        self.stream.restart(&self.rules);
    }

    #[inline(never)]
    fn run_with_threads(&mut self, buffer: InOutBuf<'_, '_, u8>) {
        let Self {
            key, keystream, plan, ..
        } = self;
        match self.rules.split(buffer.len()) {
            0 => self
                .stream
                .ctr(&self.rules, plan, self.iv, key, keystream, buffer),
            helpers => parallel::bulk(plan.kernel(buffer.len()), key, keystream, buffer, helpers),
        }
    }
}

fn first_block(iv: &[u8]) -> Result<u128, Error> {
    let iv: [u8; BLOCK] = iv.try_into().map_err(|_| Error::IvLength(iv.len()))?;
    Ok(u128::from_be_bytes(iv))
}

/// Another stream that stands where this one does and goes on by itself. **Only one of the two may encrypt anything
/// further**: the same keystream would serve two messages.
impl Clone for Ctr {
    fn clone(&self) -> Self {
        let mut state = boxed!(State {
            key: Key::empty(),
            keystream: Keystream::new(self.0.iv),
            key_len: self.0.key_len,
            plan: self.0.plan,
            iv: self.0.iv,
            rules: self.0.rules,
            stream: Stream::new(&self.0.rules),
        });
        state.key.copy_from(&self.0.key);
        state.keystream.copy_from(&self.0.keystream);
        Self(state)
    }
}

/// Shows neither key nor keystream.
impl fmt::Debug for Ctr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctr")
            .field("plan", &self.0.plan)
            .finish_non_exhaustive()
    }
}
