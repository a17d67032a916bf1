use aws_lc_rs::{
    cipher::{AES_128, AES_192, AES_256, EncryptionContext, StreamingEncryptingKey, UnboundCipherKey},
    error::Unspecified,
    iv::FixedLength,
};

use crate::{
    Algorithm, Context, Description, Fault, Implementation,
    builtin::{BuiltIn, check_lengths},
};

/// AWS-LC through aws-lc-rs, which chooses by CPUID itself.
pub(crate) fn implementation() -> Box<dyn Implementation> {
    let version = env!("AWS_LC_RS_VERSION");
    Box::new(BuiltIn {
        description: Description {
            id: format!("aws-lc-rs@{version}/default"),
            origin: "built in: crate aws-lc-rs".to_owned(),
            version: version.to_owned(),
            features: Vec::new(),
            constant_time: true,
            selectable: false,
            unavailable: None,
        },
        context: |algorithm, key: &[u8], iv: &[u8; 16]| {
            let algorithm = match algorithm {
                Algorithm::Aes128Ctr => &AES_128,
                Algorithm::Aes192Ctr => &AES_192,
                Algorithm::Aes256Ctr => &AES_256,
            };
            let iv = EncryptionContext::Iv128(FixedLength::from(iv));
            let cipher = UnboundCipherKey::new(algorithm, key)
                .and_then(|key| StreamingEncryptingKey::less_safe_ctr(key, iv))
                .map_err(fault)?;
            Ok(Box::new(Stream { cipher, begun: 0 }) as Box<dyn Context>)
        },
    })
}

struct Stream {
    cipher: StreamingEncryptingKey,
    /// Bytes used of the current block.
    begun: usize,
}

const BLOCK: usize = 16;

impl Context for Stream {
    fn apply(&mut self, _: &mut [u8]) -> Result<(), Fault> {
        Err(Fault("aws-lc-rs streams from buffer to buffer alone".to_owned()))
    }

    /// An update wants room in its output up to the end of the block that it ends in, so what follows the last
    /// whole block takes a way round.
    fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        check_lengths(input, output)?;
        let ends_in = (self.begun + input.len()) % BLOCK;
        let tail = ends_in.min(input.len());
        let (whole, tail) = input.split_at(input.len() - tail);
        let (whole_out, tail_out) = output.split_at_mut(whole.len());
        if !whole.is_empty() {
            self.cipher.less_safe_update(whole, whole_out).map_err(fault)?;
        }
        if !tail.is_empty() {
            let mut room = [0; BLOCK];
            self.cipher.less_safe_update(tail, &mut room).map_err(fault)?;
            tail_out.copy_from_slice(&room[..tail.len()]);
        }
        self.begun = ends_in;
        Ok(())
    }

    fn in_place(&self) -> bool {
        false
    }
}

fn fault(_: Unspecified) -> Fault {
    Fault("aws-lc-rs refused, without a reason".to_owned())
}
