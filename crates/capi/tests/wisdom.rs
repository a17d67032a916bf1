//! A program that names its wisdom file itself. A process settles what it goes by once, so this is one test.

use std::{
    ffi::{CStr, CString, c_char, c_int},
    fs,
    os::unix::ffi::OsStrExt,
    path::Path,
};

use ciphertune::{Implementation, wisdom::Wisdom};
use ciphertune_capi::Code;

#[path = "../../../tests/tuned.rs"]
mod tuned;

use tuned::tuned;

unsafe extern "C" {
    fn ciphertune_basis(basis: *mut c_int) -> c_int;
    fn ciphertune_chosen(algorithm: *const c_char, operation: *const c_char, len: usize) -> *const c_char;
    fn ciphertune_chosen_of_many(
        algorithm: *const c_char,
        operation: *const c_char,
        len: usize,
    ) -> *const c_char;
    fn ciphertune_message() -> *const c_char;
    fn ciphertune_use_wisdom(path: *const c_char) -> c_int;
}

const BASIS_WISDOM: c_int = 2;

fn wisdom() -> Wisdom {
    let tasks = [
        ["AES-192-CTR", "encrypt", "stream/1"],
        ["AES-128-GCM", "seal", "new-iv/1"],
        ["AES-128-GCM", "open", "new-iv/1"],
        ["AES-256-CBC", "encrypt", "many/1"],
    ];
    Wisdom::new(vec![tuned(&tasks, Implementation::PORTABLE)])
}

fn use_wisdom(path: &Path) -> c_int {
    let path = CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: a string of C.
    unsafe { ciphertune_use_wisdom(path.as_ptr()) }
}

fn message() -> String {
    // SAFETY: it is a string that lasts until the next call.
    unsafe { CStr::from_ptr(ciphertune_message()) }
        .to_str()
        .unwrap()
        .to_owned()
}

type Chosen = unsafe extern "C" fn(*const c_char, *const c_char, usize) -> *const c_char;

fn chosen(algorithm: &CStr, operation: &CStr, len: usize) -> Option<String> {
    told(ciphertune_chosen, algorithm, operation, len)
}

fn told(chosen: Chosen, algorithm: &CStr, operation: &CStr, len: usize) -> Option<String> {
    // SAFETY: strings of C in, NULL or a static one out.
    let name = unsafe { chosen(algorithm.as_ptr(), operation.as_ptr(), len) };
    // SAFETY: as above.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_str().unwrap().to_owned())
}

#[test]
fn a_program_names_its_wisdom() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wisdom");
    wisdom().write(&path).unwrap();

    let damaged = folder.path().join("damaged");
    fs::write(
        &damaged,
        fs::read_to_string(&path).unwrap().replace("portable", "vaes512"),
    )
    .unwrap();
    assert_eq!(use_wisdom(&damaged), Code::WisdomRefused as c_int);
    assert!(message().contains("checksum"), "{}", message());
    assert_eq!(
        use_wisdom(&folder.path().join("none")),
        Code::WisdomAbsent as c_int
    );

    let two_lines = folder.path().join("no\nwhere\u{9b}1m");
    assert_eq!(use_wisdom(&two_lines), Code::WisdomAbsent as c_int);
    assert!(message().contains("no?where?1m"), "{}", message());
    assert!(!message().contains(char::is_control), "{}", message());

    // None of them settled anything.
    assert_eq!(use_wisdom(&path), 0, "{}", message());
    let mut basis = 0;
    // SAFETY: the address of a number.
    assert_eq!(unsafe { ciphertune_basis(&mut basis) }, 0);
    assert_eq!(basis, BASIS_WISDOM);
    for len in [0, 16, usize::MAX] {
        for (algorithm, operation) in [
            (c"AES-192-CTR", c"encrypt"),
            (c"AES-192-CTR", c"decrypt"),
            (c"AES-128-GCM", c"seal"),
            (c"AES-128-GCM", c"open"),
        ] {
            assert_eq!(chosen(algorithm, operation, len).as_deref(), Some("portable"));
        }
    }
    assert!(chosen(c"AES-128-XTS", c"decrypt", 16).is_some());
    assert_eq!(chosen(c"AES-128-XTS", c"seal", 16), None);
    assert!(message().contains("'AES-128-XTS seal'"), "{}", message());
    let of_many = |algorithm, operation| told(ciphertune_chosen_of_many, algorithm, operation, 1000);
    assert_eq!(of_many(c"AES-256-CBC", c"encrypt").as_deref(), Some("portable"));
    assert!(of_many(c"AES-128-CMAC", c"mac").is_some());
    assert_eq!(of_many(c"AES-256-CBC", c"decrypt"), None);
    assert!(
        message().contains("'AES-256-CBC decrypt of many messages'"),
        "{}",
        message()
    );
    assert_eq!(use_wisdom(&path), Code::TooLate as c_int);
}
