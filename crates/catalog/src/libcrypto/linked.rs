//! The functions of the OpenSSL that is linked into this program, by name.
use std::ffi::c_void;

macro_rules! linked {
    ($($name:ident)*) => {
        unsafe extern "C" {
            $(fn $name();)*
        }

        /// Where the function of that name is. Nothing is called here, by whatever signature.
        pub(super) fn address(name: &str) -> Option<*const c_void> {
            match name {
                $(stringify!($name) => Some($name as *const c_void),)*
                _ => None,
            }
        }
    };
}

linked! {
    OpenSSL_version OpenSSL_version_num OPENSSL_info
    EVP_CIPHER_fetch EVP_CIPHER_CTX_new EVP_CIPHER_CTX_free EVP_CIPHER_CTX_set_padding EVP_CIPHER_CTX_ctrl
    EVP_CIPHER_CTX_get_params EVP_CIPHER_CTX_set_params
    EVP_EncryptInit_ex EVP_EncryptUpdate EVP_EncryptFinal_ex EVP_DecryptInit_ex EVP_DecryptUpdate EVP_DecryptFinal_ex
    EVP_MD_fetch EVP_MD_get_size EVP_MD_CTX_new EVP_MD_CTX_free EVP_DigestInit_ex EVP_DigestUpdate EVP_DigestFinal_ex
    EVP_MAC_fetch EVP_MAC_CTX_new EVP_MAC_CTX_free EVP_MAC_CTX_set_params EVP_MAC_init EVP_MAC_update EVP_MAC_final
    d2i_AutoPrivateKey d2i_AutoPrivateKey_ex EVP_PKEY_get_raw_private_key
    EVP_PKEY_new_raw_private_key_ex EVP_PKEY_new_raw_public_key EVP_PKEY_new_raw_public_key_ex
    EVP_PKEY_get_id EVP_PKEY_free EVP_PKEY_CTX_new EVP_PKEY_CTX_new_from_name EVP_PKEY_CTX_new_from_pkey
    EVP_PKEY_CTX_free EVP_PKEY_CTX_set_signature_md
    EVP_PKEY_sign_init EVP_PKEY_sign EVP_PKEY_verify_init EVP_PKEY_verify
    EVP_DigestSignInit EVP_DigestSignInit_ex EVP_DigestSign
    EVP_DigestVerifyInit EVP_DigestVerifyInit_ex EVP_DigestVerify
    EVP_PKEY_derive_init EVP_PKEY_derive_set_peer EVP_PKEY_derive EVP_PKEY_keygen_init EVP_PKEY_generate
    EVP_PKEY_encapsulate_init EVP_PKEY_encapsulate EVP_PKEY_decapsulate_init EVP_PKEY_decapsulate
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, sync::Mutex};

    use super::*;
    use crate::{
        libcrypto::{codes, ffi::Api},
        library::Library,
    };

    static LACKING: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

    fn noted(name: &str) -> Option<*const c_void> {
        let address = address(name);
        if address.is_none() {
            LACKING.lock().unwrap().insert(name.to_owned());
        }
        address
    }

    /// A name that is not listed is one that the library seems to lack, and what goes by it would be left out in silence.
    #[test]
    fn every_function_that_is_asked_for_is_listed() {
        let Ok(api) = Api::find(Library::Linked(noted), None) else {
            panic!("not found: {:?}", LACKING.lock().unwrap());
        };
        codes(api);
        // The first is for digests that a library describes, which nobody asks this one for, and the other for libraries
        // without what stands before it.
        let known = ["EVP_DigestFinalXOF", "EVP_PKEY_CTX_ctrl"];
        assert_eq!(*LACKING.lock().unwrap(), BTreeSet::from(known.map(str::to_owned)));
    }
}
