//! What intel-ipsec-mb.h has: the manager with the functions behind its pointers, and its jobs.
use std::ffi::{c_int, c_void};

/// `IMB_MGR`, as far as it is used.
#[repr(C)]
pub(super) struct Manager {
    flags: u64,
    pub(super) features: u64,
    reserved: [u64; 5],
    pub(super) used_arch: u32,
    error: c_int,
    pub(super) next_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    submit: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    pub(super) submit_unchecked: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    completed: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    pub(super) flush: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    queue_size: *const c_void,
    /// For keys of 16, 24 and 32 bytes, as the following.
    pub(super) expand_key: [ExpandKey; 3],
    pub(super) expand_cmac_key_128: ExpandKey,
    other_key: *const c_void,
    pub(super) expand_des_key: ExpandDes,
    /// Of SHA-1, 224, 256, 384 and 512.
    pub(super) one_block: [OneBlock; 5],
    md5_block: *const c_void,
    /// Of the same, as `one_block`.
    pub(super) hashes: [Hash; 5],
    cfb: *const c_void,
    pub(super) gcm_seal: [Gcm; 3],
    pub(super) gcm_open: [Gcm; 3],
    gcm_parts: [*const c_void; 18],
    pub(super) prepare_gcm: [PrepareGcm; 3],
    others: [*const c_void; 31],
    pub(super) begin_gmac: [BeginGmac; 3],
    pub(super) gmac_part: [GmacPart; 3],
    pub(super) end_gmac: [EndGmac; 3],
    checks_of_headers: [*const c_void; 2],
    pub(super) expand_cmac_key_256: ExpandKey,
    more_others: [*const c_void; 13],
    pub(super) begin_chacha: BeginChacha,
    pub(super) seal_chacha: ChachaPart,
    pub(super) open_chacha: ChachaPart,
    pub(super) end_chacha: EndChacha,
    bursts: [*const c_void; 5],
    pub(super) cipher_burst_unchecked: CipherBurst,
}

/// `IMB_JOB`.
#[repr(C)]
pub(super) struct Job {
    pub(super) encrypt_keys: *const c_void,
    pub(super) decrypt_keys: *const c_void,
    pub(super) key_len: u64,
    pub(super) input: *const u8,
    pub(super) output: *mut u8,
    pub(super) cipher_offset: u64,
    pub(super) cipher_len: u64,
    pub(super) hash_offset: u64,
    pub(super) hash_len: u64,
    pub(super) iv: *const u8,
    pub(super) iv_len: u64,
    pub(super) tag: *mut u8,
    pub(super) tag_len: u64,
    pub(super) hash_keys: [*const c_void; 3],
    pub(super) status: u32,
    pub(super) cipher: u32,
    pub(super) direction: u32,
    pub(super) hash: u32,
    pub(super) order: u32,
    user_data: [*mut c_void; 2],
    user_functions: [*const c_void; 2],
    scattered: u32,
    cipher_fields: *mut c_void,
}

