//! Records of TLS 1.2 under GCM (RFC 5288) and CCM (RFC 6655): explicit IV, text, tag, all in place.

use super::Way;
use crate::{error::Reason, param::Param};

/// Of the IV: fixed, and in front of each record.
pub(super) const FIXED_IV: usize = 4;
pub(super) const EXPLICIT_IV: usize = 8;
/// Of the additional data.
pub(super) const AAD: usize = 13;

/// A record's additional data. As they are given the length at their end is the record's: with its IV and, once it has been
/// made, its tag. `None` if they cannot be that.
pub(super) fn aad(way: Way, given: &[u8], tag_len: usize) -> Option<[u8; AAD]> {
    let mut aad: [u8; AAD] = given.try_into().ok()?;
    let around = match way {
        Way::Encrypt => EXPLICIT_IV,
        Way::Decrypt => EXPLICIT_IV + tag_len,
    };
    let [.., high, low] = aad;
    let text_len = u16::from_be_bytes([high, low]).checked_sub(around as u16)?;
    aad[AAD - 2..].copy_from_slice(&text_len.to_be_bytes());
    Some(aad)
}

/// [`aad`] of a parameter, or `wrong`. Where there are none the message must end: what comes next was meant as a record,
/// and must not pass as text that nothing is bound to, unless another message is begun by an IV.
pub(super) fn given(param: &Param<'_>, way: Way, tag_len: usize, wrong: Reason) -> Result<[u8; AAD], Reason> {
    let given = param.bytes()?;
    given.and_then(|given| aad(way, given, tag_len)).ok_or(wrong)
}

/// Explicit IV, text and tag of a record; `None` if it is too short for them.
pub(super) fn split(record: &mut [u8], tag_len: usize) -> Option<(&mut [u8], &mut [u8], &mut [u8])> {
    let text_len = record.len().checked_sub(EXPLICIT_IV + tag_len)?;
    let (explicit, rest) = record.split_at_mut(EXPLICIT_IV);
    let (text, tag) = rest.split_at_mut(text_len);
    Some((explicit, text, tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_the_texts() {
        let mut given = [7; AAD];
        given[AAD - 2..].copy_from_slice(&300_u16.to_be_bytes());
        for (way, tag_len, text_len) in [
            (Way::Encrypt, 16, 292_u16),
            (Way::Decrypt, 16, 276),
            (Way::Decrypt, 8, 284),
        ] {
            let aad = aad(way, &given, tag_len).unwrap();
            assert_eq!(
                (&aad[..AAD - 2], &aad[AAD - 2..]),
                (&given[..AAD - 2], &text_len.to_be_bytes()[..])
            );
        }
        given[AAD - 2..].copy_from_slice(&23_u16.to_be_bytes());
        assert_eq!(aad(Way::Decrypt, &given, 16), None);
        assert!(aad(Way::Encrypt, &given, 16).is_some());
        assert_eq!(aad(Way::Encrypt, &given[1..], 16), None);
    }

    #[test]
    fn a_record_has_room_for_iv_and_tag() {
        let mut record = [0; 25];
        let (explicit, text, tag) = split(&mut record, 16).unwrap();
        assert_eq!((explicit.len(), text.len(), tag.len()), (8, 1, 16));
        assert!(split(&mut record[..24], 16).is_some());
        assert!(split(&mut record[..23], 16).is_none());
    }
}
