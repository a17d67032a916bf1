//! Many messages side by side, each under a key of its own: CBC encryption and CMAC.
//!
//! With AES instructions the keys stand beside the states, lane by lane (`lane_keys`). Code without them takes the messages
//! of each key together, as if there were no others.

use core::{array, ptr};

use crate::{
    BLOCK, BlockKey, CmacKey, Kernel, Message,
    block::whole_blocks,
    chains::{self, LANES, Queue},
    cmac::split,
    wipe::apart,
};
#[cfg(vectors)]
use crate::{chains::Chains, key::RoundKeys, lane_keys::LaneKeys};

/// What a kernel's file fills in where it has AES instructions.
///
/// # Safety
/// As [`crate::block::Modes`]; keys are of its layout.
#[cfg(vectors)]
pub(crate) struct Each {
    /// How many chains it takes at once.
    pub(crate) lanes: usize,
    /// One block under each key that there is, its first byte as the least significant.
    pub(crate) blocks: unsafe fn(&[Option<&BlockKey>], &mut [u128]),
    /// That many blocks of each chain, each with a key and those all of one size: CBC encryption, and CBC-MAC.
    pub(crate) cbc_many: Many,
    pub(crate) mac_many: Many,
}

#[cfg(vectors)]
type Many = unsafe fn(&mut LaneKeys, &mut Chains, usize);

/// Bytes up to which messages overlap by themselves, one after the other, sooner than side by side. On ARM nothing
/// was timed.
#[cfg(vectors)]
const SHORT: usize = if cfg!(target_arch = "x86_64") {
    3 * BLOCK
} else {
    BLOCK
};

/// How many messages are looked through for those of one key, by code that takes them together.
const WINDOW: usize = 64;

