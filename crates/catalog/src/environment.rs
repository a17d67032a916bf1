//! `OPENSSL_ia32cap`, kept from AWS-LC where AWS-LC would end the program for it.
//!
//! OpenSSL's users say by it what the processor is to be taken for. AWS-LC, which is built in, reads it before `main`, and
//! aborts where it asks for anything that the processor lacks. What only leaves something out (`~`) it may see. All
//! else is set aside, by another name, before any library's code runs, and given back where `main` begins: libraries
//! that are loaded later find it.

/// Gives the variable back its name; answers whether it had been set aside. For the begin of `main`, before there are
/// other threads.
pub fn restore() -> bool {
    #[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
    return aside::restore();
    #[cfg(not(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64")))]
    false
}

#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
mod aside {
    use std::{
        env,
        ffi::{CStr, c_char, c_int},
        fs,
    };

    /// What runs before the constructors of the program and of its libraries. glibc hands over what `main` gets.
    #[used]
    // SAFETY: the section is a table of such functions.
    #[unsafe(link_section = ".preinit_array")]
    static FIRST: unsafe extern "C" fn(c_int, *const *const c_char, *const *mut c_char) = set_aside;

    unsafe extern "C" fn set_aside(_: c_int, _: *const *const c_char, environment: *const *mut c_char) {
        let mut place = environment;
        // SAFETY: the table ends in NULL, its strings in NUL. They are this process's own to change, and there is no other
        // thread yet. Nothing here needs a library that is set up.
        unsafe {
            while !(*place).is_null() {
                let entry = *place;
                let value = CStr::from_ptr(entry).to_bytes().strip_prefix(b"OPENSSL_ia32cap=");
                if value.is_some_and(asks_for_something) {
                    *entry = ASIDE.as_bytes()[0].cast_signed();
                }
                place = place.add(1);
            }
        }
    }

    const ASIDE: &str = "oPENSSL_ia32cap";
    const NAME: &str = "OPENSSL_ia32cap";

    /// Of the two words that AWS-LC reads, one that does more than leave something out. The first may be missing.
    pub(super) fn asks_for_something(value: &[u8]) -> bool {
        let mut words = value.split(|&byte| byte == b':');
        let first = words.next().unwrap_or_default();
        let second = words.next();
        let asks = |word: &[u8]| !word.starts_with(b"~");
        second.is_some_and(asks) || asks(first) && !(first.is_empty() && second.is_some())
    }

    pub(super) fn restore() -> bool {
        let Some(value) = env::var_os(ASIDE) else {
            return false;
        };
        if fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1) {
            // SAFETY: nobody reads the environment meanwhile, as this thread has just been seen to be the only one.
            unsafe {
                env::remove_var(ASIDE);
                env::set_var(NAME, value);
            }
        }
        true
    }

    #[cfg(test)]
    mod tests {
        use super::asks_for_something;

        #[test]
        fn what_leaves_something_out_asks_for_nothing() {
            for value in ["~0x200000000000000", ":~0x20", "~0x1:~0x2", "~1:~2:5:0"] {
                assert!(!asks_for_something(value.as_bytes()), "{value}");
            }
            for value in [
                "", "0", "0x1", "|0x400", ":0x20", "~0x1:0x2", "0x1:~0x2", "~0x1:", ":",
            ] {
                assert!(asks_for_something(value.as_bytes()), "{value}");
            }
        }
    }
}
