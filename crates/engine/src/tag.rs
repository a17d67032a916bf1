//! Whether a tag is genuine, and so whether a message is given out.

use zeroize::zeroize_stack;

use crate::{
    BLOCK,
    wipe::{apart, overwrite},
};

/// Whether `tag` is the expected one, or what there is of it; in constant time. Who does not know the key shall not learn
/// the rest.
///
/// # Panics
/// If `tag` has less than one or more than 16 bytes.
#[inline]
pub(crate) fn is_tag(expected: impl FnOnce() -> u128, tag: &[u8]) -> bool {
    assert!((1..=BLOCK).contains(&tag.len()), "a tag has 1 to 16 bytes");
    apart::<256, _>(|| difference(expected(), tag) == 0)
}

/// Zero where the first bytes of `expected` are `tag`.
#[inline]
fn difference(expected: u128, tag: &[u8]) -> u128 {
    match tag.try_into() {
        Ok(tag) => expected ^ u128::from_le_bytes(tag),
        Err(_) => difference_of_short(expected, tag),
    }
}

/// Out of line, or a whole tag is put on the stack for the sake of this, and stays there.
#[cold]
#[inline(never)]
fn difference_of_short(expected: u128, tag: &[u8]) -> u128 {
    let mut bytes = expected.to_le_bytes();
    let pairs = bytes.iter().zip(tag);
    // Whether one bit or all of them differ, every byte is looked at.
    let difference = pairs.fold(0, |difference, (a, b)| difference | u128::from(a ^ b));
    overwrite(&mut bytes, [0; 16]);
    difference
}

/// Whether `tag` is the expected one, or what there is of it. If it is not, `output` is zeros.
#[inline]
pub(crate) fn release(output: &mut [u8], expected: u128, tag: &[u8]) -> bool {
    let genuine = difference(expected, tag) == 0;
    if !genuine {
        output.fill(0);
    }
    if !genuine || tag.len() < BLOCK {
        // What wiped the stack in between has saved half of the tag there, of which only who knows the key may know what
        // was not given.
        zeroize_stack::<256>();
    }
    genuine
}
