//! What measuring found, kept where programs read it.
//!
//! A wisdom file holds, for each algorithm and length class, the implementation that was fastest on one
//! processor, with its figure, the interval around it and the runner-up. It is a small text that people can
//! read and that Ciphertune believes whole or not at all: a file that is damaged, edited, of another format than this
//! version's, from another processor or of another build is refused, and the default that CPUID suggests serves.
//!
//! ```text
//! ciphertune-wisdom 4
//! build 5f0c3b2a99d1e7a4
//! processor AuthenticAMD 26.2.1
//! brand AMD EPYC
//! microcode 0x1000065
//! hypervisor KVMKVMKVM
//! made 2026-11-21T21:20:03Z
//! patience measure
//! choice AES-128-CTR encrypt stream/1 up-to 32 vaes512 bytes/s 2200000000 2290000000 2310000000 before aesni 1980000000
//! …
//! threads AES-128-CTR stream-sha256/1 32768 vaes512 workers 1 idle times 0.880 0.890 0.910
//! threads AES-128-CTR stream/1 67108864 vaes512 workers 1 pay times 1.590 1.670 1.710
//! …
//! made 2026-11-25T08:14:55Z
//! patience patient
//! choice AES-256-GCM seal new-iv/1 up-to 32 aesni bytes/s 1110000000 1130000000 1140000000 before vaes256 1090000000
//! …
//! checksum 9d1f0c77aa20e3b1
//! ```
mod error;
mod file;
mod help;
mod place;

use std::{
    collections::BTreeMap,
    env, fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use ciphertune_engine::{BUILD, GcmKernel, Implementation, Kernel};
use ciphertune_system::environment_is_own;

pub use error::{Refusal, WisdomError, command, word};
use error::{describe, failed};
pub use help::{AHEAD, Help, SPLIT};

use crate::{GcmPlan, LengthClass, Plan, PlanOf, Plans, Processor, plan::Runs, selection::forward_of};

/// All choices made on one processor.
#[derive(Clone, Debug, PartialEq)]
pub struct Wisdom {
    /// Where they come from, the oldest first.
    pub tunings: Vec<Tuning>,
    processor: Processor,
    build: String,
}

/// What one measuring found, as far as no later one of the same has taken its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// When, RFC 3339 in UTC.
    pub made: String,
    /// With how much patience: `measure` or `patient`.
    pub patience: String,
    /// The choices: in all of wisdom at most one for each algorithm, operation, contract and class.
    pub choices: Vec<Choice>,
    /// What threads gain: in all of wisdom at most once for each algorithm, contract and length.
    pub help: Vec<Help>,
}

/// One choice, and what speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// OpenSSL's name, as in `AES-128-CTR`.
    pub algorithm: String,
    /// What was timed, as in `encrypt`.
    pub operation: String,
    /// Under which contract, with its version, as in `stream/1`.
    pub contract: String,
    /// For which lengths.
    pub class: LengthClass,
    /// What was chosen.
    pub implementation: Implementation,
    /// How fast it was at the class's measured length.
    pub bytes_per_second: Rates,
    /// The next best and its median rate in bytes per second.
    pub runner_up: Option<(Implementation, f64)>,
}

impl Choice {
    /// What it was chosen for, as far as lengths do not decide: algorithm, operation and contract.
    pub fn task(&self) -> [&str; 3] {
        [&self.algorithm, &self.operation, &self.contract]
    }

    /// Whether one plan can have another implementation beside it, for other lengths: a key has one layout.
    pub fn goes_with(&self, other: Implementation) -> bool {
        one_key_serves(&self.algorithm, self.implementation, other)
    }

    /// Whether this version goes by figures of its contract.
    fn is_gone_by(&self) -> bool {
        let mode = self.algorithm.rsplit('-').next();
        let has_many = matches!(
            (mode, &*self.operation),
            (Some("CBC"), "encrypt") | (Some("CMAC"), "mac")
        );
        (has_many && self.contract == MANY) || self.contract == contract(&self.algorithm)
    }
}

/// A median with the interval around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Lower end.
    pub low: f64,
    /// Median.
    pub median: f64,
    /// Upper end.
    pub high: f64,
}

