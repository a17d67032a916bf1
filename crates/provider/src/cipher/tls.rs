//! Records of TLS 1.0 to 1.2 and DTLS under CBC, as libssl wants them: padded while encrypting, and without padding and
//! MAC after decrypting.
//!
//! The MAC covers the text and not the padding, so that a receiver decrypts before it can know that anything is right.
//! Neither time nor memory accesses may depend on how long the padding is or whether it is right (Vaudenay 2002; Lucky
//! Thirteen 2013): one record in some millions told apart is enough to read a cookie. The length of the record is
//! public; libssl compares the MAC, also in constant time.

use std::hint::black_box;

use zeroize::{Zeroize, optimization_barrier};

use crate::{BLOCK, error::Reason, random};

/// `SSL3_VERSION` and so on (`openssl/prov_ssl.h`).
const SSL_3: usize = 0x0300;
const TLS_1_0: usize = 0x0301;
const TLS_1_1: usize = 0x0302;
const TLS_1_2: usize = 0x0303;
const DTLS_1_0: usize = 0xfeff;
const DTLS_1_2: usize = 0xfefd;
/// Before it was a standard.
const DTLS_BAD: usize = 0x0100;

/// The longest MAC (`EVP_MAX_MD_SIZE`).
const LONGEST_MAC: usize = 64;

/// The most padding, with the byte that says how much.
const MOST_PADDING: usize = 256;

/// What a context knows of TLS.
#[derive(Clone, Default)]
pub(crate) struct Tls {
    /// 0: no TLS.
    pub(crate) version: usize,
    /// Of the last record. On the heap, where it stays when this is copied and moved.
    mac: Vec<u8>,
    /// What stands in its place where padding is wrong: bytes that nobody knows, so that no MAC is like them. Drawn before there
    /// are records, so that none of those asks the system for anything.
    stand_in: Vec<u8>,
}

impl Tls {
    pub(crate) fn set_mac_size(&mut self, size: usize) -> Result<(), Reason> {
        if size > LONGEST_MAC {
            return Err(Reason::FailedToGetParameter);
        }
        let mut stand_in = vec![0; size];
        random::fill(&mut stand_in).map_err(|_| Reason::CipherOperationFailed)?;
        self.wipe();
        (self.mac, self.stand_in) = (vec![0; size], stand_in);
        Ok(())
    }

    /// Most contexts have no MAC. The place of an empty vector is at address 1, where `memset` of nothing writes under an empty
    /// mask, of which Intel's processors take 90 ns to find that it is not a fault.
    fn wipe(&mut self) {
        if !self.mac.is_empty() {
            self.mac.as_mut_slice().zeroize();
        }
    }

    /// The MAC of the record that was opened last. If its padding was wrong, random bytes, the same each time.
    pub(crate) fn mac(&self) -> &[u8] {
        &self.mac
    }

    /// Takes explicit IV, padding and MAC off a decrypted record: answers how long the text is, which stands where it
    /// stood.
    ///
    /// An error says only that the record is too short for what is in it, which anybody can see. Whether padding is
    /// right is seen by the MAC alone.
    pub(crate) fn open(&mut self, record: &[u8]) -> Result<usize, Reason> {
        let refused = Err(Reason::CipherOperationFailed);
        let record = match self.version {
            SSL_3 | TLS_1_0 => record,
            TLS_1_1 | TLS_1_2 | DTLS_1_0 | DTLS_1_2 | DTLS_BAD => match record.get(BLOCK..) {
                Some(record) => record,
                None => return refused,
            },
            _ => return refused,
        };
        let mac_size = self.mac.len();
        if record.len() < mac_size + 1 {
            return refused;
        }
        let (len, good) = match self.version {
            SSL_3 => unpad_ssl(record, mac_size),
            _ => unpad_tls(record, mac_size),
        };
        if mac_size == 0 {
            // The record has been authenticated already (RFC 7366), so that there is nothing to learn.
            return if good == 0 { refused } else { Ok(len) };
        }
        let mut mac = [0; LONGEST_MAC];
        copy_mac(record, len, &mut mac[..mac_size]);
        for ((answer, stand_in), mac) in self.mac.iter_mut().zip(&self.stand_in).zip(&mac) {
            *answer = stand_in ^ (stand_in ^ mac) & good as u8;
        }
        mac.zeroize();
        Ok(len - mac_size)
    }
}

