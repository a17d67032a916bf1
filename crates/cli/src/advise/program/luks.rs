//! A volume of LUKS, by cryptsetup.
use ciphertune_results::compare::Change;

use super::{Check, Evidence, LIBCRYPTO, Lengths, Profile, Setting, times_as_fast};

pub static PROFILE: Profile = Profile {
    title: "a new volume",
    library: LIBCRYPTO,
    algorithms: &["AES-256-XTS"],
    lengths: Lengths {
        words: "512 and 4096 B",
        include: |length| SECTORS.contains(&length),
        measured: &[SECTORS[0] as usize, SECTORS[1] as usize],
    },
    has_masks: false,
    note: |_| String::new(),
    setting: Setting::Size(sectors),
    check: Some(&Check {
        name: "cryptsetup",
        ask: |command, _, setting| {
            let words = setting.split(' ').skip(1).map(|word| word.trim_matches('"'));
            command.arg("--test-args").args(words);
            Ok(())
        },
        accepts: |_, _| true,
    }),
};

/// A sector of most file systems' making, and the one that all drives have.
const SECTORS: [u64; 2] = [4096, 512];

/// Larger sectors, if they pay.
fn sectors(evidence: &Evidence) -> String {
    let [large, small] = SECTORS;
    let Some(change) = evidence.times_at(large, small).filter(Change::is_lead) else {
        return String::new();
    };
    format!(
        "# A sector of 4096 B is {} eight of 512 B. Only for drives whose own blocks have 4096 B.\n\
         # These are OpenSSL's figures: the kernel's own code, which cryptsetup benchmark measures, sets an IV for each \
         sector too.\n\
         cryptsetup luksFormat --type luks2 --cipher aes-xts-plain64 --key-size 512 --sector-size 4096 \"$DEVICE\"\n",
        times_as_fast(change.ratio)
    )
}
