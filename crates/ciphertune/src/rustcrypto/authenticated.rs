//! Modes that encrypt and make a tag.

use std::{
    marker::PhantomData,
    sync::{Mutex, MutexGuard, PoisonError},
};

use aead::{
    AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser, Nonce, Tag, TagPosition,
    array::ArraySize,
    consts::{U12, U16, U24, U32},
    inout::InOutBuf,
};

use super::made;

/// A mode with keys of `K`, nonces of `N` and tags of `T` bytes, by the names [`Gcm`], [`Ccm`] and [`Ocb`].
///
/// # Panics
/// Its constructors: where the mode has no tags of `T` bytes. A nonce of `N` bytes that the mode has not is an error with
/// each message.
#[derive(Clone, Debug)]
pub struct Authenticated<M, K, N, T>(M, PhantomData<(K, N, T)>);

/// [`crate::Gcm`] with keys of `K`, nonces of `N` and tags of `T` bytes.
///
/// Threads that share one wait for each other, since it makes what it needs of the key when it is first needed: give each its
/// clone, also before a fork, which another thread's call would leave it locked by.
pub type Gcm<K, N = U12, T = U16> = Authenticated<Shared, K, N, T>;

/// [`crate::Ccm`] with keys of `K`, nonces of `N` and tags of `T` bytes.
pub type Ccm<K, N = U12, T = U16> = Authenticated<crate::Ccm, K, N, T>;

/// [`crate::Ocb`] with keys of `K`, nonces of `N` and tags of `T` bytes.
pub type Ocb<K, N = U12, T = U16> = Authenticated<crate::Ocb, K, N, T>;

/// AES-128-GCM with nonces of 12 and tags of 16 bytes.
pub type Aes128Gcm = Gcm<U16>;
/// AES-192-GCM with nonces of 12 and tags of 16 bytes.
pub type Aes192Gcm = Gcm<U24>;
/// AES-256-GCM with nonces of 12 and tags of 16 bytes.
pub type Aes256Gcm = Gcm<U32>;

impl<M, K: ArraySize, N, T> KeySizeUser for Authenticated<M, K, N, T> {
    type KeySize = K;
}

impl<M, K, N: ArraySize, T: ArraySize> AeadCore for Authenticated<M, K, N, T> {
    type NonceSize = N;
    type TagSize = T;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<M: Mode, K: ArraySize, N, T: ArraySize> KeyInit for Authenticated<M, K, N, T> {
    fn new(key: &Key<Self>) -> Self {
        Self(made(M::new(key, T::USIZE)), PhantomData)
    }
}

impl<M: Mode, K, N: ArraySize, T: ArraySize> AeadInOut for Authenticated<M, K, N, T> {
    #[inline]
    fn encrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<Tag<Self>, Error> {
        let tag = self.0.seal(nonce, aad, buffer).map_err(|_| Error)?;
        Tag::<Self>::try_from(&*tag).map_err(|_| Error)
    }

    #[inline]
    fn decrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &Tag<Self>,
    ) -> Result<(), Error> {
        self.0.open(nonce, aad, buffer, tag).map_err(|_| Error)
    }
}

/// What the three have in common.
pub trait Mode: Sized {
    /// With tags of `tag_len` bytes.
    fn new(key: &[u8], tag_len: usize) -> Result<Self, crate::Error>;
    fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<crate::Tag, crate::Error>;
    fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<(), crate::Error>;
}

macro_rules! mode {
    ($mode:ty: $inner:ty, |$inner_key:ident| $wrap:expr, |$self:ident| $lend:expr) => {
        impl Mode for $mode {
            fn new(key: &[u8], tag_len: usize) -> Result<Self, crate::Error> {
                let $inner_key = <$inner>::new(key)?.with_tag_len(tag_len)?;
                Ok($wrap)
            }

            #[inline]
            fn seal(
                &$self,
                nonce: &[u8],
                aad: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
            ) -> Result<crate::Tag, crate::Error> {
                <$inner>::seal_inout($lend, nonce, aad, buffer)
            }

            #[inline]
            fn open(
                &$self,
                nonce: &[u8],
                aad: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
                tag: &[u8],
            ) -> Result<(), crate::Error> {
                <$inner>::open_inout($lend, nonce, aad, buffer, tag)
            }
        }
    };
}

mode!(crate::Ccm: crate::Ccm, |ccm| ccm, |self| self);
mode!(crate::Ocb: crate::Ocb, |ocb| ocb, |self| self);
mode!(Shared: crate::Gcm, |gcm| Self(Mutex::new(gcm)), |self| &mut self.lock());

/// A [`crate::Gcm`] that several threads can hold.
#[derive(Debug)]
pub struct Shared(Mutex<crate::Gcm>);

impl Shared {
    #[inline]
    fn lock(&self) -> MutexGuard<'_, crate::Gcm> {
        // Whatever panicked meanwhile, a message leaves nothing behind that the next one reads.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Shared {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.lock().clone()))
    }
}
