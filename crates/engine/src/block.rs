//! The block modes of a [`Kernel`], and the key they take.

use core::ptr;

use inout::InOutBuf;
use zeroize::Zeroize;

use crate::{
    BLOCK, InvalidKeyLength, Kernel, OcbKey, ccm,
    chains::{self, Chains, Message, Queue},
    key::RoundKeys,
    material::{Boxed, Expanded, Material, key},
    ocb, portable,
    span::Span,
};

/// An expanded AES key for both directions, in the layout of the kernel that expanded it.
///
/// As [`crate::Key`], it is made empty and filled in place: keep it where it is. Dropping wipes it.
#[derive(Default)]
pub struct BlockKey(pub(crate) Material<BothWays, Boxed<portable::Keys>>);

/// An expanded AES key for encryption alone, which is what XTS makes its tweaks with. Otherwise as [`BlockKey`].
#[derive(Default)]
pub struct TweakKey(pub(crate) Material<RoundKeys, Boxed<portable::Keys>>);

/// Round keys of encryption and of the equivalent inverse cipher.
pub(crate) struct BothWays {
    pub(crate) encrypt: RoundKeys,
    pub(crate) decrypt: RoundKeys,
}

impl Expanded for BothWays {
    unsafe fn make_room(place: *mut Self) {
        // SAFETY: as the caller.
        unsafe {
            RoundKeys::make_room(&raw mut (*place).encrypt);
            RoundKeys::make_room(&raw mut (*place).decrypt);
        }
    }

    /// The expansion overwrites both ([`RoundKeys::begin`]).
    fn make_way(&mut self) {}

    fn copy_from(&mut self, other: &Self) {
        self.encrypt.copy_from(&other.encrypt);
        self.decrypt.copy_from(&other.decrypt);
    }
}

impl Zeroize for BothWays {
    fn zeroize(&mut self) {
        self.encrypt.zeroize();
        self.decrypt.zeroize();
    }
}

key!(BlockKey, "Kernel::expand_block");

key!(TweakKey, "Kernel::expand_tweak");

/// What a kernel's file fills in.
///
/// # Safety
/// Of every function: the processor has the features of its [`crate::Implementation`]. Where whole blocks are asked
/// for there are no others.
pub(crate) struct Modes {
    pub(crate) expand: unsafe fn(&mut BlockKey, &[u8]),
    pub(crate) expand_tweak: unsafe fn(&mut TweakKey, &[u8]),
    /// One block, its first byte as the least significant.
    pub(crate) encrypt_block: unsafe fn(&BlockKey, u128) -> u128,
    /// Whole blocks.
    pub(crate) ecb_encrypt: Blocks,
    pub(crate) ecb_decrypt: Blocks,
    /// Whole blocks; the IV becomes the last ciphertext block.
    pub(crate) cbc_encrypt: Chained,
    pub(crate) cbc_decrypt: Chained,
    pub(crate) cfb_encrypt: Chained,
    pub(crate) cfb_decrypt: Chained,
    /// Whole blocks; the IV becomes the last block of keystream.
    pub(crate) ofb: Chained,
    /// Any length; the IV becomes the last sixteen bytes of ciphertext.
    pub(crate) cfb8_encrypt: Chained,
    pub(crate) cfb8_decrypt: Chained,
    /// At least a block.
    pub(crate) xts_encrypt: Tweaked,
    pub(crate) xts_decrypt: Tweaked,
    /// Whole blocks, chained into the value.
    pub(crate) cbc_mac: unsafe fn(&BlockKey, &mut [u8; BLOCK], &[u8]),
    /// Whole blocks of CCM's text: chained into the MAC, and counter mode from that block on, a big-endian number, whose
    /// last four bytes do not carry before the end. From the MAC so far to what it is then, the first byte the least
    /// significant.
    pub(crate) ccm_encrypt: unsafe fn(&BlockKey, u128, u128, InOutBuf<'_, '_, u8>) -> u128,
    pub(crate) ccm_decrypt: unsafe fn(&BlockKey, u128, u128, InOutBuf<'_, '_, u8>) -> u128,
    /// A whole message of CCM, where that is more than its parts.
    pub(crate) ccm: Option<ccm::Whole>,
    /// Whole blocks of OCB, from wherever the state stands.
    pub(crate) ocb_encrypt: unsafe fn(&OcbKey, &mut ocb::State, InOutBuf<'_, '_, u8>),
    pub(crate) ocb_decrypt: unsafe fn(&OcbKey, &mut ocb::State, InOutBuf<'_, '_, u8>),
    pub(crate) ocb_hash: unsafe fn(&OcbKey, &mut ocb::State, &[u8]),
    /// A whole message of OCB, where that is more than its parts.
    pub(crate) ocb: Option<ocb::Whole>,
    /// How many chains it takes at once.
    pub(crate) lanes: usize,
    /// That many blocks of each chain: CBC encryption, and CBC-MAC.
    pub(crate) cbc_many: Many,
    pub(crate) mac_many: Many,
    /// Messages under a key each, where there are AES instructions.
    #[cfg(vectors)]
    pub(crate) each: Option<crate::each::Each>,
}

