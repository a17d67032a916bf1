//! Whether what was written works, which OpenSSL says to nobody who does not ask.
use std::path::Path;

use super::{Places, files::read, module::is_provider};
use crate::{
    Result,
    openssl::{self, BEGIN, PREFERENCE, Use, is_of_loading},
};

/// Why nobody knows whether programs take AES from the provider, where there is nobody to ask.
pub type Untold = Option<String>;

impl Places {
    /// An error where programs would not take AES from the provider with the configuration `name`, which is in `file` yet, or
    /// openssl does not answer: neither would they.
    pub(super) fn check(&self, file: &Path, name: &Path) -> Result<Untold> {
        let name = name.display();
        let hint = "; name another with --module";
        let (why, hint) = match openssl::used(file, BEGIN) {
            Use::Used(_) => return Ok(None),
            Use::Passed => (format!("it has no {PREFERENCE}"), ""),
            Use::Refused(Some(why)) if is_of_loading(&why) => (why, hint),
            Use::Refused(Some(why)) => (why, ""),
            Use::Refused(None) => (
                format!(
                    "it does not list {} as Ciphertune, and says no more",
                    self.module.display()
                ),
                hint,
            ),
            Use::Unanswered(why) => {
                return Err(format!(
                    "whether openssl uses the provider with {name} is not known, so nothing was changed: {why}{hint}"
                )
                .into());
            }
            Use::Untold(why) => {
                let module = read(&self.module)?.unwrap_or_default();
                if is_provider(&module) {
                    return Ok(Some(why));
                }
                return Err(format!(
                    "{} would be no provider of OpenSSL's, so nothing was changed: it has no OSSL_provider_init{hint}",
                    self.module.display()
                )
                .into());
            }
        };
        Err(
            format!("openssl does not use the provider with {name}, so nothing was changed: {why}{hint}")
                .into(),
        )
    }
}
