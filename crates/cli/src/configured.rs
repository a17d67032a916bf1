//! Whether programs of this system run other code than what is measured as OpenSSL's: Ciphertune's provider, by a
//! configuration. Libraries are measured without their configuration.
use std::path::PathBuf;

use crate::openssl::{BEGIN, Use, in_force, used};

/// That OpenSSL's figures are not those of such programs, where that is so; and how those are had.
pub fn elsewhere() -> Option<String> {
    let configuration = under_our_provider()?;
    Some(format!(
        "Programs that read {} take AES from Ciphertune's provider: OpenSSL's figures are of its own code, which they do not \
         run; speed --provider ciphertune measures the provider.",
        configuration.display()
    ))
}

/// The configuration in force, if it has programs take AES from the provider.
fn under_our_provider() -> Option<PathBuf> {
    let configuration = in_force().ok()?;
    matches!(used(&configuration, BEGIN), Use::Used(_)).then_some(configuration)
}