/// # Panics
/// All of these: if a key was last expanded by a kernel with another layout, or never, if a length is not one that the
/// mode takes, or, of messages that go side by side, if `key` gives none, or one of another size, where it gave one before.
impl Kernel {
    /// [`Kernel::cbc_encrypt_many`] of messages with keys of their own: what `key` gives for what stands beside each. Where
    /// it gives none, the message stays as it is.
    pub fn cbc_encrypt_each<'k, T>(
        self,
        messages: &mut [(T, Message<'_, '_>)],
        key: impl Fn(&T) -> Option<&'k BlockKey>,
    ) {
        let mut longest = 0;
        for (owner, message) in &*messages {
            if key(owner).is_some() {
                whole_blocks(message.data.len());
                longest = longest.max(message.data.len());
            }
        }
        if longest > BLOCK {
            #[cfg(vectors)]
            if longest <= SHORT && self.modes().each.is_some() {
                for (owner, Message { iv, data }) in messages {
                    if let Some(key) = key(owner) {
                        self.cbc_encrypt(key, iv, data.reborrow());
                    }
                }
                return;
            }
            // SAFETY: a buffer's addresses are valid for its length, equal or apart, and those of another buffer are apart
            // from what is written.
            return unsafe { self.chain_each::<_, true>(&mut Encryption { messages, key }) };
        }
        for messages in messages.chunks_mut(LANES) {
            let mut blocks = [0; LANES];
            let keys = array::from_fn(|i| {
                let (owner, Message { iv, data }) = messages.get(i)?;
                // Text stays here only where it is to be encrypted.
                let key = key(owner)?;
                let text = data.get_in().try_into().ok()?;
                blocks[i] = u128::from_le_bytes(*iv) ^ u128::from_le_bytes(text);
                Some(key)
            });
            self.encrypt_blocks(&keys, &mut blocks);
            for (i, (_, Message { iv, data })) in messages.iter_mut().enumerate() {
                if keys[i].is_some() {
                    *iv = blocks[i].to_le_bytes();
                    data.get_out().copy_from_slice(iv);
                }
            }
        }
    }

    /// [`Kernel::cmac_many`] of messages with keys of their own: what `key` gives for what stands beside each. Where it
    /// gives none, the tag stays as it is.
    pub fn cmac_each<'k, T>(
        self,
        messages: &[(T, &[u8])],
        key: impl Fn(&T) -> Option<&'k CmacKey>,
        tags: &mut [[u8; BLOCK]],
    ) {
        assert_eq!(tags.len(), messages.len(), "a tag for each message");
        for (tag, _) in tags
            .iter_mut()
            .zip(messages)
            .filter(|(_, (owner, _))| key(owner).is_some())
        {
            *tag = [0; BLOCK];
        }
        let mut queue = Authentication {
            messages,
            key: |owner: &T| key(owner).map(|key| &key.key),
            values: tags,
        };
        // SAFETY: a message's address is valid for its length; nothing is written.
        unsafe { self.chain_each::<_, false>(&mut queue) };
        for (messages, tags) in messages.chunks(LANES).zip(tags.chunks_mut(LANES)) {
            apart::<1536, _>(|| self.last_each(messages, &key, tags));
        }
    }

    /// Of values before the last blocks, no more than [`LANES`], makes the tags.
    #[inline]
    fn last_each<'k, T>(
        self,
        messages: &[(T, &[u8])],
        key: impl Fn(&T) -> Option<&'k CmacKey>,
        tags: &mut [[u8; BLOCK]],
    ) {
        let mut blocks = [0; LANES];
        let keys = array::from_fn(|i| {
            let (owner, message) = messages.get(i)?;
            let key = key(owner)?;
            blocks[i] = u128::from_le_bytes(tags[i]) ^ key.last(split(message).1);
            Some(&key.key)
        });
        self.encrypt_blocks(&keys, &mut blocks);
        for (i, tag) in tags.iter_mut().enumerate() {
            if keys[i].is_some() {
                *tag = blocks[i].to_le_bytes();
            }
        }
    }

    /// One block under each key that there is.
    fn encrypt_blocks(self, keys: &[Option<&BlockKey>; LANES], blocks: &mut [u128; LANES]) {
        #[cfg(vectors)]
        if let Some(each) = &self.modes().each {
            // SAFETY: a kernel exists only where its features were found, here and below.
            return unsafe { (each.blocks)(keys, blocks) };
        }
        // What is left of it afterwards are the answers.
        let mut room = [[0; BLOCK]; LANES];
        for (i, key) in keys.iter().enumerate() {
            let Some(key) = *key else { continue };
            let is_mine = |other: &Option<&BlockKey>| other.is_some_and(|other| ptr::eq(other, key));
            if keys[..i].iter().any(is_mine) {
                continue;
            }
            let mine = |i: &usize| is_mine(&keys[*i]);
            let mut count = 0;
            for i in (i..LANES).filter(mine) {
                room[count] = blocks[i].to_le_bytes();
                count += 1;
            }
            self.ecb_encrypt(key, room[..count].as_flattened_mut().into());
            for (i, block) in (i..LANES).filter(mine).zip(room) {
                blocks[i] = u128::from_le_bytes(block);
            }
        }
    }

    /// Takes every message of `queue` that has a key through its chain: CBC encryption, or CBC-MAC.
    ///
    /// # Safety
    /// As [`chains::run`]; nothing is written for a MAC.
    unsafe fn chain_each<'k, Q: Owned<'k>, const OUT: bool>(self, queue: &mut Q) {
        let modes = self.modes();
        #[cfg(vectors)]
        if let Some(each) = &modes.each {
            let step = if OUT { each.cbc_many } else { each.mac_many };
            let rounds_of = |key: &BlockKey| key.0.rounds().encrypt.rounds;
            let of = |i| queue.owner(i).map_or(0, |key| 1u32 << rounds_of(key));
            let sizes = (0..queue.len()).map(of).fold(0, |sizes, size| sizes | size);
            for rounds in [10, 12, 14].into_iter().filter(|rounds| sizes & 1 << rounds != 0) {
                let mut keys = LaneKeys::new();
                let mut queue = Chosen::<_, _, true> {
                    queue,
                    is_chosen: |_, key: &BlockKey| rounds_of(key) == rounds,
                };
                // SAFETY: as the caller; a kernel exists only where its features were found. Every chain has a key of so many
                // rounds, since `Chosen` gives no other.
                unsafe {
                    chains::run(&mut queue, each.lanes, |chains, blocks| {
                        step(&mut keys, chains, blocks)
                    })
                };
            }
            return;
        }
        let step = if OUT { modes.cbc_many } else { modes.mac_many };
        for i in 0..queue.len() {
            let Some(key) = queue.owner(i) else { continue };
            let window = i - i % WINDOW..(i - i % WINDOW + WINDOW).min(queue.len());
            let is_mine = |other: &BlockKey| ptr::eq(other, key);
            if (window.start..i).any(|i| queue.owner(i).is_some_and(is_mine)) {
                continue;
            }
            let mut queue = Chosen::<_, _, false> {
                queue,
                is_chosen: |i, other: &BlockKey| window.contains(&i) && is_mine(other),
            };
            // SAFETY: as above.
            unsafe {
                chains::run(&mut queue, modes.lanes, |chains, blocks| {
                    step(key, chains, blocks)
                })
            };
        }
    }
}

