//! Each mode of Ciphertune under each contract, by one implementation.
use std::array;

use ciphertune::{
    Cbc, CbcMany, Ccm, Cfb, Cfb8, Cmac, Ctr, Ecb, Feedback, Gcm, Implementation, Message, Ocb, Ofb, Threads,
    Xts,
};
use ciphertune_testkit::{Contract, Envelope, Fault, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use crate::{
    Timed,
    context::{Each, block, inlined, inout, tagging},
    many::{AtOnce, SideBySide, ToTag},
};

/// Whether the implementation has code of its own for a task.
pub(super) fn has(implementation: Implementation, task: Task) -> bool {
    match task.algorithm.aes_mode() {
        // A stream takes a new IV with a new key alone.
        Some("CTR") => task.contract != Contract::NewIv,
        Some("GCM") => implementation.gcm().is_some(),
        // With the first rounds ahead, counter mode alone is another.
        Some("CBC" | "CFB" | "CFB8" | "OFB" | "ECB" | "XTS" | "CMAC" | "CCM" | "OCB") => {
            !implementation.name().ends_with("-r2")
        }
        _ => false,
    }
}

/// A context for a task that it has, with a key and an IV of the right lengths.
pub(super) fn context(
    implementation: Implementation,
    task: Task,
    key: &[u8],
    iv: &[u8],
) -> Result<Box<dyn Timed>, Fault> {
    let Task {
        algorithm,
        operation,
        contract,
    } = task;
    let key = Zeroizing::new(key.to_vec());
    /// A type with a single key, and how it takes that anew.
    macro_rules! keyed {
        ($type:ident) => {
            (
                $type::with_implementation(implementation, &key)?,
                move |cipher: &mut $type| Ok(cipher.rekey(&key)?),
            )
        };
    }
    /// The context with `$crypt` as what encrypts or what decrypts: two types, so that a call does not look which.
    macro_rules! either {
        ($crypt:ident of $type:ident, $context:expr) => {
            if operation.is_backward() {
                let $crypt = $type::decrypt_inout;
                $context
            } else {
                let $crypt = $type::encrypt_inout;
                $context
            }
        };
    }
    /// A context that seals or, backwards, opens.
    macro_rules! sealed {
        ($type:ident) => {{
            let (cipher, renew) = keyed!($type);
            if operation.is_backward() {
                inlined(contract, cipher, renew, Open)
            } else {
                inlined(contract, cipher, renew, Seal)
            }
        }};
    }
    Ok(match algorithm.aes_mode() {
        Some("CTR") if contract == Contract::Stream => {
            stream(Ctr::with_implementation(implementation, &key, iv)?)
        }
        Some("CTR") => {
            let state = (Ctr::with_implementation(implementation, &key, iv)?, key);
            let renew = |_: &mut _| Ok(());
            inout(contract, state, renew, |(ctr, key), envelope, data| {
                ctr.rekey(key, envelope.iv)?;
                Ok(ctr.apply_inout(data)?)
            })
        }
        Some("ECB") => either!(crypt of Ecb, {
            let (ecb, renew) = keyed!(Ecb);
            inout(contract, ecb, renew, move |ecb, _, data| Ok(crypt(ecb, data)?))
        }),
        Some("CBC") if contract == Contract::Many => {
            Box::new(AtOnce(CbcMany::with_implementation(implementation, &key)?))
        }
        Some("CBC") => either!(crypt of Cbc, {
            chained(contract, keyed!(Cbc), block, iv, move |cbc, iv, data| Ok(crypt(cbc, iv, data)?))?
        }),
        Some("CFB") => either!(crypt of Cfb, {
            chained(contract, keyed!(Cfb), feedback, iv, move |cfb, at, data| {
                crypt(cfb, at, data);
                Ok(())
            })?
        }),
        Some("CFB8") => either!(crypt of Cfb8, {
            chained(contract, keyed!(Cfb8), block, iv, move |cfb, iv, data| {
                crypt(cfb, iv, data);
                Ok(())
            })?
        }),
        Some("OFB") => chained(contract, keyed!(Ofb), feedback, iv, |ofb, at, data| {
            ofb.apply_inout(at, data);
            Ok(())
        })?,
        Some("XTS") => either!(crypt of Xts, {
            let (xts, renew) = keyed!(Xts);
            inout(contract, xts, renew, move |xts, envelope, data| {
                Ok(crypt(xts, unit(envelope.iv)?, data)?)
            })
        }),
        Some("CMAC") if contract == Contract::Many => {
            Box::new(AtOnce(Cmac::with_implementation(implementation, &key)?))
        }
        Some("CMAC") => {
            let (cmac, renew) = keyed!(Cmac);
            tagging(contract, cmac, renew, |cmac, envelope, message| {
                envelope.tag.copy_from_slice(&cmac.tag(message));
                Ok(())
            })
        }
        Some("GCM") => sealed!(Gcm),
        Some("CCM") => sealed!(Ccm),
        Some("OCB") => sealed!(Ocb),
        _ => return Err(Fault(format!("ciphertune has no {algorithm}"))),
    })
}

/// A context that goes on where the call before it ended, or begins each message with its IV: `from` makes of that what
/// `run` needs.
fn chained<M: 'static, S: 'static>(
    contract: Contract,
    (cipher, renew): (M, impl FnMut(&mut M) -> Result<(), Fault> + 'static),
    from: impl Fn(&[u8]) -> Result<S, Fault> + Copy + 'static,
    iv: &[u8],
    run: impl Fn(&M, &mut S, InOutBuf<'_, '_, u8>) -> Result<(), Fault> + Copy + 'static,
) -> Result<Box<dyn Timed>, Fault> {
    Ok(match contract {
        Contract::Stream => {
            let state = (cipher, from(iv)?);
            let renew = |_: &mut _| Ok(());
            inout(contract, state, renew, move |(cipher, at), _, data| {
                run(cipher, at, data)
            })
        }
        _ => inout(contract, cipher, renew, move |cipher, envelope, data| {
            run(cipher, &mut from(envelope.iv)?, data)
        }),
    })
}

struct Apply;

impl Each<Ctr> for Apply {
    #[inline(always)]
    fn run(&self, ctr: &mut Ctr, _: Envelope<'_>, data: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        Ok(ctr.apply_inout(data)?)
    }
}

struct Seal;
struct Open;

macro_rules! seal_and_open {
    ($($type:ident)*) => {$(
        impl Each<$type> for Seal {
            #[inline(always)]
            fn run(
                &self,
                cipher: &mut $type,
                envelope: Envelope<'_>,
                data: InOutBuf<'_, '_, u8>,
            ) -> Result<(), Fault> {
                let tag = cipher.seal_inout(envelope.iv, envelope.aad, data)?;
                tag.copy_to(envelope.tag);
                Ok(())
            }
        }

        impl Each<$type> for Open {
            #[inline(always)]
            fn run(
                &self,
                cipher: &mut $type,
                envelope: Envelope<'_>,
                data: InOutBuf<'_, '_, u8>,
            ) -> Result<(), Fault> {
                Ok(cipher.open_inout(envelope.iv, envelope.aad, data, envelope.tag)?)
            }
        }
    )*};
}

seal_and_open!(Gcm Ccm Ocb);

impl SideBySide for CbcMany {
    #[inline]
    fn run<'a>(
        &mut self,
        messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>,
    ) -> Result<(), Fault> {
        let mut all: [Message<'_, '_>; Contract::MANY] = array::from_fn(|_| Message {
            iv: [0; 16],
            data: (&mut [][..]).into(),
        });
        let mut count = 0;
        for (message, (envelope, data)) in all.iter_mut().zip(messages) {
            let iv = block(envelope.iv)?;
            *message = Message { iv, data };
            count += 1;
        }
        Ok(self.encrypt(&mut all[..count])?)
    }
}

impl SideBySide for Cmac {
    #[inline]
    fn run<'a>(
        &mut self,
        messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>,
    ) -> Result<(), Fault> {
        ToTag::new(messages).with(|messages, places| {
            let mut tags = [[0; 16]; Contract::MANY];
            let tags = &mut tags[..messages.len()];
            self.tags(messages, tags)?;
            for (place, tag) in places.iter_mut().zip(tags) {
                place.copy_from_slice(tag);
            }
            Ok(())
        })
    }
}

