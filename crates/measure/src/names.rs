//! What an implementation may be called.
use std::collections::BTreeSet;

/// The ids that a name stands for: the one that it is, or else all that have it as a part. `openssl` is a part of
/// `openssl@3.0.19/default`, and so are `openssl@3.0.19`, `openssl/default` and `default`, and `openssl@3.0` and
/// `openssl@3.0/default`, which leave out the end of the version.
pub fn matching<'a>(name: &str, ids: impl Iterator<Item = &'a str> + Clone) -> Vec<&'a str> {
    let is_it = |id: &&str| id.eq_ignore_ascii_case(name);
    let has_it =
        |id: &&str| parts(id).iter().any(|part| part.eq_ignore_ascii_case(name)) || is_series(name, id);
    match ids.clone().find(is_it) {
        Some(id) => vec![id],
        None => ids.filter(has_it).collect(),
    }
}

/// What is spelt nearly as one of these names, each once.
pub(crate) fn near_any<'a>(names: &[String], ids: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let mut all = Vec::new();
    for near in names.iter().flat_map(|name| near(name, ids.clone())) {
        if !all.contains(&near) {
            all.push(near);
        }
    }
    all
}

/// What is spelt nearly so, the nearest first.
pub fn near<'a>(name: &str, ids: impl Iterator<Item = &'a str>) -> Vec<String> {
    /// Where a spelling is no longer alike, for Jaro's measure: where clap draws that line too.
    const ALIKE: f64 = 0.7;
    /// More help nobody.
    const MOST: usize = 3;

    let name = name.to_ascii_lowercase();
    let known: BTreeSet<String> = ids
        .flat_map(|id| [vec![id.to_owned()], parts(id)].concat())
        .collect();
    let likeness = |known: &String| strsim::jaro(&name, &known.to_ascii_lowercase());
    let mut near: Vec<String> = known
        .into_iter()
        .filter(|known| likeness(known) > ALIKE)
        .collect();
    near.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    near.truncate(MOST);
    near
}

/// The parts of `library@version/variant` that stand for it; a name without one of them has fewer.
fn parts(id: &str) -> Vec<String> {
    let (from, variant) = id.split_once('/').unwrap_or((id, ""));
    let library = from.split_once('@').map_or(from, |(library, _)| library);
    let mut parts = vec![library.to_owned(), from.to_owned()];
    if !variant.is_empty() {
        parts.extend([format!("{library}/{variant}"), variant.to_owned()]);
    }
    parts
}

/// Whether a name is an id's but for the end of its version, and for a variant that it may leave out.
fn is_series(name: &str, id: &str) -> bool {
    let (series, variant) = match name.split_once('/') {
        Some((series, variant)) => (series, Some(variant)),
        None => (name, None),
    };
    let (from, own) = id.split_once('/').unwrap_or((id, ""));
    let Some((start, rest)) = from.split_at_checked(series.len()) else {
        return false;
    };
    let ends_a_number =
        !series.ends_with(['@', '.']) && !rest.starts_with(|next: char| next.is_ascii_digit());
    series.contains('@')
        && !rest.is_empty()
        && ends_a_number
        && start.eq_ignore_ascii_case(series)
        && variant.is_none_or(|variant| variant.eq_ignore_ascii_case(own))
}

#[cfg(test)]
mod tests {
    use super::{matching, near, near_any};

    const IDS: [&str; 7] = [
        "ciphertune/avx2",
        "ciphertune/vaes256",
        "ciphertune/vaes256-r2",
        "openssl@3.0.19/default",
        "openssl@3.0.19/no-avx512",
        "other@1.3.0/avx2",
        "linux",
    ];

    #[test]
    fn a_part_of_a_name_stands_for_all_that_have_it() {
        for (name, ids) in [
            ("ciphertune/vaes256", &IDS[1..2]),
            ("vaes256", &IDS[1..2]),
            ("VAES256", &IDS[1..2]),
            ("ciphertune", &IDS[..3]),
            ("openssl", &IDS[3..5]),
            ("openssl@3.0.19", &IDS[3..5]),
            ("openssl@3.0", &IDS[3..5]),
            ("OpenSSL@3", &IDS[3..5]),
            ("openssl@3.0/no-avx512", &IDS[4..5]),
            ("other@1", &IDS[5..6]),
            ("openssl/no-avx512", &IDS[4..5]),
            ("no-avx512", &IDS[4..5]),
            ("avx2", &[IDS[0], IDS[5]]),
            ("linux", &IDS[6..]),
        ] {
            assert_eq!(matching(name, IDS.into_iter()), ids, "{name}");
        }
    }

    #[test]
    fn a_version_may_be_left_out_from_where_it_is_no_number() {
        let ids = ["openssl@1.1.1w/default", "openssl@1.1.10/default"];
        assert_eq!(matching("openssl@1.1.1", ids.into_iter()), ids[..1]);
        assert_eq!(matching("openssl@1.1", ids.into_iter()), ids);
    }

    #[test]
    fn a_whole_name_is_no_part_of_others() {
        let ids = ["linux@6.1/linux", "linux"];
        assert_eq!(matching("linux", ids.into_iter()), ["linux"]);
    }

    #[test]
    fn what_is_no_whole_part_is_none() {
        for name in [
            "",
            "vaes",
            "aes256",
            "open",
            "3.0.19",
            "@3.0.19",
            "openssl@",
            "openssl@3.",
            "openssl@3.0.1",
            "openssl@3.0/",
            "openssl@3.0/avx2",
            "@3",
            "ciphertune/",
            "/avx2",
            "rot13",
        ] {
            assert!(matching(name, IDS.into_iter()).is_empty(), "{name}");
        }
    }

    #[test]
    fn names_that_are_spelt_alike_are_near() {
        for (name, nearest) in [("vaes25", "vaes256"), ("OpenSLL", "openssl"), ("othr", "other")] {
            assert_eq!(near(name, IDS.into_iter())[0], nearest, "{name}");
        }
        assert!(near("vaes", IDS.into_iter()).len() <= 3);
        assert_eq!(near("foo", IDS.into_iter()), [""; 0]);
    }

    #[test]
    fn what_is_near_to_several_is_told_once() {
        let near = near_any(&["openssl@4", "openssl@3"].map(str::to_owned), IDS.into_iter());
        assert!(near.len() >= 2, "{near:?}");
        for name in &near {
            assert_eq!(near.iter().filter(|other| *other == name).count(), 1, "{near:?}");
        }
    }
}
