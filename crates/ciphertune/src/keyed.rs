use std::fmt;

use ciphertune_engine::{BLOCK, BlockKey, Kernel};
use inout::InOutBuf;

use crate::{Error, Plans};

/// A key with the plan that it was expanded for. On the heap, where it stays until it is wiped: moving a key would
/// leave copies of it behind.
pub(crate) struct Keyed(Box<State>);

struct State {
    key: BlockKey,
    plans: Plans,
}

impl Keyed {
    pub(crate) fn new(plans: &Plans, key: &[u8]) -> Result<Self, Error> {
        let mut keyed = Self(boxed!(State {
            key: BlockKey::empty(),
            plans: *plans,
        }));
        keyed.rekey(key)?;
        Ok(keyed)
    }

    /// Takes a new key, in the same place. On an error nothing has changed.
    pub(crate) fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        let state = &mut *self.0;
        Ok(state.plans.forward.kernel(0).expand_block(&mut state.key, key)?)
    }

    #[inline]
    pub(crate) fn key(&self) -> &BlockKey {
        &self.0.key
    }

    /// What encrypts a message of `len` bytes.
    #[inline]
    pub(crate) fn forward(&self, len: usize) -> Kernel {
        self.0.plans.forward.kernel(len)
    }

    /// What decrypts a message of `len` bytes.
    #[inline]
    pub(crate) fn backward(&self, len: usize) -> Kernel {
        self.0.plans.backward.kernel(len)
    }
}

/// The same key in a place of its own.
impl Clone for Keyed {
    fn clone(&self) -> Self {
        let mut state = boxed!(State {
            key: BlockKey::empty(),
            plans: self.0.plans,
        });
        state.key.copy_from(&self.0.key);
        Self(state)
    }
}

/// Shows no key.
impl fmt::Debug for Keyed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.plans.fmt(f)
    }
}

/// `input` and `output` as one, if they are of the same length.
#[inline]
pub(crate) fn apart<'i, 'o>(input: &'i [u8], output: &'o mut [u8]) -> Result<InOutBuf<'i, 'o, u8>, Error> {
    let (input_len, output_len) = (input.len(), output.len());
    InOutBuf::new(input, output).map_err(|_| Error::OutputLength {
        input: input_len,
        output: output_len,
    })
}

/// Whether two secrets of one length are the same, in a time that does not tell where they differ.
pub(crate) fn equal(one: &[u8], other: &[u8]) -> bool {
    let differ = one.iter().zip(other).fold(0, |differ, (a, b)| differ | (a ^ b));
    std::hint::black_box(differ) == 0
}

/// What the kernel of many messages is chosen by, of `len` bytes in all: few leave lanes without work, however long they
/// are.
pub(crate) fn typical(count: usize, len: usize) -> usize {
    match count {
        ..=FEW => 0,
        many => len / many,
    }
}

/// Half of the lanes that the narrowest vectors have.
const FEW: usize = 4;

/// The kernel of the message at this place, if it is of none before: each serves its messages once.
pub(crate) fn first(place: usize, kernel: impl Fn(usize) -> Kernel) -> Option<Kernel> {
    let here = kernel(place);
    (0..place).all(|before| kernel(before) != here).then_some(here)
}

#[inline]
pub(crate) fn whole_blocks(len: usize) -> Result<(), Error> {
    if len.is_multiple_of(BLOCK) {
        Ok(())
    } else {
        Err(Error::WholeBlocks(len))
    }
}

/// As `Box::new`, with the place first: it is filled there, and nothing is moved. A key's is up to 7 KiB, of which a short
/// message touches a few hundred bytes.
macro_rules! boxed {
    ($value:expr) => {
        Box::write(Box::new_uninit(), $value)
    };
}

/// What every type with a single key has: its constructors, and a new key for what `key` names.
macro_rules! constructors {
    ($mode:ident, $key:tt) => {
        /// With a key of 16, 24 or 32 bytes.
        ///
        /// [`Error::KeyLength`], and what [`selection`](crate::selection) answers where the environment forces what is not
        /// there.
        pub fn new(key: &[u8]) -> Result<Self, Error> {
            Self::with_selection(crate::selection()?, key)
        }

        /// As [`Self::new`], by another selection.
        ///
        /// [`Error::KeyLength`].
        pub fn with_selection(selection: &crate::Selection, key: &[u8]) -> Result<Self, Error> {
            Self::with_plans(selection.plans(crate::Mode::$mode, key.len())?, key)
        }

        /// As [`Self::new`], by one implementation whatever the length.
        ///
        /// [`Error::KeyLength`]; [`Error::Unavailable`]: this processor lacks what it needs.
        pub fn with_implementation(implementation: Implementation, key: &[u8]) -> Result<Self, Error> {
            Self::with_plans(&Plans::both(crate::Plan::forced(implementation)?), key)
        }

        /// Takes a new key, in the same place in memory: a fraction of what another context costs. The old key is
        /// wiped; on an error nothing has changed. What serves which length stays as it was chosen for the first key,
        /// so a key of another size is better given to a new context.
        ///
        /// [`Error::KeyLength`].
        pub fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
            self.$key.rekey(key)
        }
    };
}

