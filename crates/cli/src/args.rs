//! What the command line may say.
use std::{collections::HashSet, path::PathBuf, sync::LazyLock};

use ciphertune_catalog::{Algorithm, Contract, Source};
use ciphertune_report::{Portion, units::parse_length};
use clap::{
    Args as Group, Parser, Subcommand, ValueEnum,
    builder::{NonEmptyStringValueParser, PossibleValuesParser},
};
use clap_complete::Shell;

use crate::{
    advise::Program,
    names::{AlgorithmParser, Wanted, WantedParser, is_ours, with_names},
    pages,
};

/// The lengths that users of `openssl speed` know, an Ethernet frame's worth, and two beyond the caches' reach.
const LENGTHS: &str = "16,64,256,1024,1350,8192,16384,1M,16M";

/// Under masks there are twice as many implementations, so that these stand for all: a block, a wide vector, a packet, a
/// record.
const LENGTHS_UNDER_MASKS: &str = "16,64,1350,16384";

/// Longer messages than this take memory and time, and have the speed of this one.
const LONGEST: u64 = 1 << 30;

/// What the algorithms of `tune` are for, and those of `speed`, whose hundred names the long help adds.
const TO_TUNE: &str = "What to choose for, as in AES-256-GCM, aes-256 or gcm; what is not named stays chosen as it is, \
    where the wisdom that is there is still believed [default: all that Ciphertune has code for]";
const TO_MEASURE: &str = "What to measure, as in AES-256-GCM, sha256 or all; by whole parts between the hyphens \
    of names, as gcm or aes-128, all that have them; or whatever else a libcrypto has by a name, but for what wraps keys, \
    SIV, and records of TLS, as in ARIA-128-CTR, ChaCha20, SHAKE256 or KMAC-128 [default: AES-CTR, GCM, CBC and XTS with \
    128 and 256 bits, ChaCha20-Poly1305, SHA2-256 and SHA2-512]";

static VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{} (kernels {})", env!("CARGO_PKG_VERSION"), ciphertune::BUILD));

