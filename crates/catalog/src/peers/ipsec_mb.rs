//! Intel's Multi-Buffer Crypto for IPsec, for a message at a time and, as it is made for, for many. Structures as in
//! intel-ipsec-mb.h of 1.3 and 2.0, whose functions stand behind pointers in its manager: no other version is taken. A
//! test compares them with the header.
use std::{
    ffi::{c_char, c_int, c_void},
    mem,
    ptr::NonNull,
};

use ciphertune_testkit::{Algorithm, Contract, Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{About, Flaw, Interface, Peer, chain::Chain, counter::Counter, memory::Memory};
use crate::{
    Mask, Timed,
    context::{equal, inout, tagging},
    library::{Library, Missing, check, functions, text},
    many::{AtOnce, SideBySide},
};

mod chacha;
mod cmac;
mod des;
mod hmac;
mod tunnel;

use chacha::{ChachaPoly, Poly1305};
use cmac::Cmac;
use des::{Des, ExpandDes};
use hmac::Hmac;
use tunnel::Tunnel;

type ExpandKey = unsafe extern "C" fn(*const c_void, *mut c_void, *mut c_void);
/// A block, and where the state after it goes.
type OneBlock = unsafe extern "C" fn(*const c_void, *mut c_void);
/// A message, its length, and where its digest goes.
type Hash = unsafe extern "C" fn(*const c_void, u64, *mut c_void);
/// Jobs, how many they are, cipher, direction and bytes of the key; answers how many are done.
type CipherBurst = unsafe extern "C" fn(*mut Manager, *mut Job, u32, u32, u32, u64) -> u32;
type PrepareGcm = unsafe extern "C" fn(*const c_void, *mut c_void);
/// Key, context, output, input, length, IV, additional data and their length, tag and its length.
type Gcm = unsafe extern "C" fn(
    *const c_void,
    *mut c_void,
    *mut u8,
    *const u8,
    u64,
    *const u8,
    *const u8,
    u64,
    *mut u8,
    u64,
);

/// Key, context, IV, and its length.
type BeginGmac = unsafe extern "C" fn(*const c_void, *mut c_void, *const u8, u64);
/// Key, context, message, and its length.
type GmacPart = unsafe extern "C" fn(*const c_void, *mut c_void, *const u8, u64);
/// Key, context, tag, and its length.
type EndGmac = unsafe extern "C" fn(*const c_void, *mut c_void, *mut u8, u64);
/// Key, context, IV, additional data and their length.
type BeginChacha = unsafe extern "C" fn(*const c_void, *mut c_void, *const c_void, *const c_void, u64);
/// Key, context, output, input and their length.
type ChachaPart = unsafe extern "C" fn(*const c_void, *mut c_void, *mut c_void, *const c_void, u64);
/// Context, tag and its length.
type EndChacha = unsafe extern "C" fn(*mut c_void, *mut c_void, u64);

/// `IMB_MGR`, as far as it is used.
#[repr(C)]
struct Manager {
    flags: u64,
    features: u64,
    reserved: [u64; 5],
    used_arch: u32,
    error: c_int,
    next_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    submit: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    submit_unchecked: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    completed: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    flush: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    queue_size: *const c_void,
    /// For keys of 16, 24 and 32 bytes, as the following.
    expand_key: [ExpandKey; 3],
    expand_cmac_key_128: ExpandKey,
    other_key: *const c_void,
    expand_des_key: ExpandDes,
    /// Of SHA-1, 224, 256, 384 and 512.
    one_block: [OneBlock; 5],
    md5_block: *const c_void,
    /// Of the same, as `one_block`.
    hashes: [Hash; 5],
    cfb: *const c_void,
    gcm_seal: [Gcm; 3],
    gcm_open: [Gcm; 3],
    gcm_parts: [*const c_void; 18],
    prepare_gcm: [PrepareGcm; 3],
    others: [*const c_void; 31],
    begin_gmac: [BeginGmac; 3],
    gmac_part: [GmacPart; 3],
    end_gmac: [EndGmac; 3],
    checks_of_headers: [*const c_void; 2],
    expand_cmac_key_256: ExpandKey,
    more_others: [*const c_void; 13],
    begin_chacha: BeginChacha,
    seal_chacha: ChachaPart,
    open_chacha: ChachaPart,
    end_chacha: EndChacha,
    bursts: [*const c_void; 5],
    cipher_burst_unchecked: CipherBurst,
}

/// `IMB_JOB`.
#[repr(C)]
struct Job {
    encrypt_keys: *const c_void,
    decrypt_keys: *const c_void,
    key_len: u64,
    input: *const u8,
    output: *mut u8,
    cipher_offset: u64,
    cipher_len: u64,
    hash_offset: u64,
    hash_len: u64,
    iv: *const u8,
    iv_len: u64,
    tag: *mut u8,
    tag_len: u64,
    hash_keys: [*const c_void; 3],
    status: u32,
    cipher: u32,
    direction: u32,
    hash: u32,
    order: u32,
    user_data: [*mut c_void; 2],
    user_functions: [*const c_void; 2],
    scattered: u32,
    cipher_fields: *mut c_void,
}

/// `IMB_JOB` since 2.0, where jobs lie side by side.
#[repr(C)]
struct LaterJob {
    job: Job,
    session: [u32; 3],
}

impl AsMut<Job> for Job {
    fn as_mut(&mut self) -> &mut Job {
        self
    }
}

impl AsMut<Job> for LaterJob {
    fn as_mut(&mut self) -> &mut Job {
        &mut self.job
    }
}

impl From<Job> for LaterJob {
    fn from(job: Job) -> Self {
        Self { job, session: [0; 3] }
    }
}

functions! {
    Functions {
        alloc_mb_mgr: fn(u64) -> *mut Manager;
        init_mb_mgr_sse: fn(*mut Manager);
        init_mb_mgr_avx2: fn(*mut Manager);
        init_mb_mgr_auto: fn(*mut Manager, *mut c_int);
    }
}

pub(super) struct IpsecMb {
    functions: Functions,
    /// Since 2.0.
    has_later_jobs: bool,
    /// One for all contexts, as its users have one for each thread: every job is done when the call that submits it
    /// returns. This pointer keeps them all on one thread.
    manager: NonNull<Manager>,
}

impl Peer for IpsecMb {
    const ABOUT: About = About {
        name: "ipsec-mb",
        interfaces: &[
            Interface::new("libIPSec_MB.so.2", "libipsec-mb2", (2, 0)..=(2, 0)),
            Interface::new("libIPSec_MB.so.1", "libipsec-mb1", (1, 3)..=(1, 3)),
        ],
    };

    fn version(library: Library) -> Result<String, Missing> {
        // SAFETY: the header gives the name this type; the function answers a static string.
        unsafe {
            let version: unsafe extern "C" fn() -> *const c_char = library.symbol("imb_get_version_str")?;
            Ok(text(version()).trim_start_matches('v').to_owned())
        }
    }

    fn find(library: Library, version: (u32, u32)) -> Result<Self, Flaw> {
        Self::without(library, version, None)
    }

    fn address(&self) -> *const c_void {
        self.functions.alloc_mb_mgr as *const c_void
    }

    /// AES and PCLMULQDQ instructions in all of its code that is taken here.
    fn constant_time(&self) -> bool {
        true
    }

    /// Its CCM takes no more than 46 bytes of additional data, and so is left out.
    fn has(&self, task: Task) -> bool {
        if task.operation == Operation::Digest {
            return sha(task.algorithm).is_some();
        }
        task.algorithm.cipher_and_mac().is_some()
            || matches!(
                task.algorithm.aes_mode(),
                Some("ECB" | "CBC" | "CTR" | "GCM" | "GMAC")
            )
            || matches!(task.algorithm.name(), "ChaCha20-Poly1305" | "Poly1305")
            || Cmac::has(task.algorithm)
            || Des::has(task.algorithm)
            || Hmac::has(task.algorithm)
    }

    fn longest(&self, task: Task) -> usize {
        match Hmac::has(task.algorithm) {
            true => LONGEST_CHAIN,
            false => usize::MAX,
        }
    }

    fn has_many(&self, task: Task) -> bool {
        task.algorithm.aes_mode() == Some("CBC") || Cmac::has(task.algorithm)
    }

    fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        let kept = Zeroizing::new(key.to_vec());
        if let Some(which) = sha(task.algorithm) {
            let (hash, len) = (self.manager().hashes[which], task.algorithm.tag_len());
            return Ok(tagging(
                contract,
                (),
                |()| Ok(()),
                move |(), envelope, message| {
                    check(envelope.tag.len() == len, "IMB_SHA*")?;
                    let (input, input_len) = (message.as_ptr().cast(), message.len() as u64);
                    // SAFETY: the message is readable for its length, and the digest as long as the hash makes it.
                    unsafe { hash(input, input_len, envelope.tag.as_mut_ptr().cast()) };
                    Ok(())
                },
            ));
        }
        if Hmac::has(task.algorithm) {
            let mut hmac = Hmac::new(self, task.algorithm)?;
            hmac.set_key(key);
            let renew = move |hmac: &mut Hmac| {
                hmac.set_key(&kept);
                Ok(())
            };
            return Ok(tagging(contract, hmac, renew, |hmac, envelope, message| {
                hmac.tag(message, envelope.tag)
            }));
        }
        if task.algorithm.cipher_and_mac().is_some() {
            let mut tunnel = Tunnel::new(self, task)?;
            tunnel.set_keys(key);
            let renew = move |tunnel: &mut Tunnel| {
                tunnel.set_keys(&kept);
                Ok(())
            };
            return Ok(match task.operation {
                Operation::Open => inout(contract, tunnel, renew, Tunnel::open),
                _ => inout(contract, tunnel, renew, Tunnel::seal),
            });
        }
        match task.algorithm.name() {
            "ChaCha20-Poly1305" => {
                let mut chacha = ChachaPoly::new(self);
                chacha.set_key(key);
                let renew = move |chacha: &mut ChachaPoly| {
                    chacha.set_key(&kept);
                    Ok(())
                };
                return Ok(match task.operation {
                    Operation::Open => inout(contract, chacha, renew, ChachaPoly::open),
                    _ => inout(contract, chacha, renew, ChachaPoly::seal),
                });
            }
            "Poly1305" => {
                let renew = move |poly: &mut Poly1305| {
                    poly.set_key(&kept);
                    Ok(())
                };
                let poly = Poly1305::new(self);
                return Ok(tagging(contract, poly, renew, |poly, envelope, message| {
                    poly.tag(message, envelope.tag)
                }));
            }
            _ => {}
        }
        if matches!(task.algorithm.aes_mode(), Some("GCM" | "GMAC")) {
            let mut gcm = GcmKey::new(self, key);
            gcm.set_key(key);
            let renew = move |gcm: &mut GcmKey| {
                gcm.set_key(&kept);
                Ok(())
            };
            return Ok(match task.operation {
                Operation::Mac => tagging(contract, gcm, renew, GcmKey::tag),
                Operation::Open => inout(contract, gcm, renew, |gcm, envelope, buffer| {
                    let mut made = [0; 16];
                    gcm.run(gcm.open, &envelope, buffer, &mut made)?;
                    check(equal(&made, envelope.tag), "the tag is wrong: comparing it")
                }),
                _ => inout(contract, gcm, renew, |gcm, mut envelope, buffer| {
                    let tag = mem::take(&mut envelope.tag);
                    gcm.run(gcm.seal, &envelope, buffer, tag)
                }),
            });
        }
        if Cmac::has(task.algorithm) {
            let mut cmac = Cmac::new(self, task);
            cmac.set_key(key);
            let renew = move |cmac: &mut Cmac| {
                cmac.set_key(&kept);
                Ok(())
            };
            return Ok(match contract {
                Contract::Many => Box::new(AtOnce(cmac)),
                _ => tagging(contract, cmac, renew, |cmac, envelope, message| {
                    cmac.tag(message, envelope.tag)
                }),
            });
        }
        if Des::has(task.algorithm) {
            return Des::context(self, task, key, iv);
        }
        let mut keyed = Keyed::new(self, task);
        keyed.set_key(key);
        let renew = move |keyed: &mut Keyed| {
            keyed.set_key(&kept);
            Ok(())
        };
        let is_stream = contract == Contract::Stream;
        Ok(match task.algorithm.aes_mode() {
            Some("ECB") => inout(contract, keyed, renew, |keyed, _, buffer| keyed.run(&[], buffer)),
            Some("CTR") if is_stream => {
                let state = (keyed, Counter::new(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(keyed, counter), _, buffer| {
                    counter.run(buffer, |iv, buffer| keyed.run(iv, buffer))
                })
            }
            Some("CTR") => inout(contract, keyed, renew, |keyed, envelope, buffer| {
                Counter::new(envelope.iv)?.run(buffer, |iv, buffer| keyed.run(iv, buffer))
            }),
            _ if contract == Contract::Many && self.has_later_jobs => {
                Box::new(AtOnce(Burst::<LaterJob>::new(keyed)))
            }
            _ if contract == Contract::Many => Box::new(AtOnce(Burst::<Job>::new(keyed))),
            _ if is_stream => {
                let state = (keyed, Chain::<16>::new(iv, task.operation.is_backward())?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(keyed, chain), _, buffer| {
                    chain.run(buffer, |iv, buffer| keyed.message(iv, buffer))
                })
            }
            _ => inout(contract, keyed, renew, |keyed, envelope, buffer| {
                keyed.message(envelope.iv, buffer)
            }),
        })
    }
}

/// Which of the manager's hashes it is.
fn sha(algorithm: Algorithm) -> Option<usize> {
    let names = ["SHA1", "SHA2-224", "SHA2-256", "SHA2-384", "SHA2-512"];
    names.iter().position(|&name| name == algorithm.name())
}

/// `IMB_ARCH_*` of what has AES instructions: what code is made for.
struct Arch {
    sse: u32,
    avx: u32,
    avx2: u32,
}

impl Arch {
    fn of((major, _): (u32, u32)) -> Self {
        match major {
            1 => Self {
                sse: 2,
                avx: 3,
                avx2: 4,
            },
            // It has no code for AVX without AVX2.
            _ => Self {
                sse: 1,
                avx: 1,
                avx2: 2,
            },
        }
    }
}

/// `IMB_FLAG_SHANI_OFF`, and `IMB_FEATURE_SHANI`.
const SHANI: u64 = 1;

/// Which masks it can be told. Its code for AVX-512 or AVX2 that has VAES has SHA instructions too: without these it has
/// neither.
pub(crate) fn heeds(mask: Mask) -> bool {
    matches!(mask, Mask::NoAvx512 | Mask::NoAvx2 | Mask::NoAvx | Mask::NoSha)
}

impl Arch {
    /// Checks what a manager says that it goes by.
    fn goes_by(&self, mask: Option<Mask>, arch: u32, features: u64) -> Result<(), Fault> {
        let most = match mask {
            Some(Mask::NoAvx512) => self.avx2,
            Some(Mask::NoAvx2) => self.avx,
            Some(Mask::NoAvx) => self.sse,
            _ => u32::MAX,
        };
        if arch < self.sse {
            return Err(Fault("needs a processor with AES instructions".to_owned()));
        }
        match mask.filter(|&mask| arch > most || mask == Mask::NoSha && features & SHANI != 0) {
            Some(mask) => Err(Fault(format!("it was told {mask}, and goes on as before"))),
            None => Ok(()),
        }
    }
}

impl IpsecMb {
    /// As it comes, or under a mask that it heeds.
    pub(super) fn without(library: Library, version: (u32, u32), mask: Option<Mask>) -> Result<Self, Flaw> {
        let functions = Functions::find(library)?;
        // SAFETY: the header of 1.3 gives the name this type; later ones lack it.
        let init_avx = unsafe { library.symbol("init_mb_mgr_avx") }.unwrap_or(functions.init_mb_mgr_sse);
        let flags = if mask == Some(Mask::NoSha) { SHANI } else { 0 };
        // SAFETY: the flag is one that the header has; the function answers NULL or a manager of the library's own making,
        // never freed.
        let manager = NonNull::new(unsafe { (functions.alloc_mb_mgr)(flags) });
        let manager = manager.ok_or_else(|| Fault("alloc_mb_mgr failed".to_owned()))?;
        let mut chosen = 0;
        // SAFETY: the manager is valid, and `chosen` there to be written.
        unsafe {
            match mask {
                Some(Mask::NoAvx512) => (functions.init_mb_mgr_avx2)(manager.as_ptr()),
                Some(Mask::NoAvx2) => init_avx(manager.as_ptr()),
                Some(Mask::NoAvx) => (functions.init_mb_mgr_sse)(manager.as_ptr()),
                _ => (functions.init_mb_mgr_auto)(manager.as_ptr(), &mut chosen),
            }
        }
        let library = Self {
            functions,
            has_later_jobs: version >= (2, 0),
            manager,
        };
        let Manager {
            used_arch, features, ..
        } = library.manager();
        Arch::of(version).goes_by(mask, *used_arch, *features)?;
        Ok(library)
    }

    fn manager(&self) -> &Manager {
        // SAFETY: valid for ever and set up. Its jobs lie behind what `Manager` names.
        unsafe { self.manager.as_ref() }
    }
}

/// `IMB_CIPHER_*`, `IMB_AUTH_*` and the like.
const CBC: u32 = 1;
const CTR: u32 = 2;
const NO_CIPHER: u32 = 3;
const DES: u32 = 7;
const DES3: u32 = 10;
const ECB: u32 = 12;
const HMAC_SHA1: u32 = 1;
const HMAC_SHA256: u32 = 3;
const HMAC_SHA512: u32 = 5;
const NO_HASH: u32 = 8;
const CMAC_128: u32 = 12;
const CMAC_256: u32 = 27;
const POLY1305: u32 = 28;
const ENCRYPT: u32 = 1;
const DECRYPT: u32 = 2;
const CIPHER_HASH: u32 = 1;
const HASH_CIPHER: u32 = 2;
const COMPLETED: u32 = 3;

/// A key, expanded, for one mode and direction.
struct Keyed {
    manager: NonNull<Manager>,
    expand: ExpandKey,
    key_len: usize,
    cipher: u32,
    direction: u32,
    encrypt: Memory,
    decrypt: Memory,
}

impl Keyed {
    fn new(library: &IpsecMb, task: Task) -> Self {
        let key_len = task.algorithm.key_len();
        Self {
            manager: library.manager,
            expand: library.manager().expand_key[key_len / 8 - 2],
            key_len,
            cipher: match task.algorithm.aes_mode() {
                Some("CBC" | "CMAC") => CBC,
                Some("CTR") => CTR,
                _ => ECB,
            },
            direction: if task.operation.is_backward() {
                DECRYPT
            } else {
                ENCRYPT
            },
            encrypt: Memory::new(EXPANDED),
            decrypt: Memory::new(EXPANDED),
        }
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) {
        assert_eq!(key.len(), self.key_len, "the caller checks");
        let (encrypt, decrypt) = (self.encrypt.as_mut_ptr(), self.decrypt.as_mut_ptr());
        // SAFETY: the function reads as many bytes as its name says, which the key has, and writes fifteen round keys at
        // most to each of two places with room for them.
        unsafe { (self.expand)(key.as_ptr().cast(), encrypt, decrypt) }
    }

    /// A message, in pieces that CBC encryption can count.
    #[inline]
    fn message(&mut self, iv: &[u8], mut buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        if buffer.len() <= LONGEST_CHAIN || self.direction == DECRYPT {
            return self.run(iv, buffer);
        }
        let mut chain = Chain::<16>::new(iv, false)?;
        while !buffer.is_empty() {
            let len = buffer.len().min(LONGEST_CHAIN);
            let (now, later) = buffer.split_at(len);
            chain.run(now, |iv, now| self.run(iv, now))?;
            buffer = later;
        }
        Ok(())
    }

    /// One message, and nothing beside it.
    #[inline]
    fn run(&mut self, iv: &[u8], buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        // It takes no jobs of no bytes.
        if buffer.is_empty() {
            return Ok(());
        }
        fill(self.job(), iv, buffer);
        // SAFETY: the job is filled in by the header's rules; IV and buffers are there until this returns.
        unsafe { self.submit() }
    }

    /// The next job, with this key.
    #[inline]
    fn job(&mut self) -> &mut Job {
        let job = next_job(self.manager);
        job.encrypt_keys = self.encrypt.as_ptr();
        job.decrypt_keys = self.decrypt.as_ptr();
        job.key_len = self.key_len as u64;
        job.cipher = self.cipher;
        job.direction = self.direction;
        job
    }

    /// A job of one's own, with this key, for the call that takes many.
    fn job_of_burst(&self) -> Job {
        // SAFETY: numbers and pointers that may be NULL: zeros are valid for all of them.
        let mut job: Job = unsafe { mem::zeroed() };
        job.encrypt_keys = self.encrypt.as_ptr();
        job.decrypt_keys = self.decrypt.as_ptr();
        job.key_len = self.key_len as u64;
        job.iv_len = 16;
        job.cipher = self.cipher;
        job.direction = self.direction;
        job.hash = NO_HASH;
        job.order = CIPHER_HASH;
        job
    }

    /// Does the job.
    ///
    /// # Safety
    /// As of [`submit`].
    #[inline]
    unsafe fn submit(&mut self) -> Result<(), Fault> {
        // SAFETY: the caller vouches for the job.
        unsafe { submit(self.manager) }
    }
}

/// A job to fill in: there is but this one until it is done.
#[inline]
fn next_job<'a>(manager: NonNull<Manager>) -> &'a mut Job {
    let manager = manager.as_ptr();
    // SAFETY: the manager is valid for ever and set up. As no job is under way it has one to give, which is ours until it
    // is submitted.
    let job = unsafe { &mut *((*manager).next_job)(manager) };
    job.cipher_offset = 0;
    job
}

/// Says what a job that hashes nothing works on.
#[inline]
fn fill(job: &mut Job, iv: &[u8], buffer: InOutBuf<'_, '_, u8>) {
    job.cipher_len = buffer.len() as u64;
    (job.input, job.output) = buffer.into_raw();
    job.hash_len = 0;
    job.iv = iv.as_ptr();
    job.iv_len = iv.len() as u64;
    job.hash = NO_HASH;
    job.order = CIPHER_HASH;
}

/// Does the job that the manager has given last.
///
/// # Safety
/// It is filled in by the header's rules, which `submit_unchecked` leaves to its caller.
#[inline]
unsafe fn submit(manager: NonNull<Manager>) -> Result<(), Fault> {
    let manager = manager.as_ptr();
    // SAFETY: valid for ever and set up; copied out are pointers to functions.
    let Manager {
        submit_unchecked,
        flush,
        ..
    } = unsafe { &*manager };
    // SAFETY: the caller vouches for the job, which is done when this returns. Both functions answer NULL or the oldest
    // job that is done, and there is but this one.
    let done = unsafe {
        let mut done = submit_unchecked(manager);
        if done.is_null() {
            done = flush(manager);
        }
        done.as_ref()
    };
    check(done.is_some_and(|job| job.status == COMPLETED), "submit_job")
}

/// Many messages in CBC, encrypted with one key by the call that is there for that.
struct Burst<J> {
    keyed: Keyed,
    /// All that does not change from message to message is filled in.
    jobs: Vec<J>,
    rests: Vec<Rest>,
}

/// What is still to be done of a message.
struct Rest {
    iv: *const u8,
    input: *const u8,
    output: *mut u8,
    len: usize,
}

impl<J: From<Job>> Burst<J> {
    fn new(keyed: Keyed) -> Self {
        let jobs = (0..Contract::MANY).map(|_| keyed.job_of_burst().into()).collect();
        Self {
            keyed,
            jobs,
            rests: Vec::with_capacity(Contract::MANY),
        }
    }
}

impl<J: AsMut<Job>> SideBySide for Burst<J> {
    #[inline]
    fn run<'a>(
        &mut self,
        messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>,
    ) -> Result<(), Fault> {
        let Keyed {
            manager,
            key_len,
            cipher,
            direction,
            ..
        } = self.keyed;
        // SAFETY: valid for ever and set up; copied out is a pointer to a function.
        let burst = unsafe { (*manager.as_ptr()).cipher_burst_unchecked };
        self.rests.clear();
        self.rests.extend(messages.map(|(envelope, buffer)| {
            let len = buffer.len();
            let (input, output) = buffer.into_raw();
            let iv = envelope.iv.as_ptr();
            Rest {
                iv,
                input,
                output,
                len,
            }
        }));
        loop {
            // It takes no jobs of no bytes.
            let left = self.rests.iter_mut().filter(|rest| rest.len > 0);
            let mut count = 0;
            for (job, rest) in self.jobs.iter_mut().map(J::as_mut).zip(left) {
                let len = rest.len.min(LONGEST_CHAIN);
                (job.iv, job.input, job.output) = (rest.iv, rest.input, rest.output);
                job.cipher_len = len as u64;
                job.status = 0;
                rest.len -= len;
                rest.input = rest.input.wrapping_add(len);
                rest.output = rest.output.wrapping_add(len);
                // A chain goes on with what it has written last.
                rest.iv = rest.output.wrapping_sub(16);
                count += 1;
            }
            if count == 0 {
                return Ok(());
            }
            // SAFETY: the jobs lie as this version has them, and are filled in by the header's rules, with this key, cipher and
            // direction. Inputs are readable and outputs ours to write for as many bytes, in place or apart, and readable are the IVs, for as
            // long as the messages are borrowed; the jobs are done when this returns.
            let done = unsafe {
                burst(
                    manager.as_ptr(),
                    self.jobs.as_mut_ptr().cast(),
                    count as u32,
                    cipher,
                    direction,
                    key_len as u64,
                )
            };
            let mut done_jobs = self.jobs[..count].iter_mut().map(J::as_mut);
            let all_done = done_jobs.all(|job| job.status == COMPLETED);
            check(done as usize == count && all_done, "submit_cipher_burst_nocheck")?;
        }
    }
}

