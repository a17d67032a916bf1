//! libgcrypt, GnuPG's library. Signatures as in gcrypt.h of 1.10; its soname has stood for them since 1.6, and XTS came
//! with 1.8.
use std::{
    ffi::{c_char, c_int, c_uint, c_void},
    mem, ptr,
};

use ciphertune_testkit::{Contract, Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{About, Flaw, Interface, Peer};
use crate::{
    Timed,
    context::{buffers, inout, tagging},
    library::{Library, Missing, check, functions, text},
    pair::{self, Pair},
};

mod keys;

use keys::Keys;

/// `gcry_cipher_hd_t` and `gcry_mac_hd_t`, opaque.
type CipherHandle = *mut c_void;
type MacHandle = *mut c_void;

type AlgoInfo = unsafe extern "C" fn(c_int, c_int, *mut c_void, *mut usize) -> c_uint;

functions! {
    Functions {
        gcry_cipher_open: fn(*mut CipherHandle, c_int, c_int, c_uint) -> c_uint;
        gcry_cipher_close: fn(CipherHandle);
        gcry_cipher_algo_info: fn(c_int, c_int, *mut c_void, *mut usize) -> c_uint;
        gcry_cipher_setkey: fn(CipherHandle, *const c_void, usize) -> c_uint;
        gcry_cipher_setiv: fn(CipherHandle, *const c_void, usize) -> c_uint;
        gcry_cipher_setctr: fn(CipherHandle, *const c_void, usize) -> c_uint;
        gcry_cipher_ctl: fn(CipherHandle, c_int, *mut c_void, usize) -> c_uint;
        gcry_cipher_authenticate: fn(CipherHandle, *const c_void, usize) -> c_uint;
        gcry_cipher_encrypt: fn(CipherHandle, *mut c_void, usize, *const c_void, usize) -> c_uint;
        gcry_cipher_decrypt: fn(CipherHandle, *mut c_void, usize, *const c_void, usize) -> c_uint;
        gcry_cipher_gettag: fn(CipherHandle, *mut c_void, usize) -> c_uint;
        gcry_cipher_checktag: fn(CipherHandle, *const c_void, usize) -> c_uint;
        gcry_mac_open: fn(*mut MacHandle, c_int, c_uint, *mut c_void) -> c_uint;
        gcry_mac_close: fn(MacHandle);
        gcry_mac_ctl: fn(MacHandle, c_int, *mut c_void, usize) -> c_uint;
        gcry_mac_setkey: fn(MacHandle, *const c_void, usize) -> c_uint;
        gcry_mac_setiv: fn(MacHandle, *const c_void, usize) -> c_uint;
        gcry_mac_write: fn(MacHandle, *const c_void, usize) -> c_uint;
        gcry_mac_read: fn(MacHandle, *mut c_void, *mut usize) -> c_uint;
        gcry_mac_algo_info: fn(c_int, c_int, *mut c_void, *mut usize) -> c_uint;
        gcry_md_algo_info: fn(c_int, c_int, *mut c_void, *mut usize) -> c_uint;
        gcry_md_hash_buffer: fn(c_int, *mut c_void, *const c_void, usize);
        gcry_get_config: fn(c_int, *const c_char) -> *mut c_char;
        gcry_free: fn(*mut c_void);
    }
}

pub(super) struct Libgcrypt {
    functions: Functions,
    keys: Keys,
    /// The processor's features that it uses.
    features: String,
}

impl Peer for Libgcrypt {
    const ABOUT: About = About {
        name: "libgcrypt",
        interfaces: &[Interface::new("libgcrypt.so.20", "libgcrypt20", (1, 8)..=(1, 12))],
    };

    fn version(library: Library) -> Result<String, Missing> {
        type CheckVersion = unsafe extern "C" fn(*const c_char) -> *const c_char;
        // SAFETY: gcrypt.h gives the name this type. Without a version to compare with, the function sets the library up
        // and answers a static string.
        unsafe {
            let check: CheckVersion = library.symbol("gcry_check_version")?;
            Ok(text(check(ptr::null())))
        }
    }

    fn find(library: Library, _: (u32, u32)) -> Result<Self, Flaw> {
        type Control = unsafe extern "C" fn(c_int, ...) -> c_uint;
        const DISABLE_SECMEM: c_int = 37;
        const INITIALIZATION_FINISHED: c_int = 38;
        const DONE: c_int = 0;
        // SAFETY: gcrypt.h gives the name this type, and both commands take an int that means nothing. The version was
        // asked for before, as the manual wants.
        unsafe {
            let control: Control = library.symbol("gcry_control")?;
            for command in [DISABLE_SECMEM, INITIALIZATION_FINISHED] {
                check(control(command, DONE) == 0, "gcry_control")?;
            }
        }
        let functions = Functions::find(library)?;
        // SAFETY: 0 is the only mode there is. The function answers NULL or a string that is ours, for gcry_free.
        let features = unsafe {
            let config = (functions.gcry_get_config)(0, c"hwflist".as_ptr());
            let features = text(config);
            (functions.gcry_free)(config.cast());
            features
        };
        Ok(Self {
            functions,
            keys: Keys::find(library)?,
            features,
        })
    }

    fn address(&self) -> *const c_void {
        self.functions.gcry_cipher_encrypt as *const c_void
    }

    /// Without these instructions, AES or GHASH go by tables.
    fn constant_time(&self) -> bool {
        let has = |feature| self.features.split([':', '\n']).any(|name| name == feature);
        has("intel-aesni") && has("intel-pclmul") || has("arm-aes") && has("arm-pmull")
    }

    fn goes_by(&self) -> Option<String> {
        let features = self.features.trim_end_matches(['\n', ':']);
        (!features.is_empty()).then(|| features.to_owned())
    }

    fn has(&self, task: Task) -> bool {
        match Code::of(task) {
            Some(Code::Digest(number)) => self.was_built(self.functions.gcry_md_algo_info, number),
            Some(Code::Cipher(number, _)) => self.was_built(self.functions.gcry_cipher_algo_info, number),
            Some(Code::Mac(number) | Code::Pair(_, number)) => {
                self.was_built(self.functions.gcry_mac_algo_info, number)
            }
            None => self.keys.has(task.algorithm),
        }
    }

    fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        if task.algorithm.is_public_key() {
            return self.keys.context(task, key);
        }
        let functions = &self.functions;
        let contract = task.contract;
        let kept = Zeroizing::new(key.to_vec());
        let (algorithm, mode) = match Code::of(task) {
            Some(Code::Cipher(algorithm, mode)) => (algorithm, mode),
            Some(Code::Mac(number)) => {
                let mac = Mac::new(functions, number, key)?;
                let renew = move |mac: &mut Mac| mac.set_key(&kept);
                return Ok(tagging(contract, mac, renew, |mac, envelope, message| {
                    mac.tag(envelope.iv, &[message], envelope.tag)
                }));
            }
            Some(Code::Pair(cipher, mac)) => {
                return pair::context(task, key, GcryptPair::new(functions, cipher, mac, key)?);
            }
            Some(Code::Digest(number)) => {
                return Ok(tagging(
                    contract,
                    (),
                    |()| Ok(()),
                    move |(), envelope, message| {
                        check(
                            envelope.tag.len() == task.algorithm.tag_len(),
                            "gcry_md_hash_buffer",
                        )?;
                        let (digest, len) = (envelope.tag.as_mut_ptr(), message.len());
                        // SAFETY: the message is readable for its length, and the digest as long as the table of
                        // algorithms has it.
                        unsafe {
                            (functions.gcry_md_hash_buffer)(
                                number,
                                digest.cast(),
                                message.as_ptr().cast(),
                                len,
                            )
                        };
                        Ok(())
                    },
                ));
            }
            None => return Err(Fault(format!("libgcrypt has no {task}"))),
        };
        let mut cipher = Cipher::new(functions, task, algorithm, mode)?;
        cipher.set_key(key)?;
        let renew = move |cipher: &mut Cipher| cipher.set_key(&kept);
        Ok(match task.operation {
            _ if contract == Contract::Stream => {
                cipher.set_iv(iv)?;
                inout(contract, cipher, renew, |cipher, _, buffer| cipher.run(buffer))
            }
            Operation::Seal => inout(contract, cipher, renew, |cipher, envelope, buffer| {
                cipher.begin(envelope, buffer.len())?;
                cipher.run(buffer)?;
                cipher.seal(envelope.tag)
            }),
            Operation::Open => inout(contract, cipher, renew, |cipher, envelope, buffer| {
                cipher.begin(envelope, buffer.len())?;
                cipher.run(buffer)?;
                cipher.open(envelope.tag)
            }),
            _ => inout(contract, cipher, renew, |cipher, envelope, buffer| {
                cipher.set_iv(envelope.iv)?;
                cipher.run(buffer)
            }),
        })
    }
}