/// Find out which implementation of a cipher is fastest on this machine, and use it
///
/// Finds every implementation on this machine, proves each one right, measures them side by side (`speed`), and
/// writes down which of the library's own is fastest for which message lengths (`tune`). Programs that use the library
/// ciphertune read that and go by it.
#[derive(Debug, Parser)]
#[command(
    name = "ciphertune",
    version = VERSION.as_str(),
    after_long_help = pages::after_help(),
    max_term_width = 100
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure and write down what is fastest here
    ///
    /// Proves each implementation that can be chosen right, measures them side by side at the lengths for which the
    /// library chooses, with the system's OpenSSL to compare with, shows the rates, and writes the choices ("wisdom")
    /// where the library reads them. Only constant-time code of the library's own is ever chosen; `speed` shows how all
    /// others on this machine do.
    ///
    /// What CPUID suggests stays chosen where nothing has a certain lead over it: one of which all of the interval is over
    /// 1 %, and the middle over what the run can tell apart.
    ///
    /// When interrupted, it shows what was finished and leaves the wisdom as it was; or, if all but what threads gain was
    /// measured, writes what it chose by then.
    Tune(Tune),

    /// Measure and show the rates
    ///
    /// Proves every implementation right, measures them side by side and shows their rates: GB/s, and in brackets
    /// nanoseconds per short message. The fastest of each column is marked. Nothing is written but what --output
    /// names.
    ///
    /// Where many libraries are installed, one algorithm takes some twenty seconds, and all that is measured by default
    /// several minutes: a bar on the terminal says how much is left. When interrupted, it shows what was finished.
    Speed(Speed),

    /// Say what to set in a program on this machine, by figures
    ///
    /// Measures what the program's library does with the lengths that the program has, or reads run files, and prints a
    /// piece of configuration with the figure behind each line: which of its modern ciphers should come first, which of
    /// the processor's instructions its library is faster without, what size pays. Where nothing significant is to be
    /// gained it says so. Ciphers are put into another order, never added or taken away, and no mask is advised that leaves
    /// code whose time tells of keys, and none by a single run.
    ///
    /// What it prints can go into a file. The program itself has accepted it, where it is installed.
    Advise(Advise),

    /// Show how much faster one run is than another
    ///
    /// Compares run files, as speed and tune write them with --output and import makes them: percentages against a
    /// baseline, and ~ where no difference is certain. With one file, or --by implementation, it compares the
    /// implementations in them.
    ///
    /// What was timed in one run, side by side, can be told apart best: to compare two builds of a library, name both
    /// to one run (speed --libcrypto OLD --libcrypto NEW), and then --by implementation.
    ///
    /// A single run cannot know what changes from run to run, as frequency, placement and neighbours do. Where it takes
    /// several, measure each side ten times, in turn, into a folder of its own, and compare the folders: what counts
    /// then is what lies between runs.
    Compare(Compare),

    /// Make a run file of what another tool printed
    ///
    /// Reads the tables of openssl speed from 0.9.7 to 4, openssl speed -mr, cryptsetup benchmark, and botan speed
    /// --format=json, so that any published figure can be compared; and what speed prints with --format classic or mr.
    /// Lines that are none of it are passed over, and so are those of cryptsetup that tell of Argon2: they have no rate.
    ///
    /// What a tool times is its own contract, so its figures are compared with Ciphertune's own only where compare is
    /// told --across-contracts.
    Import(Import),

    /// Show every implementation here
    ///
    /// Shows where each implementation comes from, which version was really loaded, which CPU features it needs,
    /// whether it is constant-time, whether it may be chosen, and why it cannot run where it cannot.
    List(List),

    /// Show, check or forget what tune wrote
    #[command(disable_help_subcommand = true)]
    Wisdom(Wisdom),

    /// Put AES by Ciphertune under the programs that use OpenSSL, and take it away again
    ///
    /// The provider is a file that OpenSSL 3 and 4 load, and a configuration that tells them to. Nothing else changes:
    /// what it does not offer, and all random numbers, stay with OpenSSL's own code.
    #[command(disable_help_subcommand = true)]
    Provider(Provider),

    /// Say whether a program's AES goes through the provider
    ///
    /// Starts each program with something harmless to do, in the environment as it is, and looks whether it loads the
    /// provider and is told to take AES from it; and says why not where that is not so. Exits with 1 if one of them does
    /// not, or if that cannot be told, as without the command openssl. Settings that mean nothing to the provider are
    /// named.
    Doctor(Doctor),

    /// Print completions for a shell
    ///
    /// For bash: ciphertune completions bash > ~/.local/share/bash-completion/completions/ciphertune
    Completions {
        /// For which shell
        shell: Shell,
    },

    /// Print a man page
    ///
    /// To read it at once: ciphertune man | man -l -
    Man {
        /// Of which command; without it, of ciphertune itself
        #[arg(value_parser = PossibleValuesParser::new(pages::PAGES))]
        command: Option<String>,
    },
}

impl Command {
    /// Whether it goes by what the processor has, or starts programs that do.
    pub fn needs_processor(&self) -> bool {
        match self {
            Self::Compare(_) | Self::Import(_) | Self::Completions { .. } | Self::Man { .. } => false,
            Self::Wisdom(wisdom) => !matches!(wisdom.action, Action::Forget),
            Self::Provider(provider) => !matches!(
                provider.action,
                ProviderAction::Config | ProviderAction::Uninstall
            ),
            Self::Tune(_) | Self::Speed(_) | Self::Advise(_) | Self::List(_) | Self::Doctor(_) => true,
        }
    }
}

#[derive(Debug, Group)]
pub struct Tune {
    #[arg(value_name = "ALGORITHM", value_parser = AlgorithmParser { shown: is_ours },
        help = TO_TUNE, long_help = with_names(TO_TUNE, is_ours), hide_possible_values = true)]
    pub algorithms: Vec<Vec<Algorithm>>,

    /// How long to measure
    #[arg(long, value_enum, default_value_t)]
    pub patience: Patience,

    /// Write the choices to this file [default: where the library reads them]
    #[arg(long, value_name = "PATH")]
    pub wisdom: Option<PathBuf>,

    #[command(flatten)]
    pub certainty: Certainty,

    #[command(flatten)]
    pub libraries: Libraries,

    #[command(flatten)]
    pub output: Output,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Patience {
    /// Not at all: show what CPUID suggests, and leave the wisdom alone
    Estimate,
    /// About three minutes for everything
    #[default]
    Measure,
    /// Several minutes, for choices by small margins
    Patient,
}

