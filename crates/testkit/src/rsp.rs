//! NIST's response files, of which only what is made from plaintext is read: ciphertexts, tags, digests.
use std::iter::Peekable;

/// One record of a response file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) count: u32,
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) iv: Option<Vec<u8>>,
    pub(crate) aad: Option<Vec<u8>>,
    pub(crate) plaintext: Vec<u8>,
    pub(crate) ciphertext: Option<Vec<u8>>,
    pub(crate) tag: Option<Vec<u8>>,
}

/// Reads a whole file: comments, the one section `[ENCRYPT]`, and in it records of COUNT, perhaps KEY, IV and AAD,
/// PLAINTEXT, perhaps CIPHERTEXT and perhaps TAG, in this order. Anything else is an error that names its line.
pub(crate) fn parse(text: &str) -> Result<Vec<Record>, String> {
    let mut lines = text
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.is_empty() && !line.starts_with('#'))
        .peekable();

    match lines.next() {
        Some(("[ENCRYPT]", _)) => {}
        Some((line, number)) => {
            return Err(format!("line {number}: expected [ENCRYPT], found '{line}'"));
        }
        None => return Err("no section [ENCRYPT]".to_owned()),
    }

    let mut records = Vec::new();
    while let Some(&(count, number)) = lines.peek() {
        lines.next();
        let count = value(count, "COUNT")
            .and_then(|value| value.parse().ok())
            .ok_or_else(|| format!("line {number}: expected COUNT = <number>, found '{count}'"))?;
        records.push(Record {
            count,
            key: bytes_if_there(&mut lines, count, "KEY")?,
            iv: bytes_if_there(&mut lines, count, "IV")?,
            aad: bytes_if_there(&mut lines, count, "AAD")?,
            plaintext: bytes(&mut lines, count, "PLAINTEXT")?,
            ciphertext: bytes_if_there(&mut lines, count, "CIPHERTEXT")?,
            tag: bytes_if_there(&mut lines, count, "TAG")?,
        });
    }
    Ok(records)
}

fn bytes_if_there<'a, I: Iterator<Item = (&'a str, u32)>>(
    lines: &mut Peekable<I>,
    count: u32,
    name: &str,
) -> Result<Option<Vec<u8>>, String> {
    match lines.peek() {
        Some((line, _)) if line.starts_with(name) => bytes(lines, count, name).map(Some),
        _ => Ok(None),
    }
}

fn bytes<'a>(
    lines: &mut impl Iterator<Item = (&'a str, u32)>,
    count: u32,
    name: &str,
) -> Result<Vec<u8>, String> {
    let (line, number) = lines
        .next()
        .ok_or_else(|| format!("COUNT {count}: the file ends before {name}"))?;
    value(line, name)
        .and_then(hex)
        .ok_or_else(|| format!("line {number}: expected {name} = <hex>, found '{line}'"))
}

fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    Some(line.strip_prefix(name)?.strip_prefix(" =")?.trim_start())
}

pub(crate) fn hex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| match *pair {
            [high, low] => Some((digit(high)? << 4 | digit(low)?) as u8),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Record, parse};

    #[test]
    fn a_record_is_read() {
        let text =
            "# a comment\n\n[ENCRYPT]\n\nCOUNT = 7\nKEY = 0aFF\nIV = 10\nPLAINTEXT = 00\nCIPHERTEXT = \n";
        let record = Record {
            count: 7,
            key: Some(vec![0x0a, 0xff]),
            iv: Some(vec![0x10]),
            aad: None,
            plaintext: vec![0],
            ciphertext: Some(vec![]),
            tag: None,
        };
        assert_eq!(parse(text), Ok(vec![record]));
    }

    #[test]
    fn anything_else_is_an_error_with_its_line() {
        for (text, error) in [
            ("", "no section [ENCRYPT]"),
            ("COUNT = 0", "line 1: expected [ENCRYPT], found 'COUNT = 0'"),
            (
                "[ENCRYPT]\nKEY = 00",
                "line 2: expected COUNT = <number>, found 'KEY = 00'",
            ),
            (
                "[ENCRYPT]\nCOUNT = 0\n\nTAG = 00",
                "line 4: expected PLAINTEXT = <hex>, found 'TAG = 00'",
            ),
            (
                "[ENCRYPT]\nCOUNT = 0\nKEY = 0",
                "line 3: expected KEY = <hex>, found 'KEY = 0'",
            ),
            (
                "[ENCRYPT]\nCOUNT = 0\nKEY = +1",
                "line 3: expected KEY = <hex>, found 'KEY = +1'",
            ),
            (
                "[ENCRYPT]\nCOUNT = 3\nKEY = 00",
                "COUNT 3: the file ends before PLAINTEXT",
            ),
        ] {
            assert_eq!(parse(text), Err(error.to_owned()));
        }
    }
}