/// Whether threads can help with a task.
pub(super) fn has_workers(task: Task) -> bool {
    task.algorithm.aes_mode() == Some("CTR") && task.contract == Contract::Stream
}

/// As [`context`], with so many threads to help: from [`SPLIT`] on they take parts of a call, and below they make
/// keystream ahead.
pub(super) fn helped(
    implementation: Implementation,
    task: Task,
    key: &[u8],
    iv: &[u8],
    workers: usize,
) -> Result<Box<dyn Timed>, Fault> {
    if !has_workers(task) {
        return Err(Fault(format!("no threads help with {task}")));
    }
    let mut ctr = Ctr::with_implementation(implementation, key, iv)?;
    ctr.set_threads(Threads::new(workers).stream_after(0).bulk_from(SPLIT));
    Ok(stream(ctr))
}

/// Bytes of a call from which on it has parts.
const SPLIT: usize = 256 << 10;

fn stream(ctr: Ctr) -> Box<dyn Timed> {
    inlined(Contract::Stream, ctr, |_| Ok(()), Apply)
}

/// Where a message begins.
fn feedback(iv: &[u8]) -> Result<Feedback, Fault> {
    block(iv).map(Feedback::new)
}

/// The number of a data unit.
fn unit(iv: &[u8]) -> Result<u128, Fault> {
    block(iv).map(u128::from_le_bytes)
}
