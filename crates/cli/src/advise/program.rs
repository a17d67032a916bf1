//! The programs: what they compute with which library, how they are told, and how they say whether they accept it.
use std::{fs, path::PathBuf, process::Command};

use ciphertune_catalog::{Algorithm, PeerLibrary, Source, Task};
use ciphertune_measure::{Plan, Team, Which};
use ciphertune_report::units::significant;
use ciphertune_results::{Cell, Interval, Status};
use clap::ValueEnum;

use super::evidence::{Evidence, has_short_key, is_lead};
use crate::{Result, doctor, masks, openssl, session};

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

/// What is printed, and how it can be checked.
pub struct Advice {
    pub text: String,
    pub check: Option<Check>,
}

/// The words that programs have for a cipher: OpenSSL's suite of TLS 1.3, its selection of TLS 1.2's, and GnuTLS's, ssh's
/// and OpenVPN's names.
struct Words {
    algorithm: &'static str,
    suite: &'static str,
    selection: &'static str,
    gnutls: &'static str,
    ssh: &'static str,
    openvpn: &'static str,
}

const WORDS: [Words; 3] = [
    Words {
        algorithm: "AES-128-GCM",
        suite: "TLS_AES_128_GCM_SHA256",
        selection: "ECDHE+AESGCM+AES128",
        gnutls: "AES-128-GCM",
        ssh: "aes128-gcm@openssh.com",
        openvpn: "AES-128-GCM",
    },
    Words {
        algorithm: "AES-256-GCM",
        suite: "TLS_AES_256_GCM_SHA384",
        selection: "ECDHE+AESGCM+AES256",
        gnutls: "AES-256-GCM",
        ssh: "aes256-gcm@openssh.com",
        openvpn: "AES-256-GCM",
    },
    Words {
        algorithm: "ChaCha20-Poly1305",
        suite: "TLS_CHACHA20_POLY1305_SHA256",
        selection: "ECDHE+CHACHA20",
        gnutls: "CHACHA20-POLY1305",
        ssh: "chacha20-poly1305@openssh.com",
        openvpn: "CHACHA20-POLY1305",
    },
];

fn words(order: &[&str], word: fn(&Words) -> &'static str, separator: &str) -> String {
    let one = |algorithm: &&str| WORDS.iter().find(|words| words.algorithm == *algorithm).map(word);
    order.iter().filter_map(one).collect::<Vec<_>>().join(separator)
}

/// A sector of most file systems' making, and the one that all drives have.
const SECTORS: [u64; 2] = [4096, 512];

