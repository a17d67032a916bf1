#[cfg(feature = "openssl")]
use crate::libcrypto;
use crate::{Implementation, aws_lc, ours, rustcrypto, tor2007};

/// The cargo feature with which a build would have an implementation of this name, where this one is without it: each is
/// named for its library, of which it has one version.
pub fn left_out(name: &str) -> Option<&'static str> {
    let name = name.split_once('/').map_or(name, |(name, _)| name);
    let (library, version) = name.split_once('@').unwrap_or((name, ""));
    let has = |series: &str| {
        let rest = version.strip_prefix(series);
        version.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let found = OPTIONAL
        .iter()
        .find(|(feature, ..)| library.eq_ignore_ascii_case(feature));
    found
        .filter(|(_, series, is_in)| !is_in && has(series))
        .map(|(feature, ..)| *feature)
}

/// Cargo features, the versions that they build as far as Cargo.toml asks for them, and whether they are in.
const OPTIONAL: [(&str, &str, bool); 3] = [
    ("graviola", "0.4", cfg!(feature = "graviola")),
    ("openssl", "4.0", cfg!(feature = "openssl")),
    ("ring", "0.17", cfg!(feature = "ring")),
];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_has_one_version_of_its_library() {
        let out = |name: &'static str, is_in: bool| (!is_in).then_some(name);
        let openssl = out("openssl", cfg!(feature = "openssl"));
        let ring = out("ring", cfg!(feature = "ring"));
        for (name, feature) in [
            ("openssl", openssl),
            ("OpenSSL@4.0.3/default", openssl),
            ("openssl/default", openssl),
            ("openssl@4.0", openssl),
            ("openssl@4.01", None),
            ("openssl@9", None),
            ("openssl@3.0.19/default", None),
            ("ring@0.17.14", ring),
            ("ring@0.16", None),
            ("opensslx", None),
            ("", None),
        ] {
            assert_eq!(left_out(name), feature, "{name}");
        }
    }

    #[test]
    fn the_versions_are_those_of_the_manifest() {
        let manifest = include_str!("../../../Cargo.toml");
        for (feature, series, _) in OPTIONAL {
            // The crate's version has OpenSSL's digits in its first number.
            let (name, version) = match feature {
                "openssl" => ("openssl-src", series.replacen('.', "00.", 1)),
                other => (other, series.to_owned()),
            };
            let line = manifest
                .lines()
                .find(|line| line.starts_with(&format!("{name} = ")));
            let line = line.unwrap_or_else(|| panic!("no {name}"));
            assert!(line.contains(&format!("\"{version}\"")), "{line}");
        }
    }
}