/// What these two end with are the parts of a [`Span`], each in a register: three words together would lie in memory, and a
/// short call would wait for them. The third has no register left for them, and other things to do first.
type Blocks = unsafe fn(&BlockKey, *const u8, *mut u8, usize);
pub(crate) type Chained = unsafe fn(&BlockKey, &mut [u8; BLOCK], *const u8, *mut u8, usize);
type Tweaked = unsafe fn(&BlockKey, &TweakKey, u128, InOutBuf<'_, '_, u8>);
type Many = unsafe fn(&BlockKey, &mut Chains, usize);

/// # Panics
/// All of these: if a key was last expanded by a kernel with another layout, or never, or if a length is not one
/// that the mode takes.
impl Kernel {
    /// Expands `bytes` (16, 24 or 32 of them) into `key`, in place; what was there is wiped.
    pub fn expand_block(self, key: &mut BlockKey, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        InvalidKeyLength::check(bytes)?;
        // SAFETY: a kernel exists only where its features were found.
        unsafe { (self.modes().expand)(key, bytes) };
        Ok(())
    }

    /// As [`Kernel::expand_block`].
    pub fn expand_tweak(self, key: &mut TweakKey, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        InvalidKeyLength::check(bytes)?;
        // SAFETY: as above.
        unsafe { (self.modes().expand_tweak)(key, bytes) };
        Ok(())
    }

    /// Encrypts one block, its first byte as the least significant: in registers, where a call for bytes would wait for
    /// them on their way through memory.
    #[inline]
    pub(crate) fn encrypt_block(self, key: &BlockKey, block: u128) -> u128 {
        // SAFETY: as above.
        unsafe { (self.modes().encrypt_block)(key, block) }
    }

    /// Electronic codebook (SP 800-38A, section 6.1), whole blocks.
    #[inline]
    pub fn ecb_encrypt(self, key: &BlockKey, buffer: InOutBuf<'_, '_, u8>) {
        whole_blocks(buffer.len());
        let Span { src, dst, len } = Span::new(buffer);
        // SAFETY: a kernel exists only where its features were found, here and below.
        unsafe { (self.modes().ecb_encrypt)(key, src, dst, len) }
    }

    /// As [`Kernel::ecb_encrypt`], backwards.
    #[inline]
    pub fn ecb_decrypt(self, key: &BlockKey, buffer: InOutBuf<'_, '_, u8>) {
        whole_blocks(buffer.len());
        let Span { src, dst, len } = Span::new(buffer);
        // SAFETY: as above.
        unsafe { (self.modes().ecb_decrypt)(key, src, dst, len) }
    }

