//! What threads that hold keys need of the operating system.
//!
//! The library starts threads inside programs that do not know of it: servers that fork, drop privileges and enter
//! sandboxes. Two things make that safe, and the standard library has neither:
//!
//! - [`Secret`], memory that no forked child can see, not even by mistake. What threads share lies there, locks
//!   included, so that a child cannot wait for a thread that it does not have.
//! - [`without_signals`], for starting threads that never run a signal handler of the program's.
//!
//! It is a crate of its own because both take unsafe code, which the library itself forbids. Where the system cannot
//! do this (only Linux can so far) a `Secret` is an error, and the library stays on one thread.

mod secret;
mod signals;

pub use secret::Secret;
pub use signals::without_signals;