impl Libgcrypt {
    /// Whether it has the digest or cipher with this number: 1.8 has neither SM3 nor SHA-512/256, and ends the process
    /// where it is asked for one.
    fn was_built(&self, algo_info: AlgoInfo, number: c_int) -> bool {
        const TEST_ALGO: c_int = 8;
        // SAFETY: this command takes any number, and NULL for the rest.
        unsafe { algo_info(number, TEST_ALGO, ptr::null_mut(), ptr::null_mut()) == 0 }
    }
}

/// `GCRY_MAC_CMAC_AES`
const CMAC_AES: c_int = 201;

/// What computes an algorithm, by the numbers of gcrypt.h.
enum Code {
    /// `GCRY_CIPHER_*` and `GCRY_CIPHER_MODE_*`.
    Cipher(c_int, c_int),
    /// `GCRY_MAC_*`.
    Mac(c_int),
    /// What a pair's cipher does, and the number of its MAC.
    Pair(Task, c_int),
    /// `GCRY_MD_*`.
    Digest(c_int),
}

impl Code {
    fn of(task: Task) -> Option<Self> {
        if let Some((cipher, mac)) = pair::parts(task) {
            return match Self::of(Task::usual(mac))? {
                Self::Mac(number) => Some(Self::Pair(cipher, number)),
                _ => None,
            };
        }
        if let Some((cipher, mode)) = cipher_and_mode(task.algorithm.name()) {
            return Some(Self::Cipher(cipher, mode));
        }
        Some(match (task.algorithm.aes_mode(), task.algorithm.name()) {
            (Some("CMAC"), _) => Self::Mac(CMAC_AES),
            (Some("GMAC"), _) => Self::Mac(401),
            (_, "HMAC-SHA2-256") => Self::Mac(101),
            (_, "HMAC-SHA2-512") => Self::Mac(103),
            (_, "HMAC-SHA1") => Self::Mac(105),
            (_, "Poly1305") => Self::Mac(501),
            (_, "MD4") => Self::Digest(301),
            (_, "MD5") => Self::Digest(1),
            (_, "RIPEMD-160") => Self::Digest(3),
            (_, "WHIRLPOOL") => Self::Digest(305),
            (_, "SHA1") => Self::Digest(2),
            (_, "SHA2-224") => Self::Digest(11),
            (_, "SHA2-256") => Self::Digest(8),
            (_, "SHA2-384") => Self::Digest(9),
            (_, "SHA2-512") => Self::Digest(10),
            (_, "SHA2-512/256") => Self::Digest(327),
            (_, "SHA3-256") => Self::Digest(313),
            (_, "SHA3-512") => Self::Digest(315),
            (_, "SM3") => Self::Digest(326),
            (_, "BLAKE2B-512") => Self::Digest(318),
            (_, "BLAKE2S-256") => Self::Digest(322),
            _ => return None,
        })
    }
}