/// The contract of an algorithm's figures that this version goes by: those of another one timed something else.
pub fn contract(algorithm: &str) -> &'static str {
    match algorithm.rsplit('-').next() {
        Some("GCM" | "CCM" | "OCB" | "XTS") => "new-iv/1",
        Some("CMAC") => "one-shot/1",
        _ => "stream/1",
    }
}

/// The contract by which [`crate::CbcMany`] and [`crate::Cmac::tags`] go: so many messages at once, whose length is that of
/// each.
pub const MANY: &str = "many/1";

impl Wisdom {
    /// What was found on this processor with this build.
    pub fn new(tunings: Vec<Tuning>) -> Self {
        Self {
            tunings,
            processor: Processor::current(),
            build: BUILD.to_owned(),
        }
    }

    /// The processor that it was made on.
    pub fn processor(&self) -> &Processor {
        &self.processor
    }

    /// All that was chosen.
    pub fn choices(&self) -> impl Iterator<Item = &Choice> {
        self.tunings.iter().flat_map(|tuning| &tuning.choices)
    }

    /// All that was found of threads.
    pub fn help(&self) -> impl Iterator<Item = &Help> {
        self.tunings.iter().flat_map(|tuning| &tuning.help)
    }

    /// When it was made, as people are told: a date, or the first and the last.
    pub fn dates(&self) -> String {
        let dates = || self.tunings.iter().map(|tuning| &*tuning.made);
        match (dates().min(), dates().max()) {
            (Some(first), Some(last)) if first < last => format!("{first} to {last}"),
            (first, _) => first.unwrap_or("never").to_owned(),
        }
    }

    /// Reads a file and believes it whole or not at all.
    pub fn read(path: &Path) -> Result<Self, WisdomError> {
        let text = place::bytes(path).map_err(|source| {
            let path = path.to_owned();
            match source.kind() {
                ErrorKind::NotFound => WisdomError::Absent { path },
                _ => WisdomError::Io {
                    doing: "read",
                    path,
                    source,
                },
            }
        })?;
        let refused = |why| WisdomError::Refused {
            path: path.to_owned(),
            why,
        };
        let wisdom = file::parse(&text).map_err(refused)?;
        wisdom.check().map_err(refused)?;
        Ok(wisdom)
    }

    /// Writes a file, whole or not at all, and makes its folder where there is none. A link is followed; what is
    /// not a regular file is left alone. What nobody would believe is not written.
    pub fn write(&self, path: &Path) -> Result<(), WisdomError> {
        let text = file::print(self);
        let readable = file::parse(text.as_bytes()).and_then(|wisdom| wisdom.check());
        readable.map_err(|why| WisdomError::Useless {
            path: path.to_owned(),
            why,
        })?;
        let (place, partial, mut file) = place::begin(path)?;
        let written = file
            .write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .and_then(|()| place::take(&partial, &place));
        written.map_err(|e| {
            // The first error is the one to tell.
            let _ = fs::remove_file(partial);
            failed("write", path)(e)
        })
    }

    /// Whether [`Wisdom::write`] could write there now: to be asked before measuring. Makes the folder too, and leaves
    /// nothing else behind.
    pub fn writable(path: &Path) -> Result<(), WisdomError> {
        let (_, partial, _) = place::begin(path)?;
        fs::remove_file(partial).map_err(failed("write", path))
    }

