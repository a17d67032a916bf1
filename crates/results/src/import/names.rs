//! Algorithms by OpenSSL's names, whatever a tool calls them.

/// Of what `openssl speed` calls them: `aes-128 cbc`, `hmac(md5)`, `sha256`, `id-aes128-GCM`; and, as it prints after `-evp`
/// what it was given, `sha-256` and `rsa-sha256`. What Ciphertune's table does not have is in capitals, as where `ciphertune
/// speed` was given it.
pub(super) fn openssl(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase().replace([' ', '_'], "-");
    let inner = |mac: &str| name.strip_prefix(mac)?.strip_suffix(')');
    if let Some(digest) = inner("hmac(") {
        return format!("HMAC-{}", plain(digest));
    }
    if let Some(cipher) = inner("cmac(") {
        // CMAC is made of a block cipher; that one is called by a mode of it.
        return format!("{}-CMAC", plain(cipher).trim_end_matches("-CBC"));
    }
    plain(&name)
}

/// In each line a name of the table of algorithms, and OpenSSL's others for it, as `ciphertune speed` takes them.
static ALIASES: &str = include_str!("../../../testkit/src/aliases.txt");

/// A name that is no MAC's, in small letters.
fn plain(name: &str) -> String {
    let mut rows = ALIASES.lines().map(|row| row.split(' '));
    let own = rows.find_map(|mut names| {
        let own = names.next()?;
        let mut others = names.map(|alias| alias.replace('_', "-"));
        others
            .any(|alias| alias.eq_ignore_ascii_case(name))
            .then_some(own)
    });
    if let Some(own) = own {
        return own.to_owned();
    }
    // A digest by what signs with it.
    let signing = ["rsa-", "ssl3-"].iter().find_map(|by| name.strip_prefix(by));
    let signed = signing.or_else(|| name.strip_suffix("withrsaencryption"));
    let name = signed.unwrap_or(name);
    match name {
        "sha-1" | "sha1-2" => "SHA1".into(),
        "sha224" | "sha256" | "sha384" | "sha512" => format!("SHA2-{}", &name[3..]),
        "sha-224" | "sha-256" | "sha-384" | "sha-512" => format!("SHA2-{}", &name[4..]),
        "sha512-256" | "sha512/256" | "sha-512/256" => "SHA2-512/256".into(),
        "blake2b512" => "BLAKE2B-512".into(),
        "blake2s256" => "BLAKE2S-256".into(),
        "ripemd160" => "RIPEMD-160".into(),
        "rc5-32/12-cbc" => "RC5-CBC".into(),
        "blowfish-cbc" => "BF-CBC".into(),
        "des" => "DES-CBC".into(),
        "des-ede3" => "DES-EDE3-CBC".into(),
        "chacha20-poly1305" => "ChaCha20-Poly1305".into(),
        "poly1305" => "Poly1305".into(),
        // OpenSSL 1's short names, as in id-aes128-wrap.
        _ => match name.strip_prefix("id-aes").and_then(|rest| rest.split_once('-')) {
            Some((bits, mode)) => format!("AES-{bits}-{}", mode.to_ascii_uppercase()),
            None => name.to_ascii_uppercase(),
        },
    }
}

/// What a symmetric algorithm does, by its OpenSSL name.
pub(super) fn operation(algorithm: &str) -> &'static str {
    let begins = |with: &[&str]| with.iter().any(|start| algorithm.starts_with(start));
    let ends = |with: &[&str]| with.iter().any(|end| algorithm.ends_with(end));
    if begins(&["HMAC", "KMAC", "Poly1305", "GHASH", "SIPHASH"]) || ends(&["-CMAC", "-GMAC"]) {
        "mac"
    } else if ends(&["-GCM", "-CCM", "-OCB", "-EAX", "-SIV", "-ESP", "Poly1305"]) {
        "seal"
    } else if begins(&["MD", "SHA", "RIPEMD", "SM3", "BLAKE", "WHIRLPOOL", "KECCAK"]) {
        "digest"
    } else {
        "encrypt"
    }
}

