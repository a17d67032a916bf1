use ciphertune::{Cfb, Cfb8, Feedback, InOutBuf, Ofb};

use super::{
    Cipher, Way, copied, iv_block,
    key::{Keyed, set_key},
};
use crate::{
    BLOCK,
    abi::mode,
    call::Call,
    error::{Failure, Reason},
    param::Param,
    settings::Decisions,
};

/// The modes that make the next keystream block from the last ciphertext or the last keystream: CFB, CFB-8 and OFB.
pub(crate) struct FeedbackCipher<M> {
    key: Option<M>,
    way: Way,
    at: Feedback,
    /// As it was given.
    iv: [u8; BLOCK],
    iv_set: bool,
    padding: bool,
}

/// What they differ in.
pub(crate) trait Mode: Clone + Keyed {
    const MODE: u32;
    /// Whether messages are taken by blocks, parts of which are left for the next call.
    const BY_BLOCKS: bool = true;
    /// See [`Cipher::TESTED`].
    const TESTED: &'static [usize] = &[16, 61, 250, 1021, 4099];

    fn run(&self, way: Way, at: &mut Feedback, buffer: InOutBuf<'_, '_, u8>);
}

impl Mode for Cfb {
    const MODE: u32 = mode::CFB;

    #[inline]
    fn run(&self, way: Way, at: &mut Feedback, buffer: InOutBuf<'_, '_, u8>) {
        match way {
            Way::Encrypt => self.encrypt_inout(at, buffer),
            Way::Decrypt => self.decrypt_inout(at, buffer),
        }
    }
}

impl Mode for Ofb {
    const MODE: u32 = mode::OFB;

    #[inline]
    fn run(&self, _: Way, at: &mut Feedback, buffer: InOutBuf<'_, '_, u8>) {
        self.apply_inout(at, buffer);
    }
}

impl Mode for Cfb8 {
    const MODE: u32 = mode::CFB;
    const BY_BLOCKS: bool = false;
    // A block of AES for each byte.
    const TESTED: &'static [usize] = &[16, 61, 250];

    fn run(&self, way: Way, at: &mut Feedback, buffer: InOutBuf<'_, '_, u8>) {
        let mut register = *at.block();
        match way {
            Way::Encrypt => self.encrypt_inout(&mut register, buffer),
            Way::Decrypt => self.decrypt_inout(&mut register, buffer),
        }
        *at = Feedback::new(register);
    }
}

impl<M: Mode> Cipher for FeedbackCipher<M> {
    const MODE: u32 = M::MODE;
    const BLOCK_SIZE: usize = 1;
    const IV_LEN: usize = BLOCK;
    const TESTED: &'static [usize] = M::TESTED;

    fn new() -> Self {
        Self {
            key: None,
            way: Way::Encrypt,
            at: Feedback::new([0; BLOCK]),
            iv: [0; BLOCK],
            iv_set: false,
            padding: true,
        }
    }

    fn init(
        &mut self,
        way: Way,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        decisions: &Decisions,
    ) -> Result<(), Failure> {
        self.way = way;
        if let Some(iv) = iv {
            self.iv = iv_block(iv)?;
            self.iv_set = true;
        }
        // Without a new IV a message starts with the one before.
        self.at = Feedback::new(if self.iv_set { self.iv } else { *self.at.block() });
        if let Some(key) = key {
            set_key(&mut self.key, &decisions.selection, key).expect("its length was checked");
        }
        Ok(())
    }

    // Always: see `Block::run`.
    #[inline(always)]
    fn update(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        let key = self.key.as_ref().ok_or(Reason::NoKeySet)?;
        let len = call.len();
        key.run(self.way, &mut self.at, call.buffer()?);
        Ok(len)
    }

    fn finish(&mut self, _call: Call<'_>) -> Result<usize, Failure> {
        match self.key {
            Some(_) => Ok(0),
            None => Err(Reason::NoKeySet.into()),
        }
    }

    fn get(&mut self, param: &mut Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"ivlen" => param.set_unsigned(BLOCK)?,
            b"padding" => param.set_unsigned(self.padding.into())?,
            b"num" => param.set_unsigned(self.at.used())?,
            b"iv" => param.set_bytes_or_place(&self.iv)?,
            b"updated-iv" => param.set_bytes_or_place(self.at.block())?,
            _ => {}
        }
        Ok(())
    }

    fn set(&mut self, param: &Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"padding" => self.padding = param.unsigned()? != 0,
            b"num" => match param.unsigned()? {
                num if num < BLOCK && (M::BY_BLOCKS || num == 0) => {
                    self.at.set_used(num);
                }
                _ => return Err(Reason::FailedToGetParameter.into()),
            },
            _ => {}
        }
        Ok(())
    }

    copied!(key way at iv iv_set padding);
}
