//! From the block modes of [`crate::Kernel`] to the generic kernels: what every vector width does alike.

use inout::InOutBuf;

use crate::{
    BLOCK, OcbKey,
    batch::{self, Mode},
    block::{BlockKey, BothWays, last_block},
    cbc::CbcDecrypt,
    ccm::{self, Start},
    cfb::CfbDecrypt,
    chains::{Chains, Message, Places},
    key::RoundKeys,
    lane_keys::{self, LaneKeys, Pointers},
    lanes::{Lanes, Multiply},
    many::Many,
    native::{Block, cbc_block, ecb_block, schedule},
    ocb,
    rounds::{Keys, Schedule, Stored, encrypt},
    serial,
    span::Span,
    xts,
};

/// # Safety
/// The caller has AES and SSSE3.
#[inline(always)]
pub(crate) unsafe fn expand(key: &mut BlockKey, bytes: &[u8]) {
    let BothWays { encrypt, decrypt } = key.0.room_for_rounds();
    // SAFETY: as the caller.
    unsafe {
        schedule::expand(encrypt, bytes);
        invert(decrypt, encrypt);
    }
}

/// The keys of the equivalent inverse cipher (FIPS 197, section 5.3.5): those of encryption in reverse, all but
/// the outer two through InvMixColumns.
///
/// # Safety
/// The caller has AES.
#[inline(always)]
unsafe fn invert(into: &mut RoundKeys, keys: &RoundKeys) {
    into.make_way(keys.rounds);
    let start = keys.start();
    into.blocks[start] = keys.blocks[14];
    into.blocks[14] = keys.blocks[start];
    for i in 1..keys.rounds {
        // SAFETY: as the caller; a vector is a block.
        unsafe {
            let key = Block::broadcast(&keys.blocks[14 - i]).inv_mix_columns();
            key.store((&raw mut into.blocks[start + i]).cast());
        }
    }
}

/// # Safety
/// The caller has AES.
#[inline(always)]
pub(crate) unsafe fn encrypt_block(key: &BlockKey, block: u128) -> u128 {
    // SAFETY: as the caller; the keys are lent for as long as they are used.
    unsafe {
        let keys = Stored::new(&key.0.rounds().encrypt);
        let state = Block::splat(block).xor(keys.front(0));
        let [block] = encrypt::<_, _, 1, 0>(keys, [state]);
        block.to_u128()
    }
}

/// The round keys of a direction.
#[inline(always)]
fn directed<const DECRYPT: bool>(key: &BlockKey) -> &RoundKeys {
    let keys = key.0.rounds();
    if DECRYPT { &keys.decrypt } else { &keys.encrypt }
}

/// # Safety
/// As [`Lanes`].
#[inline(always)]
pub(crate) unsafe fn ecb<L: Lanes, const DECRYPT: bool>(key: &BlockKey, buffer: InOutBuf<'_, '_, u8>)
where
    crate::ecb::Ecb<DECRYPT>: Mode<L>,
{
    let keys = directed::<DECRYPT>(key);
    // SAFETY: as the caller; the buffer is valid for its length, in place or apart.
    unsafe { batch::run::<L, _>(&mut crate::ecb::Ecb::<DECRYPT>, keys, Span::new(buffer)) }
}

/// As [`ecb`], no more than [`batch::FEW`] vectors.
///
/// Answers whether vector registers are to be cleared: there are ways for a block by itself that leave nothing in them.
///
/// # Safety
/// As [`ecb`].
#[inline(always)]
pub(crate) unsafe fn ecb_few<L: Lanes, const DECRYPT: bool>(
    key: &BlockKey,
    buffer: InOutBuf<'_, '_, u8>,
) -> bool
where
    crate::ecb::Ecb<DECRYPT>: Mode<L>,
{
    let keys = directed::<DECRYPT>(key);
    let span = Span::new(buffer);
    // SAFETY: as above.
    unsafe {
        if ecb_block::<DECRYPT>(keys, span) {
            return false;
        }
        batch::last_few(&mut crate::ecb::Ecb::<DECRYPT>, keys, span);
    }
    true
}

