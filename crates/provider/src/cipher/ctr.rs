use ciphertune::Ctr;

use super::{Cipher, Way, copied, iv_block};
use crate::{
    BLOCK,
    abi::mode,
    call::Call,
    error::{Failure, Reason},
    param::Param,
    settings::Decisions,
};

/// Counter mode. Encrypting and decrypting are the same.
pub(crate) struct CtrCipher {
    /// Once there is a key.
    stream: Option<Ctr>,
    /// The counter with which the stream began.
    first: u128,
    /// As it was given.
    iv: [u8; BLOCK],
    /// The counter of the next block, as it was last asked for.
    updated_iv: [u8; BLOCK],
    /// Whether a caller was given the place of `updated_iv`, where it reads the counter from then on.
    placed: bool,
    padding: bool,
}

impl CtrCipher {
    fn position(&self) -> u128 {
        self.stream.as_ref().map_or(0, Ctr::position)
    }

    /// The counter of the first block of which no byte has been used.
    fn next_counter(&self) -> u128 {
        self.first.wrapping_add(self.position().div_ceil(BLOCK as u128))
    }

    /// Goes to byte `num` of the block before the next counter's: what `updated-iv` and `num` said of a stream lets
    /// another go on with it.
    fn resume(&mut self, num: usize) -> Result<(), Failure> {
        let next = self.next_counter();
        if num == 0 {
            // Without a key there is nothing that could be within a block.
            if let Some(stream) = &mut self.stream {
                restart(stream, next);
            }
            self.first = next;
            return Ok(());
        }
        let stream = self.stream.as_mut().ok_or(Reason::NoKeySet)?;
        if num < BLOCK {
            self.first = next.wrapping_sub(1);
            restart(stream, self.first);
            stream.seek(num as u128);
        } else {
            return Err(Reason::FailedToGetParameter.into());
        }
        Ok(())
    }

    #[cold]
    fn update_iv(&mut self) {
        self.updated_iv = self.next_counter().to_be_bytes();
    }
}

fn restart(stream: &mut Ctr, counter: u128) {
    stream
        .restart(&counter.to_be_bytes())
        .expect("a counter has the length of a block");
}

impl Cipher for CtrCipher {
    const MODE: u32 = mode::CTR;
    const BLOCK_SIZE: usize = 1;
    const IV_LEN: usize = BLOCK;
    const BUSY_AFTER: usize = Ctr::BUSY_AFTER;

    fn new() -> Self {
        Self {
            stream: None,
            first: 0,
            iv: [0; BLOCK],
            updated_iv: [0; BLOCK],
            placed: false,
            padding: true,
        }
    }

    fn init(
        &mut self,
        _way: Way,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        decisions: &Decisions,
    ) -> Result<(), Failure> {
        self.first = match iv {
            Some(iv) => {
                self.iv = iv_block(iv)?;
                u128::from_be_bytes(self.iv)
            }
            // A stream that goes on, with the next whole block.
            None => self.next_counter(),
        };
        let counter = self.first.to_be_bytes();
        let checked = "lengths were checked";
        match (&mut self.stream, key) {
            (Some(stream), Some(key)) => stream.rekey(key, &counter).expect(checked),
            (Some(stream), None) => stream.restart(&counter).expect(checked),
            (None, Some(key)) => {
                let mut stream = Ctr::with_selection(&decisions.selection, key, &counter).expect(checked);
                stream.set_threads(decisions.threads(key.len()));
                self.stream = Some(stream);
            }
            (None, None) => {}
        }
        if self.placed {
            self.update_iv();
        }
        Ok(())
    }

    // Always: see `Block::run`.
    #[inline(always)]
    fn update(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        let stream = self.stream.as_mut().ok_or(Reason::NoKeySet)?;
        let len = call.len();
        let applied = stream.apply_inout(call.buffer()?);
        applied.map_err(|_| Reason::CipherOperationFailed)?;
        if self.placed {
            self.update_iv();
        }
        Ok(len)
    }

    fn finish(&mut self, _call: Call<'_>) -> Result<usize, Failure> {
        match self.stream {
            Some(_) => Ok(0),
            None => Err(Reason::NoKeySet.into()),
        }
    }

    fn get(&mut self, param: &mut Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"ivlen" => param.set_unsigned(BLOCK)?,
            b"padding" => param.set_unsigned(self.padding.into())?,
            b"num" => param.set_unsigned((self.position() % BLOCK as u128) as usize)?,
            b"iv" => param.set_bytes_or_place(&self.iv)?,
            b"updated-iv" => {
                self.update_iv();
                self.placed |= param.is_place();
                param.set_bytes_or_place(&self.updated_iv)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn set(&mut self, param: &Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"padding" => self.padding = param.unsigned()? != 0,
            b"num" => self.resume(param.unsigned()?)?,
            _ => {}
        }
        Ok(())
    }

    copied!(stream first iv updated_iv placed padding);
}
