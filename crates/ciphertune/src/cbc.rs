use ciphertune_engine::{BLOCK, Implementation, Message};
use inout::InOutBuf;

use crate::{
    Error, Plans,
    keyed::{Keyed, apart, constructors, first, typical, whole_blocks},
};

/// AES in CBC mode (SP 800-38A, §6.2), of one message at a time.
///
/// The IV is given with each message, **must be unpredictable**, and becomes its last ciphertext block, so that the
/// same variable takes a message through several calls. Only whole blocks are taken: padding, and checking it
/// without telling an attacker, is the caller's. CBC protects nothing from being changed: authenticate what it
/// encrypted. The key is wiped on drop.
///
/// Encryption waits for each block before the next: for many messages [`CbcMany`] is faster by far.
#[derive(Clone, Debug)]
pub struct Cbc(Keyed);

impl Cbc {
    constructors!(Cbc, 0);

    fn with_plans(plans: &Plans, key: &[u8]) -> Result<Self, Error> {
        Keyed::new(plans, key).map(Self)
    }

    /// Encrypts `data` in place. [`Error::WholeBlocks`]: nothing has changed.
    #[inline]
    pub fn encrypt(&self, iv: &mut [u8; BLOCK], data: &mut [u8]) -> Result<(), Error> {
        self.encrypt_inout(iv, data.into())
    }

    /// Encrypts `input` into `output`. [`Error::WholeBlocks`], [`Error::OutputLength`]: nothing has changed.
    #[inline]
    pub fn encrypt_to(&self, iv: &mut [u8; BLOCK], input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.encrypt_inout(iv, apart(input, output)?)
    }

    /// Decrypts `data` in place. [`Error::WholeBlocks`]: nothing has changed.
    #[inline]
    pub fn decrypt(&self, iv: &mut [u8; BLOCK], data: &mut [u8]) -> Result<(), Error> {
        self.decrypt_inout(iv, data.into())
    }

    /// Decrypts `input` into `output`. [`Error::WholeBlocks`], [`Error::OutputLength`]: nothing has changed.
    #[inline]
    pub fn decrypt_to(&self, iv: &mut [u8; BLOCK], input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.decrypt_inout(iv, apart(input, output)?)
    }

    /// As [`Cbc::encrypt`], or [`Cbc::encrypt_to`] where input and output are apart.
    ///
    /// [`Error::WholeBlocks`]: nothing has changed.
    #[inline]
    pub fn encrypt_inout(&self, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        whole_blocks(buffer.len())?;
        self.0.forward(buffer.len()).cbc_encrypt(self.0.key(), iv, buffer);
        Ok(())
    }

    /// As [`Cbc::decrypt`], or [`Cbc::decrypt_to`] where input and output are apart.
    ///
    /// [`Error::WholeBlocks`]: nothing has changed.
    #[inline]
    pub fn decrypt_inout(&self, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        whole_blocks(buffer.len())?;
        self.0
            .backward(buffer.len())
            .cbc_decrypt(self.0.key(), iv, buffer);
        Ok(())
    }
}

/// CBC encryption of many messages with one key, side by side: what one waits for, the others fill.
///
/// As fast as it can be from 32 messages on, and where they have about the same length; any number and any lengths
/// will do. A message that has ended makes room for the next. The key is wiped on drop.
///
/// ```
/// use ciphertune::{CbcMany, Message};
///
/// let mut packets = vec![[0; 1344]; 32];
/// let mut messages: Vec<_> = packets
///     .iter_mut()
///     .zip(1..)
///     .map(|(packet, i)| Message { iv: [i; 16], data: packet.as_mut_slice().into() })
///     .collect();
/// CbcMany::new(&[0x2b; 16])?.encrypt(&mut messages)?;
/// # Ok::<(), ciphertune::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CbcMany(Keyed);

impl CbcMany {
    constructors!(CbcMany, 0);

    fn with_plans(plans: &Plans, key: &[u8]) -> Result<Self, Error> {
        Keyed::new(plans, key).map(Self)
    }

    /// Encrypts every message, each as [`Cbc::encrypt`] would; its IV becomes its last ciphertext block.
    ///
    /// [`Error::WholeBlocks`]: nothing has changed.
    pub fn encrypt(&self, messages: &mut [Message<'_, '_>]) -> Result<(), Error> {
        let mut len = 0;
        for message in &*messages {
            whole_blocks(message.data.len())?;
            len += message.data.len();
        }
        let kernel = self.0.forward(typical(messages.len(), len));
        kernel.cbc_encrypt_many(self.0.key(), messages);
        Ok(())
    }

    /// As [`CbcMany::encrypt`], every message with the key that stands beside it: packets of several connections, side by
    /// side as if they were one's.
    ///
    /// [`Error::WholeBlocks`]: nothing has changed.
    ///
    /// ```
    /// use ciphertune::{CbcMany, Message};
    ///
    /// let connections = [CbcMany::new(&[0x2b; 16])?, CbcMany::new(&[0x7e; 16])?];
    /// let mut packets = vec![[0; 1344]; 32];
    /// let mut messages: Vec<_> = packets
    ///     .iter_mut()
    ///     .zip(connections.iter().cycle())
    ///     .map(|(packet, key)| (key, Message { iv: [1; 16], data: packet.as_mut_slice().into() }))
    ///     .collect();
    /// CbcMany::encrypt_each(&mut messages)?;
    /// # Ok::<(), ciphertune::Error>(())
    /// ```
    pub fn encrypt_each(messages: &mut [(&Self, Message<'_, '_>)]) -> Result<(), Error> {
        let mut len = 0;
        for (_, message) in &*messages {
            whole_blocks(message.data.len())?;
            len += message.data.len();
        }
        let typical = typical(messages.len(), len);
        let by = |cbc: &Self| cbc.0.forward(typical);
        for place in 0..messages.len() {
            if let Some(kernel) = first(place, |place| by(messages[place].0)) {
                kernel.cbc_encrypt_each(messages, |cbc| (by(cbc) == kernel).then_some(cbc.0.key()));
            }
        }
        Ok(())
    }
}
