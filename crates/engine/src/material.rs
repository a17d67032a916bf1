//! An expanded key in the one place where it stays, in either layout.

use alloc::boxed::Box;
use core::{
    ops::{Deref, DerefMut},
    ptr,
};

use zeroize::Zeroize;

/// What a kernel expands a key to. Making room for it touches no more than it must, and wiping what was made: most keys
/// never fill their place.
pub(crate) trait Expanded: Zeroize {
    /// No key: a place to expand one in, of memory that holds anything.
    ///
    /// # Safety
    /// `place` is valid for writes. Nothing there is dropped.
    unsafe fn make_room(place: *mut Self);

    /// Makes way for another key of the same layout: wipes all that neither its expansion nor [`Expanded::copy_from`] will
    /// overwrite.
    fn make_way(&mut self) {
        self.zeroize();
    }

    /// Becomes the same key, from memory to memory, after [`Expanded::make_way`].
    fn copy_from(&mut self, other: &Self);
}

/// What has its place apart, on the heap, where it is filled and stays: for keys that would make a place much larger than
/// the processor's own kernels need it. So a context of most modes is a fifth as large with AES instructions, and `malloc`
/// has one of that size at hand.
///
/// Nothing that a forked child is not to see may have such keys: a mapping hides what lies in it, and not what it points to.
/// As all that is [`Expanded`] it is wiped by the [`Material`] that it is in.
pub(crate) struct Boxed<S>(Box<S>);

impl<S: Expanded> Expanded for Boxed<S> {
    unsafe fn make_room(place: *mut Self) {
        let mut room = Box::<S>::new_uninit();
        // SAFETY: a new box is valid for writes of an `S`, which `make_room` makes there; `place` is as the caller says.
        unsafe {
            S::make_room(room.as_mut_ptr());
            place.write(Self(room.assume_init()));
        }
    }

    fn make_way(&mut self) {
        self.0.make_way();
    }

    fn copy_from(&mut self, other: &Self) {
        self.0.copy_from(&other.0);
    }
}

impl<S: Zeroize> Zeroize for Boxed<S> {
    fn zeroize(&mut self) {
        (*self.0).zeroize();
    }
}

impl<S> Deref for Boxed<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S> DerefMut for Boxed<S> {
    fn deref_mut(&mut self) -> &mut S {
        &mut self.0
    }
}

/// A key as the kernels want it. It is filled in place, because a move leaves a copy behind that nobody wipes, and
/// wiped on drop.
#[derive(Default)]
#[repr(u8)] // or else its tag gets as wide as its alignment: a comparison of vectors
#[allow(
    clippy::large_enum_variant,
    reason = "where both are large they are one allocation so; where one is not, the other is `Boxed`"
)]
#[allow(dead_code, reason = "`become_variant` makes them")]
pub(crate) enum Material<R: Expanded, S: Expanded> {
    #[default]
    Empty = 0,
    /// For kernels with AES instructions.
    Rounds(R) = ROUNDS,
    /// For kernels without: bitsliced, and in digits.
    Sliced(S) = SLICED,
}

const ROUNDS: u8 = 1;
const SLICED: u8 = 2;

impl<R: Expanded, S: Expanded> Material<R, S> {
    /// The round keys, where these are what there is.
    #[cfg(vectors)]
    #[inline(always)]
    pub(crate) fn as_rounds(&self) -> Option<&R> {
        match self {
            Self::Rounds(rounds) => Some(rounds),
            _ => None,
        }
    }

    /// # Panics
    /// If the key is in another layout, or was never expanded; as the next three.
    #[cfg(vectors)]
    #[inline(always)]
    pub(crate) fn rounds(&self) -> &R {
        match self {
            Self::Rounds(rounds) => rounds,
            _ => other_layout(),
        }
    }

    #[inline(always)]
    pub(crate) fn rounds_mut(&mut self) -> &mut R {
        match self {
            Self::Rounds(rounds) => rounds,
            _ => other_layout(),
        }
    }

    pub(crate) fn sliced(&self) -> &S {
        match self {
            Self::Sliced(keys) => keys,
            _ => other_layout(),
        }
    }

    pub(crate) fn sliced_mut(&mut self) -> &mut S {
        match self {
            Self::Sliced(keys) => keys,
            _ => other_layout(),
        }
    }

    /// Room for round keys, in place and without touching what need not be touched.
    pub(crate) fn room_for_rounds(&mut self) -> &mut R {
        if let Self::Rounds(rounds) = self {
            rounds.make_way();
        } else {
            *self = Self::Empty;
            // SAFETY: `ROUNDS` is the variant of an `R`.
            unsafe { self.become_variant::<R>(ROUNDS) };
        }
        self.rounds_mut()
    }

    /// Room for keys of kernels without AES instructions, in place.
    pub(crate) fn room_for_sliced(&mut self) -> &mut S {
        if let Self::Sliced(keys) = self {
            keys.make_way();
        } else {
            *self = Self::Empty;
            // SAFETY: `SLICED` is the variant of an `S`.
            unsafe { self.become_variant::<S>(SLICED) };
        }
        self.sliced_mut()
    }