#[derive(Debug, Group)]
pub struct Speed {
    #[arg(value_name = "ALGORITHM", value_parser = WantedParser,
        help = TO_MEASURE, long_help = with_names(TO_MEASURE, |_| true), hide_possible_values = true)]
    pub algorithms: Vec<Wanted>,

    /// Measure the other direction: decrypting, and opening what was sealed
    #[arg(long)]
    pub decrypt: bool,

    /// What one timed call includes: stream, new-iv, new-key, one-shot, or many, which is thirty-two messages of CBC or
    /// CMAC at once, or many-keys, each of them under a key of its own [default: stream, or new-iv for what has a nonce, or
    /// one-shot for what has none]
    #[arg(long, value_name = "CONTRACT", value_parser = contract)]
    pub contract: Option<Contract>,

    /// Bytes of additional data with each message that is authenticated, the same number with all [default: 13, as TLS 1.2 has
    /// them, or 8 for ESP]
    #[arg(long, value_name = "BYTES", value_parser = additional_data, allow_negative_numbers = true)]
    pub aad: Option<usize>,

    /// Message lengths in bytes, or with a unit, as in 16,1350,16k,1MiB; with --masks 16,64,1350,16384 unless others are named
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = message_length, allow_negative_numbers = true,
        default_value = LENGTHS, default_value_if("masks", "true", LENGTHS_UNDER_MASKS))]
    pub lengths: Vec<usize>,

    /// A mix of lengths, each with its weight, to measure instead: below the rates, what a message of the mix takes on
    /// average, Gbit/s and packets a second. 64:7,576:4,1500:1 is the simple IMIX of Internet traffic
    #[arg(long, value_name = "LENGTH:WEIGHT", value_delimiter = ',', value_parser = portion, conflicts_with = "lengths")]
    pub mix: Vec<Portion>,

    /// Threads at once, each with messages of its own; several numbers, as in 1,2,4, are compared
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = threads, allow_negative_numbers = true,
        default_value = "1")]
    pub threads: Vec<usize>,

    /// Threads that help one stream in counter mode, of Ciphertune's own implementations: they make keystream ahead or,
    /// from 256 KiB on, take parts of a call
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = threads, allow_negative_numbers = true,
        conflicts_with = "threads")]
    pub workers: Vec<usize>,

    /// Hash each message of a stream with SHA-256 too, as a program does that authenticates what it encrypts
    #[arg(long)]
    pub hash: bool,

    /// Timed seconds for each implementation at each length, and three times as many for public keys; what is far behind gets less
    #[arg(long, value_name = "SECONDS", default_value = "0.1", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: f64,

    /// Measure only these, as in vaes256,openssl: by the names that `ciphertune list` shows, or parts that several share, which
    /// of openssl@3.0.19/default are openssl, openssl@3.0.19, openssl@3.0, openssl/default and default
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub implementations: Vec<String>,

    /// Measure libraries besides as they are without some of the processor's instructions, as in
    /// openssl@3.0.19/no-avx512, and name each case in which fewer are faster here; such a case is measured twice. All
    /// that is measured by default takes three or four minutes so
    #[arg(long)]
    pub masks: bool,

    #[command(flatten)]
    pub certainty: Certainty,

    #[command(flatten)]
    pub libraries: Libraries,

    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Group)]
pub struct Advise {
    /// The program
    #[arg(value_enum)]
    pub program: Program,

    /// Go by this run file, as speed --masks --output makes it, instead of measuring; may be given several times, since it
    /// takes two runs to advise a mask; - for standard input
    #[arg(long, value_name = "FILE")]
    pub from: Vec<PathBuf>,

    /// The share of intervals that hold the truth
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = confidence, allow_negative_numbers = true)]
    pub confidence: f64,
}

#[derive(Debug, Group)]
pub struct Compare {
    /// Run files, or folders of runs that repeat each other (*.jsonl); - for standard input; the first is the baseline
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// What to set against each other [default: files, or the implementations of a single one]
    #[arg(long, value_enum)]
    pub by: Option<By>,

