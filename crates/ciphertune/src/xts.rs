use ciphertune_engine::{BLOCK, Implementation};
use inout::InOutBuf;

use crate::{
    Error, Mode, Plan, Plans, Selection,
    keyed::{Keyed, apart, equal},
    selection,
};

/// AES in XTS mode (IEEE 1619; SP 800-38E), for data units at fixed places: the sectors of a disk.
///
/// A data unit has 16 bytes to 2^20 blocks, any number of them, and a number of its own; the same unit encrypted
/// twice gives the same ciphertext. XTS protects nothing from being changed. The keys are wiped on drop.
#[derive(Clone, Debug)]
pub struct Xts {
    data: Keyed,
    tweak: Keyed,
    /// Both are the same.
    equal: bool,
}

impl Xts {
    /// The longest data unit in bytes (IEEE 1619, section 5.1; SP 800-38E, section 4).
    pub const LONGEST: usize = BLOCK << 20;

    /// With the two keys one after the other, for the data and for the tweak: 32 bytes for XTS-AES-128, 64 for
    /// XTS-AES-256.
    ///
    /// [`Error::XtsKeyLength`]; [`Error::XtsKeyHalves`]: both are the same (FIPS 140-3 IG, C.I).
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Self::with_selection(selection()?, key)
    }

    /// As [`Xts::new`], by another selection.
    pub fn with_selection(selection: &Selection, key: &[u8]) -> Result<Self, Error> {
        Self::with_plans(selection.plans(Mode::Xts, half(key)?)?, key)
    }

    /// As [`Xts::new`], by one implementation whatever the length.
    pub fn with_implementation(implementation: Implementation, key: &[u8]) -> Result<Self, Error> {
        Self::with_plans(&Plans::both(Plan::forced(implementation)?), key)
    }

    fn with_plans(plans: &Plans, key: &[u8]) -> Result<Self, Error> {
        let (data, tweak) = key.split_at(half(key)?);
        if equal(data, tweak) {
            return Err(Error::XtsKeyHalves);
        }
        Self::of_halves(plans, data, tweak, false)
    }

    /// Takes new keys, in the same place in memory. The old ones are wiped; on an error nothing has changed.
    ///
    /// [`Error::XtsKeyLength`], [`Error::XtsKeyHalves`].
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        let (data, tweak) = key.split_at(half(key)?);
        if equal(data, tweak) {
            return Err(Error::XtsKeyHalves);
        }
        self.data.rekey(data)?;
        self.tweak.rekey(tweak)?;
        self.equal = false;
        Ok(())
    }

    /// As [`Self::with_selection`], for decrypting what others encrypted with two keys that are the same: with such a
    /// key it only decrypts.
    pub fn for_old_data(selection: &Selection, key: &[u8]) -> Result<Self, Error> {
        let half = half(key)?;
        let (data, tweak) = key.split_at(half);
        let plans = selection.plans(Mode::Xts, half)?;
        Self::of_halves(plans, data, tweak, equal(data, tweak))
    }

    fn of_halves(plans: &Plans, data: &[u8], tweak: &[u8], equal: bool) -> Result<Self, Error> {
        Ok(Self {
            data: Keyed::new(plans, data)?,
            tweak: Keyed::new(plans, tweak)?,
            equal,
        })
    }

    /// Encrypts data unit number `unit` in place. [`Error::XtsUnitLength`], [`Error::XtsKeyHalves`]: `data` is as it was.
    #[inline]
    pub fn encrypt(&self, unit: u128, data: &mut [u8]) -> Result<(), Error> {
        self.encrypt_inout(unit, data.into())
    }

    /// Encrypts data unit number `unit` from `input` into `output`. [`Error::XtsUnitLength`],
    /// [`Error::XtsKeyHalves`], [`Error::OutputLength`]: `output` is as it was.
    #[inline]
    pub fn encrypt_to(&self, unit: u128, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.encrypt_inout(unit, apart(input, output)?)
    }

    /// Decrypts data unit number `unit` in place. [`Error::XtsUnitLength`]: `data` is as it was.
    #[inline]
    pub fn decrypt(&self, unit: u128, data: &mut [u8]) -> Result<(), Error> {
        self.decrypt_inout(unit, data.into())
    }

    /// Decrypts data unit number `unit` from `input` into `output`. [`Error::XtsUnitLength`],
    /// [`Error::OutputLength`]: `output` is as it was.
    #[inline]
    pub fn decrypt_to(&self, unit: u128, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.decrypt_inout(unit, apart(input, output)?)
    }

    /// As [`Xts::encrypt`], or [`Xts::encrypt_to`] where input and output are apart.
    ///
    /// [`Error::XtsUnitLength`], [`Error::XtsKeyHalves`]: nothing has changed.
    #[inline]
    pub fn encrypt_inout(&self, unit: u128, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        if self.equal {
            return Err(Error::XtsKeyHalves);
        }
        unit_length(buffer.len())?;
        let kernel = self.data.forward(buffer.len());
        kernel.xts_encrypt(self.data.key(), self.tweak.key(), unit, buffer);
        Ok(())
    }

    /// As [`Xts::decrypt`], or [`Xts::decrypt_to`] where input and output are apart.
    ///
    /// [`Error::XtsUnitLength`]: nothing has changed.
    #[inline]
    pub fn decrypt_inout(&self, unit: u128, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        unit_length(buffer.len())?;
        let kernel = self.data.backward(buffer.len());
        kernel.xts_decrypt(self.data.key(), self.tweak.key(), unit, buffer);
        Ok(())
    }
}

/// The length of each of the two keys, in bytes.
fn half(key: &[u8]) -> Result<usize, Error> {
    match key.len() {
        32 | 64 => Ok(key.len() / 2),
        len => Err(Error::XtsKeyLength(len)),
    }
}

#[inline]
fn unit_length(len: usize) -> Result<(), Error> {
    if (BLOCK..=Xts::LONGEST).contains(&len) {
        Ok(())
    } else {
        Err(Error::XtsUnitLength(len))
    }
}