    /// Cipher block chaining (SP 800-38A, section 6.2), whole blocks. `iv` becomes the last ciphertext block, with
    /// which a message that goes on goes on.
    #[inline]
    pub fn cbc_encrypt(self, key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
        whole_blocks(buffer.len());
        let Span { src, dst, len } = Span::new(buffer);
        // SAFETY: as above.
        unsafe { (self.modes().cbc_encrypt)(key, iv, src, dst, len) }
    }

    /// As [`Kernel::cbc_encrypt`], backwards.
    #[inline]
    pub fn cbc_decrypt(self, key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
        whole_blocks(buffer.len());
        let Span { src, dst, len } = Span::new(buffer);
        // SAFETY: as above.
        unsafe { (self.modes().cbc_decrypt)(key, iv, src, dst, len) }
    }

    /// XTS (IEEE 1619; SP 800-38E) of one data unit of at least a block, with ciphertext stealing. `unit` is its
    /// number.
    #[inline]
    pub fn xts_encrypt(self, key: &BlockKey, tweak_key: &TweakKey, unit: u128, buffer: InOutBuf<'_, '_, u8>) {
        assert!(buffer.len() >= BLOCK, "a data unit has at least a block");
        // SAFETY: as above.
        unsafe { (self.modes().xts_encrypt)(key, tweak_key, unit, buffer) }
    }

    /// As [`Kernel::xts_encrypt`], backwards.
    #[inline]
    pub fn xts_decrypt(self, key: &BlockKey, tweak_key: &TweakKey, unit: u128, buffer: InOutBuf<'_, '_, u8>) {
        assert!(buffer.len() >= BLOCK, "a data unit has at least a block");
        // SAFETY: as above.
        unsafe { (self.modes().xts_decrypt)(key, tweak_key, unit, buffer) }
    }

    /// CBC-MAC of whole blocks, from `value` on and into it. By itself it is a MAC only of messages of one length.
    #[inline]
    pub(crate) fn cbc_mac(self, key: &BlockKey, value: &mut [u8; BLOCK], data: &[u8]) {
        whole_blocks(data.len());
        // SAFETY: as above.
        unsafe { (self.modes().cbc_mac)(key, value, data) }
    }

    /// [`Kernel::cbc_encrypt`] of many messages side by side, whatever the length of each.
    pub fn cbc_encrypt_many(self, key: &BlockKey, messages: &mut [Message<'_, '_>]) {
        let mut longest = 0;
        for message in &*messages {
            whole_blocks(message.data.len());
            longest = longest.max(message.data.len());
        }
        let modes = self.modes();
        // Those of a block overlap by themselves, one after the other.
        #[cfg(vectors)]
        if modes.each.is_some() && longest <= BLOCK {
            for Message { iv, data } in messages {
                self.cbc_encrypt(key, iv, data.reborrow());
            }
            return;
        }
        // SAFETY: as above; a buffer's addresses are valid for its length, equal or apart, and those of another
        // buffer are apart from what is written.
        unsafe {
            chains::run(&mut Encryption(messages), modes.lanes, |chains, blocks| {
                (modes.cbc_many)(key, chains, blocks);
            });
        }
    }

    /// [`Kernel::cbc_mac`] of many messages side by side, whatever the length of each: into `values[i]` what
    /// `message(i)` gives, whole blocks.
    pub(crate) fn cbc_mac_many<'a>(
        self,
        key: &BlockKey,
        values: &mut [[u8; BLOCK]],
        message: impl Fn(usize) -> &'a [u8],
    ) {
        let modes = self.modes();
        // SAFETY: as above; nothing is written to an address that the queue gives.
        unsafe {
            chains::run(
                &mut Authentication { values, message },
                modes.lanes,
                |chains, blocks| {
                    (modes.mac_many)(key, chains, blocks);
                },
            );
        }
    }
}

#[inline]
pub(crate) fn whole_blocks(len: usize) {
    if !len.is_multiple_of(BLOCK) {
        not_whole(len);
    }
}