/// `GCRY_CIPHER_*` and `GCRY_CIPHER_MODE_*`.
fn cipher_and_mode(name: &str) -> Option<(c_int, c_int)> {
    let (cipher, mode) = name.rsplit_once('-').unwrap_or((name, "stream"));
    let cipher = match cipher {
        "AES-128" => 7,
        "AES-192" => 8,
        "AES-256" => 9,
        "CAMELLIA-128" => 310,
        "CAMELLIA-192" => 311,
        "CAMELLIA-256" => 312,
        "ChaCha20" => 316,
        "IDEA" => 1,
        "DES-EDE3" => 2,
        "CAST5" => 3,
        "BF" => 4,
        "RC4" => 301,
        "DES" => 302,
        "RC2" => 308,
        "SEED" => 309,
        _ => return None,
    };
    let mode = match mode {
        "ECB" => 1,
        "CFB" => 2,
        "CBC" => 3,
        "stream" => 4,
        "OFB" => 5,
        "CTR" => 6,
        "CCM" => 8,
        "GCM" => 9,
        "Poly1305" => 10,
        "OCB" => 11,
        "CFB8" => 12,
        "XTS" => 13,
        _ => return None,
    };
    Some((cipher, mode))
}

/// A `gcry_cipher_hd_t` of one direction. libgcrypt wipes the key when it closes it.
struct Cipher {
    functions: &'static Functions,
    handle: CipherHandle,
    crypt: unsafe extern "C" fn(CipherHandle, *mut c_void, usize, *const c_void, usize) -> c_uint,
    set_iv: unsafe extern "C" fn(CipherHandle, *const c_void, usize) -> c_uint,
    wants: Wants,
}

