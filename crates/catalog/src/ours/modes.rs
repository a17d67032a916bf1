//! Each mode of Ciphertune under each contract, by one implementation.
use std::array;

use ciphertune::{
    Cbc, CbcMany, Ccm, Cfb, Cfb8, Cmac, Ctr, Ecb, Gcm, Implementation, Message, Ocb, Ofb, Threads, Xts,
};
use ciphertune_testkit::{Contract, Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::each::{Backward, Forward, Going, feedback};
use crate::{
    Timed,
    context::{Each, block, inlined, tagging},
    many::{AtOnce, SideBySide, ToTag},
};

/// Whether the implementation has code of its own for a task.
pub(super) fn has(implementation: Implementation, task: Task) -> bool {
    match task.algorithm.aes_mode() {
        Some("CTR") => true,
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
    Ok(match algorithm.aes_mode() {
        Some("CTR") if contract == Contract::Stream => {
            stream(Ctr::with_implementation(implementation, &key, iv)?)
        }
        Some("CTR") => {
            let ctr = Ctr::with_implementation(implementation, &key, iv)?;
            if contract == Contract::NewKey {
                inlined(contract, (ctr, key), |_| Ok(()), Forward)
            } else {
                inlined(contract, ctr, |_| Ok(()), Forward)
            }
        }
        Some("ECB") => directed(operation, contract, keyed!(Ecb)),
        Some("CBC") if contract == Contract::Many => {
            Box::new(AtOnce(CbcMany::with_implementation(implementation, &key)?))
        }
        Some("CBC") if contract == Contract::ManyKeys => {
            let with = |key: &[u8]| CbcMany::with_implementation(implementation, key);
            Box::new(AtOnce(KeyEach::new(&key, with)?))
        }
        Some("CBC") => chained(operation, contract, keyed!(Cbc), || block(iv))?,
        Some("CFB") => chained(operation, contract, keyed!(Cfb), || feedback(iv))?,
        Some("CFB8") => chained(operation, contract, keyed!(Cfb8), || block(iv))?,
        Some("OFB") => chained(operation, contract, keyed!(Ofb), || feedback(iv))?,
        Some("XTS") => directed(operation, contract, keyed!(Xts)),
        Some("CMAC") if contract == Contract::Many => {
            Box::new(AtOnce(Cmac::with_implementation(implementation, &key)?))
        }
        Some("CMAC") if contract == Contract::ManyKeys => {
            let with = |key: &[u8]| Cmac::with_implementation(implementation, key);
            Box::new(AtOnce(KeyEach::new(&key, with)?))
        }
        Some("CMAC") => {
            let (cmac, renew) = keyed!(Cmac);
            tagging(contract, cmac, renew, |cmac, envelope, message| {
                envelope.tag.copy_from_slice(&cmac.tag(message));
                Ok(())
            })
        }
        Some("GCM") => directed(operation, contract, keyed!(Gcm)),
        Some("CCM") => directed(operation, contract, keyed!(Ccm)),
        Some("OCB") => directed(operation, contract, keyed!(Ocb)),
        _ => return Err(Fault(format!("ciphertune has no {algorithm}"))),
    })
}

/// A context that works in the operation's direction: two types, so that a call does not look which.
fn directed<S: 'static>(
    operation: Operation,
    contract: Contract,
    (state, renew): (S, impl FnMut(&mut S) -> Result<(), Fault> + 'static),
) -> Box<dyn Timed>
where
    Forward: Each<S>,
    Backward: Each<S>,
{
    if operation.is_backward() {
        inlined(contract, state, renew, Backward)
    } else {
        inlined(contract, state, renew, Forward)
    }
}

/// A context that goes on where the call before it ended, the first at `begin`, or begins each message with its IV.
fn chained<M: 'static, S: 'static>(
    operation: Operation,
    contract: Contract,
    (cipher, renew): (M, impl FnMut(&mut M) -> Result<(), Fault> + 'static),
    begin: impl FnOnce() -> Result<S, Fault>,
) -> Result<Box<dyn Timed>, Fault>
where
    Forward: Each<M> + Each<(M, S)>,
    Backward: Each<M> + Each<(M, S)>,
{
    Ok(match contract {
        Contract::Stream => directed(operation, contract, ((cipher, begin()?), |_: &mut _| Ok(()))),
        _ => directed(operation, contract, (cipher, renew)),
    })
}

impl SideBySide for CbcMany {
    #[inline]
    fn run<'a>(
        &mut self,
        messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>,
    ) -> Result<(), Fault> {
        let mut all: [_; Contract::MANY] = array::from_fn(|_| none());
        let count = put(messages, all.iter_mut())?;
        Ok(self.encrypt(&mut all[..count])?)
    }
}

/// No message.
fn none<'a>() -> Message<'a, 'a> {
    let (iv, data) = ([0; 16], (&mut [][..]).into());
    Message { iv, data }
}

/// Puts messages into places, and answers how many.
#[inline]
fn put<'p, 'a: 'p>(
    messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>,
    places: impl Iterator<Item = &'p mut Message<'a, 'a>>,
) -> Result<usize, Fault> {
    let mut count = 0;
    for (place, (envelope, data)) in places.zip(messages) {
        let iv = block(envelope.iv)?;
        *place = Message { iv, data };
        count += 1;
    }
    Ok(count)
}

/// A key for each message.
struct KeyEach<C>(Vec<C>);

impl<C> KeyEach<C> {
    fn new<E>(key: &[u8], with: impl Fn(&[u8]) -> Result<C, E>) -> Result<Self, E> {
        let keys = (0..Contract::MANY).map(|message| Contract::ManyKeys.key(key, message));
        keys.map(|key| with(&key)).collect::<Result<_, E>>().map(Self)
    }
}

impl SideBySide for KeyEach<CbcMany> {
    #[inline]
    fn run<'a>(
        &mut self,
        messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>,
    ) -> Result<(), Fault> {
        let mut all: [_; Contract::MANY] = array::from_fn(|i| (&self.0[i], none()));
        let count = put(messages, all.iter_mut().map(|(_, message)| message))?;
        Ok(CbcMany::encrypt_each(&mut all[..count])?)
    }
}

impl SideBySide for Cmac {
    #[inline]
    fn run<'a>(
        &mut self,
        messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>,
    ) -> Result<(), Fault> {
        tag_all(messages, |messages, tags| self.tags(messages, tags))
    }
}

impl SideBySide for KeyEach<Cmac> {
    #[inline]
    fn run<'a>(
        &mut self,
        messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>,
    ) -> Result<(), Fault> {
        tag_all(messages, |messages, tags| {
            let mut all: [_; Contract::MANY] = array::from_fn(|i| (&self.0[i], &[][..]));
            for ((_, place), message) in all.iter_mut().zip(messages) {
                *place = message;
            }
            Cmac::tags_each(&all[..messages.len()], tags)
        })
    }
}

#[inline]
fn tag_all<'a>(
    messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>,
    make: impl FnOnce(&[&[u8]], &mut [[u8; 16]]) -> Result<(), ciphertune::Error>,
) -> Result<(), Fault> {
    ToTag::new(messages).with(|messages, places| {
        let mut tags = [[0; 16]; Contract::MANY];
        let tags = &mut tags[..messages.len()];
        make(messages, tags)?;
        for (place, tag) in places.iter_mut().zip(tags) {
            place.copy_from_slice(tag);
        }
        Ok(())
    })
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
    inlined(Contract::Stream, Going(ctr), |_| Ok(()), Forward)
}
