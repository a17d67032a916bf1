//! Published answers: NIST's publications and CAVP, RFCs, and Wycheproof. `vectors/README.md` says where each file
//! comes from.
use std::sync::LazyLock;

use crate::{
    Algorithm, New, Task,
    case::{Bench, Case, Failure, Place},
    rsp,
};

/// Runs every published answer of the algorithm, buffer to buffer and, where the implementation works in place, in
/// place. What undoes another operation is given the answers backwards.
pub fn check(task: Task, new: New<'_>) -> Result<(), Failure> {
    let mut bench = Bench::new(task, new);
    let described = match task.algorithm.description() {
        Some(_) => answers_of(task.algorithm),
        None => Vec::new(),
    };
    let in_table = ANSWERS.iter().filter(|answer| answer.algorithm == task.algorithm);
    for answer in in_table.chain(&described) {
        let (mut input, mut expected) = (&answer.plaintext, &answer.ciphertext);
        if task.operation.is_backward() {
            (input, expected) = (expected, input);
        }
        for place in [Place::Apart { from: 0, to: 0 }, Place::Inside { at: 0 }] {
            bench.run(&Case {
                name: &answer.name,
                key: &answer.key,
                iv: &answer.iv,
                aad: &answer.aad,
                input,
                expected,
                tag: &answer.tag,
                place,
                updates: &[input.len()],
                lead: 0,
            })?;
        }
    }
    Ok(())
}

struct Answer {
    /// The file and the COUNT in it.
    name: String,
    algorithm: Algorithm,
    key: Vec<u8>,
    iv: Vec<u8>,
    aad: Vec<u8>,
    plaintext: Vec<u8>,
    /// The plaintext again where only a tag is made.
    ciphertext: Vec<u8>,
    tag: Vec<u8>,
}

static ANSWERS: LazyLock<Vec<Answer>> = LazyLock::new(|| {
    FILES
        .iter()
        .flat_map(|(file, algorithm, text)| {
            answers(file, algorithm, text).unwrap_or_else(|error| panic!("vectors/{file}.rsp, {error}"))
        })
        .collect()
});

macro_rules! files {
    ($($algorithm:literal: $($name:literal)*;)*) => {
        &[$($(($name, $algorithm, include_str!(concat!("../vectors/", $name, ".rsp")))),*),*]
    };
}

/// Name, algorithm (`{}` stands for the bits of its key) and text.
static FILES: &[(&str, &str, &str)] = files! {
    "AES-{}-CTR":
        "SP800-38A" "RFC3686"
        "ECBGFSbox128" "ECBGFSbox192" "ECBGFSbox256"
        "ECBKeySbox128" "ECBKeySbox192" "ECBKeySbox256"
        "ECBVarKey128" "ECBVarKey192" "ECBVarKey256"
        "ECBVarTxt128" "ECBVarTxt192" "ECBVarTxt256";
    "AES-{}-ECB": "ECB";
    "AES-{}-CBC": "CBC";
    "AES-{}-CFB": "CFB";
    "AES-{}-CFB8": "CFB8";
    "AES-{}-OFB": "OFB";
    "AES-{}-XTS": "XTS";
    "AES-{}-CMAC": "CMAC";
    "AES-{}-GCM": "GCM";
    "AES-{}-CCM": "CCM-VNT";
    "AES-{}-OCB": "OCB";
    "ChaCha20-Poly1305": "RFC8439" "ChaCha20-Poly1305";
    "AES-{}-CBC-HMAC-SHA1-ESP": "CBC-HMAC-SHA1-ESP";
    "AES-{}-CBC-HMAC-SHA256-ESP": "CBC-HMAC-SHA256-ESP";
    "AES-{}-CBC-HMAC-SHA512-ESP": "CBC-HMAC-SHA512-ESP";
    "MD5": "MD5";
    "SHA1": "SHA1";
    "SHA2-224": "SHA2-224";
    "SHA2-256": "SHA2-256";
    "SHA2-384": "SHA2-384";
    "SHA2-512": "SHA2-512";
    "SHA2-512/256": "SHA2-512-256";
    "SHA3-256": "SHA3-256";
    "SHA3-512": "SHA3-512";
    "SM3": "SM3";
    "BLAKE2B-512": "BLAKE2B-512";
    "BLAKE2S-256": "BLAKE2S-256";
    "HMAC-SHA1": "HMAC-SHA1";
    "HMAC-SHA2-256": "HMAC-SHA2-256";
    "HMAC-SHA2-512": "HMAC-SHA2-512";
    "AES-{}-GMAC": "GMAC";
    "Poly1305": "Poly1305";
    "CAMELLIA-{}-CBC": "CAMELLIA-CBC";
    "CAMELLIA-{}-CTR": "CAMELLIA-CTR";
    "CAMELLIA-{}-ECB": "CAMELLIA-ECB";
    "DES-CBC": "DES-CBC";
    "DES-EDE3-CBC": "DES-EDE3-CBC";
    "RC2-CBC": "RC2-CBC";
    "RC4": "RC4";
    "IDEA-CBC": "IDEA-CBC";
    "BF-CBC": "BF-CBC";
    "CAST5-CBC": "CAST5-CBC";
    "SEED-CBC": "SEED-CBC";
    "MD2": "MD2";
    "MD4": "MD4";
    "RIPEMD-160": "RIPEMD-160";
    "WHIRLPOOL": "WHIRLPOOL";
};

