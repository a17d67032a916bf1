use ciphertune_engine::Implementation;
use inout::InOutBuf;

use crate::{
    Error, Plans,
    keyed::{Keyed, apart, constructors, whole_blocks},
};

/// AES block by block (SP 800-38A, §6.1): the cipher itself, for whoever builds a mode on it.
///
/// **Equal blocks stay equal**: text that is encrypted so shows through. Only whole blocks are taken, and none is
/// padded. The key is wiped on drop.
#[derive(Clone, Debug)]
pub struct Ecb(Keyed);

impl Ecb {
    constructors!(Ecb, 0);

    fn with_plans(plans: &Plans, key: &[u8]) -> Result<Self, Error> {
        Keyed::new(plans, key).map(Self)
    }

    /// Encrypts `data` in place. [`Error::WholeBlocks`]: `data` is as it was.
    #[inline]
    pub fn encrypt(&self, data: &mut [u8]) -> Result<(), Error> {
        self.encrypt_inout(data.into())
    }

    /// Encrypts `input` into `output`. [`Error::WholeBlocks`], [`Error::OutputLength`]: `output` is as it was.
    #[inline]
    pub fn encrypt_to(&self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.encrypt_inout(apart(input, output)?)
    }

    /// Decrypts `data` in place. [`Error::WholeBlocks`]: `data` is as it was.
    #[inline]
    pub fn decrypt(&self, data: &mut [u8]) -> Result<(), Error> {
        self.decrypt_inout(data.into())
    }

    /// Decrypts `input` into `output`. [`Error::WholeBlocks`], [`Error::OutputLength`]: `output` is as it was.
    #[inline]
    pub fn decrypt_to(&self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.decrypt_inout(apart(input, output)?)
    }

    /// As [`Ecb::encrypt`], or [`Ecb::encrypt_to`] where input and output are apart.
    ///
    /// [`Error::WholeBlocks`]: nothing has changed.
    #[inline]
    pub fn encrypt_inout(&self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        whole_blocks(buffer.len())?;
        self.0.forward(buffer.len()).ecb_encrypt(self.0.key(), buffer);
        Ok(())
    }

    /// As [`Ecb::decrypt`], or [`Ecb::decrypt_to`] where input and output are apart.
    ///
    /// [`Error::WholeBlocks`]: nothing has changed.
    #[inline]
    pub fn decrypt_inout(&self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        whole_blocks(buffer.len())?;
        self.0.backward(buffer.len()).ecb_decrypt(self.0.key(), buffer);
        Ok(())
    }
}
