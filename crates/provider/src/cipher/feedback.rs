use ciphertune::{Cbc, Cfb, Plan};
use zeroize::{Zeroize, Zeroizing};

use super::{Cipher, Way, iv_block, key_of};
use crate::{
    BLOCK,
    abi::{RawParam, mode},
    call::{Buffer, Call},
    error::{Failure, Reason},
    param::Param,
    settings::Plans,
};

/// The modes that make the next keystream block from the last ciphertext or keystream: CFB, CFB-8 and OFB.
#[derive(Clone)]
pub(crate) struct Feedback<M: Mode> {
    key_len: usize,
    key: Option<M>,
    way: Way,
    /// What the next block is made from. Where a block has been begun, its first `num` bytes are done with, and the
    /// others are keystream.
    register: [u8; BLOCK],
    num: usize,
    /// As it was given.
    iv: Option<[u8; BLOCK]>,
    padding: bool,
}

/// What the three differ in.
pub(crate) trait Mode: Clone {
    const MODE: u32;
    /// Whether messages are taken by blocks, parts of which are left for the next call.
    const BY_BLOCKS: bool = true;
    /// See [`Cipher::TESTED`].
    const TESTED: &'static [usize] = &[16, 61, 250, 1021, 4099];

    fn new(plan: &Plan, key: &[u8]) -> Result<Self, ciphertune::Error>;

    /// Whole blocks where it goes by blocks, else any length.
    fn run(&self, way: Way, register: &mut [u8; BLOCK], buffer: Buffer<'_>) -> Result<(), ciphertune::Error>;

    /// Makes keystream of the register.
    fn step(&self, _register: &mut [u8; BLOCK]) -> Result<(), ciphertune::Error> {
        Ok(())
    }

    /// The next byte, with its keystream, which becomes what the register has in its place.
    fn byte(_way: Way, keystream: &mut u8, byte: u8) -> u8 {
        byte ^ *keystream
    }
}

/// CFB by whole blocks.
#[derive(Clone)]
pub(crate) struct Cfb128(Cfb);

impl Mode for Cfb128 {
    const MODE: u32 = mode::CFB;

    fn new(plan: &Plan, key: &[u8]) -> Result<Self, ciphertune::Error> {
        Cfb::with_plan(plan, key).map(Self)
    }

    #[inline]
    fn run(&self, way: Way, register: &mut [u8; BLOCK], buffer: Buffer<'_>) -> Result<(), ciphertune::Error> {
        match (way, buffer) {
            (Way::Encrypt, Buffer::InPlace(data)) => self.0.encrypt(register, data),
            (Way::Decrypt, Buffer::InPlace(data)) => self.0.decrypt(register, data),
            (Way::Encrypt, Buffer::Apart(input, output)) => self.0.encrypt_to(register, input, output)?,
            (Way::Decrypt, Buffer::Apart(input, output)) => self.0.decrypt_to(register, input, output)?,
        }
        Ok(())
    }

    fn step(&self, register: &mut [u8; BLOCK]) -> Result<(), ciphertune::Error> {
        // Zeros encrypted are the keystream.
        self.0.encrypt(register, &mut [0; BLOCK]);
        Ok(())
    }

    fn byte(way: Way, keystream: &mut u8, byte: u8) -> u8 {
        let result = byte ^ *keystream;
        *keystream = match way {
            Way::Encrypt => result,
            Way::Decrypt => byte,
        };
        result
    }
}

/// CFB by bytes.
#[derive(Clone)]
pub(crate) struct Cfb8(Cfb);

impl Mode for Cfb8 {
    const MODE: u32 = mode::CFB;
    const BY_BLOCKS: bool = false;
    // A block of AES for each byte.
    const TESTED: &'static [usize] = &[16, 61, 250];

    fn new(plan: &Plan, key: &[u8]) -> Result<Self, ciphertune::Error> {
        Cfb::with_plan(plan, key).map(Self)
    }

    fn run(&self, way: Way, register: &mut [u8; BLOCK], buffer: Buffer<'_>) -> Result<(), ciphertune::Error> {
        match (way, buffer) {
            (Way::Encrypt, Buffer::InPlace(data)) => self.0.encrypt_bytes(register, data),
            (Way::Decrypt, Buffer::InPlace(data)) => self.0.decrypt_bytes(register, data),
            (Way::Encrypt, Buffer::Apart(input, output)) => {
                self.0.encrypt_bytes_to(register, input, output)?
            }
            (Way::Decrypt, Buffer::Apart(input, output)) => {
                self.0.decrypt_bytes_to(register, input, output)?
            }
        }
        Ok(())
    }
}

/// OFB. Its keystream is what CBC makes of zeros.
#[derive(Clone)]
pub(crate) struct Ofb(Cbc);

impl Mode for Ofb {
    const MODE: u32 = mode::OFB;

    fn new(plan: &Plan, key: &[u8]) -> Result<Self, ciphertune::Error> {
        Cbc::with_plan(plan, key).map(Self)
    }

