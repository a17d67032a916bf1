//! The C library: what `include/ciphertune.h` declares, which is also where every function is documented.
//!
//! Each module has the functions of one type of that header and adds nothing to the safe type behind it: pointers
//! become slices (`boundary`, `buffers`), errors become codes with a message (`error`), a panic becomes
//! `CIPHERTUNE_E_INTERNAL`. A context is the safe type in a box.
//!
//! `link` makes libciphertune.so and libciphertune.a of this crate's static library, in which nothing but the
//! functions of the header can be seen.
//!
//! **Safety.** The functions trust their caller with what C cannot say: that a pointer and its length belong
//! together, and that a context came from its `_new` function, has not been freed, and is used by one thread where
//! it is not `const`. Whatever can be checked is checked: NULL, lengths, overlapping buffers.

mod aead;
mod boundary;
mod buffers;
mod cbc;
mod cbc_many;
mod ccm;
mod cfb;
mod cfb8;
mod chained;
mod cmac;
mod cmac_stream;
mod ctr;
mod ecb;
mod error;
mod exported;
mod gcm;
mod gcm_stream;
#[cfg(test)]
mod header;
mod implementation;
mod in_parts;
mod many;
mod ocb;
mod ocb_stream;
mod wisdom;
mod xts;

pub use error::Code;

#[global_allocator]
static ALLOCATOR: ciphertune_system::Malloc = ciphertune_system::Malloc;
