//! A libcrypto's functions as a program calls them, to be checked and timed.
use std::mem;

use ciphertune_testkit::{Contract, Envelope, Fault, Kind, Operation, Task};
use zeroize::Zeroizing;

use super::ffi::{Api, Cipher, CipherContext, Digest, DigestContext, Failed, KeyContext, Mac, MacContext};
use crate::{
    Timed,
    context::{self, both, copying, tagging},
    pair::{self, Pair},
};

pub(super) fn cipher(cipher: Cipher, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let Task {
        algorithm,
        operation,
        contract,
    } = task;
    let messages = Messages::new(cipher, task, key, iv)?;
    if contract == Contract::Stream {
        return Ok(both(
            contract,
            messages.context,
            |_| Ok(()),
            |context, _, data| context.apply(data).map_err(fault),
            |context, _, input, output| context.apply_to(input, output).map_err(fault),
        ));
    }
    Ok(match (algorithm.kind(), operation) {
        (Kind::Aead, Operation::Open) => both(
            contract,
            messages,
            |_| Ok(()),
            |messages, envelope, data| {
                let context = messages.begin(envelope, data.len(), true)?;
                context
                    .apply(data)
                    .and_then(|()| context.open(data, envelope.tag))
                    .map_err(fault)
            },
            |messages, envelope, input, output| {
                let context = messages.begin(envelope, input.len(), true)?;
                context
                    .apply_to(input, output)
                    .and_then(|()| context.open(output, envelope.tag))
                    .map_err(fault)
            },
        ),
        (Kind::Aead, _) => both(
            contract,
            messages,
            |_| Ok(()),
            |messages, envelope, data| {
                let context = messages.begin(envelope, data.len(), false)?;
                context
                    .apply(data)
                    .and_then(|()| context.seal(data, envelope.tag))
                    .map_err(fault)
            },
            |messages, envelope, input, output| {
                let context = messages.begin(envelope, input.len(), false)?;
                context
                    .apply_to(input, output)
                    .and_then(|()| context.seal(output, envelope.tag))
                    .map_err(fault)
            },
        ),
        _ => both(
            contract,
            messages,
            |_| Ok(()),
            |messages, envelope, data| {
                let context = messages.begin(envelope, data.len(), false)?;
                context.apply(data).map_err(fault)
            },
            |messages, envelope, input, output| {
                let context = messages.begin(envelope, input.len(), false)?;
                context.apply_to(input, output).map_err(fault)
            },
        ),
    })
}

/// Whole messages, one after the other.
struct Messages {
    context: CipherContext,
    /// Where each message sets the key: together with the IV, by one call, as programs do.
    key: Option<Zeroizing<Vec<u8>>>,
}

impl Messages {
    fn new(cipher: Cipher, task: Task, key: &[u8], iv: &[u8]) -> Result<Self, Fault> {
        let mut context = CipherContext::new(cipher, task.operation.is_backward()).map_err(fault)?;
        context.begin(Some(key), iv).map_err(fault)?;
        let key = (task.contract == Contract::NewKey).then(|| Zeroizing::new(key.to_vec()));
        Ok(Self { context, key })
    }

    /// Sets the IV of a message of `len` bytes, and takes the additional data in.
    #[inline]
    fn begin(
        &mut self,
        envelope: &mut Envelope<'_>,
        len: usize,
        opens: bool,
    ) -> Result<&mut CipherContext, Fault> {
        let key = self.key.as_ref().map(|key| &key[..]);
        let tag = opens.then_some(&mut *envelope.tag);
        self.context
            .begin(key, envelope.iv)
            .and_then(|()| self.context.announce(len, tag))
            .and_then(|()| self.context.authenticate(envelope.aad))
            .map_err(fault)?;
        Ok(&mut self.context)
    }
}

pub(super) fn gmac(cipher: Cipher, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let messages = Messages::new(cipher, task, key, iv)?;
    Ok(context::gmac(
        task.contract,
        messages,
        |_| Ok(()),
        |messages, envelope, _| {
            let context = messages.begin(envelope, 0, false)?;
            context.seal(&mut [], envelope.tag).map_err(fault)
        },
    ))
}

pub(super) fn pair(cipher: Cipher, mac: Mac, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    pair::context(task, key, EvpPair::new(cipher, mac, task)?)
}

/// A cipher and a MAC, each with its key.
struct EvpPair {
    cipher: CipherContext,
    /// The key, which a message brings together with its IV, by one call, where it `is_new`.
    key: Zeroizing<Vec<u8>>,
    is_new: bool,
    mac: MacContext,
    /// It has begun a message by a new key.
    has_begun: bool,
}

