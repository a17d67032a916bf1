mod stream;

pub use stream::CcmStream;

use ciphertune_engine::{BLOCK, Implementation, Kernel};
use inout::InOutBuf;

use crate::{
    Error, Plans, Tag,
    keyed::{Keyed, apart, constructors, sealing},
};

/// AES-CCM (SP 800-38C; RFC 3610): encrypts a message and makes a tag that proves it, and additional data beside it,
/// unchanged.
///
/// **A pair of key and nonce must never be used for two messages**; this type takes a used one too. A nonce has 7 to 13
/// bytes; the longer it is, the shorter is the longest message, with 13 bytes 65535. A key may encrypt 2^61 blocks, more than can be reached. The
/// tag waits for each block before the next: [`crate::Gcm`] is faster by far. For a message in parts there is
/// [`CcmStream`]. The key is wiped on drop.
#[derive(Clone, Debug)]
pub struct Ccm {
    key: Keyed,
    tag_len: usize,
}

impl Ccm {
    constructors!(Ccm, key);

    fn with_plans(plans: &Plans, key: &[u8]) -> Result<Self, Error> {
        let key = Keyed::new(plans, key)?;
        Ok(Self { key, tag_len: BLOCK })
    }

    /// The same key with tags of 4, 6, … 16 bytes; without this they have 16. [`Error::TagLength`].
    pub fn with_tag_len(mut self, len: usize) -> Result<Self, Error> {
        self.set_tag_len(len)?;
        Ok(self)
    }

    fn set_tag_len(&mut self, len: usize) -> Result<(), Error> {
        if !(4..=BLOCK).contains(&len) || !len.is_multiple_of(2) {
            return Err(Error::TagLength(len));
        }
        self.tag_len = len;
        Ok(())
    }

    sealing!(
        &;
        seal: "[`Error::NonceLength`], [`Error::CcmMessageLength`]",
        open: "[`Error::NonceLength`], [`Error::CcmMessageLength`], [`Error::OtherTagLength`]"
    );

    /// As [`Ccm::seal_in_place`], or [`Ccm::seal_to`] where input and output are apart.
    // Always, since what the text is would be copied for a call of its own and waited for.
    #[inline(always)]
    pub fn seal_inout(&self, nonce: &[u8], aad: &[u8], buffer: InOutBuf<'_, '_, u8>) -> Result<Tag, Error> {
        check(nonce, buffer.len() as u64)?;
        let kernel = self.key.forward(buffer.len());
        let tag = kernel.ccm_seal(self.key.key(), nonce, aad, buffer, self.tag_len);
        Ok(Tag::new(tag, self.tag_len))
    }

    /// As [`Ccm::open_in_place`], or [`Ccm::open_to`] where input and output are apart.
    // Always, since what the text is would be copied for a call of its own and waited for.
    #[inline(always)]
    pub fn open_inout(
        &self,
        nonce: &[u8],
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<(), Error> {
        check(nonce, buffer.len() as u64)?;
        Tag::check_len(tag, self.tag_len)?;
        let kernel = self.key.backward(buffer.len());
        if kernel.ccm_open(self.key.key(), nonce, aad, buffer, tag) {
            Ok(())
        } else {
            Err(Error::NotAuthentic)
        }
    }
}

#[inline]
fn check(nonce: &[u8], len: u64) -> Result<(), Error> {
    let (least, most, nonce) = (7, 13, nonce.len());
    if !(least..=most).contains(&nonce) {
        return Err(Error::NonceLength {
            mode: "CCM",
            least,
            most,
            len: nonce,
        });
    }
    let longest = Kernel::longest_ccm(nonce);
    if len > longest {
        return Err(Error::CcmMessageLength { nonce, longest, len });
    }
    Ok(())
}
