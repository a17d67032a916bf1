use ciphertune_engine::{Feedback, Implementation};
use inout::InOutBuf;

use crate::{
    Error, Plans,
    keyed::{Keyed, apart, constructors},
};

/// AES in OFB mode (SP 800-38A, §6.4): keystream of which each block is made from the one before.
///
/// It is here for what others wrote with it: [`crate::Ctr`] does the same many times as fast. Where a message stands
/// is given with each part of it, which may have any length; encrypting and decrypting are the same. **An IV must never
/// serve two messages**, and OFB protects nothing from being changed: authenticate what it encrypted. The key is wiped
/// on drop.
#[derive(Clone, Debug)]
pub struct Ofb(Keyed);

impl Ofb {
    constructors!(Ofb, 0);

    fn with_plans(plans: &Plans, key: &[u8]) -> Result<Self, Error> {
        Keyed::new(plans, key).map(Self)
    }

    /// Encrypts or decrypts `data` in place.
    pub fn apply(&self, at: &mut Feedback, data: &mut [u8]) {
        self.apply_inout(at, data.into());
    }

    /// Encrypts or decrypts `input` into `output`. [`Error::OutputLength`]: nothing has changed.
    pub fn apply_to(&self, at: &mut Feedback, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.apply_inout(at, apart(input, output)?);
        Ok(())
    }

    /// As [`Ofb::apply`], or [`Ofb::apply_to`] where input and output are apart.
    pub fn apply_inout(&self, at: &mut Feedback, buffer: InOutBuf<'_, '_, u8>) {
        let kernel = self.0.forward(buffer.len());
        kernel.ofb(self.0.key(), at, buffer);
    }
}
