//! Programs by GnuTLS, which spells ciphers in capitals.
use ciphertune_catalog::PeerLibrary;

use super::{Check, Library, Profile, RECORDS, Setting};

pub static PROFILE: Profile = Profile {
    title: "/etc/gnutls/config",
    library: Library {
        name: "gnutls",
        sources: || PeerLibrary::Gnutls.sources().collect(),
    },
    algorithms: &["AES-256-GCM", "ChaCha20-Poly1305", "AES-128-GCM"],
    lengths: RECORDS,
    has_masks: true,
    note: |_| String::new(),
    setting: Setting::Order(|order| {
        let order = order.join(":+").to_uppercase();
        Ok(format!(
            "{REACH}[overrides]\ndefault-priority-string = @SYSTEM\n\n\
             [priorities]\nSYSTEM = NORMAL:-CIPHER-ALL:+{order}{REST}\n"
        ))
    }),
    check: Some(&Check {
        name: "gnutls-cli",
        ask: |command, folder, _| {
            command
                .args(["--priority", "@SYSTEM", "--list"])
                .env("GNUTLS_SYSTEM_PRIORITY_FILE", folder.join("snippet"));
            Ok(())
        },
        accepts: |said, setting| {
            let listed = setting.split_once(":+").map_or("", |(_, listed)| listed);
            said.contains(&format!("Ciphers: {}", listed.replace(":+", ", ")))
        },
    }),
};

/// As Debian builds it, only programs that ask for `@SYSTEM` would go by the order without the default.
const REACH: &str = "\
# Where there is such a file, these lines belong into its sections of these names, and do not replace it.
# Programs that set priorities of their own, such as NORMAL, do not go by it.
";

/// Its other ciphers, in its own order.
const REST: &str = ":+AES-256-CCM:+AES-256-CBC:+AES-128-CCM:+AES-128-CBC";