    /// Where programs look for it: `CIPHERTUNE_WISDOM`, else `ciphertune/wisdom` in `XDG_CONFIG_HOME`, else in
    /// `~/.config`. A program with another's rights than its caller's, as a setuid one, has no such place: what names it
    /// is the caller's.
    pub fn default_path() -> Result<PathBuf, WisdomError> {
        if !environment_is_own() {
            return Err(WisdomError::OthersRights);
        }
        let set = |name| {
            env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        set("CIPHERTUNE_WISDOM")
            .or_else(|| {
                // The XDG specification has a relative one ignored.
                let folder = set("XDG_CONFIG_HOME").filter(|folder| folder.is_absolute())?;
                Some(folder.join("ciphertune/wisdom"))
            })
            .or_else(|| set("HOME").map(|home| home.join(".config/ciphertune/wisdom")))
            .ok_or(WisdomError::NoPlace)
    }

    /// The plan for an operation of `algorithm` under a contract, where each of its classes has a choice.
    pub fn plan<K: Runs>(&self, algorithm: &str, operation: &str, contract: &str) -> Option<PlanOf<K>> {
        PlanOf::measured(self.implementations([algorithm, operation, contract])?).ok()
    }

    /// What was chosen for each class of a task.
    fn implementations(&self, task: [&str; 3]) -> Option<[Implementation; LengthClass::COUNT]> {
        let mut found = [None; LengthClass::COUNT];
        for choice in self.choices().filter(|choice| choice.task() == task) {
            found[choice.class.index()] = Some(choice.implementation);
        }
        whole(found)
    }

    /// Whether it may be believed here.
    fn check(&self) -> Result<(), Refusal> {
        // First of all: what another build made is good on no processor.
        if self.build != BUILD {
            return Err(Refusal::Build);
        }
        let here = Processor::current();
        if self.processor != here {
            return Err(match self.processor == Processor::whole() {
                true => Refusal::Hidden,
                false => Refusal::Processor {
                    made: describe(&self.processor),
                    here: describe(&here),
                },
            });
        }
        for choice in self.choices() {
            let names = [
                Some(choice.implementation),
                choice.runner_up.map(|(name, _)| name),
            ];
            if !choice.is_gone_by() {
                return Err(Refusal::Contract {
                    algorithm: choice.algorithm.clone(),
                    found: choice.contract.clone(),
                });
            }
            if let Some(unavailable) = names.into_iter().flatten().find(|name| !name.is_available()) {
                return Err(Refusal::Unavailable(unavailable.name()));
            }
        }
        for help in self.help() {
            if ![AHEAD, SPLIT].contains(&&*help.contract) {
                return Err(Refusal::Contract {
                    algorithm: help.algorithm.clone(),
                    found: help.contract.clone(),
                });
            }
            if !help.implementation.is_available() {
                return Err(Refusal::Unavailable(help.implementation.name()));
            }
        }
        let mut tasks = BTreeMap::<_, [_; LengthClass::COUNT]>::new();
        for choice in self.choices() {
            tasks.entry(choice.task()).or_default()[choice.class.index()] = Some(choice.implementation);
        }
        let plans: BTreeMap<_, _> = tasks
            .into_iter()
            .filter_map(|(task, found)| Some((task, whole(found)?)))
            .collect();
        for (&[algorithm, operation, _], &implementations) in &plans {
            let made = match algorithm.ends_with("-GCM") {
                true => GcmPlan::measured(implementations).map(drop),
                false => Plan::measured(implementations).map(drop),
            };
            made.map_err(|mixed| Refusal::Plan(format!("{algorithm} {operation}: {mixed}")))?;
        }
        for (&task, &[backward, ..]) in &plans {
            let [algorithm, operation, contract] = task;
            let Some(beside) = forward_of(task) else { continue };
            let forward = plans
                .get(&beside)
                .map_or_else(|| estimated(algorithm), |measured| measured[0]);
            if !one_key_serves(algorithm, backward, forward) {
                return Err(Refusal::Directions {
                    task: format!("{algorithm} {operation} under '{contract}'"),
                    backward: backward.name(),
                    forward: forward.name(),
                });
            }
        }
        Ok(())
    }
}

/// Whether both take a key of that algorithm in the same layout.
fn one_key_serves(algorithm: &str, one: Implementation, other: Implementation) -> bool {
    fn share<K: Runs>(one: Implementation, other: Implementation) -> bool {
        matches!((K::by(one), K::by(other)), (Ok(one), Ok(other)) if one.shares_layout(other))
    }
    match algorithm.ends_with("-GCM") {
        true => share::<GcmKernel>(one, other),
        false => share::<Kernel>(one, other),
    }
}

/// What serves an algorithm of which nothing was measured, as far as the layout of keys goes by it.
fn estimated(algorithm: &str) -> Implementation {
    match algorithm.ends_with("-GCM") {
        true => Plans::<GcmPlan>::estimate().forward().implementation(0),
        false => Plan::estimate().implementation(0),
    }
}

/// What was chosen for each class, where there is none without a choice.
fn whole(
    found: [Option<Implementation>; LengthClass::COUNT],
) -> Option<[Implementation; LengthClass::COUNT]> {
    let mut implementations = [Implementation::PORTABLE; LengthClass::COUNT];
    for (implementation, found) in implementations.iter_mut().zip(found) {
        *implementation = found?;
    }
    Some(implementations)
}

#[cfg(test)]
#[path = "../../../tests/skip.rs"]
mod skip;

#[cfg(test)]
mod tests {
    use std::{mem, process::Command};

