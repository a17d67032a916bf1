//! `ciphertune_gcm`.

use ciphertune::Gcm;

use crate::aead::{Context, aead};

type GcmContext = Context<Gcm>;

aead! {
    Gcm, exclusive(*mut GcmContext);
    ciphertune_gcm_new(with_short_tag_len);
    ciphertune_gcm_free;
    ciphertune_gcm_rekey;
    ciphertune_gcm_seal;
    ciphertune_gcm_open;
}
