//! Files that people name, which may be anything.
use std::io::{self, Read};

/// All that a reader has. Fails where that is more than 256 MiB: no run is as long, and a device such as `/dev/zero` never
/// ends.
pub fn read_whole(from: impl Read) -> io::Result<Vec<u8>> {
    up_to(MOST, from)
}

/// In bytes: many times the run of a whole `ciphertune speed`.
const MOST: u64 = 256 << 20;

fn up_to(most: u64, from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let why = format!("it goes on after {} MiB; name the text of a run", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_refused_and_what_just_fits_is_not() {
        let error = up_to(1 << 20, io::repeat(b'\n')).unwrap_err();
        assert_eq!(
            error.to_string(),
            "it goes on after 1 MiB; name the text of a run"
        );
        let bytes = up_to(1 << 20, io::repeat(b'\n').take(1 << 20)).unwrap();
        assert_eq!(bytes.len(), 1 << 20);
    }
}
