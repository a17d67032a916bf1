use std::{env, fmt::Display};

/// Something is left out for want of what can be installed: a line, or a failure where `CIPHERTUNE_SKIP` is `never`.
#[track_caller]
pub fn skip(why: impl Display) {
    assert_ne!(
        env::var("CIPHERTUNE_SKIP").as_deref(),
        Ok("never"),
        "skipped: {why}"
    );
    eprintln!("skipped: {why}");
}
