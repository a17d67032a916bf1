//! Version and implementations.

use std::{
    ffi::{CStr, CString, c_char, c_int},
    ptr,
};

use ciphertune::{Implementation, hide_features};
use ciphertune_system::Once;

/// The names as C has them, in the order of [`Implementation::all`].
fn names() -> &'static [CString] {
    static NAMES: Once<Vec<CString>> = Once::empty();
    NAMES.get_or_make(|| {
        let names = Implementation::all()
            .iter()
            .map(|implementation| implementation.name());
        names
            .map(|name| CString::new(name).expect("a name has no NUL"))
            .collect()
    })
}

/// Its name, which lives as long as the process.
pub(crate) fn name(implementation: Implementation) -> *const c_char {
    let i = Implementation::all()
        .iter()
        .position(|other| *other == implementation);
    i.map_or(ptr::null(), |i| names()[i].as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn ciphertune_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("a version has no NUL"),
        };
    VERSION.as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn ciphertune_implementation_name(index: usize) -> *const c_char {
    names().get(index).map_or(ptr::null(), |name| name.as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn ciphertune_implementation_available(index: usize) -> c_int {
    // A list that is wrong hides nothing; whoever makes a context is told.
    let _ = hide_features();
    Implementation::all()
        .get(index)
        .is_some_and(|implementation| implementation.is_available())
        .into()
}