impl Drop for Tls {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// Fills the end of a record: RFC 5246, section 6.2.3.2; in SSL 3.0 only the last byte says anything.
pub(crate) fn pad(version: usize, padding: &mut [u8]) {
    let value = (padding.len() - 1) as u8;
    if version != SSL_3 {
        padding.fill(value);
    } else if let Some(last) = padding.last_mut() {
        *last = value;
    }
}

/// All ones if `a < b`, else 0.
#[inline]
fn less(a: usize, b: usize) -> usize {
    // The top bit of what is borrowed.
    let borrow = (!a & b) | ((!a | b) & a.wrapping_sub(b));
    black_box((borrow >> (usize::BITS - 1)).wrapping_neg())
}

/// All ones if they are equal, else 0.
#[inline]
fn equal(a: usize, b: usize) -> usize {
    !(less(a, b) | less(b, a))
}

/// The length without padding, and all ones if it is right. If not, the length is as if there were none.
fn unpad_tls(record: &[u8], mac_size: usize) -> (usize, usize) {
    let len = record.len();
    let padding = black_box(record[len - 1]);
    let counted = &record[len.saturating_sub(MOST_PADDING)..];
    // One wrong bit is enough. By arithmetic alone, of which the compiler makes vectors.
    let mut wrong = 0;
    for (byte, behind) in counted.iter().zip((0..counted.len()).rev()) {
        let is_before = (i16::from(padding) - behind as i16) >> 8;
        wrong |= (byte ^ padding) & !is_before as u8;
    }
    let padding = usize::from(padding);
    let good = !less(len, mac_size + 1 + padding) & equal(wrong.into(), 0);
    (len - (good & (padding + 1)), good)
}

/// As [`unpad_tls`]: the padding is less than a block, of any bytes.
fn unpad_ssl(record: &[u8], mac_size: usize) -> (usize, usize) {
    let len = record.len();
    let padding = usize::from(record[len - 1]);
    let good = !less(len, mac_size + 1 + padding) & !less(BLOCK, padding + 1);
    (len - (good & (padding + 1)), good)
}

/// Copies the MAC, which ends at `end`. Where that is stays secret: all that may belong to it is moved to the front, by steps
/// of each power of two, which are made whether they move anything or not.
fn copy_mac(record: &[u8], end: usize, mac: &mut [u8]) {
    let size = mac.len();
    let scanned = record.len().saturating_sub(size + MOST_PADDING);
    let (mut moved, mut before) = ([0; LONGEST_MAC + MOST_PADDING], [0; LONGEST_MAC + MOST_PADDING]);
    moved[..record.len() - scanned].copy_from_slice(&record[scanned..]);
    let way = end - size - scanned;
    let mut step = MOST_PADDING;
    while step > 0 {
        // Of what stands behind, as much as the rest of the way may need.
        let (moved, before) = (&mut moved[..], &mut before[..]);
        before.copy_from_slice(moved);
        let is_made = equal(way & step, step) as u8;
        for (to, from) in moved[..size + step].iter_mut().zip(&before[step..]) {
            *to ^= (*to ^ from) & is_made;
        }
        step /= 2;
    }
    mac.copy_from_slice(&moved[..size]);
    // As a whole: `Zeroize` would do so byte by byte.
    for room in [&mut moved, &mut before] {
        room.fill(0);
        optimization_barrier(room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tls(version: usize, mac_size: usize) -> Tls {
        let mut tls = Tls::default();
        tls.version = version;
        tls.set_mac_size(mac_size).unwrap();
        tls
    }

    /// Text, a MAC of bytes that tell each other apart, and padding.
    fn record(text: usize, mac: usize, padding: usize) -> Vec<u8> {
        let mut record = vec![0xaa; text];
        record.extend((0..mac).map(|i| 100 + i as u8));
        record.extend(std::iter::repeat_n(padding as u8, padding + 1));
        record
    }

    #[test]
    fn comparisons() {
        let values = [
            0,
            1,
            2,
            255,
            256,
            1 << 20,
            usize::MAX / 2,
            usize::MAX - 1,
            usize::MAX,
        ];
        for a in values {
            for b in values {
                assert_eq!(less(a, b), if a < b { usize::MAX } else { 0 }, "{a} < {b}");
                assert_eq!(equal(a, b), if a == b { usize::MAX } else { 0 }, "{a} = {b}");
            }
        }
    }

    #[test]
    fn every_padding_behind_every_mac() {
        for mac in [0, 1, 16, 20, 32, 48, 64] {
            let mut tls = tls(TLS_1_0, mac);
            for text in [0, 1, 15, 16, 200, 300] {
                for padding in 0..256 {
                    let record = record(text, mac, padding);
                    assert_eq!(tls.open(&record), Ok(text), "{text} + {mac} + {padding}");
                    assert_eq!(tls.mac(), &record[text..text + mac]);
                }
            }
        }
    }

    #[test]
    fn the_explicit_iv_is_left_out() {
        for version in [TLS_1_1, TLS_1_2, DTLS_1_0, DTLS_1_2, DTLS_BAD] {
            let mut with_iv = vec![7; BLOCK];
            with_iv.extend(record(9, 20, 2));
            let mut tls = tls(version, 20);
            assert_eq!(tls.open(&with_iv), Ok(9));
            assert_eq!(tls.mac()[..2], [100, 101]);
            assert!(tls.open(&[0; BLOCK - 1]).is_err());
            assert!(tls.open(&[0; BLOCK + 20]).is_err());
        }
    }

    /// A record with wrong padding opens as one without any, and its MAC is nothing that was in it.
    #[test]
    fn wrong_padding_gives_a_random_mac() {
        for wrong in 0..40 {
            let mut record = record(60, 20, 39);
            let at = record.len() - 1 - wrong;
            record[at] ^= 1;
            let mut tls = tls(TLS_1_0, 20);
            let len = tls.open(&record).unwrap();
            assert_eq!(len, record.len() - 20, "byte {wrong} from the end");
            assert_ne!(tls.mac(), &record[len..]);
            let mut other = self::tls(TLS_1_0, 20);
            other.open(&record).unwrap();
            assert_ne!(tls.mac(), other.mac());
        }
        // Padding that reaches into the MAC.
        let mut tls = tls(TLS_1_0, 20);
        assert_eq!(tls.open(&[31; 48]), Ok(28));
        assert_ne!(tls.mac(), [31; 20]);
    }

    #[test]
    fn without_a_mac_wrong_padding_is_an_error() {
        let mut tls = tls(TLS_1_0, 0);
        assert_eq!(tls.open(&record(5, 0, 10)), Ok(5));
        assert!(tls.open(&[9, 3, 2, 3, 3]).is_err());
    }

    #[test]
    fn padding_of_ssl_is_short_and_of_any_bytes() {
        let mut padded = [9; 16];
        pad(SSL_3, &mut padded[12..]);
        assert_eq!(padded[11..], [9, 9, 9, 9, 3]);
        let mut record = record(40, 20, 0);
        record.truncate(60);
        record.extend([5, 6, 7, 3]);
        let mut tls = tls(SSL_3, 20);
        assert_eq!(tls.open(&record), Ok(40));
        assert_eq!(tls.mac(), &record[40..60]);
        *record.last_mut().unwrap() = 16;
        tls.open(&record).unwrap();
        assert_ne!(tls.mac(), &record[record.len() - 20..]);
    }

    #[test]
    fn padding_of_tls() {
        let mut padding = [0; 5];
        pad(TLS_1_2, &mut padding);
        assert_eq!(padding, [4; 5]);
    }
}
