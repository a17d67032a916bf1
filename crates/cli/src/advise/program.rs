//! The programs: what they compute with which library, and what they are told. Each has a file.
mod check;
mod gcrypt;
mod gnutls;
mod luks;
mod nginx;
mod openssl;
mod openvpn;
mod ssh;

use std::path::Path;

use ciphertune_catalog::{Algorithm, Source, Task};
use ciphertune_measure::{Plan, Team, Which};
use ciphertune_report::units::significant;
use ciphertune_results::{Cell, Interval};
use clap::ValueEnum;

use super::evidence::{Evidence, Fewer, has_short_key};
use crate::{Result, masks, session};
use check::Check;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Program {
    /// The order of TLS 1.3's ciphers, for openssl.cnf
    Openssl,
    /// The same for programs by GnuTLS, for /etc/gnutls/config
    Gnutls,
    /// What libgcrypt should do without, for /etc/gcrypt/hwf.deny
    Gcrypt,
    /// The order of ciphers, for ssh_config or sshd_config
    Ssh,
    /// The order of data ciphers, for its configuration
    Openvpn,
    /// The order of ciphers, for a server
    Nginx,
    /// The size of sectors, as a command
    Luks,
}

/// What sets a program apart from the others.
struct Profile {
    /// What the setting is for.
    title: &'static str,
    library: Library,
    /// What it may compute, in the order that it prefers by itself.
    algorithms: &'static [&'static str],
    lengths: Lengths,
    /// Whether it can be told to do without some of the processor's instructions.
    has_masks: bool,
    /// Lines to go before the setting.
    note: fn(&Evidence) -> String,
    setting: Setting,
    /// By whom the setting is checked.
    check: Option<&'static Check>,
}

/// What computes it: its name in ids, and where it is looked for.
struct Library {
    name: &'static str,
    sources: fn() -> Vec<Source>,
}

/// Lengths that its messages have, and which of them are measured.
struct Lengths {
    words: &'static str,
    include: fn(u64) -> bool,
    measured: &'static [usize],
}

enum Setting {
    /// What makes this order, which is another than the program's own.
    Order(fn(&[&str]) -> Result<String>),
    /// A size that the figures speak for, of the two that are measured; empty where it is none.
    Size(fn(&Evidence) -> String),
    /// What the mask that pays makes; empty where there is none.
    Mask(fn(&Evidence) -> String),
}

const LIBCRYPTO: Library = Library {
    name: "openssl",
    sources: || {
        ["libcrypto.so.3", "libcrypto.so.4", "libcrypto.so.1.1"]
            .map(|soname| Source::System(soname.to_owned()))
            .to_vec()
    },
};

/// Of TLS and of files.
const RECORDS: Lengths = Lengths {
    words: "1350 B to 32 KiB",
    include: |length| (1350..=32768).contains(&length),
    measured: &[1350, 16384],
};

/// What is printed, and how it can be checked.
pub struct Advice {
    pub text: String,
    pub check: Option<&'static Check>,
}

impl Program {
    fn profile(self) -> &'static Profile {
        match self {
            Self::Openssl => &openssl::PROFILE,
            Self::Gnutls => &gnutls::PROFILE,
            Self::Gcrypt => &gcrypt::PROFILE,
            Self::Ssh => &ssh::PROFILE,
            Self::Openvpn => &openvpn::PROFILE,
            Self::Nginx => &nginx::PROFILE,
            Self::Luks => &luks::PROFILE,
        }
    }

    /// What it may compute, in the order that it prefers by itself.
    pub fn algorithms(self) -> &'static [&'static str] {
        self.profile().algorithms
    }

    /// The library that computes it, by its name in ids.
    pub fn library(self) -> &'static str {
        self.profile().library.name
    }

    /// The place of a library's file among those that it may be linked with; what is built into this program is none.
    pub fn rank(self, origin: &str) -> Option<usize> {
        let sources = (self.profile().library.sources)();
        let file = Path::new(origin)
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let is_it = |source: &Source| matches!(source, Source::System(soname) if file.starts_with(&**soname));
        let rank = sources.iter().position(is_it).unwrap_or(sources.len());
        (!origin.starts_with("built in")).then_some(rank)
    }

    /// Lengths that its messages have, in words.
    pub fn lengths(self) -> &'static str {
        self.profile().lengths.words
    }

    /// Whether it can be told to do without some of the processor's instructions.
    pub fn has_masks(self) -> bool {
        self.profile().has_masks
    }

    /// Whether a cell says anything about it, were it that it failed.
    pub fn concerns(self, cell: &Cell) -> bool {
        let is_usual = |algorithm: Algorithm| {
            let usual = Task::usual(algorithm);
            (usual.operation.name(), usual.contract.name()) == (&*cell.operation, &*cell.contract)
        };
        let profile = self.profile();
        profile.algorithms.contains(&&*cell.algorithm)
            && (profile.lengths.include)(cell.length)
            && cell.threads == 1
            && cell.algorithm.parse().is_ok_and(is_usual)
    }

    /// What would have to be compared and cannot be, in words.
    pub fn apart(self, evidence: &Evidence) -> Option<String> {
        let Profile {
            algorithms, lengths, ..
        } = self.profile();
        match self.profile().setting {
            Setting::Order(_) => {
                let pairs = algorithms.iter().enumerate();
                let mut pairs =
                    pairs.flat_map(|(n, other)| algorithms[..n].iter().map(move |one| (one, other)));
                let (one, other) = pairs.find(|(one, other)| evidence.times(one, other).is_none())?;
                Some(format!("{one} and {other} at one length of {}", lengths.words))
            }
            Setting::Size(_) => {
                let [one, other] = [0, 1].map(|n| lengths.measured[n] as u64);
                let is_apart = evidence.times_at(one, other).is_none();
                is_apart.then(|| format!("{} at both {}", algorithms.join(", "), lengths.words))
            }
            Setting::Mask(_) => None,
        }
    }

    /// What is measured where there is no run.
    pub fn plan(self, confidence: f64) -> Result<Plan> {
        let profile = self.profile();
        let sources = (profile.library.sources)();
        Ok(Plan {
            tasks: profile
                .algorithms
                .iter()
                .filter_map(|name| Algorithm::named(name))
                .map(Task::usual)
                .collect(),
            aad: None,
            lengths: profile.lengths.measured.to_vec(),
            cut: false,
            hashed: false,
            teams: vec![Team::ALONE],
            implementations: Which::All,
            sources: match profile.has_masks {
                true => masks::with(sources)?,
                false => sources,
            },
            seconds: 0.1,
            processes: 5,
            until_stable: None,
            confidence,
            seed: session::seed(),
            default_for: session::default_for,
        })
    }

    pub fn advice(self, evidence: &Evidence) -> Result<Advice> {
        let profile = self.profile();
        let own = profile.algorithms;
        let order = evidence.order(own);
        let mut text = format!("# For {}. Measured: {}\n", profile.title, evidence.head());
        for algorithm in &order {
            text += &format!("# {algorithm}: {}\n", evidence.figures(algorithm));
        }
        text += &format!(
            "# Differences under {} % count for nothing.\n",
            evidence.least_difference()
        );
        text += &mask(profile, evidence);
        let setting = match profile.setting {
            Setting::Order(lines) => {
                text += &reasons(evidence, own, &order);
                match own == order {
                    true => String::new(),
                    false => lines(&order)?,
                }
            }
            Setting::Size(lines) | Setting::Mask(lines) => lines(evidence),
        };
        text += &(profile.note)(evidence);
        let has_gain = matches!(evidence.fewer, Fewer::Once(_) | Fewer::Again(..));
        text += match setting.is_empty() && !has_gain {
            true => "# Leave it as it is: nothing significant is to be gained.\n",
            false => &setting,
        };
        let check = profile.check.filter(|_| !setting.is_empty());
        Ok(Advice { text, check })
    }
}

