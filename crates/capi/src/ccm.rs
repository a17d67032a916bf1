//! `ciphertune_ccm`.

use ciphertune::Ccm;

use crate::aead::{Context, aead};

type CcmContext = Context<Ccm>;

aead! {
    Ccm, shared(*const CcmContext);
    ciphertune_ccm_new(with_tag_len);
    ciphertune_ccm_free;
    ciphertune_ccm_rekey;
    ciphertune_ccm_seal;
    ciphertune_ccm_open;
}