impl EvpPair {
    fn new(cipher: Cipher, mac: Mac, task: Task) -> Result<Self, Fault> {
        Ok(Self {
            cipher: CipherContext::new(cipher, task.operation.is_backward()).map_err(fault)?,
            key: Zeroizing::default(),
            is_new: false,
            mac: MacContext::new(mac).map_err(fault)?,
            has_begun: false,
        })
    }

    #[inline]
    fn begin(&mut self, iv: &[u8]) -> Result<&mut CipherContext, Fault> {
        let key = mem::take(&mut self.is_new).then_some(&self.key[..]);
        self.cipher.begin(key, iv).map_err(fault)?;
        Ok(&mut self.cipher)
    }
}

impl Pair for EvpPair {
    fn set_keys(&mut self, cipher: &[u8], mac: &[u8]) -> Result<(), Fault> {
        self.key.clear();
        self.key.extend_from_slice(cipher);
        self.mac.begin(Some(mac), &[]).map_err(fault)?;
        (self.is_new, self.has_begun) = (true, true);
        Ok(())
    }

    #[inline]
    fn crypt(&mut self, iv: &[u8], data: &mut [u8]) -> Result<(), Fault> {
        self.begin(iv)?.apply(data).map_err(fault)
    }

    #[inline]
    fn crypt_to(&mut self, iv: &[u8], input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        self.begin(iv)?.apply_to(input, output).map_err(fault)
    }

    #[inline]
    fn mac(&mut self, parts: [&[u8]; 3], tag: &mut [u8]) -> Result<(), Fault> {
        // EVP gives a whole tag, or none.
        let mut whole = [0; LONGEST_MAC];
        if !mem::take(&mut self.has_begun) {
            self.mac.begin(None, &[]).map_err(fault)?;
        }
        for part in parts {
            self.mac.update(part).map_err(fault)?;
        }
        let made = self.mac.finish(&mut whole).map_err(fault)?;
        let made = whole[..made].get(..tag.len());
        tag.copy_from_slice(made.ok_or_else(|| Fault("EVP_MAC_final gave a short tag".to_owned()))?);
        Ok(())
    }
}

/// `EVP_MAX_MD_SIZE`.
const LONGEST_MAC: usize = 64;

pub(super) fn mac(mac: Mac, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let mut context = MacContext::new(mac).map_err(fault)?;
    context.begin(Some(key), iv).map_err(fault)?;
    let each = (task.contract == Contract::NewKey).then(|| Zeroizing::new(key.to_vec()));
    Ok(tagging(
        task.contract,
        (context, each),
        |_| Ok(()),
        |(context, key), envelope, message| {
            let key = key.as_ref().map(|key| &key[..]);
            context
                .tag(key, envelope.iv, message, envelope.tag)
                .map_err(fault)
        },
    ))
}

pub(super) fn digest(digest: Digest, task: Task) -> Result<Box<dyn Timed>, Fault> {
    let context = DigestContext::new(digest).map_err(fault)?;
    Ok(tagging(
        task.contract,
        context,
        |_| Ok(()),
        |context, envelope, message| context.digest(message, envelope.tag).map_err(fault),
    ))
}

pub(super) fn key(api: &'static Api, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let Task {
        algorithm,
        operation,
        contract,
    } = task;
    let context = KeyContext::new(api, algorithm, operation, key).map_err(fault)?;
    let renew = |_: &mut KeyContext| Ok(());
    Ok(match operation {
        Operation::Verify => tagging(contract, context, renew, |context, envelope, message| {
            context.verify(message, envelope.tag).map_err(fault)
        }),
        Operation::Derive => tagging(contract, context, renew, |context, envelope, public| {
            context.derive(public, envelope.tag).map_err(fault)
        }),
        Operation::Decapsulate => tagging(contract, context, renew, |context, envelope, ciphertext| {
            context.decapsulate(ciphertext, envelope.tag).map_err(fault)
        }),
        Operation::Generate => copying(contract, context, renew, |context, _, key| {
            context.generate(key).map_err(fault)
        }),
        Operation::Encapsulate => copying(contract, context, renew, |context, envelope, ciphertext| {
            context.encapsulate(ciphertext, envelope.tag).map_err(fault)
        }),
        _ => tagging(contract, context, renew, |context, envelope, message| {
            context.sign(message, envelope.tag).map_err(fault)
        }),
    })
}

fn fault(Failed(function): Failed) -> Fault {
    Fault(format!("{function} failed"))
}
