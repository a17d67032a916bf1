use ciphertune_engine::RijndaelKey;
use inout::InOutBuf;

use crate::{Error, keyed::apart};

/// Rijndael with blocks of 24 bytes.
pub type Rijndael192 = Rijndael<24>;

/// Rijndael with blocks of 32 bytes.
pub type Rijndael256 = Rijndael<32>;

/// Rijndael with blocks of `BLOCK` bytes, 24 or 32, which AES has not: for what .NET's `RijndaelManaged` or mcrypt
/// encrypted. New things are better served by [`crate::Gcm`].
///
/// Only what has blocks of 16 bytes is AES, and has the other types here. There is one implementation, bitsliced and
/// constant-time, and no hardware that helps it.
///
/// An IV is given with each message, **must be unpredictable for CBC and new for CFB**, and becomes what the message
/// goes on with, so that the same variable takes it through several calls. None of these modes protects anything from being
/// changed: authenticate what was encrypted. The key is wiped on drop.
///
/// ```
/// use ciphertune::Rijndael256;
///
/// let cipher = Rijndael256::new(&[0x2b; 32])?;
/// let mut data = *b"attack at dawn, and not an hour later than dawn: bring ladders!!";
/// cipher.cbc_encrypt(&mut [7; 32], &mut data)?;
/// cipher.cbc_decrypt(&mut [7; 32], &mut data)?;
/// assert_eq!(&data[..14], b"attack at dawn");
/// # Ok::<(), ciphertune::Error>(())
/// ```
#[derive(Debug)]
pub struct Rijndael<const BLOCK: usize>(Box<RijndaelKey<BLOCK>>);

impl<const BLOCK: usize> Rijndael<BLOCK> {
    /// With a key of 16, 24 or 32 bytes.
    ///
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        let mut place = Box::new(RijndaelKey::empty());
        place.expand(key)?;
        Ok(Self(place))
    }

    /// Takes a new key, in the same place in memory. The old key is wiped; on an error nothing has changed.
    ///
    /// [`Error::KeyLength`].
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        Ok(self.0.expand(key)?)
    }
}

/// Each method of a mode: in place, from buffer to buffer, and either.
macro_rules! modes {
    ($(
        $(#[$doc:meta])* $name:ident, $name_to:ident, $name_inout:ident($($state:ident: $type:ty),*), $unit:expr;
    )*) => {
        impl<const BLOCK: usize> Rijndael<BLOCK> {
            $(
                $(#[$doc])*
                ///
                /// [`Error::RijndaelLength`]: nothing has changed.
                pub fn $name(&self, $($state: $type,)* data: &mut [u8]) -> Result<(), Error> {
                    self.$name_inout($($state,)* data.into())
                }

                #[doc = concat!("As [`Self::", stringify!($name), "`], from `input` to `output`, which must have the same length.")]
                ///
                /// [`Error::OutputLength`]: nothing has changed.
                pub fn $name_to(&self, $($state: $type,)* input: &[u8], output: &mut [u8]) -> Result<(), Error> {
                    self.$name_inout($($state,)* apart(input, output)?)
                }

                #[doc = concat!(
                    "As [`Self::", stringify!($name), "`], or [`Self::", stringify!($name_to),
                    "`] where input and output are apart."
                )]
                ///
                /// [`Error::RijndaelLength`]: nothing has changed.
                pub fn $name_inout(&self, $($state: $type,)* buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
                    let buffer = Self::whole($unit, buffer)?;
                    self.0.$name($($state,)* buffer);
                    Ok(())
                }
            )*
        }
    };
}

modes! {
    /// Encrypts whole blocks, each by itself. **Equal blocks stay equal.**
    ecb_encrypt, ecb_encrypt_to, ecb_encrypt_inout(), BLOCK;
    /// Decrypts whole blocks, each by itself.
    ecb_decrypt, ecb_decrypt_to, ecb_decrypt_inout(), BLOCK;
    /// Encrypts whole blocks by cipher block chaining; `iv` becomes the last ciphertext block.
    cbc_encrypt, cbc_encrypt_to, cbc_encrypt_inout(iv: &mut [u8; BLOCK]), BLOCK;
    /// Decrypts what [`Self::cbc_encrypt`] encrypted; `iv` becomes the last ciphertext block.
    cbc_decrypt, cbc_decrypt_to, cbc_decrypt_inout(iv: &mut [u8; BLOCK]), BLOCK;
    /// Encrypts by cipher feedback in whole segments of `segment` bytes, 1 to `BLOCK`: .NET's `FeedbackSize` in bytes.
    /// `iv` becomes the last `BLOCK` bytes of IV and ciphertext. Each segment costs a block: short ones are slow by nature.
    ///
    /// [`Error::RijndaelSegment`]: nothing has changed.
    cfb_encrypt, cfb_encrypt_to, cfb_encrypt_inout(iv: &mut [u8; BLOCK], segment: usize), Self::segment(segment)?;
    /// Decrypts what [`Self::cfb_encrypt`] encrypted in segments of the same length.
    ///
    /// [`Error::RijndaelSegment`]: nothing has changed.
    cfb_decrypt, cfb_decrypt_to, cfb_decrypt_inout(iv: &mut [u8; BLOCK], segment: usize), Self::segment(segment)?;
}

impl<const BLOCK: usize> Rijndael<BLOCK> {
    fn segment(len: usize) -> Result<usize, Error> {
        if (1..=BLOCK).contains(&len) {
            Ok(len)
        } else {
            Err(Error::RijndaelSegment { block: BLOCK, len })
        }
    }

    fn whole<'i, 'o>(unit: usize, buffer: InOutBuf<'i, 'o, u8>) -> Result<InOutBuf<'i, 'o, u8>, Error> {
        if buffer.len().is_multiple_of(unit) {
            Ok(buffer)
        } else {
            Err(Error::RijndaelLength {
                unit,
                len: buffer.len(),
            })
        }
    }
}

/// The same key in a place of its own.
impl<const BLOCK: usize> Clone for Rijndael<BLOCK> {
    fn clone(&self) -> Self {
        let mut place = Box::new(RijndaelKey::empty());
        place.copy_from(&self.0);
        Self(place)
    }
}
