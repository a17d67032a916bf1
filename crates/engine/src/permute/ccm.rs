//! CCM (SP 800-38C): the MAC, each block of which waits for the one before, and counter mode beside it.
//!
//! Both go through the rounds together, in the halves of one vector or in two. The counter's block is one ahead of the
//! MAC's, since opening needs it first; behind the last one it is the tag's.

use inout::InOutBuf;

use super::{
    Keys, Permute,
    rounds::{encrypt_from, ended, inverse, key, look_up, map},
    tables,
};
use crate::{
    BLOCK,
    ccm::{Start, encode_length},
    part,
    rounds::anew,
    wipe::overwrite,
};

/// A block of the MAC, and one of counter mode.
type Pair = [[u8; BLOCK]; 2];

/// The MAC, in the first of the `N` vectors that have room for two blocks, and the counter's block in the last of them.
struct Chain<'a, V, const N: usize> {
    keys: &'a Keys,
    /// What the MAC's first round adds to the last round before it, and what the counter's begins with.
    whitening: [V; N],
    /// Turns the MAC's rows back, and leaves nothing of the counter's block.
    turn: V,
    /// Leaves the MAC's block alone.
    mac: V,
    /// What the MAC's last round looks up by.
    by: [V; 2],
    /// What the counter's last round made; and of the MAC, at the end.
    made: Pair,
}

impl<'a, V: Permute, const N: usize> Chain<'a, V, N> {
    /// Where the last vector is in a pair.
    const LAST: usize = {
        assert!(N * size_of::<V>() == size_of::<Pair>());
        (N - 1) * size_of::<V>()
    };

    /// # Safety
    /// The processor has the features of `V`, here and below.
    #[inline(always)]
    unsafe fn start(keys: &'a Keys, block: u128, counter: u128) -> Self {
        let [block, counter] = [block.to_le_bytes(), counter.to_be_bytes()];
        // SAFETY: as the caller; a vector has one or both of a pair.
        unsafe {
            let first: V = key(&keys.encrypt, 0);
            let last = [keys.encrypt[keys.rounds], [0; BLOCK]];
            let mut chain = Self {
                keys,
                whitening: digits(&last, [first; N]),
                turn: V::read(tables::TURN_FIRST[keys.rounds % 4].as_ptr().cast()),
                mac: V::read(tables::TURN_FIRST[0].as_ptr().cast()),
                by: [first; 2],
                made: [[0; BLOCK]; 2],
            };
            chain.run(digits(&[block, counter], [first; N]));
            chain
        }
    }

    /// The last vector with the counter's block of this pair.
    #[inline(always)]
    unsafe fn beside(&self, pair: &Pair) -> V {
        // SAFETY: as the caller; the pair is lent and where it was, and has that vector.
        unsafe {
            let counter = V::read(anew(pair).cast::<u8>().add(Self::LAST));
            map(&tables::DIGITS_OF, counter).add(self.whitening[N - 1])
        }
    }

    /// Takes a block into the MAC, a block for each of a vector, with what stands `beside`.
    #[inline(always)]
    unsafe fn take(&mut self, block: V, beside: V) {
        // SAFETY: as the caller.
        unsafe {
            let mut states = self.whitening;
            states[N - 1] = beside;
            let block = map(&tables::DIGITS_OF, block).look_up(self.mac);
            let next = states[0].add(block).pin();
            states[0] = look_up(&tables::ONCE, self.by).look_up(self.turn).add(next);
            self.run(states);
        }
    }

    #[inline(always)]
    unsafe fn run(&mut self, states: [V; N]) {
        // SAFETY: as the caller; a pair has the last vector.
        unsafe {
            let states = encrypt_from(self.keys, states, 1);
            self.by = inverse(states[0]);
            let by = if N == 1 { self.by } else { inverse(states[N - 1]) };
            let made = (&raw mut self.made).cast::<u8>();
            ended(self.keys, by).write(made.add(Self::LAST));
        }
    }

