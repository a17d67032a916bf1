#[cfg(feature = "openssl")]
use crate::libcrypto;
use crate::{Implementation, aws_lc, ours, rustcrypto, tor2007};

/// What a build with more cargo features would have besides: each is named for its library.
pub fn left_out() -> impl Iterator<Item = &'static str> {
    let optional = [
        ("graviola", cfg!(feature = "graviola")),
        ("openssl", cfg!(feature = "openssl")),
        ("ring", cfg!(feature = "ring")),
    ];
    optional
        .into_iter()
        .filter(|(_, is_in)| !is_in)
        .map(|(name, _)| name)
}

/// Every implementation that is linked into this program, in the order in which tables show them.
pub(crate) fn all() -> Vec<Box<dyn Implementation>> {
    let mut all = ours::all();
    // Where a test asks for it: other tests of the same build do without.
    #[cfg(feature = "broken")]
    if std::env::var_os("CIPHERTUNE_BROKEN").is_some() {
        all.push(crate::broken::implementation());
    }
    all.extend(rustcrypto::all());
    all.push(aws_lc::implementation());
    #[cfg(feature = "openssl")]
    all.push(libcrypto::built_in());
    #[cfg(feature = "ring")]
    all.push(crate::ring::implementation());
    #[cfg(feature = "graviola")]
    all.push(crate::graviola::implementation());
    all.extend(tor2007::all());
    all
}