impl Program {
    /// What it may compute, in the order that it prefers by itself.
    pub fn algorithms(self) -> &'static [&'static str] {
        match self {
            Self::Openssl | Self::Gnutls | Self::Nginx => {
                &["AES-256-GCM", "ChaCha20-Poly1305", "AES-128-GCM"]
            }
            Self::Openvpn => &["AES-256-GCM", "AES-128-GCM", "ChaCha20-Poly1305"],
            Self::Ssh => &["ChaCha20-Poly1305", "AES-128-GCM", "AES-256-GCM"],
            Self::Gcrypt => &[
                "AES-256-CFB",
                "AES-256-GCM",
                "ChaCha20-Poly1305",
                "SHA2-256",
                "SHA2-512",
            ],
            Self::Luks => &["AES-256-XTS"],
        }
    }

    /// The library that computes it, by its name in ids.
    pub fn library(self) -> &'static str {
        match self {
            Self::Gnutls => "gnutls",
            Self::Gcrypt => "libgcrypt",
            _ => "openssl",
        }
    }

    fn sources(self) -> Vec<Source> {
        match self {
            Self::Gnutls => PeerLibrary::Gnutls.sources().collect(),
            Self::Gcrypt => PeerLibrary::Libgcrypt.sources().collect(),
            _ => ["libcrypto.so.3", "libcrypto.so.4", "libcrypto.so.1.1"]
                .map(|soname| Source::System(soname.to_owned()))
                .to_vec(),
        }
    }

    /// Lengths that its messages have.
    fn is_its_length(self, length: u64) -> bool {
        match self {
            Self::Openvpn => (1024..=1500).contains(&length),
            Self::Luks => SECTORS.contains(&length),
            _ => (1350..=32768).contains(&length),
        }
    }

    /// The same in words.
    pub fn lengths(self) -> &'static str {
        match self {
            Self::Openvpn => "1024 to 1500 B",
            Self::Luks => "512 and 4096 B",
            _ => "1350 B to 32 KiB",
        }
    }

    /// Whether a cell says anything about it.
    pub fn concerns(self, cell: &Cell) -> bool {
        let is_usual = |algorithm: Algorithm| {
            let usual = Task::usual(algorithm);
            (usual.operation.name(), usual.contract.name()) == (&*cell.operation, &*cell.contract)
        };
        self.algorithms().contains(&&*cell.algorithm)
            && self.is_its_length(cell.length)
            && cell.threads == 1
            && cell.status == Status::Ok
            && cell.algorithm.parse().is_ok_and(is_usual)
    }

    /// What is measured where there is no run.
    pub fn plan(self, confidence: f64) -> Result<Plan> {
        let lengths = match self {
            Self::Openvpn => vec![1350],
            Self::Luks => SECTORS.map(|sector| sector as usize).to_vec(),
            _ => vec![1350, 16384],
        };
        Ok(Plan {
            tasks: self
                .algorithms()
                .iter()
                .filter_map(|name| Algorithm::named(name))
                .map(Task::usual)
                .collect(),
            aad: 13,
            lengths,
            cut: false,
            hashed: false,
            teams: vec![Team::ALONE],
            implementations: Which::All,
            sources: match self {
                Self::Luks => self.sources(),
                _ => masks::with(self.sources())?,
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
        let own = self.algorithms();
        let order = evidence.order(own);
        let mut text = format!("# For {}. Measured: {}\n", self.title(), evidence.head());
        for algorithm in &order {
            text += &format!("# {algorithm}: {}\n", evidence.figures(algorithm));
        }
        text += &format!(
            "# Differences under {} % count for nothing.\n",
            evidence.least_difference()
        );
        text += &self.mask(evidence);
        let (setting, check) = match self {
            Self::Luks => sectors(evidence),
            Self::Gcrypt => (self.denied(evidence), None),
            _ => {
                text += &reasons(evidence, own, &order);
                if self == Self::Ssh {
                    text += "# ssh puts ChaCha20 and Poly1305 together itself, which is no faster than libcrypto's.\n";
                }
                self.ordered(own, &order)
            }
        };
        text += match setting.is_empty() && evidence.mask.is_none() {
            true => "# Leave it as it is: nothing significant is to be gained.\n",
            false => &setting,
        };
        Ok(Advice { text, check })
    }

    fn title(self) -> &'static str {
        match self {
            Self::Openssl => "openssl.cnf",
            Self::Gnutls => "/etc/gnutls/config",
            Self::Gcrypt => "/etc/gcrypt/hwf.deny",
            Self::Ssh => "ssh_config or sshd_config",
            Self::Openvpn => "the configurations of both ends of OpenVPN",
            Self::Nginx => "a server, or all of http, in nginx.conf",
            Self::Luks => "a new volume",
        }
    }

    /// What to do without, if that pays.
    fn mask(self, evidence: &Evidence) -> String {
        let Some((mask, times)) = evidence.mask else {
            return match (self, evidence.has_masks) {
                (Self::Luks, _) => String::new(),
                (_, true) => "# Without some of the processor's instructions it is no faster.\n".to_owned(),
                (_, false) => {
                    "# Whether it is faster without some of the processor's instructions was not measured; \
                               speed --masks does.\n"
                        .to_owned()
                }
            };
        };
        let gain = format!(
            "# With {mask} it is {} without, and nothing slower.\n",
            times_as_fast(times)
        );
        match mask.variable(&evidence.library) {
            Some((name, value)) => {
                format!("{gain}# Start the program with this in its environment: {name}={value}\n")
            }
            None => gain,
        }
    }

    /// Libgcrypt's list of what to do without.
    fn denied(self, evidence: &Evidence) -> String {
        let names = evidence.mask.into_iter().flat_map(|(mask, _)| mask.libgcrypt());
        names.flat_map(|name| [name, "\n"]).collect()
    }

    /// The setting that makes the order, where it is another than the program's own.
    fn ordered(self, own: &[&str], order: &[&str]) -> (String, Option<Check>) {
        if own == order {
            return (String::new(), None);
        }
        let (lines, check) = match self {
            Self::Openssl => (
                openssl::with_ciphersuites(&words(order, |words| words.suite, ":")),
                Check::Openssl,
            ),
            Self::Gnutls => (
                format!(
                    "[priorities]\nSYSTEM = NORMAL:-CIPHER-ALL:+{}{GNUTLS_REST}\n",
                    words(order, |words| words.gnutls, ":+")
                ),
                Check::Gnutls,
            ),
            Self::Ssh => (
                format!("Ciphers ^{}\n", words(order, |words| words.ssh, ",")),
                Check::Ssh,
            ),
            Self::Openvpn => (
                format!("data-ciphers {}\n", words(order, |words| words.openvpn, ":")),
                Check::Openvpn,
            ),
            Self::Nginx => (
                format!(
                    "ssl_prefer_server_ciphers on;\nssl_conf_command Ciphersuites {};\n\
                     ssl_ciphers {}:HIGH:!aNULL:!MD5;\n",
                    words(order, |words| words.suite, ":"),
                    words(order, |words| words.selection, ":")
                ),
                Check::Nginx,
            ),
            Self::Gcrypt | Self::Luks => return (String::new(), None),
        };
        (lines, Some(check))
    }
}

/// Larger sectors, if they pay.
fn sectors(evidence: &Evidence) -> (String, Option<Check>) {
    let [large, small] = SECTORS;
    let Some(change) = evidence.times_at(large, small).filter(is_lead) else {
        return (String::new(), None);
    };
    let text = format!(
        "# A sector of 4096 B is {} eight of 512 B. Only for drives whose own blocks have 4096 B.\n\
         # These are OpenSSL's figures: the kernel's own code, which cryptsetup benchmark measures, sets an IV for each \
         sector too.\n\
         cryptsetup luksFormat --type luks2 --cipher aes-xts-plain64 --key-size 512 --sector-size 4096 \"$DEVICE\"\n",
        times_as_fast(change.ratio)
    );
    (text, Some(Check::Cryptsetup))
}

/// What the order rests on: each against those that it overtakes; and what does not although it is faster.
fn reasons(evidence: &Evidence, before: &[&str], after: &[&str]) -> String {
    let place = |order: &[&str], name: &str| order.iter().position(|other| *other == name);
    let mut text = String::new();
    for (n, &one) in after.iter().enumerate() {
        for &other in after.iter().skip(n + 1) {
            let times = |one, other| {
                evidence
                    .times(one, other)
                    .map(|change| times_as_fast(change.ratio))
            };
            let overtakes = place(before, one) > place(before, other);
            if let Some(times) = times(one, other).filter(|_| overtakes && !has_short_key(other)) {
                text += &format!("# {one} before {other}: it is {times} that.\n");
            }
            if let Some(times) =
                times(other, one).filter(|_| has_short_key(other) && evidence.is_faster(other, one))
            {
                text +=
                    &format!("# {other} is {times} {one}, and stays behind: its key is the shorter one.\n");
            }
        }
    }
    text
}

/// `1.44 times as fast (1.41 to 1.46) as`.
fn times_as_fast(times: Interval) -> String {
    let Interval { low, median, high } = times;
    let [low, median, high] = [low, median, high].map(significant);
    format!("{median} times as fast ({low} to {high}) as")
}

/// GnuTLS's other ciphers, in its own order.
const GNUTLS_REST: &str = ":+AES-256-CCM:+AES-256-CBC:+AES-128-CCM:+AES-128-CBC";

/// By whom a snippet is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    Openssl,
    Gnutls,
    Ssh,
    Openvpn,
    Nginx,
    Cryptsetup,
}

