//! Intel's Multi-Buffer Crypto for IPsec, for a message at a time and, as it is made for, for many. Structures as in
//! intel-ipsec-mb.h of 1.3 and 2.0, whose functions stand behind pointers in its manager: no other version is taken. A
//! test compares them with the header.
use std::{
    ffi::{c_char, c_int, c_void},
    ptr::NonNull,
};

use ciphertune_testkit::{Fault, Task};

use super::{About, Flaw, Interface, Peer};
use crate::{
    Timed,
    library::{Library, Missing, functions, text},
};

mod aes;
mod burst;
mod chacha;
mod cmac;
mod des;
mod digest;
mod gcm;
mod header;
mod hmac;
mod job;
mod mask;
mod tunnel;

use chacha::{ChachaPoly, Poly1305};
use cmac::Cmac;
use des::Des;
use gcm::GcmKey;
use header::Manager;
#[cfg(test)]
pub(super) use header::layout;
use hmac::Hmac;
use job::LONGEST_CHAIN;
pub(crate) use mask::heeds;
use tunnel::Tunnel;

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

    fn goes_by(&self) -> Option<String> {
        let Manager {
            used_arch, features, ..
        } = self.manager();
        Some(format!("architecture {used_arch}, features {features:#x}"))
    }

    /// AES and PCLMULQDQ instructions in all of its code that is taken here.
    fn constant_time(&self) -> bool {
        true
    }

    /// Its CCM takes no more than 46 bytes of additional data, and so is left out.
    fn has(&self, task: Task) -> bool {
        digest::has(task.algorithm)
            || task.algorithm.cipher_and_mac().is_some()
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
        match task.algorithm.cipher_and_mac() {
            // IV and additional data are hashed too: of these, as many as ESP has.
            Some(_) => LONGEST_CHAIN - 2 * 16,
            None if Hmac::has(task.algorithm) || Des::has(task.algorithm) => LONGEST_CHAIN,
            None => usize::MAX,
        }
    }

    fn has_many(&self, task: Task) -> bool {
        task.algorithm.aes_mode() == Some("CBC") || Cmac::has(task.algorithm)
    }

    fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let algorithm = task.algorithm;
        if digest::has(algorithm) {
            return digest::context(self, task);
        }
        if Hmac::has(algorithm) {
            return Hmac::context(self, task, key);
        }
        if Cmac::has(algorithm) {
            return Ok(Cmac::context(self, task, key));
        }
        if Des::has(algorithm) {
            return Des::context(self, task, key, iv);
        }
        if algorithm.cipher_and_mac().is_some() {
            return Tunnel::context(self, task, key);
        }
        Ok(match (algorithm.aes_mode(), algorithm.name()) {
            (_, "ChaCha20-Poly1305") => ChachaPoly::context(self, task, key),
            (_, "Poly1305") => Poly1305::context(self, task, key),
            (Some("GCM" | "GMAC"), _) => GcmKey::context(self, task, key),
            _ if task.contract.is_many() => burst::context(self, task, key),
            _ => return aes::context(self, task, key, iv),
        })
    }
}

impl IpsecMb {
    fn manager(&self) -> &Manager {
        // SAFETY: valid for ever and set up. Its jobs lie behind what `Manager` names.
        unsafe { self.manager.as_ref() }
    }
}
