use ciphertune::{Cbc, Ecb, InOutBuf};
use zeroize::{Zeroize, Zeroizing};

use super::{
    Aligned, Cipher, WITHOUT_TAG, Way, copied, iv_block,
    key::{Keyed, set_key},
    tls::{self, Tls},
};
use crate::{
    BLOCK,
    abi::{RawParam, mode},
    call::Call,
    error::{Failure, Reason},
    param::Param,
    settings::Decisions,
};

/// The modes of whole blocks, ECB and CBC: what is left over is held back for the next call, and the end is padded.
pub(crate) struct Block<M: Mode> {
    key: Option<M>,
    way: Way,
    /// CBC's: the last block of ciphertext.
    register: Aligned,
    /// As it was given.
    iv: [u8; BLOCK],
    iv_set: bool,
    /// Input that waits for the rest of its block, or to be known as the last block.
    held: [u8; BLOCK],
    held_len: usize,
    padding: bool,
    tls: Tls,
}

/// What the two differ in.
pub(crate) trait Mode: Clone + Keyed {
    const MODE: u32;
    const IV_LEN: usize;
    const GETTABLE: &'static [RawParam];
    const SETTABLE: &'static [RawParam];

    /// Whole blocks.
    fn run(
        &self,
        way: Way,
        register: &mut [u8; BLOCK],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<(), ciphertune::Error>;
}

impl Mode for Ecb {
    const MODE: u32 = mode::ECB;
    const IV_LEN: usize = 0;
    const GETTABLE: &'static [RawParam] = WITHOUT_TAG;
    const SETTABLE: &'static [RawParam] = &[RawParam::unsigned(c"padding"), RawParam::END];

    #[inline(always)]
    fn run(
        &self,
        way: Way,
        _: &mut [u8; BLOCK],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<(), ciphertune::Error> {
        match way {
            Way::Encrypt => self.encrypt_inout(buffer),
            Way::Decrypt => self.decrypt_inout(buffer),
        }
    }
}

impl Mode for Cbc {
    const MODE: u32 = mode::CBC;
    const IV_LEN: usize = BLOCK;
    const GETTABLE: &'static [RawParam] = &[
        RawParam::size(c"keylen"),
        RawParam::size(c"ivlen"),
        RawParam::unsigned(c"padding"),
        RawParam::unsigned(c"num"),
        RawParam::bytes(c"iv"),
        RawParam::bytes(c"updated-iv"),
        RawParam::pointer(c"tls-mac"),
        RawParam::END,
    ];
    const SETTABLE: &'static [RawParam] = &[
        RawParam::unsigned(c"padding"),
        RawParam::unsigned(c"tls-version"),
        RawParam::size(c"tls-mac-size"),
        RawParam::END,
    ];

    #[inline(always)]
    fn run(
        &self,
        way: Way,
        register: &mut [u8; BLOCK],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<(), ciphertune::Error> {
        match way {
            Way::Encrypt => self.encrypt_inout(register, buffer),
            Way::Decrypt => self.decrypt_inout(register, buffer),
        }
    }
}

impl<M: Mode> Block<M> {
    // Always, since calls with buffer and outcome in memory are a good part of what a block costs.
    #[inline(always)]
    fn run(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<usize, Failure> {
        let len = buffer.len();
        let key = self.key.as_ref().ok_or(Reason::NoKeySet)?;
        key.run(self.way, &mut self.register.0, buffer)
            .map_err(|_| Reason::CipherOperationFailed)?;
        Ok(len)
    }

    /// Whether what may be the last block, and padded, waits for the end.
    #[inline(always)]
    fn last_waits(&self) -> bool {
        self.way == Way::Decrypt && self.padding
    }

    /// [`Cipher::update`] with blocks held back, or of a record.
    #[inline(never)]
    fn update_held(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        if self.key.is_none() {
            return Err(Reason::NoKeySet.into());
        }
        if self.tls.version != 0 {
            return self.record(call);
        }
        let all = self.held_len + call.len();
        let mut whole = all - all % BLOCK;
        if whole == all && whole > 0 && self.last_waits() {
            whole -= BLOCK;
        }
        let blocks = call.take_blocks(&mut self.held, &mut self.held_len, whole)?;
        self.run(blocks)
    }

    /// A record of TLS, whole and in place.
    fn record(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        if !self.padding {
            return Err(Reason::CipherOperationFailed.into());
        }
        let len = call.len();
        match self.way {
            Way::Encrypt => {
                let record = call.record(BLOCK - len % BLOCK)?;
                tls::pad(self.tls.version, &mut record[len..]);
                self.run(record.into())
            }
            Way::Decrypt => {
                let record = call.record(0)?;
                if !len.is_multiple_of(BLOCK) {
                    return Err(Reason::CipherOperationFailed.into());
                }
                self.run(record.into())?;
                Ok(self.tls.open(record)?)
            }
        }
    }
}

impl<M: Mode> Cipher for Block<M> {
    const MODE: u32 = M::MODE;
    const BLOCK_SIZE: usize = BLOCK;
    const IV_LEN: usize = M::IV_LEN;
    const GETTABLE: &'static [RawParam] = M::GETTABLE;
    const SETTABLE: &'static [RawParam] = M::SETTABLE;

