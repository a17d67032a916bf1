//! A text that several threads work on.

use inout::InOutBuf;

/// A text in place, or one to go from buffer to buffer, that can be sent to another thread, as an [`InOutBuf`] cannot: its
/// pointers could be any.
pub struct Text<'i, 'o>(pub InOutBuf<'i, 'o, u8>);

// SAFETY: an `InOutBuf` of bytes is a `&[u8]` and a `&mut [u8]` that share no byte, or one `&mut [u8]`. All of them can be
// sent.
unsafe impl Send for Text<'_, '_> {}