/// What to do without, if that pays.
fn mask(profile: &Profile, evidence: &Evidence) -> String {
    if !profile.has_masks {
        return String::new();
    }
    let failures = evidence.failures.iter();
    let failures: String = failures
        .map(|failure| format!("# {failure}; that mask is not advised.\n"))
        .collect();
    let rest = match evidence.fewer {
        Fewer::Unknown | Fewer::No if !failures.is_empty() => String::new(),
        Fewer::Unknown => {
            "# Whether it is faster without some of the processor's instructions was not measured; speed \
             --masks does, or says why not.\n"
                .to_owned()
        }
        Fewer::No => "# Without some of the processor's instructions it is no faster.\n".to_owned(),
        Fewer::Once(mask) => format!(
            "# With {mask} it was faster in the one run that tells, which may be chance: a second one, by another --from, \
             can confirm it.\n"
        ),
        Fewer::Again(mask, times) => {
            let gain = times_as_fast(times);
            let how = mask.variable(&evidence.library).map(|(name, value)| {
                format!("# Start the program with this in its environment: {name}={value}\n")
            });
            format!(
                "# With {mask} it is {gain} without, and nothing slower.\n{}",
                how.unwrap_or_default()
            )
        }
    };
    failures + &rest
}

/// What the order rests on: each against those that it overtakes; and what does not although it is faster.
fn reasons(evidence: &Evidence, before: &[&str], after: &[&str]) -> String {
    let pairs = (0..after.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
    pairs
        .filter_map(|(first, second)| reason(evidence, before, after, first, second))
        .map(|reason| format!("# {reason}.\n"))
        .collect()
}

/// Why the one stands before the other, by their places, where that wants a reason.
fn reason(
    evidence: &Evidence,
    before: &[&str],
    after: &[&str],
    first: usize,
    second: usize,
) -> Option<String> {
    let (one, other) = (after[first], after[second]);
    let times = |one, other| Some(times_as_fast(evidence.times(one, other)?.ratio));
    let was = |name| before.iter().position(|other| *other == name);
    match (was(one) > was(other), has_short_key(other)) {
        (true, false) => Some(format!("{one} before {other}: it is {} that", times(one, other)?)),
        // It yields to what the one has overtaken too, and not to the one itself.
        (true, true) => Some(format!(
            "{one} before {other}, which is {} that, and stays behind {}: its key is the shorter one",
            times(other, one)?,
            after[..second].iter().rfind(|name| !has_short_key(name))?
        )),
        (false, true) if evidence.is_faster(other, one) => Some(format!(
            "{other} is {} {one}, and stays behind: its key is the shorter one",
            times(other, one)?
        )),
        (false, _) => None,
    }
}

/// `1.44 times as fast (1.41 to 1.46) as`.
fn times_as_fast(times: Interval) -> String {
    let Interval { low, median, high } = times;
    let [low, median, high] = [low, median, high].map(significant);
    format!("{median} times as fast ({low} to {high}) as")
}

/// The words that a program has for the algorithms, in that order.
fn words(order: &[&str], words: &[(&str, &str)], separator: &str) -> String {
    let word = |name: &&str| {
        words
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, word)| *word)
    };
    order.iter().filter_map(word).collect::<Vec<_>>().join(separator)
}
