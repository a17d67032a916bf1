//! Links the provider so that it stays in memory once loaded.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // A thread-local destructor or a worker thread may outlive the unloading that libcrypto does at exit.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
