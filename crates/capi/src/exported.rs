//! Functions of the header that a macro makes, since types differ in nothing but names.
//!
//! cbindgen, which compares each function with the header's, expands no macros: it is given what they made as a text.

/// These functions and, for `header`, their text.
macro_rules! exported {
    ($($function:item)*) => {
        $($function)*

        #[cfg(test)]
        pub(crate) const EXPORTED: &str = stringify!($($function)*);
    };
}
pub(crate) use exported;
