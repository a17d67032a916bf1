use ciphertune::{Error, Xts};

use super::{Cipher, Way, copied, iv_block, key::set_key};
use crate::{
    BLOCK,
    abi::{RawParam, mode},
    call::Call,
    error::{Failure, Reason},
    param::Param,
    settings::Decisions,
};

/// XTS: each call is a data unit of its own, with the IV as its number.
pub(crate) struct XtsCipher {
    key: Option<Xts>,
    way: Way,
    iv: [u8; BLOCK],
    iv_set: bool,
}

impl Cipher for XtsCipher {
    const MODE: u32 = mode::XTS;
    const BLOCK_SIZE: usize = 1;
    const IV_LEN: usize = BLOCK;
    const CUSTOM_IV: bool = true;
    const OTHER_KEY_LEN: Option<Failure> = Some(Failure::Silent);
    const SETTABLE: &'static [RawParam] = &[RawParam::size(c"keylen"), RawParam::END];

    fn new() -> Self {
        Self {
            key: None,
            way: Way::Encrypt,
            iv: [0; BLOCK],
            iv_set: false,
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
        if let Some(key) = key {
            match (set_key(&mut self.key, &decisions.selection, key), way) {
                (Ok(()), _) => {}
                // What somebody encrypted with a weak key must stay readable.
                (Err(Error::XtsKeyHalves), Way::Decrypt) => {
                    let xts = Xts::for_old_data(&decisions.selection, key);
                    self.key = Some(xts.map_err(|_| Reason::InvalidKeyLength)?);
                }
                (Err(Error::XtsKeyHalves), Way::Encrypt) => return Err(Reason::XtsDuplicatedKeys.into()),
                (Err(_), _) => return Err(Reason::InvalidKeyLength.into()),
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn update(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        self.cipher(call).map_err(Failure::said)
    }

    fn finish(&mut self, _call: Call<'_>) -> Result<usize, Failure> {
        Ok(0)
    }

    // Always, since calls with buffer and outcome in memory are a good part of what a block costs.
    #[inline(always)]
    fn cipher(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        let (Some(key), true) = (&self.key, self.iv_set) else {
            return Err(Failure::Silent);
        };
        let (len, unit) = (call.len(), u128::from_le_bytes(self.iv));
        let buffer = call.buffer()?;
        match self.way {
            Way::Encrypt => key.encrypt_inout(unit, buffer),
            Way::Decrypt => key.decrypt_inout(unit, buffer),
        }
        .map_err(|_| match len {
            ..=Xts::LONGEST => Failure::Silent,
            _ => Reason::XtsDataUnitIsTooLarge.into(),
        })?;
        Ok(len)
    }

    fn get(&mut self, param: &mut Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"ivlen" => param.set_unsigned(BLOCK)?,
            b"padding" => param.set_unsigned(1)?,
            b"num" => param.set_unsigned(0)?,
            b"iv" | b"updated-iv" => param.set_bytes_or_place(&self.iv)?,
            _ => {}
        }
        Ok(())
    }

    fn set(&mut self, _param: &Param<'_>) -> Result<(), Failure> {
        Ok(())
    }

    copied!(key way iv iv_set);
}