/// Messages of which some have a key.
trait Owned<'k>: Queue {
    fn owner(&self, i: usize) -> Option<&'k BlockKey>;
}

/// Those messages whose key is chosen, `KEYS` of several.
struct Chosen<'a, Q, C, const KEYS: bool> {
    queue: &'a mut Q,
    is_chosen: C,
}

impl<'k, Q: Owned<'k>, C: Fn(usize, &BlockKey) -> bool, const KEYS: bool> Queue for Chosen<'_, Q, C, KEYS> {
    const KEYS: bool = KEYS;

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn start(&mut self, i: usize) -> (*const u8, *mut u8, usize, [u8; BLOCK]) {
        match self.queue.owner(i) {
            Some(key) if (self.is_chosen)(i, key) => self.queue.start(i),
            _ => (ptr::null(), ptr::null_mut(), 0, [0; BLOCK]),
        }
    }

    #[cfg(vectors)]
    fn key(&self, i: usize) -> *const RoundKeys {
        let key = self.queue.owner(i).filter(|key| (self.is_chosen)(i, key));
        // Else a kernel would read from nowhere, or keys that a shorter one does not have.
        let key = key.expect("a message keeps the key that it began with");
        &key.0.rounds().encrypt
    }

    fn end(&mut self, i: usize, value: [u8; BLOCK]) {
        self.queue.end(i, value);
    }
}

struct Encryption<'a, 'inp, 'out, T, K> {
    messages: &'a mut [(T, Message<'inp, 'out>)],
    key: K,
}

impl<'k, T, K: Fn(&T) -> Option<&'k BlockKey>> Owned<'k> for Encryption<'_, '_, '_, T, K> {
    fn owner(&self, i: usize) -> Option<&'k BlockKey> {
        (self.key)(&self.messages[i].0)
    }
}

impl<T, K> Queue for Encryption<'_, '_, '_, T, K> {
    fn len(&self) -> usize {
        self.messages.len()
    }

    fn start(&mut self, i: usize) -> (*const u8, *mut u8, usize, [u8; BLOCK]) {
        self.messages[i].1.start()
    }

    fn end(&mut self, i: usize, value: [u8; BLOCK]) {
        self.messages[i].1.iv = value;
    }
}

struct Authentication<'a, T, K> {
    messages: &'a [(T, &'a [u8])],
    key: K,
    values: &'a mut [[u8; BLOCK]],
}

impl<'k, T, K: Fn(&T) -> Option<&'k BlockKey>> Owned<'k> for Authentication<'_, T, K> {
    fn owner(&self, i: usize) -> Option<&'k BlockKey> {
        (self.key)(&self.messages[i].0)
    }
}

impl<T, K> Queue for Authentication<'_, T, K> {
    fn len(&self) -> usize {
        self.messages.len()
    }

    fn start(&mut self, i: usize) -> (*const u8, *mut u8, usize, [u8; BLOCK]) {
        let (body, _) = split(self.messages[i].1);
        (body.as_ptr(), ptr::null_mut(), body.len() / BLOCK, [0; BLOCK])
    }

    fn end(&mut self, i: usize, value: [u8; BLOCK]) {
        self.values[i] = value;
    }
}

#[cfg(all(test, vectors))]
mod tests {
    extern crate std;

    use core::{cell::Cell, panic::AssertUnwindSafe};
    use std::panic::catch_unwind;

    use super::*;
    use crate::Implementation;

    #[test]
    fn a_key_that_is_another_when_it_is_asked_for_again_is_not_read() {
        for kernel in Implementation::all().iter().filter_map(|all| all.kernel()) {
            if kernel.modes().each.is_none() {
                continue;
            }
            let [key, longer] = [16, 32].map(|len| {
                let mut key = BlockKey::default();
                kernel
                    .expand_block(&mut key, &[0; 32][..len])
                    .expect("a length of AES");
                key
            });
            // For the length, for the size, for the beginning, and for the key itself.
            for (then, times) in [None, Some(&longer)]
                .into_iter()
                .flat_map(|then| (0..4).map(move |times| (then, times)))
            {
                let asked = Cell::new(0);
                let message = |data| Message { iv: [0; 16], data };
                let mut data = [0; 2 * SHORT];
                let mut messages = [((), message(data.as_mut_slice().into()))];
                let ended = catch_unwind(AssertUnwindSafe(|| {
                    kernel.cbc_encrypt_each(&mut messages, |()| {
                        if asked.replace(asked.get() + 1) < times {
                            Some(&key)
                        } else {
                            then
                        }
                    });
                }));
                assert_eq!(ended.is_err(), times == 3, "{kernel:?}, {times}");
            }
        }
    }
}