/// `IMB_JOB` since 2.0, where jobs lie side by side.
#[repr(C)]
pub(super) struct LaterJob {
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

pub(super) type ExpandKey = unsafe extern "C" fn(*const c_void, *mut c_void, *mut c_void);
/// A block, and where the state after it goes.
pub(super) type OneBlock = unsafe extern "C" fn(*const c_void, *mut c_void);
/// A message, its length, and where its digest goes.
pub(super) type Hash = unsafe extern "C" fn(*const c_void, u64, *mut c_void);
/// Jobs, how many they are, cipher, direction and bytes of the key; answers how many are done.
pub(super) type CipherBurst = unsafe extern "C" fn(*mut Manager, *mut Job, u32, u32, u32, u64) -> u32;
/// Where the key's schedule goes, and the key of eight bytes.
pub(super) type ExpandDes = unsafe extern "C" fn(*mut c_void, *const c_void) -> c_int;
pub(super) type PrepareGcm = unsafe extern "C" fn(*const c_void, *mut c_void);
/// Key, context, output, input, length, IV, additional data and their length, tag and its length.
pub(super) type Gcm = unsafe extern "C" fn(
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
pub(super) type BeginGmac = unsafe extern "C" fn(*const c_void, *mut c_void, *const u8, u64);
/// Key, context, message, and its length.
pub(super) type GmacPart = unsafe extern "C" fn(*const c_void, *mut c_void, *const u8, u64);
/// Key, context, tag, and its length.
pub(super) type EndGmac = unsafe extern "C" fn(*const c_void, *mut c_void, *mut u8, u64);
/// Key, context, IV, additional data and their length.
pub(super) type BeginChacha =
    unsafe extern "C" fn(*const c_void, *mut c_void, *const c_void, *const c_void, u64);
/// Key, context, output, input and their length.
pub(super) type ChachaPart =
    unsafe extern "C" fn(*const c_void, *mut c_void, *mut c_void, *const c_void, u64);
/// Context, tag and its length.
pub(super) type EndChacha = unsafe extern "C" fn(*mut c_void, *mut c_void, u64);

/// `IMB_CIPHER_*`, `IMB_AUTH_*` and the like.
pub(super) const CBC: u32 = 1;
pub(super) const CTR: u32 = 2;
pub(super) const NO_CIPHER: u32 = 3;
pub(super) const DES: u32 = 7;
pub(super) const DES3: u32 = 10;
pub(super) const ECB: u32 = 12;
pub(super) const HMAC_SHA1: u32 = 1;
pub(super) const HMAC_SHA256: u32 = 3;
pub(super) const HMAC_SHA512: u32 = 5;
pub(super) const NO_HASH: u32 = 8;
pub(super) const CMAC_128: u32 = 12;
pub(super) const CMAC_256: u32 = 27;
pub(super) const POLY1305: u32 = 28;
pub(super) const ENCRYPT: u32 = 1;
pub(super) const DECRYPT: u32 = 2;
pub(super) const CIPHER_HASH: u32 = 1;
pub(super) const HASH_CIPHER: u32 = 2;
pub(super) const COMPLETED: u32 = 3;

#[cfg(test)]
pub(in crate::peers) fn layout() -> crate::peers::layouts::Layout {
    use std::mem::offset_of;

    use super::{chacha, des, gcm};

    crate::peers::layouts::Layout {
        headers: &["intel-ipsec-mb.h"],
        facts: vec![
            ("offsetof(IMB_MGR, features)", offset_of!(Manager, features)),
            ("offsetof(IMB_MGR, used_arch)", offset_of!(Manager, used_arch)),
            ("offsetof(IMB_MGR, get_next_job)", offset_of!(Manager, next_job)),
            (
                "offsetof(IMB_MGR, submit_job_nocheck)",
                offset_of!(Manager, submit_unchecked),
            ),
            ("offsetof(IMB_MGR, flush_job)", offset_of!(Manager, flush)),
            ("offsetof(IMB_MGR, keyexp_128)", offset_of!(Manager, expand_key)),
            ("offsetof(IMB_MGR, gcm128_enc)", offset_of!(Manager, gcm_seal)),
            ("offsetof(IMB_MGR, gcm128_dec)", offset_of!(Manager, gcm_open)),
            ("offsetof(IMB_MGR, gcm128_pre)", offset_of!(Manager, prepare_gcm)),
            (
                "offsetof(IMB_MGR, submit_cipher_burst_nocheck)",
                offset_of!(Manager, cipher_burst_unchecked),
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
            ("offsetof(IMB_JOB, dst)", offset_of!(Job, output)),
            (
                "offsetof(IMB_JOB, msg_len_to_cipher_in_bytes)",
                offset_of!(Job, cipher_len),
            ),
            (
                "offsetof(IMB_JOB, msg_len_to_hash_in_bytes)",
                offset_of!(Job, hash_len),
            ),
            ("offsetof(IMB_JOB, iv)", offset_of!(Job, iv)),
            ("offsetof(IMB_JOB, auth_tag_output)", offset_of!(Job, tag)),
            ("offsetof(IMB_JOB, status)", offset_of!(Job, status)),
            ("offsetof(IMB_JOB, cipher_mode)", offset_of!(Job, cipher)),
            ("offsetof(IMB_JOB, cipher_direction)", offset_of!(Job, direction)),
            ("offsetof(IMB_JOB, hash_alg)", offset_of!(Job, hash)),
            ("offsetof(IMB_JOB, chain_order)", offset_of!(Job, order)),
            ("IMB_CIPHER_CBC", CBC as usize),
            ("IMB_CIPHER_CNTR", CTR as usize),
            ("IMB_CIPHER_ECB", ECB as usize),
            (
                "offsetof(IMB_MGR, sha1_one_block)",
                offset_of!(Manager, one_block),
            ),
            (
                "offsetof(IMB_JOB, hash_start_src_offset_in_bytes)",
                offset_of!(Job, hash_offset),
            ),
            ("offsetof(IMB_JOB, u)", offset_of!(Job, hash_keys)),
            (
                "offsetof(IMB_JOB, auth_tag_output_len_in_bytes)",
                offset_of!(Job, tag_len),
            ),
            ("offsetof(IMB_MGR, sha1)", offset_of!(Manager, hashes)),
            ("IMB_CIPHER_NULL", NO_CIPHER as usize),
            ("IMB_CIPHER_DES", DES as usize),
            ("IMB_CIPHER_DES3", DES3 as usize),
            ("IMB_DES_KEY_SCHED_SIZE", des::SCHEDULE),
            (
                "offsetof(IMB_MGR, des_key_sched)",
                offset_of!(Manager, expand_des_key),
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
                offset_of!(Manager, expand_cmac_key_128),
            ),
            (
                "offsetof(IMB_MGR, cmac_subkey_gen_256)",
                offset_of!(Manager, expand_cmac_key_256),
            ),
            ("IMB_DIR_ENCRYPT", ENCRYPT as usize),
            ("IMB_DIR_DECRYPT", DECRYPT as usize),
            ("IMB_ORDER_CIPHER_HASH", CIPHER_HASH as usize),
            ("IMB_STATUS_COMPLETED", COMPLETED as usize),
            ("offsetof(IMB_MGR, gmac128_init)", offset_of!(Manager, begin_gmac)),
            (
                "offsetof(IMB_MGR, gmac128_update)",
                offset_of!(Manager, gmac_part),
            ),
            (
                "offsetof(IMB_MGR, gmac128_finalize)",
                offset_of!(Manager, end_gmac),
            ),
            (
                "offsetof(IMB_MGR, chacha20_poly1305_init)",
                offset_of!(Manager, begin_chacha),
            ),
            (
                "offsetof(IMB_MGR, chacha20_poly1305_enc_update)",
                offset_of!(Manager, seal_chacha),
            ),
            (
                "offsetof(IMB_MGR, chacha20_poly1305_dec_update)",
                offset_of!(Manager, open_chacha),
            ),
            (
                "offsetof(IMB_MGR, chacha20_poly1305_finalize)",
                offset_of!(Manager, end_chacha),
            ),
            ("sizeof(struct chacha20_poly1305_context_data)", chacha::MESSAGE),
            ("IMB_AUTH_POLY1305", POLY1305 as usize),
            ("sizeof(struct gcm_key_data) <= 1264", 1),
            ("1264", gcm::KEY),
            ("sizeof(struct gcm_context_data)", gcm::MESSAGE),
        ],
    }
}