    /// The file or implementation to compare with, an implementation by its name or a part of it [default: the first]
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,

    /// The share of intervals that hold the truth
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = confidence, allow_negative_numbers = true)]
    pub confidence: f64,

    /// Exit with 3 where anything is slower than the baseline by more than this, and certainly slower, however many cells
    /// are compared (Holm's correction); where nobody can be certain, as of two runs on either side, by the figures as they
    /// stand, which a note says. What a single run on either side is slower by, but no more than the same code differs from
    /// itself in it, passes, and a note says that. Exit with 1 where there is no rate to judge: where an implementation
    /// failed, on either side and in any run, or a file lacks figures that the baseline has, or has them of another contract;
    /// where there are none of the cycles that --per-cycle needs; or where other work disturbed either side all the time. It
    /// takes folders of runs to know what differs from run to run
    #[arg(long, value_name = "slower:PERCENT", value_parser = gate)]
    pub fail_if: Option<Gate>,

    /// Compare rates per core cycle, which leaves out that one run had another frequency than the other. A cell of a run has
    /// one estimate of it: where it changed between that run's processes, their figures still differ by that
    #[arg(long)]
    pub per_cycle: bool,

    /// Compare what was timed under different contracts too
    #[arg(long)]
    pub across_contracts: bool,

    /// Show the interval around each percentage
    #[arg(long)]
    pub intervals: bool,

    /// Show the rates that each percentage comes from
    #[arg(long)]
    pub rates: bool,

    /// How to show the comparison
    #[arg(long, value_enum, default_value_t)]
    pub format: CompareFormat,
}

#[derive(Debug, Group)]
pub struct Import {
    /// What the tool printed; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Keep the run in this file, as JSON Lines; - for standard output, in place of what is shown there
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,

    /// What it was measured on
    #[arg(long, value_name = "TEXT")]
    pub machine: Option<String>,

    /// The implementation, as in openssl@0.9.7c/icc [default: by what the output says]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub implementation: Option<String>,

    /// It was openssl speed -decrypt, whose output does not tell that from encryption
    #[arg(long)]
    pub decrypt: bool,

    /// How to show the run [default: classic]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Files: machines, versions, builds, compilers
    File,
    /// Implementations, in whichever file
    Implementation,
}

/// What makes a comparison fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    /// The share of the baseline's rate that may be missing.
    pub slower: f64,
}

/// How sure results must be.
#[derive(Debug, Group)]
pub struct Certainty {
    /// The share of intervals that hold the truth [default: 0.95]
    // The default is none of clap's, so that an estimate, which has no intervals, can tell whether it was given.
    #[arg(long, value_name = "SHARE", value_parser = confidence, allow_negative_numbers = true)]
    pub confidence: Option<f64>,

    /// Measure in more processes than usual, until every rate is known to one per cent, which --intervals shows, or this many
    /// seconds have passed. The usual processes are measured whatever time they take. To stop when intervals are narrow makes
    /// them hold the truth a little less often: some 92 % where they say 95
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub until_stable: Option<f64>,
}

impl Certainty {
    pub fn confidence(&self) -> f64 {
        self.confidence.unwrap_or(0.95)
    }
}

#[derive(Debug, Group)]
pub struct List {
    #[command(flatten)]
    pub libraries: Libraries,

    /// How to show them
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}

#[derive(Debug, Group)]
pub struct Wisdom {
    #[command(subcommand)]
    pub action: Action,

    /// The file [default: where the library reads it]
    #[arg(long, value_name = "PATH", global = true)]
    pub wisdom: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum Action {
    /// Show the choices, and what speaks for them
    Show,
    /// Exit with 1, and say why, where the library would not go by it; a file that is named is looked at as such, whatever
    /// CIPHERTUNE_IMPLEMENTATION forces
    Check,
    /// Delete it, so that what CPUID suggests serves again
    Forget,
}

#[derive(Debug, Group)]
pub struct Provider {
    #[command(subcommand)]
    pub action: ProviderAction,

    /// The system's configuration of OpenSSL [default: what openssl says]
    #[arg(long, value_name = "PATH", global = true)]
    pub openssl_cnf: Option<PathBuf>,