/// Answers as [`ecb_few`].
///
/// # Safety
/// As [`Lanes`]; whole blocks.
#[inline(always)]
pub(crate) unsafe fn cbc_decrypt<L: Lanes>(
    key: &BlockKey,
    iv: &mut [u8; BLOCK],
    buffer: InOutBuf<'_, '_, u8>,
) -> bool {
    let keys = &key.0.rounds().decrypt;
    let next = last_block(buffer.get_in(), iv);
    let span = Span::new(buffer);
    // SAFETY: as above.
    unsafe {
        if cbc_block::<true>(keys, iv, span) {
            return false;
        }
        let previous = L::splat(u128::from_le_bytes(*iv));
        batch::run::<L, _>(&mut CbcDecrypt { previous }, keys, span);
    }
    *iv = next;
    true
}

/// # Safety
/// As [`Lanes`]; whole blocks.
#[inline(always)]
pub(crate) unsafe fn cfb_decrypt<L: Lanes>(
    key: &BlockKey,
    iv: &mut [u8; BLOCK],
    buffer: InOutBuf<'_, '_, u8>,
) {
    let next = last_block(buffer.get_in(), iv);
    // SAFETY: as above.
    unsafe {
        let previous = L::splat(u128::from_le_bytes(*iv));
        batch::run::<L, _>(
            &mut CfbDecrypt { previous },
            &key.0.rounds().encrypt,
            Span::new(buffer),
        );
    }
    *iv = next;
}

/// # Safety
/// As [`Lanes`]; at least a block.
#[inline(always)]
pub(crate) unsafe fn xts<L: Multiply, const DECRYPT: bool>(
    key: &BlockKey,
    tweak_key: &BlockKey,
    unit: u128,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let keys = directed::<DECRYPT>(key);
    // SAFETY: as above.
    unsafe { xts::run::<L, DECRYPT>(keys, &tweak_key.0.rounds().encrypt, unit, Span::new(buffer)) }
}

/// As [`xts`], of whole blocks, no more than [`batch::FEW`] vectors.
///
/// # Safety
/// As [`Multiply`].
#[inline(always)]
pub(crate) unsafe fn xts_few<L: Multiply, const DECRYPT: bool>(
    key: &BlockKey,
    tweak_key: &BlockKey,
    unit: u128,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let keys = directed::<DECRYPT>(key);
    // SAFETY: as above.
    unsafe { xts::few::<L, DECRYPT>(keys, &tweak_key.0.rounds().encrypt, unit, Span::new(buffer)) }
}

/// As [`xts`], of one block.
///
/// # Safety
/// The caller has AES; one block.
#[inline(always)]
pub(crate) unsafe fn xts_one<const DECRYPT: bool>(
    key: &BlockKey,
    tweak_key: &BlockKey,
    unit: u128,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let keys = directed::<DECRYPT>(key);
    // SAFETY: as above.
    unsafe { xts::one::<DECRYPT>(keys, &tweak_key.0.rounds().encrypt, unit, Span::new(buffer)) }
}

/// CBC encryption of one message. Answers as [`ecb_few`].
///
/// # Safety
/// The caller has AES; whole blocks.
#[inline(always)]
pub(crate) unsafe fn cbc_encrypt(key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) -> bool {
    let keys = &key.0.rounds().encrypt;
    let span = Span::new(buffer);
    // SAFETY: as above.
    unsafe {
        if cbc_block::<false>(keys, iv, span) {
            return false;
        }
        serial::cbc::<Block, true>(keys, iv, span);
    }
    true
}

/// # Safety
/// The caller has AES.
#[inline(always)]
pub(crate) unsafe fn cfb_encrypt(key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
    // SAFETY: as above.
    unsafe { serial::cfb_encrypt::<Block>(&key.0.rounds().encrypt, iv, Span::new(buffer)) }
}

/// # Safety
/// The caller has AES.
#[inline(always)]
pub(crate) unsafe fn ofb(key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
    // SAFETY: as above.
    unsafe { serial::ofb::<Block>(&key.0.rounds().encrypt, iv, Span::new(buffer)) }
}

/// # Safety
/// The caller has AES and SSSE3.
#[inline(always)]
pub(crate) unsafe fn cfb8_encrypt(key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
    // SAFETY: as above.
    unsafe { serial::cfb8_encrypt::<Block>(&key.0.rounds().encrypt, iv, Span::new(buffer)) }
}

