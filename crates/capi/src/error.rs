//! What went wrong: a code that programs branch on, and a message for people.

use std::{
    cell::Cell,
    ffi::{CStr, c_char, c_int},
    fmt::{self, Write},
};

use ciphertune::{Error as CipherError, TooLate, wisdom::WisdomError};

/// What a function answers, `enum ciphertune_code` in the header. A number never changes its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[allow(missing_docs, reason = "`text` says it")]
pub enum Code {
    Ok = 0,
    NotAuthentic = 1,
    Null = 2,
    Overlap = 3,
    Key = 4,
    Length = 5,
    Exhausted = 6,
    Invalid = 7,
    Order = 8,
    Implementation = 9,
    WisdomAbsent = 10,
    WisdomRefused = 11,
    TooLate = 12,
    Memory = 13,
    Internal = 14,
    NonceUsed = 15,
}

impl Code {
    /// Every code, in order.
    pub const ALL: [Self; 16] = [
        Self::Ok,
        Self::NotAuthentic,
        Self::Null,
        Self::Overlap,
        Self::Key,
        Self::Length,
        Self::Exhausted,
        Self::Invalid,
        Self::Order,
        Self::Implementation,
        Self::WisdomAbsent,
        Self::WisdomRefused,
        Self::TooLate,
        Self::Memory,
        Self::Internal,
        Self::NonceUsed,
    ];

    fn text(self) -> &'static CStr {
        match self {
            Self::Ok => c"all went well",
            Self::NotAuthentic => c"the tag is wrong: the message is not authentic",
            Self::Null => c"a pointer is NULL that must not be",
            Self::Overlap => c"buffers overlap that must be the same or apart",
            Self::Key => c"the key has a wrong length, or its two halves are the same",
            Self::Length => c"a length is not one that the mode takes",
            Self::Exhausted => c"the stream ends before, or the key has sealed all that it may",
            Self::Invalid => c"an argument is not one that the function takes",
            Self::Order => c"the call does not belong where it was made",
            Self::Implementation => {
                c"CIPHERTUNE_IMPLEMENTATION or CIPHERTUNE_CPU names what is unknown or cannot run here"
            }
            Self::WisdomAbsent => c"there is no wisdom",
            Self::WisdomRefused => c"the wisdom is refused, or cannot be read",
            Self::TooLate => c"it is settled already",
            Self::Memory => c"there is not enough memory",
            Self::NonceUsed => c"the last message was sealed with this nonce",
            Self::Internal => c"a defect of Ciphertune; the context must only be freed",
        }
    }
}