    use super::{skip::skip, *};

    fn sample() -> Wisdom {
        let implementation = Implementation::PORTABLE;
        let choices: Vec<Choice> = LengthClass::all()
            .map(|class| Choice {
                algorithm: "AES-128-CTR".to_owned(),
                operation: "encrypt".to_owned(),
                contract: contract("AES-128-CTR").to_owned(),
                class,
                implementation,
                bytes_per_second: Rates {
                    low: 1e9,
                    median: 2e9,
                    high: 3e9,
                },
                runner_up: class.longest().map(|_| (implementation, 1.5e9)),
            })
            .collect();
        let help = [(AHEAD, 32 << 10, false), (SPLIT, 32 << 20, true)]
            .map(|(contract, length, pays)| Help {
                algorithm: "AES-128-CTR".to_owned(),
                contract: contract.to_owned(),
                length,
                implementation,
                workers: 1,
                pays,
                times: Rates {
                    low: 0.5,
                    median: 1.25,
                    high: 1.5,
                },
            })
            .into();
        let later = Choice {
            algorithm: "AES-256-GCM".to_owned(),
            operation: "seal".to_owned(),
            contract: contract("AES-256-GCM").to_owned(),
            ..choices[0].clone()
        };
        Wisdom::new(vec![
            Tuning {
                made: "2026-11-21T21:20:03Z".to_owned(),
                patience: "measure".to_owned(),
                choices,
                help,
            },
            Tuning {
                made: "2026-11-22T10:00:00Z".to_owned(),
                patience: "patient".to_owned(),
                choices: vec![later],
                help: Vec::new(),
            },
        ])
    }

    /// Why a file of these bytes is refused.
    fn refusal(bytes: &[u8]) -> Refusal {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wisdom");
        fs::write(&path, bytes).unwrap();
        match Wisdom::read(&path) {
            Err(WisdomError::Refused { why, .. }) => why,
            other => panic!("not refused: {other:?}"),
        }
    }

    /// The file as somebody would forge it: changed, and its checksum made anew.
    fn forged(from: &str, to: &str) -> Vec<u8> {
        let text = file::print(&sample());
        assert!(text.contains(from), "{from} is not in {text}");
        file::sealed(text[..text.rfind("checksum").unwrap()].replacen(from, to, 1)).into_bytes()
    }