/// An operation by the name that OpenSSL or Ciphertune has for it.
pub(super) fn by_name(name: &str) -> Option<&'static str> {
    const ALL: [&str; 13] = [
        "encrypt",
        "decrypt",
        "seal",
        "open",
        "mac",
        "digest",
        "sign",
        "verify",
        "derive",
        "generate",
        "encapsulate",
        "decapsulate",
        "iterate",
    ];
    Some(match name {
        "signs" => "sign",
        "encr." => "encrypt",
        "decr." => "decrypt",
        "op" => "derive",
        "keygen" | "keygens" => "generate",
        "encaps" => "encapsulate",
        "decaps" => "decapsulate",
        _ => return ALL.into_iter().find(|known| *known == name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_age_of_openssl_means_the_same() {
        for (name, meant, does) in [
            ("aes-128 cbc", "AES-128-CBC", "encrypt"),
            ("AES-128-CBC", "AES-128-CBC", "encrypt"),
            ("id-aes256-GCM", "AES-256-GCM", "seal"),
            ("hmac(md5)", "HMAC-MD5", "mac"),
            ("hmac(sha256)", "HMAC-SHA2-256", "mac"),
            ("cmac(aes-128-cbc)", "AES-128-CMAC", "mac"),
            ("cmac(aes128)", "AES-128-CMAC", "mac"),
            ("aes128", "AES-128-CBC", "encrypt"),
            ("des3", "DES-EDE3-CBC", "encrypt"),
            ("2.16.840.1.101.3.4.1.6", "AES-128-GCM", "seal"),
            ("id-rsassa-pkcs1-v1_5-with-sha3-256", "SHA3-256", "digest"),
            ("sha512", "SHA2-512", "digest"),
            ("sha1", "SHA1", "digest"),
            ("sha512-256", "SHA2-512/256", "digest"),
            ("hmac(sha512-256)", "HMAC-SHA2-512/256", "mac"),
            ("blake2b512", "BLAKE2B-512", "digest"),
            ("blake2s256", "BLAKE2S-256", "digest"),
            ("kmac128", "KMAC128", "mac"),
            ("sha-1", "SHA1", "digest"),
            ("RSA-SHA1-2", "SHA1", "digest"),
            ("sha-256", "SHA2-256", "digest"),
            ("SHA-512/256", "SHA2-512/256", "digest"),
            ("rsa-sha256", "SHA2-256", "digest"),
            ("RSA-SHA512/256", "SHA2-512/256", "digest"),
            ("rsa-sha3-256", "SHA3-256", "digest"),
            ("sha256WithRSAEncryption", "SHA2-256", "digest"),
            ("ssl3-md5", "MD5", "digest"),
            ("ripemd-160", "RIPEMD-160", "digest"),
            ("hmac(sha-256)", "HMAC-SHA2-256", "mac"),
            // Of what the table does not have.
            ("sha512-224", "SHA512-224", "digest"),
            ("shake-256", "SHAKE-256", "digest"),
            ("chacha20", "CHACHA20", "encrypt"),
            ("SHA2-256", "SHA2-256", "digest"),
            ("rmd160", "RIPEMD-160", "digest"),
            ("mdc2", "MDC2", "digest"),
            ("des ede3", "DES-EDE3-CBC", "encrypt"),
            ("rc5-32/12 cbc", "RC5-CBC", "encrypt"),
            ("blowfish", "BF-CBC", "encrypt"),
            ("camellia-256 cbc", "CAMELLIA-256-CBC", "encrypt"),
            ("chacha20-poly1305", "ChaCha20-Poly1305", "seal"),
            ("ghash", "GHASH", "mac"),
        ] {
            assert_eq!(openssl(name), meant);
            assert_eq!(operation(meant), does, "{meant}");
        }
    }

    #[test]
    fn what_begins_over_and_over_has_an_end() {
        for start in ["rsa-", "hmac("] {
            let name = openssl(&(start.repeat(50_000) + "md5" + &")".repeat(50_000)));
            assert!(name.contains("MD5"), "{start}");
        }
    }
}