/// The same of what libraries describe: by name, and each key of the length that they give it.
static DESCRIBED: &[(&str, &str, &str)] = files! {
    "ARIA-128-ECB": "ARIA-128-ECB";
    "ARIA-192-ECB": "ARIA-192-ECB";
    "ARIA-256-ECB": "ARIA-256-ECB";
    "SM4-ECB": "SM4-ECB";
    "SHAKE128": "SHAKE128";
    "SHAKE256": "SHAKE256";
    "KMAC-128": "KMAC-128";
    "KMAC-256": "KMAC-256";
    "MDC2": "MDC2";
};

/// Of an algorithm that is not in the table; of most there are none.
fn answers_of(algorithm: Algorithm) -> Vec<Answer> {
    let bare = |name: &str| name.replace('-', "");
    let wanted = bare(algorithm.name());
    let files = DESCRIBED.iter().filter(|(_, name, _)| bare(name) == wanted);
    files
        .flat_map(|(file, _, text)| {
            let records = rsp::parse(text).unwrap_or_else(|error| panic!("vectors/{file}.rsp, {error}"));
            let answers = records
                .into_iter()
                .map(|record| Answer::of(file, algorithm, record));
            answers.filter(|answer| answer.fits()).collect::<Vec<_>>()
        })
        .collect()
}

fn answers(file: &str, algorithm: &str, text: &str) -> Result<Vec<Answer>, String> {
    // Once for the file: a name takes longer to find than a record to read.
    let sizes = ["128", "192", "256"].map(|bits| Algorithm::named(&algorithm.replace("{}", bits)));
    rsp::parse(text)?
        .into_iter()
        .map(|record| answer(file, &sizes, record))
        .collect()
}

fn answer(file: &str, sizes: &[Option<Algorithm>], record: rsp::Record) -> Result<Answer, String> {
    let count = record.count;
    let key_len = record.key.as_ref().map_or(0, Vec::len);
    let mut fitting = sizes.iter().flatten();
    let algorithm = fitting
        .find(|algorithm| algorithm.key_len() == key_len)
        .ok_or_else(|| format!("COUNT {count}: no algorithm of this file has such a key"))?;
    let answer = Answer::of(file, *algorithm, record);
    if answer.fits() {
        Ok(answer)
    } else {
        Err(format!("COUNT {count}: the lengths do not fit"))
    }
}

impl Answer {
    fn of(file: &str, algorithm: Algorithm, record: rsp::Record) -> Self {
        let rsp::Record {
            count,
            key,
            iv,
            aad,
            plaintext,
            ciphertext,
            tag,
        } = record;
        // A record of counter mode without an IV is one block of ECB: zeros, encrypted from its plaintext as the counter.
        let (iv, plaintext) = match iv {
            None if algorithm.aes_mode() == Some("CTR") => (plaintext, vec![0; 16]),
            iv => (iv.unwrap_or_default(), plaintext),
        };
        Self {
            name: format!("{file} {count}"),
            algorithm,
            key: key.unwrap_or_default(),
            iv,
            aad: aad.unwrap_or_default(),
            ciphertext: ciphertext.unwrap_or_else(|| plaintext.clone()),
            plaintext,
            tag: tag.unwrap_or_default(),
        }
    }

    /// Whether the algorithm has such lengths.
    fn fits(&self) -> bool {
        self.plaintext.len() == self.ciphertext.len()
            && self.key.len() == self.algorithm.key_len()
            && self.iv.len() == self.algorithm.iv_len()
            && self.tag.len() == self.algorithm.tag_len()
    }
}

#[cfg(test)]
mod tests {
    use super::{ANSWERS, Algorithm};

    #[test]
    fn no_answer_is_lost() {
        let of = |name: &str| ANSWERS.iter().filter(|a| a.algorithm.name() == name).count();
        // SP 800-38A 2 and RFC 3686 3, then GFSbox, KeySbox, VarKey and VarTxt by the AESAVS.
        assert_eq!(of("AES-128-CTR"), 5 + 7 + 21 + 128 + 128);
        assert_eq!(of("AES-192-CTR"), 5 + 6 + 24 + 192 + 128);
        assert_eq!(of("AES-256-CTR"), 5 + 5 + 16 + 256 + 128);
        for (mode, by_size) in [
            ("ECB", [10; 3]),
            ("CBC", [10; 3]),
            ("CFB", [10; 3]),
            ("CFB8", [10; 3]),
            ("OFB", [10; 3]),
            ("CCM", [10; 3]),
            ("GCM", [40, 37, 39]),
            ("OCB", [16; 3]),
            ("CMAC", [21; 3]),
            ("XTS", [24, 0, 16]),
        ] {
            let found = [128, 192, 256].map(|bits| of(&format!("AES-{bits}-{mode}")));
            assert_eq!(found, by_size, "{mode}");
        }
    }

    #[test]
    fn every_algorithm_has_answers() {
        for algorithm in Algorithm::all().filter(|algorithm| !algorithm.is_public_key()) {
            assert!(ANSWERS.iter().any(|a| a.algorithm == algorithm), "{algorithm}");
        }
    }
}