impl Check {
    /// The command.
    pub fn name(self) -> &'static str {
        match self {
            Self::Openssl => "openssl",
            Self::Gnutls => "gnutls-cli",
            Self::Ssh => "ssh",
            Self::Openvpn => "openvpn",
            Self::Nginx => "nginx",
            Self::Cryptsetup => "cryptsetup",
        }
    }

    /// Whether the program is here; if so it has accepted the snippet, or it is an error.
    pub fn run(self, snippet: &str) -> Result<bool> {
        let Some(program) = doctor::find(&PathBuf::from(self.name())) else {
            return Ok(false);
        };
        let folder = tempfile::tempdir().map_err(|error| format!("cannot check the snippet: {error}"))?;
        let file = folder.path().join("snippet");
        let keep = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text)
                .map_err(|error| format!("cannot check the snippet: {error}"))
        };
        keep("snippet", snippet)?;
        let setting = snippet
            .lines()
            .rfind(|line| !line.starts_with('#'))
            .unwrap_or_default();
        let mut command = Command::new(&program);
        // What its answer must hold.
        let mut expected = String::new();
        match self {
            Self::Openssl => {
                command
                    .args(["ciphers", "-s", "-tls1_3"])
                    .env("OPENSSL_CONF", &file);
                expected = setting.split(" = ").nth(1).unwrap_or_default().to_owned();
            }
            Self::Gnutls => {
                command
                    .args(["--priority", "@SYSTEM", "--list"])
                    .env("GNUTLS_SYSTEM_PRIORITY_FILE", &file);
                let listed = setting.split_once(":+").map_or("", |(_, listed)| listed);
                expected = format!("Ciphers: {}", listed.replace(":+", ", "));
            }
            Self::Ssh => {
                command.arg("-G").arg("-F").arg(&file).arg("localhost");
                expected = format!("ciphers {}", setting.trim_start_matches("Ciphers ^"));
            }
            Self::Openvpn => {
                command.arg("--show-ciphers");
            }
            Self::Nginx => {
                keep("nginx.conf", &nginx(folder.path()))?;
                command
                    .arg("-t")
                    .arg("-e")
                    .arg("stderr")
                    .arg("-p")
                    .arg(folder.path())
                    .args(["-c", "nginx.conf"]);
            }
            Self::Cryptsetup => {
                let words = setting.split(' ').skip(1).map(|word| word.trim_matches('"'));
                command.arg("--test-args").args(words);
            }
        }
        let output = command
            .output()
            .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let missing = match self {
            Self::Openvpn => {
                let names = setting.trim_start_matches("data-ciphers ").split(':');
                { names }.any(|name| {
                    !said
                        .to_uppercase()
                        .lines()
                        .any(|line| line.split(' ').next() == Some(name))
                })
            }
            _ => !said.contains(&expected),
        };
        if output.status.success() && !missing {
            return Ok(true);
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        let words = errors
            .lines()
            .map(str::trim)
            .rfind(|line| !line.is_empty())
            .unwrap_or("it knows not all of it");
        Err(format!(
            "{} does not accept '{setting}': {words}; nothing is advised",
            program.display()
        )
        .into())
    }
}

/// A server with the snippet, and with nothing outside its folder.
fn nginx(folder: &std::path::Path) -> String {
    let folder = folder.display();
    format!(
        "pid {folder}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\n  access_log off;\n\
         client_body_temp_path {folder}/body;\n  proxy_temp_path {folder}/proxy;\n  fastcgi_temp_path {folder}/fastcgi;\n\
         uwsgi_temp_path {folder}/uwsgi;\n  scgi_temp_path {folder}/scgi;\n  include {folder}/snippet;\n  \
         server {{ listen unix:{folder}/socket; }}\n}}\n"
    )
}
