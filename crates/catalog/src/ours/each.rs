//! What each mode does to a message, with the IV of that message or, as part of a stream, where the one before it ended.
use ciphertune::{Cbc, Ccm, Cfb, Cfb8, Ctr, Ecb, Feedback, Gcm, Ocb, Ofb, Xts};
use ciphertune_testkit::{Envelope, Fault};
use inout::InOutBuf;
use zeroize::Zeroizing;

use crate::context::{Each, block};

/// Encrypts or seals.
pub(super) struct Forward;
/// Decrypts or opens.
pub(super) struct Backward;

/// A stream of counter mode, each message a part of it.
pub(super) struct Going(pub(super) Ctr);

macro_rules! each {
    ($($way:ident of $state:ty: |$cipher:pat_param, $envelope:pat_param, $data:ident| $work:expr;)*) => {$(
        impl Each<$state> for $way {
            #[inline(always)]
            fn run(
                &self,
                $cipher: &mut $state,
                $envelope: &mut Envelope<'_>,
                $data: InOutBuf<'_, '_, u8>,
            ) -> Result<(), Fault> {
                $work;
                Ok(())
            }
        }
    )*};
}

type Iv = [u8; 16];

each! {
    Forward of Going: |Going(ctr), _, data| ctr.apply_inout(data)?;
    Forward of Ctr: |ctr, envelope, data| {
        ctr.restart(envelope.iv)?;
        ctr.apply_inout(data)?;
    };
    Forward of (Ctr, Zeroizing<Vec<u8>>): |(ctr, key), envelope, data| {
        ctr.rekey(key, envelope.iv)?;
        ctr.apply_inout(data)?;
    };

    Forward of Ecb: |ecb, _, data| ecb.encrypt_inout(data)?;
    Backward of Ecb: |ecb, _, data| ecb.decrypt_inout(data)?;

    Forward of Cbc: |cbc, envelope, data| cbc.encrypt_inout(&mut block(envelope.iv)?, data)?;
    Backward of Cbc: |cbc, envelope, data| cbc.decrypt_inout(&mut block(envelope.iv)?, data)?;
    Forward of (Cbc, Iv): |(cbc, iv), _, data| cbc.encrypt_inout(iv, data)?;
    Backward of (Cbc, Iv): |(cbc, iv), _, data| cbc.decrypt_inout(iv, data)?;

    Forward of Cfb: |cfb, envelope, data| cfb.encrypt_inout(&mut feedback(envelope.iv)?, data);
    Backward of Cfb: |cfb, envelope, data| cfb.decrypt_inout(&mut feedback(envelope.iv)?, data);
    Forward of (Cfb, Feedback): |(cfb, at), _, data| cfb.encrypt_inout(at, data);
    Backward of (Cfb, Feedback): |(cfb, at), _, data| cfb.decrypt_inout(at, data);

    Forward of Cfb8: |cfb, envelope, data| cfb.encrypt_inout(&mut block(envelope.iv)?, data);
    Backward of Cfb8: |cfb, envelope, data| cfb.decrypt_inout(&mut block(envelope.iv)?, data);
    Forward of (Cfb8, Iv): |(cfb, iv), _, data| cfb.encrypt_inout(iv, data);
    Backward of (Cfb8, Iv): |(cfb, iv), _, data| cfb.decrypt_inout(iv, data);

    Forward of Ofb: |ofb, envelope, data| ofb.apply_inout(&mut feedback(envelope.iv)?, data);
    Backward of Ofb: |ofb, envelope, data| Forward.run(ofb, envelope, data)?;
    Forward of (Ofb, Feedback): |(ofb, at), _, data| ofb.apply_inout(at, data);
    Backward of (Ofb, Feedback): |ofb, envelope, data| Forward.run(ofb, envelope, data)?;

    Forward of Xts: |xts, envelope, data| xts.encrypt_inout(unit(envelope.iv)?, data)?;
    Backward of Xts: |xts, envelope, data| xts.decrypt_inout(unit(envelope.iv)?, data)?;

    Forward of Gcm: |gcm, Envelope { iv, aad, tag }, data| gcm.seal_inout(iv, aad, data)?.copy_to(tag);
    Backward of Gcm: |gcm, Envelope { iv, aad, tag }, data| gcm.open_inout(iv, aad, data, tag)?;
    Forward of Ccm: |ccm, Envelope { iv, aad, tag }, data| ccm.seal_inout(iv, aad, data)?.copy_to(tag);
    Backward of Ccm: |ccm, Envelope { iv, aad, tag }, data| ccm.open_inout(iv, aad, data, tag)?;
    Forward of Ocb: |ocb, Envelope { iv, aad, tag }, data| ocb.seal_inout(iv, aad, data)?.copy_to(tag);
    Backward of Ocb: |ocb, Envelope { iv, aad, tag }, data| ocb.open_inout(iv, aad, data, tag)?;
}

/// Where a message begins.
#[inline]
pub(super) fn feedback(iv: &[u8]) -> Result<Feedback, Fault> {
    block(iv).map(Feedback::new)
}

/// The number of a data unit.
#[inline]
fn unit(iv: &[u8]) -> Result<u128, Fault> {
    block(iv).map(u128::from_le_bytes)
}
