use std::fmt;

use ciphertune_engine::{BLOCK, Implementation, Key, Keystream};
use inout::InOutBuf;

use crate::{Error, Plan, selection};

/// AES in counter mode (FIPS 197; SP 800-38A, §6.5): a stream of keystream, xored into whatever it is given.
///
/// Encrypting and decrypting are the same. The counter is the whole block: 128 bits, big-endian, wrapping.
/// **A pair of key and IV must never be used for two messages**, and counter mode protects nothing from being
/// changed: authenticate what it encrypted.
///
/// Key and unused keystream are wiped on drop.
pub struct Ctr(Box<State>);

/// On the heap, where it stays until it is wiped: moving a key would leave copies of it behind.
struct State {
    key: Key,
    keystream: Keystream,
    plan: Plan,
    /// The first counter block.
    iv: u128,
}

impl Ctr {
    /// A stream with a key of 16, 24 or 32 bytes and the first counter block, 16 bytes. What serves which
    /// length is up to [`selection`].
    pub fn new(key: &[u8], iv: &[u8]) -> Result<Self, Error> {
        Self::with_plan(selection()?.ctr(key.len())?, key, iv)
    }

    /// As [`Ctr::new`], by one implementation whatever the length.
    pub fn with_implementation(implementation: Implementation, key: &[u8], iv: &[u8]) -> Result<Self, Error> {
        Self::with_plan(&Plan::forced(implementation)?, key, iv)
    }

    /// As [`Ctr::new`], by the plan's implementations.
    pub fn with_plan(plan: &Plan, key: &[u8], iv: &[u8]) -> Result<Self, Error> {
        let iv = first_block(iv)?;
        let mut state = Box::new(State {
            key: Key::empty(),
            keystream: Keystream::new(iv),
            plan: *plan,
            iv,
        });
        plan.kernel(0).expand(&mut state.key, key)?;
        Ok(Self(state))
    }

    /// Encrypts or decrypts `data` in place and moves on by its length.
    ///
    /// [`Error::Exhausted`]: the stream ends before; `data` is as it was.
    #[inline]
    pub fn apply(&mut self, data: &mut [u8]) -> Result<(), Error> {
        self.run(data.into())
    }

    /// Encrypts or decrypts `input` into `output`, which must have the same length, and moves on by it.
    ///
    /// [`Error::OutputLength`], [`Error::Exhausted`]: `output` is as it was.
    #[inline]
    pub fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        let (input_len, output_len) = (input.len(), output.len());
        let buffer = InOutBuf::new(input, output).map_err(|_| Error::OutputLength {
            input: input_len,
            output: output_len,
        })?;
        self.run(buffer)
    }

    #[inline]
    fn run(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        // A cheap look first: the end is 2^124 blocks away, and no buffer is as long as that.
        let blocks = self.0.keystream.next_counter().wrapping_sub(self.0.iv);
        if blocks >> 120 != 0 && self.position().checked_add(buffer.len() as u128).is_none() {
            return Err(Error::Exhausted);
        }
        let state = &mut *self.0;
        let kernel = state.plan.kernel(buffer.len());
        kernel.ctr(&mut state.key, &mut state.keystream, buffer);
        Ok(())
    }

    /// How many bytes of keystream lie before the next one.
    #[inline]
    pub fn position(&self) -> u128 {
        let State { keystream, iv, .. } = &*self.0;
        let blocks = keystream.next_counter().wrapping_sub(*iv);
        // The position is below 2^128; only the blocks made ahead of it may lie beyond.
        blocks
            .wrapping_mul(BLOCK as u128)
            .wrapping_sub(keystream.unused() as u128)
    }

    /// Goes to the keystream's byte `position`, forward or back.
    ///
    /// Going back makes the same keystream again: that is for reading what was encrypted there, never for
    /// encrypting anything else.
    pub fn seek(&mut self, position: u128) {
        let state = &mut *self.0;
        let block = BLOCK as u128;
        state.keystream.restart(state.iv.wrapping_add(position / block));
        let mut skipped = [0; BLOCK];
        let skipped = &mut skipped[..(position % block) as usize];
        state
            .plan
            .kernel(0)
            .ctr(&mut state.key, &mut state.keystream, skipped.into());
    }

    /// Takes a new key and first counter block and starts at position 0, in the same place in memory. The old
    /// key is wiped; on an error nothing has changed. The plan stays the one that the context was made with, so a
    /// key of another size is better given to a new one.
    pub fn rekey(&mut self, key: &[u8], iv: &[u8]) -> Result<(), Error> {
        let iv = first_block(iv)?;
        let state = &mut *self.0;
        state.plan.kernel(0).expand(&mut state.key, key)?;
        state.keystream.restart(iv);
        state.iv = iv;
        Ok(())
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
        let mut state = Box::new(State {
            key: Key::empty(),
            keystream: Keystream::new(self.0.iv),
            plan: self.0.plan,
            iv: self.0.iv,
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
