//! `ciphertune_ocb`.

use ciphertune::Ocb;

use crate::aead::{Context, aead};

type OcbContext = Context<Ocb>;

aead! {
    Ocb, shared(*const OcbContext);
    ciphertune_ocb_new(with_tag_len);
    ciphertune_ocb_free;
    ciphertune_ocb_rekey;
    ciphertune_ocb_seal;
    ciphertune_ocb_open;
}
