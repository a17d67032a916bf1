use std::fmt;

/// What goes with a message besides its bytes. What the algorithm has none of is empty.
#[derive(Debug)]
pub struct Envelope<'a> {
    /// The IV, nonce or tweak, where the contract gives each message its own.
    pub iv: &'a [u8],
    /// The additional data.
    pub aad: &'a [u8],
    /// Where a tag or digest is put, or where the tag to be checked stands.
    pub tag: &'a mut [u8],
}

/// An implementation with a key, ready for messages of one [`crate::Task`].
pub trait Context {
    /// Works on `data` in place. A context that cannot ([`Context::in_place`]) answers a fault.
    fn apply(&mut self, envelope: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault>;

    /// Works from `input` to `output`, which has the same length. Where a tag or digest alone is made, `output`
    /// stays.
    fn apply_to(&mut self, envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault>;

    /// Whether [`Context::apply`] works.
    fn in_place(&self) -> bool {
        true
    }

    /// Whether a call, in place or else from buffer to buffer, copies the message first to where the code can work on it,
    /// or afterwards from there.
    fn copies(&self, in_place: bool) -> bool {
        let _ = in_place;
        false
    }
}

/// Why a call to an implementation failed, in words that a user can act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

impl From<ciphertune::Error> for Fault {
    fn from(error: ciphertune::Error) -> Self {
        Self(error.to_string())
    }
}
