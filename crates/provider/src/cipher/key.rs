use ciphertune::{Cbc, Cfb, Cfb8, Ecb, Error, Ofb, Selection, Xts};

/// A mode of the library's that is made of a key, and takes another one in its place: a fraction of what making it costs.
pub(super) trait Keyed: Sized {
    const NEW: fn(&Selection, &[u8]) -> Result<Self, Error>;
    const REKEY: fn(&mut Self, &[u8]) -> Result<(), Error>;
}

macro_rules! keyed {
    ($($mode:ident)*) => {$(
        impl Keyed for $mode {
            const NEW: fn(&Selection, &[u8]) -> Result<Self, Error> = Self::with_selection;
            const REKEY: fn(&mut Self, &[u8]) -> Result<(), Error> = Self::rekey;
        }
    )*};
}
keyed!(Ecb Cbc Cfb Cfb8 Ofb Xts);

/// Gives `mode` this key, whether it had one or not.
pub(super) fn set_key<M: Keyed>(
    mode: &mut Option<M>,
    selection: &Selection,
    key: &[u8],
) -> Result<(), Error> {
    match mode {
        Some(mode) => M::REKEY(mode, key),
        None => M::NEW(selection, key).map(|made| *mode = Some(made)),
    }
}
