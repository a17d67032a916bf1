//! Memory that children have in turn.
#![cfg(target_os = "linux")]

use std::{
    fs::File,
    io::ErrorKind,
    os::fd::{AsRawFd, FromRawFd},
    process::Command,
};

use ciphertune_system::{Part, Shared};

const PAGE: usize = 4096;

#[test]
fn a_child_has_it_by_its_number() {
    let shared = Shared::new(2 * PAGE).unwrap();
    let write = format!("printf hello 1<> /proc/self/fd/{}", shared.number());
    assert!(
        Command::new("sh")
            .args(["-c", &write])
            .status()
            .unwrap()
            .success()
    );
    let mut part = Part::of(shared.number(), 0, PAGE).unwrap();
    assert_eq!(part.take().unwrap()[..5], *b"hello");
}

#[test]
fn one_has_it_at_a_time() {
    let shared = Shared::new(4 * PAGE).unwrap();
    let part = |page, pages| Part::of(shared.number(), page * PAGE, pages * PAGE).unwrap();
    let (mut first, mut same, mut overlapping, mut beside) = (part(0, 2), part(0, 2), part(1, 2), part(2, 2));
    let mut turn = first.take().unwrap();
    turn[PAGE] = 7;
    for other in [&mut same, &mut overlapping] {
        assert_eq!(other.take().err().unwrap().kind(), ErrorKind::WouldBlock);
    }
    assert_eq!(beside.take().unwrap().len(), 2 * PAGE);
    drop(turn);
    assert_eq!(same.take().unwrap()[PAGE], 7);
    assert_eq!(overlapping.take().unwrap()[0], 7);
}

#[test]
fn what_could_become_shorter_is_refused() {
    // SAFETY: the name is a C string, and nobody else owns what is answered.
    let file = unsafe { File::from_raw_fd(libc::memfd_create(c"unsealed".as_ptr(), 0)) };
    file.set_len(PAGE as u64).unwrap();
    let refused = |number, len| Part::of(number, 0, len).err().map(|error| error.kind());
    assert_eq!(refused(file.as_raw_fd(), PAGE), Some(ErrorKind::InvalidInput));
    let shared = Shared::new(PAGE).unwrap();
    assert_eq!(refused(shared.number(), 2 * PAGE), Some(ErrorKind::InvalidInput));
    assert_eq!(refused(shared.number(), 0), Some(ErrorKind::InvalidInput));
    assert_eq!(refused(shared.number(), PAGE), None);
    let path = format!("/proc/self/fd/{}", shared.number());
    let opened = File::options().write(true).open(path).unwrap();
    assert!(opened.set_len(0).is_err());
}
