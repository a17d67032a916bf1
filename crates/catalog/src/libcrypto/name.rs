//! What a libcrypto calls itself.
use std::ffi::c_ulong;

/// A library's name and version, for its id.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Name {
    library: &'static str,
    version: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    TooOld,
    TooNew,
    Unrecognised,
    Contradictory,
}

impl Name {
    pub(super) fn id(&self, provider: &str) -> String {
        format!("{}@{}/{provider}", self.library, self.version)
    }

    /// From `OpenSSL_version` and `OpenSSL_version_num`. The forks report a number for compatibility's sake, so their
    /// text alone counts; it names OpenSSL first where they do that too.
    pub(super) fn parse(text: &str, number: c_ulong) -> Result<Self, Refused> {
        let named = |library, version: &str| {
            let version = version
                .split([' ', ')'])
                .next()
                .filter(|version| !version.is_empty());
            let version = version.ok_or(Refused::Unrecognised)?.to_owned();
            Ok(Self { library, version })
        };
        if text == "BoringSSL" || text.ends_with("(compatible; BoringSSL)") {
            // It has no releases.
            named("boringssl", "unversioned")
        } else if let Some((_, version)) = text.split_once("AWS-LC ") {
            named("aws-lc", version.strip_prefix("FIPS ").unwrap_or(version))
        } else if let Some(version) = text.strip_prefix("LibreSSL ") {
            named("libressl", version)
        } else if let Some(version) = text.strip_prefix("OpenSSL ") {
            match number {
                ..0x1010_0000 => Err(Refused::TooOld),
                0x5000_0000.. => Err(Refused::TooNew),
                _ => match named("openssl", version) {
                    Ok(name) if !is_numbered(&name.version, number) => Err(Refused::Contradictory),
                    name => name,
                },
            }
        } else {
            Err(Refused::Unrecognised)
        }
    }
}

/// The version that OpenSSL's number stands for (`OPENSSL_VERSION_NUMBER(3)`): 0xMNN00PP0, or before 3.0 0xMNNFFPPS, where
/// PP is a letter.
pub(super) fn numbered(number: c_ulong) -> String {
    let part = |shift: u32| number >> shift & 0xff;
    let (major, minor) = (number >> 28, part(20));
    if major >= 3 {
        return format!("{major}.{minor}.{}", part(4));
    }
    let letter = match part(4) as u8 {
        0 => String::new(),
        letter => char::from(b'a'.saturating_add(letter - 1)).to_string(),
    };
    format!("{major}.{minor}.{}{letter}", part(12))
}

/// Whether a version is the one that the number stands for; more may follow, as `-dev`, `-fips` or `+quic`.
fn is_numbered(version: &str, number: c_ulong) -> bool {
    let rest = version.strip_prefix(&numbered(number));
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::{Name, Refused};

    #[test]
    fn libraries_are_told_apart_by_what_they_say() {
        for (text, number, id) in [
            ("OpenSSL 3.0.19 27 Jan 2026", 0x3000_0130, "openssl@3.0.19"),
            ("OpenSSL 1.1.1w  11 Sep 2023", 0x1010_117f, "openssl@1.1.1w"),
            ("OpenSSL 1.1.1k  FIPS 25 Mar 2021", 0x1010_10bf, "openssl@1.1.1k"),
            ("OpenSSL 1.1.1  11 Sep 2018", 0x1010_100f, "openssl@1.1.1"),
            ("OpenSSL 1.1.0 25 Aug 2016", 0x1010_000f, "openssl@1.1.0"),
            (
                "OpenSSL 3.1.4+quic 24 Oct 2023",
                0x3010_0040,
                "openssl@3.1.4+quic",
            ),
            ("OpenSSL 4.0.0-dev ", 0x4000_0000, "openssl@4.0.0-dev"),
            ("OpenSSL 4.0.3 1 Nov 2026", 0x4000_0030, "openssl@4.0.3"),
            (
                "OpenSSL 1.1.1 (compatible; AWS-LC 5.12.0)",
                0x1010_107f,
                "aws-lc@5.12.0",
            ),
            ("AWS-LC 5.12.0", 0x1010_107f, "aws-lc@5.12.0"),
            ("AWS-LC FIPS 3.1.0", 0x1010_107f, "aws-lc@3.1.0"),
            (
                "OpenSSL 1.1.1 (compatible; BoringSSL)",
                0x1010_107f,
                "boringssl@unversioned",
            ),
            ("LibreSSL 4.0.0", 0x2000_0000, "libressl@4.0.0"),
        ] {
            let name = Name::parse(text, number).unwrap();
            assert_eq!(format!("{}@{}", name.library, name.version), id);
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for (text, number, refused) in [
            ("OpenSSL 1.0.2u  20 Dec 2019", 0x1000_215f, Refused::TooOld),
            ("OpenSSL 5.0.0 1 Apr 2028", 0x5000_0000, Refused::TooNew),
            ("OpenSSL ", 0x3000_0000, Refused::Unrecognised),
            ("OpenSSL 9.0.19 27 Jan 2026", 0x3000_0130, Refused::Contradictory),
            ("OpenSSL 3.0.1 14 Dec 2021", 0x3000_0130, Refused::Contradictory),
            ("OpenSSL 3.0.19 27 Jan 2026", 0x3000_0010, Refused::Contradictory),
            ("OpenSSL 1.1.1w  11 Sep 2023", 0x1010_116f, Refused::Contradictory),
            ("OpenSSL 1.1.1w  11 Sep 2023", 0x1010_100f, Refused::Contradictory),
            ("OpenSSL 1.1.1  11 Sep 2018", 0x1010_117f, Refused::Contradictory),
            ("OpenSSL three 27 Jan 2026", 0x3000_0130, Refused::Contradictory),
            ("FunSSL 3.0.0", 0x3000_0000, Refused::Unrecognised),
            ("", 0, Refused::Unrecognised),
        ] {
            assert_eq!(Name::parse(text, number), Err(refused));
        }
    }
}