/// What a mode is to be told of a message before it comes, besides its IV.
#[derive(Clone, Copy, PartialEq)]
enum Wants {
    Nothing,
    /// How long it is, and what goes with it.
    Lengths,
    /// That there is no more.
    End,
}

impl Cipher {
    fn new(functions: &'static Functions, task: Task, algorithm: c_int, mode: c_int) -> Result<Self, Fault> {
        let mut handle = ptr::null_mut();
        // SAFETY: writes a handle that is ours; the numbers are those of gcrypt.h, and no flag is set.
        let error = unsafe { (functions.gcry_cipher_open)(&mut handle, algorithm, mode, 0) };
        check(error == 0 && !handle.is_null(), "gcry_cipher_open")?;
        Ok(Self {
            functions,
            handle,
            crypt: match task.operation.is_backward() {
                true => functions.gcry_cipher_decrypt,
                false => functions.gcry_cipher_encrypt,
            },
            set_iv: match task.algorithm.name().ends_with("-CTR") {
                true => functions.gcry_cipher_setctr,
                false => functions.gcry_cipher_setiv,
            },
            wants: match task.algorithm.aes_mode() {
                Some("CCM") => Wants::Lengths,
                Some("OCB") => Wants::End,
                _ => Wants::Nothing,
            },
        })
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        // SAFETY: the handle is open, and the key readable for its length, which the function checks.
        let error =
            unsafe { (self.functions.gcry_cipher_setkey)(self.handle, key.as_ptr().cast(), key.len()) };
        check(error == 0, "gcry_cipher_setkey")
    }

    /// An empty IV is none.
    #[inline]
    fn set_iv(&mut self, iv: &[u8]) -> Result<(), Fault> {
        if iv.is_empty() {
            return Ok(());
        }
        // SAFETY: the handle is open, and the IV readable for its length.
        let error = unsafe { (self.set_iv)(self.handle, iv.as_ptr().cast(), iv.len()) };
        check(error == 0, "gcry_cipher_setiv")
    }

    /// Begins a message of `len` bytes that is authenticated, and comes as a whole.
    #[inline]
    fn begin(&mut self, envelope: &Envelope<'_>, len: usize) -> Result<(), Fault> {
        const FINALIZE: c_int = 5;
        const SET_CCM_LENGTHS: c_int = 69;
        self.set_iv(envelope.iv)?;
        let aad = envelope.aad;
        let mut lengths = [len, aad.len(), envelope.tag.len()].map(|len| len as u64);
        // SAFETY: the handle is open; the first command reads three numbers, and the second nothing.
        let error = unsafe {
            let told = self.functions.gcry_cipher_ctl;
            match self.wants {
                Wants::Nothing => 0,
                Wants::Lengths => told(
                    self.handle,
                    SET_CCM_LENGTHS,
                    lengths.as_mut_ptr().cast(),
                    size_of_val(&lengths),
                ),
                Wants::End => told(self.handle, FINALIZE, ptr::null_mut(), 0),
            }
        };
        check(error == 0, "gcry_cipher_ctl")?;
        if aad.is_empty() {
            return Ok(());
        }
        // SAFETY: the handle is open, and the data readable for their length.
        let error =
            unsafe { (self.functions.gcry_cipher_authenticate)(self.handle, aad.as_ptr().cast(), aad.len()) };
        check(error == 0, "gcry_cipher_authenticate")
    }

    #[inline]
    fn run(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: the handle is open; `input` is readable and `output` ours to write for `len` bytes, and they are the
        // same or do not overlap. The manual allows both.
        let error = unsafe { (self.crypt)(self.handle, output.cast(), len, input.cast(), len) };
        check(error == 0, "gcry_cipher_encrypt or _decrypt")
    }

    #[inline]
    fn seal(&mut self, tag: &mut [u8]) -> Result<(), Fault> {
        // SAFETY: the handle is open, and the function writes no more than the tag has room for.
        let error =
            unsafe { (self.functions.gcry_cipher_gettag)(self.handle, tag.as_mut_ptr().cast(), tag.len()) };
        check(error == 0, "gcry_cipher_gettag")
    }

    #[inline]
    fn open(&mut self, tag: &[u8]) -> Result<(), Fault> {
        // SAFETY: the handle is open, and the tag readable for its length.
        let error =
            unsafe { (self.functions.gcry_cipher_checktag)(self.handle, tag.as_ptr().cast(), tag.len()) };
        check(error == 0, "gcry_cipher_checktag")
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: open, and closed once.
        unsafe { (self.functions.gcry_cipher_close)(self.handle) }
    }
}

