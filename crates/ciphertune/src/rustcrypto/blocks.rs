//! The block cipher, and modes that take whole blocks.
//!
//! A buffer that is apart is copied first, 1 KiB at a time and within the first cache: these traits' buffers cannot be had as
//! bytes otherwise without `unsafe`.

use std::marker::PhantomData;

use cipher::{
    Array, Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockModeDecBackend, BlockModeDecClosure, BlockModeDecrypt,
    BlockModeEncBackend, BlockModeEncClosure, BlockModeEncrypt, BlockSizeUser, InOut, InOutBuf, Iv,
    IvSizeUser, IvState, Key, KeyInit, KeyIvInit, KeySizeUser, ParBlocks, ParBlocksSizeUser, SetIvState,
    array::ArraySize,
    consts::{U16, U24, U32, U64},
    inout::NotEqualError,
};
use ciphertune_engine::{BLOCK, Feedback};

use super::made;
use crate::{Cbc, Cfb, Ecb};

/// AES with keys of `K` bytes: a block cipher for any mode that is generic over one. It encrypts block by block, as
/// [`crate::Ecb`] does.
#[derive(Clone, Debug)]
pub struct Aes<K>(Ecb, PhantomData<K>);

/// AES with keys of 16 bytes.
pub type Aes128 = Aes<U16>;
/// AES with keys of 24 bytes.
pub type Aes192 = Aes<U24>;
/// AES with keys of 32 bytes.
pub type Aes256 = Aes<U32>;

impl<K: ArraySize> KeySizeUser for Aes<K> {
    type KeySize = K;
}

impl<K: ArraySize> KeyInit for Aes<K> {
    fn new(key: &Key<Self>) -> Self {
        Self(made(Ecb::new(key)), PhantomData)
    }
}

/// [`Cbc`] encryption of one message with keys of `K` bytes.
#[derive(Clone, Debug)]
pub struct CbcEncryptor<K>(Cbc, [u8; BLOCK], PhantomData<K>);

/// [`Cbc`] decryption of one message with keys of `K` bytes.
#[derive(Clone, Debug)]
pub struct CbcDecryptor<K>(Cbc, [u8; BLOCK], PhantomData<K>);

/// [`Cfb`] encryption of one message with keys of `K` bytes, by blocks, and of what is left of any length.
#[derive(Clone, Debug)]
pub struct CfbEncryptor<K>(Cfb, [u8; BLOCK], PhantomData<K>);

/// [`Cfb`] decryption of one message with keys of `K` bytes, by blocks, and of what is left of any length.
#[derive(Clone, Debug)]
pub struct CfbDecryptor<K>(Cfb, [u8; BLOCK], PhantomData<K>);

impl<K> Aes<K> {
    fn encrypt(&self, data: &mut [u8]) {
        made(self.0.encrypt(data));
    }

    fn decrypt(&self, data: &mut [u8]) {
        made(self.0.decrypt(data));
    }
}

impl<K> CbcEncryptor<K> {
    fn run(&mut self, data: &mut [u8]) {
        made(self.0.encrypt(&mut self.1, data));
    }
}

impl<K> CbcDecryptor<K> {
    fn run(&mut self, data: &mut [u8]) {
        made(self.0.decrypt(&mut self.1, data));
    }
}

impl<K> CfbEncryptor<K> {
    fn run(&mut self, data: &mut [u8]) {
        let mut at = Feedback::new(self.1);
        self.0.encrypt(&mut at, data);
        self.1 = *at.block();
    }
}

impl<K> CfbDecryptor<K> {
    fn run(&mut self, data: &mut [u8]) {
        let mut at = Feedback::new(self.1);
        self.0.decrypt(&mut at, data);
        self.1 = *at.block();
    }
}

/// What `cfb_mode`'s types have besides the traits, by the same names.
macro_rules! rest {
    ($type:ident, $does:literal: $in_place:ident, $inout:ident, $apart:ident) => {
        impl<K> $type<K> {
            #[doc = concat!($does, " in place what is left of a message, of any length.")]
            pub fn $in_place(self, data: &mut [u8]) {
                self.$inout(data.into());
            }

            #[doc = concat!($does, " what is left of a message, of any length.")]
            pub fn $inout(self, buffer: InOutBuf<'_, '_, u8>) {
                self.0.$inout(&mut Feedback::new(self.1), buffer);
            }

            #[doc = concat!($does, " into `output` what is left of a message, of any length.")]
            ///
            /// # Errors
            /// If `input` and `output` have different lengths; nothing has changed.
            pub fn $apart(self, input: &[u8], output: &mut [u8]) -> Result<(), NotEqualError> {
                self.$inout(InOutBuf::new(input, output)?);
                Ok(())
            }
        }
    };
}

