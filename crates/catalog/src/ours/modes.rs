//! Each mode of Ciphertune under each contract, by one implementation.
use std::array;

use ciphertune::{
    Cbc, CbcMany, Ccm, Cfb, Cfb8, Cmac, Ctr, Ecb, Feedback, Gcm, Implementation, Message, Ocb, Ofb, Threads,
    Xts,
};
use ciphertune_testkit::{Contract, Envelope, Fault, Kind, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use crate::{
    Timed,
    context::{block, both, tagging},
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
    /// A context of a type with a single key.
    macro_rules! keyed {
        ($type:ident, $apply:expr, $apply_to:expr) => {{
            let state = $type::with_implementation(implementation, &key)?;
            both(
                contract,
                state,
                move |state| Ok(state.rekey(&key)?),
                $apply,
                $apply_to,
            )
        }};
    }
    /// A context that goes on with the IV of the call before it.
    macro_rules! chained {
        ($type:ident, $from:ident, $apply:expr, $apply_to:expr) => {{
            let state = ($type::with_implementation(implementation, &key)?, $from(iv)?);
            both(contract, state, |_| Ok(()), $apply, $apply_to)
        }};
    }
    /// A context of cipher feedback, which takes a message of any length.
    macro_rules! of_feedback {
        ($type:ident, $from:ident, $backward:expr, $is_chained:expr) => {
            match ($backward, $is_chained) {
                (false, true) => chained!(
                    $type,
                    $from,
                    |(cfb, iv), _, data| {
                        cfb.encrypt(iv, data);
                        Ok(())
                    },
                    |(cfb, iv), _, input, output| Ok(cfb.encrypt_to(iv, input, output)?)
                ),
                (true, true) => chained!(
                    $type,
                    $from,
                    |(cfb, iv), _, data| {
                        cfb.decrypt(iv, data);
                        Ok(())
                    },
                    |(cfb, iv), _, input, output| Ok(cfb.decrypt_to(iv, input, output)?)
                ),
                (false, false) => keyed!(
                    $type,
                    |cfb: &mut $type, envelope, data| {
                        cfb.encrypt(&mut $from(envelope.iv)?, data);
                        Ok(())
                    },
                    |cfb: &mut $type, envelope, input, output| {
                        Ok(cfb.encrypt_to(&mut $from(envelope.iv)?, input, output)?)
                    }
                ),
                (true, false) => keyed!(
                    $type,
                    |cfb: &mut $type, envelope, data| {
                        cfb.decrypt(&mut $from(envelope.iv)?, data);
                        Ok(())
                    },
                    |cfb: &mut $type, envelope, input, output| {
                        Ok(cfb.decrypt_to(&mut $from(envelope.iv)?, input, output)?)
                    }
                ),
            }
        };
    }
    /// A context that seals or, backwards, opens.
    macro_rules! sealed {
        ($backward:expr, $state:expr, $renew:expr) => {
            if $backward {
                both(
                    contract,
                    $state,
                    $renew,
                    |state, envelope, data| {
                        Ok(state.open_in_place(envelope.iv, envelope.aad, data, envelope.tag)?)
                    },
                    |state, envelope, input, output| {
                        Ok(state.open_to(envelope.iv, envelope.aad, input, output, envelope.tag)?)
                    },
                )
            } else {
                both(
                    contract,
                    $state,
                    $renew,
                    |state, envelope, data| {
                        let tag = state.seal_in_place(envelope.iv, envelope.aad, data)?;
                        tag.copy_to(envelope.tag);
                        Ok(())
                    },
                    |state, envelope, input, output| {
                        let tag = state.seal_to(envelope.iv, envelope.aad, input, output)?;
                        tag.copy_to(envelope.tag);
                        Ok(())
                    },
                )
            }
        };
    }
    let is_chained =
        contract == Contract::Stream && algorithm.kind() != Kind::Stream && algorithm.iv_len() > 0;
    Ok(
        match (algorithm.aes_mode(), operation.is_backward(), is_chained) {
            (Some("CTR"), _, _) if contract == Contract::Stream => {
                stream(Ctr::with_implementation(implementation, &key, iv)?)
            }
            (Some("CTR"), _, _) => {
                let state = (Ctr::with_implementation(implementation, &key, iv)?, key);
                both(
                    contract,
                    state,
                    |_| Ok(()),
                    |(ctr, key), envelope, data| {
                        ctr.rekey(key, envelope.iv)?;
                        Ok(ctr.apply(data)?)
                    },
                    |(ctr, key), envelope, input, output| {
                        ctr.rekey(key, envelope.iv)?;
                        Ok(ctr.apply_to(input, output)?)
                    },
                )
            }
            (Some("ECB"), false, _) => keyed!(
                Ecb,
                |ecb: &mut Ecb, _, data| Ok(ecb.encrypt(data)?),
                |ecb: &mut Ecb, _, input, output| Ok(ecb.encrypt_to(input, output)?)
            ),
            (Some("ECB"), true, _) => keyed!(
                Ecb,
                |ecb: &mut Ecb, _, data| Ok(ecb.decrypt(data)?),
                |ecb: &mut Ecb, _, input, output| Ok(ecb.decrypt_to(input, output)?)
            ),
            (Some("CBC"), _, _) if contract == Contract::Many => {
                Box::new(AtOnce(CbcMany::with_implementation(implementation, &key)?))
            }
            (Some("CBC"), false, true) => chained!(
                Cbc,
                block,
                |(cbc, iv), _, data| Ok(cbc.encrypt(iv, data)?),
                |(cbc, iv), _, input, output| Ok(cbc.encrypt_to(iv, input, output)?)
            ),
            (Some("CBC"), true, true) => chained!(
                Cbc,
                block,
                |(cbc, iv), _, data| Ok(cbc.decrypt(iv, data)?),
                |(cbc, iv), _, input, output| Ok(cbc.decrypt_to(iv, input, output)?)
            ),
            (Some("CBC"), false, false) => keyed!(
                Cbc,
                |cbc: &mut Cbc, envelope, data| Ok(cbc.encrypt(&mut block(envelope.iv)?, data)?),
                |cbc: &mut Cbc, envelope, input, output| Ok(cbc.encrypt_to(
                    &mut block(envelope.iv)?,
                    input,
                    output
                )?)
            ),
            (Some("CBC"), true, false) => keyed!(
                Cbc,
                |cbc: &mut Cbc, envelope, data| Ok(cbc.decrypt(&mut block(envelope.iv)?, data)?),
                |cbc: &mut Cbc, envelope, input, output| Ok(cbc.decrypt_to(
                    &mut block(envelope.iv)?,
                    input,
                    output
                )?)
            ),
            (Some("CFB"), backward, is_chained) => of_feedback!(Cfb, feedback, backward, is_chained),
            (Some("CFB8"), backward, is_chained) => of_feedback!(Cfb8, block, backward, is_chained),
            (Some("OFB"), _, _) if contract == Contract::Stream => {
                let state = (Ofb::with_implementation(implementation, &key)?, feedback(iv)?);
                both(
                    contract,
                    state,
                    |_| Ok(()),
                    |(ofb, at), _, data| {
                        ofb.apply(at, data);
                        Ok(())
                    },
                    |(ofb, at), _, input, output| Ok(ofb.apply_to(at, input, output)?),
                )
            }
            (Some("OFB"), _, _) => keyed!(
                Ofb,
                |ofb: &mut Ofb, envelope, data| {
                    ofb.apply(&mut feedback(envelope.iv)?, data);
                    Ok(())
                },
                |ofb: &mut Ofb, envelope, input, output| Ok(ofb.apply_to(
                    &mut feedback(envelope.iv)?,
                    input,
                    output
                )?)
            ),
            (Some("XTS"), false, _) => keyed!(
                Xts,
                |xts: &mut Xts, envelope, data| Ok(xts.encrypt(unit(envelope.iv)?, data)?),
                |xts: &mut Xts, envelope, input, output| Ok(xts.encrypt_to(
                    unit(envelope.iv)?,
                    input,
                    output
                )?)
            ),
            (Some("XTS"), true, _) => keyed!(
                Xts,
                |xts: &mut Xts, envelope, data| Ok(xts.decrypt(unit(envelope.iv)?, data)?),
                |xts: &mut Xts, envelope, input, output| Ok(xts.decrypt_to(
                    unit(envelope.iv)?,
                    input,
                    output
                )?)
            ),
            (Some("CMAC"), _, _) if contract == Contract::Many => {
                Box::new(AtOnce(Cmac::with_implementation(implementation, &key)?))
            }
            (Some("CMAC"), _, _) => {
                let cmac = Cmac::with_implementation(implementation, &key)?;
                tagging(
                    contract,
                    cmac,
                    move |cmac| Ok(cmac.rekey(&key)?),
                    |cmac, envelope, message| {
                        envelope.tag.copy_from_slice(&cmac.tag(message));
                        Ok(())
                    },
                )
            }
            (Some("GCM"), backward, _) => {
                let gcm = Gcm::with_implementation(implementation, &key)?;
                sealed!(backward, gcm, move |gcm: &mut Gcm| Ok(gcm.rekey(&key)?))
            }
            (Some("CCM"), backward, _) => {
                let ccm = Ccm::with_implementation(implementation, &key)?;
                sealed!(backward, ccm, move |ccm: &mut Ccm| Ok(ccm.rekey(&key)?))
            }
            (Some("OCB"), backward, _) => {
                let ocb = Ocb::with_implementation(implementation, &key)?;
                sealed!(backward, ocb, move |ocb: &mut Ocb| Ok(ocb.rekey(&key)?))
            }
            _ => return Err(Fault(format!("ciphertune has no {algorithm}"))),
        },
    )
}

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
    both(
        Contract::Stream,
        ctr,
        |_| Ok(()),
        |ctr, _, data| Ok(ctr.apply(data)?),
        |ctr, _, input, output| Ok(ctr.apply_to(input, output)?),
    )
}

/// Where a message begins.
fn feedback(iv: &[u8]) -> Result<Feedback, Fault> {
    block(iv).map(Feedback::new)
}

/// The number of a data unit.
fn unit(iv: &[u8]) -> Result<u128, Fault> {
    block(iv).map(u128::from_le_bytes)
}
