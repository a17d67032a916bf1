//! `ciphertune_cfb`, by blocks.

use ciphertune::{Cfb, Error as CipherError, Feedback};

use crate::{buffers::BLOCK, chained::chained};

chained! {
    Cfb;
    ciphertune_cfb_new;
    ciphertune_cfb_free;
    ciphertune_cfb_rekey;
    ciphertune_cfb_encrypt(|ctx: &Cfb, iv, data| from(iv, |at| ctx.encrypt_inout(at, data)));
    ciphertune_cfb_decrypt(|ctx: &Cfb, iv, data| from(iv, |at| ctx.decrypt_inout(at, data)));
}

/// Runs a part of a message that begins at a whole block; `iv` takes what the next one needs. Where this one ends within
/// a block it is the last, and the rest of that block's keystream stays here. Were `iv` then as it was, whoever went on
/// with it all the same would encrypt with the same keystream again: it takes what there is of the last block.
fn from(iv: &mut [u8; BLOCK], run: impl FnOnce(&mut Feedback)) -> Result<(), CipherError> {
    let mut at = Feedback::new(*iv);
    run(&mut at);
    *iv = *at.block();
    if at.used() > 0 {
        iv[at.used()..].fill(0);
    }
    Ok(())
}
