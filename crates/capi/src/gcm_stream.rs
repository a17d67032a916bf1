//! `ciphertune_gcm_stream`.

use ciphertune::{Gcm, GcmStream};

use crate::{aead::Context, in_parts::in_parts};

type GcmStreamContext = Context<GcmStream>;

in_parts! {
    Gcm, GcmStream, GcmStreamContext;
    ciphertune_gcm_stream_new(with_short_tag_len);
    ciphertune_gcm_stream_free;
    ciphertune_gcm_stream_rekey;
    ciphertune_gcm_stream_start;
    ciphertune_gcm_stream_aad;
    ciphertune_gcm_stream_encrypt;
    ciphertune_gcm_stream_decrypt_unverified;
    ciphertune_gcm_stream_finish;
    ciphertune_gcm_stream_verify;
}