    fn run(
        &self,
        _way: Way,
        register: &mut [u8; BLOCK],
        mut buffer: Buffer<'_>,
    ) -> Result<(), ciphertune::Error> {
        let mut keystream = Zeroizing::new([0; 32 * BLOCK]);
        while buffer.len() > 0 {
            let n = buffer.len().min(keystream.len());
            let (now, rest) = buffer.split_at(n);
            let keystream = &mut keystream[..n];
            keystream.fill(0);
            self.0.encrypt(register, keystream)?;
            let mut bytes = keystream.iter();
            now.map(|byte| byte ^ bytes.next().expect("as many"));
            buffer = rest;
        }
        Ok(())
    }

    fn step(&self, register: &mut [u8; BLOCK]) -> Result<(), ciphertune::Error> {
        self.0.encrypt(register, &mut [0; BLOCK])
    }
}

impl<M: Mode> Feedback<M> {
    /// The rest of a block that was begun.
    fn bytes(&mut self, buffer: Buffer<'_>) {
        let (way, n) = (self.way, buffer.len());
        let mut keystream = self.register[self.num..].iter_mut();
        buffer.map(|byte| M::byte(way, keystream.next().expect("as many"), byte));
        self.num = (self.num + n) % BLOCK;
    }
}

impl<M: Mode> Cipher for Feedback<M> {
    const MODE: u32 = M::MODE;
    const BLOCK_SIZE: usize = 1;
    const IV_LEN: usize = BLOCK;
    const TESTED: &'static [usize] = M::TESTED;
    const GETTABLE: &'static [RawParam] = &[
        RawParam::size(c"keylen"),
        RawParam::size(c"ivlen"),
        RawParam::unsigned(c"padding"),
        RawParam::unsigned(c"num"),
        RawParam::bytes(c"iv"),
        RawParam::bytes(c"updated-iv"),
        RawParam::END,
    ];
    const SETTABLE: &'static [RawParam] = &[
        RawParam::unsigned(c"padding"),
        RawParam::unsigned(c"num"),
        RawParam::END,
    ];

    fn new(key_len: usize) -> Self {
        Self {
            key_len,
            key: None,
            way: Way::Encrypt,
            register: [0; BLOCK],
            num: 0,
            iv: None,
            padding: true,
        }
    }

    fn init(
        &mut self,
        way: Way,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        plans: &Plans,
    ) -> Result<(), Failure> {
        self.way = way;
        self.num = 0;
        if let Some(iv) = iv {
            self.iv = Some(iv_block(iv)?);
        }
        if let Some(iv) = self.iv {
            self.register = iv;
        }
        if let Some(key) = key {
            let key = key_of(key, self.key_len)?;
            self.key = Some(M::new(&plans.blocks, key).expect("its length was checked"));
        }
        Ok(())
    }

    #[inline]
    fn update(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        if self.key.is_none() {
            return Err(Reason::NoKeySet.into());
        }
        let len = call.len();
        let mut buffer = call.buffer()?;
        if self.num > 0 {
            let (begun, rest) = buffer.split_at(len.min(BLOCK - self.num));
            self.bytes(begun);
            buffer = rest;
        }
        let tail = if M::BY_BLOCKS { buffer.len() % BLOCK } else { 0 };
        let whole = buffer.len() - tail;
        let (whole, tail) = buffer.split_at(whole);
        let key = self.key.as_ref().ok_or(Reason::NoKeySet)?;
        key.run(self.way, &mut self.register, whole)
            .map_err(|_| Reason::CipherOperationFailed)?;
        if tail.len() > 0 {
            key.step(&mut self.register)
                .map_err(|_| Reason::CipherOperationFailed)?;
            self.bytes(tail);
        }
        Ok(len)
    }

    fn finish(&mut self, _call: Call<'_>) -> Result<usize, Failure> {
        match self.key {
            Some(_) => Ok(0),
            None => Err(Reason::NoKeySet.into()),
        }
    }

    #[inline]
    fn cipher(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        self.update(call)
    }

    fn get(&mut self, param: &mut Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"keylen" => param.set_unsigned(self.key_len)?,
            b"ivlen" => param.set_unsigned(BLOCK)?,
            b"padding" => param.set_unsigned(self.padding.into())?,
            b"num" => param.set_unsigned(self.num)?,
            b"iv" => param.set_bytes_or_place(self.iv.as_ref().unwrap_or(&[0; BLOCK]))?,
            b"updated-iv" => param.set_bytes_or_place(&self.register)?,
            _ => {}
        }
        Ok(())
    }

    fn set(&mut self, param: &Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"padding" => self.padding = param.unsigned()? != 0,
            b"num" => match param.unsigned()? {
                num if num < BLOCK && (M::BY_BLOCKS || num == 0) => self.num = num,
                _ => return Err(Reason::FailedToGetParameter.into()),
            },
            _ => {}
        }
        Ok(())
    }
}

impl<M: Mode> Drop for Feedback<M> {
    fn drop(&mut self) {
        self.register.zeroize();
    }
}
