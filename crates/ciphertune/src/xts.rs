use std::fmt;

use ciphertune_engine::{BLOCK, BlockKey, Implementation, TweakKey};
use inout::InOutBuf;

use crate::{
    Error, Mode, Plan, Plans, Selection,
    keyed::{apart, boxed, equal},
    selection,
};

/// AES in XTS mode (IEEE 1619; SP 800-38E), for data units at fixed places: the sectors of a disk.
///
/// A data unit has 16 bytes to 2^20 blocks, any number of them, and a number of its own; the same unit encrypted
/// twice gives the same ciphertext. XTS protects nothing from being changed. The keys are wiped on drop.
pub struct Xts(Box<State>);

/// On the heap, where it stays until it is wiped: moving a key would leave copies of it behind.
struct State {
    data: BlockKey,
    tweak: TweakKey,
    plans: Plans,
    /// Both keys are the same.
    equal: bool,
}

impl State {
    /// Takes both keys, of 16 or 32 bytes each, in place.
    fn rekey(&mut self, data: &[u8], tweak: &[u8]) -> Result<(), Error> {
        let kernel = self.plans.forward.kernel(0);
        kernel.expand_block(&mut self.data, data)?;
        kernel.expand_tweak(&mut self.tweak, tweak)?;
        Ok(())
    }
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
        self.0.rekey(data, tweak)?;
        self.0.equal = false;
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
        let mut xts = Self(boxed!(State {
            data: BlockKey::empty(),
            tweak: TweakKey::empty(),
            plans: *plans,
            equal,
        }));
        xts.0.rekey(data, tweak)?;
        Ok(xts)
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
        let state = &*self.0;
        if state.equal {
            return Err(Error::XtsKeyHalves);
        }
        unit_length(buffer.len())?;
        let kernel = state.plans.forward.kernel(buffer.len());
        kernel.xts_encrypt(&state.data, &state.tweak, unit, buffer);
        Ok(())
    }

    /// As [`Xts::decrypt`], or [`Xts::decrypt_to`] where input and output are apart.
    ///
    /// [`Error::XtsUnitLength`]: nothing has changed.
    #[inline]
    pub fn decrypt_inout(&self, unit: u128, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        unit_length(buffer.len())?;
        let state = &*self.0;
        let kernel = state.plans.backward.kernel(buffer.len());
        kernel.xts_decrypt(&state.data, &state.tweak, unit, buffer);
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

/// The same keys in a place of their own.
impl Clone for Xts {
    fn clone(&self) -> Self {
        let mut state = boxed!(State {
            data: BlockKey::empty(),
            tweak: TweakKey::empty(),
            ..*self.0
        });
        state.data.copy_from(&self.0.data);
        state.tweak.copy_from(&self.0.tweak);
        Self(state)
    }
}

/// Shows no key.
impl fmt::Debug for Xts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.plans.fmt(f)
    }
}