/// # Safety
/// The caller has AES; whole blocks.
#[inline(always)]
pub(crate) unsafe fn cbc_mac(key: &BlockKey, value: &mut [u8; BLOCK], data: &[u8]) {
    // SAFETY: as above; without output `dst` is not used.
    unsafe { serial::cbc::<Block, false>(&key.0.rounds().encrypt, value, Span::input(data)) }
}

/// # Safety
/// The caller has AES; the counters of the buffer's blocks do not carry.
#[inline(always)]
pub(crate) unsafe fn ccm<const SEAL: bool>(
    key: &BlockKey,
    start: Start,
    aad: &[u8],
    buffer: &mut InOutBuf<'_, '_, u8>,
) -> u128 {
    let keys = &key.0.rounds().encrypt;
    // SAFETY: as above.
    unsafe { ccm::vector::whole::<Block, SEAL>(keys, start, aad, Span::new(buffer.reborrow())).to_u128() }
}

/// # Safety
/// The caller has AES; whole blocks; the counter's last four bytes do not carry before the buffer's end.
#[inline(always)]
pub(crate) unsafe fn ccm_blocks<const SEAL: bool>(
    key: &BlockKey,
    value: u128,
    counter: u128,
    buffer: InOutBuf<'_, '_, u8>,
) -> u128 {
    let keys = &key.0.rounds().encrypt;
    // SAFETY: as above.
    unsafe { ccm::vector::blocks::<Block, SEAL>(keys, value, counter, Span::new(buffer)).to_u128() }
}

/// # Safety
/// As [`Multiply`]; whole blocks.
#[inline(always)]
pub(crate) unsafe fn ocb<L: Multiply, const DECRYPT: bool>(
    key: &OcbKey,
    state: &mut ocb::State,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let keys = directed::<DECRYPT>(&key.key);
    // SAFETY: as above.
    unsafe { ocb::vector::run::<L, DECRYPT, true>(keys, &key.moves, state, Span::new(buffer)) }
}

/// # Safety
/// As [`Multiply`]; whole blocks.
#[inline(always)]
pub(crate) unsafe fn ocb_hash<L: Multiply>(key: &OcbKey, state: &mut ocb::State, data: &[u8]) {
    let keys = &key.key.0.rounds().encrypt;
    // SAFETY: as above; without output `dst` is not used.
    unsafe { ocb::vector::run::<L, false, false>(keys, &key.moves, state, Span::input(data)) }
}

/// # Safety
/// As [`Multiply`].
#[inline(always)]
pub(crate) unsafe fn ocb_whole<L: Multiply, const DECRYPT: bool>(
    key: &OcbKey,
    start: ocb::Start,
    aad: &[u8],
    buffer: &mut InOutBuf<'_, '_, u8>,
) -> u128 {
    // SAFETY: as above.
    unsafe {
        ocb::vector::whole::<L, DECRYPT>(
            key.key.0.rounds(),
            &key.moves,
            start,
            aad,
            Span::new(buffer.reborrow()),
        )
    }
}

/// # Safety
/// The caller has AES; whole blocks.
#[inline(always)]
pub(crate) unsafe fn cbc_each(key: &BlockKey, messages: &mut [Message<'_, '_>]) {
    for Message { iv, data } in messages {
        // SAFETY: as above.
        unsafe { cbc_encrypt(key, iv, data.reborrow()) };
    }
}

/// # Safety
/// As [`Many::run`].
#[inline(always)]
pub(crate) unsafe fn many<L: Lanes, const OUT: bool>(key: &BlockKey, chains: &mut Chains, blocks: usize) {
    let keys = &key.0.rounds().encrypt;
    // SAFETY: as the caller. The keys are lent for as long as they are used.
    unsafe {
        if chains.active == 1 {
            alone::<OUT>(keys, chains, blocks);
        } else if chains.active <= 4 * L::BLOCKS {
            L::Many::run::<_, 4, OUT>(L::Keys::of(keys), chains, blocks);
        } else {
            L::Many::run::<_, 8, OUT>(L::Keys::of(keys), chains, blocks);
        }
    }
}

