//! AWS-LC heeds the variable by which its masks are set. It does not say what it goes by; but told to use what the
//! processor lacks, it ends the program.
//!
//! Nothing of the catalog is used here, and so nothing of it is linked: it would set such a value aside.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{env, os::unix::process::ExitStatusExt, process::Command};

#[test]
fn told_to_use_what_is_not_there_it_ends_the_program() {
    // It is in this program, too.
    aws_lc_rs::init();
    let output = Command::new(env::current_exe().unwrap())
        .arg("--list")
        .env("OPENSSL_ia32cap", "~0x0:0xffffffffffffffff")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.signal().is_some(), "{:?}", output.status);
    assert!(errors.contains("HW capability requested"), "{errors}");
}