/// A `gcry_mac_hd_t`. libgcrypt wipes the key when it closes it.
struct Mac {
    functions: &'static Functions,
    handle: MacHandle,
    /// It has a key and has done nothing by it, for which most need no reset.
    is_fresh: bool,
    is_cmac: bool,
}

impl Mac {
    fn new(functions: &'static Functions, number: c_int, key: &[u8]) -> Result<Self, Fault> {
        let mut handle = ptr::null_mut();
        // SAFETY: writes a handle that is ours; the number is that of gcrypt.h, no flag is set and NULL is no context.
        let error = unsafe { (functions.gcry_mac_open)(&mut handle, number, 0, ptr::null_mut()) };
        check(error == 0 && !handle.is_null(), "gcry_mac_open")?;
        let mut mac = Self {
            functions,
            handle,
            is_fresh: false,
            is_cmac: number == CMAC_AES,
        };
        mac.set_key(key)?;
        Ok(mac)
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        // SAFETY: the handle is open, and the key readable for its length, which the function checks.
        let error = unsafe { (self.functions.gcry_mac_setkey)(self.handle, key.as_ptr().cast(), key.len()) };
        self.is_fresh = !self.is_cmac;
        check(error == 0, "gcry_mac_setkey")
    }

    #[inline]
    fn tag(&mut self, iv: &[u8], message: &[&[u8]], tag: &mut [u8]) -> Result<(), Fault> {
        const RESET: c_int = 4;
        let Functions {
            gcry_mac_ctl,
            gcry_mac_setiv,
            gcry_mac_write,
            gcry_mac_read,
            ..
        } = self.functions;
        let mut len = tag.len();
        // SAFETY: the handle is open and has a key, which a reset keeps and for which it reads no data; IV and the parts of
        // the message are readable for their lengths, and what is written to the tag is no more than `len`.
        unsafe {
            if !mem::take(&mut self.is_fresh) {
                check(
                    gcry_mac_ctl(self.handle, RESET, ptr::null_mut(), 0) == 0,
                    "gcry_mac_reset",
                )?;
            }
            if !iv.is_empty() {
                check(
                    gcry_mac_setiv(self.handle, iv.as_ptr().cast(), iv.len()) == 0,
                    "gcry_mac_setiv",
                )?;
            }
            for part in message {
                check(
                    gcry_mac_write(self.handle, part.as_ptr().cast(), part.len()) == 0,
                    "gcry_mac_write",
                )?;
            }
            let error = gcry_mac_read(self.handle, tag.as_mut_ptr().cast(), &mut len);
            check(error == 0 && len == tag.len(), "gcry_mac_read")
        }
    }
}

impl Drop for Mac {
    fn drop(&mut self) {
        // SAFETY: open, and closed once.
        unsafe { (self.functions.gcry_mac_close)(self.handle) }
    }
}

struct GcryptPair {
    cipher: Cipher,
    mac: Mac,
}

impl GcryptPair {
    fn new(functions: &'static Functions, cipher: Task, mac: c_int, key: &[u8]) -> Result<Self, Fault> {
        let Some(Code::Cipher(algorithm, mode)) = Code::of(cipher) else {
            return Err(Fault(format!("libgcrypt has no {cipher}")));
        };
        Ok(Self {
            cipher: Cipher::new(functions, cipher, algorithm, mode)?,
            mac: Mac::new(functions, mac, key)?,
        })
    }
}

impl Pair for GcryptPair {
    fn set_keys(&mut self, cipher: &[u8], mac: &[u8]) -> Result<(), Fault> {
        self.cipher.set_key(cipher)?;
        self.mac.set_key(mac)
    }

    #[inline]
    fn crypt(&mut self, iv: &[u8], data: &mut [u8]) -> Result<(), Fault> {
        self.cipher.set_iv(iv)?;
        self.cipher.run(data.into())
    }

    #[inline]
    fn crypt_to(&mut self, iv: &[u8], input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        self.cipher.set_iv(iv)?;
        self.cipher.run(buffers(input, output)?)
    }

    #[inline]
    fn mac(&mut self, parts: [&[u8]; 3], tag: &mut [u8]) -> Result<(), Fault> {
        self.mac.tag(&[], &parts, tag)
    }
}