/// The most whole blocks that its CBC encryption takes at once, in bytes: it counts in 16 bits. What it hashes is padded
/// besides.
const LONGEST_CHAIN: usize = 0xfff0;

/// Bytes of the longest expanded key: fifteen round keys.
const EXPANDED: usize = 15 * 16;

/// A key in GCM or GMAC.
struct GcmKey {
    prepare: PrepareGcm,
    seal: Gcm,
    open: Gcm,
    begin: BeginGmac,
    part: GmacPart,
    end: EndGmac,
    key_len: usize,
    key: Memory,
    message: Memory,
}

/// Bytes of the longest `struct gcm_key_data` and of `struct gcm_context_data`.
const GCM_KEY: usize = 1264;
const GCM_MESSAGE: usize = 88;

impl GcmKey {
    fn new(library: &IpsecMb, key: &[u8]) -> Self {
        let size = key.len() / 8 - 2;
        let functions = library.manager();
        Self {
            prepare: functions.prepare_gcm[size],
            seal: functions.gcm_seal[size],
            open: functions.gcm_open[size],
            begin: functions.begin_gmac[size],
            part: functions.gmac_part[size],
            end: functions.end_gmac[size],
            key_len: key.len(),
            key: Memory::new(GCM_KEY),
            message: Memory::new(GCM_MESSAGE),
        }
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) {
        assert_eq!(key.len(), self.key_len, "the caller checks");
        // SAFETY: the function reads as many bytes as its name says, which the key has, and its structure has room.
        unsafe { (self.prepare)(key.as_ptr().cast(), self.key.as_mut_ptr()) }
    }