    /// The folder of OpenSSL's providers [default: what openssl says]
    #[arg(long, value_name = "PATH", global = true)]
    pub modules: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum ProviderAction {
    /// Copy the provider to where OpenSSL looks, and write a configuration beside the system's
    Install {
        /// The provider's file [default: the one that was built or installed with this program]
        #[arg(long, value_name = "PATH")]
        module: Option<PathBuf>,

        /// Put the configuration in the place of the system's, which is kept beside it
        #[arg(long)]
        system: bool,
    },
    /// Remove what install wrote, and put back what it replaced
    Uninstall,
    /// Show what is installed, and exit with 1 where openssl does not use it
    Status,
    /// Print the configuration
    Config,
}

#[derive(Debug, Group)]
pub struct Doctor {
    /// Names or paths [default: openssl, ssh, sshd, nginx, curl, openvpn, python3 and node, as far as they are here]
    #[arg(value_name = "PROGRAM")]
    pub programs: Vec<PathBuf>,
}

/// Where implementations come from besides this program.
#[derive(Debug, Group)]
pub struct Libraries {
    /// A libcrypto besides the system's: OpenSSL from 1.1.0, LibreSSL, BoringSSL or AWS-LC; may be given several times
    #[arg(long, value_name = "PATH")]
    pub libcrypto: Vec<PathBuf>,

    /// A provider of OpenSSL's to measure besides OpenSSL's own code, as in legacy; each libcrypto from 3.0 loads it; may
    /// be given several times
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub provider: Vec<String>,
}

impl Libraries {
    /// Everything that can be measured.
    pub fn sources(&self) -> Vec<Source> {
        let named = self.libcrypto.iter().cloned().map(Source::Libcrypto);
        let mut sources: Vec<Source> = Source::defaults().into_iter().chain(named).collect();
        let provided = self
            .provider
            .iter()
            .flat_map(|name| Source::provider(name, &sources));
        let provided: Vec<Source> = provided.collect();
        sources.extend(provided);
        let mut seen = HashSet::new();
        sources.retain(|source| seen.insert(source.clone()));
        sources
    }

    /// What a choice is made from, and the libcryptos that it is compared with.
    pub fn to_choose_from(&self) -> Vec<Source> {
        let mut sources = self.sources();
        sources.retain(|source| !matches!(source, Source::Peer { .. } | Source::Kernel));
        sources
    }
}

/// What becomes of the results.
#[derive(Debug, Default, Group)]
pub struct Output {
    /// How to show the results [default: table]
    #[arg(long, value_enum)]
    pub format: Option<Format>,

    /// Show how sure each rate is, by what the processes differ, and the quartiles of what was timed
    #[arg(long)]
    pub intervals: bool,

    /// Show the share of the machine's own limit that each rate reaches
    #[arg(long)]
    pub shares: bool,

    /// Show nanoseconds, time-stamp counter ticks and estimated core cycles per byte
    #[arg(long)]
    pub costs: bool,

    /// Show what a message and what a byte costs: for each implementation the line through its times up to 16 KiB
    #[arg(long)]
    pub fit: bool,

    /// Keep the run in this file too, as JSON Lines, in place of what is in it, which stays where no rate was measured; - for
    /// standard output, in place of what is shown there
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Table,
    /// For people, on a page
    Markdown,
    /// One line for each implementation at each length
    Csv,
    /// One document
    Json,
    /// The tables of `openssl speed`, one for each implementation
    Classic,
    /// The lines of `openssl speed -mr`, under +I lines that name the implementations
    Mr,
}

/// The same for comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// For people
    #[default]
    Table,
    /// For people, on a page
    Markdown,
    /// One line for each comparison
    Csv,
    /// One document
    Json,
}

/// The same for implementations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For people
    #[default]
    Table,
    /// One document, an object for each implementation
    Json,
}

fn contract(name: &str) -> Result<Contract, String> {
    let plain = |contract: &Contract| contract.name().split_once('/').map_or("", |(name, _)| name);
    let known = || Contract::ALL.iter();
    known()
        .find(|contract| plain(contract) == name || contract.name() == name)
        .copied()
        .ok_or_else(|| {
            let names: Vec<_> = known().map(plain).collect();
            format!("write one of {}", names.join(", "))
        })
}