/// A function of its own: else whoever asks stores the length, for what reads it by its address.
#[cold]
#[inline(never)]
fn not_whole(len: usize) -> ! {
    panic!("{len} bytes are not whole blocks");
}

struct Encryption<'a, 'inp, 'out>(&'a mut [Message<'inp, 'out>]);

impl Queue for Encryption<'_, '_, '_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn start(&mut self, i: usize) -> (*const u8, *mut u8, usize, [u8; BLOCK]) {
        self.0[i].start()
    }

    fn end(&mut self, i: usize, value: [u8; BLOCK]) {
        self.0[i].iv = value;
    }
}

struct Authentication<'v, M> {
    values: &'v mut [[u8; BLOCK]],
    message: M,
}

impl<'a, M: Fn(usize) -> &'a [u8]> Queue for Authentication<'_, M> {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn start(&mut self, i: usize) -> (*const u8, *mut u8, usize, [u8; BLOCK]) {
        let message = (self.message)(i);
        whole_blocks(message.len());
        (
            message.as_ptr(),
            ptr::null_mut(),
            message.len() / BLOCK,
            self.values[i],
        )
    }

    fn end(&mut self, i: usize, value: [u8; BLOCK]) {
        self.values[i] = value;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::{Feedback, Implementation, Key, Keystream};

    /// A block by itself has a way of its own, which asks by itself.
    #[test]
    fn a_key_in_another_layout_is_refused_at_every_length() {
        let kernels = || Implementation::all().iter().filter_map(|one| one.kernel());
        for kernel in kernels() {
            for other in kernels().filter(|&other| !kernel.shares_layout(other)) {
                let (mut key, mut stream_key) = (BlockKey::empty(), Key::empty());
                other.expand_block(&mut key, &[5; 16]).unwrap();
                other.expand(&mut stream_key, &[5; 16]).unwrap();
                let (mut own_key, mut tweak_key, mut own_tweak_key) =
                    (BlockKey::empty(), TweakKey::empty(), TweakKey::empty());
                kernel.expand_block(&mut own_key, &[5; 16]).unwrap();
                other.expand_tweak(&mut tweak_key, &[6; 16]).unwrap();
                kernel.expand_tweak(&mut own_tweak_key, &[6; 16]).unwrap();
                for len in [16, 32, 4096, 33, 535] {
                    let mut data = std::vec![0; len];
                    let modes = if len.is_multiple_of(BLOCK) { 0 } else { 4 }..12;
                    for mode in modes {
                        let buffer = InOutBuf::from(data.as_mut_slice());
                        let mut iv = [0; BLOCK];
                        let ended = catch_unwind(AssertUnwindSafe(|| match mode {
                            0 => kernel.ecb_encrypt(&key, buffer),
                            1 => kernel.ecb_decrypt(&key, buffer),
                            2 => kernel.cbc_encrypt(&key, &mut iv, buffer),
                            3 => kernel.cbc_decrypt(&key, &mut iv, buffer),
                            4 => kernel.xts_encrypt(&key, &own_tweak_key, 1, buffer),
                            5 => kernel.xts_decrypt(&key, &own_tweak_key, 1, buffer),
                            6 => kernel.xts_encrypt(&own_key, &tweak_key, 1, buffer),
                            7 => kernel.xts_decrypt(&own_key, &tweak_key, 1, buffer),
                            8 => kernel.cfb_encrypt(&key, &mut Feedback::new(iv), buffer),
                            9 => kernel.cfb_decrypt(&key, &mut Feedback::new(iv), buffer),
                            10 => kernel.ofb(&key, &mut Feedback::new(iv), buffer),
                            _ => kernel.ctr(&mut stream_key, &mut Keystream::new(0), buffer),
                        }));
                        assert!(
                            ended.is_err(),
                            "{kernel:?} with the key of {other:?}: mode {mode}, {len} bytes"
                        );
                    }
                    assert!(data.iter().all(|&byte| byte == 0));
                }
            }
        }
    }
}
