//! CMAC.

use std::marker::PhantomData;

use digest::{
    FixedOutput, FixedOutputReset, MacMarker, Output, OutputSizeUser, Reset, Update,
    array::ArraySize,
    common::{Key, KeyInit, KeySizeUser},
    consts::{U16, U24, U32},
};

use super::made;
use crate::CmacStream;

/// [`crate::CmacStream`] with keys of `K` bytes.
#[derive(Clone, Debug)]
pub struct Cmac<K>(CmacStream, PhantomData<K>);

/// AES-128-CMAC.
pub type Aes128Cmac = Cmac<U16>;
/// AES-192-CMAC.
pub type Aes192Cmac = Cmac<U24>;
/// AES-256-CMAC.
pub type Aes256Cmac = Cmac<U32>;

impl<K: ArraySize> KeySizeUser for Cmac<K> {
    type KeySize = K;
}

impl<K: ArraySize> KeyInit for Cmac<K> {
    fn new(key: &Key<Self>) -> Self {
        Self(CmacStream::new(made(crate::Cmac::new(key))), PhantomData)
    }
}

impl<K> MacMarker for Cmac<K> {}

impl<K> Update for Cmac<K> {
    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl<K> OutputSizeUser for Cmac<K> {
    type OutputSize = U16;
}

impl<K> FixedOutput for Cmac<K> {
    #[inline]
    fn finalize_into(mut self, out: &mut Output<Self>) {
        self.finalize_into_reset(out);
    }
}

impl<K> FixedOutputReset for Cmac<K> {
    #[inline]
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        *out = self.0.finish().into();
    }
}

impl<K> Reset for Cmac<K> {
    fn reset(&mut self) {
        self.0.restart();
    }
}
