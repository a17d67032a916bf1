//! `ciphertune_cbc`.

use ciphertune::Cbc;

use crate::chained::chained;

chained! {
    Cbc;
    ciphertune_cbc_new;
    ciphertune_cbc_free;
    ciphertune_cbc_rekey;
    ciphertune_cbc_encrypt(Cbc::encrypt_inout);
    ciphertune_cbc_decrypt(Cbc::decrypt_inout);
}
