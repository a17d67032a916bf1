//! What is wiped on drop, by the marker with which programs ask for it.

use zeroize::ZeroizeOnDrop;

use crate::{
    Cbc, CbcMany, Ccm, CcmStream, Cfb, Cfb8, Cmac, CmacStream, Ctr, Ecb, Gcm, GcmStream, Ocb, OcbStream, Ofb,
    Rijndael, Xts,
};

macro_rules! wiped {
    ($($type:ty)*) => {
        $(impl ZeroizeOnDrop for $type {})*
    };
}

wiped! { Cbc CbcMany Ccm CcmStream Cfb Cfb8 Cmac CmacStream Ctr Ecb Gcm GcmStream Ocb OcbStream Ofb Xts }

impl<const BLOCK: usize> ZeroizeOnDrop for Rijndael<BLOCK> {}

#[cfg(feature = "rustcrypto")]
mod under_traits {
    use super::ZeroizeOnDrop;
    use crate::rustcrypto::{
        Aes, Authenticated, CbcDecryptor, CbcEncryptor, CfbDecryptor, CfbEncryptor, Cmac, Ctr, Ofb,
    };

    macro_rules! wiped {
        ($($type:ident)*) => {
            $(impl<K> ZeroizeOnDrop for $type<K> {})*
        };
    }

    wiped! { Aes CbcDecryptor CbcEncryptor CfbDecryptor CfbEncryptor Cmac Ctr Ofb }

    impl<M, K, N, T> ZeroizeOnDrop for Authenticated<M, K, N, T> {}
}
