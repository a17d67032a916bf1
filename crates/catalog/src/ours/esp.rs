//! Ciphertune's CBC with RustCrypto's HMAC. It is measured and never chosen: the MAC is not Ciphertune's.
use ciphertune::{Cbc, Error};
use ciphertune_testkit::{Algorithm, Fault, Task};
use hmac::{Hmac, KeyInit, Mac};
use inout::InOutBuf;
use sha1::Sha1;
use sha2::{Sha256, Sha512};

use crate::{
    Description, Implementation, Timed,
    context::{block, buffers},
    implementation::Composed,
    pair::{self, Pair},
};

/// AES is by whatever serves in this process: wisdom, or else CPUID.
pub(super) fn implementation() -> Box<dyn Implementation> {
    let version = env!("HMAC_VERSION");
    Box::new(Composed {
        description: Description::built_in(
            format!("ciphertune+hmac@{version}/default"),
            "crates ciphertune and hmac",
            version,
        ),
        tasks: Algorithm::all()
            .filter(|algorithm| algorithm.cipher_and_mac().is_some())
            .flat_map(Task::of)
            .collect(),
        context,
    })
}

fn context(task: Task, key: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let lacking = || Fault(format!("ciphertune+hmac has no {task}"));
    let (_, mac) = pair::parts(task).ok_or_else(lacking)?;
    match mac.name() {
        "HMAC-SHA1" => with::<Hmac<Sha1>>(task, key),
        "HMAC-SHA2-256" => with::<Hmac<Sha256>>(task, key),
        "HMAC-SHA2-512" => with::<Hmac<Sha512>>(task, key),
        _ => Err(lacking()),
    }
}

fn with<M: Mac + KeyInit + Clone + 'static>(task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let lacking = || Fault(format!("ciphertune+hmac has no {task}"));
    let (cipher, mac) = pair::parts(task).ok_or_else(lacking)?;
    let pair = Esp {
        cbc: Cbc::new(&vec![0; cipher.algorithm.key_len()])?,
        mac: keyed::<M>(&vec![0; mac.key_len()])?,
        crypt: match cipher.operation.is_backward() {
            true => Cbc::decrypt_inout,
            false => Cbc::encrypt_inout,
        },
    };
    pair::context(task, key, pair)
}

struct Esp<M> {
    cbc: Cbc,
    mac: M,
    crypt: Crypt,
}

type Crypt = fn(&Cbc, &mut [u8; 16], InOutBuf<'_, '_, u8>) -> Result<(), Error>;

impl<M: Mac + KeyInit + Clone> Pair for Esp<M> {
    fn set_keys(&mut self, cipher: &[u8], mac: &[u8]) -> Result<(), Fault> {
        self.cbc.rekey(cipher)?;
        self.mac = keyed(mac)?;
        Ok(())
    }

    #[inline]
    fn crypt(&mut self, iv: &[u8], data: &mut [u8]) -> Result<(), Fault> {
        Ok((self.crypt)(&self.cbc, &mut block(iv)?, data.into())?)
    }

    #[inline]
    fn crypt_to(&mut self, iv: &[u8], input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        Ok((self.crypt)(&self.cbc, &mut block(iv)?, buffers(input, output)?)?)
    }

    #[inline]
    fn mac(&mut self, parts: [&[u8]; 3], tag: &mut [u8]) -> Result<(), Fault> {
        let mut mac = self.mac.clone();
        parts.into_iter().for_each(|part| mac.update(part));
        tag.copy_from_slice(&mac.finalize().into_bytes()[..tag.len()]);
        Ok(())
    }
}

fn keyed<M: Mac + KeyInit>(key: &[u8]) -> Result<M, Fault> {
    <M as KeyInit>::new_from_slice(key).map_err(|error| Fault(error.to_string()))
}