rest!(CfbEncryptor, "Encrypts": encrypt, encrypt_inout, encrypt_b2b);
rest!(CfbDecryptor, "Decrypts": decrypt, decrypt_inout, decrypt_b2b);

/// A backend that takes all blocks of a call by one function.
macro_rules! backend {
    ($type:ident, $backend:ident, $block:ident, $par_blocks:ident, $tail_blocks:ident, $run:ident, $($mut:tt)*) => {
        impl<K> $backend for $type<K> {
            #[inline]
            fn $block(&$($mut)* self, block: InOut<'_, '_, Block<Self>>) {
                self.$run(block.into_out_with_copied_in());
            }

            #[inline]
            fn $par_blocks(&$($mut)* self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
                self.$run(Array::slice_as_flattened_mut(blocks.into_out_with_copied_in()));
            }

            #[inline]
            fn $tail_blocks(&$($mut)* self, blocks: InOutBuf<'_, '_, Block<Self>>) {
                self.$run(Array::slice_as_flattened_mut(blocks.into_out_with_copied_in()));
            }
        }
    };
}

macro_rules! sizes {
    ($($type:ident)*) => {
        $(
            impl<K> BlockSizeUser for $type<K> {
                type BlockSize = U16;
            }

            impl<K> ParBlocksSizeUser for $type<K> {
                type ParBlocksSize = U64;
            }
        )*
    };
}

macro_rules! mode {
    ($type:ident of $mode:ident, $trait:ident: $with:ident($closure:ident)) => {
        impl<K: ArraySize> KeySizeUser for $type<K> {
            type KeySize = K;
        }

        impl<K> IvSizeUser for $type<K> {
            type IvSize = U16;
        }

        impl<K: ArraySize> KeyIvInit for $type<K> {
            fn new(key: &Key<Self>, iv: &Iv<Self>) -> Self {
                Self(made($mode::new(key)), (*iv).into(), PhantomData)
            }
        }

        impl<K> IvState for $type<K> {
            fn iv_state(&self) -> Iv<Self> {
                self.1.into()
            }
        }

        impl<K> SetIvState for $type<K> {
            fn set_iv(&mut self, iv: &Iv<Self>) {
                self.1 = (*iv).into();
            }
        }

        impl<K> $trait for $type<K> {
            #[inline]
            fn $with(&mut self, f: impl $closure<BlockSize = U16>) {
                f.call(self);
            }
        }
    };
}

sizes! { Aes CbcEncryptor CbcDecryptor CfbEncryptor CfbDecryptor }

backend!(
    Aes,
    BlockCipherEncBackend,
    encrypt_block,
    encrypt_par_blocks,
    encrypt_tail_blocks,
    encrypt,
);
backend!(
    Aes,
    BlockCipherDecBackend,
    decrypt_block,
    decrypt_par_blocks,
    decrypt_tail_blocks,
    decrypt,
);
backend!(
    CbcEncryptor,
    BlockModeEncBackend,
    encrypt_block,
    encrypt_par_blocks,
    encrypt_tail_blocks,
    run,
    mut
);
backend!(
    CbcDecryptor,
    BlockModeDecBackend,
    decrypt_block,
    decrypt_par_blocks,
    decrypt_tail_blocks,
    run,
    mut
);
backend!(
    CfbEncryptor,
    BlockModeEncBackend,
    encrypt_block,
    encrypt_par_blocks,
    encrypt_tail_blocks,
    run,
    mut
);
backend!(
    CfbDecryptor,
    BlockModeDecBackend,
    decrypt_block,
    decrypt_par_blocks,
    decrypt_tail_blocks,
    run,
    mut
);

mode!(CbcEncryptor of Cbc, BlockModeEncrypt: encrypt_with_backend(BlockModeEncClosure));
mode!(CbcDecryptor of Cbc, BlockModeDecrypt: decrypt_with_backend(BlockModeDecClosure));
mode!(CfbEncryptor of Cfb, BlockModeEncrypt: encrypt_with_backend(BlockModeEncClosure));
mode!(CfbDecryptor of Cfb, BlockModeDecrypt: decrypt_with_backend(BlockModeDecClosure));

impl<K> BlockCipherEncrypt for Aes<K> {
    #[inline]
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
        f.call(self);
    }
}

impl<K> BlockCipherDecrypt for Aes<K> {
    #[inline]
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U16>) {
        f.call(self);
    }
}
