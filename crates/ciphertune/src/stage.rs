use crate::Error;

/// Where a message in parts stands, and so what may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// There is none.
    Start,
    /// It has no text yet.
    Started,
    Encrypting,
    Decrypting,
}

impl Stage {
    /// Whether additional data may come, where they stand before the text.
    #[inline]
    pub(crate) fn allows_aad(self) -> Result<(), Error> {
        match self {
            Self::Start => Err(Error::NoMessage),
            Self::Started => Ok(()),
            Self::Encrypting | Self::Decrypting => Err(Error::AadAfterText),
        }
    }

    /// Whether a message may go on, or end, in this direction.
    #[inline]
    pub(crate) fn allows(self, direction: Self) -> Result<(), Error> {
        match self {
            Self::Start => Err(Error::NoMessage),
            stage if stage == Self::Started || stage == direction => Ok(()),
            _ => Err(Error::Direction),
        }
    }
}