/// As [`many`], under the key of each, all of one size.
///
/// # Safety
/// As [`Many::run`]; the chains have a key for each lane.
#[inline(always)]
pub(crate) unsafe fn many_keys<L: Lanes, const OUT: bool>(
    keys: &mut LaneKeys,
    chains: &mut Chains,
    blocks: usize,
) {
    // SAFETY: as the caller.
    unsafe {
        if chains.active == 1 {
            let key = &**chains.keys();
            alone::<OUT>(key, chains, blocks);
        } else if chains.active <= 4 * L::BLOCKS {
            if L::BLOCKS == 1 {
                L::Many::run::<_, 4, OUT>(Pointers::<4>::of(chains), chains, blocks);
            } else {
                L::Many::run::<_, 4, OUT>(keys.of::<L, 4>(chains), chains, blocks);
            }
        } else if L::BLOCKS == 1 {
            L::Many::run::<_, 8, OUT>(Pointers::<8>::of(chains), chains, blocks);
        } else if lane_keys::vectors::<L>() == 8 {
            L::Many::run::<_, 8, OUT>(keys.of::<L, 8>(chains), chains, blocks);
        }
    }
}

/// One chain, which has its blocks in one piece.
///
/// # Safety
/// As [`Many::run`].
#[inline(always)]
unsafe fn alone<const OUT: bool>(keys: &RoundKeys, chains: &mut Chains, blocks: usize) {
    let Places { lanes, values, .. } = chains.places();
    // SAFETY: as the caller; the first lane is there.
    unsafe {
        let span = Span {
            src: (*lanes).src,
            dst: (*lanes).dst,
            len: blocks * BLOCK,
        };
        serial::cbc::<Block, OUT>(keys, &mut *values, span);
    }
}

/// One block under each key that there is.
///
/// # Safety
/// The caller has AES.
#[inline(always)]
pub(crate) unsafe fn encrypt_blocks(keys: &[Option<&BlockKey>], blocks: &mut [u128]) {
    for (key, block) in keys.iter().zip(blocks) {
        if let Some(key) = key {
            // SAFETY: as the caller.
            *block = unsafe { encrypt_block(key, *block) };
        }
    }
}