    #[inline]
    fn run(
        &mut self,
        crypt: Gcm,
        envelope: &Envelope<'_>,
        buffer: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Fault> {
        let Envelope { iv, aad, .. } = *envelope;
        check(iv.len() == 12 && tag.len() <= 16, "aes_gcm_enc or _dec")?;
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let (key, message) = (self.key.as_ptr(), self.message.as_mut_ptr());
        let (aad, aad_len) = (aad.as_ptr(), aad.len() as u64);
        let (tag, tag_len) = (tag.as_mut_ptr(), tag.len() as u64);
        // SAFETY: the key is prepared and the message's structure has room; the IV has the twelve bytes that are read,
        // additional data and `input` are readable and `output` and the tag ours to write for their lengths, in place or
        // apart.
        unsafe {
            crypt(
                key,
                message,
                output,
                input,
                len as u64,
                iv.as_ptr(),
                aad,
                aad_len,
                tag,
                tag_len,
            )
        };
        Ok(())
    }

    #[inline]
    fn tag(&mut self, Envelope { iv, tag, .. }: Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        check(iv.len() == 12 && tag.len() == 16, "aes_gmac_init")?;
        let (key, state) = (self.key.as_ptr(), self.message.as_mut_ptr());
        // SAFETY: the key is prepared and the message's structure has room; IV and message are readable and the tag ours to
        // write for their lengths.
        unsafe {
            (self.begin)(key, state, iv.as_ptr(), iv.len() as u64);
            (self.part)(key, state, message.as_ptr(), message.len() as u64);
            (self.end)(key, state, tag.as_mut_ptr(), tag.len() as u64);
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) fn layout() -> super::layouts::Layout {
    super::layouts::Layout {
        headers: &["intel-ipsec-mb.h"],
        facts: vec![
            ("offsetof(IMB_MGR, features)", mem::offset_of!(Manager, features)),
            (
                "offsetof(IMB_MGR, used_arch)",
                mem::offset_of!(Manager, used_arch),
            ),
            (
                "offsetof(IMB_MGR, get_next_job)",
                mem::offset_of!(Manager, next_job),
            ),
            (
                "offsetof(IMB_MGR, submit_job_nocheck)",
                mem::offset_of!(Manager, submit_unchecked),
            ),
            ("offsetof(IMB_MGR, flush_job)", mem::offset_of!(Manager, flush)),
            (
                "offsetof(IMB_MGR, keyexp_128)",
                mem::offset_of!(Manager, expand_key),
            ),
            (
                "offsetof(IMB_MGR, gcm128_enc)",
                mem::offset_of!(Manager, gcm_seal),
            ),
            (
                "offsetof(IMB_MGR, gcm128_dec)",
                mem::offset_of!(Manager, gcm_open),
            ),
            (
                "offsetof(IMB_MGR, gcm128_pre)",
                mem::offset_of!(Manager, prepare_gcm),
            ),
            (
                "offsetof(IMB_MGR, submit_cipher_burst_nocheck)",
                mem::offset_of!(Manager, cipher_burst_unchecked),
            ),
            ("IMB_VERSION_NUM >= 0x20000 || sizeof(IMB_JOB) == 200", 1),
            ("IMB_VERSION_NUM < 0x20000 || sizeof(IMB_JOB) == 216", 1),
            ("200", size_of::<Job>()),
            ("216", size_of::<LaterJob>()),
            (
                "IMB_VERSION_NUM >= 0x20000 || IMB_ARCH_SSE == 2 && IMB_ARCH_AVX2 == 4",
                1,
            ),
            (
                "IMB_VERSION_NUM < 0x20000 || IMB_ARCH_SSE == 1 && IMB_ARCH_AVX2 == 2",
                1,
            ),
            ("offsetof(IMB_JOB, dst)", mem::offset_of!(Job, output)),
            (
                "offsetof(IMB_JOB, msg_len_to_cipher_in_bytes)",
                mem::offset_of!(Job, cipher_len),
            ),
            (
                "offsetof(IMB_JOB, msg_len_to_hash_in_bytes)",
                mem::offset_of!(Job, hash_len),
            ),
            ("offsetof(IMB_JOB, iv)", mem::offset_of!(Job, iv)),
            ("offsetof(IMB_JOB, auth_tag_output)", mem::offset_of!(Job, tag)),
            ("offsetof(IMB_JOB, status)", mem::offset_of!(Job, status)),
            ("offsetof(IMB_JOB, cipher_mode)", mem::offset_of!(Job, cipher)),
            (
                "offsetof(IMB_JOB, cipher_direction)",
                mem::offset_of!(Job, direction),
            ),
            ("offsetof(IMB_JOB, hash_alg)", mem::offset_of!(Job, hash)),
            ("offsetof(IMB_JOB, chain_order)", mem::offset_of!(Job, order)),
            ("IMB_CIPHER_CBC", CBC as usize),
            ("IMB_CIPHER_CNTR", CTR as usize),
            ("IMB_CIPHER_ECB", ECB as usize),
            (
                "offsetof(IMB_MGR, sha1_one_block)",
                mem::offset_of!(Manager, one_block),
            ),
            (
                "offsetof(IMB_JOB, hash_start_src_offset_in_bytes)",
                mem::offset_of!(Job, hash_offset),
            ),
            ("offsetof(IMB_JOB, u)", mem::offset_of!(Job, hash_keys)),
            (
                "offsetof(IMB_JOB, auth_tag_output_len_in_bytes)",
                mem::offset_of!(Job, tag_len),
            ),
            ("offsetof(IMB_MGR, sha1)", mem::offset_of!(Manager, hashes)),
            ("IMB_CIPHER_NULL", NO_CIPHER as usize),
            ("IMB_CIPHER_DES", DES as usize),
            ("IMB_CIPHER_DES3", DES3 as usize),
            ("IMB_DES_KEY_SCHED_SIZE", des::SCHEDULE),
            (
                "offsetof(IMB_MGR, des_key_sched)",
                mem::offset_of!(Manager, expand_des_key),
            ),
            ("IMB_AUTH_HMAC_SHA_1", HMAC_SHA1 as usize),
            ("IMB_AUTH_HMAC_SHA_256", HMAC_SHA256 as usize),
            ("IMB_AUTH_HMAC_SHA_512", HMAC_SHA512 as usize),
            ("IMB_ORDER_HASH_CIPHER", HASH_CIPHER as usize),
            ("IMB_AUTH_NULL", NO_HASH as usize),
            ("IMB_AUTH_AES_CMAC", CMAC_128 as usize),
            ("IMB_AUTH_AES_CMAC_256", CMAC_256 as usize),
            (
                "offsetof(IMB_MGR, cmac_subkey_gen_128)",
                mem::offset_of!(Manager, expand_cmac_key_128),
            ),
            (
                "offsetof(IMB_MGR, cmac_subkey_gen_256)",
                mem::offset_of!(Manager, expand_cmac_key_256),
            ),
            ("IMB_DIR_ENCRYPT", ENCRYPT as usize),
            ("IMB_DIR_DECRYPT", DECRYPT as usize),
            ("IMB_ORDER_CIPHER_HASH", CIPHER_HASH as usize),
            ("IMB_STATUS_COMPLETED", COMPLETED as usize),
            (
                "offsetof(IMB_MGR, gmac128_init)",
                mem::offset_of!(Manager, begin_gmac),
            ),
            (
                "offsetof(IMB_MGR, gmac128_update)",
                mem::offset_of!(Manager, gmac_part),
            ),
            (
                "offsetof(IMB_MGR, gmac128_finalize)",
                mem::offset_of!(Manager, end_gmac),
            ),
            (
                "offsetof(IMB_MGR, chacha20_poly1305_init)",
                mem::offset_of!(Manager, begin_chacha),
            ),
            (
                "offsetof(IMB_MGR, chacha20_poly1305_enc_update)",
                mem::offset_of!(Manager, seal_chacha),
            ),
            (
                "offsetof(IMB_MGR, chacha20_poly1305_dec_update)",
                mem::offset_of!(Manager, open_chacha),
            ),
            (
                "offsetof(IMB_MGR, chacha20_poly1305_finalize)",
                mem::offset_of!(Manager, end_chacha),
            ),
            ("sizeof(struct chacha20_poly1305_context_data)", chacha::MESSAGE),
            ("IMB_AUTH_POLY1305", POLY1305 as usize),
            ("sizeof(struct gcm_key_data) <= 1264", 1),
            ("1264", GCM_KEY),
            ("sizeof(struct gcm_context_data)", GCM_MESSAGE),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manager_that_goes_on_as_before_is_caught() {
        for version in [(1, 3), (2, 0)] {
            let arch = Arch::of(version);
            for (mask, more, less) in [
                (Mask::NoAvx512, arch.avx2 + 1, arch.avx2),
                (Mask::NoAvx2, arch.avx2, arch.avx),
                (Mask::NoAvx, arch.avx2, arch.sse),
            ] {
                assert_eq!(arch.goes_by(None, more, SHANI), Ok(()));
                let Fault(why) = arch.goes_by(Some(mask), more, 0).unwrap_err();
                assert!(why.contains(mask.name()), "{why}");
                assert_eq!(arch.goes_by(Some(mask), less, SHANI), Ok(()), "{mask}");
            }
            assert!(arch.goes_by(Some(Mask::NoSha), arch.sse, SHANI).is_err());
            assert_eq!(arch.goes_by(Some(Mask::NoSha), arch.sse, 0), Ok(()));
            let tables = arch.goes_by(None, arch.sse - 1, 0);
            assert!(tables.is_err(), "without AES instructions it has tables");
        }
    }
}
