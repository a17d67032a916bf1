//! GCM and CCM, for whole messages.
use std::ffi::{c_int, c_uchar, c_uint, c_void};

use ciphertune_testkit::{Algorithm, Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{
    ENCRYPT, bits,
    structure::{ROOM, Structure},
};
use crate::{
    Timed,
    context::{apart, gmac, inout},
    library::{Library, Missing, check, functions},
};

/// Context, which cipher it is of, key and its bits.
type SetKeyOfCipher = unsafe extern "C" fn(*mut c_void, c_int, *const c_uchar, c_uint) -> c_int;

functions! {
    Functions {
        mbedtls_gcm_init: fn(*mut c_void);
        mbedtls_gcm_free: fn(*mut c_void);
        mbedtls_gcm_setkey: fn(*mut c_void, c_int, *const c_uchar, c_uint) -> c_int;
        mbedtls_gcm_crypt_and_tag: fn(
            *mut c_void, c_int, usize, *const c_uchar, usize, *const c_uchar, usize, *const c_uchar, *mut c_uchar, usize,
            *mut c_uchar,
        ) -> c_int;
        mbedtls_gcm_auth_decrypt: fn(
            *mut c_void, usize, *const c_uchar, usize, *const c_uchar, usize, *const c_uchar, usize, *const c_uchar,
            *mut c_uchar,
        ) -> c_int;
        mbedtls_ccm_init: fn(*mut c_void);
        mbedtls_ccm_free: fn(*mut c_void);
        mbedtls_ccm_setkey: fn(*mut c_void, c_int, *const c_uchar, c_uint) -> c_int;
        mbedtls_ccm_encrypt_and_tag: fn(
            *mut c_void, usize, *const c_uchar, usize, *const c_uchar, usize, *const c_uchar, *mut c_uchar, *mut c_uchar,
            usize,
        ) -> c_int;
        mbedtls_ccm_auth_decrypt: fn(
            *mut c_void, usize, *const c_uchar, usize, *const c_uchar, usize, *const c_uchar, *mut c_uchar,
            *const c_uchar, usize,
        ) -> c_int;
    }
}

pub(super) struct Aead(Functions);

impl Aead {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        Functions::find(library).map(Self)
    }

    pub(super) fn has(algorithm: Algorithm) -> bool {
        matches!(algorithm.aes_mode(), Some("GCM" | "GMAC" | "CCM"))
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        let kept = Zeroizing::new(key.to_vec());
        let is_ccm = task.algorithm.aes_mode() == Some("CCM");
        let mut keyed = match is_ccm {
            true => Keyed::ccm(&self.0)?,
            false => Keyed::gcm(&self.0)?,
        };
        keyed.set_key(key)?;
        keyed.structure.check()?;
        let renew = move |keyed: &mut Keyed| keyed.set_key(&kept);
        Ok(match (task.operation, is_ccm) {
            (Operation::Mac, _) => gmac(contract, keyed, renew, Keyed::seal_gcm),
            (Operation::Open, true) => apart(contract, keyed, renew, Keyed::open_ccm),
            (Operation::Open, false) => apart(contract, keyed, renew, Keyed::open_gcm),
            (_, true) => inout(contract, keyed, renew, Keyed::seal_ccm),
            (_, false) => inout(contract, keyed, renew, Keyed::seal_gcm),
        })
    }
}

/// `MBEDTLS_CIPHER_ID_AES`.
pub(super) const AES: c_int = 2;

/// A key of GCM or CCM, by the function that made it.
struct Keyed {
    functions: &'static Functions,
    structure: Structure,
    set_key: SetKeyOfCipher,
}

impl Keyed {
    fn gcm(functions: &'static Functions) -> Result<Self, Fault> {
        let (init, free) = (functions.mbedtls_gcm_init, functions.mbedtls_gcm_free);
        Ok(Self {
            functions,
            // SAFETY: both of `mbedtls_gcm_context`.
            structure: unsafe { Structure::new(ROOM, init, free) }?,
            set_key: functions.mbedtls_gcm_setkey,
        })
    }

    fn ccm(functions: &'static Functions) -> Result<Self, Fault> {
        let (init, free) = (functions.mbedtls_ccm_init, functions.mbedtls_ccm_free);
        Ok(Self {
            functions,
            // SAFETY: both of `mbedtls_ccm_context`.
            structure: unsafe { Structure::new(ROOM, init, free) }?,
            set_key: functions.mbedtls_ccm_setkey,
        })
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        let structure = self.structure.as_mut_ptr();
        // SAFETY: the structure was made for the function that is called, and the key is readable for its length, which
        // the function checks.
        let error = unsafe { (self.set_key)(structure, AES, key.as_ptr(), bits(key)) };
        check(error == 0, "mbedtls_gcm_setkey or mbedtls_ccm_setkey")
    }

    #[inline]
    fn seal_gcm(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: this is GCM with its key; IV, additional data and `input` are readable, `output` and the tag ours to
        // write for their lengths, in place or apart.
        let error = unsafe {
            (self.functions.mbedtls_gcm_crypt_and_tag)(
                self.structure.as_mut_ptr(),
                ENCRYPT,
                len,
                iv.as_ptr(),
                iv.len(),
                aad.as_ptr(),
                aad.len(),
                input,
                output,
                tag.len(),
                tag.as_mut_ptr(),
            )
        };
        check(error == 0, "mbedtls_gcm_crypt_and_tag")
    }

    /// Its manual forbids it in place.
    #[inline]
    fn open_gcm(
        &mut self,
        envelope: &mut Envelope<'_>,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        // SAFETY: as in `seal_gcm`, apart alone; `output` is as long as `input`, and the tag is only read.
        let error = unsafe {
            (self.functions.mbedtls_gcm_auth_decrypt)(
                self.structure.as_mut_ptr(),
                input.len().min(output.len()),
                iv.as_ptr(),
                iv.len(),
                aad.as_ptr(),
                aad.len(),
                tag.as_ptr(),
                tag.len(),
                input.as_ptr(),
                output.as_mut_ptr(),
            )
        };
        check(error == 0, "mbedtls_gcm_auth_decrypt")
    }

    #[inline]
    fn seal_ccm(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: this is CCM with its key; IV, additional data and `input` are readable, `output` and the tag ours to
        // write for their lengths, in place or apart.
        let error = unsafe {
            (self.functions.mbedtls_ccm_encrypt_and_tag)(
                self.structure.as_mut_ptr(),
                len,
                iv.as_ptr(),
                iv.len(),
                aad.as_ptr(),
                aad.len(),
                input,
                output,
                tag.as_mut_ptr(),
                tag.len(),
            )
        };
        check(error == 0, "mbedtls_ccm_encrypt_and_tag")
    }

    /// As [`Keyed::open_gcm`].
    #[inline]
    fn open_ccm(
        &mut self,
        envelope: &mut Envelope<'_>,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        // SAFETY: as in `seal_ccm`, apart alone; `output` is as long as `input`, and the tag is only read.
        let error = unsafe {
            (self.functions.mbedtls_ccm_auth_decrypt)(
                self.structure.as_mut_ptr(),
                input.len().min(output.len()),
                iv.as_ptr(),
                iv.len(),
                aad.as_ptr(),
                aad.len(),
                input.as_ptr(),
                output.as_mut_ptr(),
                tag.as_ptr(),
                tag.len(),
            )
        };
        check(error == 0, "mbedtls_ccm_auth_decrypt")
    }
}
