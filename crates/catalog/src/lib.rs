//! Every implementation of a cipher on this machine behind one trait, and the gate it must pass.
//!
//! A [`Source`] is loaded in a process of its own and yields [`Implementation`]s: those that are built in
//! (Ciphertune's own, RustCrypto's crates, aws-lc-rs's, Tor's code of 2007) or those of one library on this machine, a
//! libcrypto or a [`PeerLibrary`], or the kernel's. Each says which [`Task`]s it has, operations of an algorithm under a contract, and
//! makes a [`Context`] for any of them. Whatever runs one for its speed ([`Timed`]) first asks the [`gate`] whether it is
//! right.
//!
//! # Adding an implementation
//!
//! 1. Write a file beside `rustcrypto.rs`: contexts whose closures call the new code directly, and a function that
//!    returns the [`Implementation`] with its [`Description`] and tasks. Say `constant_time` only of code that is so
//!    for every key and every byte. Only Ciphertune's own code is `selectable`.
//! 2. Name that function in `builtin::all`.
//! 3. Run `cargo test -p ciphertune-catalog`: it takes everything in `builtin::all` through the gate.
//!
//! A C library that is not linked in is a [`PeerLibrary`] instead, with its foreign functions in `peers`, in the file
//! of its name and the folder beside that.
#![deny(unsafe_code)]

mod aws_lc;
#[cfg(any(feature = "broken", test))]
mod broken;
mod builtin;
mod context;
mod der;
#[allow(unsafe_code)]
pub mod environment;
pub mod gate;
#[cfg(feature = "graviola")]
mod graviola;
mod implementation;
mod kernel;
mod libcrypto;
#[allow(unsafe_code)]
mod library;
mod many;
#[allow(unsafe_code)]
pub mod mask;
mod ours;
mod pair;
mod peers;
#[cfg(feature = "ring")]
mod ring;
mod rustcrypto;
mod source;
mod timed;
mod tor2007;
mod witness;

pub use builtin::left_out;
pub use ciphertune_testkit::{
    Algorithm, Context, Contract, Described, Envelope, Fault, Kind, Operation, Task, UnknownAlgorithm,
};
pub use implementation::{Description, Implementation, Names};
pub use libcrypto::LoadError;
pub use mask::{Mask, MaskError};
pub use ours::is_ours;
pub use peers::{About, Interface, PeerError, PeerLibrary};
pub use source::{Loaded, Source};
pub use timed::{Once, Ring, Timed};
pub use witness::{Scene, Witness};
