//! AES and Camellia in ECB, CBC and the modes that make a keystream, and AES in XTS.
use std::ffi::{c_int, c_uchar, c_uint, c_void};

use ciphertune_testkit::{Algorithm, Contract, Envelope, Fault, Task};
use inout::InOutBuf;
use zeroize::{Zeroize, Zeroizing};

use super::{
    DECRYPT, ENCRYPT, SetKey, bits,
    structure::{OnStructure, ROOM, Structure},
};
use crate::{
    Timed,
    context::{apart, block, inout},
    library::{Library, Missing, check, functions},
};

/// Context, direction, a block of input, one of output.
type Ecb = unsafe extern "C" fn(*mut c_void, c_int, *const c_uchar, *mut c_uchar) -> c_int;
/// Context, direction, length, IV, which goes on, input, output.
pub(super) type Chain =
    unsafe extern "C" fn(*mut c_void, c_int, usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
/// Context, length, bytes used of the keystream's block, counter, that block, input, output.
type Ctr = unsafe extern "C" fn(
    *mut c_void,
    usize,
    *mut usize,
    *mut c_uchar,
    *mut c_uchar,
    *const c_uchar,
    *mut c_uchar,
) -> c_int;

functions! {
    Aes {
        mbedtls_aes_init: fn(*mut c_void);
        mbedtls_aes_free: fn(*mut c_void);
        mbedtls_aes_setkey_enc: fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
        mbedtls_aes_setkey_dec: fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
        mbedtls_aes_crypt_ecb: fn(*mut c_void, c_int, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_aes_crypt_cbc:
            fn(*mut c_void, c_int, usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_aes_crypt_cfb128:
            fn(*mut c_void, c_int, usize, *mut usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_aes_crypt_cfb8:
            fn(*mut c_void, c_int, usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_aes_crypt_ctr:
            fn(*mut c_void, usize, *mut usize, *mut c_uchar, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_aes_xts_init: fn(*mut c_void);
        mbedtls_aes_xts_free: fn(*mut c_void);
        mbedtls_aes_xts_setkey_enc: fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
        mbedtls_aes_xts_setkey_dec: fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
        mbedtls_aes_crypt_xts:
            fn(*mut c_void, c_int, usize, *const c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_aes_crypt_ofb:
            fn(*mut c_void, usize, *mut usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
    }
}

functions! {
    Camellia {
        mbedtls_camellia_init: fn(*mut c_void);
        mbedtls_camellia_free: fn(*mut c_void);
        mbedtls_camellia_setkey_enc: fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
        mbedtls_camellia_setkey_dec: fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
        mbedtls_camellia_crypt_ecb: fn(*mut c_void, c_int, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_camellia_crypt_cbc:
            fn(*mut c_void, c_int, usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_camellia_crypt_ctr:
            fn(*mut c_void, usize, *mut usize, *mut c_uchar, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
    }
}

pub(super) struct Modes {
    aes: Aes,
    /// A build may be without it.
    camellia: Option<Camellia>,
}

impl Modes {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        Ok(Self {
            aes: Aes::find(library)?,
            camellia: Camellia::find(library).ok(),
        })
    }

    pub(super) fn address(&self) -> *const c_void {
        self.aes.mbedtls_aes_crypt_cbc as *const c_void
    }

    pub(super) fn has(&self, algorithm: Algorithm) -> bool {
        matches!(
            algorithm.aes_mode(),
            Some("ECB" | "CBC" | "CFB" | "CFB8" | "OFB" | "CTR" | "XTS")
        ) || algorithm.camellia_mode().is_some() && self.camellia.is_some()
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        let aes = &self.aes;
        let kept = Zeroizing::new(key.to_vec());
        let is_stream = contract == Contract::Stream;
        let backward = task.operation.is_backward();
        let camellia = task.algorithm.camellia_mode();
        let mode = task.algorithm.aes_mode().or(camellia);
        let cipher = match (&self.camellia, camellia) {
            (Some(functions), Some(_)) => functions.cipher(),
            _ => aes.cipher(),
        };
        let mut keyed = match mode {
            Some("XTS") => Keyed::xts(aes, backward)?,
            // What makes a keystream never runs the cipher backwards.
            Some("CTR" | "CFB" | "CFB8" | "OFB") => Keyed::block_cipher(aes, cipher, false)?,
            _ => Keyed::block_cipher(aes, cipher, backward)?,
        };
        keyed.direction = if backward { DECRYPT } else { ENCRYPT };
        let chain = match mode {
            Some("CFB8") => aes.mbedtls_aes_crypt_cfb8,
            _ => cipher.cbc,
        };
        keyed.set_key(key)?;
        keyed.structure.check()?;
        let renew = move |keyed: &mut Keyed| keyed.set_key(&kept);
        Ok(match mode {
            Some("ECB") => inout(contract, keyed, renew, move |keyed, _, buffer| {
                keyed.ecb(cipher.ecb, buffer)
            }),
            Some("XTS") => apart(contract, keyed, renew, Keyed::unit),
            Some("CTR") if is_stream => {
                let state = (keyed, Chained::new(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, move |(keyed, chained), _, buffer| {
                    keyed.ctr(cipher.ctr, chained, buffer)
                })
            }
            Some("CTR") => inout(contract, keyed, renew, move |keyed, envelope, buffer| {
                keyed.ctr(cipher.ctr, &mut Chained::new(envelope.iv)?, buffer)
            }),
            Some("CFB") if is_stream => {
                let state = (keyed, Chained::new(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(keyed, chained), _, buffer| {
                    keyed.cfb(chained, buffer)
                })
            }
            Some("CFB") => inout(contract, keyed, renew, |keyed, envelope, buffer| {
                keyed.cfb(&mut Chained::new(envelope.iv)?, buffer)
            }),
            Some("OFB") if is_stream => {
                let state = (keyed, Chained::new(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(keyed, chained), _, buffer| {
                    keyed.ofb(chained, buffer)
                })
            }
            Some("OFB") => inout(contract, keyed, renew, |keyed, envelope, buffer| {
                keyed.ofb(&mut Chained::new(envelope.iv)?, buffer)
            }),
            _ if is_stream => {
                let state = (keyed, block(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, move |(keyed, iv), _, buffer| {
                    keyed.chained(chain, iv, buffer)
                })
            }
            _ => inout(contract, keyed, renew, move |keyed, envelope, buffer| {
                keyed.chained(chain, &mut block(envelope.iv)?, buffer)
            }),
        })
    }
}

/// What there is of a block cipher: AES and Camellia have the same.
#[derive(Clone, Copy)]
struct BlockCipher {
    init: OnStructure,
    free: OnStructure,
    set_encrypt_key: SetKey,
    set_decrypt_key: SetKey,
    ecb: Ecb,
    cbc: Chain,
    ctr: Ctr,
}

impl Aes {
    fn cipher(&self) -> BlockCipher {
        BlockCipher {
            init: self.mbedtls_aes_init,
            free: self.mbedtls_aes_free,
            set_encrypt_key: self.mbedtls_aes_setkey_enc,
            set_decrypt_key: self.mbedtls_aes_setkey_dec,
            ecb: self.mbedtls_aes_crypt_ecb,
            cbc: self.mbedtls_aes_crypt_cbc,
            ctr: self.mbedtls_aes_crypt_ctr,
        }
    }
}

impl Camellia {
    fn cipher(&self) -> BlockCipher {
        BlockCipher {
            init: self.mbedtls_camellia_init,
            free: self.mbedtls_camellia_free,
            set_encrypt_key: self.mbedtls_camellia_setkey_enc,
            set_decrypt_key: self.mbedtls_camellia_setkey_dec,
            ecb: self.mbedtls_camellia_crypt_ecb,
            cbc: self.mbedtls_camellia_crypt_cbc,
            ctr: self.mbedtls_camellia_crypt_ctr,
        }
    }
}

/// What a mode keeps between calls.
struct Chained {
    /// Bytes used of the block.
    used: usize,
    iv: [u8; 16],
    keystream: [u8; 16],
}

impl Chained {
    #[inline]
    fn new(iv: &[u8]) -> Result<Self, Fault> {
        Ok(Self {
            used: 0,
            iv: block(iv)?,
            keystream: [0; 16],
        })
    }
}

impl Drop for Chained {
    fn drop(&mut self) {
        self.keystream.zeroize();
    }
}

/// A key of AES, Camellia or XTS, by the function that made it.
struct Keyed {
    aes: &'static Aes,
    structure: Structure,
    set_key: SetKey,
    direction: c_int,
}

impl Keyed {
    /// # Safety
    /// `init` makes a structure, for which `set_key` and `free` are.
    unsafe fn new(
        aes: &'static Aes,
        init: OnStructure,
        set_key: SetKey,
        free: OnStructure,
    ) -> Result<Self, Fault> {
        Ok(Self {
            aes,
            // SAFETY: the caller vouches for the functions, and a test for the room.
            structure: unsafe { Structure::new(ROOM, init, free) }?,
            set_key,
            direction: ENCRYPT,
        })
    }

    fn block_cipher(aes: &'static Aes, cipher: BlockCipher, backward: bool) -> Result<Self, Fault> {
        let set_key = match backward {
            true => cipher.set_decrypt_key,
            false => cipher.set_encrypt_key,
        };
        // SAFETY: all of `mbedtls_aes_context`, or all of `mbedtls_camellia_context`.
        unsafe { Self::new(aes, cipher.init, set_key, cipher.free) }
    }

    fn xts(aes: &'static Aes, backward: bool) -> Result<Self, Fault> {
        let set_key = match backward {
            true => aes.mbedtls_aes_xts_setkey_dec,
            false => aes.mbedtls_aes_xts_setkey_enc,
        };
        let (init, free) = (aes.mbedtls_aes_xts_init, aes.mbedtls_aes_xts_free);
        // SAFETY: all of `mbedtls_aes_xts_context`.
        unsafe { Self::new(aes, init, set_key, free) }
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        let structure = self.structure.as_mut_ptr();
        // SAFETY: the structure was made for the function that is called, and the key is readable for its length, which
        // the function checks.
        let error = unsafe { (self.set_key)(structure, key.as_ptr(), bits(key)) };
        check(error == 0, "mbedtls_aes_setkey_enc or _dec")
    }

    /// It has no call for more than a block.
    #[inline]
    fn ecb(&mut self, ecb: Ecb, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let (blocks, _) = buffer.into_chunks::<aes::cipher::consts::U16>();
        let mut error = 0;
        for block in blocks {
            let (input, output) = block.into_raw();
            // SAFETY: this is the function's cipher with its key; both blocks have sixteen bytes, the one readable and the
            // other ours to write, in place or apart.
            error |= unsafe {
                ecb(
                    self.structure.as_mut_ptr(),
                    self.direction,
                    input.cast(),
                    output.cast(),
                )
            };
        }
        check(error == 0, "mbedtls_aes_crypt_ecb or mbedtls_camellia_crypt_ecb")
    }

    /// CBC or CFB-8; `iv` becomes the one to go on with.
    #[inline]
    fn chained(
        &mut self,
        chain: Chain,
        iv: &mut [u8; 16],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Fault> {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let (structure, iv) = (self.structure.as_mut_ptr(), iv.as_mut_ptr());
        // SAFETY: this is the function's cipher with its key; `input` is readable and `output` ours to write for `len`
        // bytes, in place or apart, and the IV has a block's length.
        let error = unsafe { chain(structure, self.direction, len, iv, input, output) };
        check(
            error == 0,
            "mbedtls_aes_crypt_cbc, _cfb8 or mbedtls_camellia_crypt_cbc",
        )
    }

    #[inline]
    fn cfb(&mut self, chained: &mut Chained, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: as in `chained`.
        let error = unsafe {
            (self.aes.mbedtls_aes_crypt_cfb128)(
                self.structure.as_mut_ptr(),
                self.direction,
                len,
                &mut chained.used,
                chained.iv.as_mut_ptr(),
                input,
                output,
            )
        };
        check(error == 0, "mbedtls_aes_crypt_cfb128")
    }

    #[inline]
    fn ofb(&mut self, chained: &mut Chained, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: as in `chained`.
        let error = unsafe {
            (self.aes.mbedtls_aes_crypt_ofb)(
                self.structure.as_mut_ptr(),
                len,
                &mut chained.used,
                chained.iv.as_mut_ptr(),
                input,
                output,
            )
        };
        check(error == 0, "mbedtls_aes_crypt_ofb")
    }

    #[inline]
    fn ctr(&mut self, ctr: Ctr, chained: &mut Chained, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: as in `chained`; counter and keystream have a block each.
        let error = unsafe {
            ctr(
                self.structure.as_mut_ptr(),
                len,
                &mut chained.used,
                chained.iv.as_mut_ptr(),
                chained.keystream.as_mut_ptr(),
                input,
                output,
            )
        };
        check(error == 0, "mbedtls_aes_crypt_ctr or mbedtls_camellia_crypt_ctr")
    }

    /// In place, it steals ciphertext from itself: a message that ends within a block comes out wrong.
    #[inline]
    fn unit(&mut self, envelope: &mut Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        let tweak = block(envelope.iv)?;
        let len = input.len().min(output.len());
        // SAFETY: this is XTS with its keys; the tweak has a block's length, `input` is readable and `output` ours to
        // write for `len` bytes.
        let error = unsafe {
            (self.aes.mbedtls_aes_crypt_xts)(
                self.structure.as_mut_ptr(),
                self.direction,
                len,
                tweak.as_ptr(),
                input.as_ptr(),
                output.as_mut_ptr(),
            )
        };
        check(error == 0, "mbedtls_aes_crypt_xts")
    }
}
