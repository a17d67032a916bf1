//! Counter mode on several processors. Its keystream does not depend on the text, so that it can be made anywhere and
//! ahead of time; what comes out is the same byte for byte.
//!
//! - `bulk`: one long call, split among threads that end with it.
//! - `stream`: many short calls in a row, for which workers make keystream ahead.
//!
//! `docs/threads.md` has what was measured of both, and the reasons for every constant.

mod bulk;
mod ring;
mod stream;
mod sync;
mod threads;
mod window;
mod workers;

pub(crate) use bulk::{Text, ctr as bulk};
pub(crate) use stream::{Stream, position};
pub use threads::Threads;