/// Sealing and opening of a type that has `seal_inout` and `open_inout`: by a reference of which kind, and with which errors
/// for what is refused.
macro_rules! sealing {
    (&$($mutability:ident)?; seal: $seal_errors:literal, open: $open_errors:literal) => {
        /// Encrypts `data` in place and answers the tag over it and `aad`.
        ///
        #[doc = concat!($seal_errors, ": `data` is as it was.")]
        #[inline]
        pub fn seal_in_place(
            &$($mutability)? self,
            nonce: &[u8],
            aad: &[u8],
            data: &mut [u8],
        ) -> Result<Tag, Error> {
            self.seal_inout(nonce, aad, data.into())
        }

        /// As [`Self::seal_in_place`], from `input` to `output`, which must have the same length.
        ///
        /// [`Error::OutputLength`]: `output` is as it was.
        #[inline]
        pub fn seal_to(
            &$($mutability)? self,
            nonce: &[u8],
            aad: &[u8],
            input: &[u8],
            output: &mut [u8],
        ) -> Result<Tag, Error> {
            self.seal_inout(nonce, aad, apart(input, output)?)
        }

        /// Decrypts `data` in place, if `tag` is the tag over it and `aad`.
        ///
        /// [`Error::NotAuthentic`]: it is not; `data` is zeros, and no byte of decrypted text is left in it. With any
        /// other error `data` is as it was:
        #[doc = concat!($open_errors, ".")]
        #[inline]
        pub fn open_in_place(
            &$($mutability)? self,
            nonce: &[u8],
            aad: &[u8],
            data: &mut [u8],
            tag: &[u8],
        ) -> Result<(), Error> {
            self.open_inout(nonce, aad, data.into(), tag)
        }

        /// As [`Self::open_in_place`], from `input` to `output`, which must have the same length.
        ///
        /// [`Error::OutputLength`]: `output` is as it was.
        #[inline]
        pub fn open_to(
            &$($mutability)? self,
            nonce: &[u8],
            aad: &[u8],
            input: &[u8],
            output: &mut [u8],
            tag: &[u8],
        ) -> Result<(), Error> {
            self.open_inout(nonce, aad, apart(input, output)?, tag)
        }
    };
}

/// Encrypting and decrypting the next part of a message's text, of a type that has `encrypt_inout` and
/// `decrypt_unverified_inout`: with which errors besides those of all, and of the first part.
macro_rules! in_parts {
    (encrypt: $encrypt_errors:literal, first: $first_errors:literal, decrypt: $decrypt_errors:literal) => {
        /// Encrypts the next part of the text in place.
        ///
        #[doc = concat!("[`Error::NoMessage`], [`Error::Direction`], ", $encrypt_errors, ": nothing has changed.")]
        #[doc = concat!("Of the first part also ", $first_errors, ": the message can only be decrypted.")]
        #[inline]
        pub fn encrypt(&mut self, data: &mut [u8]) -> Result<(), Error> {
            self.encrypt_inout(data.into())
        }

        /// As [`Self::encrypt`], from `input` to `output`, which must have the same length.
        ///
        /// [`Error::OutputLength`]: nothing has changed.
        #[inline]
        pub fn encrypt_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
            self.encrypt_inout(apart(input, output)?)
        }

        /// Decrypts the next part of the text in place. **It is not verified** before [`Self::verify`] says so.
        ///
        #[doc = concat!("[`Error::NoMessage`], [`Error::Direction`], ", $decrypt_errors, ": nothing has changed.")]
        #[inline]
        pub fn decrypt_unverified(&mut self, data: &mut [u8]) -> Result<(), Error> {
            self.decrypt_unverified_inout(data.into())
        }

        /// As [`Self::decrypt_unverified`], from `input` to `output`, which must have the same length.
        ///
        /// [`Error::OutputLength`]: nothing has changed.
        #[inline]
        pub fn decrypt_unverified_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
            self.decrypt_unverified_inout(apart(input, output)?)
        }
    };
}

pub(crate) use {boxed, constructors, in_parts, sealing};