    #[test]
    fn what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/for/it/wisdom");
        sample().write(&path).unwrap();
        let read = Wisdom::read(&path).unwrap();
        assert_eq!(read, sample());
        assert!(
            read.plan::<Kernel>("AES-128-CTR", "encrypt", "stream/1")
                .is_some()
        );
        assert!(
            read.plan::<Kernel>("AES-128-CTR", "decrypt", "stream/1")
                .is_none()
        );
        assert!(
            read.plan::<Kernel>("AES-256-CTR", "encrypt", "stream/1")
                .is_none()
        );
        assert!(read.plan::<Kernel>("AES-128-CTR", "encrypt", MANY).is_none());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        sample().write(&link).unwrap();
        assert!(
            fs::symlink_metadata(&link).unwrap().is_symlink(),
            "the link was replaced"
        );
        let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "a partial file was left behind");
    }

    /// A machine that stops meanwhile has no file that is empty, and one that stops afterwards the new one.
    #[test]
    fn what_was_written_is_on_the_disk() {
        let mut traced = Command::new("strace");
        traced.args(["-f", "-e", "trace=fsync,rename,renameat,renameat2"]);
        traced.arg(env::current_exe().unwrap());
        let traced = traced.args([
            "--exact",
            "wisdom::tests::who_could_read_the_old_one_can_read_the_new",
        ]);
        let Ok(output) = traced.output() else {
            return skip("no strace on this system (make test-packages)");
        };
        let said = String::from_utf8_lossy(&output.stderr);
        // Or this runs under an emulator.
        if said.contains("PTRACE_TRACEME") || said.contains("Exec format error") {
            return eprintln!("left out: this cannot be traced here");
        }
        let calls: Vec<_> = said.lines().filter(|line| line.ends_with(" = 0")).collect();
        let is = |call: &str, name| call.contains(name);
        let whole: Vec<_> = calls
            .windows(3)
            .filter(|calls| is(calls[0], "fsync(") && is(calls[1], "rename") && is(calls[2], "fsync("))
            .collect();
        let renamings = calls.iter().filter(|call| is(call, "rename")).count();
        assert!(renamings > 0 && whole.len() == renamings, "{said}");
    }

    /// Where others may write too, as in /tmp, they may have put links under names that they can guess.
    #[test]
    fn a_planted_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wisdom");
        let victim = folder.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        let plant = |name: String| std::os::unix::fs::symlink(&victim, folder.path().join(name)).unwrap();
        plant(format!("wisdom.{}.partial", std::process::id()));
        sample().write(&path).unwrap();
        assert!(fs::symlink_metadata(&path).unwrap().is_file());

        plant("wisdom.0000000000000001.partial".to_owned());
        let (partial, _) = place::begin_beside(&path, [1, 2]).unwrap();
        assert_eq!(partial, folder.path().join("wisdom.0000000000000002.partial"));
        let refused = place::begin_beside(&path, [1, 2]).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
    }

    #[test]
    fn who_could_read_the_old_one_can_read_the_new() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wisdom");
        for mode in [0o604, 0o640] {
            sample().write(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            // Nobody's, if this is run by root.
            let _ = chown(&path, Some(65534), Some(65534));
            let before = fs::metadata(&path).unwrap();
            sample().write(&path).unwrap();
            let after = fs::metadata(&path).unwrap();
            assert_eq!(after.permissions().mode() & 0o777, mode);
            assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        }
    }

    #[test]
    fn every_truncation_is_refused() {
        let bytes = file::print(&sample()).into_bytes();
        for len in 0..bytes.len() {
            refusal(&bytes[..len]);
        }
    }

    #[test]
    fn every_changed_byte_is_refused() {
        let bytes = file::print(&sample()).into_bytes();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x01;
            refusal(&damaged);
        }
    }

    #[test]
    fn each_refusal_has_its_reason() {
        assert_eq!(refusal(b""), Refusal::NotWisdom);
        assert_eq!(refusal(b"\x7fELF"), Refusal::NotWisdom);
        assert_eq!(refusal(b"ciphertune-wisdom 5\nwhatever\n"), Refusal::Later(5));
        for earlier in 1..file::FORMAT {
            let old = forged("ciphertune-wisdom 4\n", &format!("ciphertune-wisdom {earlier}\n"));
            assert_eq!(refusal(&old), Refusal::Earlier(earlier));
        }
        let long = "ciphertune-wisdom 4\n".to_owned() + &" ".repeat(file::MOST);
        assert_eq!(refusal(long.as_bytes()), Refusal::TooLong);
        let text = file::print(&sample());
        assert_eq!(
            refusal(text.replacen("portable", "vaes512", 1).as_bytes()),
            Refusal::Checksum
        );
        assert_eq!(refusal(&forged(BUILD, "0123456789abcdef")), Refusal::Build);
        assert_eq!(
            refusal(&forged("stream/1", "stream/0")),
            Refusal::Contract {
                algorithm: "AES-128-CTR".to_owned(),
                found: "stream/0".to_owned()
            }
        );
        assert_eq!(
            refusal(&forged("encrypt stream/1", "encrypt many/1")),
            Refusal::Contract {
                algorithm: "AES-128-CTR".to_owned(),
                found: MANY.to_owned()
            }
        );
        let signature = Processor::current().signature;
        assert!(matches!(
            refusal(&forged(&signature, "GenuineIntel 6.85.7")),
            Refusal::Processor { .. }
        ));
        let mut hardware = ["aesni", "armv8"].into_iter().filter_map(Implementation::named);
        if let Some(hardware) = hardware.find(|i| i.is_available()) {
            let to = format!(" {} ", hardware.name());
            assert!(matches!(refusal(&forged(" portable ", &to)), Refusal::Plan(_)));
        }
        for (from, to) in [
            (" portable ", " rot13 "),
            ("up-to 32 ", "up-to 33 "),
            ("up-to 128 ", "up-to 32 "),
            (" 2000000000 ", " NaN "),
            (" 2000000000 ", " 0.4 "),
            ("choice ", "chosen "),
            ("made ", "Made "),
            ("patience ", "haste "),
            ("made 2026-11-21T21:20:03Z\npatience measure\n", ""),
            ("threads ", "treads "),
            ("workers 1", "workers 0"),
            (" idle ", " maybe "),
            ("stream-sha256/1 32768", "stream/1 33554432"),
            (" times 0.500", " times -0.500"),
            (" times 0.500", " times 0.0004"),
        ] {
            assert!(
                matches!(refusal(&forged(from, to)), Refusal::Line { .. }),
                "{from} -> {to}"
            );
        }
    }

    #[test]
    fn dates_are_the_first_and_the_last() {
        let mut wisdom = sample();
        assert_eq!(wisdom.dates(), "2026-11-21T21:20:03Z to 2026-11-22T10:00:00Z");
        wisdom.tunings.truncate(1);
        assert_eq!(wisdom.dates(), "2026-11-21T21:20:03Z");
    }

    #[test]
    fn nothing_is_said_twice() {
        let text = file::print(&sample());
        for start in ["choice ", "threads "] {
            let line = text.lines().find(|line| line.starts_with(start)).unwrap();
            let twice = forged(line, &format!("{line}\n{line}"));
            assert!(matches!(refusal(&twice), Refusal::Line { .. }), "{line}");
        }
    }

    /// Neither waits for somebody who writes nor reads for ever.
    #[cfg(target_os = "linux")]
    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let made = Command::new("mkfifo").arg(&fifo).status();
        assert!(made.unwrap().success());
        for path in [&*fifo, folder.path(), Path::new("/dev/zero")] {
            let refused = Wisdom::read(path).unwrap_err().to_string();
            assert!(refused.contains("it is not a regular file"), "{refused}");
        }
    }

    #[test]
    fn what_would_be_refused_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wisdom");
        let mut twice = sample();
        let again = twice.tunings[0].choices[0].clone();
        twice.tunings[1].choices.push(again);
        let mut mixed = sample();
        let [portable, hardware] = ["portable", "aesni"].map(Implementation::named);
        if let Some(hardware) = hardware.filter(|hardware| hardware.is_available()) {
            assert!(!mixed.tunings[0].choices[0].goes_with(hardware));
            mixed.tunings[0].choices[0].implementation = hardware;
        } else {
            mixed = twice.clone();
        }
        assert!(mixed.tunings[0].choices[1].goes_with(portable.unwrap()));
        for wisdom in [twice, mixed] {
            let refused = wisdom.write(&path);
            assert!(matches!(refused, Err(WisdomError::Useless { .. })), "{refused:?}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    /// One key serves both directions of an algorithm, or one message and many: what would not be gone by is no wisdom.
    #[test]
    fn what_no_key_serves_is_refused() {
        let mut hardware = ["aesni", "armv8"].into_iter().filter_map(Implementation::named);
        let Some(hardware) = hardware.find(|i| i.is_available() && i.gcm().is_some()) else {
            eprintln!("skipped: all that this processor can run takes its keys alike");
            return;
        };
        let portable = Implementation::PORTABLE;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wisdom");
        let written = |tasks: &[(&str, &str, Implementation)]| {
            let [mut tuning, _] = sample().tunings.try_into().unwrap();
            let of_one = mem::take(&mut tuning.choices);
            for &(algorithm, task, implementation) in tasks {
                let (operation, contract) = task.split_once(' ').unwrap();
                tuning.choices.extend(of_one.iter().map(|choice| Choice {
                    algorithm: algorithm.to_owned(),
                    operation: operation.to_owned(),
                    contract: contract.to_owned(),
                    implementation,
                    runner_up: None,
                    ..choice.clone()
                }));
            }
            Wisdom::new(vec![tuning]).write(&path)
        };
        for (algorithm, forward, backward) in [
            ("AES-128-ECB", "encrypt stream/1", "decrypt stream/1"),
            ("AES-192-CBC", "encrypt stream/1", "decrypt stream/1"),
            ("AES-256-XTS", "encrypt new-iv/1", "decrypt new-iv/1"),
            ("AES-128-GCM", "seal new-iv/1", "open new-iv/1"),
            ("AES-128-CCM", "seal new-iv/1", "open new-iv/1"),
            ("AES-256-CMAC", "mac one-shot/1", "mac many/1"),
        ] {
            for (first, second, refused) in [
                (Some(hardware), hardware, false),
                (Some(portable), portable, false),
                (Some(hardware), portable, true),
                (Some(portable), hardware, true),
                // What CPUID suggests serves the other.
                (None, hardware, false),
                (None, portable, true),
            ] {
                let mut tasks = vec![(algorithm, backward, second)];
                tasks.extend(first.map(|first| (algorithm, forward, first)));
                let told = written(&tasks).map_err(|why| why.to_string());
                assert_eq!(told.is_err(), refused, "{tasks:?}: {told:?}");
                if let Err(told) = told {
                    let (operation, contract) = backward.split_once(' ').unwrap();
                    let has = format!(
                        "it has '{}' for {algorithm} {operation} under '{contract}'",
                        second.name()
                    );
                    assert!(told.contains(&has), "{told}");
                }
            }
            // What serves the first alone serves both.
            written(&[(algorithm, forward, portable)]).unwrap();
        }
        // These go by one plan, and many messages of CBC by a key of their own.
        for tasks in [
            [
                ("AES-128-CTR", "encrypt stream/1", hardware),
                ("AES-128-CTR", "decrypt stream/1", portable),
            ],
            [
                ("AES-128-OFB", "encrypt stream/1", hardware),
                ("AES-128-OFB", "decrypt stream/1", portable),
            ],
            [
                ("AES-128-CBC", "encrypt stream/1", hardware),
                ("AES-128-CBC", "encrypt many/1", portable),
            ],
        ] {
            written(&tasks).unwrap();
        }
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a-folder");
        fs::create_dir_all(path.join("in-the-way")).unwrap();
        assert!(matches!(sample().write(&path), Err(WisdomError::Io { .. })));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        let socket = folder.path().join("socket");
        let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(matches!(sample().write(&socket), Err(WisdomError::Io { .. })));
        assert!(!fs::metadata(&socket).unwrap().is_file());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        for done in [sample().write(&link), Wisdom::writable(&link)] {
            assert!(done.unwrap_err().to_string().contains("a link to nowhere"));
        }
        assert!(link.is_symlink());
        let new = folder.path().join("new/wisdom");
        Wisdom::writable(&new).unwrap();
        assert_eq!(fs::read_dir(new.parent().unwrap()).unwrap().count(), 0);
        assert!(matches!(
            Wisdom::read(&folder.path().join("absent")),
            Err(WisdomError::Absent { .. })
        ));
    }

    #[test]
    fn remedies_name_a_file_that_is_not_where_programs_look() {
        let refused = |why, path: &Path| WisdomError::Refused {
            path: path.to_owned(),
            why,
        };
        let told = |path: &Path| {
            [
                WisdomError::Absent {
                    path: path.to_owned(),
                },
                refused(Refusal::Build, path),
                refused(Refusal::Later(99), path),
            ]
            .map(|error| error.to_string().rsplit("; ").next().unwrap().to_owned())
        };
        assert_eq!(
            told(Path::new("/else/where")),
            [
                "`ciphertune tune --wisdom /else/where` makes it",
                "`ciphertune tune --wisdom /else/where` makes it anew",
                "use the later Ciphertune that made it, or `ciphertune wisdom forget --wisdom /else/where` and `ciphertune tune \
                 --wisdom /else/where` make it anew",
            ]
        );
        assert_eq!(
            told(Path::new("/else where/it's"))[0],
            r"`ciphertune tune --wisdom '/else where/it'\''s'` makes it"
        );
        assert_eq!(told(Path::new(""))[0], "`ciphertune tune --wisdom ''` makes it");
        let default = Wisdom::default_path().expect("tests have a home");
        assert_eq!(
            told(&default),
            [
                "`ciphertune tune` makes it",
                "`ciphertune tune` makes it anew",
                "use the later Ciphertune that made it, or `ciphertune wisdom forget` and `ciphertune tune` make it anew",
            ]
        );
    }

    #[test]
    fn an_empty_path_is_called_one() {
        let refused = Wisdom::read(Path::new("")).expect_err("there is nothing to read");
        assert_eq!(
            refused.to_string(),
            "cannot read the wisdom at : the path is empty; name another place"
        );
    }
}
