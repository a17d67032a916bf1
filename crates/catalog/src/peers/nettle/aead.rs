//! GCM, CCM and ChaCha20-Poly1305, for whole messages.
use std::ffi::{c_int, c_void};

use ciphertune_testkit::{Algorithm, Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{
    modes::{Keyed, Modes},
    tables::{Aead, Crypt, CryptInContext, SetKey, named},
};
use crate::{
    Timed,
    context::{block, gmac, inout},
    library::{Library, Missing, check, functions},
    peers::memory::Memory,
};

functions! {
    Functions {
        nettle_ccm_set_nonce:
            fn(*mut c_void, *const c_void, Crypt, usize, *const u8, usize, usize, usize);
        nettle_ccm_update: fn(*mut c_void, *const c_void, Crypt, usize, *const u8);
        nettle_ccm_encrypt: fn(*mut c_void, *const c_void, Crypt, usize, *mut u8, *const u8);
        nettle_ccm_decrypt: fn(*mut c_void, *const c_void, Crypt, usize, *mut u8, *const u8);
        nettle_ccm_digest: fn(*mut c_void, *const c_void, Crypt, usize, *mut u8);
        nettle_memeql_sec: fn(*const c_void, *const c_void, usize) -> c_int;
    }
}

pub(super) struct Aeads {
    functions: Functions,
    /// All but CCM, which is put together here from AES.
    table: Vec<&'static Aead>,
}

impl Aeads {
    pub(super) fn find(library: Library, table: Vec<&'static Aead>) -> Result<Self, Missing> {
        let functions = Functions::find(library)?;
        Ok(Self { functions, table })
    }

    pub(super) fn has(&self, algorithm: Algorithm) -> bool {
        algorithm.aes_mode() == Some("CCM") || self.of(algorithm).is_some()
    }

    pub(super) fn context(
        &'static self,
        modes: &'static Modes,
        task: Task,
        key: &[u8],
    ) -> Result<Box<dyn Timed>, Fault> {
        match self.of(task.algorithm) {
            Some(aead) => Ok(self.sealing(aead, task, key)),
            None => self.ccm(modes, task, key),
        }
    }

    /// What seals, or makes a GMAC.
    fn of(&self, algorithm: Algorithm) -> Option<&'static Aead> {
        let name = match algorithm.name() {
            "AES-128-GCM" | "AES-128-GMAC" => c"gcm_aes128",
            "AES-192-GCM" | "AES-192-GMAC" => c"gcm_aes192",
            "AES-256-GCM" | "AES-256-GMAC" => c"gcm_aes256",
            "ChaCha20-Poly1305" => c"chacha_poly1305",
            _ => return None,
        };
        let lengths = [algorithm.key_len(), algorithm.iv_len(), algorithm.tag_len()];
        let mut found = self.table.iter().copied();
        found.find(|aead| {
            let its = [aead.key_size, aead.nonce_size, aead.digest_size];
            named(aead.name, name) && its.map(|len| len as usize) == lengths
        })
    }

    fn sealing(&'static self, aead: &'static Aead, task: Task, key: &[u8]) -> Box<dyn Timed> {
        let backward = task.operation.is_backward();
        let mut keyed = AeadKey {
            functions: &self.functions,
            aead,
            crypt: if backward { aead.decrypt } else { aead.encrypt },
            set_key: if backward {
                aead.set_decrypt_key
            } else {
                aead.set_encrypt_key
            },
            context: Memory::new(aead.context_size as usize),
        };
        keyed.set_key(key);
        let key = Zeroizing::new(key.to_vec());
        let renew = move |keyed: &mut AeadKey| {
            keyed.set_key(&key);
            Ok(())
        };
        match task.operation {
            Operation::Open => inout(task.contract, keyed, renew, AeadKey::open),
            Operation::Mac => gmac(task.contract, keyed, renew, AeadKey::seal),
            _ => inout(task.contract, keyed, renew, AeadKey::seal),
        }
    }

    fn ccm(&'static self, modes: &'static Modes, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let mut ccm = Ccm {
            functions: &self.functions,
            cipher: Keyed::new(modes, task)?,
            message: Memory::new(CCM_LEN),
        };
        ccm.cipher.set_key(key);
        let key = Zeroizing::new(key.to_vec());
        let renew = move |ccm: &mut Ccm| {
            ccm.cipher.set_key(&key);
            Ok(())
        };
        Ok(match task.operation {
            Operation::Open => inout(task.contract, ccm, renew, Ccm::open),
            _ => inout(task.contract, ccm, renew, Ccm::seal),
        })
    }
}

