//! AES in CBC and HMAC, one after the other.
use ciphertune_testkit::{Fault, Task};

use super::{
    mac::{MacKey, Macs},
    modes::{Keyed, Modes},
};
use crate::{
    Timed,
    context::{block, buffers},
    pair::{self, Pair},
};

pub(super) struct NettlePair {
    cipher: Keyed,
    mac: MacKey,
}

impl NettlePair {
    pub(super) fn context(
        modes: &'static Modes,
        macs: &Macs,
        task: Task,
        key: &[u8],
    ) -> Result<Box<dyn Timed>, Fault> {
        let parts = pair::parts(task);
        let (cipher, mac) = parts.ok_or_else(|| Fault(format!("nettle has no {task}")))?;
        let pair = Self {
            cipher: Keyed::new(modes, cipher)?,
            mac: MacKey::new(macs, mac)?,
        };
        pair::context(task, key, pair)
    }
}

impl Pair for NettlePair {
    fn set_keys(&mut self, cipher: &[u8], mac: &[u8]) -> Result<(), Fault> {
        self.cipher.set_key(cipher);
        self.mac.set_key(mac);
        Ok(())
    }

    #[inline]
    fn crypt(&mut self, iv: &[u8], data: &mut [u8]) -> Result<(), Fault> {
        self.cipher.mode(&mut block(iv)?, data.into());
        Ok(())
    }

    #[inline]
    fn crypt_to(&mut self, iv: &[u8], input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        self.cipher.mode(&mut block(iv)?, buffers(input, output)?);
        Ok(())
    }

    #[inline]
    fn mac(&mut self, parts: [&[u8]; 3], tag: &mut [u8]) -> Result<(), Fault> {
        self.mac.tag(&parts, tag);
        Ok(())
    }
}
