use ciphertune_engine::{BLOCK, Implementation};

use crate::{
    Error, Plan,
    keyed::{Keyed, apart, constructors},
};

/// AES in CFB mode (SP 800-38A, §6.3), by whole blocks (CFB-128) and by bytes (CFB-8).
///
/// The IV is given with each message, **must never serve two**, and becomes what a message that goes on goes on
/// with: by whole blocks, the last whole ciphertext block, so that only a message's last call may have a part of one
/// at its end. CFB protects nothing from being changed: authenticate what it encrypted. The key is wiped on drop.
#[derive(Clone, Debug)]
pub struct Cfb(Keyed);

impl Cfb {
    constructors!();

    /// As [`Cfb::new`], by the plan's implementations.
    pub fn with_plan(plan: &Plan, key: &[u8]) -> Result<Self, Error> {
        Keyed::new(plan, key).map(Self)
    }

    /// Encrypts `data` in place, by whole blocks; of any length.
    #[inline]
    pub fn encrypt(&self, iv: &mut [u8; BLOCK], data: &mut [u8]) {
        let kernel = self.0.kernel(data.len());
        kernel.cfb_encrypt(self.0.key(), iv, data.into());
    }

    /// Encrypts `input` into `output`, by whole blocks. [`Error::OutputLength`]: nothing has changed.
    #[inline]
    pub fn encrypt_to(&self, iv: &mut [u8; BLOCK], input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        let kernel = self.0.kernel(input.len());
        kernel.cfb_encrypt(self.0.key(), iv, apart(input, output)?);
        Ok(())
    }

    /// Decrypts `data` in place, by whole blocks; of any length.
    #[inline]
    pub fn decrypt(&self, iv: &mut [u8; BLOCK], data: &mut [u8]) {
        let kernel = self.0.kernel(data.len());
        kernel.cfb_decrypt(self.0.key(), iv, data.into());
    }

    /// Decrypts `input` into `output`, by whole blocks. [`Error::OutputLength`]: nothing has changed.
    #[inline]
    pub fn decrypt_to(&self, iv: &mut [u8; BLOCK], input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        let kernel = self.0.kernel(input.len());
        kernel.cfb_decrypt(self.0.key(), iv, apart(input, output)?);
        Ok(())
    }

    /// Encrypts `data` in place, by bytes. A block of AES for each byte, one after the other: slow by nature.
    pub fn encrypt_bytes(&self, iv: &mut [u8; BLOCK], data: &mut [u8]) {
        self.0.kernel(0).cfb8_encrypt(self.0.key(), iv, data.into());
    }

    /// Encrypts `input` into `output`, by bytes. [`Error::OutputLength`]: nothing has changed.
    pub fn encrypt_bytes_to(
        &self,
        iv: &mut [u8; BLOCK],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), Error> {
        let kernel = self.0.kernel(0);
        kernel.cfb8_encrypt(self.0.key(), iv, apart(input, output)?);
        Ok(())
    }

    /// Decrypts `data` in place, by bytes.
    pub fn decrypt_bytes(&self, iv: &mut [u8; BLOCK], data: &mut [u8]) {
        let kernel = self.0.kernel(BLOCK * data.len());
        kernel.cfb8_decrypt(self.0.key(), iv, data.into());
    }

    /// Decrypts `input` into `output`, by bytes. [`Error::OutputLength`]: nothing has changed.
    pub fn decrypt_bytes_to(
        &self,
        iv: &mut [u8; BLOCK],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), Error> {
        let kernel = self.0.kernel(BLOCK * input.len());
        kernel.cfb8_decrypt(self.0.key(), iv, apart(input, output)?);
        Ok(())
    }
}