impl Functions {
    #[inline]
    fn same(&self, made: &[u8; 16], tag: &[u8]) -> Result<(), Fault> {
        let tag = block(tag)?;
        // SAFETY: both have sixteen bytes.
        let equal = unsafe { (self.nettle_memeql_sec)(made.as_ptr().cast(), tag.as_ptr().cast(), 16) };
        check(equal == 1, "the tag is wrong: nettle_memeql_sec")
    }
}

struct AeadKey {
    functions: &'static Functions,
    aead: &'static Aead,
    crypt: CryptInContext,
    set_key: SetKey,
    context: Memory,
}

impl AeadKey {
    #[inline]
    fn set_key(&mut self, key: &[u8]) {
        assert_eq!(key.len(), self.aead.key_size as usize, "the caller checks");
        // SAFETY: the context has the size that the AEAD asks for, and the key the length that it reads.
        unsafe { (self.set_key)(self.context.as_mut_ptr(), key.as_ptr()) }
    }

    #[inline]
    fn seal(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let made = self.run(envelope, buffer)?;
        envelope.tag.copy_from_slice(&made);
        Ok(())
    }

    #[inline]
    fn open(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let made = self.run(envelope, buffer)?;
        self.functions.same(&made, envelope.tag)
    }

    /// A whole message; answers its tag.
    #[inline]
    fn run(&mut self, envelope: &Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<[u8; 16], Fault> {
        let Envelope { iv, aad, .. } = *envelope;
        check(
            iv.len() == self.aead.nonce_size as usize,
            "nettle_gcm_set_iv or another",
        )?;
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let context = self.context.as_mut_ptr();
        let mut tag = [0; 16];
        // SAFETY: the context has its key, and the nonce the length that the function reads; the additional data and
        // `input` are readable and `output` ours to write for their lengths, in place or apart. The tag has room for
        // what is asked for.
        unsafe {
            (self.aead.set_nonce)(context, iv.as_ptr());
            if !aad.is_empty() {
                (self.aead.update)(context, aad.len(), aad.as_ptr());
            }
            (self.crypt)(context, len, output, input);
            (self.aead.digest)(context, tag.len(), tag.as_mut_ptr());
        }
        Ok(tag)
    }
}

struct Ccm {
    functions: &'static Functions,
    cipher: Keyed,
    message: Memory,
}

/// Bytes of `struct ccm_ctx`.
pub(super) const CCM_LEN: usize = 40;

impl Ccm {
    #[inline]
    fn seal(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let made = self.run(envelope, buffer);
        envelope.tag.copy_from_slice(&made);
        Ok(())
    }

    #[inline]
    fn open(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let made = self.run(envelope, buffer);
        self.functions.same(&made, envelope.tag)
    }

    /// A whole message; answers its tag.
    #[inline]
    fn run(&mut self, envelope: &Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> [u8; 16] {
        let Envelope { iv, aad, .. } = *envelope;
        let (context, key, encrypt) = (
            self.message.as_mut_ptr(),
            self.cipher.key.as_ptr(),
            self.cipher.cipher.encrypt,
        );
        let functions = self.functions;
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let crypt = match self.cipher.backward {
            true => functions.nettle_ccm_decrypt,
            false => functions.nettle_ccm_encrypt,
        };
        let mut tag = [0; 16];
        let (tag_len, place) = (tag.len(), tag.as_mut_ptr());
        // SAFETY: the context has room and the key is there; nonce, additional data and `input` are readable, `output` and
        // the tag ours to write for their lengths, in place or apart. The nonce leaves three bytes for the length.
        unsafe {
            (functions.nettle_ccm_set_nonce)(
                context,
                key,
                encrypt,
                iv.len(),
                iv.as_ptr(),
                aad.len(),
                len,
                tag_len,
            );
            (functions.nettle_ccm_update)(context, key, encrypt, aad.len(), aad.as_ptr());
            crypt(context, key, encrypt, len, output, input);
            (functions.nettle_ccm_digest)(context, key, encrypt, tag_len, place);
        }
        tag
    }
}
