use ciphertune_engine::{BLOCK, Implementation};
use inout::InOutBuf;

use crate::{
    Error, Plans,
    keyed::{Keyed, apart, constructors},
};

/// AES in CFB mode by bytes (SP 800-38A, §6.3, s = 8): CFB-8.
///
/// It is here for what others wrote with it: a block of AES for each byte, and in encryption one after the other.
/// A message begins with its IV, which becomes the last sixteen bytes of ciphertext: with that the next part goes on.
/// Parts may have any length. **An IV must never serve two messages.** CFB protects nothing from being changed:
/// authenticate what it encrypted. The key is wiped on drop.
///
/// ```
/// use ciphertune::Cfb8;
///
/// let cfb = Cfb8::new(&[0x2b; 16])?;
/// let mut data = *b"attack at dawn";
/// let mut iv = [7; 16];
/// cfb.encrypt(&mut iv, &mut data[..6]);
/// cfb.encrypt(&mut iv, &mut data[6..]);
/// cfb.decrypt(&mut [7; 16], &mut data);
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), ciphertune::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cfb8(Keyed);

impl Cfb8 {
    constructors!(Cfb8, 0);

    fn with_plans(plans: &Plans, key: &[u8]) -> Result<Self, Error> {
        Keyed::new(plans, key).map(Self)
    }

    /// Encrypts `data` in place.
    pub fn encrypt(&self, iv: &mut [u8; BLOCK], data: &mut [u8]) {
        self.encrypt_inout(iv, data.into());
    }

    /// Encrypts `input` into `output`. [`Error::OutputLength`]: nothing has changed.
    pub fn encrypt_to(&self, iv: &mut [u8; BLOCK], input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.encrypt_inout(iv, apart(input, output)?);
        Ok(())
    }

    /// As [`Cfb8::encrypt`], or [`Cfb8::encrypt_to`] where input and output are apart.
    pub fn encrypt_inout(&self, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
        let kernel = self.0.forward(buffer.len());
        kernel.cfb8_encrypt(self.0.key(), iv, buffer);
    }

    /// Decrypts `data` in place.
    pub fn decrypt(&self, iv: &mut [u8; BLOCK], data: &mut [u8]) {
        self.decrypt_inout(iv, data.into());
    }

    /// Decrypts `input` into `output`. [`Error::OutputLength`]: nothing has changed.
    pub fn decrypt_to(&self, iv: &mut [u8; BLOCK], input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.decrypt_inout(iv, apart(input, output)?);
        Ok(())
    }

    /// As [`Cfb8::decrypt`], or [`Cfb8::decrypt_to`] where input and output are apart.
    pub fn decrypt_inout(&self, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
        let kernel = self.0.backward(buffer.len());
        kernel.cfb8_decrypt(self.0.key(), iv, buffer);
    }
}
