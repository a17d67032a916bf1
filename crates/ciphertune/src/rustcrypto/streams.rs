//! Modes that make keystream.

use std::marker::PhantomData;

use cipher::{
    Iv, IvSizeUser, Key, KeyIvInit, KeySizeUser, OverflowError, SeekNum, StreamCipher, StreamCipherError,
    StreamCipherSeek,
    array::ArraySize,
    consts::{U16, U24, U32},
    inout::InOutBuf,
};
use ciphertune_engine::Feedback;

use super::made;

/// [`crate::Ctr`] with keys of `K` bytes.
#[derive(Clone, Debug)]
pub struct Ctr<K>(crate::Ctr, PhantomData<K>);

/// AES-128 in counter mode, the whole block counting.
pub type Aes128Ctr = Ctr<U16>;
/// AES-192 in counter mode, the whole block counting.
pub type Aes192Ctr = Ctr<U24>;
/// AES-256 in counter mode, the whole block counting.
pub type Aes256Ctr = Ctr<U32>;

impl<K: ArraySize> KeySizeUser for Ctr<K> {
    type KeySize = K;
}

impl<K> IvSizeUser for Ctr<K> {
    type IvSize = U16;
}

impl<K: ArraySize> KeyIvInit for Ctr<K> {
    fn new(key: &Key<Self>, iv: &Iv<Self>) -> Self {
        Self(made(crate::Ctr::new(key, iv)), PhantomData)
    }
}

impl<K> StreamCipher for Ctr<K> {
    #[inline]
    fn check_remaining(&self, len: usize) -> Result<(), StreamCipherError> {
        let end = self.0.position().checked_add(len as u128);
        end.map(|_| ()).ok_or(StreamCipherError)
    }

    #[inline]
    fn unchecked_apply_keystream_inout(&mut self, buffer: InOutBuf<'_, '_, u8>) {
        made(self.0.apply_inout(buffer));
    }

    #[inline]
    fn unchecked_write_keystream(&mut self, buffer: &mut [u8]) {
        buffer.fill(0);
        made(self.0.apply(buffer));
    }
}

impl<K> StreamCipherSeek for Ctr<K> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        // In blocks of a byte, all of which are used: those of AES would be multiplied, the last one past what `T` can hold.
        T::from_block_byte(self.0.position(), 1, 1)
    }

    fn try_seek<T: SeekNum>(&mut self, position: T) -> Result<(), StreamCipherError> {
        let (block, byte) = position.into_block_byte::<u128>(16)?;
        let start = block.checked_mul(16).ok_or(StreamCipherError)?;
        self.0.seek(start + u128::from(byte));
        Ok(())
    }
}

/// [`crate::Ofb`] with keys of `K` bytes.
#[derive(Debug)]
pub struct Ofb<K> {
    ofb: crate::Ofb,
    /// On the heap, where it stays until it is wiped.
    at: Box<Feedback>,
    key_len: PhantomData<K>,
}

impl<K> Clone for Ofb<K> {
    fn clone(&self) -> Self {
        let mut clone = Self {
            ofb: self.ofb.clone(),
            at: Box::new(Feedback::new([0; 16])),
            key_len: PhantomData,
        };
        clone.at.copy_from(&self.at);
        clone
    }
}

impl<K: ArraySize> KeySizeUser for Ofb<K> {
    type KeySize = K;
}

impl<K> IvSizeUser for Ofb<K> {
    type IvSize = U16;
}

impl<K: ArraySize> KeyIvInit for Ofb<K> {
    fn new(key: &Key<Self>, iv: &Iv<Self>) -> Self {
        Self {
            ofb: made(crate::Ofb::new(key)),
            at: Box::new(Feedback::new((*iv).into())),
            key_len: PhantomData,
        }
    }
}

impl<K> StreamCipher for Ofb<K> {
    /// Nobody knows when its keystream begins to repeat itself; it is far away.
    fn check_remaining(&self, _: usize) -> Result<(), StreamCipherError> {
        Ok(())
    }

    fn unchecked_apply_keystream_inout(&mut self, buffer: InOutBuf<'_, '_, u8>) {
        self.ofb.apply_inout(&mut self.at, buffer);
    }

    fn unchecked_write_keystream(&mut self, buffer: &mut [u8]) {
        buffer.fill(0);
        self.ofb.apply(&mut self.at, buffer);
    }
}
