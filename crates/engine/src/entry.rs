//! From a call of [`crate::Kernel`] to the generic kernels: what every vector width does alike.

pub(crate) mod block;
pub(crate) mod gcm;

/// The entries of one vector type: its thin wrappers, which alone carry `#[target_feature]`, and which clear
/// the vector registers before they return, since key and keystream were in them; what is assembly clears its own.
macro_rules! entries {
    ($lanes:ty, $features:literal, $list:expr, $clear:path, $PLAIN:ident = $plain:literal, $AHEAD:ident = $ahead:literal) => {
        pub(crate) static $PLAIN: $crate::implementation::Entry = $crate::implementation::Entry {
            name: $plain,
            features: &$list,
            layout: $crate::implementation::Layout::Rounds,
            expand,
            ctr: ctr_near,
            far: ctr_far,
            block: block::MODES,
            gcm: Some(GCM),
        };
        pub(crate) static $AHEAD: $crate::implementation::Entry = $crate::implementation::Entry {
            name: $ahead,
            features: &$list,
            layout: $crate::implementation::Layout::Rounds,
            expand,
            ctr: ctr_ahead,
            far: ctr_far,
            block: block::MODES,
            // What it does is for counter mode alone.
            gcm: None,
        };

        $crate::entry::block::block_modes!($lanes, $features, $clear);

        $crate::entry::named! {
            ctr_near(key: &mut $crate::Key, stream: &mut $crate::Keystream, src: *const u8, dst: *mut u8, len: usize) =
                ctr::<false, false>;
            ctr_far(key: &mut $crate::Key, stream: &mut $crate::Keystream, src: *const u8, dst: *mut u8, len: usize) =
                ctr::<false, true>;
            ctr_ahead(key: &mut $crate::Key, stream: &mut $crate::Keystream, src: *const u8, dst: *mut u8, len: usize) =
                ctr::<true, false>;
        }

        #[inline(always)]
        unsafe fn ctr<const AHEAD: bool, const FAR: bool>(
            key: &mut $crate::Key,
            stream: &mut $crate::Keystream,
            src: *const u8,
            dst: *mut u8,
            len: usize,
        ) {
            // SAFETY: passed on.
            unsafe {
                if $crate::stream::block(key, stream, $crate::span::Span { src, dst, len }) {
                    return;
                }
                if $crate::stream::is_vector::<$lanes>(len) {
                    ctr_vector(key, stream, src, dst, len);
                } else if !$crate::stream::has_spare(stream) {
                    ctr_fresh::<AHEAD, FAR>(key, stream, src, dst, len);
                } else if $crate::stream::is_shifted::<$lanes>(stream, len) {
                    ctr_shifted::<AHEAD>(key, stream, src, dst, len);
                } else {
                    ctr_spare::<AHEAD, FAR>(key, stream, src, dst, len);
                }
            }
        }

        $crate::entry::ctr_calls! { $features;
            ctr_vector<>(key, stream, text) {
                $crate::stream::vector::<$lanes>(key, stream, text);
            }
            ctr_shifted<AHEAD>(key, stream, text) {
                $crate::stream::shifted::<$lanes, AHEAD>(key, stream, text);
                $clear();
            }
            ctr_spare<AHEAD, FAR>(key, stream, text) {
                let left = $crate::stream::spare::<$lanes>(stream, text);
                if left.len > 0 {
                    $crate::stream::fresh::<$lanes, AHEAD, FAR>(key, stream, left);
                }
                $clear();
            }
            ctr_fresh<AHEAD, FAR>(key, stream, text) {
                $crate::stream::fresh::<$lanes, AHEAD, FAR>(key, stream, text);
                $clear();
            }
        }

        #[target_feature(enable = $features)]
        unsafe fn expand(key: &mut $crate::Key, bytes: &[u8]) {
            // SAFETY: the caller has the features that this function is compiled with.
            unsafe {
                $crate::native::schedule::expand(&mut key.0.room_for_rounds().keys, bytes);
                $clear();
            }
        }
    };
}

/// A function for each kind of call of counter mode, so that none has the registers of another to save. Its text comes in a
/// register for each of its words.
macro_rules! ctr_calls {
    ($features:literal; $($name:ident<$($parameter:ident),*>($key:ident, $stream:ident, $text:ident) $body:block)*) => {
        $(
            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn $name<$(const $parameter: bool),*>(
                $key: &mut $crate::Key,
                $stream: &mut $crate::Keystream,
                src: *const u8,
                dst: *mut u8,
                len: usize,
            ) {
                let $text = $crate::span::Span { src, dst, len };
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe { $body }
            }
        )*
    };
}

/// Functions by themselves of a generic one, for the tables. What a generic function calls the compiler keeps for other crates
/// too, and each short call would go by way of the linker's table.
macro_rules! named {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $answer:ty)? = $generic:ident::<$($parameter:literal),*>;)*) => {
        $(
            unsafe fn $name($($argument: $type),*) $(-> $answer)? {
                // SAFETY: passed on.
                unsafe { $generic::<$($parameter),*>($($argument),*) }
            }
        )*
    };
}

pub(crate) use {ctr_calls, entries, named};
