//! From the block modes of [`crate::Kernel`] to the generic kernels: what every vector width does alike.

use inout::InOutBuf;

use crate::{
    BLOCK, OcbKey,
    batch::{self, Mode},
    block::{BlockKey, BothWays, TweakKey},
    cbc::CbcDecrypt,
    ccm::{self, Start},
    cfb::CfbDecrypt,
    cfb8::{self, vector::Windows},
    chains::{Chains, Places},
    feedback::Fed,
    key::RoundKeys,
    lane_keys::{self, LaneKeys, Pointers},
    lanes::{Lanes, Multiply},
    many::Many,
    native::{self, Block, schedule},
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

/// # Safety
/// The caller has AES and SSSE3.
#[inline(always)]
pub(crate) unsafe fn expand_tweak(key: &mut TweakKey, bytes: &[u8]) {
    // SAFETY: as the caller.
    unsafe { schedule::expand(key.0.room_for_rounds(), bytes) }
}

/// The keys of the equivalent inverse cipher (FIPS 197, section 5.3.5): those of encryption in reverse, all but
/// the outer two through InvMixColumns.
///
/// # Safety
/// The caller has AES.
#[inline(always)]
unsafe fn invert(into: &mut RoundKeys, keys: &RoundKeys) {
    into.begin(keys.rounds);
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
    way::<DECRYPT>(key.0.rounds())
}

#[inline(always)]
fn way<const DECRYPT: bool>(keys: &BothWays) -> &RoundKeys {
    if DECRYPT { &keys.decrypt } else { &keys.encrypt }
}

/// # Safety
/// As [`Lanes`].
#[inline(always)]
pub(crate) unsafe fn ecb<L: Lanes, const DECRYPT: bool>(key: &BlockKey, span: Span)
where
    crate::ecb::Ecb<DECRYPT>: Mode<L>,
{
    let keys = directed::<DECRYPT>(key);
    // SAFETY: as the caller; the span is valid, in place or apart.
    unsafe { batch::run::<L, _>(&mut crate::ecb::Ecb::<DECRYPT>, keys, span) }
}

/// As [`ecb`], no more than [`batch::SHORT`] vectors.
///
/// # Safety
/// As [`ecb`].
#[inline(always)]
pub(crate) unsafe fn ecb_short<L: Lanes, const DECRYPT: bool>(key: &BlockKey, span: Span)
where
    crate::ecb::Ecb<DECRYPT>: Mode<L>,
{
    let keys = directed::<DECRYPT>(key);
    // SAFETY: as above.
    unsafe { batch::last_short(&mut crate::ecb::Ecb::<DECRYPT>, keys, span) }
}

/// As [`ecb`], no more than [`Few::MOST`](crate::few::Few::MOST) bytes.
///
/// # Safety
/// As [`ecb`].
#[inline(always)]
pub(crate) unsafe fn ecb_few<L: Lanes, const DECRYPT: bool>(key: &BlockKey, span: Span) {
    // SAFETY: as above.
    unsafe { L::ecb::<DECRYPT>(directed::<DECRYPT>(key), span) }
}

/// A block by itself, where there is a way for it that leaves nothing in vector registers. Answers whether it was taken.
///
/// # Safety
/// The caller has AES; the span is valid, in place or apart.
#[inline(always)]
pub(crate) unsafe fn ecb_block<const DECRYPT: bool>(key: &BlockKey, span: Span) -> bool {
    match key.0.as_rounds() {
        // SAFETY: as the caller.
        Some(keys) => unsafe { native::ecb_block::<DECRYPT>(way::<DECRYPT>(keys), span) },
        None => false,
    }
}

/// As [`ecb_block`], in CBC.
///
/// # Safety
/// As [`ecb_block`].
#[inline(always)]
pub(crate) unsafe fn cbc_block<const DECRYPT: bool>(
    key: &BlockKey,
    iv: &mut [u8; BLOCK],
    span: Span,
) -> bool {
    match key.0.as_rounds() {
        // SAFETY: as the caller.
        Some(keys) => unsafe { native::cbc_block::<DECRYPT>(way::<DECRYPT>(keys), iv, span) },
        None => false,
    }
}

/// As [`ecb_block`], in XTS.
///
/// # Safety
/// As [`ecb_block`].
#[inline(always)]
pub(crate) unsafe fn xts_block<const DECRYPT: bool>(
    key: &BlockKey,
    tweak_key: &TweakKey,
    unit: u128,
    span: Span,
) -> bool {
    match (key.0.as_rounds(), tweak_key.0.as_rounds()) {
        // SAFETY: as the caller.
        (Some(keys), Some(tweak_keys)) => unsafe {
            native::xts_block::<DECRYPT>(way::<DECRYPT>(keys), tweak_keys, unit, span)
        },
        _ => false,
    }
}

/// A few blocks, each of which waits for the one before it, in CBC: whether they are taken.
///
/// # Safety
/// As [`ecb_block`]; whole blocks.
#[inline(always)]
pub(crate) unsafe fn cbc_chain<L: Lanes>(key: &BlockKey, iv: &mut [u8; BLOCK], span: Span) -> bool {
    match key.0.as_rounds() {
        // SAFETY: as the caller.
        Some(keys) if L::FEW_REGISTERS => unsafe { native::cbc_chain::<false>(&keys.encrypt, iv, span) },
        // SAFETY: as the caller.
        Some(keys) => unsafe { native::cbc_chain::<true>(&keys.encrypt, iv, span) },
        None => false,
    }
}

/// As [`ecb_block`], in CFB or OFB.
///
/// # Safety
/// As [`ecb_block`].
#[inline(always)]
pub(crate) unsafe fn fed_back_block(fed_back: Fed, key: &BlockKey, iv: &mut [u8; BLOCK], span: Span) -> bool {
    match key.0.as_rounds() {
        // SAFETY: as the caller.
        Some(keys) => unsafe { native::fed_back_block(fed_back, &keys.encrypt, iv, span) },
        None => false,
    }
}

/// # Safety
/// As [`Lanes`]; whole blocks.
#[inline(always)]
pub(crate) unsafe fn cbc_decrypt<L: Lanes>(key: &BlockKey, iv: &mut [u8; BLOCK], span: Span) {
    // SAFETY: as above.
    unsafe {
        let next = span.last_block(iv);
        let previous = L::splat(u128::from_le_bytes(*iv));
        batch::run::<L, _>(&mut CbcDecrypt { previous }, &key.0.rounds().decrypt, span);
        *iv = next;
    }
}

/// As [`cbc_decrypt`], no more than [`Few::MOST`](crate::few::Few::MOST) bytes.
///
/// # Safety
/// As [`cbc_decrypt`].
#[inline(always)]
pub(crate) unsafe fn cbc_few<L: Lanes>(key: &BlockKey, iv: &mut [u8; BLOCK], span: Span) {
    // SAFETY: as above.
    unsafe { L::cbc_decrypt(&key.0.rounds().decrypt, iv, span) }
}

/// # Safety
/// As [`Lanes`]; whole blocks.
#[inline(always)]
pub(crate) unsafe fn cfb_decrypt<L: Lanes>(key: &BlockKey, iv: &mut [u8; BLOCK], span: Span) {
    // SAFETY: as above.
    unsafe {
        let next = span.last_block(iv);
        let previous = L::splat(u128::from_le_bytes(*iv));
        batch::run::<L, _>(&mut CfbDecrypt { previous }, &key.0.rounds().encrypt, span);
        *iv = next;
    }
}

/// As [`cfb_decrypt`], no more than [`Few::MOST`](crate::few::Few::MOST) bytes.
///
/// # Safety
/// As [`cfb_decrypt`].
#[inline(always)]
pub(crate) unsafe fn cfb_few<L: Lanes>(key: &BlockKey, iv: &mut [u8; BLOCK], span: Span) {
    // SAFETY: as above.
    unsafe { L::cfb_decrypt(&key.0.rounds().encrypt, iv, span) }
}

/// # Safety
/// As [`xts::run`].
#[inline(always)]
pub(crate) unsafe fn xts<L: Multiply, const DECRYPT: bool, const STEALS: bool>(
    key: &BlockKey,
    tweak_key: &TweakKey,
    unit: u128,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let keys = directed::<DECRYPT>(key);
    // SAFETY: as above.
    unsafe { xts::run::<L, DECRYPT, STEALS>(keys, tweak_key.0.rounds(), unit, Span::new(buffer)) }
}

/// As [`xts`], of whole blocks, no more than [`batch::SHORT`] vectors.
///
/// # Safety
/// As [`Multiply`].
#[inline(always)]
pub(crate) unsafe fn xts_short<L: Multiply, const DECRYPT: bool>(
    key: &BlockKey,
    tweak_key: &TweakKey,
    unit: u128,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let keys = directed::<DECRYPT>(key);
    // SAFETY: as above.
    unsafe { xts::short::<L, DECRYPT>(keys, tweak_key.0.rounds(), unit, Span::new(buffer)) }
}

/// As [`xts`], of whole blocks, no more than [`Few::MOST`](crate::few::Few::MOST) bytes.
///
/// # Safety
/// As [`Multiply`].
#[inline(always)]
pub(crate) unsafe fn xts_few<L: Multiply, const DECRYPT: bool>(
    key: &BlockKey,
    tweak_key: &TweakKey,
    unit: u128,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let keys = directed::<DECRYPT>(key);
    // SAFETY: as above.
    unsafe { L::xts::<DECRYPT>(keys, tweak_key.0.rounds(), unit, Span::new(buffer)) }
}

/// CBC encryption of one message.
///
/// # Safety
/// The caller has AES; whole blocks.
#[inline(always)]
pub(crate) unsafe fn cbc_encrypt(key: &BlockKey, iv: &mut [u8; BLOCK], span: Span) {
    // SAFETY: as above.
    unsafe { serial::cbc::<Block, true>(&key.0.rounds().encrypt, iv, span) }
}

/// # Safety
/// The caller has AES.
#[inline(always)]
pub(crate) unsafe fn cfb_encrypt(key: &BlockKey, iv: &mut [u8; BLOCK], span: Span) {
    // SAFETY: as above.
    unsafe { serial::cfb_encrypt::<Block>(&key.0.rounds().encrypt, iv, span) }
}

/// # Safety
/// The caller has AES.
#[inline(always)]
pub(crate) unsafe fn ofb(key: &BlockKey, iv: &mut [u8; BLOCK], span: Span) {
    // SAFETY: as above.
    unsafe { serial::ofb::<Block>(&key.0.rounds().encrypt, iv, span) }
}

/// # Safety
/// The caller has AES and SSSE3.
#[inline(always)]
pub(crate) unsafe fn cfb8_encrypt(key: &BlockKey, iv: &mut [u8; BLOCK], span: Span) {
    // SAFETY: as above.
    unsafe { serial::cfb8_encrypt::<Block>(&key.0.rounds().encrypt, iv, span) }
}

/// # Safety
/// As [`Lanes`].
#[inline(always)]
pub(crate) unsafe fn cfb8_decrypt<L: Windows>(key: &BlockKey, iv: &mut [u8; BLOCK], span: Span) {
    // SAFETY: as above.
    unsafe { cfb8::vector::decrypt::<L>(&key.0.rounds().encrypt, iv, span) }
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
            let key = &**chains.places().keys;
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

/// In the place of a function that clears registers, where kernels clear what they take.
///
/// # Safety
/// Always: it is called as the others are.
#[inline(always)]
pub(crate) unsafe fn nothing_to_clear() {}

/// The block modes of one vector type: its thin wrappers, as those of [`super`].
macro_rules! block_modes {
    ($lanes:ty, $features:literal, $clear:path) => {
        mod block {
            use inout::InOutBuf;

            use super::*;
            use $crate::{
                BLOCK, OcbKey,
                block::{BlockKey, Modes, TweakKey},
                ccm::{Start, Whole},
                chains::Chains,
                each::Each,
                entry::block as generic,
                feedback::Fed,
                lane_keys::LaneKeys,
                ocb::{self, State},
                span::Span,
            };

            pub(super) const MODES: Modes = Modes {
                expand,
                expand_tweak,
                encrypt_block,
                ecb_encrypt,
                ecb_decrypt,
                cbc_encrypt,
                cbc_decrypt,
                cfb_encrypt,
                cfb_decrypt,
                ofb,
                cfb8_encrypt,
                cfb8_decrypt,
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

            /// Whether a call is for what [`Few`](crate::few::Few) has.
            #[inline(always)]
            fn is_few(len: usize) -> bool {
                <$lanes as $crate::few::Few>::HAS && 0 < len && len <= <$lanes as $crate::few::Few>::MOST
            }

            /// Whether a call is for [`batch::last_short`](crate::batch::last_short). No code is made for any where [`Few`](crate::few::Few)
            /// has as many vectors.
            #[inline(always)]
            fn is_short(len: usize) -> bool {
                !<$lanes as $crate::few::Few>::HAS && len <= $crate::batch::SHORT * <$lanes as Lanes>::BYTES
            }

            $crate::entry::named! {
                ecb_encrypt(key: &BlockKey, src: *const u8, dst: *mut u8, len: usize) = ecb::<false>;
                ecb_decrypt(key: &BlockKey, src: *const u8, dst: *mut u8, len: usize) = ecb::<true>;
                cbc_encrypt(key: &BlockKey, iv: &mut Iv, src: *const u8, dst: *mut u8, len: usize) = cbc::<false>;
                cbc_decrypt(key: &BlockKey, iv: &mut Iv, src: *const u8, dst: *mut u8, len: usize) = cbc::<true>;
                cfb_encrypt(key: &BlockKey, iv: &mut Iv, src: *const u8, dst: *mut u8, len: usize) = cfb::<false>;
                cfb_decrypt(key: &BlockKey, iv: &mut Iv, src: *const u8, dst: *mut u8, len: usize) = cfb::<true>;
                xts_encrypt(key: &BlockKey, other: &TweakKey, unit: u128, buffer: Buffer<'_, '_>) = xts::<false>;
                xts_decrypt(key: &BlockKey, other: &TweakKey, unit: u128, buffer: Buffer<'_, '_>) = xts::<true>;
            }

            // What is short passes no more than it needs: one block nothing else, and few vectors neither the registers nor the
            // stack that more take.
            #[inline(always)]
            unsafe fn ecb<const DECRYPT: bool>(key: &BlockKey, src: *const u8, dst: *mut u8, len: usize) {
                // SAFETY: passed on.
                unsafe {
                    if generic::ecb_block::<DECRYPT>(key, Span { src, dst, len }) {
                        return;
                    }
                    if is_few(len) {
                        return ecb_few::<DECRYPT>(key, src, dst, len);
                    }
                    if is_short(len) {
                        return ecb_short::<DECRYPT>(key, src, dst, len);
                    }
                    ecb_more::<DECRYPT>(key, src, dst, len);
                }
            }

            #[inline(never)]
            unsafe fn ecb_more<const DECRYPT: bool>(key: &BlockKey, src: *const u8, dst: *mut u8, len: usize) {
                // SAFETY: passed on.
                unsafe { ecb_long::<DECRYPT>(key, src, dst, len) };
                // Of twelve vectors in flight, as there are in messages of more than sixteen, some may have been on the stack: with the
                // output, the state of a last round tells its key.
                if <$lanes as Lanes>::FEW_REGISTERS && len > 16 * <$lanes>::BYTES {
                    zeroize::zeroize_stack::<{ 4 * <$lanes>::BYTES }>();
                }
            }

            #[inline(always)]
            unsafe fn cbc<const DECRYPT: bool>(key: &BlockKey, iv: &mut Iv, src: *const u8, dst: *mut u8, len: usize) {
                // SAFETY: passed on.
                unsafe {
                    if generic::cbc_block::<DECRYPT>(key, iv, Span { src, dst, len }) {
                        return;
                    }
                    match DECRYPT {
                        true if is_few(len) => cbc_few(key, iv, src, dst, len),
                        true => cbc_decrypt_long(key, iv, src, dst, len),
                        false if generic::cbc_chain::<$lanes>(key, iv, Span { src, dst, len }) => {}
                        false => cbc_encrypt_long(key, iv, src, dst, len),
                    }
                }
            }

            #[inline(always)]
            unsafe fn cfb<const DECRYPT: bool>(key: &BlockKey, iv: &mut Iv, src: *const u8, dst: *mut u8, len: usize) {
                let fed_back = if DECRYPT { Fed::Input } else { Fed::Output };
                // SAFETY: passed on.
                unsafe {
                    if generic::fed_back_block(fed_back, key, iv, Span { src, dst, len }) {
                        return;
                    }
                    match DECRYPT {
                        true if is_few(len) => cfb_few(key, iv, src, dst, len),
                        true => cfb_decrypt_long(key, iv, src, dst, len),
                        false => cfb_encrypt_long(key, iv, src, dst, len),
                    }
                }
            }

            unsafe fn ofb(key: &BlockKey, iv: &mut Iv, src: *const u8, dst: *mut u8, len: usize) {
                // SAFETY: passed on.
                unsafe {
                    if !generic::fed_back_block(Fed::Keystream, key, iv, Span { src, dst, len }) {
                        ofb_long(key, iv, src, dst, len);
                    }
                }
            }

            #[inline(always)]
            unsafe fn xts<const DECRYPT: bool>(key: &BlockKey, other: &TweakKey, unit: u128, mut buffer: Buffer<'_, '_>) {
                // SAFETY: passed on.
                unsafe {
                    if generic::xts_block::<DECRYPT>(key, other, unit, Span::new(buffer.reborrow())) {
                        return;
                    }
                    match buffer.len() {
                        len if !len.is_multiple_of(BLOCK) => xts_stealing::<DECRYPT>(key, other, unit, buffer),
                        len if is_few(len) => xts_few::<DECRYPT>(key, other, unit, buffer),
                        len if is_short(len) => xts_short::<DECRYPT>(key, other, unit, buffer),
                        _ => xts_long::<DECRYPT>(key, other, unit, buffer),
                    }
                }
            }

            $crate::entry::block::wrappers! {
                $features, $crate::entry::block::nothing_to_clear;
                <DECRYPT> ecb_few(key: &BlockKey; src, dst, len) = ecb_few::<$lanes, DECRYPT>;
                cbc_few(key: &BlockKey, iv: &mut Iv; src, dst, len) = cbc_few::<$lanes>;
                cfb_few(key: &BlockKey, iv: &mut Iv; src, dst, len) = cfb_few::<$lanes>;
                <DECRYPT> xts_few(key: &BlockKey, other: &TweakKey, unit: u128, buffer: Buffer<'_, '_>) =
                    xts_few::<$lanes, DECRYPT>;
            }

            $crate::entry::block::wrappers! {
                $features, $clear;
                expand(key: &mut BlockKey, bytes: &[u8]) = expand;
                expand_tweak(key: &mut TweakKey, bytes: &[u8]) = expand_tweak;
                encrypt_block(key: &BlockKey, block: u128) -> u128 = encrypt_block;
                <DECRYPT> ecb_short(key: &BlockKey; src, dst, len) = ecb_short::<$lanes, DECRYPT>;
                <DECRYPT> ecb_long(key: &BlockKey; src, dst, len) = ecb::<$lanes, DECRYPT>;
                cbc_encrypt_long(key: &BlockKey, iv: &mut Iv; src, dst, len) = cbc_encrypt;
                cbc_decrypt_long(key: &BlockKey, iv: &mut Iv; src, dst, len) = cbc_decrypt::<$lanes>;
                cfb_encrypt_long(key: &BlockKey, iv: &mut Iv; src, dst, len) = cfb_encrypt;
                cfb_decrypt_long(key: &BlockKey, iv: &mut Iv; src, dst, len) = cfb_decrypt::<$lanes>;
                ofb_long(key: &BlockKey, iv: &mut Iv; src, dst, len) = ofb;
                cfb8_encrypt(key: &BlockKey, iv: &mut Iv; src, dst, len) = cfb8_encrypt;
                cfb8_decrypt(key: &BlockKey, iv: &mut Iv; src, dst, len) = cfb8_decrypt::<$lanes>;
                <DECRYPT> xts_long(key: &BlockKey, other: &TweakKey, unit: u128, buffer: Buffer<'_, '_>) =
                    xts::<$lanes, DECRYPT, false>;
                <DECRYPT> xts_stealing(key: &BlockKey, other: &TweakKey, unit: u128, buffer: Buffer<'_, '_>) =
                    xts::<$lanes, DECRYPT, true>;
                <DECRYPT> xts_short(key: &BlockKey, other: &TweakKey, unit: u128, buffer: Buffer<'_, '_>) = xts_short::<$lanes, DECRYPT>;
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
                cbc_many(key: &BlockKey, chains: &mut Chains, blocks: usize) = many::<$lanes, true>;
                mac_many(key: &BlockKey, chains: &mut Chains, blocks: usize) = many::<$lanes, false>;
                encrypt_blocks(keys: &[Option<&BlockKey>], blocks: &mut [u128]) = encrypt_blocks;
                cbc_many_keys(keys: &mut LaneKeys, chains: &mut Chains, blocks: usize) = many_keys::<$lanes, true>;
                mac_many_keys(keys: &mut LaneKeys, chains: &mut Chains, blocks: usize) = many_keys::<$lanes, false>;
            }
        }
    };
}

/// Kernels as functions by themselves. What stands behind `;` are the parts of the kernel's span.
macro_rules! wrappers {
    ($features:literal, $clear:path;
     $($(<$way:ident>)? $name:ident($($argument:ident: $type:ty),* $(; $src:ident, $dst:ident, $len:ident)?) $(-> $answer:ty)? =
        $kernel:ident $(::<$($parameter:tt),*>)?;)*) => {
        $(
            // In its own place even where all code has these features.
            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn $name$(<const $way: bool>)?(
                $($argument: $type,)*
                $($src: *const u8, $dst: *mut u8, $len: usize)?
            ) $(-> $answer)? {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    let answer = generic::$kernel$(::<$($parameter),*>)?(
                        $($argument,)*
                        $(Span { src: $src, dst: $dst, len: $len })?
                    );
                    $clear();
                    answer
                }
            }
        )*
    };
}

pub(crate) use {block_modes, wrappers};