fn additional_data(text: &str) -> Result<usize, String> {
    match text {
        "0" => Ok(0),
        _ => match parse_length(text).map_err(|error| error.to_string())? {
            bytes @ ..=65_536 => Ok(bytes as usize),
            _ => Err("the most additional data are 64 KiB".to_owned()),
        },
    }
}

fn message_length(text: &str) -> Result<usize, String> {
    let bytes = parse_length(text).map_err(|error| error.to_string())?;
    if bytes > LONGEST {
        return Err("the longest message is 1 GiB".to_owned());
    }
    usize::try_from(bytes).map_err(|error| error.to_string())
}

fn portion(text: &str) -> Result<Portion, String> {
    let (length, weight) = text
        .split_once(':')
        .ok_or("write a length and its weight, as in 64:7")?;
    let weight = weight.parse().ok().filter(|weight| (1e-6..=1e6).contains(weight));
    Ok(Portion {
        length: message_length(length)? as u64,
        weight: weight.ok_or("write a weight from 0.000001 to 1000000, as in 64:7")?,
    })
}

fn threads(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=1024).contains(number));
    number.ok_or_else(|| "write a number from 1 to 1024".to_owned())
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "write a number of seconds, as in 0.5")?;
    // As a comparison, it is also false for what is not a number.
    if seconds > 0.0 && seconds <= 3600.0 {
        Ok(seconds)
    } else {
        Err("it must be more than 0, and at most 3600".to_owned())
    }
}

fn confidence(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "write a share, as in 0.99")?;
    if (0.5..1.0).contains(&share) {
        Ok(share)
    } else {
        Err("it must be at least 0.5 and less than 1, as in 0.99".to_owned())
    }
}

fn gate(text: &str) -> Result<Gate, String> {
    let percent = text
        .strip_prefix("slower:")
        .and_then(|rest| rest.strip_suffix('%').unwrap_or(rest).parse::<f64>().ok());
    match percent {
        Some(percent) if (0.0..100.0).contains(&percent) => Ok(Gate {
            slower: percent / 100.0,
        }),
        Some(_) => Err("it must be at least 0 and less than 100 %, as in slower:5%".to_owned()),
        None => Err("write how much slower is too much, as in slower:5%".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn clap_finds_no_fault() {
        Args::command().debug_assert();
    }

    #[test]
    fn masks_take_fewer_lengths_unless_others_are_named() {
        let lengths = |words: &[&str]| {
            let args = Args::try_parse_from([&["ciphertune", "speed"], words].concat()).unwrap();
            match args.command {
                Command::Speed(speed) => speed.lengths,
                _ => unreachable!("speed was named"),
            }
        };
        assert_eq!(lengths(&[]).len(), 9);
        assert_eq!(lengths(&["--masks"]), [16, 64, 1350, 16384]);
        assert_eq!(lengths(&["--masks", "--lengths", "8192"]), [8192]);
    }

    #[test]
    fn seconds_are_a_sensible_number() {
        assert_eq!(seconds("0.005"), Ok(0.005));
        for text in ["0", "-1", "nan", "inf", "1e9", "", "1s"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_gate_is_a_percentage() {
        assert_eq!(gate("slower:5%"), Ok(Gate { slower: 0.05 }));
        assert_eq!(gate("slower:0.5"), Ok(Gate { slower: 0.005 }));
        for text in [
            "5%",
            "slower",
            "slower:",
            "slower:100%",
            "slower:-1%",
            "slower:nan",
            "faster:5%",
        ] {
            assert!(gate(text).is_err(), "{text}");
        }
        let of_all = gate("slower:100%").unwrap_err();
        assert!(of_all.contains("less than 100 %"), "{of_all}");
        for text in ["1", "0", "95", "nan", ""] {
            assert!(confidence(text).is_err(), "{text}");
        }
    }

    #[test]
    fn lengths_end_at_a_gibibyte() {
        assert_eq!(message_length("1G"), Ok(1 << 30));
        assert!(message_length("1025M").is_err());
        assert!(message_length("0").is_err());
    }
}