    /// What the counter's block made, in each block of a vector. Memory is the shorter way there.
    #[inline(always)]
    unsafe fn keystream(&self) -> V {
        // SAFETY: as the caller; it is where it was.
        unsafe { V::table(&*anew(&self.made[1])) }
    }

    /// The MAC, masked by what the counter's block made.
    #[inline(always)]
    unsafe fn tag(&mut self) -> u128 {
        // SAFETY: as the caller.
        unsafe { ended(self.keys, self.by).write_block((&raw mut self.made[0]).cast()) };
        let [mac, mask] = self.made.map(u128::from_le_bytes);
        overwrite(&mut self.made, [[0; BLOCK]; 2]);
        mac ^ mask
    }

    /// Takes additional data, with their length before them and zeros behind.
    #[inline(always)]
    unsafe fn take_aad(&mut self, aad: &[u8], beside: V) {
        let (length, len) = encode_length(aad.len() as u64);
        if len == 0 {
            return;
        }
        let (head, mut rest) = aad.split_at(aad.len().min(BLOCK - len));
        let mut block = (length | part::number(head) << (8 * len)).to_le_bytes();
        loop {
            // SAFETY: as the caller.
            unsafe { self.take(V::table(&block), beside) };
            let (now, then) = rest.split_at(rest.len().min(BLOCK));
            if now.is_empty() {
                return;
            }
            block = now.try_into().unwrap_or_else(|_| part::number(now).to_le_bytes());
            rest = then;
        }
    }
}

/// Takes a whole message and answers its tag.
///
/// # Safety
/// The processor has the features of `V`; `N` vectors have two blocks; `src` and `dst` are valid for `len` bytes and either
/// equal or apart.
#[inline(always)]
pub(crate) unsafe fn whole<V: Permute, const N: usize, const SEAL: bool>(
    keys: &Keys,
    start: Start,
    aad: &[u8],
    mut src: *const u8,
    mut dst: *mut u8,
    mut len: usize,
) -> u128 {
    // A vector that is read from where its parts were just written waits for them to reach the cache: so they are written a
    // block ahead, and [`Chain::beside`] keeps the compiler from putting them together in registers, which takes longer.
    let counters = |counter: u128| [[0; BLOCK], counter.to_be_bytes()];
    let mut counter = if len > 0 { start.counter + 1 } else { start.counter };
    let [first, tag, mut next] = [counter, start.counter, counter + 1].map(counters);
    // SAFETY: as the caller; no more is taken than what is left.
    unsafe {
        let mut chain = Chain::<V, N>::start(keys, start.block, counter);
        chain.take_aad(aad, chain.beside(&first));
        while len > 0 {
            let n = len.min(BLOCK);
            let beside = chain.beside(if n == len { &tag } else { &next });
            counter += 1;
            next = counters(counter + 1);
            let (text, other): (V, V);
            if n == BLOCK {
                text = V::table(&*src.cast());
                other = text.add(chain.keystream());
                other.write_block(dst);
            } else {
                let part = InOutBuf::from_raw(src, dst, n);
                let [part, made] = part::add(u128::from_le_bytes(chain.made[1]), part);
                text = V::table(&part.to_le_bytes());
                other = V::table(&made.to_le_bytes());
            }
            chain.take(if SEAL { text } else { other }, beside);
            (src, dst, len) = (src.add(n), dst.add(n), len - n);
        }
        chain.tag()
    }
}

/// The digits of a pair, and `whitening` added.
///
/// # Safety
/// The processor has the features of `V`; `N` vectors have two blocks.
#[inline(always)]
unsafe fn digits<V: Permute, const N: usize>(pair: &Pair, whitening: [V; N]) -> [V; N] {
    let from = pair.as_ptr().cast::<u8>();
    let mut digits = whitening;
    for (i, digits) in digits.iter_mut().enumerate() {
        // SAFETY: as the caller.
        unsafe { *digits = digits.add(map(&tables::DIGITS_OF, V::read(from.add(i * size_of::<V>())))) };
    }
    digits
}
