//! `ciphertune_ocb_stream`.

use ciphertune::{Ocb, OcbStream};

use crate::{aead::Context, in_parts::in_parts};

type OcbStreamContext = Context<OcbStream>;

in_parts! {
    Ocb, OcbStream, OcbStreamContext;
    ciphertune_ocb_stream_new(with_tag_len);
    ciphertune_ocb_stream_free;
    ciphertune_ocb_stream_rekey;
    ciphertune_ocb_stream_start;
    ciphertune_ocb_stream_aad;
    ciphertune_ocb_stream_encrypt;
    ciphertune_ocb_stream_decrypt_unverified;
    ciphertune_ocb_stream_finish;
    ciphertune_ocb_stream_verify;
}
