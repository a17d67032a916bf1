use ciphertune_engine::{Feedback, Implementation};
use inout::InOutBuf;

use crate::{
    Error, Plans,
    keyed::{Keyed, apart, constructors},
};

/// AES in CFB mode (SP 800-38A, §6.3), by blocks: CFB-128.
///
/// Where a message stands is given with each part of it, which may have any length. **An IV must never serve two
/// messages.** CFB protects nothing from being changed: authenticate what it encrypted. The key is wiped on drop.
///
/// ```
/// use ciphertune::{Cfb, Feedback};
///
/// let cfb = Cfb::new(&[0x2b; 16])?;
/// let mut data = *b"attack at dawn";
/// let mut at = Feedback::new([7; 16]);
/// cfb.encrypt(&mut at, &mut data[..6]);
/// cfb.encrypt(&mut at, &mut data[6..]);
/// cfb.decrypt(&mut Feedback::new([7; 16]), &mut data);
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), ciphertune::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cfb(Keyed);

impl Cfb {
    constructors!(Cfb, 0);

    fn with_plans(plans: &Plans, key: &[u8]) -> Result<Self, Error> {
        Keyed::new(plans, key).map(Self)
    }

    /// Encrypts `data` in place.
    #[inline]
    pub fn encrypt(&self, at: &mut Feedback, data: &mut [u8]) {
        self.encrypt_inout(at, data.into());
    }

    /// Encrypts `input` into `output`. [`Error::OutputLength`]: nothing has changed.
    #[inline]
    pub fn encrypt_to(&self, at: &mut Feedback, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.encrypt_inout(at, apart(input, output)?);
        Ok(())
    }

    /// As [`Cfb::encrypt`], or [`Cfb::encrypt_to`] where input and output are apart.
    #[inline]
    pub fn encrypt_inout(&self, at: &mut Feedback, buffer: InOutBuf<'_, '_, u8>) {
        let kernel = self.0.forward(buffer.len());
        kernel.cfb_encrypt(self.0.key(), at, buffer);
    }

    /// Decrypts `data` in place.
    #[inline]
    pub fn decrypt(&self, at: &mut Feedback, data: &mut [u8]) {
        self.decrypt_inout(at, data.into());
    }

    /// Decrypts `input` into `output`. [`Error::OutputLength`]: nothing has changed.
    #[inline]
    pub fn decrypt_to(&self, at: &mut Feedback, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.decrypt_inout(at, apart(input, output)?);
        Ok(())
    }

    /// As [`Cfb::decrypt`], or [`Cfb::decrypt_to`] where input and output are apart.
    #[inline]
    pub fn decrypt_inout(&self, at: &mut Feedback, buffer: InOutBuf<'_, '_, u8>) {
        let kernel = self.0.backward(buffer.len());
        kernel.cfb_decrypt(self.0.key(), at, buffer);
    }
}