    fn new() -> Self {
        Self {
            key: None,
            way: Way::Encrypt,
            register: Aligned([0; BLOCK]),
            iv: [0; BLOCK],
            iv_set: false,
            held: [0; BLOCK],
            held_len: 0,
            padding: true,
            tls: Tls::default(),
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
        self.held_len = 0;
        if let Some(iv) = iv.filter(|_| M::IV_LEN > 0) {
            self.iv = iv_block(iv)?;
            self.iv_set = true;
        }
        if self.iv_set {
            self.register = Aligned(self.iv);
        }
        if let Some(key) = key {
            set_key(&mut self.key, &decisions.selection, key).expect("its length was checked");
        }
        Ok(())
    }

    #[inline(always)]
    fn update(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        let is_whole = self.held_len == 0 && call.len().is_multiple_of(BLOCK) && !self.last_waits();
        if is_whole && self.tls.version == 0 && self.key.is_some() {
            return self.run(call.buffer()?);
        }
        self.update_held(call.moved())
    }

    fn finish(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        if self.key.is_none() {
            return Err(Reason::NoKeySet.into());
        }
        if self.tls.version != 0 {
            // Records have no end of their own.
            return Err(Reason::CipherOperationFailed.into());
        }
        let padded = self.padding && self.way == Way::Encrypt;
        if !padded && self.held_len != BLOCK {
            return match self.held_len {
                0 if !self.padding => Ok(0),
                _ => Err(Reason::WrongFinalBlockLength.into()),
            };
        }
        if self.way == Way::Encrypt {
            call.room_for(BLOCK)?;
        }
        // Not before everything is there for it: it is text, which must not stay on the stack.
        let mut last = Zeroizing::new(self.held);
        if padded {
            // Byte by byte, which becomes a vector: what `memset` stores is waited for by whoever loads more than that.
            let padding = (BLOCK - self.held_len) as u8;
            for (i, byte) in last.iter_mut().enumerate() {
                *byte = if i < self.held_len { *byte } else { padding };
            }
        }
        self.run((&mut last[..]).into())?;
        let len = match (self.way, self.padding) {
            (Way::Decrypt, true) => unpadded(&last).ok_or(Reason::BadDecrypt),
            _ => Ok(BLOCK),
        };
        let written = len.and_then(|len| call.write(&last[..len]));
        self.held_len = 0;
        Ok(written?)
    }

    #[inline]
    fn cipher(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        self.run(call.buffer()?)
    }

    fn get(&mut self, param: &mut Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"ivlen" => param.set_unsigned(M::IV_LEN)?,
            b"padding" => param.set_unsigned(self.padding.into())?,
            b"num" => param.set_unsigned(0)?,
            b"iv" => param.set_bytes_or_place(&self.iv[..M::IV_LEN])?,
            b"updated-iv" => param.set_bytes_or_place(&self.register.0[..M::IV_LEN])?,
            b"tls-mac" => param.set_bytes_or_place(self.tls.mac())?,
            _ => {}
        }
        Ok(())
    }

    fn set(&mut self, param: &Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"padding" => self.padding = param.unsigned()? != 0,
            b"tls-version" if M::IV_LEN > 0 => self.tls.version = param.unsigned()?,
            b"tls-mac-size" if M::IV_LEN > 0 => self.tls.set_mac_size(param.unsigned()?)?,
            _ => {}
        }
        Ok(())
    }

    copied!(key way register iv iv_set held held_len padding tls);
}

impl<M: Mode> Drop for Block<M> {
    fn drop(&mut self) {
        self.held.zeroize();
    }
}

/// How many bytes are left without the padding of PKCS #7; `None` if it is wrong. Which byte is wrong takes no time to
/// find out: whoever measures learns no more than the answer.
fn unpadded(block: &[u8; BLOCK]) -> Option<usize> {
    let padding = block[BLOCK - 1];
    let mut wrong = u8::from(padding == 0) | u8::from(padding > BLOCK as u8);
    for (byte, from_end) in block.iter().rev().zip(0..) {
        let counts = u8::from(from_end < padding).wrapping_neg();
        wrong |= counts & (byte ^ padding);
    }
    (wrong == 0).then(|| BLOCK - usize::from(padding))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_taken_off_if_every_byte_of_it_is_right() {
        for padding in 1..=BLOCK {
            let mut block = [0x55; BLOCK];
            block[BLOCK - padding..].fill(padding as u8);
            assert_eq!(unpadded(&block), Some(BLOCK - padding));
            for i in BLOCK - padding..BLOCK {
                let mut damaged = block;
                damaged[i] ^= 0x20;
                assert_eq!(unpadded(&damaged), None, "{padding} bytes, byte {i}");
            }
        }
        assert_eq!(unpadded(&[0; BLOCK]), None);
        assert_eq!(unpadded(&[17; BLOCK]), None);
    }
}
