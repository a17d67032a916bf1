//! The rounds, over several vectors side by side.

use super::{
    Keys, Permute,
    tables::{self, Pair},
};
use crate::rounds::anew;

/// The sum of a look-up by each of both.
///
/// # Safety
/// The processor has the features of `V`, here and below.
#[inline(always)]
pub(super) unsafe fn look_up<V: Permute>(pair: &'static Pair, [one, other]: [V; 2]) -> V {
    // SAFETY: as the caller.
    unsafe {
        let one = V::table(&pair[0]).look_up(one);
        one.add(V::table(&pair[1]).look_up(other))
    }
}

/// The bytes that a linear map makes of these.
#[inline(always)]
pub(super) unsafe fn map<V: Permute>(pair: &'static Pair, bytes: V) -> V {
    // SAFETY: as the caller.
    unsafe { look_up(pair, bytes.nibbles()) }
}

/// What the tables of [`Pair`] look the inverse of a byte up by, from its digits.
#[inline(always)]
pub(super) unsafe fn inverse<V: Permute>(digits: V) -> [V; 2] {
    // SAFETY: as the caller.
    unsafe {
        let inverse = V::table(&tables::INVERSE);
        let [i, k] = digits.nibbles();
        let j = i.add(k);
        let over_k = V::table(&tables::OVER).look_up(k);
        let of_i = inverse.look_up(inverse.look_up(i).add(over_k)).add(j);
        let of_j = inverse.look_up(inverse.look_up(j).add(over_k)).add(i);
        [of_i, of_j]
    }
}

/// SubBytes (FIPS 197, section 5.1.1).
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) unsafe fn substituted<V: Permute>(bytes: V) -> V {
    // SAFETY: as the caller.
    unsafe {
        let linear = look_up(&tables::LAST, inverse(map(&tables::DIGITS_OF, bytes)));
        linear.add(V::table(&[0x63; 16]))
    }
}

/// A round key.
#[inline(always)]
pub(super) unsafe fn key<V: Permute>(keys: &[[u8; 16]; 15], round: usize) -> V {
    // SAFETY: as the caller.
    unsafe { V::table(&keys[round]) }
}

/// The rounds of encryption from `first` on, all but the last.
#[inline(always)]
pub(super) unsafe fn encrypt_from<V: Permute, const N: usize>(
    keys: &Keys,
    mut states: [V; N],
    first: usize,
) -> [V; N] {
    // SAFETY: as the caller; the keys are where they were.
    unsafe {
        let keys = &*anew(keys);
        for n in first..keys.rounds {
            states = round(keys, states, n);
        }
        states
    }
}

/// Round `n` of encryption, but not the last.
#[inline(always)]
pub(super) unsafe fn round<V: Permute, const N: usize>(keys: &Keys, mut states: [V; N], n: usize) -> [V; N] {
    // SAFETY: as the caller.
    unsafe {
        let (forward, backward) = (
            V::table(&tables::FORWARD[n % 4]),
            V::table(&tables::BACKWARD[n % 4]),
        );
        let key: V = key(&keys.encrypt, n);
        for state in &mut states {
            let [one, other] = inverse(*state);
            let once = V::table(&tables::ONCE[0]).look_up(one).add(key).pin();
            let once = once.add(V::table(&tables::ONCE[1]).look_up(other));
            let twice = look_up(&tables::TWICE, [one, other]).pin();
            let sum = twice.add(once.look_up(forward));
            *state = sum.add(once.look_up(backward)).pin().add(sum.look_up(forward));
        }
        states
    }
}

/// The last round of encryption, whose rows it turns back.
#[inline(always)]
pub(super) unsafe fn last<V: Permute, const N: usize>(keys: &Keys, mut states: [V; N]) -> [V; N] {
    // SAFETY: as the caller.
    unsafe {
        for state in &mut states {
            *state = ended(keys, inverse(*state));
        }
        states
    }
}

/// As [`last`], of a vector, by what its tables look up by.
#[inline(always)]
pub(super) unsafe fn ended<V: Permute>(keys: &Keys, by: [V; 2]) -> V {
    // SAFETY: as the caller.
    unsafe {
        let turn = V::table(&tables::TURN[keys.rounds % 4]);
        look_up(&tables::LAST, by)
            .look_up(turn)
            .add(key(&keys.encrypt, keys.rounds))
    }
}

/// Encrypts as many blocks as the vectors have.
#[inline(always)]
pub(super) unsafe fn encrypt<V: Permute, const N: usize>(keys: &Keys, mut states: [V; N]) -> [V; N] {
    // SAFETY: as the caller.
    unsafe {
        let whitening: V = key(&keys.encrypt, 0);
        for state in &mut states {
            *state = map(&tables::DIGITS_OF, *state).add(whitening);
        }
        last(keys, encrypt_from(keys, states, 1))
    }
}

/// Decrypts as many blocks as the vectors have: the equivalent inverse cipher (FIPS 197, section 5.3.5).
#[inline(always)]
pub(super) unsafe fn decrypt<V: Permute, const N: usize>(keys: &Keys, mut states: [V; N]) -> [V; N] {
    // SAFETY: as the caller; the keys are where they were.
    unsafe {
        let keys = &*anew(keys);
        let whitening: V = key(&keys.decrypt, 0);
        for state in &mut states {
            *state = map(&tables::BACK, *state).add(whitening);
        }
        for n in 1..keys.rounds {
            // Rows turn the other way.
            let forward = V::table(&tables::FORWARD[(4 - n % 4) % 4]);
            let key: V = key(&keys.decrypt, n);
            for state in &mut states {
                let by = inverse(*state);
                let sum = look_up(&tables::BACK_9, by);
                let sum = sum.look_up(forward).add(look_up(&tables::BACK_13, by));
                let sum = sum.look_up(forward).add(look_up(&tables::BACK_11, by));
                let rest = look_up(&tables::BACK_14, by).add(key).pin();
                *state = sum.look_up(forward).add(rest);
            }
        }
        let turn = V::table(&tables::TURN[(4 - keys.rounds % 4) % 4]);
        let key: V = key(&keys.decrypt, keys.rounds);
        for state in &mut states {
            *state = look_up(&tables::BACK_LAST, inverse(*state))
                .look_up(turn)
                .add(key);
        }
        states
    }
}
