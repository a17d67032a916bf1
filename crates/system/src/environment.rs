/// Whether what the environment says may be believed: it is that of whoever this program runs for. A setuid program, or
/// one that has capabilities by its file, has rights that its caller has not, and the caller's environment.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn environment_is_own() -> bool {
    // SAFETY: it has no preconditions.
    unsafe { libc::getauxval(libc::AT_SECURE) == 0 }
}

/// Whether what the environment says may be believed, as far as the identities that the process has now tell.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
pub fn environment_is_own() -> bool {
    // SAFETY: they have no preconditions.
    unsafe { libc::geteuid() == libc::getuid() && libc::getegid() == libc::getgid() }
}

/// Whether what the environment says may be believed: there are no programs that run with another's rights.
#[cfg(not(unix))]
pub fn environment_is_own() -> bool {
    true
}
