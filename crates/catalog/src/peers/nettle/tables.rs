//! Nettle's own tables of algorithms, as nettle-meta.h has them.
use std::ffi::{CStr, c_char, c_uint, c_void};

use crate::library::{Library, Missing, functions};

pub(super) type SetKey = unsafe extern "C" fn(*mut c_void, *const u8);
pub(super) type Crypt = unsafe extern "C" fn(*const c_void, usize, *mut u8, *const u8);
/// As [`Crypt`], of a context that goes on.
pub(super) type CryptInContext = unsafe extern "C" fn(*mut c_void, usize, *mut u8, *const u8);
pub(super) type Update = unsafe extern "C" fn(*mut c_void, usize, *const u8);
pub(super) type Digest = unsafe extern "C" fn(*mut c_void, usize, *mut u8);

/// `struct nettle_cipher`.
#[repr(C)]
pub(super) struct Cipher {
    pub(super) name: *const c_char,
    pub(super) context_size: c_uint,
    pub(super) block_size: c_uint,
    pub(super) key_size: c_uint,
    pub(super) set_encrypt_key: SetKey,
    pub(super) set_decrypt_key: SetKey,
    pub(super) encrypt: Crypt,
    pub(super) decrypt: Crypt,
}

/// `struct nettle_aead`.
#[repr(C)]
pub(super) struct Aead {
    pub(super) name: *const c_char,
    pub(super) context_size: c_uint,
    pub(super) block_size: c_uint,
    pub(super) key_size: c_uint,
    pub(super) nonce_size: c_uint,
    pub(super) digest_size: c_uint,
    pub(super) set_encrypt_key: SetKey,
    pub(super) set_decrypt_key: SetKey,
    pub(super) set_nonce: SetKey,
    pub(super) update: Update,
    pub(super) encrypt: CryptInContext,
    pub(super) decrypt: CryptInContext,
    pub(super) digest: Digest,
}

/// `struct nettle_mac`.
#[repr(C)]
pub(super) struct Mac {
    pub(super) name: *const c_char,
    pub(super) context_size: c_uint,
    pub(super) digest_size: c_uint,
    pub(super) key_size: c_uint,
    pub(super) set_key: SetKey,
    pub(super) update: Update,
    pub(super) digest: Digest,
}

/// `struct nettle_hash`.
#[repr(C)]
pub(super) struct Hash {
    pub(super) name: *const c_char,
    pub(super) context_size: c_uint,
    pub(super) digest_size: c_uint,
    pub(super) block_size: c_uint,
    pub(super) init: unsafe extern "C" fn(*mut c_void),
    pub(super) update: Update,
    pub(super) digest: Digest,
}

functions! {
    Functions {
        nettle_get_hashes: fn() -> *const *const Hash;
        nettle_get_ciphers: fn() -> *const *const Cipher;
        nettle_get_aeads: fn() -> *const *const Aead;
        nettle_get_macs: fn() -> *const *const Mac;
    }
}

pub(super) struct Tables {
    pub(super) hashes: Vec<&'static Hash>,
    pub(super) ciphers: Vec<&'static Cipher>,
    pub(super) aeads: Vec<&'static Aead>,
    pub(super) macs: Vec<&'static Mac>,
}

impl Tables {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        let functions = Functions::find(library)?;
        // SAFETY: the functions take nothing and answer lists that end in NULL, of structures that stay as they are for
        // as long as the library is loaded; each begins with the pointer to its name.
        unsafe {
            Ok(Self {
                hashes: list((functions.nettle_get_hashes)()),
                ciphers: list((functions.nettle_get_ciphers)()),
                aeads: list((functions.nettle_get_aeads)()),
                macs: list((functions.nettle_get_macs)()),
            })
        }
    }
}

/// # Safety
/// `list` is NULL or ends in NULL, and what it points to stays as it is.
unsafe fn list<T>(mut list: *const *const T) -> Vec<&'static T> {
    let mut items = Vec::new();
    if list.is_null() {
        return items;
    }
    // SAFETY: the caller vouches for every pointer up to the NULL.
    while let Some(item) = unsafe { (*list).as_ref() } {
        items.push(item);
        // SAFETY: there is one more, NULL at the latest.
        list = unsafe { list.add(1) };
    }
    items
}

pub(super) fn named(name: *const c_char, wanted: &CStr) -> bool {
    // SAFETY: the names in nettle's tables are strings that end in NUL and stay.
    !name.is_null() && unsafe { CStr::from_ptr(name) } == wanted
}

#[cfg(test)]
pub(in crate::peers) fn layout() -> crate::peers::layouts::Layout {
    use std::mem::offset_of;

    use super::{aead, old};

    crate::peers::layouts::Layout {
        headers: &["nettle/nettle-meta.h", "nettle/ccm.h", "nettle/blowfish.h"],
        facts: vec![
            ("sizeof(struct ccm_ctx)", aead::CCM_LEN),
            ("sizeof(struct blowfish_ctx)", old::ROOM),
            ("sizeof(struct nettle_cipher)", size_of::<Cipher>()),
            (
                "offsetof(struct nettle_cipher, decrypt)",
                offset_of!(Cipher, decrypt),
            ),
            ("sizeof(struct nettle_aead)", size_of::<Aead>()),
            (
                "offsetof(struct nettle_aead, set_nonce)",
                offset_of!(Aead, set_nonce),
            ),
            ("offsetof(struct nettle_aead, digest)", offset_of!(Aead, digest)),
            ("sizeof(struct nettle_hash)", size_of::<Hash>()),
            ("offsetof(struct nettle_hash, digest)", offset_of!(Hash, digest)),
            ("sizeof(struct nettle_mac)", size_of::<Mac>()),
            ("offsetof(struct nettle_mac, digest)", offset_of!(Mac, digest)),
        ],
    }
}