/// What can go wrong in a function.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("'{0}' is NULL")]
    Null(&'static str),
    #[error("{0} and {1} overlap; they must be the same buffer, where that is allowed, or apart")]
    Overlap(Named, Named),
    #[error("message {index}: {error}")]
    OfMessage { index: usize, error: Box<Error> },
    #[error("'{0}' is said to have more bytes than a buffer can have, {most}", most = isize::MAX)]
    TooLong(&'static str),
    #[error("the position is {0}, which passes 64 bits")]
    Position(u128),
    #[error(transparent)]
    TooLate(#[from] TooLate),
    #[error("the path is empty")]
    EmptyPath,
    #[error("the path has {needed} bytes with its NUL, and there is room for {size}")]
    Room { needed: usize, size: usize },
    #[error("no memory for {0} messages")]
    Memory(usize),
    #[error(transparent)]
    Cipher(#[from] CipherError),
    #[error(transparent)]
    Wisdom(#[from] WisdomError),
}

/// A parameter, or a member of one of many messages, by the name that the header gives it.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) name: &'static str,
    /// Counted from 0, as the caller's array is.
    pub(crate) message: Option<usize>,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.name)?;
        self.message
            .map_or(Ok(()), |message| write!(f, " of message {message}"))
    }
}

impl Error {
    /// The same, said of one of many messages.
    #[cold]
    pub(crate) fn of_message(self, index: usize) -> Self {
        Self::OfMessage {
            index,
            error: Box::new(self),
        }
    }

    fn code(&self) -> Code {
        match self {
            Self::Null(_) => Code::Null,
            Self::Overlap(..) => Code::Overlap,
            Self::OfMessage { error, .. } => error.code(),
            // A key that long is a key of a wrong length, like any other.
            Self::TooLong("key") => Code::Key,
            Self::EmptyPath => Code::Invalid,
            Self::TooLong(_) | Self::Room { .. } => Code::Length,
            Self::Position(_) => Code::Exhausted,
            Self::TooLate(_) => Code::TooLate,
            Self::Memory(_) => Code::Memory,
            Self::Wisdom(WisdomError::Absent { .. } | WisdomError::NoPlace) => Code::WisdomAbsent,
            Self::Wisdom(_) => Code::WisdomRefused,
            Self::Cipher(error) => match error {
                CipherError::KeyLength(_) | CipherError::XtsKeyLength(_) | CipherError::XtsKeyHalves => {
                    Code::Key
                }
                CipherError::IvLength(_)
                | CipherError::OutputLength { .. }
                | CipherError::WholeBlocks(_)
                | CipherError::XtsUnitLength(_)
                | CipherError::CmacTagLength(_)
                | CipherError::TagCount { .. }
                | CipherError::EmptyNonce
                | CipherError::NonceLength { .. }
                | CipherError::CcmMessageLength { .. }
                | CipherError::TagLength(_)
                | CipherError::OtherTagLength { .. }
                | CipherError::MessageLength(_)
                | CipherError::AadLength(_) => Code::Length,
                CipherError::WrongTag | CipherError::NotAuthentic => Code::NotAuthentic,
                CipherError::Exhausted | CipherError::KeyExhausted(_) => Code::Exhausted,
                CipherError::NonceUsed => Code::NonceUsed,
                CipherError::NoMessage
                | CipherError::AadAfterText
                | CipherError::TextEnded
                | CipherError::Direction => Code::Order,
                CipherError::Unavailable(_)
                | CipherError::GcmUnavailable(_)
                | CipherError::UnknownImplementation(_)
                | CipherError::UnknownFeature(_) => Code::Implementation,
                _ => Code::Invalid,
            },
        }
    }

    /// Its code; its message is kept for [`ciphertune_message`].
    #[cold]
    pub(crate) fn tell(&self) -> c_int {
        keep(self);
        self.code() as c_int
    }
}

/// A panic's code.
#[cold]
pub(crate) fn tell_panic() -> c_int {
    keep(&"a defect of Ciphertune: standard error says more; the context must only be freed");
    Code::Internal as c_int
}

/// Bytes of a message, the NUL at its end among them.
const ROOM: usize = 1024;

thread_local! {
    /// What the last call that failed on this thread said. Without a destructor, so that a library that is
    /// unloaded leaves none behind.
    static MESSAGE: Cell<[u8; ROOM]> = const { Cell::new([0; ROOM]) };
}

/// Keeps it as this thread's message.
pub(crate) fn keep(message: &dyn fmt::Display) {
    let mut text = Text {
        bytes: [0; ROOM],
        len: 0,
    };
    if write!(text, "{message}").is_err() {
        text.len = 0;
        text.bytes.fill(0);
        // It is cut where it does not fit even so, which is no error here.
        let _ = text.write_str(&shortened(&message.to_string()));
    }
    MESSAGE.set(text.bytes);
}

/// A message with the middle of its long words left out: they are paths and names, and what is wrong with them comes after
/// them.
fn shortened(message: &str) -> String {
    const KEPT: usize = 120;
    let mut short = String::new();
    for word in message.split_inclusive(' ') {
        let len = word.len();
        if len <= 3 * KEPT {
            short += word;
        } else {
            short += &word[..word.floor_char_boundary(KEPT)];
            short += "...";
            short += &word[word.ceil_char_boundary(len - KEPT)..];
        }
    }
    short
}

/// As much of a text as there is room for, and a NUL. It is one line: the caller's names and paths, which are in it, may
/// have control characters, and these are shown as `?`.
struct Text {
    bytes: [u8; ROOM],
    len: usize,
}

impl Write for Text {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        for char in more.chars() {
            let char = if char.is_control() { '?' } else { char };
            let end = self.len + char.len_utf8();
            if end >= ROOM {
                return Err(fmt::Error);
            }
            char.encode_utf8(&mut self.bytes[self.len..end]);
            self.len = end;
        }
        Ok(())
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn ciphertune_message() -> *const c_char {
    MESSAGE.with(Cell::as_ptr).cast()
}

#[unsafe(no_mangle)]
pub extern "C" fn ciphertune_strerror(code: c_int) -> *const c_char {
    let known = Code::ALL.into_iter().find(|known| *known as c_int == code);
    known.map_or(c"no code of Ciphertune", Code::text).as_ptr()
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn what_the_environment_says_is_no_argument() {
        for error in [
            CipherError::UnknownImplementation("rot13".to_owned()),
            CipherError::UnknownFeature("-rot13".to_owned()),
        ] {
            assert_eq!(Error::from(error).code() as c_int, Code::Implementation as c_int);
        }
    }

    /// A program shows messages wherever it likes, and may know no more than ASCII there.
    #[test]
    fn fixed_texts_are_ascii() {
        let mut files = 0;
        for folder in ["src", "../ciphertune/src", "../ciphertune/src/wisdom"] {
            for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
                let path = file.unwrap().path();
                if path.extension().is_none_or(|extension| extension != "rs") {
                    continue;
                }
                for line in fs::read_to_string(&path).unwrap().lines() {
                    let is_comment = line.trim_start().starts_with("//");
                    assert!(is_comment || line.is_ascii(), "{}: {line}", path.display());
                }
                files += 1;
            }
        }
        assert!(files > 30, "{files}");
    }

    #[test]
    fn a_long_path_leaves_room_for_what_is_wrong() {
        let said = || {
            // SAFETY: it ends with a NUL, and nobody changes it meanwhile.
            unsafe { CStr::from_ptr(ciphertune_message()) }.to_str().unwrap()
        };
        let path = format!("/first/{}/last", "\u{e4}".repeat(2000));
        let refused = |path: &str| WisdomError::Refused {
            path: path.into(),
            why: ciphertune::wisdom::Refusal::Checksum,
        };
        keep(&refused(&path));
        let text = said();
        for part in [
            "/first/",
            "...",
            "/last",
            "its checksum does not fit",
            "makes it anew",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let short = refused("/a/path");
        keep(&short);
        assert_eq!(said(), short.to_string());
    }
}