    /// Becomes that variant, in place: as a value it would be made on the stack, whole, and copied from there.
    ///
    /// # Safety
    /// That variant holds a `T`. There is nothing yet: it would not be dropped.
    #[cold]
    unsafe fn become_variant<T: Expanded>(&mut self, tag: u8) {
        #[repr(C)]
        struct Variant<T> {
            tag: u8,
            value: T,
        }
        let place = ptr::from_mut(self).cast::<Variant<T>>();
        // SAFETY: an enum of `repr(u8)` is a union of such structures, one for each variant (the Rust reference, "Primitive
        // representation of enums with fields"), so that `place` is valid for writes. Both of its fields are written.
        unsafe {
            T::make_room(&raw mut (*place).value);
            (&raw mut (*place).tag).write(tag);
        }
    }

    /// Becomes the same key; what was there is wiped.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        match other {
            Self::Empty => *self = Self::Empty,
            Self::Rounds(rounds) => self.room_for_rounds().copy_from(rounds),
            Self::Sliced(keys) => self.room_for_sliced().copy_from(keys),
        }
    }
}

#[cold]
fn other_layout() -> ! {
    panic!("the key was not expanded by this kernel")
}

impl<R: Expanded, S: Expanded> Zeroize for Material<R, S> {
    fn zeroize(&mut self) {
        match self {
            Self::Empty => {}
            Self::Rounds(rounds) => rounds.zeroize(),
            Self::Sliced(keys) => keys.zeroize(),
        }
    }
}

impl<R: Expanded, S: Expanded> Drop for Material<R, S> {
    fn drop(&mut self) {
        self.zeroize();
    }
}

/// What every kind of key is besides its [`Material`], which `$expand` fills: made empty, copied, and shown to nobody.
macro_rules! key {
    ($key:ident, $expand:literal) => {
        impl $key {
            #[doc = concat!("No key yet: expand one with [`", $expand, "`].")]
            #[inline(always)] // in a larger place nothing is then copied
            pub fn empty() -> Self {
                Self($crate::material::Material::Empty)
            }

            /// Becomes the same key as `other`, in the same layout; what was there is wiped.
            pub fn copy_from(&mut self, other: &Self) {
                self.0.copy_from(&other.0);
            }
        }

        /// Shows no key.
        impl core::fmt::Debug for $key {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($key), "(..)"))
            }
        }
    };
}

pub(crate) use key;

#[cfg(test)]
mod tests {
    extern crate std;

    use std::{cell::Cell, thread_local};

    use super::*;

    thread_local! {
        /// How many [`Keys`] this thread has made, and how many of them are gone.
        static MADE: Cell<usize> = const { Cell::new(0) };
        static GONE: Cell<usize> = const { Cell::new(0) };
    }

    /// A key that sees to it that it is wiped before its memory goes.
    struct Keys(u8);

    impl Zeroize for Keys {
        fn zeroize(&mut self) {
            self.0.zeroize();
        }
    }

    impl Expanded for Keys {
        unsafe fn make_room(place: *mut Self) {
            // SAFETY: as the caller.
            unsafe { place.write(Self(0)) };
            MADE.set(MADE.get() + 1);
        }

        fn copy_from(&mut self, other: &Self) {
            self.0 = other.0;
        }
    }

    impl Drop for Keys {
        fn drop(&mut self) {
            assert_eq!(self.0, 0, "a key is left");
            GONE.set(GONE.get() + 1);
        }
    }

    type Either = Material<Keys, Boxed<Keys>>;

    fn rounds(key: u8) -> Either {
        let mut material = Either::default();
        material.room_for_rounds().0 = key;
        material
    }

    fn sliced(key: u8) -> Either {
        let mut material = Either::default();
        material.room_for_sliced().0.0 = key;
        material
    }

    /// A key of zeros would encrypt, and tell nobody.
    #[test]
    fn a_copy_of_no_key_is_none() {
        for mut material in [rounds(1), sliced(1)] {
            material.copy_from(&Material::Empty);
            assert!(matches!(material, Material::Empty));
        }
    }

    #[test]
    fn a_copy_is_the_same_key_in_a_place_of_its_own() {
        for mut copy in [Either::default(), rounds(1), sliced(1)] {
            copy.copy_from(&rounds(2));
            assert_eq!(copy.rounds_mut().0, 2);
            copy.copy_from(&sliced(3));
            assert_eq!(copy.sliced().0.0, 3);
        }
    }

    #[test]
    fn a_key_is_wiped_and_its_memory_given_back() {
        let ends: [fn(Either); _] = [
            drop,
            |mut material| material.copy_from(&Material::Empty),
            |mut material| material.copy_from(&rounds(1)),
            |mut material| material.copy_from(&sliced(1)),
        ];
        for end in ends {
            for material in [rounds(2), sliced(2)] {
                end(material);
            }
            assert_eq!(GONE.get(), MADE.get());
        }
    }

    #[test]
    fn the_next_boxed_key_takes_the_place_of_the_one_before() {
        let mut material = sliced(1);
        assert_eq!(material.room_for_sliced().0.0, 0);
        assert_eq!((MADE.get(), GONE.get()), (1, 0));
    }
}
