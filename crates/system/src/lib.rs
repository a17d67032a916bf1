//! What threads that hold keys need of the operating system.
//!
//! The library starts threads inside programs that do not know of it: servers that fork, drop privileges and enter
//! sandboxes. Six things make that safe, and the standard library has none of them:
//!
//! - [`Secret`], memory that no forked child can see, not even by mistake.
//! - [`Here`], a value that no forked child gets at. What threads share is one, locks included, so that a child cannot
//!   wait for a thread that it does not have.
//! - [`PerProcess`], a `Here` that each process has one of, and a forked child its own.
//! - [`lend`], for giving work that borrows to threads which were there before and stay.
//! - [`Text`], for sending them what such work encrypts.
//! - [`without_signals`], for starting threads that never run a signal handler of the program's.
//!
//! Four more are for the first use of the library, wherever a program makes it, and for what else asks the system:
//!
//! - [`Once`], for what is made once, which a child never waits for either.
//! - [`environment_is_own`], for whether the environment may be believed.
//! - [`open_regular`], for reading what somebody else may have put there.
//! - [`without_cancellation`], for asking the system for something in a thread that may be cancelled.
//!
//! Three are for one kind of program each: [`Shared`], memory that worker processes have in turn, and [`leave`], the end of
//! one that has other threads, where it measures; and [`Malloc`], an allocator for libraries in C's world that make a context
//! for each message.
//!
//! It is a crate of its own because they take unsafe code, which the library itself forbids. Where the system cannot
//! do this (only Linux can so far) these are errors, and the library stays on one thread.

mod cancellation;
mod environment;
mod file;
mod here;
#[cfg(target_os = "linux")]
mod leave;
mod loan;
mod malloc;
mod once;
mod per_process;
mod secret;
#[cfg(target_os = "linux")]
mod shared;
mod signals;
mod sync;
mod text;

pub use cancellation::without_cancellation;
pub use environment::environment_is_own;
pub use file::open_regular;
pub use here::Here;
#[cfg(target_os = "linux")]
pub use leave::leave;
pub use loan::{Loan, lend};
pub use malloc::Malloc;
pub use once::Once;
pub use per_process::PerProcess;
pub use secret::Secret;
#[cfg(target_os = "linux")]
pub use shared::{Part, Shared, Taken};
pub use signals::without_signals;
pub use text::Text;
