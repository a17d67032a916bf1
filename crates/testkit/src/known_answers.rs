//! Published answers: NIST SP 800-38A, RFC 3686 and NIST's CAVP. `vectors/README.md` says where each file
//! comes from.
use std::sync::LazyLock;

use crate::{
    Stream,
    case::{Bench, Case, Failure, Place},
    rsp,
};

/// Runs every published answer for this key length (16, 24 or 32 bytes), buffer to buffer and, where the
/// implementation works in place, in place.
pub fn check<S: Stream>(
    key_len: usize,
    new: impl Fn(&[u8], &[u8; 16]) -> Result<S, String>,
) -> Result<(), Failure> {
    let mut bench = Bench::new(&new, LONGEST);
    for answer in ANSWERS.iter().filter(|answer| answer.key.len() == key_len) {
        for place in [Place::Apart { from: 0, to: 0 }, Place::Inside { at: 0 }] {
            bench.run(&Case {
                name: &answer.name,
                key: &answer.key,
                iv: answer.iv,
                input: &answer.plaintext,
                expected: &answer.ciphertext,
                place,
                updates: &[answer.plaintext.len()],
                lead: 0,
            })?;
        }
    }
    Ok(())
}

/// Bytes of the longest message below.
const LONGEST: usize = 64;

struct Answer {
    /// The file and the COUNT in it.
    name: String,
    key: Vec<u8>,
    iv: u128,
    plaintext: Vec<u8>,
    ciphertext: Vec<u8>,
}

static ANSWERS: LazyLock<Vec<Answer>> = LazyLock::new(|| {
    FILES
        .iter()
        .flat_map(|(file, text)| {
            answers(file, text).unwrap_or_else(|error| panic!("vectors/{file}.rsp, {error}"))
        })
        .collect()
});

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../vectors/", $name, ".rsp")))),*]
    };
}

static FILES: [(&str, &str); 14] = files! {
    "SP800-38A" "RFC3686"
    "ECBGFSbox128" "ECBGFSbox192" "ECBGFSbox256"
    "ECBKeySbox128" "ECBKeySbox192" "ECBKeySbox256"
    "ECBVarKey128" "ECBVarKey192" "ECBVarKey256"
    "ECBVarTxt128" "ECBVarTxt192" "ECBVarTxt256"
};

fn answers(file: &str, text: &str) -> Result<Vec<Answer>, String> {
    rsp::parse(text)?
        .into_iter()
        .map(|record| {
            // A record without an IV is one block of ECB: zeros, encrypted from its plaintext as the counter.
            let (iv, plaintext) = match record.iv {
                Some(iv) => (iv, record.plaintext),
                None => (record.plaintext, vec![0; 16]),
            };
            let count = record.count;
            let iv = <[u8; 16]>::try_from(iv)
                .map_err(|_| format!("COUNT {count}: the counter block has not 16 bytes"))?;
            if plaintext.len() != record.ciphertext.len() || plaintext.len() > LONGEST {
                return Err(format!("COUNT {count}: the lengths do not fit"));
            }
            Ok(Answer {
                name: format!("{file} {count}"),
                key: record.key,
                iv: u128::from_be_bytes(iv),
                plaintext,
                ciphertext: record.ciphertext,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::ANSWERS;

    #[test]
    fn no_answer_is_lost() {
        let of = |key_len| ANSWERS.iter().filter(|a| a.key.len() == key_len).count();
        // SP 800-38A 2 and RFC 3686 3, then GFSbox, KeySbox, VarKey and VarTxt by the AESAVS.
        assert_eq!(of(16), 5 + 7 + 21 + 128 + 128);
        assert_eq!(of(24), 5 + 6 + 24 + 192 + 128);
        assert_eq!(of(32), 5 + 5 + 16 + 256 + 128);
    }
}
