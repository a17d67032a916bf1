//! `ciphertune_cfb8`, by bytes.

use ciphertune::Cfb8;

use crate::chained::chained;

chained! {
    Cfb8;
    ciphertune_cfb8_new;
    ciphertune_cfb8_free;
    ciphertune_cfb8_rekey;
    ciphertune_cfb8_encrypt(|ctx: &Cfb8, iv, data| {
        ctx.encrypt_inout(iv, data);
        Ok(())
    });
    ciphertune_cfb8_decrypt(|ctx: &Cfb8, iv, data| {
        ctx.decrypt_inout(iv, data);
        Ok(())
    });
}