/// The block modes of one vector type: its thin wrappers, as those of [`super`].
macro_rules! block_modes {
    ($lanes:ty, $features:literal, $clear:path) => {
        mod block {
            use inout::InOutBuf;

            use super::*;
            use $crate::{
                BLOCK, OcbKey,
                block::{BlockKey, Modes},
                ccm::{Start, Whole},
                chains::{Chains, Message},
                each::Each,
                entry::block as generic,
                lane_keys::LaneKeys,
                ocb::{self, State},
            };

            pub(super) const MODES: Modes = Modes {
                expand,
                encrypt_block,
                ecb_encrypt,
                ecb_decrypt,
                cbc_encrypt,
                cbc_decrypt,
                cfb_encrypt,
                cfb_decrypt,
                ofb,
                cfb8_encrypt,
                xts_encrypt,
                xts_decrypt,
                cbc_mac,
                ccm_encrypt,
                ccm_decrypt,
                ccm: Some(Whole {
                    seal: ccm_seal,
                    open: ccm_open,
                }),
                ocb_encrypt,
                ocb_decrypt,
                ocb_hash,
                ocb: Some(ocb::Whole {
                    seal: ocb_seal,
                    open: ocb_open,
                }),
                cbc_each: Some(cbc_each),
                lanes: 8 * <$lanes as Lanes>::BLOCKS,
                cbc_many,
                mac_many,
                each: Some(Each {
                    lanes: $crate::lane_keys::vectors::<$lanes>() * <$lanes as Lanes>::BLOCKS,
                    blocks: encrypt_blocks,
                    cbc_many: cbc_many_keys,
                    mac_many: mac_many_keys,
                }),
            };

            type Buffer<'inp, 'out> = InOutBuf<'inp, 'out, u8>;
            type Iv = [u8; BLOCK];
            const FEW: usize = $crate::batch::FEW * <$lanes as Lanes>::BYTES;

            unsafe fn ecb_encrypt(key: &BlockKey, buffer: Buffer<'_, '_>) {
                // SAFETY: passed on.
                unsafe { ecb::<false>(key, buffer) }
            }

            unsafe fn ecb_decrypt(key: &BlockKey, buffer: Buffer<'_, '_>) {
                // SAFETY: passed on.
                unsafe { ecb::<true>(key, buffer) }
            }

            // What is short passes no more than it needs.
            #[inline(always)]
            unsafe fn ecb<const DECRYPT: bool>(key: &BlockKey, buffer: Buffer<'_, '_>) {
                let len = buffer.len();
                // SAFETY: passed on.
                unsafe {
                    if len <= FEW {
                        return ecb_few::<DECRYPT>(key, buffer);
                    }
                    ecb_long::<DECRYPT>(key, buffer);
                }
                // Of twelve vectors in flight, as there are in messages of more than sixteen, some may have been on the stack: with the
                // output, the state of a last round tells its key.
                if <$lanes as Lanes>::FEW_REGISTERS && len > 16 * <$lanes>::BYTES {
                    zeroize::zeroize_stack::<{ 4 * <$lanes>::BYTES }>();
                }
            }

            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn ecb_long<const DECRYPT: bool>(key: &BlockKey, buffer: Buffer<'_, '_>)
            where
                $crate::ecb::Ecb<DECRYPT>: $crate::batch::Mode<$lanes>,
            {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    generic::ecb::<$lanes, DECRYPT>(key, buffer);
                    $clear();
                }
            }

            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn ecb_few<const DECRYPT: bool>(key: &BlockKey, buffer: Buffer<'_, '_>)
            where
                $crate::ecb::Ecb<DECRYPT>: $crate::batch::Mode<$lanes>,
            {
                // SAFETY: as above.
                unsafe {
                    if generic::ecb_few::<$lanes, DECRYPT>(key, buffer) {
                        $clear();
                    }
                }
            }

            #[target_feature(enable = $features)]
            unsafe fn cbc_encrypt(key: &BlockKey, iv: &mut Iv, buffer: Buffer<'_, '_>) {
                // SAFETY: as above.
                unsafe {
                    if generic::cbc_encrypt(key, iv, buffer) {
                        $clear();
                    }
                }
            }

            #[target_feature(enable = $features)]
            unsafe fn cbc_decrypt(key: &BlockKey, iv: &mut Iv, buffer: Buffer<'_, '_>) {
                // SAFETY: as above.
                unsafe {
                    if generic::cbc_decrypt::<$lanes>(key, iv, buffer) {
                        $clear();
                    }
                }
            }

            // One block is apart, and so are few vectors, for the registers and the stack that longer units take.
            unsafe fn xts_encrypt(key: &BlockKey, other: &BlockKey, unit: u128, buffer: Buffer<'_, '_>) {
                // SAFETY: passed on.
                unsafe {
                    match buffer.len() {
                        BLOCK => xts_encrypt_one(key, other, unit, buffer),
                        len if len <= FEW && len.is_multiple_of(BLOCK) => xts_encrypt_few(key, other, unit, buffer),
                        _ => xts_encrypt_long(key, other, unit, buffer),
                    }
                }
            }

            unsafe fn xts_decrypt(key: &BlockKey, other: &BlockKey, unit: u128, buffer: Buffer<'_, '_>) {
                // SAFETY: passed on.
                unsafe {
                    match buffer.len() {
                        BLOCK => xts_decrypt_one(key, other, unit, buffer),
                        len if len <= FEW && len.is_multiple_of(BLOCK) => xts_decrypt_few(key, other, unit, buffer),
                        _ => xts_decrypt_long(key, other, unit, buffer),
                    }
                }
            }

            $crate::entry::block::wrappers! {
                $features, $clear;
                expand(key: &mut BlockKey, bytes: &[u8]) = expand;
                encrypt_block(key: &BlockKey, block: u128) -> u128 = encrypt_block;
                cfb_encrypt(key: &BlockKey, iv: &mut Iv, buffer: Buffer<'_, '_>) = cfb_encrypt;
                cfb_decrypt(key: &BlockKey, iv: &mut Iv, buffer: Buffer<'_, '_>) = cfb_decrypt::<$lanes>;
                ofb(key: &BlockKey, iv: &mut Iv, buffer: Buffer<'_, '_>) = ofb;
                cfb8_encrypt(key: &BlockKey, iv: &mut Iv, buffer: Buffer<'_, '_>) = cfb8_encrypt;
                xts_encrypt_long(key: &BlockKey, other: &BlockKey, unit: u128, buffer: Buffer<'_, '_>) =
                    xts::<$lanes, false>;
                xts_encrypt_few(key: &BlockKey, other: &BlockKey, unit: u128, buffer: Buffer<'_, '_>) =
                    xts_few::<$lanes, false>;
                xts_encrypt_one(key: &BlockKey, other: &BlockKey, unit: u128, buffer: Buffer<'_, '_>) =
                    xts_one::<false>;
                xts_decrypt_long(key: &BlockKey, other: &BlockKey, unit: u128, buffer: Buffer<'_, '_>) =
                    xts::<$lanes, true>;
                xts_decrypt_few(key: &BlockKey, other: &BlockKey, unit: u128, buffer: Buffer<'_, '_>) =
                    xts_few::<$lanes, true>;
                xts_decrypt_one(key: &BlockKey, other: &BlockKey, unit: u128, buffer: Buffer<'_, '_>) =
                    xts_one::<true>;
                cbc_mac(key: &BlockKey, value: &mut Iv, data: &[u8]) = cbc_mac;
                ccm_encrypt(key: &BlockKey, value: u128, counter: u128, buffer: Buffer<'_, '_>) -> u128 =
                    ccm_blocks::<true>;
                ccm_decrypt(key: &BlockKey, value: u128, counter: u128, buffer: Buffer<'_, '_>) -> u128 =
                    ccm_blocks::<false>;
                ccm_seal(key: &BlockKey, start: Start, aad: &[u8], buffer: &mut Buffer<'_, '_>) -> u128 = ccm::<true>;
                ccm_open(key: &BlockKey, start: Start, aad: &[u8], buffer: &mut Buffer<'_, '_>) -> u128 = ccm::<false>;
                ocb_encrypt(key: &OcbKey, state: &mut State, buffer: Buffer<'_, '_>) = ocb::<$lanes, false>;
                ocb_decrypt(key: &OcbKey, state: &mut State, buffer: Buffer<'_, '_>) = ocb::<$lanes, true>;
                ocb_hash(key: &OcbKey, state: &mut State, data: &[u8]) = ocb_hash::<$lanes>;
                ocb_seal(key: &OcbKey, start: ocb::Start, aad: &[u8], buffer: &mut Buffer<'_, '_>) -> u128 = ocb_whole::<$lanes, false>;
                ocb_open(key: &OcbKey, start: ocb::Start, aad: &[u8], buffer: &mut Buffer<'_, '_>) -> u128 = ocb_whole::<$lanes, true>;
                cbc_each(key: &BlockKey, messages: &mut [Message<'_, '_>]) = cbc_each;
                cbc_many(key: &BlockKey, chains: &mut Chains, blocks: usize) = many::<$lanes, true>;
                mac_many(key: &BlockKey, chains: &mut Chains, blocks: usize) = many::<$lanes, false>;
                encrypt_blocks(keys: &[Option<&BlockKey>], blocks: &mut [u128]) = encrypt_blocks;
                cbc_many_keys(keys: &mut LaneKeys, chains: &mut Chains, blocks: usize) = many_keys::<$lanes, true>;
                mac_many_keys(keys: &mut LaneKeys, chains: &mut Chains, blocks: usize) = many_keys::<$lanes, false>;
            }
        }
    };
}

macro_rules! wrappers {
    ($features:literal, $clear:path;
     $($name:ident($($argument:ident: $type:ty),*) $(-> $answer:ty)? = $kernel:ident $(::<$($parameter:tt),*>)?;)*) => {
        $(
            #[target_feature(enable = $features)]
            unsafe fn $name($($argument: $type),*) $(-> $answer)? {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    let answer = generic::$kernel$(::<$($parameter),*>)?($($argument),*);
                    $clear();
                    answer
                }
            }
        )*
    };
}

pub(crate) use {block_modes, wrappers};
