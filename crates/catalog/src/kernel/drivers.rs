//! What the kernel says of its drivers, in /proc/crypto.
use std::fs;

/// A kind of what AF_ALG offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Cipher,
    Aead,
    Hash,
}

impl Class {
    /// What a socket's address calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cipher => "skcipher",
            Self::Aead => "aead",
            Self::Hash => "hash",
        }
    }

    fn listed_as(name: &str) -> Option<Self> {
        Some(match name {
            "skcipher" | "lskcipher" => Self::Cipher,
            "aead" => Self::Aead,
            "shash" | "ahash" => Self::Hash,
            _ => return None,
        })
    }
}

/// A piece of code that computes an algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Driver {
    pub(super) class: Class,
    /// Of the algorithm, as in `ctr(aes)`.
    pub(super) name: String,
    /// Its own, as in `ctr-aes-aesni`.
    pub(super) driver: String,
    /// The module that it is in, or `kernel`.
    pub(super) module: String,
}

/// Those that passed the kernel's own tests and that programs may have. A name that is too long for a socket's address
/// belongs to none of them.
pub(super) fn listed() -> Vec<Driver> {
    parse(&fs::read_to_string("/proc/crypto").unwrap_or_default())
}

fn parse(text: &str) -> Vec<Driver> {
    text.split("\n\n").filter_map(driver).collect()
}

fn driver(paragraph: &str) -> Option<Driver> {
    let field = |wanted: &str| {
        let mut fields = paragraph.lines().filter_map(|line| line.split_once(':'));
        fields.find_map(|(name, value)| (name.trim() == wanted).then(|| value.trim()))
    };
    let is_tested = field("selftest")? == "passed";
    let is_internal = field("internal") == Some("yes");
    let driver = field("driver")?;
    (is_tested && !is_internal && driver.len() < LONGEST_NAME).then_some(())?;
    Some(Driver {
        class: Class::listed_as(field("type")?)?,
        name: field("name")?.to_owned(),
        driver: driver.to_owned(),
        module: match field("module")? {
            "kernel" => "in the kernel".to_owned(),
            module => format!("module {module}"),
        },
    })
}

/// `salg_name`, with the NUL at its end.
const LONGEST_NAME: usize = 64;

impl Driver {
    /// Hashes and ChaCha20 are wherever they are written; a block cipher is where its driver's name speaks of instructions
    /// for it, or of taking care. What the kernel calls generic goes by tables.
    pub(super) fn is_constant_time(&self) -> bool {
        let is_cipher = |cipher: &str| self.name.contains(cipher);
        let by = |way: &str| self.driver.contains(way);
        if ["des", "blowfish", "cast5", "seed", "camellia"]
            .iter()
            .any(|cipher| is_cipher(cipher))
        {
            return false;
        }
        let aes = !is_cipher("aes")
            || ["aesni", "vaes", "aes-ce", "-ce", "neonbs", "fixed-time"]
                .iter()
                .any(|way| by(way));
        let ghash = !is_cipher("gcm") || !by("ghash-generic");
        aes && ghash && !by("aes-generic") && !is_cipher("wp512")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_lists_is_read() {
        let text = "\
name         : ctr(aes)\ndriver       : ctr-aes-aesni\nmodule       : aesni_intel\npriority     : 400\nrefcnt       : 1
selftest     : passed\ninternal     : no\ntype         : skcipher\nasync        : yes\nblocksize    : 1\n
name         : __ctr(aes)\ndriver       : __ctr-aes-aesni\nmodule       : aesni_intel\nselftest     : passed
internal     : yes\ntype         : skcipher\n
name         : gcm(aes)\ndriver       : gcm_base(ctr(aes-generic),ghash-generic)\nmodule       : gcm\nselftest     : passed
internal     : no\ntype         : aead\n
name         : sha1\ndriver       : sha1-mine\nmodule       : mine\nselftest     : unknown\ninternal     : no
type         : shash\n
name         : sha1\ndriver       : sha1-generic\nmodule       : kernel\nselftest     : passed\ninternal     : no
type         : shash\n
name         : aes\ndriver       : aes-generic\nmodule       : kernel\nselftest     : passed\ninternal     : no
type         : cipher\n\n";
        let found: Vec<_> = parse(text)
            .iter()
            .map(|driver| {
                (
                    driver.class,
                    driver.driver.clone(),
                    driver.module.clone(),
                    driver.is_constant_time(),
                )
            })
            .collect();
        let expected = [
            (Class::Cipher, "ctr-aes-aesni", "module aesni_intel", true),
            (
                Class::Aead,
                "gcm_base(ctr(aes-generic),ghash-generic)",
                "module gcm",
                false,
            ),
            (Class::Hash, "sha1-generic", "in the kernel", true),
        ];
        assert_eq!(
            found,
            expected.map(|(class, driver, module, safe)| (class, driver.to_owned(), module.to_owned(), safe))
        );
    }

    #[test]
    fn tables_are_told_by_the_name() {
        let is = |name: &str, driver: &str| {
            let [name, driver] = [name, driver].map(str::to_owned);
            Driver {
                class: Class::Aead,
                name,
                driver,
                module: String::new(),
            }
            .is_constant_time()
        };
        assert!(is("gcm(aes)", "generic-gcm-aesni"));
        assert!(is("cbc(aes)", "cbc(ecb(aes-fixed-time))"));
        assert!(is(
            "authenc(hmac(sha1),cbc(aes))",
            "authenc(hmac(sha1-generic),cbc-aes-aesni)"
        ));
        assert!(is(
            "rfc7539(chacha20,poly1305)",
            "rfc7539(chacha20-generic,poly1305-generic)"
        ));
        assert!(!is("gcm(aes)", "gcm_base(ctr-aes-aesni,ghash-generic)"));
        assert!(!is("ecb(aes)", "ecb(aes-asm)"));
        assert!(!is("cbc(des3_ede)", "cbc-des3_ede-asm"));
    }
}
