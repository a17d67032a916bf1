//! The thin wrappers that give planes in vectors their CPU features.

/// [`super::Compiled`] for a type of planes: compiled with `$features`, the vector registers cleared by `$clear`
/// afterwards, and with `hash` by [`super::streams`], for which the type must be [`super::Bytes`].
macro_rules! compiled {
    ($name:ident, $features:literal, $clear:path $(, $hash:ident)?) => {
        impl $name {
            /// The stack in bytes, with room to spare, that the compiler takes for what the registers cannot hold,
            /// round keys among it. The functions below are never inlined, so that it can be wiped after them.
            const SPILLED: usize = 128 * size_of::<Self>();
        }

        impl $crate::portable::Compiled for $name {
            const BATCH: usize = <Self as $crate::portable::Plane>::BATCH;
            const WIDE: usize = <Self as $crate::portable::Plane>::SIDE * <Self as $crate::portable::Plane>::BATCH;

            $($crate::portable::compiled!(@$hash $name, $features, $clear);)?

            unsafe fn encrypt(keys: &$crate::portable::Keys, room: &mut $crate::portable::Room, len: usize) {
                #[inline(never)]
                #[target_feature(enable = $features)]
                unsafe fn encrypt(
                    keys: &$crate::portable::Keys,
                    room: &mut $crate::portable::Room,
                    len: usize,
                ) {
                    // SAFETY: the caller has the features that this function is compiled with, here and below.
                    unsafe {
                        $crate::portable::crypt::<$name, false>(keys, room, len);
                        $clear();
                    }
                }
                // SAFETY: as the caller, here and below.
                unsafe { encrypt(keys, room, len) };
                zeroize::zeroize_stack::<{ Self::SPILLED }>();
            }

            unsafe fn decrypt(keys: &$crate::portable::Keys, room: &mut $crate::portable::Room, len: usize) {
                #[inline(never)]
                #[target_feature(enable = $features)]
                unsafe fn decrypt(
                    keys: &$crate::portable::Keys,
                    room: &mut $crate::portable::Room,
                    len: usize,
                ) {
                    // SAFETY: as above.
                    unsafe {
                        $crate::portable::crypt::<$name, true>(keys, room, len);
                        $clear();
                    }
                }
                // SAFETY: as above.
                unsafe { decrypt(keys, room, len) };
                zeroize::zeroize_stack::<{ Self::SPILLED }>();
            }

            unsafe fn ctr_run(
                keys: &$crate::portable::Keys,
                counter: u128,
                src: *const u8,
                dst: *mut u8,
                batches: usize,
            ) {
                #[inline(never)]
                #[target_feature(enable = $features)]
                unsafe fn run(
                    keys: &$crate::portable::Keys,
                    counter: u128,
                    src: *const u8,
                    dst: *mut u8,
                    batches: usize,
                ) {
                    // SAFETY: as above.
                    unsafe {
                        $crate::portable::ctr_run::<$name>(keys, counter, src, dst, batches);
                        $clear();
                    }
                }
                // SAFETY: as above.
                unsafe { run(keys, counter, src, dst, batches) };
                zeroize::zeroize_stack::<{ Self::SPILLED }>();
            }
        }
    };
    (@hash $name:ident, $features:literal, $clear:path) => {
        unsafe fn hash(
            key: &mut $crate::portable::HashKey,
            hash: &mut $crate::portable::Hash,
            blocks: &[[u8; 16]],
        ) {
            type Narrow = <$name as $crate::portable::Bytes>::Narrow;

            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn in_turn(table: &$crate::portable::Table, sum: &mut [u8; 16], blocks: &[[u8; 16]]) {
                // SAFETY: the caller has the features that this function is compiled with, here and below.
                unsafe {
                    $crate::portable::in_turn::<Narrow>(table, sum, blocks);
                    $clear();
                }
            }

            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn side_by_side(
                table: &$crate::portable::Table,
                sums: &mut [[u8; 16]; $crate::portable::STREAMS],
                blocks: &[[u8; 16]],
            ) {
                // SAFETY: as above.
                unsafe {
                    $crate::portable::side_by_side::<$name>(table, sums, blocks);
                    $clear();
                }
            }

            let wide = size_of::<$name>() == $crate::portable::STREAMS;
            // Called by their addresses, they are inlined after all where their features are everybody's.
            let runs = core::hint::black_box($crate::portable::Runs {
                in_turn,
                side_by_side: if wide { Some(side_by_side) } else { None },
            });
            // SAFETY: as the caller.
            if unsafe { $crate::portable::hash(key, hash, blocks, &runs) } {
                zeroize::zeroize_stack::<{ Self::SPILLED }>();
            } else {
                zeroize::zeroize_stack::<{ $crate::portable::HASHED }>();
            }
        }
    };
}

pub(crate) use compiled;
